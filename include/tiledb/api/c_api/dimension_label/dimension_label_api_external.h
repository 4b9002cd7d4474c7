/*
 * The C interface of TileDB: dimension label.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
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

/**
 * Frees a dimension label and sets the pointer to null.
 *
 * @param dim_label The dimension label.
 */
TILEDB_EXPORT void tiledb_dimension_label_free(
    tiledb_dimension_label_t **dim_label) TILEDB_NOEXCEPT;

/**
 * Returns the position of the dimension that a label belongs to.
 *
 * @param ctx The TileDB context.
 * @param dim_label The dimension label.
 * @param dim_index Receives the position, from 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_dimension_index(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    uint32_t *dim_index) TILEDB_NOEXCEPT;

/**
 * Returns the name of the attribute that holds the labels in the label's array.
 *
 * @param ctx The TileDB context.
 * @param dim_label The dimension label.
 * @param label_attr_name Receives the name, valid until the dimension label is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_label_attr_name(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    const char **label_attr_name) TILEDB_NOEXCEPT;

/**
 * Returns the number of values per label; `TILEDB_VAR_NUM` for any number.
 *
 * @param ctx The TileDB context.
 * @param dim_label The dimension label.
 * @param label_cell_val_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_label_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    uint32_t *label_cell_val_num) TILEDB_NOEXCEPT;

/**
 * Reports whether labels increase or decrease.
 *
 * @param ctx The TileDB context.
 * @param dim_label The dimension label.
 * @param label_order Receives the order.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_label_order(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    tiledb_data_order_t *label_order) TILEDB_NOEXCEPT;

/**
 * Returns the type of the labels.
 *
 * @param ctx The TileDB context.
 * @param dim_label The dimension label.
 * @param label_type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_label_type(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    tiledb_datatype_t *label_type) TILEDB_NOEXCEPT;

/**
 * Returns the name of a dimension label.
 *
 * @param ctx The TileDB context.
 * @param dim_label The dimension label.
 * @param name Receives the name, valid until the dimension label is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_name(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    const char **name) TILEDB_NOEXCEPT;

/**
 * Returns the URI of the label's array.
 *
 * @param ctx The TileDB context.
 * @param dim_label The dimension label.
 * @param uri Receives the URI, relative to the labelled array before that is created, valid until the dimension label is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_dimension_label_get_uri(
    tiledb_ctx_t *ctx,
    tiledb_dimension_label_t *dim_label,
    const char **uri) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_DIMENSION_LABEL_API_EXTERNAL_H */
