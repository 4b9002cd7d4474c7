//! C interface: ndrectangle.

use super::boundary::{In, Out, OutHandle, Str, capi_return_t, free_checked, pending};
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_ctx_t, tiledb_domain_t, tiledb_ndrectangle_t, tiledb_string_t};
use super::structs::tiledb_range_t;

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_alloc(
    ctx: In<tiledb_ctx_t>,
    domain: In<tiledb_domain_t>,
    ndr: OutHandle<tiledb_ndrectangle_t>,
) -> capi_return_t {
    let _ = (domain, ndr);
    pending(ctx, "tiledb_ndrectangle_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_dump_str(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    out: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    let _ = (ndr, out);
    pending(ctx, "tiledb_ndrectangle_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_free(ndr: OutHandle<tiledb_ndrectangle_t>) -> capi_return_t {
    free_checked(ndr)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_dim_num(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    ndim: Out<u32>,
) -> capi_return_t {
    let _ = (ndr, ndim);
    pending(ctx, "tiledb_ndrectangle_get_dim_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_dtype(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    idx: u32,
    r#type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    let _ = (ndr, idx, r#type);
    pending(ctx, "tiledb_ndrectangle_get_dtype")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_dtype_from_name(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    name: Str,
    r#type: Out<tiledb_datatype_t>,
) -> capi_return_t {
    let _ = (ndr, name, r#type);
    pending(ctx, "tiledb_ndrectangle_get_dtype_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_range(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    idx: u32,
    range: Out<tiledb_range_t>,
) -> capi_return_t {
    let _ = (ndr, idx, range);
    pending(ctx, "tiledb_ndrectangle_get_range")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_get_range_from_name(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    name: Str,
    range: Out<tiledb_range_t>,
) -> capi_return_t {
    let _ = (ndr, name, range);
    pending(ctx, "tiledb_ndrectangle_get_range_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_set_range(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    idx: u32,
    range: Out<tiledb_range_t>,
) -> capi_return_t {
    let _ = (ndr, idx, range);
    pending(ctx, "tiledb_ndrectangle_set_range")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_ndrectangle_set_range_for_name(
    ctx: In<tiledb_ctx_t>,
    ndr: In<tiledb_ndrectangle_t>,
    name: Str,
    range: Out<tiledb_range_t>,
) -> capi_return_t {
    let _ = (ndr, name, range);
    pending(ctx, "tiledb_ndrectangle_set_range_for_name")
}
