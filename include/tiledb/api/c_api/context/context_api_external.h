/*
 * The C interface of TileDB: context.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_CONTEXT_API_EXTERNAL_H
#define TILEDB_CAPI_CONTEXT_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../config/config_api_external.h"
#include "../error/error_api_external.h"
#include "../filesystem/filesystem_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The protocol of a data transfer.
 */
typedef enum {
  TILEDB_DATA_PROTOCOL_v2 = 0,
  TILEDB_DATA_PROTOCOL_v3 = 1,
} tiledb_data_protocol_t;

/**
 * The opaque ctx handle.
 */
typedef struct tiledb_ctx_handle_t tiledb_ctx_t;

/**
 * Creates a context.
 *
 * @param config The configuration, which is copied; null for the defaults.
 * @param ctx The context, to be freed with `tiledb_ctx_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_alloc(
    tiledb_config_t *config,
    tiledb_ctx_t **ctx) TILEDB_NOEXCEPT;

/**
 * Creates a context; tells why where that fails.
 *
 * @param config The configuration, which is copied; null for the defaults.
 * @param ctx The context, to be freed with `tiledb_ctx_free`.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_alloc_with_error(
    tiledb_config_t *config,
    tiledb_ctx_t **ctx,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Stops the queries and consolidations of a context and returns when they have stopped; what is started later runs.
 * Called from a callback of such an operation it does not wait.
 *
 * @param ctx The context.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_cancel_tasks(tiledb_ctx_t *ctx) TILEDB_NOEXCEPT;

/**
 * Frees a context and sets the pointer to null. Objects made with it stay usable with another one.
 *
 * @param ctx The context.
 */
TILEDB_EXPORT void tiledb_ctx_free(tiledb_ctx_t **ctx) TILEDB_NOEXCEPT;

/**
 * Gives a copy of the context's configuration.
 *
 * @param ctx The context.
 * @param config The configuration, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_get_config(
    tiledb_ctx_t *ctx,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Tells which protocol is spoken with the storage behind a URI.
 *
 * @param ctx The context.
 * @param uri The URI.
 * @param data_protocol The protocol.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_get_data_protocol(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_data_protocol_t *data_protocol) TILEDB_NOEXCEPT;

/**
 * Gives the last error of a context. A success in between does not clear it.
 *
 * @param ctx The context.
 * @param err The error, to be freed with `tiledb_error_free`; null if nothing failed yet.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_get_last_error(
    tiledb_ctx_t *ctx,
    tiledb_error_t **err) TILEDB_NOEXCEPT;

/**
 * Gives the statistics of a context as JSON; empty if nothing was counted.
 *
 * @param ctx The context.
 * @param stats_json The text, to be freed with `tiledb_stats_free_str`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_get_stats(
    tiledb_ctx_t *ctx,
    char **stats_json) TILEDB_NOEXCEPT;

/**
 * Tells whether this build reaches a kind of storage.
 *
 * @param ctx The context.
 * @param fs The kind of storage.
 * @param is_supported 1 if it does, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_is_supported_fs(
    tiledb_ctx_t *ctx,
    tiledb_filesystem_t fs,
    int32_t *is_supported) TILEDB_NOEXCEPT;

/**
 * Names the caller to a REST server: the pair goes with every request. Without a REST client there
 * are no requests, and the pair is only checked.
 *
 * @param ctx The context.
 * @param key The key.
 * @param value The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_set_tag(
    tiledb_ctx_t *ctx,
    const char *key,
    const char *value) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_CONTEXT_API_EXTERNAL_H */
