//! Array schemas: what defines an array.

use super::boundary::{CEnum, In, InConst, Out, OutHandle, Str, capi_return_t};
use super::call::{call, free, make};
use super::enum_text::value_of;
use super::enums::{tiledb_array_type_t, tiledb_layout_t};
use super::handles::{
    tiledb_array_schema_t, tiledb_attribute_t, tiledb_ctx_t, tiledb_current_domain_t, tiledb_domain_t, tiledb_string_t,
};
use super::schema_object::SchemaObject;
use super::string::Text;
use std::ffi::c_int;
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::bail;

/// Appends an attribute.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param attr The attribute; the schema shares it: what is set later is set in the schema, too.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_add_attribute(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    attr: In<tiledb_attribute_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        schema.add_attribute(attr.get()?.share())
    })
}

/// Creates a schema without domain and attributes.
///
/// @param ctx The TileDB context.
/// @param array_type Dense or sparse.
/// @param array_schema The schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_alloc(
    ctx: In<tiledb_ctx_t>,
    array_type: CEnum<tiledb_array_type_t>,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |_| Ok(SchemaObject::owning(ArraySchema::of_number(array_type.number(), None))))
}

/// Creates a schema without domain and attributes, with the time it is stored under.
///
/// @param ctx The TileDB context.
/// @param array_type Dense or sparse.
/// @param timestamp Milliseconds since 1970, not 0.
/// @param array_schema The schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_alloc_at_timestamp(
    ctx: In<tiledb_ctx_t>,
    array_type: CEnum<tiledb_array_type_t>,
    timestamp: u64,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |_| {
        if timestamp == 0 {
            bail!("C API: timestamp cannot be 0");
        }
        Ok(SchemaObject::owning(ArraySchema::of_number(array_type.number(), Some(timestamp))))
    })
}

/// Checks that an array can be made of a schema.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_check(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
) -> capi_return_t {
    call(ctx, |_| array_schema.get()?.snapshot().check())
}

/// Gives a schema as text.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param out The text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_dump_str(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    out: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    make(ctx, out, |_| Ok(Text::new(array_schema.get()?.snapshot().dump())))
}

/// Frees a schema and sets the pointer to null.
///
/// @param array_schema The schema.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_free(array_schema: OutHandle<tiledb_array_schema_t>) {
    free(array_schema)
}

/// Tells whether several cells may have the same coordinates.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param allows_dups 1 if they may, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_allows_dups(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    allows_dups: Out<c_int>,
) -> capi_return_t {
    call(ctx, |_| allows_dups.set(array_schema.get()?.snapshot().allows_dups().into()))
}

/// Tells whether an array is dense or sparse.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param array_type The type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_array_type(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    array_type: Out<tiledb_array_type_t>,
) -> capi_return_t {
    call(ctx, |_| array_type.set(value_of(array_schema.get()?.snapshot().array_type().number())?))
}

/// Gives an attribute by its position.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param index The position, from 0.
/// @param attr The attribute, shared with the schema, to be freed with `tiledb_attribute_free`; null if the schema
///     has no attributes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_attribute_from_index(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    index: u32,
    attr: OutHandle<tiledb_attribute_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        attr.check()?;
        match (schema.attribute(index as usize), schema.attribute_num()) {
            (Some(attribute), _) => attr.set(attribute),
            (None, 0) => attr.set_null(),
            (None, count) => {
                bail!("C API: Attribute index: {index} out of bounds given {count} attributes in array ")
            }
        }
    })
}

/// Gives an attribute by its name.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param name The name.
/// @param attr The attribute, shared with the schema, to be freed with `tiledb_attribute_free`; null if the schema
///     has no attributes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_attribute_from_name(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    name: Str,
    attr: OutHandle<tiledb_attribute_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        let Some(name) = name.opt()? else { bail!("C API: 'attribute_name' must not be null") };
        match schema.attribute_named(name) {
            Some(attribute) => attr.set(attribute),
            None if schema.attribute_num() == 0 => attr.set_null(),
            None => bail!("C API: Attribute name: {name} does not exist for array "),
        }
    })
}

