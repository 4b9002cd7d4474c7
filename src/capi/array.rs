//! C interface: array.

use std::ffi::c_char;

use super::array_args::{array_at, load_schema, uri_of, uri_to_consolidate, uri_to_vacuum, with_enumerations};
use super::boundary::{CEnum, In, InConst, Out, OutHandle, OutStr, Slice, Str, capi_return_t};
use super::call::{call, free, make};
use super::config::ConfigObject;
use super::enum_text::{of_text, text_of, value_of};
use super::enums::{tiledb_encryption_type_t, tiledb_query_type_t};
use super::handles::{
    tiledb_array_schema_evolution_t, tiledb_array_schema_t, tiledb_array_t, tiledb_config_t, tiledb_ctx_t,
    tiledb_enumeration_t,
};
use super::value::internal;
use tiledb_core::error::bail;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_rest::arrays;

/// Creates a handle on an array; nothing is read before it is opened.
///
/// @param ctx The TileDB context.
/// @param array_uri The array's URI or path; the array need not exist.
/// @param array The handle, to be freed with `tiledb_array_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_alloc(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array: OutHandle<tiledb_array_t>,
) -> capi_return_t {
    make(ctx, array, |context| array_at(context.resources(), array_uri))
}

/// Closes an array; a closed one stays closed.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_close(ctx: In<tiledb_ctx_t>, array: In<tiledb_array_t>) -> capi_return_t {
    call(ctx, |_| array.get()?.close())
}

/// Consolidates an array: merges its fragments, or gathers their metadata, the commits or the array's metadata in one
/// file, as `sm.consolidation.mode` says. `tiledb_array_vacuum` removes what this makes superfluous.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI of the array, which should not be open for writing.
/// @param config The configuration, with the `sm.consolidation.*` parameters and the key, which is the context's where it
///     has none; null for the context's.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_consolidate(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let _running = context.running();
        let array = uri_to_consolidate(array_uri)?;
        arrays::consolidate(&context.resources_with_key(config)?, &array)
    })
}

/// Merges the named fragments of an array into one.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI of the array, which should not be open for writing.
/// @param fragment_uris The names of the fragments: the last parts of their URIs.
/// @param num_fragments How many there are.
/// @param config The configuration, with the `sm.consolidation.*` parameters and the key, which is the context's where it
///     has none; null for the context's.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_consolidate_fragments(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    fragment_uris: Slice<*const c_char>,
    num_fragments: u64,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let count = usize::try_from(num_fragments).unwrap_or(usize::MAX);
        let names = fragment_uris.paths("fragment_uris", count)?;
        let (resources, uri) = (context.resources_with_key(config)?, uri_of(array_uri)?);
        let _running = context.running();
        arrays::consolidate_fragments(&resources, &uri, &names)
    })
}

/// Creates an array.
///
/// @param ctx The TileDB context.
/// @param array_uri Where; there must be no array yet, and it must not lie among the files of an array or a group.
/// @param array_schema The schema; the array keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_create(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array_schema: InConst<tiledb_array_schema_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let (handle, uri) = (array_schema.get()?, uri_of(array_uri)?);
        let schema = handle.snapshot();
        let key = EncryptionKey::from_config(context.resources().config())?;
        arrays::create(context.resources(), &uri, &schema, &key)?;
        if schema.labels().is_empty() || uri.is_tiledb() {
            return Ok(());
        }
        handle.change(|schema| {
            schema.locate(&uri);
            Ok(())
        })
    })
}

/// Deletes an array with all it holds. Files in its folder that are not the array's stay.
///
/// @param ctx The TileDB context.
/// @param uri The URI of the array.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete(ctx: In<tiledb_ctx_t>, uri: Str) -> capi_return_t {
    call(ctx, |context| arrays::delete(context.resources(), &uri_of(uri)?))
}

