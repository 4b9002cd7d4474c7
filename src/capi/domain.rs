//! C interface: domain.

use super::boundary::{In, InConst, Out, OutHandle, Str, free, pending};
use super::enums::tiledb_datatype_t;
use super::handles::{tiledb_ctx_t, tiledb_dimension_t, tiledb_domain_t, tiledb_string_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_add_dimension(
    ctx: In<tiledb_ctx_t>,
    domain: In<tiledb_domain_t>,
    dim: In<tiledb_dimension_t>,
) -> i32 {
    let _ = (domain, dim);
    pending(ctx, "tiledb_domain_add_dimension")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_alloc(ctx: In<tiledb_ctx_t>, domain: OutHandle<tiledb_domain_t>) -> i32 {
    let _ = (domain,);
    pending(ctx, "tiledb_domain_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_dump_str(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    out: OutHandle<tiledb_string_t>,
) -> i32 {
    let _ = (domain, out);
    pending(ctx, "tiledb_domain_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_free(domain: OutHandle<tiledb_domain_t>) {
    free(domain)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_get_dimension_from_index(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    index: u32,
    dim: OutHandle<tiledb_dimension_t>,
) -> i32 {
    let _ = (domain, index, dim);
    pending(ctx, "tiledb_domain_get_dimension_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_get_dimension_from_name(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    name: Str,
    dim: OutHandle<tiledb_dimension_t>,
) -> i32 {
    let _ = (domain, name, dim);
    pending(ctx, "tiledb_domain_get_dimension_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_get_ndim(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    ndim: Out<u32>,
) -> i32 {
    let _ = (domain, ndim);
    pending(ctx, "tiledb_domain_get_ndim")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_get_type(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    r#type: Out<tiledb_datatype_t>,
) -> i32 {
    let _ = (domain, r#type);
    pending(ctx, "tiledb_domain_get_type")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_domain_has_dimension(
    ctx: In<tiledb_ctx_t>,
    domain: InConst<tiledb_domain_t>,
    name: Str,
    has_dim: Out<i32>,
) -> i32 {
    let _ = (domain, name, has_dim);
    pending(ctx, "tiledb_domain_has_dimension")
}
