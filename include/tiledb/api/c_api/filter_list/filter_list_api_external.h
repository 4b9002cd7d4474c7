/*
 * The C interface of TileDB: filter list.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
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

TILEDB_EXPORT capi_return_t tiledb_filter_list_add_filter(
    tiledb_ctx_t *ctx,
    tiledb_filter_list_t *filter_list,
    tiledb_filter_t *filter) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_filter_list_alloc(
    tiledb_ctx_t *ctx,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_filter_list_free(tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_filter_list_get_filter_from_index(
    tiledb_ctx_t *ctx,
    const tiledb_filter_list_t *filter_list,
    uint32_t index,
    tiledb_filter_t **filter) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_filter_list_get_max_chunk_size(
    tiledb_ctx_t *ctx,
    const tiledb_filter_list_t *filter_list,
    uint32_t *max_chunk_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_filter_list_get_nfilters(
    tiledb_ctx_t *ctx,
    const tiledb_filter_list_t *filter_list,
    uint32_t *nfilters) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_filter_list_set_max_chunk_size(
    tiledb_ctx_t *ctx,
    tiledb_filter_list_t *filter_list,
    uint32_t max_chunk_size) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_FILTER_LIST_API_EXTERNAL_H */
