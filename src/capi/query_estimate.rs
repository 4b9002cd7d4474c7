//! Estimates of the size of results.

use super::boundary::{In, InConst, Out, Str};
use super::call::call;
use super::handles::{tiledb_ctx_t, tiledb_query_t};
use tiledb_core::error::{Result, bail};

/// Estimates how large the results of a read are for a field with fixed cells.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param size The bytes of the cells.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Estimates how large the results of a read are for a field with fixed cells that may be null.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param size_val The bytes of the values.
/// @param size_validity The bytes of the validity of the cells.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Estimates how large the results of a read are for a field with variable cells.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param size_off The bytes of the offsets.
/// @param size_val The bytes of the values.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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

/// Estimates how large the results of a read are for a field with variable cells that may be null.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param name The name of the field.
/// @param size_off The bytes of the offsets.
/// @param size_val The bytes of the values.
/// @param size_validity The bytes of the validity of the cells.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
