/*
 * The C interface of TileDB: query field, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_QUERY_FIELD_API_EXTERNAL_EXPERIMENTAL_H
#define TILEDB_CAPI_QUERY_FIELD_API_EXTERNAL_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../datatype/datatype_api_external.h"
#include "../query/query_api_external.h"
#include "../query_aggregate/query_aggregate_api_external_experimental.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Where a query field comes from.
 */
typedef enum {
  TILEDB_ATTRIBUTE_FIELD = 0,
  TILEDB_DIMENSION_FIELD = 1,
  TILEDB_AGGREGATE_FIELD = 2,
} tiledb_field_origin_t;

/**
 * The opaque query field handle.
 */
typedef struct tiledb_query_field_handle_t tiledb_query_field_t;

/**
 * Returns the number of values per cell of a field; `TILEDB_VAR_NUM` for any number.
 *
 * @param ctx The TileDB context.
 * @param field The field.
 * @param cell_val_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_field_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

/**
 * Returns the channel that aggregates over a field are applied to: the default one.
 *
 * @param ctx The TileDB context.
 * @param field The field.
 * @param channel Receives the channel, to be freed with `tiledb_query_channel_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_field_channel(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    tiledb_query_channel_t **channel) TILEDB_NOEXCEPT;

/**
 * Returns the type of the values of a field.
 *
 * @param ctx The TileDB context.
 * @param field The field.
 * @param type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_field_datatype(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

/**
 * Reports whether the cells of a field may be null.
 *
 * @param ctx The TileDB context.
 * @param field The field.
 * @param nullable Receives 1 if they may, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_field_get_nullable(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    uint8_t *nullable) TILEDB_NOEXCEPT;

/**
 * Reports whether a field is an attribute, a dimension or an aggregate.
 *
 * @param ctx The TileDB context.
 * @param field The field.
 * @param origin Receives what it is.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_field_origin(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    tiledb_field_origin_t *origin) TILEDB_NOEXCEPT;

/**
 * Frees a field and sets the pointer to null.
 *
 * @param ctx The TileDB context, to record an error; may be null.
 * @param field The field.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` if it is no field.
 */
TILEDB_EXPORT capi_return_t tiledb_query_field_free(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t **field) TILEDB_NOEXCEPT;

/**
 * Returns a field of a query by its name.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param field_name The name of an attribute, a dimension or an aggregate that was applied.
 * @param field Receives the field, to be freed with `tiledb_query_field_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_query_get_field(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *field_name,
    tiledb_query_field_t **field) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_QUERY_FIELD_API_EXTERNAL_EXPERIMENTAL_H */
