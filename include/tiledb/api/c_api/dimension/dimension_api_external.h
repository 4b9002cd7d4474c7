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
 * Creates a dimension.
 *
 * @param ctx The TileDB context.
 * @param name The name; empty for an anonymous dimension.
 * @param type The type of the coordinates.
 * @param dim_domain The two ends of the domain, inclusive, as values of the type; null for strings.
 * @param tile_extent The number of cells per tile, as a value of the type; null for the whole domain, and for
 *     strings.
 * @param dim The dimension, to be freed with `tiledb_dimension_free`; null if there is none of this domain and extent.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_alloc(
    tiledb_ctx_t *ctx,
    const char *name,
    tiledb_datatype_t type,
    const void *dim_domain,
    const void *tile_extent,
    tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

/**
 * Gives a dimension as text.
 *
 * @param ctx The TileDB context.
 * @param dimension The dimension.
 * @param out The text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dimension,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees a dimension and sets the pointer to null.
 *
 * @param dim The dimension.
 */
TILEDB_EXPORT void tiledb_dimension_free(tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

/**
 * Gives the number of values per coordinate: 1, or `TILEDB_VAR_NUM` for strings.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param cell_val_num The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_cell_val_num(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

/**
 * Gives the domain of a dimension.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param domain The two ends as values of the dimension's type, valid until the dimension is changed or freed;
 *     null for strings.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_domain(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    const void **domain) TILEDB_NOEXCEPT;

/**
 * Gives the filters of a dimension.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param filter_list The filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_dimension_t *dim,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Gives the name of a dimension.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param name The name, valid until the dimension is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_name(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    const char **name) TILEDB_NOEXCEPT;

/**
 * Gives the number of cells per tile.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param tile_extent The extent as a value of the dimension's type, valid until the dimension is changed or freed;
 *     null if there is none.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_get_tile_extent(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    const void **tile_extent) TILEDB_NOEXCEPT;

/**
 * Gives the type of the coordinates.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param type The type.
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
 * Sets the filters of a dimension.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param filter_list The filters; the dimension keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_dimension_set_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_dimension_t *dim,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_DIMENSION_API_EXTERNAL_H */
