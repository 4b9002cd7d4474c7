/*
 * The C interface of TileDB: dimension.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
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

TILEDB_EXPORT int32_t tiledb_dimension_alloc(
    tiledb_ctx_t *ctx,
    const char *name,
    tiledb_datatype_t type,
    const void *dim_domain,
    const void *tile_extent,
    tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_dimension_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dimension,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_dimension_free(tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_dimension_get_cell_val_num(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_dimension_get_domain(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    const void **domain) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_dimension_get_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_dimension_t *dim,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_dimension_get_name(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    const char **name) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_dimension_get_tile_extent(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    const void **tile_extent) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_dimension_get_type(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_dimension_set_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_dimension_t *dim,
    uint32_t cell_val_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_dimension_set_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_dimension_t *dim,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_DIMENSION_API_EXTERNAL_H */
