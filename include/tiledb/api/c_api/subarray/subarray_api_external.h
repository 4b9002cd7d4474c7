/*
 * The C interface of TileDB: subarray.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
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

/**
 * Adds a range to a fixed-size dimension, selected by its position.
 *
 * The first range replaces the whole domain; further ranges are added to it. A range that starts right behind the previous one
 * is merged with it (`tiledb_subarray_set_coalesce_ranges`). A range that exceeds the domain is an error, unless a
 * configuration with `sm.read_range_oob` = `warn` was given to the subarray (`tiledb_subarray_set_config`): then it is
 * cropped.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The position of the dimension, from 0.
 * @param start The lower bound: one value of the dimension's datatype, which is copied.
 * @param end The upper bound, inclusive.
 * @param stride Must be null.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has variable size, bounds that are out
 *     of order, NaN, or outside the domain.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_add_range(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    const void *start,
    const void *end,
    const void *stride) TILEDB_NOEXCEPT;

/**
 * Adds a range to a fixed-size dimension, selected by its name. See `tiledb_subarray_add_range`.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param start The lower bound: one value of the dimension's datatype, which is copied.
 * @param end The upper bound, inclusive.
 * @param stride Must be null.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has variable size, bounds that are out
 *     of order, NaN, or outside the domain.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_add_range_by_name(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const char *dim_name,
    const void *start,
    const void *end,
    const void *stride) TILEDB_NOEXCEPT;

/**
 * Adds a range to a string dimension, selected by its position.
 *
 * The bounds are byte strings without a terminating NUL, compared as bytes; the same string twice selects one key.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The position of the dimension, from 0.
 * @param start The lower bound, which is copied.
 * @param start_size Its size in bytes.
 * @param end The upper bound, inclusive.
 * @param end_size Its size in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has a fixed size.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_add_range_var(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    const void *start,
    uint64_t start_size,
    const void *end,
    uint64_t end_size) TILEDB_NOEXCEPT;

/**
 * Adds a range to a string dimension, selected by its name. See `tiledb_subarray_add_range_var`.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param start The lower bound, which is copied.
 * @param start_size Its size in bytes.
 * @param end The upper bound, inclusive.
 * @param end_size Its size in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension that does not exist or has a fixed size.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_add_range_var_by_name(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const char *dim_name,
    const void *start,
    uint64_t start_size,
    const void *end,
    uint64_t end_size) TILEDB_NOEXCEPT;

/**
 * Creates a subarray that covers the whole domain of an open array, until ranges are added.
 *
 * A subarray holds any number of ranges per dimension; the cells it selects are the product: every selected row with every
 * selected column. A dimension without ranges is selected entirely. The subarray does not depend on the array after this call.
 *
 * ```c
 * uint64_t rows[] = {0, 9, 50, 59};
 * tiledb_subarray_t *parts = NULL;
 * tiledb_subarray_alloc(ctx, array, &parts);
 * tiledb_subarray_add_range(ctx, parts, 0, &rows[0], &rows[1], NULL);
 * tiledb_subarray_add_range(ctx, parts, 0, &rows[2], &rows[3], NULL);
 * tiledb_query_set_subarray_t(ctx, query, parts);
 * tiledb_subarray_free(&parts);
 * ```
 *
 * @param ctx The TileDB context.
 * @param array The array, open for any purpose.
 * @param subarray Receives the subarray; free it with `tiledb_subarray_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_alloc(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_subarray_t **subarray) TILEDB_NOEXCEPT;

/**
 * Frees a subarray and sets the pointer to null. Queries for which it was set have copies.
 *
 * @param subarray The subarray; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_subarray_free(tiledb_subarray_t **subarray) TILEDB_NOEXCEPT;

/**
 * Returns a range of a fixed-size dimension, selected by its position.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param range_idx The index of the range.
 * @param start Receives the first value, valid until the subarray changes.
 * @param end Receives the last value, inclusive.
 * @param stride Always null; may be null itself.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    uint64_t range_idx,
    const void **start,
    const void **end,
    const void **stride) TILEDB_NOEXCEPT;

/**
 * Returns a range of a fixed-size dimension, selected by its name.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range.
 * @param start Receives the first value, valid until the subarray changes.
 * @param end Receives the last value, inclusive.
 * @param stride Always null; may be null itself.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *dim_name,
    uint64_t range_idx,
    const void **start,
    const void **end,
    const void **stride) TILEDB_NOEXCEPT;

/**
 * Returns the number of ranges of a dimension, selected by its position; 1 if none was added.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param range_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_num(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    uint64_t *range_num) TILEDB_NOEXCEPT;

/**
 * Returns the number of ranges of a dimension, selected by its name; 1 if none was added.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_num_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *dim_name,
    uint64_t *range_num) TILEDB_NOEXCEPT;

/**
 * Copies the bounds of a range of a string dimension. Get the sizes first with `tiledb_subarray_get_range_var_size`.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param range_idx The index of the range.
 * @param start Room for the first string; `tiledb_subarray_get_range_var_size` tells its bytes.
 * @param end Room for the last string.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_var(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    uint64_t range_idx,
    void *start,
    void *end) TILEDB_NOEXCEPT;

/**
 * Copies the bounds of a range of a string dimension, selected by its name. Get the sizes first with
 * `tiledb_subarray_get_range_var_size_from_name`.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range.
 * @param start Room for the first string; `tiledb_subarray_get_range_var_size_from_name` tells its bytes.
 * @param end Room for the last string.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_var_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *dim_name,
    uint64_t range_idx,
    void *start,
    void *end) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the bounds of a range of a string dimension.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param range_idx The index of the range.
 * @param start_size Receives the bytes of the first string.
 * @param end_size Receives the bytes of the last string.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_var_size(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    uint64_t range_idx,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the bounds of a range of a string dimension, selected by its name.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range.
 * @param start_size Receives the bytes of the first string.
 * @param end_size Receives the bytes of the last string.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_var_size_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *dim_name,
    uint64_t range_idx,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

/**
 * Sets whether a range that starts right behind the previously added one is merged with it. It is the default, and can be
 * changed only before ranges are added.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param coalesce_ranges 0 for no, anything else for yes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_set_coalesce_ranges(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    int coalesce_ranges) TILEDB_NOEXCEPT;

/**
 * Sets how a subarray handles ranges that exceed the domain (`sm.read_range_oob`), for ranges that are added afterwards.
 *
 * `warn` crops such ranges to the domain, `error` rejects them. A subarray without a configuration rejects them. Since the
 * default of the parameter is `warn`, a subarray that is given any configuration crops, unless the configuration says `error`.
 * `sm.merge_overlapping_ranges_experimental` is taken from the configuration too.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param config The configuration, which is copied.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for another value of the parameter.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_set_config(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Replaces all ranges by one box.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray of an array whose dimensions have one fixed-size datatype.
 * @param subarray_v Lower and upper bound of every dimension, in the order of the dimensions: two values of the datatype per
 *     dimension. They are copied; null changes nothing.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for arrays with string dimensions or with different datatypes, and for bounds
 *     as in `tiledb_subarray_add_range`. The subarray is unchanged then.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_set_subarray(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const void *subarray_v) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_SUBARRAY_API_EXTERNAL_H */
