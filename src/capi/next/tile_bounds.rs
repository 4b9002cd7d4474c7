//! Global-order bounds of tiles.

use crate::boundary::{BufferArray, In, Out, capi_return_t};
use crate::call::call;
use crate::handles::{tiledb_ctx_t, tiledb_fragment_info_t};
use tiledb_array::array::TileBound;
use tiledb_core::error::{Result, bail};

/// Returns the coordinates of a bound of a tile, by fragment and number, and their sizes.
fn put_bound(
    info: In<tiledb_fragment_info_t>,
    (fragment, tile): (u32, u32),
    bound: TileBound,
    sizes: Out<usize>,
    buffers: BufferArray,
) -> Result<()> {
    let info = info.get()?;
    buffers.check()?;
    let loaded = info.loaded()?;
    let coordinates = loaded.tile_bound(fragment, tile, bound)?;
    if let Some(coordinate) = coordinates.iter().find(|coordinate| coordinate.dimension.is_var())
        && sizes.is_null()
    {
        let name = coordinate.dimension.name();
        bail!(
            "FragmentInfo: Cannot get MBR global order bound: Variable-length dimension requires non-NULL dimension_sizes \
             argument: the dimension is '{name}'"
        );
    }
    for (index, coordinate) in coordinates.iter().enumerate() {
        sizes.nth(index).set_if_wanted(coordinate.value.len());
        buffers.fill(index, coordinate.value);
    }
    Ok(())
}

/// Returns the coordinates of the first cell of a tile of a sparse fragment, in global order.
///
/// Only fragments of format version 23 or later contain these coordinates; `sm.write_format_version` selects the version. The
/// sizes of variable-length dimensions are unknown at first: call the function with null instead of their buffers, allocate
/// what `dimension_sizes` tells, and call it again.
///
/// ```c
/// size_t sizes[2];
/// int32_t row;
/// void *buffers[2] = {&row, NULL};
/// tiledb_fragment_info_get_global_order_lower_bound(ctx, fragment_info, 0, 0, sizes, buffers);
/// buffers[1] = malloc(sizes[1]);
/// tiledb_fragment_info_get_global_order_lower_bound(ctx, fragment_info, 0, 0, sizes, buffers);
/// ```
///
/// Declared by libtiledb's development version 2.31, which may change it.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info object, loaded.
/// @param fragment_id The index of the fragment.
/// @param mbr_id The index of the tile, which is that of its bounding box.
/// @param dimension_sizes Receives the size of each coordinate in bytes, one entry per dimension. Null is allowed if no
///     dimension has variable length.
/// @param dimensions The buffers for the coordinates, one per dimension, each large enough for its coordinate. Those that are
///     null are not filled.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, an index is out of range, the fragment is dense
///     or does not contain the coordinates, or a null pointer is not allowed.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_global_order_lower_bound(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fragment_id: u32,
    mbr_id: u32,
    dimension_sizes: Out<usize>,
    dimensions: BufferArray,
) -> capi_return_t {
    call(ctx, |_| put_bound(fragment_info, (fragment_id, mbr_id), TileBound::Lower, dimension_sizes, dimensions))
}

/// Returns the coordinates of the last cell of a tile of a sparse fragment, in global order.
///
/// Only fragments of format version 23 or later contain these coordinates; `sm.write_format_version` selects the version. The
/// sizes of variable-length dimensions are unknown at first: call the function with null instead of their buffers, allocate
/// what `dimension_sizes` tells, and call it again.
///
/// ```c
/// size_t sizes[2];
/// int32_t row;
/// void *buffers[2] = {&row, NULL};
/// tiledb_fragment_info_get_global_order_upper_bound(ctx, fragment_info, 0, 0, sizes, buffers);
/// buffers[1] = malloc(sizes[1]);
/// tiledb_fragment_info_get_global_order_upper_bound(ctx, fragment_info, 0, 0, sizes, buffers);
/// ```
///
/// Declared by libtiledb's development version 2.31, which may change it.
///
/// @param ctx The TileDB context.
/// @param fragment_info The fragment info object, loaded.
/// @param fragment_id The index of the fragment.
/// @param mbr_id The index of the tile, which is that of its bounding box.
/// @param dimension_sizes Receives the size of each coordinate in bytes, one entry per dimension. Null is allowed if no
///     dimension has variable length.
/// @param dimensions The buffers for the coordinates, one per dimension, each large enough for its coordinate. Those that are
///     null are not filled.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, an index is out of range, the fragment is dense
///     or does not contain the coordinates, or a null pointer is not allowed.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_fragment_info_get_global_order_upper_bound(
    ctx: In<tiledb_ctx_t>,
    fragment_info: In<tiledb_fragment_info_t>,
    fragment_id: u32,
    mbr_id: u32,
    dimension_sizes: Out<usize>,
    dimensions: BufferArray,
) -> capi_return_t {
    call(ctx, |_| put_bound(fragment_info, (fragment_id, mbr_id), TileBound::Upper, dimension_sizes, dimensions))
}
