//! C functions of array schemas.

use super::boundary::{CEnum, In, InConst, Out, OutHandle, Str, capi_return_t};
use super::call::{call, free, make};
use super::context_object::Context;
use super::enum_text::value_of;
use super::enums::{tiledb_array_type_t, tiledb_layout_t};
use super::handles::{
    tiledb_array_schema_t, tiledb_attribute_t, tiledb_ctx_t, tiledb_current_domain_t, tiledb_domain_t, tiledb_string_t,
};
use super::schema_object::SchemaObject;
use super::string::Text;
use std::ffi::c_int;
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::{Result, bail};
use tiledb_core::suggestion::closest_names;

/// Appends an attribute to a schema.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param attr The attribute. The schema shares it: what is set later in the handle also changes the schema. The handle can be
///     freed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the name starts with `__`, or the attribute refers to an enumeration that
///     the schema does not have. Duplicate names are reported by `tiledb_array_schema_check`.
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

/// Creates an array schema without domain and attributes.
///
/// Defaults: row-major tile and cell order, a capacity of 10,000 cells, no duplicates, no attributes. Set a domain and add
/// attributes, then create arrays from the schema with `tiledb_array_create`. See there for an example.
///
/// @param ctx The TileDB context.
/// @param array_type `TILEDB_DENSE` if every cell of the domain has values and coordinates are implied by position;
///     `TILEDB_SPARSE` if only the cells that are written exist.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error. An unknown array type is reported by
///     `tiledb_array_schema_check`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_alloc(
    ctx: In<tiledb_ctx_t>,
    array_type: CEnum<tiledb_array_type_t>,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |ctx| new_schema(ctx, ArraySchema::of_number(array_type.number(), None)))
}

/// Creates an array schema without domain and attributes, like `tiledb_array_schema_alloc`, that is stored with a given
/// timestamp.
///
/// @param ctx The TileDB context.
/// @param array_type Dense or sparse.
/// @param timestamp Milliseconds since 1970, not 0.
/// @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_alloc_at_timestamp(
    ctx: In<tiledb_ctx_t>,
    array_type: CEnum<tiledb_array_type_t>,
    timestamp: u64,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    make(ctx, array_schema, |ctx| {
        if timestamp == 0 {
            bail!("C API: timestamp cannot be 0");
        }
        new_schema(ctx, ArraySchema::of_number(array_type.number(), Some(timestamp)))
    })
}

/// Checks whether an array can be created with a schema.
///
/// `tiledb_array_create` does the same. The rules: there is a domain; a dense array has at least one attribute and, for all
/// dimensions, one integer or date/time datatype and tile extents; names are unique; Hilbert order has at most 16 dimensions;
/// filters fit what they are applied to; a current domain has a range in each dimension, within its domain. If the context sets `sm.write_format_version`, that version must be able to express
/// the schema.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @return `TILEDB_OK` if the schema is valid; `TILEDB_ERR` with the first violated rule otherwise.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_check(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
) -> capi_return_t {
    call(ctx, |ctx| {
        let schema = array_schema.get()?.snapshot();
        schema.check()?;
        ctx.resources().config().write_format_version()?.map_or(Ok(()), |version| schema.check_version(version))
    })
}

/// The handle's object of a new schema, in the format version that the context requests.
fn new_schema(ctx: &Context, mut schema: ArraySchema) -> Result<SchemaObject> {
    if let Some(version) = ctx.resources().config().write_format_version()? {
        schema.set_version(version);
    }
    Ok(SchemaObject::owning(schema))
}

/// Returns a readable description of a schema: type, orders, capacity, filters, dimensions and attributes.
///
/// The text is meant for people; its format is that of libtiledb 2.30.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param out Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_dump_str(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    out: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    make(ctx, out, |_| Ok(Text::new(array_schema.get()?.snapshot().dump())))
}

/// Frees a schema handle and sets the pointer to null. Arrays that were created with the schema are not affected.
///
/// @param array_schema The schema; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_free(array_schema: OutHandle<tiledb_array_schema_t>) {
    free(array_schema)
}

/// Reports whether several cells of a sparse array may have the same coordinates.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param allows_dups Receives 1 if they may, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_allows_dups(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    allows_dups: Out<c_int>,
) -> capi_return_t {
    call(ctx, |_| allows_dups.set(array_schema.get()?.snapshot().allows_dups().into()))
}

/// Returns whether the arrays of a schema are dense or sparse.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param array_type Receives the type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_array_type(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    array_type: Out<tiledb_array_type_t>,
) -> capi_return_t {
    call(ctx, |_| array_type.set(value_of(array_schema.get()?.snapshot().array_type().number())?))
}

/// Returns an attribute of a schema by its position.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param index The position, from 0.
/// @param attr Receives the attribute, which is shared with the schema; free it with `tiledb_attribute_free`. Null if the
///     schema has no attributes at all.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the schema has attributes, but the index is out of range.
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

/// Returns an attribute of a schema by its name.
///
/// To find out whether there is such an attribute without an error, use `tiledb_array_schema_has_attribute`.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param name The name.
/// @param attr Receives the attribute, which is shared with the schema; free it with `tiledb_attribute_free`. Null if the
///     schema has no attributes at all.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the schema has attributes, but none of this name.
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
            None => {
                let schema = schema.snapshot();
                let names = closest_names(name, schema.attributes().iter().map(|attribute| &**attribute.name()));
                bail!("C API: Attribute name: {name} does not exist for array schema{names}")
            }
        }
    })
}

