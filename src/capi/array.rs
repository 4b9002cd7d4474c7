//! C functions of arrays.

use super::array_args::{array_at, create_from, load_schema, uri_of, with_enumerations};
use super::boundary::{CEnum, In, InConst, Out, OutHandle, OutStr, Str, capi_return_t};
use super::call::{call, free, make};
use super::config::ConfigObject;
use super::enum_text::{of_text, text_of, value_of};
use super::enums::{tiledb_encryption_type_t, tiledb_query_type_t};
use super::handles::{tiledb_array_schema_t, tiledb_array_t, tiledb_config_t, tiledb_ctx_t, tiledb_enumeration_t};
use super::value::internal;
use tiledb::location::{self, Location};
use tiledb_core::error::bail;

/// Creates a handle on an array. Nothing is read from storage until the array is opened.
///
/// The handle has a configuration of its own, initially a copy of that of the context (`tiledb_array_set_config`), and a time
/// window, initially everything up to now (`tiledb_array_set_open_timestamp_end`). Any number of handles may refer to the same
/// array. A handle can be used by several threads: calls on it are serialized, and queries work on the snapshot that the array
/// had when they were created.
///
/// ```c
/// tiledb_array_t *own = NULL;
/// tiledb_array_alloc(ctx, "my_array", &own);
/// tiledb_array_open(ctx, own, TILEDB_READ);
/// // ... queries, metadata ...
/// tiledb_array_close(ctx, own);
/// tiledb_array_free(&own);
/// ```
///
/// See also `tiledb_array_open`, `tiledb_array_create`, `tiledb_object_type`.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI or path of the array, which need not exist yet.
/// @param array Receives the handle; free it with `tiledb_array_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_alloc(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array: OutHandle<tiledb_array_t>,
) -> capi_return_t {
    make(ctx, array, |context| array_at(context.resources(), array_uri))
}

/// Closes an array and stores the metadata that was put or deleted since it was opened.
///
/// Cells are stored by queries, not by closing. Queries on the array that have been submitted keep their snapshot and can be
/// continued; queries that have not been submitted yet fail. Metadata pointers obtained from the array become invalid. Closing
/// an array that is not open does nothing. The handle can be opened again, for any purpose.
///
/// If the metadata cannot be stored, the call fails, the array is closed nevertheless, and the changes are lost.
/// `tiledb_array_free` closes without storing metadata.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if metadata could not be written.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_close(ctx: In<tiledb_ctx_t>, array: In<tiledb_array_t>) -> capi_return_t {
    call(ctx, |_| array.get()?.close())
}

/// Creates an empty array with a schema.
///
/// Enumerations and the arrays of dimension labels are stored first; the schema file that makes the folder an array comes last,
/// so a creation that was interrupted leaves no array and can be repeated. If the configuration of the context contains an
/// encryption key, the array is encrypted with it.
///
/// ```c
/// int32_t rows[] = {1, 4}, extent = 4;
/// tiledb_dimension_t *dimension = NULL;
/// tiledb_domain_t *grid = NULL;
/// tiledb_attribute_t *value = NULL;
/// tiledb_array_schema_t *created = NULL;
/// tiledb_dimension_alloc(ctx, "rows", TILEDB_INT32, rows, &extent, &dimension);
/// tiledb_domain_alloc(ctx, &grid);
/// tiledb_domain_add_dimension(ctx, grid, dimension);
/// tiledb_attribute_alloc(ctx, "a", TILEDB_FLOAT64, &value);
/// tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &created);
/// tiledb_array_schema_set_domain(ctx, created, grid);
/// tiledb_array_schema_add_attribute(ctx, created, value);
/// tiledb_array_create(ctx, "my_array", created);
/// ```
///
/// See also `tiledb_array_schema_check`, `tiledb_array_evolve`, `tiledb_array_delete`.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI or path of the new array. There must be no array, and it must not lie among the internal files of
///     an array or a group. Missing parent folders are created.
/// @param array_schema The schema, which must pass `tiledb_array_schema_check`. The array has its own copy.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is an array already, the schema is invalid, or storage fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_create(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array_schema: InConst<tiledb_array_schema_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let schema = array_schema.get()?;
        create_from(&schema, context.resources(), &uri_of(array_uri)?)
    })
}

