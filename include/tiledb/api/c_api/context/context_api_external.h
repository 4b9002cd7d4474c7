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
 * Creates a context: the configuration, caches, statistics and last error that all other calls work with.
 *
 * A context is cheap to create. It starts no thread: one thread pool serves the whole process and starts when there is work
 * for it. The configuration is validated here and copied; changing `config` afterwards does not affect the context. Any number
 * of threads may use one context at the same time. The last error is shared by these threads, so a thread that needs its own
 * errors needs its own context. After `fork` the child process may continue to use the contexts of its parent.
 *
 * If the call fails there is no context to ask for the error: use `tiledb_ctx_alloc_with_error` to learn the reason.
 *
 * ```c
 * tiledb_ctx_t *own = NULL;
 * if (tiledb_ctx_alloc(NULL, &own) != TILEDB_OK)
 *   return 1;
 * // ... work with the context ...
 * tiledb_ctx_free(&own);
 * ```
 *
 * See also `tiledb_config_alloc`, `tiledb_ctx_get_last_error`, `tiledb_ctx_cancel_tasks`, `tiledb_ctx_free`.
 *
 * @param config The configuration, of which the context keeps a copy; null for the defaults and the environment.
 * @param ctx Receives the context; free it with `tiledb_ctx_free`.
 * @return `TILEDB_OK` for success, `TILEDB_ERR` if a parameter has an invalid value, and `TILEDB_OOM` if memory could not be
 *     allocated.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_alloc(
    tiledb_config_t *config,
    tiledb_ctx_t **ctx) TILEDB_NOEXCEPT;

/**
 * Creates a context like `tiledb_ctx_alloc`, and returns the reason if that fails.
 *
 * ```c
 * tiledb_ctx_t *own = NULL;
 * tiledb_error_t *failure = NULL;
 * if (tiledb_ctx_alloc_with_error(config, &own, &failure) != TILEDB_OK) {
 *   const char *message = NULL;
 *   tiledb_error_message(failure, &message);
 *   fprintf(stderr, "%s\n", message);
 *   tiledb_error_free(&failure);
 *   return 1;
 * }
 * tiledb_ctx_free(&own);
 * ```
 *
 * @param config The configuration, of which the context keeps a copy; null for the defaults and the environment.
 * @param ctx Receives the context; free it with `tiledb_ctx_free`.
 * @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
 * @return `TILEDB_OK` for success, `TILEDB_ERR` if a parameter has an invalid value, and `TILEDB_INVALID_ERROR` if `error` is
 *     null.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_alloc_with_error(
    tiledb_config_t *config,
    tiledb_ctx_t **ctx,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Cancels the operations that are running in a context and waits until they have returned.
 *
 * Queries, array opens, consolidation, vacuum and the long-running functions of tiledb_rs.h check for cancellation. Their
 * calls return `TILEDB_ERR` on the threads that made them, and storage is left as before the call. Operations that start after
 * this call run normally. Everything that runs in the context is cancelled; to be able to cancel one operation only, give it a
 * context of its own, or use a function with a progress callback such as `tiledb_rs_query_submit`.
 *
 * If the context is idle, the call returns immediately. Called from a callback of an operation that is being cancelled, it
 * requests the cancellation but does not wait for it.
 *
 * @param ctx The context.
 * @return `TILEDB_OK` for success and `TILEDB_INVALID_CONTEXT` if `ctx` is not a context.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_cancel_tasks(tiledb_ctx_t *ctx) TILEDB_NOEXCEPT;

/**
 * Frees a context and sets the pointer to null.
 *
 * Objects that were created with the context (arrays, queries, schemas, ...) remain valid and can be used with another
 * context; they keep the resources they need. A call that uses the context on another thread completes normally. A null
 * pointer is accepted.
 *
 * @param ctx The context.
 */
TILEDB_EXPORT void tiledb_ctx_free(tiledb_ctx_t **ctx) TILEDB_NOEXCEPT;

/**
 * Returns a copy of the configuration of a context.
 *
 * Changes to the copy do not affect the context: the configuration of a context is fixed when it is created. Pass a modified
 * copy to the functions that take a configuration, such as `tiledb_array_set_config`, `tiledb_query_set_config` or
 * `tiledb_array_consolidate`.
 *
 * @param ctx The context.
 * @param config Receives the configuration; free it with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_get_config(
    tiledb_ctx_t *ctx,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Returns the protocol version with which the storage of a URI is accessed.
 *
 * @param ctx The context.
 * @param uri The URI.
 * @param data_protocol Receives the protocol.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_get_data_protocol(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_data_protocol_t *data_protocol) TILEDB_NOEXCEPT;

/**
 * Returns the error of the last call in this context that failed.
 *
 * A successful call does not reset it, so call this function only after a call has returned a code other than `TILEDB_OK`. The
 * error belongs to the context, not to the thread: if several threads share a context, another thread may replace it between
 * the failure and this call. The returned handle keeps its text even if the context records another error or is freed.
 *
 * ```c
 * if (tiledb_array_open(ctx, array, TILEDB_READ) != TILEDB_OK) {
 *   tiledb_error_t *failure = NULL;
 *   const char *message = NULL;
 *   tiledb_ctx_get_last_error(ctx, &failure);
 *   tiledb_error_message(failure, &message);
 *   fprintf(stderr, "%s\n", message);
 *   tiledb_error_free(&failure);
 * }
 * ```
 *
 * @param ctx The context.
 * @param err Receives the error, to be freed with `tiledb_error_free`; null if no call has failed yet.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_get_last_error(
    tiledb_ctx_t *ctx,
    tiledb_error_t **err) TILEDB_NOEXCEPT;

/**
 * Returns the counters and timers of a context as JSON.
 *
 * Statistics are always collected, whatever `tiledb_stats_is_enabled` says. They include those of all queries of the context.
 * A counter that is missing is 0; if nothing has been counted, the result is an empty string. See also
 * `tiledb_query_get_stats`, `tiledb_stats_dump_str`.
 *
 * @param ctx The context.
 * @param stats_json Receives the NUL-terminated text; free it with `tiledb_stats_free_str`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_get_stats(
    tiledb_ctx_t *ctx,
    char **stats_json) TILEDB_NOEXCEPT;

/**
 * Reports whether this build of the library supports a storage backend.
 *
 * The answer depends on how the library was compiled (features s3, azure, gcs, rest), not on credentials or on whether the
 * service can be reached. Local files are always supported.
 *
 * @param ctx The context.
 * @param fs The storage backend.
 * @param is_supported Receives 1 if the backend is supported, else 0 (also for `TILEDB_HDFS` and for unknown numbers).
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ctx_is_supported_fs(
    tiledb_ctx_t *ctx,
    tiledb_filesystem_t fs,
    int32_t *is_supported) TILEDB_NOEXCEPT;

/**
 * Sets an HTTP header that is sent with every request of this context to a TileDB server.
 *
 * In builds without the REST client the arguments are only validated.
 *
 * @param ctx The context.
 * @param key The name of the header.
 * @param value Its value.
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
