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
 * Appends a filter to a list; filters act in the order in which they were added.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list.
 * @param filter The filter; the list keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_add_filter(
    tiledb_ctx_t *ctx,
    tiledb_filter_list_t *filter_list,
    tiledb_filter_t *filter) TILEDB_NOEXCEPT;

/**
 * Creates a list without filters.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_alloc(
    tiledb_ctx_t *ctx,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Frees a list and sets the pointer to null.
 *
 * @param filter_list The list.
 */
TILEDB_EXPORT void tiledb_filter_list_free(tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Gives a copy of a filter of a list.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list.
 * @param index The position, from 0.
 * @param filter The filter, to be freed with `tiledb_filter_free`; null for an index out of bounds.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_get_filter_from_index(
    tiledb_ctx_t *ctx,
    const tiledb_filter_list_t *filter_list,
    uint32_t index,
    tiledb_filter_t **filter) TILEDB_NOEXCEPT;

/**
 * Gives the stored chunk size.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list.
 * @param max_chunk_size Bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_get_max_chunk_size(
    tiledb_ctx_t *ctx,
    const tiledb_filter_list_t *filter_list,
    uint32_t *max_chunk_size) TILEDB_NOEXCEPT;

/**
 * Gives the number of filters.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list.
 * @param nfilters The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_list_get_nfilters(
    tiledb_ctx_t *ctx,
    const tiledb_filter_list_t *filter_list,
    uint32_t *nfilters) TILEDB_NOEXCEPT;

/**
 * Sets the chunk size that is stored with the list. 0 makes each tile one chunk; with every other value
 * filters act on chunks of 64 KiB.
 *
 * @param ctx The TileDB context.
 * @param filter_list The list.
 * @param max_chunk_size Bytes.
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
