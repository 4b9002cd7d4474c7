/*
 * The C interface of TileDB: dimension.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_DIMENSION_API_EXTERNAL_H
#define TILEDB_CAPI_DIMENSION_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../datatype/datatype_api_external.h"
#include "../filter_list/filter_list_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque dimension handle.
 */
typedef struct tiledb_dimension_handle_t tiledb_dimension_t;

/**
 * Creates a dimension: a named axis of an array with a datatype, a domain and a tile extent.
 *
 * Datatypes: integers, floating-point numbers, dates and times (`TILEDB_DATETIME_MS` and others), and `TILEDB_STRING_ASCII`.
 * All dimensions of a dense array must have the same integer or date/time datatype; those of a sparse array may differ.
 *
 * - Fixed-size datatypes need a domain, both bounds inclusive and finite; it cannot be changed once the array exists. A domain
 *   of all values of an integer datatype is rejected.
 * - The tile extent is the number of coordinates per tile. It must be positive and not larger than the domain, and the last
 *   tile must end within the datatype (for integers, within its widest type): a domain that ends at the maximum of 64 bits
 *   needs room for a whole tile.
 * - Strings have neither domain nor extent.
 *
 * ```c
 * int64_t range[] = {0, 999999}, extent = 1000;
 * tiledb_dimension_t *time = NULL, *key = NULL;
 * tiledb_dimension_alloc(ctx, "time", TILEDB_INT64, range, &extent, &time);
 * tiledb_dimension_alloc(ctx, "key", TILEDB_STRING_ASCII, NULL, NULL, &key);
 * ```
 *
 * See also `tiledb_domain_add_dimension`, `tiledb_dimension_set_filter_list`.
 *
 * @param ctx The TileDB context.
 * @param name The name, unique among the dimensions, attributes and labels of the array; empty for an anonymous dimension.
 * @param type The datatype of the coordinates.
 * @param dim_domain The lower and the upper bound, two values of the datatype, which are copied; null for strings.
 * @param tile_extent One value of the datatype, which is copied. Null for strings; null otherwise makes the whole domain one
 *     tile when the domain is set in a schema.
 * @param dim Receives the dimension, to be freed with `tiledb_dimension_free`; null if domain or extent are invalid.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if datatype, domain or extent are invalid.
 */
TILEDB_EXPORT int32_t tiledb_dimension_alloc(
    tiledb_ctx_t *ctx,
    const char *name,
    tiledb_datatype_t type,
    const void *dim_domain,
    const void *tile_extent,
    tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

/**
 * Returns a readable description of a dimension.
 *
 * @param ctx The TileDB context.
 * @param dimension The dimension.
 * @param out Receives the text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dimension,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees a dimension handle and sets the pointer to null. Domains to which the dimension was added keep it.
 *
 * @param dim The dimension; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_dimension_free(tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

/**
 * Returns the number of values per coordinate: 1, or `TILEDB_VAR_NUM` for strings.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param cell_val_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_cell_val_num(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

/**
 * Returns the domain of a dimension: its lower and upper bound, both inclusive.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param domain Receives the address of two values of the dimension's datatype, or null for strings. They belong to the handle
 *     and are valid until the dimension is changed or freed; the address is aligned for the datatype.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_domain(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    const void **domain) TILEDB_NOEXCEPT;

/**
 * Returns the filter pipeline of a dimension.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_dimension_t *dim,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Returns the name of a dimension.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param name Receives the name, valid until the dimension is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_name(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    const char **name) TILEDB_NOEXCEPT;

/**
 * Returns the tile extent of a dimension: the number of coordinates per tile.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param tile_extent Receives the address of one value of the dimension's datatype, or null if there is no extent. It belongs
 *     to the handle and is valid until the dimension is changed or freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_tile_extent(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    const void **tile_extent) TILEDB_NOEXCEPT;

/**
 * Returns the type of the coordinates.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_type(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

/**
 * Sets the number of values per coordinate. Only the number that the type has is accepted.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param cell_val_num 1, or `TILEDB_VAR_NUM` for strings.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_set_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_dimension_t *dim,
    uint32_t cell_val_num) TILEDB_NOEXCEPT;

/**
 * Sets the filter pipeline of the coordinates of a dimension.
 *
 * Without filters of its own a dimension uses those of the schema (`tiledb_array_schema_set_coords_filter_list`). Only sparse
 * arrays store coordinates.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension. If it has been added to a domain, the domain and its schema change with it.
 * @param filter_list The filters, which are copied: later changes to the list have no effect.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if a filter does not accept the datatype, or the output of the filter before
 *     it.
 */
TILEDB_EXPORT int32_t tiledb_dimension_set_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_dimension_t *dim,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_DIMENSION_API_EXTERNAL_H */
