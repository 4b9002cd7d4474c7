/*
 * The C interface of TileDB: subarray.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_SUBARRAY_API_EXTERNAL_H
#define TILEDB_CAPI_SUBARRAY_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../array/array_api_external.h"
#include "../config/config_api_external.h"
#include "../context/context_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque subarray handle.
 */
typedef struct tiledb_subarray_handle_t tiledb_subarray_t;

TILEDB_EXPORT capi_return_t tiledb_subarray_add_range(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    const void *start,
    const void *end,
    const void *stride) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_add_range_by_name(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const char *dim_name,
    const void *start,
    const void *end,
    const void *stride) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_add_range_var(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    const void *start,
    uint64_t start_size,
    const void *end,
    uint64_t end_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_add_range_var_by_name(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const char *dim_name,
    const void *start,
    uint64_t start_size,
    const void *end,
    uint64_t end_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_alloc(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_subarray_t **subarray) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_subarray_free(tiledb_subarray_t **subarray) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_get_range(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    uint64_t range_idx,
    const void **start,
    const void **end,
    const void **stride) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *dim_name,
    uint64_t range_idx,
    const void **start,
    const void **end,
    const void **stride) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_num(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    uint64_t *range_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_num_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *dim_name,
    uint64_t *range_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_var(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    uint64_t range_idx,
    void *start,
    void *end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_var_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *dim_name,
    uint64_t range_idx,
    void *start,
    void *end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_var_size(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    uint64_t range_idx,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_var_size_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *dim_name,
    uint64_t range_idx,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_set_coalesce_ranges(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    int coalesce_ranges) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_set_config(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_set_subarray(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const void *subarray_v) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_SUBARRAY_API_EXTERNAL_H */
