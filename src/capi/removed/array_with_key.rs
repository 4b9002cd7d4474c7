//! Operations on encrypted arrays with the key as an argument.
//!
//! The key is any bytes, unlike that of a configuration. It overrides the one of the configuration.

use crate::array_args::{create_from, load_schema, uri_of, uri_to_consolidate};
use crate::boundary::{Bytes, CEnum, In, InConst, OutHandle, Str};
use crate::call::{call, make};
use crate::enums::tiledb_encryption_type_t;
use crate::handles::{tiledb_array_schema_t, tiledb_config_t, tiledb_ctx_t};
use tiledb::interop;
use tiledb::location::Location;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::EncryptionType;
use tiledb_storage::resources::Resources;

/// What an operation works with, and the key of the arguments, which stands in its configuration too.
fn with_key(
    resources: &Resources,
    kind: CEnum<tiledb_encryption_type_t>,
    key: Bytes,
    length: u32,
) -> Result<Resources> {
    let kind = EncryptionType::from_number(kind.number())?;
    let bytes = match key.opt("encryption_key", u64::from(length))? {
        Some(bytes) => bytes,
        None if length == 0 => &[],
        None => bail!("Encryption key: the key is null, its length {length}: pass the key, or 0"),
    };
    interop::with_key(resources, kind, bytes)
}

/// Creates an empty array with a schema, encrypted with a key.
///
/// Removed in 2.26; use `tiledb_array_create` with `sm.encryption_type` and `sm.encryption_key` in the configuration of the
/// context.
///
/// @param ctx The TileDB context. The encryption key in its configuration is ignored.
/// @param array_uri The URI or path of the new array.
/// @param array_schema The schema, which must pass `tiledb_array_schema_check`. The array has its own copy.
/// @param encryption_type `TILEDB_AES_256_GCM`, or `TILEDB_NO_ENCRYPTION` for an array that is not encrypted.
/// @param encryption_key The bytes of the key, which are copied; may be null without encryption.
/// @param key_length The length of the key in bytes: 32 for `TILEDB_AES_256_GCM`, 0 for `TILEDB_NO_ENCRYPTION`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the key does not fit the type, there is an array already, the schema is
///     invalid, or storage fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_create_with_key(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    array_schema: InConst<tiledb_array_schema_t>,
    encryption_type: CEnum<tiledb_encryption_type_t>,
    encryption_key: Bytes,
    key_length: u32,
) -> i32 {
    call(ctx, |context| {
        let schema = array_schema.get()?;
        let uri = uri_of(array_uri)?;
        let resources = with_key(context.resources(), encryption_type, encryption_key, key_length)?;
        create_from(&schema, &resources, &uri)
    })
}

/// Consolidates an encrypted array, as `tiledb_array_consolidate` does.
///
/// Removed in 2.26; use `tiledb_array_consolidate` with `sm.encryption_type` and `sm.encryption_key` in the configuration.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI of the array.
/// @param encryption_type How the array is encrypted.
/// @param encryption_key The bytes of its key; may be null without encryption.
/// @param key_length The length of the key in bytes.
/// @param config A configuration whose parameters override those of the context, as for `tiledb_array_consolidate`; null for
///     those of the context. Encryption keys in either are ignored.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the key does not fit the type or the array, and for other errors.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_consolidate_with_key(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    encryption_type: CEnum<tiledb_encryption_type_t>,
    encryption_key: Bytes,
    key_length: u32,
    config: In<tiledb_config_t>,
) -> i32 {
    call(ctx, |context| {
        let _running = context.running();
        let array = uri_to_consolidate(array_uri)?;
        let resources = context.resources_with(config)?;
        let resources = with_key(&resources, encryption_type, encryption_key, key_length)?;
        Location::of(&array).consolidate(&resources, &mut |_| Ok(()))
    })
}

/// Loads the newest schema of an encrypted array.
///
/// Removed in 2.26; use `tiledb_array_schema_load` with `sm.encryption_type` and `sm.encryption_key` in the configuration of
/// the context.
///
/// @param ctx The TileDB context.
/// @param array_uri The URI or path of the array.
/// @param encryption_type How the array is encrypted.
/// @param encryption_key The bytes of its key; may be null without encryption.
/// @param key_length The length of the key in bytes.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, or it cannot be read with the key.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_load_with_key(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    encryption_type: CEnum<tiledb_encryption_type_t>,
    encryption_key: Bytes,
    key_length: u32,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> i32 {
    make(ctx, array_schema, |context| {
        let resources = with_key(context.resources(), encryption_type, encryption_key, key_length)?;
        load_schema(&resources, array_uri)
    })
}