/// Returns the number of attributes.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param attribute_num Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_attribute_num(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    attribute_num: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| attribute_num.set(array_schema.get()?.attribute_num() as u32))
}

/// Returns the capacity: the number of cells per data tile of sparse fragments.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param capacity Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_capacity(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    capacity: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| capacity.set(array_schema.get()?.snapshot().capacity()))
}

/// Returns the order of cells within tiles.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param cell_order Receives the order.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_cell_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    cell_order: Out<tiledb_layout_t>,
) -> capi_return_t {
    call(ctx, |_| cell_order.set(value_of(array_schema.get()?.snapshot().cell_order().number())?))
}

/// Returns the current domain.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param current_domain Receives the current domain, shared with the schema, to be freed with `tiledb_current_domain_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_current_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    current_domain: OutHandle<tiledb_current_domain_t>,
) -> capi_return_t {
    make(ctx, current_domain, |_| Ok(array_schema.get()?.current_domain()))
}

/// Returns the domain of a schema.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param domain Receives the domain, which is shared with the schema; free it with `tiledb_domain_free`. It has no dimensions
///     if none was set.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    domain: OutHandle<tiledb_domain_t>,
) -> capi_return_t {
    make(ctx, domain, |_| Ok(array_schema.get()?.domain()))
}

/// Returns the order of tiles.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param tile_order Receives the order.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_tile_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    tile_order: Out<tiledb_layout_t>,
) -> capi_return_t {
    call(ctx, |_| tile_order.set(value_of(array_schema.get()?.snapshot().tile_order().number())?))
}

/// Returns the format version in which a schema is stored; for a new schema the current version.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param version Receives the version.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_get_version(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    version: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| version.set(array_schema.get()?.snapshot().version().number()))
}

/// Reports whether a schema has an attribute of this name.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param name The name.
/// @param has_attr Receives 1 if there is, else 0.
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
/// Without duplicates a later write replaces earlier cells with the same coordinates, and reads merge fragments to find the
/// latest. With duplicates all of them exist, and reads need not merge.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param allows_dups 0 (default) to disallow duplicates, otherwise 1.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if duplicates are to be allowed in a dense schema.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_allows_dups(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    allows_dups: c_int,
) -> capi_return_t {
    call(ctx, |_| array_schema.get()?.change(|schema| schema.set_allows_dups(allows_dups != 0)))
}

/// Sets the capacity of a schema: the number of cells per data tile of sparse fragments.
///
/// A tile is the unit of filtering and indexing: smaller capacities read less per lookup, larger ones compress better. Dense
/// arrays ignore it. The default is 10,000.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param capacity The number of cells; at least 1 for sparse arrays.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for 0 in a sparse schema.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_capacity(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    capacity: u64,
) -> capi_return_t {
    call(ctx, |_| array_schema.get()?.change(|schema| schema.set_capacity(capacity)))
}

/// Sets the order of the cells within a tile.
///
/// With the tile order it defines the global order, in which cells are stored.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param cell_order `TILEDB_ROW_MAJOR` (default), `TILEDB_COL_MAJOR`, or for sparse arrays `TILEDB_HILBERT`, which orders
///     cells along a Hilbert curve and ignores tile extents.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for `TILEDB_UNORDERED`, and for `TILEDB_HILBERT` in a dense schema. Unknown
///     numbers are reported by `tiledb_array_schema_check`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_cell_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    cell_order: CEnum<tiledb_layout_t>,
) -> capi_return_t {
    call(ctx, |_| array_schema.get()?.change(|schema| schema.set_cell_order_number(cell_order.number())))
}

/// Sets the current domain: the part of the domain that is in use. Writing cells or setting ranges outside of it is an error;
/// schema evolution can expand it.
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

/// Sets the domain of a schema.
///
/// Numeric dimensions without a tile extent get their whole domain as extent, unless the cell order is `TILEDB_HILBERT` by
/// then: set the cell order first.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param domain The domain with at least one dimension. The schema shares it: dimensions that are added later become part of
///     the schema. The handle can be freed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the domain has no dimensions, or a dense array cannot have them.
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

/// Sets the order of the tiles of an array.
///
/// With the cell order it defines the global order, in which cells are stored.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param tile_order `TILEDB_ROW_MAJOR` (default) or `TILEDB_COL_MAJOR`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for `TILEDB_UNORDERED` and `TILEDB_HILBERT`. Unknown numbers are reported by
///     `tiledb_array_schema_check`.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_set_tile_order(
    ctx: In<tiledb_ctx_t>,
    array_schema: In<tiledb_array_schema_t>,
    tile_order: CEnum<tiledb_layout_t>,
) -> capi_return_t {
    call(ctx, |_| array_schema.get()?.change(|schema| schema.set_tile_order_number(tile_order.number())))
}

/// Returns the timestamps with which a schema is stored.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param lo Receives the start, in milliseconds since 1970.
/// @param hi Receives the end.
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
