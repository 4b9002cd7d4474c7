/*
 * The C interface of TileDB: query aggregate, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_QUERY_AGGREGATE_API_EXTERNAL_EXPERIMENTAL_H
#define TILEDB_CAPI_QUERY_AGGREGATE_API_EXTERNAL_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../query/query_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque query channel handle.
 */
typedef struct tiledb_query_channel_handle_t tiledb_query_channel_t;

/**
 * The opaque channel operation handle.
 */
typedef struct tiledb_channel_operation_handle_t tiledb_channel_operation_t;

/**
 * The opaque channel operator handle.
 */
typedef struct tiledb_channel_operator_handle_t tiledb_channel_operator_t;

/**
 * The operation that counts cells.
 */
TILEDB_EXPORT extern const tiledb_channel_operation_t *tiledb_aggregate_count;

/**
 * Returns the operation that counts cells.
 *
 * It counts the cells of the result. With a query condition these are the matching cells of a sparse array; a read of a dense
 * array returns all cells of the subarray, with the fill value where the condition does not match, and counts them all. The other
 * aggregates exclude cells that do not match in both.
 *
 * @param ctx The TileDB context.
 * @param operation Receives the operation, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_aggregate_count_get(
    tiledb_ctx_t *ctx,
    const tiledb_channel_operation_t **operation) TILEDB_NOEXCEPT;

/**
 * Frees an operation and sets the pointer to null.
 *
 * @param ctx The TileDB context, to record an error; may be null.
 * @param op The operation; those that live as long as the program are not freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` if it is no operation.
 */
TILEDB_EXPORT capi_return_t tiledb_aggregate_free(
    tiledb_ctx_t *ctx,
    tiledb_channel_operation_t **op) TILEDB_NOEXCEPT;

/**
 * Asks a query to compute an aggregate and deliver it under a name of its own: as a field of one cell, whose
 * buffers are to be set like those of any field and hold just that cell. Aggregates of a query that delivers
 * cells too are written when the last cells are.
 *
 * @param ctx The TileDB context.
 * @param channel The channel of the query, before its first submit.
 * @param output_field_name The name of the result.
 * @param operation What to compute.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_channel_apply_aggregate(
    tiledb_ctx_t *ctx,
    tiledb_query_channel_t *channel,
    const char *output_field_name,
    const tiledb_channel_operation_t *operation) TILEDB_NOEXCEPT;

/**
 * The maximum operator.
 */
TILEDB_EXPORT extern const tiledb_channel_operator_t *tiledb_channel_operator_max;

/**
 * Returns the operator that computes the maximum of a field.
 *
 * @param ctx The TileDB context.
 * @param op Receives the operator, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_channel_operator_max_get(
    tiledb_ctx_t *ctx,
    const tiledb_channel_operator_t **op) TILEDB_NOEXCEPT;

/**
 * The mean operator.
 */
TILEDB_EXPORT extern const tiledb_channel_operator_t *tiledb_channel_operator_mean;

/**
 * Returns the operator that computes the mean of a field.
 *
 * @param ctx The TileDB context.
 * @param op Receives the operator, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_channel_operator_mean_get(
    tiledb_ctx_t *ctx,
    const tiledb_channel_operator_t **op) TILEDB_NOEXCEPT;

/**
 * The minimum operator.
 */
TILEDB_EXPORT extern const tiledb_channel_operator_t *tiledb_channel_operator_min;

/**
 * Returns the operator that computes the minimum of a field.
 *
 * @param ctx The TileDB context.
 * @param op Receives the operator, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_channel_operator_min_get(
    tiledb_ctx_t *ctx,
    const tiledb_channel_operator_t **op) TILEDB_NOEXCEPT;

/**
 * The null count operator.
 */
TILEDB_EXPORT extern const tiledb_channel_operator_t *tiledb_channel_operator_null_count;

/**
 * Returns the operator that computes the number of null cells of a field.
 *
 * @param ctx The TileDB context.
 * @param op Receives the operator, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_channel_operator_null_count_get(
    tiledb_ctx_t *ctx,
    const tiledb_channel_operator_t **op) TILEDB_NOEXCEPT;

/**
 * The sum operator.
 */
TILEDB_EXPORT extern const tiledb_channel_operator_t *tiledb_channel_operator_sum;

/**
 * Returns the operator that computes the sum of a field.
 *
 * @param ctx The TileDB context.
 * @param op Receives the operator, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_channel_operator_sum_get(
    tiledb_ctx_t *ctx,
    const tiledb_channel_operator_t **op) TILEDB_NOEXCEPT;

/**
 * Creates the operation that applies an aggregate operator to a field. Apply it with `tiledb_channel_apply_aggregate`, then
 * free it with `tiledb_aggregate_free`.
 *
 * @param ctx The TileDB context.
 * @param query The query, before its first submit.
 * @param op The operator. Sums and means are of numbers, datetimes and times, the least and the greatest also of
 *     ASCII text; nulls are counted of any field that may have them.
 * @param input_field_name The field.
 * @param operation Receives the operation.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_create_unary_aggregate(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const tiledb_channel_operator_t *op,
    const char *input_field_name,
    tiledb_channel_operation_t **operation) TILEDB_NOEXCEPT;

/**
 * Frees a channel and sets the pointer to null.
 *
 * @param ctx The TileDB context, to record an error; may be null.
 * @param channel The channel.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` if it is no channel.
 */
TILEDB_EXPORT capi_return_t tiledb_query_channel_free(
    tiledb_ctx_t *ctx,
    tiledb_query_channel_t **channel) TILEDB_NOEXCEPT;

/**
 * Returns the default channel of a query, whose aggregates cover all of its cells.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param channel Receives the channel, to be freed with `tiledb_query_channel_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_default_channel(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_query_channel_t **channel) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_QUERY_AGGREGATE_API_EXTERNAL_EXPERIMENTAL_H */
