//! C interface: filter list.

use super::boundary::{In, InConst, Out, OutHandle, capi_return_t, free, pending};
use super::handles::{tiledb_ctx_t, tiledb_filter_list_t, tiledb_filter_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_add_filter(
    ctx: In<tiledb_ctx_t>,
    filter_list: In<tiledb_filter_list_t>,
    filter: In<tiledb_filter_t>,
) -> capi_return_t {
    let _ = (filter_list, filter);
    pending(ctx, "tiledb_filter_list_add_filter")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_alloc(
    ctx: In<tiledb_ctx_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> capi_return_t {
    let _ = (filter_list,);
    pending(ctx, "tiledb_filter_list_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_free(filter_list: OutHandle<tiledb_filter_list_t>) {
    free(filter_list)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_get_filter_from_index(
    ctx: In<tiledb_ctx_t>,
    filter_list: InConst<tiledb_filter_list_t>,
    index: u32,
    filter: OutHandle<tiledb_filter_t>,
) -> capi_return_t {
    let _ = (filter_list, index, filter);
    pending(ctx, "tiledb_filter_list_get_filter_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_get_max_chunk_size(
    ctx: In<tiledb_ctx_t>,
    filter_list: InConst<tiledb_filter_list_t>,
    max_chunk_size: Out<u32>,
) -> capi_return_t {
    let _ = (filter_list, max_chunk_size);
    pending(ctx, "tiledb_filter_list_get_max_chunk_size")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_get_nfilters(
    ctx: In<tiledb_ctx_t>,
    filter_list: InConst<tiledb_filter_list_t>,
    nfilters: Out<u32>,
) -> capi_return_t {
    let _ = (filter_list, nfilters);
    pending(ctx, "tiledb_filter_list_get_nfilters")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_set_max_chunk_size(
    ctx: In<tiledb_ctx_t>,
    filter_list: In<tiledb_filter_list_t>,
    max_chunk_size: u32,
) -> capi_return_t {
    let _ = (filter_list, max_chunk_size);
    pending(ctx, "tiledb_filter_list_set_max_chunk_size")
}
