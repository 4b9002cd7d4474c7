//! C interface: ranges in fragment info.

use super::boundary::{Buffer, In, Out, Str, call, capi_return_t};
use super::handles::{tiledb_ctx_t, tiledb_fragment_info_t};
use super::range_out::{check_buffers, put_fixed, put_sizes, put_var};
use crate::array::{InfoSelector, Wanted};

/// Gives the range of a bounding box of a fragment in a fixed-size dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param mid The index of the box.
/// @param did The index of the dimension.
/// @param mbr Low and high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mid: u32,
    did: u32,
    mbr: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[mbr])?;
        let loaded = fragment_info.get()?.loaded()?;
        put_fixed(&loaded.box_range(fid, mid, InfoSelector::Index(did), Wanted::Fixed)?, mbr)
    })
}

/// Gives the range of a bounding box of a fragment in a fixed-size dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param mid The index of the box.
/// @param dim_name The name of the dimension.
/// @param mbr Low and high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_mbr_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    mid: u32,
    dim_name: Str,
    mbr: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[mbr])?;
        let loaded = fragment_info.get()?.loaded()?;
        put_fixed(&loaded.box_range(fid, mid, InfoSelector::Name(dim_name.opt()?), Wanted::Fixed)?, mbr)
    })
}

/// Gives the range of a bounding box of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param mid The index of the box.
/// @param did The index of the dimension.
/// @param start The low end, of the size that the size function gives.
/// @param end The high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
    call(ctx, |_| {
        check_buffers(&[start, end])?;
        let loaded = fragment_info.get()?.loaded()?;
        put_var(&loaded.box_range(fid, mid, InfoSelector::Index(did), Wanted::Var)?, start, end)
    })
}

/// Gives the range of a bounding box of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param mid The index of the box.
/// @param dim_name The name of the dimension.
/// @param start The low end, of the size that the size function gives.
/// @param end The high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
    call(ctx, |_| {
        check_buffers(&[start, end])?;
        let loaded = fragment_info.get()?.loaded()?;
        put_var(&loaded.box_range(fid, mid, InfoSelector::Name(dim_name.opt()?), Wanted::Var)?, start, end)
    })
}

/// Gives the sizes of the ends of the range of a bounding box of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param mid The index of the box.
/// @param did The index of the dimension.
/// @param start_size The size of the low end in bytes.
/// @param end_size The size of the high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
    call(ctx, |_| {
        start_size.check()?;
        end_size.check()?;
        let loaded = fragment_info.get()?.loaded()?;
        put_sizes(Some(&loaded.box_range(fid, mid, InfoSelector::Index(did), Wanted::VarSize)?), start_size, end_size)
    })
}

/// Gives the sizes of the ends of the range of a bounding box of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param mid The index of the box.
/// @param dim_name The name of the dimension.
/// @param start_size The size of the low end in bytes.
/// @param end_size The size of the high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
    call(ctx, |_| {
        start_size.check()?;
        end_size.check()?;
        let loaded = fragment_info.get()?.loaded()?;
        put_sizes(
            Some(&loaded.box_range(fid, mid, InfoSelector::Name(dim_name.opt()?), Wanted::VarSize)?),
            start_size,
            end_size,
        )
    })
}

/// Gives the range of all cells of a fragment in a fixed-size dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param did The index of the dimension.
/// @param domain Low and high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    did: u32,
    domain: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[domain])?;
        let loaded = fragment_info.get()?.loaded()?;
        put_fixed(&loaded.domain_range(fid, InfoSelector::Index(did), Wanted::Fixed)?, domain)
    })
}

/// Gives the range of all cells of a fragment in a fixed-size dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param dim_name The name of the dimension.
/// @param domain Low and high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    dim_name: Str,
    domain: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[domain])?;
        let loaded = fragment_info.get()?.loaded()?;
        put_fixed(&loaded.domain_range(fid, InfoSelector::Name(dim_name.opt()?), Wanted::Fixed)?, domain)
    })
}

/// Gives the range of all cells of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param did The index of the dimension.
/// @param start The low end, of the size that the size function gives.
/// @param end The high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    did: u32,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[start, end])?;
        let loaded = fragment_info.get()?.loaded()?;
        put_var(&loaded.domain_range(fid, InfoSelector::Index(did), Wanted::Var)?, start, end)
    })
}

/// Gives the range of all cells of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param dim_name The name of the dimension.
/// @param start The low end, of the size that the size function gives.
/// @param end The high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    dim_name: Str,
    start: Buffer,
    end: Buffer,
) -> capi_return_t {
    call(ctx, |_| {
        check_buffers(&[start, end])?;
        let loaded = fragment_info.get()?.loaded()?;
        put_var(&loaded.domain_range(fid, InfoSelector::Name(dim_name.opt()?), Wanted::Var)?, start, end)
    })
}

/// Gives the sizes of the ends of the range of all cells of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param did The index of the dimension.
/// @param start_size The size of the low end in bytes.
/// @param end_size The size of the high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    did: u32,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        start_size.check()?;
        end_size.check()?;
        let loaded = fragment_info.get()?.loaded()?;
        put_sizes(Some(&loaded.domain_range(fid, InfoSelector::Index(did), Wanted::VarSize)?), start_size, end_size)
    })
}

/// Gives the sizes of the ends of the range of all cells of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param dim_name The name of the dimension.
/// @param start_size The size of the low end in bytes.
/// @param end_size The size of the high end.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_name(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fid: u32,
    dim_name: Str,
    start_size: Out<u64>,
    end_size: Out<u64>,
) -> capi_return_t {
    call(ctx, |_| {
        start_size.check()?;
        end_size.check()?;
        let loaded = fragment_info.get()?.loaded()?;
        put_sizes(
            Some(&loaded.domain_range(fid, InfoSelector::Name(dim_name.opt()?), Wanted::VarSize)?),
            start_size,
            end_size,
        )
    })
}