/// Returns how an array is encrypted. No key is needed.
///
/// @param ctx The TileDB context.
/// @param array_uri The array's URI.
/// @param encryption_type Receives the type of encryption.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_encryption_type(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    encryption_type: Out<tiledb_encryption_type_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let kind = Location::of(&uri_of(array_uri)?).encryption_type(context.resources()).map_err(internal)?;
        encryption_type.set(value_of(kind.number())?)
    })
}

/// Frees an array handle and sets the pointer to null.
///
/// An open array is closed, but metadata that was put or deleted is discarded: call `tiledb_array_close` first. Queries,
/// schemas and subarrays that were created from the array remain valid. A null handle is accepted.
///
/// @param array The array.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_free(array: OutHandle<tiledb_array_t>) {
    free(array)
}

/// Returns a copy of the configuration of an array handle. Changes to the copy have no effect on the array; see
/// `tiledb_array_set_config`.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param config Receives the configuration, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_config(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    make(ctx, config, |_| Ok(ConfigObject::new(array.get()?.config())))
}

/// Returns an enumeration of an open array by its name, and loads its values if necessary.
///
/// @param ctx The TileDB context.
/// @param array The array, open for any purpose.
/// @param name The name of the enumeration, see `tiledb_attribute_get_enumeration_name`.
/// @param enumeration Receives the enumeration; free it with `tiledb_enumeration_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open, its schema has no enumeration of this name, or the
///     values cannot be loaded.
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

/// Returns the end of the time window of the last `tiledb_array_open` or `tiledb_array_reopen`.
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

/// Returns the start of the time window that was set for an array.
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

/// Returns the purpose for which an array was last opened; `TILEDB_READ` before it is opened for the first time.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param query_type Receives the type of query.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_query_type(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    query_type: Out<tiledb_query_type_t>,
) -> capi_return_t {
    call(ctx, |_| query_type.set(value_of(array.get()?.query_type().number())?))
}

/// Returns the schema of an open array, as of the end of its time window.
///
/// The handle shares its content with other schema handles from the same opening of the array. It stays valid when the array is
/// closed or freed. Fragments that were written with earlier schemas are read as if they had this one. To load the newest
/// schema without opening the array use `tiledb_array_schema_load`.
///
/// @param ctx The TileDB context.
/// @param array The array, open for any purpose.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_schema(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |_| array.get()?.shared_schema())
}

/// Returns the URI of an array: that of `tiledb_array_alloc`, with local paths completed to `file://` URIs.
///
/// @param ctx The TileDB context.
/// @param array The array, which need not be open.
/// @param array_uri Receives the NUL-terminated URI. It belongs to the array and is valid until `tiledb_array_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_get_uri(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    array_uri: OutStr,
) -> capi_return_t {
    call(ctx, |_| array_uri.set(array.get()?.name().as_c_str()))
}

/// Reports whether an array is open.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param is_open Receives 1 if the array is open, for whatever purpose, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_is_open(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    is_open: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| is_open.set(array.get()?.is_open().into()))
}

/// Loads the values of all enumerations of the schema of an open array. Schemas that are obtained from the array afterwards
/// have them.
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

/// Loads the values of all enumerations of all schemas of an open array, that is those of older fragments too.
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

