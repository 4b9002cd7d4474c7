/*
 * The C interface of TileDB: dimension label experimental, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_DIMENSION_LABEL_EXPERIMENTAL_H
#define TILEDB_DIMENSION_LABEL_EXPERIMENTAL_H

#include "api/c_api/api_external_common.h"
#include "api/c_api/array_schema/array_schema_api_external.h"
#include "api/c_api/context/context_api_external.h"
#include "api/c_api/data_order/data_order_api_external.h"
#include "api/c_api/datatype/datatype_api_external.h"
#include "api/c_api/dimension_label/dimension_label_api_external.h"
#include "api/c_api/filter_list/filter_list_api_external.h"
#include "api/c_api/subarray/subarray_api_external.h"
#include "tiledb.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Adds a dimension label: an array of its own that gives the indexes of a dimension other names.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param dim_index The position of the dimension, from 0.
 * @param name The name of the label.
 * @param label_order Whether labels increase or decrease.
 * @param label_type The type of the labels.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_add_dimension_label(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint32_t dim_index,
    const char *name,
    tiledb_data_order_t label_order,
    tiledb_datatype_t label_type) TILEDB_NOEXCEPT;

/**
 * Returns a dimension label by its position.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param dim_label_index The position, from 0.
 * @param dim_label Receives the dimension label, to be freed with `tiledb_dimension_label_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_dimension_label_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint64_t dim_label_index,
    tiledb_dimension_label_t **dim_label) TILEDB_NOEXCEPT;

/**
 * Returns a dimension label by its name.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param label_name The name.
 * @param dim_label Receives the dimension label, to be freed with `tiledb_dimension_label_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_dimension_label_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    const char *label_name,
    tiledb_dimension_label_t **dim_label) TILEDB_NOEXCEPT;

/**
 * Returns the number of dimension labels.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param dim_label_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_dimension_label_num(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint64_t *dim_label_num) TILEDB_NOEXCEPT;

/**
 * Reports whether there is a dimension label of this name.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param name The name.
 * @param has_dim_label Receives 1 if there is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_has_dimension_label(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    const char *name,
    int32_t *has_dim_label) TILEDB_NOEXCEPT;

/**
 * Sets the filters of the values of a dimension label.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema; its array must not exist yet.
 * @param label_name The name of the label.
 * @param filter_list The filters; the schema keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_dimension_label_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    const char *label_name,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

/**
 * Sets the tile extent of the array of a dimension label.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema; its array must not exist yet.
 * @param label_name The name of the label.
 * @param type The type of the extent, which is that of the labelled dimension.
 * @param tile_extent The tile extent; null for one tile.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_dimension_label_tile_extent(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    const char *label_name,
    tiledb_datatype_t type,
    const void *tile_extent) TILEDB_NOEXCEPT;

/**
 * Adds a range of a dimension by values of its label. The indexes are found when a query is submitted.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param label_name The name of the label.
 * @param start The first value, of the type of the label.
 * @param end The last value, inclusive.
 * @param stride Must be null.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_add_label_range(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const char *label_name,
    const void *start,
    const void *end,
    const void *stride) TILEDB_NOEXCEPT;

/**
 * Adds a range of a dimension by strings of its label.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param label_name The name of the label.
 * @param start The bytes of the first string.
 * @param start_size How many bytes there are.
 * @param end The bytes of the last string, inclusive.
 * @param end_size How many bytes there are.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_add_label_range_var(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    const char *label_name,
    const void *start,
    uint64_t start_size,
    const void *end,
    uint64_t end_size) TILEDB_NOEXCEPT;

/**
 * Returns the name of the label by which ranges were added to a dimension.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param label_name Receives the name, valid until the subarray changes or is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_label_name(
    tiledb_ctx_t *ctx,
    tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    const char **label_name) TILEDB_NOEXCEPT;

/**
 * Returns a range of a label.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param label_name The name of the label.
 * @param range_idx The index of the range.
 * @param start Receives the first value, valid until the subarray changes.
 * @param end Receives the last value, inclusive.
 * @param stride Always null; may be null itself.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_label_range(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *label_name,
    uint64_t range_idx,
    const void **start,
    const void **end,
    const void **stride) TILEDB_NOEXCEPT;

/**
 * Returns the number of ranges of a label.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param label_name The name of the label.
 * @param range_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_label_range_num(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *label_name,
    uint64_t *range_num) TILEDB_NOEXCEPT;

/**
 * Returns a range of a label of strings.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param label_name The name of the label.
 * @param range_idx The index of the range.
 * @param start Room for the first string; `tiledb_subarray_get_label_range_var_size` tells its bytes.
 * @param end Room for the last string.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_label_range_var(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *label_name,
    uint64_t range_idx,
    void *start,
    void *end) TILEDB_NOEXCEPT;

/**
 * Returns the bytes of a range of a label of strings.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param label_name The name of the label.
 * @param range_idx The index of the range.
 * @param start_size Receives the bytes of the first string.
 * @param end_size Receives the bytes of the last string.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_get_label_range_var_size(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    const char *label_name,
    uint64_t range_idx,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

/**
 * Reports whether ranges of a label were added to a dimension.
 *
 * @param ctx The TileDB context.
 * @param subarray The subarray.
 * @param dim_idx The index of the dimension.
 * @param has_label_range Receives 1 if there are, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_subarray_has_label_ranges(
    tiledb_ctx_t *ctx,
    const tiledb_subarray_t *subarray,
    uint32_t dim_idx,
    int32_t *has_label_range) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_DIMENSION_LABEL_EXPERIMENTAL_H */
