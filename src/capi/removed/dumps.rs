//! Descriptions of schemas and their parts, written to a stream.

use crate::boundary::{CFile, In, InConst, capi_return_t};
use crate::call::call;
use crate::handles::{
    tiledb_array_schema_t, tiledb_attribute_t, tiledb_ctx_t, tiledb_dimension_t, tiledb_domain_t, tiledb_enumeration_t,
};

/// Writes a readable description of a schema: type, orders, capacity, filters, dimensions, attributes, enumerations and current domain.
///
/// Removed in 2.30; use `tiledb_array_schema_dump_str`, which returns the same text as a string.
///
/// @param ctx The TileDB context.
/// @param array_schema The schema.
/// @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_dump(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    out: CFile,
) -> i32 {
    call(ctx, |_| out.write(&array_schema.get()?.snapshot().dump()))
}

/// Writes a readable description of an attribute: name, type, values per cell, filters and fill value.
///
/// Removed in 2.30; use `tiledb_attribute_dump_str`, which returns the same text as a string.
///
/// @param ctx The TileDB context.
/// @param attr The attribute.
/// @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_attribute_dump(ctx: In<tiledb_ctx_t>, attr: InConst<tiledb_attribute_t>, out: CFile) -> i32 {
    call(ctx, |_| out.write(&attr.get()?.snapshot().dump()))
}

/// Writes a readable description of a dimension: name, type, values per coordinate, domain, tile extent and filters.
///
/// Removed in 2.30; use `tiledb_dimension_dump_str`, which returns the same text as a string.
///
/// @param ctx The TileDB context.
/// @param dim The dimension.
/// @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_dimension_dump(ctx: In<tiledb_ctx_t>, dim: InConst<tiledb_dimension_t>, out: CFile) -> i32 {
    call(ctx, |_| out.write(&dim.get()?.snapshot().dump()))
}

/// Writes a readable description of all dimensions of a domain.
///
/// Removed in 2.30; use `tiledb_domain_dump_str`, which returns the same text as a string.
///
/// @param ctx The TileDB context.
/// @param domain The domain.
/// @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_dump(ctx: In<tiledb_ctx_t>, domain: InConst<tiledb_domain_t>, out: CFile) -> i32 {
    call(ctx, |_| out.write(&domain.get()?.snapshot().dump()))
}

/// Writes a readable description of an enumeration: name, type, order and values.
///
/// Removed in 2.30; use `tiledb_enumeration_dump_str`, which returns the same text as a string.
///
/// @param ctx The TileDB context.
/// @param enumeration The enumeration.
/// @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_enumeration_dump(
    ctx: In<tiledb_ctx_t>,
    enumeration: In<tiledb_enumeration_t>,
    out: CFile,
) -> capi_return_t {
    call(ctx, |_| out.write(&enumeration.get()?.dump()))
}
