/*
 * The C interface of TileDB: subarray, experimental.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_SUBARRAY_API_EXPERIMENTAL_H
#define TILEDB_CAPI_SUBARRAY_API_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../subarray/subarray_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

TILEDB_EXPORT capi_return_t tiledb_subarray_add_point_ranges(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    const void *start,
    uint64_t count) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_subarray_add_point_ranges_var(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    const void *start,
    uint64_t start_size,
    const uint64_t *start_offsets,
    uint64_t start_offsets_size) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_SUBARRAY_API_EXPERIMENTAL_H */