/// Deletes fragments of an array by their URIs: all of them, or none if the array lacks one.
///
/// @param ctx The TileDB context.
/// @param uri_str The URI of the array.
/// @param fragment_uris The URIs of the fragments.
/// @param num_fragments How many there are, at least one.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_fragments_list(
    ctx: In<tiledb_ctx_t>,
    uri_str: Str,
    fragment_uris: Slice<*const c_char>,
    num_fragments: usize,
) -> capi_return_t {
    call(ctx, |context| {
        if num_fragments == 0 {
            bail!("C API: Failed to delete fragments list; Invalid input number of fragments");
        }
        let names = fragment_uris.paths("fragment_uris", num_fragments)?;
        arrays::delete_named_fragments(context.resources(), &uri_of(uri_str)?, &names)
    })
}

/// Deletes the fragments of an array that were wholly written within a time window.
///
/// @param ctx The TileDB context.
/// @param uri_str The URI of the array.
/// @param timestamp_start The start of the window in milliseconds since 1970.
/// @param timestamp_end The end of the window, which belongs to it.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_delete_fragments_v2(
    ctx: In<tiledb_ctx_t>,
    uri_str: Str,
    timestamp_start: u64,
    timestamp_end: u64,
) -> capi_return_t {
    call(ctx, |context| {
        arrays::delete_fragments(context.resources(), &uri_of(uri_str)?, (timestamp_start, timestamp_end))
    })
}

/// Tells how an array is encrypted; no key is needed.
///
/// @param ctx The TileDB context.
/// @param array_uri The array's URI.
/// @param encryption_type The type of encryption.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_encryption_type(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    encryption_type: Out<tiledb_encryption_type_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let kind = arrays::encryption_type(context.resources(), &uri_of(array_uri)?).map_err(internal)?;
        encryption_type.set(value_of(kind.number())?)
    })
}

/// Evolves the schema of an array: writes a new schema, which fragments from now on have. Fragments that are there keep
/// theirs.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI of the array.
/// @param array_schema_evolution What is to change.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_evolve(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let evolution = array_schema_evolution.get()?.snapshot();
        arrays::evolve(context.resources(), &uri_of(array_uri)?, &evolution)
    })
}

/// Closes and frees an array and sets the pointer to null.
///
/// @param array The array.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_free(array: OutHandle<tiledb_array_t>) {
    free(array)
}

/// Gives a copy of the configuration of an array.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param config The configuration, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_config(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    make(ctx, config, |_| Ok(ConfigObject::new(array.get()?.config())))
}

/// Gives an enumeration of an open array by its name.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param name The name.
/// @param enumeration The enumeration, to be freed with `tiledb_enumeration_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_enumeration(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
    name: Str,
    enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    make(ctx, enumeration, |_| match name.opt()? {
        Some(name) => with_enumerations(array, "enumerations")?.enumeration(name),
        None => bail!("C API: 'attr_name' must not be null"),
    })
}

/// Gives the end of the time window at which an array was last opened.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param timestamp_end Milliseconds since 1970; 0 if cells get the time at which they are written.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_open_timestamp_end(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    timestamp_end: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| timestamp_end.set(array.get()?.open_end()))
}

/// Gives the start of the time window at which an array is opened.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param timestamp_start Milliseconds since 1970.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_open_timestamp_start(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    timestamp_start: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| timestamp_start.set(array.get()?.open_start()))
}

/// Tells what an array was last opened for; reading before the first time.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param query_type The type of query.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_query_type(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    query_type: Out<tiledb_query_type_t>,
) -> capi_return_t {
    call(ctx, |_| query_type.set(value_of(array.get()?.query_type().number())?))
}

/// Gives the schema of an open array.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param array_schema The schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_schema(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |_| array.get()?.shared_schema())
}

/// Gives the URI of an array.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param array_uri The URI, valid until the array is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_uri(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    array_uri: OutStr,
) -> capi_return_t {
    call(ctx, |_| array_uri.set(array.get()?.name().as_c_str()))
}

/// Tells whether an array is open.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param is_open 1 if it is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_is_open(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    is_open: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| is_open.set(array.get()?.is_open().into()))
}

/// Reads all enumerations of the schema of an open array; schemas got from the array have them then.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_load_all_enumerations(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
) -> capi_return_t {
    call(ctx, |_| with_enumerations(array, "all enumerations")?.load_enumerations())
}

