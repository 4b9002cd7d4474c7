//! C functions of the enumerations of a schema.

use super::boundary::{In, OutHandle, Str, capi_return_t};
use super::call::{call, make};
use super::handles::{tiledb_array_schema_t, tiledb_ctx_t, tiledb_enumeration_t};
use tiledb_core::error::bail;
use tiledb_core::suggestion::closest_names;

/// Adds an enumeration to a schema.
///
/// Add it before the attributes that refer to it.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param enumeration The enumeration, which the schema keeps; the handle can be freed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the schema has an enumeration of this name already.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_add_enumeration(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    enumeration: In<tiledb_enumeration_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        let enumeration = enumeration.get()?.share();
        schema.change_own(|schema| schema.add_enumeration(enumeration))
    })
}

/// Returns the enumeration that the cells of an attribute index.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param attribute_name The name of the attribute.
/// @param enumeration Receives the enumeration, to be freed with `tiledb_enumeration_free`; null if the attribute has none.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_enumeration_from_attribute_name(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    attribute_name: Str,
    enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?.snapshot();
        let name = attribute_name.get("attribute_name")?;
        let Some(attribute) = schema.attribute(name) else {
            let names = closest_names(name, schema.attributes().iter().map(|attribute| &**attribute.name()));
            bail!("C API: Attribute name: {name} does not exist for array schema{names}");
        };
        match attribute.enumeration() {
            Some(name) => enumeration.set(schema.loaded_enumeration(name)?),
            None => enumeration.set_null(),
        }
    })
}

/// Returns an enumeration of a schema by its name.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param enumeration_name The name.
/// @param enumeration Receives the enumeration, to be freed with `tiledb_enumeration_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_enumeration_from_name(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    enumeration_name: Str,
    enumeration: OutHandle<tiledb_enumeration_t>,
) -> capi_return_t {
    make(ctx, enumeration, |_| {
        array_schema.get()?.snapshot().loaded_enumeration(enumeration_name.get("enumeration_name")?)
    })
}
