//! C functions that estimate the size of query results.

use super::boundary::{In, InConst, Out, Str};
use super::call::call;
use super::handles::{tiledb_ctx_t, tiledb_query_t};
use tiledb_core::error::{Result, bail};

/// Estimates the size of the results of a read for a field with fixed-size cells that is not nullable.
///
/// The estimate takes metadata only: the tiles that the subarray intersects, weighted with the share of each that is selected.
/// For fixed-size fields of dense arrays it is exact; otherwise the actual size may be smaller or larger, so be prepared for
/// `TILEDB_INCOMPLETE`. Query conditions are not considered. Set subarray and layout first.
///
/// ```c
/// uint64_t size = 0;
/// tiledb_query_get_est_result_size(ctx, query, "a", &size);
/// int32_t *values = malloc(size);
/// tiledb_query_set_data_buffer(ctx, query, "a", values, &size);
/// ```
///
/// See also `tiledb_query_get_est_result_size_var`, `tiledb_query_get_est_result_size_nullable`,
/// `tiledb_query_get_est_result_size_var_nullable`.
///
/// @param ctx The TileDB context.
/// @param query A read query.
/// @param name The name of the field.
/// @param size Receives the size of the data buffer in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for writes, unknown fields, and fields of variable size or nullable ones.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_est_result_size(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    name: Str,
    size: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let query = query.get()?;
        let name = estimated(name, &[(size, "size")])?;
        let estimate = query.estimate(name, false, false)?;
        size.set(estimate.data)
    })
}

/// Estimates the size of the results of a read for a nullable attribute with fixed-size cells.
///
/// See `tiledb_query_get_est_result_size` for the precision.
///
/// @param ctx The TileDB context.
/// @param query A read query.
/// @param name The name of the attribute.
/// @param size_val Receives the size of the data buffer in bytes.
/// @param size_validity Receives the size of the validity buffer in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for writes, unknown fields, and fields of variable size or without nulls.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_est_result_size_nullable(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    name: Str,
    size_val: Out<u64>,
    size_validity: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let query = query.get()?;
        let name = estimated(name, &[(size_val, "value size"), (size_validity, "validity size")])?;
        let estimate = query.estimate(name, false, true)?;
        size_val.set(estimate.data)?;
        size_validity.set(estimate.validity)
    })
}

/// Estimates the size of the results of a read for a field with variable-length cells that is not nullable.
///
/// See `tiledb_query_get_est_result_size` for the precision.
///
/// @param ctx The TileDB context.
/// @param query A read query.
/// @param name The name of the field.
/// @param size_off Receives the size of the offsets buffer in bytes.
/// @param size_val Receives the size of the data buffer in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for writes, unknown fields, and fields of fixed size or nullable ones.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_est_result_size_var(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    name: Str,
    size_off: Out<u64>,
    size_val: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let query = query.get()?;
        let name = estimated(name, &[(size_off, "offset size"), (size_val, "value size")])?;
        let estimate = query.estimate(name, true, false)?;
        size_off.set(estimate.offsets)?;
        size_val.set(estimate.data)
    })
}

/// Estimates the size of the results of a read for a nullable attribute with variable-length cells.
///
/// See `tiledb_query_get_est_result_size` for the precision.
///
/// @param ctx The TileDB context.
/// @param query A read query.
/// @param name The name of the attribute.
/// @param size_off Receives the size of the offsets buffer in bytes.
/// @param size_val Receives the size of the data buffer in bytes.
/// @param size_validity Receives the size of the validity buffer in bytes.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for writes, unknown fields, and fields of fixed size or without nulls.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_est_result_size_var_nullable(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    name: Str,
    size_off: Out<u64>,
    size_val: Out<u64>,
    size_validity: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let query = query.get()?;
        let sizes = [(size_off, "offset size"), (size_val, "value size"), (size_validity, "validity size")];
        let name = estimated(name, &sizes)?;
        let estimate = query.estimate(name, true, true)?;
        size_off.set(estimate.offsets)?;
        size_val.set(estimate.data)?;
        size_validity.set(estimate.validity)
    })
}

/// The name of the field to be estimated; refuses null for it or for the place of a size.
fn estimated<'a>(name: Str<'a>, sizes: &[(Out<u64>, &str)]) -> Result<&'a str> {
    let Some(name) = name.opt()? else { bail!("C API: Pointer to field name may not be NULL") };
    match sizes.iter().find(|(size, _)| size.is_null()) {
        Some((_, what)) => bail!("C API: Pointer to {what} may not be NULL"),
        None => Ok(name),
    }
}
