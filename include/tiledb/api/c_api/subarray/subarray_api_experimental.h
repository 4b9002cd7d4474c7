/*
 * The C interface of TileDB: subarray, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_SUBARRAY_API_EXPERIMENTAL_H
#define TILEDB_CAPI_SUBARRAY_API_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../subarray/subarray_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Adds many single-coordinate ranges to a fixed-size dimension in one call: a multi-key lookup.
 *
 * It has the effect of `tiledb_subarray_add_range` with equal bounds for each value, and is much faster.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The position of the dimension, from 0.
 * @param start The values, an array of the dimension's datatype, which is copied.
 * @param count The number of values.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has variable size, and for a value
 *     outside the domain; the values before it have been added then.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_add_point_ranges(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    const void *start,
    uint64_t count) TILEDB_NOEXCEPT;

/**
 * Adds many single-string ranges to a string dimension in one call: a multi-key lookup.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param start The bytes of the strings, one behind the other.
 * @param start_size How many bytes there are.
 * @param start_offsets Where each string begins, in bytes.
 * @param start_offsets_size How many strings there are.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
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
