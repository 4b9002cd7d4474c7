//! C interface: fragment info.

use super::boundary::{Buffer, CFile, In, InConst, Out, OutHandle, OutStr, Str, capi_return_t, free, pending};
use super::handles::{tiledb_array_schema_t, tiledb_config_t, tiledb_ctx_t, tiledb_fragment_info_t, tiledb_string_t};

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_alloc(
    ctx: In<tiledb_ctx_t>,
    array_uri: Str,
    fragment_info: OutHandle<tiledb_fragment_info_t>,
) -> capi_return_t {
    let _ = (array_uri, fragment_info);
    pending(ctx, "tiledb_fragment_info_alloc")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_dump(
    ctx: In<tiledb_ctx_t>,
    fragment_info: InConst<tiledb_fragment_info_t>,
    out: CFile,
) -> capi_return_t {
    let _ = (fragment_info, out);
    pending(ctx, "tiledb_fragment_info_dump")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_dump_str(
    ctx: In<tiledb_ctx_t>,
    fragment_info: InConst<tiledb_fragment_info_t>,
    out: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    let _ = (fragment_info, out);
    pending(ctx, "tiledb_fragment_info_dump_str")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_free(fragment_info: OutHandle<tiledb_fragment_info_t>) {
    free(fragment_info)
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_array_schema(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    let _ = (fragment_info, fid, array_schema);
    pending(ctx, "tiledb_fragment_info_get_array_schema")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_array_schema_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    schema_name: OutStr,
) -> capi_return_t {
    let _ = (fragment_info, fid, schema_name);
    pending(ctx, "tiledb_fragment_info_get_array_schema_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_cell_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    cell_num: Out<u64>,
) -> capi_return_t {
    let _ = (fragment_info, fid, cell_num);
    pending(ctx, "tiledb_fragment_info_get_cell_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_config(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    config: OutHandle<tiledb_config_t>,
) -> capi_return_t {
    let _ = (fragment_info, config);
    pending(ctx, "tiledb_fragment_info_get_config")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_dense(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    dense: Out<i32>,
) -> capi_return_t {
    let _ = (fragment_info, fid, dense);
    pending(ctx, "tiledb_fragment_info_get_dense")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_fragment_name_v2(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    name: OutHandle<tiledb_string_t>,
) -> capi_return_t {
    let _ = (fragment_info, fid, name);
    pending(ctx, "tiledb_fragment_info_get_fragment_name_v2")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_fragment_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fragment_num: Out<u32>,
) -> capi_return_t {
    let _ = (fragment_info, fragment_num);
    pending(ctx, "tiledb_fragment_info_get_fragment_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_fragment_size(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    size: Out<u64>,
) -> capi_return_t {
    let _ = (fragment_info, fid, size);
    pending(ctx, "tiledb_fragment_info_get_fragment_size")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_fragment_uri(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    uri: OutStr,
) -> capi_return_t {
    let _ = (fragment_info, fid, uri);
    pending(ctx, "tiledb_fragment_info_get_fragment_uri")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mid: u32,
    did: u32,
    mbr: Buffer,
) -> capi_return_t {
    let _ = (fragment_info, fid, mid, did, mbr);
    pending(ctx, "tiledb_fragment_info_get_mbr_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mid: u32,
    dim_name: Str,
    mbr: Buffer,
) -> capi_return_t {
    let _ = (fragment_info, fid, mid, dim_name, mbr);
    pending(ctx, "tiledb_fragment_info_get_mbr_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mbr_num: Out<u64>,
) -> capi_return_t {
    let _ = (fragment_info, fid, mbr_num);
    pending(ctx, "tiledb_fragment_info_get_mbr_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_var_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mid: u32,
    did: u32,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    let _ = (fragment_info, fid, mid, did, start, end);
    pending(ctx, "tiledb_fragment_info_get_mbr_var_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_var_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mid: u32,
    dim_name: Str,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    let _ = (fragment_info, fid, mid, dim_name, start, end);
    pending(ctx, "tiledb_fragment_info_get_mbr_var_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mid: u32,
    did: u32,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    let _ = (fragment_info, fid, mid, did, start_size, end_size);
    pending(ctx, "tiledb_fragment_info_get_mbr_var_size_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mid: u32,
    dim_name: Str,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    let _ = (fragment_info, fid, mid, dim_name, start_size, end_size);
    pending(ctx, "tiledb_fragment_info_get_mbr_var_size_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    did: u32,
    domain: Buffer,
) -> capi_return_t {
    let _ = (fragment_info, fid, did, domain);
    pending(ctx, "tiledb_fragment_info_get_non_empty_domain_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    dim_name: Str,
    domain: Buffer,
) -> capi_return_t {
    let _ = (fragment_info, fid, dim_name, domain);
    pending(ctx, "tiledb_fragment_info_get_non_empty_domain_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    did: u32,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    let _ = (fragment_info, fid, did, start, end);
    pending(ctx, "tiledb_fragment_info_get_non_empty_domain_var_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    dim_name: Str,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    let _ = (fragment_info, fid, dim_name, start, end);
    pending(ctx, "tiledb_fragment_info_get_non_empty_domain_var_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    did: u32,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    let _ = (fragment_info, fid, did, start_size, end_size);
    pending(ctx, "tiledb_fragment_info_get_non_empty_domain_var_size_from_index")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    dim_name: Str,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    let _ = (fragment_info, fid, dim_name, start_size, end_size);
    pending(ctx, "tiledb_fragment_info_get_non_empty_domain_var_size_from_name")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_sparse(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    sparse: Out<i32>,
) -> capi_return_t {
    let _ = (fragment_info, fid, sparse);
    pending(ctx, "tiledb_fragment_info_get_sparse")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_timestamp_range(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    start: Out<u64>,
    end: Out<u64>,
) -> capi_return_t {
    let _ = (fragment_info, fid, start, end);
    pending(ctx, "tiledb_fragment_info_get_timestamp_range")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_to_vacuum_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    to_vacuum_num: Out<u32>,
) -> capi_return_t {
    let _ = (fragment_info, to_vacuum_num);
    pending(ctx, "tiledb_fragment_info_get_to_vacuum_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_to_vacuum_uri(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    uri: OutStr,
) -> capi_return_t {
    let _ = (fragment_info, fid, uri);
    pending(ctx, "tiledb_fragment_info_get_to_vacuum_uri")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_total_cell_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    count: Out<u64>,
) -> capi_return_t {
    let _ = (fragment_info, count);
    pending(ctx, "tiledb_fragment_info_get_total_cell_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_unconsolidated_metadata_num(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    unconsolidated: Out<u32>,
) -> capi_return_t {
    let _ = (fragment_info, unconsolidated);
    pending(ctx, "tiledb_fragment_info_get_unconsolidated_metadata_num")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_version(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    version: Out<u32>,
) -> capi_return_t {
    let _ = (fragment_info, fid, version);
    pending(ctx, "tiledb_fragment_info_get_version")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_has_consolidated_metadata(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    has: Out<i32>,
) -> capi_return_t {
    let _ = (fragment_info, fid, has);
    pending(ctx, "tiledb_fragment_info_has_consolidated_metadata")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_load(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
) -> capi_return_t {
    let _ = (fragment_info,);
    pending(ctx, "tiledb_fragment_info_load")
}

#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_set_config(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    config: In<tiledb_config_t>,
) -> capi_return_t {
    let _ = (fragment_info, config);
    pending(ctx, "tiledb_fragment_info_set_config")
}
