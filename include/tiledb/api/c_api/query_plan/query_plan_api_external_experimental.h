/*
 * The C interface of TileDB: query plan, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_QUERY_PLAN_API_EXTERNAL_EXPERIMENTAL_H
#define TILEDB_CAPI_QUERY_PLAN_API_EXTERNAL_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../query/query_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the plan of a query as JSON: array, fields and strategy. Set buffers, subarray and condition first; the query is
 * prepared but not submitted.
 *
 * @param ctx The TileDB context.
 * @param query The query, with its buffers.
 * @param plan Receives the plan, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_plan(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_string_t **plan) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_QUERY_PLAN_API_EXTERNAL_EXPERIMENTAL_H */
