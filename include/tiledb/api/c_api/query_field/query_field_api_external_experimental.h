/*
 * The C interface of TileDB: query field, experimental.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
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

TILEDB_EXPORT capi_return_t tiledb_field_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_field_channel(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    tiledb_query_channel_t **channel) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_field_datatype(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_field_get_nullable(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    uint8_t *nullable) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_field_origin(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t *field,
    tiledb_field_origin_t *origin) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_query_field_free(
    tiledb_ctx_t *ctx,
    tiledb_query_field_t **field) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_query_get_field(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *field_name,
    tiledb_query_field_t **field) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_QUERY_FIELD_API_EXTERNAL_EXPERIMENTAL_H */
