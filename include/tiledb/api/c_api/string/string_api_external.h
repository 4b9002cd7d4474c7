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
 * Frees a string and sets the pointer to null. The bytes obtained by `tiledb_string_view` become invalid.
 *
 * @param s The string.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` if it is not a string handle, also for a pointer to null.
 */
TILEDB_EXPORT capi_return_t tiledb_string_free(tiledb_string_t **s) TILEDB_NOEXCEPT;

/**
 * Returns the bytes of a string without copying them.
 *
 * ```c
 * tiledb_string_t *text = NULL;
 * const char *data = NULL;
 * size_t length = 0;
 * tiledb_array_schema_dump_str(ctx, schema, &text);
 * tiledb_string_view(text, &data, &length);
 * printf("%.*s\n", (int)length, data);
 * tiledb_string_free(&text);
 * ```
 *
 * @param s The string.
 * @param data Receives the address of the first byte. The bytes belong to the string, are valid until `tiledb_string_free`,
 *     and are followed by a NUL.
 * @param length Receives the number of bytes without the NUL.
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
