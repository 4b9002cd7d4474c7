/*
 * The C interface of TileDB: filter list.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_FILTER_LIST_API_EXTERNAL_H
#define TILEDB_CAPI_FILTER_LIST_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../filter/filter_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque filter list handle.
 */
typedef struct tiledb_filter_list_handle_t tiledb_filter_list_t;

/**
 * Appends a filter to a filter list.
 *
 * Filters run in the order in which they were added when tiles are written, and in reverse order when tiles are read. Filters
 * for values, such as delta encoding, belong before a compressor, checksums behind it. Whether the filters fit a datatype and
 * each other is checked when the list is set for an attribute or a dimension.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list. Attributes and dimensions for which it was set have copies and do not change.
 * @param filter The filter, which is copied with its options.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_add_filter(
    tiledb_ctx_t *ctx,
    tiledb_filter_list_t *filter_list,
    tiledb_filter_t *filter) TILEDB_NOEXCEPT;

/**
 * Creates an empty filter list: the pipeline of filters that tiles pass before they are stored.
 *
 * Lists are set for attributes (`tiledb_attribute_set_filter_list`), dimensions (`tiledb_dimension_set_filter_list`), and for
 * coordinates, offsets and validity of a schema (`tiledb_array_schema_set_offsets_filter_list` and others). See
 * `tiledb_filter_alloc` for an example.
 *
 * @param ctx The TileDB context.
 * @param filter_list Receives the list; free it with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_alloc(
    tiledb_ctx_t *ctx,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Frees a filter list and sets the pointer to null. Attributes, dimensions and schemas for which it was set have copies.
 *
 * @param filter_list The list; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_filter_list_free(tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Returns a copy of a filter of a list.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list.
 * @param index The position, from 0.
 * @param filter Receives the filter, to be freed with `tiledb_filter_free`; null for an index out of bounds.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_get_filter_from_index(
    tiledb_ctx_t *ctx,
    const tiledb_filter_list_t *filter_list,
    uint32_t index,
    tiledb_filter_t **filter) TILEDB_NOEXCEPT;

/**
 * Returns the maximum chunk size that is stored with a filter list; see `tiledb_filter_list_set_max_chunk_size`.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list.
 * @param max_chunk_size Receives bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_get_max_chunk_size(
    tiledb_ctx_t *ctx,
    const tiledb_filter_list_t *filter_list,
    uint32_t *max_chunk_size) TILEDB_NOEXCEPT;

/**
 * Returns the number of filters.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list.
 * @param nfilters Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_get_nfilters(
    tiledb_ctx_t *ctx,
    const tiledb_filter_list_t *filter_list,
    uint32_t *nfilters) TILEDB_NOEXCEPT;

/**
 * Sets the maximum size of the chunks that a filter list splits tiles into.
 *
 * The value is stored with the list. Filters run on chunks of 64 KiB whatever the value is, except for 0, which makes each
 * tile one chunk.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list.
 * @param max_chunk_size The size in bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_set_max_chunk_size(
    tiledb_ctx_t *ctx,
    tiledb_filter_list_t *filter_list,
    uint32_t max_chunk_size) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_FILTER_LIST_API_EXTERNAL_H */
