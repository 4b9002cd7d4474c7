//! C interface: current domain.

use super::boundary::{In, Out, OutHandle, capi_return_t, free_checked, pending};
use super::enums::tiledb_current_domain_type_t;
use super::handles::{tiledb_ctx_t, tiledb_current_domain_t, tiledb_ndrectangle_t, tiledb_string_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_create(
    ctx: In<tiledb_ctx_t>,
    current_domain: OutHandle<tiledb_current_domain_t>,
) -> capi_return_t {
    let _ = (current_domain,);
    pending(ctx, "tiledb_current_domain_create")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_dump_str(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    out: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    let _ = (current_domain, out);
    pending(ctx, "tiledb_current_domain_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_free(current_domain: OutHandle<tiledb_current_domain_t>) -> capi_return_t {
    free_checked(current_domain)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_get_is_empty(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    is_empty: Out<u32>,
) -> capi_return_t {
    let _ = (current_domain, is_empty);
    pending(ctx, "tiledb_current_domain_get_is_empty")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_get_ndrectangle(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    ndr: OutHandle<tiledb_ndrectangle_t>,
) -> capi_return_t {
    let _ = (current_domain, ndr);
    pending(ctx, "tiledb_current_domain_get_ndrectangle")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_get_type(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    r#type: Out<tiledb_current_domain_type_t>,
) -> capi_return_t {
    let _ = (current_domain, r#type);
    pending(ctx, "tiledb_current_domain_get_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_current_domain_set_ndrectangle(
    ctx: In<tiledb_ctx_t>,
    current_domain: In<tiledb_current_domain_t>,
    ndr: In<tiledb_ndrectangle_t>,
) -> capi_return_t {
    let _ = (current_domain, ndr);
    pending(ctx, "tiledb_current_domain_set_ndrectangle")
}
