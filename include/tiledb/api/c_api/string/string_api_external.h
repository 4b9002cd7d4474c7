/*
 * The C interface of TileDB: string.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_STRING_API_EXTERNAL_H
#define TILEDB_CAPI_STRING_API_EXTERNAL_H

#include "../api_external_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque string handle.
 */
typedef struct tiledb_string_handle_t tiledb_string_t;

/**
 * Frees a string and sets the pointer to null.
 *
 * @param s The string.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also for a pointer to null.
 */
TILEDB_EXPORT capi_return_t tiledb_string_free(tiledb_string_t **s) TILEDB_NOEXCEPT;

/**
 * Gives the bytes of a string.
 *
 * @param s The string.
 * @param data The first byte, valid until the string is freed.
 * @param length The number of bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_string_view(
    tiledb_string_t *s,
    const char **data,
    size_t *length) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_STRING_API_EXTERNAL_H */
