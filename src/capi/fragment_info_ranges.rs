//! C functions of fragment info: non-empty domains and bounding boxes.

use super::boundary::{Buffer, In, Out, Str, capi_return_t};
use super::call::call;
use super::handles::{tiledb_ctx_t, tiledb_fragment_info_t};
use super::range_out::{check_buffers, put_fixed, put_sizes, put_var};
use tiledb_array::array::{InfoSelector, Sides};
use tiledb_core::error::Result;
use tiledb_core::types::CellRange;

/// Whose range: a bounding box, by fragment and number, or a fragment.
#[derive(Clone, Copy)]
enum Of {
    Box(u32, u32),
    Domain(u32),
}

/// A fragment info handle as it arrives.
type Info = In<tiledb_fragment_info_t>;

/// The range in a dimension.
fn range(info: Info, of: Of, dimension: InfoSelector, wanted: Sides) -> Result<CellRange> {
    let loaded = info.get()?.loaded()?;
    match of {
        Of::Box(fragment, number) => loaded.box_range(fragment, number, dimension, wanted),
        Of::Domain(fragment) => loaded.domain_range(fragment, dimension, wanted),
    }
}

fn fixed(info: Info, of: Of, dimension: InfoSelector, ends: Buffer) -> Result<()> {
    check_buffers(&[&ends])?;
    put_fixed(&range(info, of, dimension, Sides::Fixed)?, ends)
}

fn var(info: Info, of: Of, dimension: InfoSelector, (start, end): (Buffer, Buffer)) -> Result<()> {
    check_buffers(&[&start, &end])?;
    put_var(&range(info, of, dimension, Sides::Var)?, start, end)
}

fn sizes(info: Info, of: Of, dimension: InfoSelector, (start, end): (Out<u64>, Out<u64>)) -> Result<()> {
    start.check()?;
    end.check()?;
    put_sizes(Some(&range(info, of, dimension, Sides::VarSize)?), start, end)
}

/// Returns the range of a bounding box of a fragment in a fixed-size dimension.
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
    call(ctx, |_| fixed(fragment_info, Of::Box(fid, mid), InfoSelector::Index(did), mbr))
}

/// Returns the range of a bounding box of a fragment in a fixed-size dimension.
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
    call(ctx, |_| fixed(fragment_info, Of::Box(fid, mid), InfoSelector::Name(dim_name.opt()?), mbr))
}

/// Returns the range of a bounding box of a fragment in a string dimension.
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
    call(ctx, |_| var(fragment_info, Of::Box(fid, mid), InfoSelector::Index(did), (start, end)))
}

/// Returns the range of a bounding box of a fragment in a string dimension.
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
    call(ctx, |_| var(fragment_info, Of::Box(fid, mid), InfoSelector::Name(dim_name.opt()?), (start, end)))
}

/// Returns the sizes of the ends of the range of a bounding box of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param mid The index of the box.
/// @param did The index of the dimension.
/// @param start_size Receives the size of the low end in bytes.
/// @param end_size Receives the size of the high end.
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
    call(ctx, |_| sizes(fragment_info, Of::Box(fid, mid), InfoSelector::Index(did), (start_size, end_size)))
}

/// Returns the sizes of the ends of the range of a bounding box of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param mid The index of the box.
/// @param dim_name The name of the dimension.
/// @param start_size Receives the size of the low end in bytes.
/// @param end_size Receives the size of the high end.
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
    call(ctx, |_| sizes(fragment_info, Of::Box(fid, mid), InfoSelector::Name(dim_name.opt()?), (start_size, end_size)))
}

/// Returns the range of all cells of a fragment in a fixed-size dimension.
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
    call(ctx, |_| fixed(fragment_info, Of::Domain(fid), InfoSelector::Index(did), domain))
}

/// Returns the range of all cells of a fragment in a fixed-size dimension.
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
    call(ctx, |_| fixed(fragment_info, Of::Domain(fid), InfoSelector::Name(dim_name.opt()?), domain))
}

/// Returns the range of all cells of a fragment in a string dimension.
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
    call(ctx, |_| var(fragment_info, Of::Domain(fid), InfoSelector::Index(did), (start, end)))
}

/// Returns the range of all cells of a fragment in a string dimension.
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
    call(ctx, |_| var(fragment_info, Of::Domain(fid), InfoSelector::Name(dim_name.opt()?), (start, end)))
}

/// Returns the sizes of the ends of the range of all cells of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param did The index of the dimension.
/// @param start_size Receives the size of the low end in bytes.
/// @param end_size Receives the size of the high end.
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
    call(ctx, |_| sizes(fragment_info, Of::Domain(fid), InfoSelector::Index(did), (start_size, end_size)))
}

/// Returns the sizes of the ends of the range of all cells of a fragment in a string dimension.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment.
/// @param dim_name The name of the dimension.
/// @param start_size Receives the size of the low end in bytes.
/// @param end_size Receives the size of the high end.
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
    call(ctx, |_| sizes(fragment_info, Of::Domain(fid), InfoSelector::Name(dim_name.opt()?), (start_size, end_size)))
}
