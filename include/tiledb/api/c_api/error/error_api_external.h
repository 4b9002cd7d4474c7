/*
 * The C interface of TileDB: error.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_ERROR_API_EXTERNAL_H
#define TILEDB_CAPI_ERROR_API_EXTERNAL_H

#include "../api_external_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque error handle.
 */
typedef struct tiledb_error_handle_t tiledb_error_t;

/**
 * Frees an error and sets the pointer to null.
 *
 * The text obtained by `tiledb_error_message` becomes invalid. A null handle is accepted.
 *
 * @param err The error.
 */
TILEDB_EXPORT void tiledb_error_free(tiledb_error_t **err) TILEDB_NOEXCEPT;

/**
 * Returns the text of an error.
 *
 * The text names what failed, usually with the offending value and a remedy. It is meant for people; programs should decide by
 * return codes and match texts only where libtiledb documents them.
 *
 * @param err The error, from `tiledb_ctx_get_last_error` or from a function with a `tiledb_error_t **` parameter.
 * @param errmsg Receives the NUL-terminated text. It belongs to the error and is valid until `tiledb_error_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` if `err` is not an error handle.
 */
TILEDB_EXPORT capi_return_t tiledb_error_message(
    tiledb_error_t *err,
    const char **errmsg) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ERROR_API_EXTERNAL_H */
