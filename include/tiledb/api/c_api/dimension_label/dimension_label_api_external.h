/*
 * The C interface of TileDB: dimension label.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_DIMENSION_LABEL_API_EXTERNAL_H
#define TILEDB_CAPI_DIMENSION_LABEL_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../data_order/data_order_api_external.h"
#include "../datatype/datatype_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque dimension label handle.
 */
typedef struct tiledb_dimension_label_handle_t tiledb_dimension_label_t;

TILEDB_EXPORT void tiledb_dimension_label_free(
    tiledb_dimension_label_t **dim_label) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_dimension_index(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    uint32_t *dim_index) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_label_attr_name(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    const char **label_attr_name) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_label_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    uint32_t *label_cell_val_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_label_order(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    tiledb_data_order_t *label_order) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_label_type(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    tiledb_datatype_t *label_type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_name(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    const char **name) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_uri(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    const char **uri) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_DIMENSION_LABEL_API_EXTERNAL_H */
