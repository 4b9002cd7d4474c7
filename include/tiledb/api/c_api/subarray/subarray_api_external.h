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
 * Adds a range of a dimension. The first range added replaces the whole domain.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param start The first value, of the type of the dimension.
 * @param end The last value, inclusive.
 * @param stride Must be null.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_add_range(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    const void *start,
    const void *end,
    const void *stride) TILEDB_NOEXCEPT;

/**
 * Adds a range of the dimension with a name.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param start The first value, of the type of the dimension.
 * @param end The last value, inclusive.
 * @param stride Must be null.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_add_range_by_name(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const char *dim_name,
    const void *start,
    const void *end,
    const void *stride) TILEDB_NOEXCEPT;

/**
 * Adds a range of a dimension of strings.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param start The first string.
 * @param start_size Its bytes.
 * @param end The last string, inclusive.
 * @param end_size Its bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
 * Adds a range of the dimension of strings with a name.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param start The first string.
 * @param start_size Its bytes.
 * @param end The last string, inclusive.
 * @param end_size Its bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
 * Creates a subarray of an open array: the whole of it, until ranges are added.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param subarray The subarray, to be freed with `tiledb_subarray_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_alloc(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_subarray_t **subarray) TILEDB_NOEXCEPT;

/**
 * Frees a subarray and sets the pointer to null.
 *
 * @param subarray The subarray.
 */
TILEDB_EXPORT void tiledb_subarray_free(tiledb_subarray_t **subarray) TILEDB_NOEXCEPT;

/**
 * Gives a range of a dimension.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param range_idx The index of the range.
 * @param start The first value, valid until the subarray changes.
 * @param end The last value, inclusive.
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
 * Gives a range of the dimension with a name.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range.
 * @param start The first value, valid until the subarray changes.
 * @param end The last value, inclusive.
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
 * Gives the number of ranges of a dimension.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param range_num The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_num(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    uint64_t *range_num) TILEDB_NOEXCEPT;

/**
 * Gives the number of ranges of the dimension with a name.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_num The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_range_num_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *dim_name,
    uint64_t *range_num) TILEDB_NOEXCEPT;

/**
 * Gives a range of a dimension of strings.
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
 * Gives a range of the dimension of strings with a name.
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
 * Gives the bytes of a range of a dimension of strings.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param range_idx The index of the range.
 * @param start_size The bytes of the first string.
 * @param end_size The bytes of the last string.
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
 * Gives the bytes of a range of the dimension of strings with a name.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range.
 * @param start_size The bytes of the first string.
 * @param end_size The bytes of the last string.
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
 * Sets whether a range that begins right behind the one added before grows that one. It is so from the start.
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
 * Takes `sm.read_range_oob` from a configuration: `warn` cuts ranges added later to the domain, `error` refuses
 * them if they leave it.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param config The configuration.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_set_config(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Replaces all ranges by one box.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param subarray_v First and last value of every dimension, one behind the other.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_set_subarray(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const void *subarray_v) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_SUBARRAY_API_EXTERNAL_H */
