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
 * @param err The error.
 */
TILEDB_EXPORT void tiledb_error_free(tiledb_error_t **err) TILEDB_NOEXCEPT;

/**
 * Gives the text of an error.
 *
 * @param err The error.
 * @param errmsg The text, valid until the error is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_error_message(
    tiledb_error_t *err,
    const char **errmsg) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ERROR_API_EXTERNAL_H */