/// Reads all enumerations of all schemas of an open array.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_load_enumerations_all_schemas(
    ctx: In<tiledb_ctx_t>,
    array: InConst<tiledb_array_t>,
) -> capi_return_t {
    call(ctx, |_| with_enumerations(array, "all enumerations")?.load_enumerations_of_all_schemas())
}

/// Opens an array, as of the timestamps that were set or else of now.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param query_type What it is opened for.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_open(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    query_type: CEnum<tiledb_query_type_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let (_running, array) = (context.running(), array.get()?);
        arrays::open(&array, query_type.number())
    })
}

/// Opens an array that is open for reading again, to see what was written since or to see it as of
/// timestamps set since.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_reopen(ctx: In<tiledb_ctx_t>, array: In<tiledb_array_t>) -> capi_return_t {
    call(ctx, |context| {
        let (_running, array) = (context.running(), array.get()?);
        arrays::reopen(&array)
    })
}

/// Loads the newest schema of an array.
///
/// @param ctx The TileDB context.
/// @param array_uri The array's URI.
/// @param array_schema The schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_load(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |context| load_schema(context.resources(), array_uri))
}

/// Loads the newest schema of an array. As in libtiledb the key of an encrypted array is the context's, whatever the
/// configuration says; enumerations are loaded when they are asked for.
///
/// @param ctx The TileDB context.
/// @param config A configuration, which changes nothing for arrays in files; or null.
/// @param array_uri The array's URI.
/// @param array_schema The schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_load_with_config(
    ctx: In<tiledb_ctx_t>,
    config: In<tiledb_config_t>,
    array_uri: Str,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |context| {
        if !config.is_null() {
            config.get()?;
        }
        load_schema(context.resources(), array_uri)
    })
}

/// Gives an array a configuration of its own; it must not be open.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param config The configuration, which is copied.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_set_config(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |_| array.get()?.set_config(&config.get()?.snapshot()))
}

/// Sets the end of the time window for the next opening or reopening.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param timestamp_end Milliseconds since 1970; `UINT64_MAX` means now.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_set_open_timestamp_end(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    timestamp_end: u64,
) -> capi_return_t {
    call(ctx, |_| {
        array.get()?.set_open_end(timestamp_end);
        Ok(())
    })
}

/// Sets the start of the time window for the next opening or reopening.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param timestamp_start Milliseconds since 1970.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_set_open_timestamp_start(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    timestamp_start: u64,
) -> capi_return_t {
    call(ctx, |_| {
        array.get()?.set_open_start(timestamp_start);
        Ok(())
    })
}

/// Writes the newest schema of an array anew in the newest version of the format, in which fragments are written
/// from then on. Does nothing where the schema is of that version.
///
/// @param ctx The TileDB context.
/// @param array_uri The array's URI or path.
/// @param config The configuration with the encryption key; null: that of the context.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_upgrade_version(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let resources = match config.is_null() {
            true => context.resources().clone(),
            false => context.resources().with_config(config.get()?.snapshot())?,
        };
        let key = EncryptionKey::from_config(resources.config())?;
        tiledb_array::array::upgrade(&resources, &uri_of(array_uri)?, &key)
    })
}

/// Removes what consolidation has made superfluous, as `sm.vacuum.mode` says: replaced fragments, commits that stand in
/// consolidated ones, all consolidated fragment metadata but the latest, or replaced metadata of the array.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI of the array; no one should be reading from it.
/// @param config The configuration; null for the context's.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_vacuum(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let _running = context.running();
        arrays::vacuum(&context.resources_with(config)?, &uri_to_vacuum(array_uri)?)
    })
}

/// Gives an encryption type from its text.
///
/// @param str The text.
/// @param encryption_type The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_encryption_type_from_str(
    str: Str,
    encryption_type: Out<tiledb_encryption_type_t>,
) -> capi_return_t {
    of_text(str, encryption_type)
}

/// Gives the text of an encryption type.
///
/// @param encryption_type The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_encryption_type_to_str(
    encryption_type: CEnum<tiledb_encryption_type_t>,
    str: OutStr,
) -> capi_return_t {
    text_of(encryption_type, str)
}