/// Opens an array for one purpose, as a snapshot at the end of its time window.
///
/// An array that is opened for reading shows what was committed within the window at that moment; later writes, deletes and
/// schema changes are not visible until `tiledb_array_reopen`. Without timestamps the window ends now. Opening for writing
/// takes the newest schema; cells get the time at which they are written, or the end timestamp if one was set.
///
/// Opening lists the folder of the array and loads its schema. Fragment metadata in remote storage, array metadata and
/// enumerations are loaded on demand.
///
/// Preconditions: the array exists, the handle is not open, and the configuration of the handle contains the key of an
/// encrypted array (`sm.encryption_type`, `sm.encryption_key`). If the call fails, the handle stays closed.
///
/// | query type | permits |
/// |---|---|
/// | `TILEDB_READ` | reads, metadata, non-empty domain |
/// | `TILEDB_WRITE` | writes of cells and metadata, and deletion of fragments by a server |
/// | `TILEDB_DELETE` | delete queries (sparse arrays) |
/// | `TILEDB_MODIFY_EXCLUSIVE` | as `TILEDB_WRITE`; no other handle of the process is open |
/// | `TILEDB_UPDATE` | experimental; requires `sm.allow_updates_experimental` |
///
/// See also `tiledb_array_close`, `tiledb_array_reopen`, `tiledb_query_alloc`.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param query_type The purpose. A query on the array must have the same type; `TILEDB_MODIFY_EXCLUSIVE` also permits queries of
///     the type `TILEDB_WRITE`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is already open, does not exist, or cannot be read with the key; if
///     another handle of the process has it open, and either is opened with `TILEDB_MODIFY_EXCLUSIVE`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_open(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    query_type: CEnum<tiledb_query_type_t>,
) -> capi_return_t {
    call(ctx, |context| {
        let _running = context.running();
        let array = array.get()?;
        location::open(&array, query_type.number())
    })
}

/// Opens an array that is open for reading again, to see later commits or another point in time.
///
/// The new snapshot ends at the end timestamp if that was set since the array was last opened, otherwise now; this end then
/// counts as set (`tiledb_array_get_open_timestamp_end` returns it). Existing queries continue to read the old snapshot;
/// queries that are created afterwards read the new one. Metadata pointers obtained from the array become invalid. If the call
/// fails, the array stays open as it was.
///
/// ```c
/// tiledb_array_set_open_timestamp_end(ctx, array, 1700000000000);
/// tiledb_array_reopen(ctx, array); // the array as of that time
/// tiledb_array_set_open_timestamp_end(ctx, array, UINT64_MAX);
/// tiledb_array_reopen(ctx, array); // the latest state
/// ```
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, or can no longer be read.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_reopen(ctx: In<tiledb_ctx_t>, array: In<tiledb_array_t>) -> capi_return_t {
    call(ctx, |context| {
        let _running = context.running();
        let array = array.get()?;
        location::reopen(&array)
    })
}

/// Loads the newest schema of an array, without opening the array.
///
/// An encrypted array is decrypted with the key in the configuration of the context. The values of enumerations are loaded on
/// demand.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI or path of the array.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, or it cannot be read with the key.
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
/// @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
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

/// Sets parameters for an array handle, before it is opened.
///
/// The parameters that are set in `config` override those that the handle has; the others keep their values. Typical uses are
/// the encryption key and memory budgets. Queries use the configuration of the context they are created with, not that of the
/// array (`tiledb_query_set_config`).
///
/// @param ctx The TileDB context.
/// @param array The array, which must not be open.
/// @param config The configuration, which is copied.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is open or a value is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_set_config(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    call(ctx, |_| array.get()?.set_config(&config.get()?.snapshot()))
}

/// Sets the end of the time window for the next `tiledb_array_open` or `tiledb_array_reopen`: time travel.
///
/// An array opened for reading is a snapshot at this time. An array opened for writing gives this timestamp to all cells and
/// metadata that are written; without it they get the time of writing. An array that is open is not affected until it is
/// reopened.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param timestamp_end Milliseconds since 1970-01-01 UTC, inclusive; `UINT64_MAX`, the default, for now.
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

/// Sets the start of the time window for the next `tiledb_array_open` or `tiledb_array_reopen`.
///
/// A read then omits what was written entirely before this time. An array that is open is not affected until it is reopened.
///
/// @param ctx The TileDB context.
/// @param array The array.
/// @param timestamp_start Milliseconds since 1970-01-01 UTC; 0, the default, for everything from the beginning.
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

/// Returns an encryption type from its text.
///
/// @param str The text.
/// @param encryption_type Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_encryption_type_from_str(
    str: Str,
    encryption_type: Out<tiledb_encryption_type_t>,
) -> capi_return_t {
    of_text(str, encryption_type)
}

/// Returns the text of an encryption type.
///
/// @param encryption_type The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_encryption_type_to_str(
    encryption_type: CEnum<tiledb_encryption_type_t>,
    str: OutStr,
) -> capi_return_t {
    text_of(encryption_type, str)
}
