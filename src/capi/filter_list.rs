//! C functions of filter lists: the filter pipelines of fields.

use super::boundary::{In, InConst, Out, OutHandle, capi_return_t};
use super::call::{call, free, make};
use super::handles::{tiledb_ctx_t, tiledb_filter_list_t, tiledb_filter_t};
use super::value::Value;
use tiledb_core::error::bail;
use tiledb_filters::filter::Pipeline;

/// Appends a filter to a filter list.
///
/// Filters run in the order in which they were added when tiles are written, and in reverse order when tiles are read. Filters
/// for values, such as delta encoding, belong before a compressor, checksums behind it. Whether the filters fit a datatype and
/// each other is checked when the list is set for an attribute or a dimension.
///
/// @param ctx The TileDB context.
/// @param filter_list The list. Attributes and dimensions for which it was set have copies and do not change.
/// @param filter The filter, which is copied with its options.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_add_filter(
    ctx: In<tiledb_ctx_t>,
    filter_list: In<tiledb_filter_list_t>,
    filter: In<tiledb_filter_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let list = filter_list.get()?;
        let filter = *filter.get()?.snapshot();
        list.change(|list| {
            list.push(filter);
            Ok(())
        })
    })
}

/// Creates an empty filter list: the pipeline of filters that tiles pass before they are stored.
///
/// Lists are set for attributes (`tiledb_attribute_set_filter_list`), dimensions (`tiledb_dimension_set_filter_list`), and for
/// coordinates, offsets and validity of a schema (`tiledb_array_schema_set_offsets_filter_list` and others). See
/// `tiledb_filter_alloc` for an example.
///
/// @param ctx The TileDB context.
/// @param filter_list Receives the list; free it with `tiledb_filter_list_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_alloc(
    ctx: In<tiledb_ctx_t>,
    filter_list: OutHandle<tiledb_filter_list_t>,
) -> capi_return_t {
    make(ctx, filter_list, |_| Ok(Value::new(Pipeline::default())))
}

/// Frees a filter list and sets the pointer to null. Attributes, dimensions and schemas for which it was set have copies.
///
/// @param filter_list The list; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_free(filter_list: OutHandle<tiledb_filter_list_t>) {
    free(filter_list)
}

/// Returns a copy of a filter of a list.
///
/// @param ctx The TileDB context.
/// @param filter_list The list.
/// @param index The position, from 0.
/// @param filter Receives the filter, to be freed with `tiledb_filter_free`; null for an index out of bounds.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_get_filter_from_index(
    ctx: In<tiledb_ctx_t>,
    filter_list: InConst<tiledb_filter_list_t>,
    index: u32,
    filter: OutHandle<tiledb_filter_t>,
) -> capi_return_t {
    make(ctx, filter, |_| {
        let list = filter_list.get()?.snapshot();
        match list.filters().get(index as usize) {
            Some(&filter) => Ok(Value::new(filter)),
            None => bail!("C API: Filter {index} out of bounds, filter list has {} filters.", list.filters().len()),
        }
    })
}

/// Returns the maximum chunk size that is stored with a filter list; see `tiledb_filter_list_set_max_chunk_size`.
///
/// @param ctx The TileDB context.
/// @param filter_list The list.
/// @param max_chunk_size Receives bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_get_max_chunk_size(
    ctx: In<tiledb_ctx_t>,
    filter_list: InConst<tiledb_filter_list_t>,
    max_chunk_size: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| max_chunk_size.set(filter_list.get()?.snapshot().max_chunk_size()))
}

/// Returns the number of filters.
///
/// @param ctx The TileDB context.
/// @param filter_list The list.
/// @param nfilters Receives the number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_get_nfilters(
    ctx: In<tiledb_ctx_t>,
    filter_list: InConst<tiledb_filter_list_t>,
    nfilters: Out<u32>,
) -> capi_return_t {
    call(ctx, |_| nfilters.set(filter_list.get()?.snapshot().filters().len() as u32))
}

/// Sets the maximum size of the chunks that a filter list splits tiles into.
///
/// The value is stored with the list. Filters run on chunks of 64 KiB whatever the value is, except for 0, which makes each
/// tile one chunk.
///
/// @param ctx The TileDB context.
/// @param filter_list The list.
/// @param max_chunk_size The size in bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_filter_list_set_max_chunk_size(
    ctx: In<tiledb_ctx_t>,
    filter_list: In<tiledb_filter_list_t>,
    max_chunk_size: u32,
) -> capi_return_t {
    call(ctx, |_| {
        filter_list.get()?.change(|list| {
            list.set_max_chunk_size(max_chunk_size);
            Ok(())
        })
    })
}