/// Gives the number of attributes.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param attribute_num The number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_attribute_num(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    attribute_num: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| attribute_num.set(array_schema.get()?.attribute_num() as u32))
}

/// Gives the number of cells per tile of sparse arrays.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param capacity The number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_capacity(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    capacity: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| capacity.set(array_schema.get()?.snapshot().capacity()))
}

/// Gives the order of cells within tiles.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param cell_order The order.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_cell_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    cell_order: Out<tiledb_layout_t>,
) -> capi_return_t {
    call(ctx, |_| cell_order.set(value_of(array_schema.get()?.snapshot().cell_order().number())?))
}

/// Gives the current domain.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param current_domain The current domain, shared with the schema, to be freed with `tiledb_current_domain_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_current_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    current_domain: OutHandle<tiledb_current_domain_t>,
) -> capi_return_t {
    make(ctx, current_domain, |_| Ok(array_schema.get()?.current_domain()))
}

/// Gives the domain.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param domain The domain, shared with the schema, to be freed with `tiledb_domain_free`; without dimensions if
///     none was set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    domain: OutHandle<tiledb_domain_t>,
) -> capi_return_t {
    make(ctx, domain, |_| Ok(array_schema.get()?.domain()))
}

/// Gives the order of tiles.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param tile_order The order.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_tile_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    tile_order: Out<tiledb_layout_t>,
) -> capi_return_t {
    call(ctx, |_| tile_order.set(value_of(array_schema.get()?.snapshot().tile_order().number())?))
}

/// Gives the version of the format a schema was stored in; the current one for a new schema.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param version The version.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_version(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    version: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| version.set(array_schema.get()?.snapshot().version().number()))
}

/// Tells whether there is an attribute of this name.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param name The name.
/// @param has_attr 1 if there is, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_has_attribute(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    name: Str,
    has_attr: Out<i32>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        has_attr.set(schema.attribute_named(name.get("name")?).is_some().into())
    })
}

/// Sets whether several cells of a sparse array may have the same coordinates.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param allows_dups 1 if they may, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_allows_dups(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    allows_dups: c_int,
) -> capi_return_t {
    call(ctx, |_| array_schema.get()?.change(|schema| schema.set_allows_dups(allows_dups != 0)))
}

/// Sets the number of cells per tile of sparse arrays.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param capacity The number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_capacity(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    capacity: u64,
) -> capi_return_t {
    call(ctx, |_| array_schema.get()?.change(|schema| schema.set_capacity(capacity)))
}

/// Sets the order of cells within tiles.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param cell_order The order.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_cell_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    cell_order: CEnum<tiledb_layout_t>,
) -> capi_return_t {
    call(ctx, |_| array_schema.get()?.change(|schema| schema.set_cell_order_number(cell_order.number())))
}

/// Sets the current domain.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param current_domain The current domain; the schema shares it: what is set later is set in the schema, too.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_current_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    current_domain: In<tiledb_current_domain_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        schema.set_current_domain(current_domain.get()?.share())
    })
}

/// Sets the domain. Numeric dimensions without a tile extent get their whole domain as one tile, unless the order of
/// cells is `TILEDB_HILBERT` by then.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param domain The domain; the schema shares it: what is added later is added in the schema, too.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    domain: In<tiledb_domain_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let schema = array_schema.get()?;
        schema.set_domain(domain.get()?.share())
    })
}

/// Sets the order of tiles.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param tile_order The order.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_tile_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    tile_order: CEnum<tiledb_layout_t>,
) -> capi_return_t {
    call(ctx, |_| array_schema.get()?.change(|schema| schema.set_tile_order_number(tile_order.number())))
}

/// Gives the span of time a schema is stored under.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param lo The start, in milliseconds since 1970.
/// @param hi The end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_timestamp_range(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    lo: Out<u64>,
    hi: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        let (start, end) = array_schema.get()?.snapshot().schema_name().timestamps();
        hi.check()?;
        lo.set(start)?;
        hi.set(end)
    })
}
