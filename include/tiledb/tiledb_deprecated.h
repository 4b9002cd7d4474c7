/*
 * The C interface of TileDB: what is not to be used any more.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_DEPRECATED_H
#define TILEDB_DEPRECATED_H

#include "api/c_api/api_external_common.h"
#include "api/c_api/array_schema/array_schema_api_external.h"
#include "api/c_api/context/context_api_external.h"
#include "tiledb.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copies bytes of a file kept in an array to the caller's memory. Not written yet.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_buffer_export(
    tiledb_ctx_t *ctx,
    const char *filestore_array_uri,
    size_t offset,
    void *buf,
    size_t size) TILEDB_NOEXCEPT;

/**
 * Stores bytes of the caller as a file in an array. Not written yet.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_buffer_import(
    tiledb_ctx_t *ctx,
    const char *filestore_array_uri,
    void *buf,
    size_t size,
    tiledb_mime_type_t mime_type) TILEDB_NOEXCEPT;

/**
 * Gives the schema of an array that fits a file, to be freed with `tiledb_array_schema_free`. Not written yet.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_schema_create(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Gives the size of a file kept in an array. Not written yet.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_size(
    tiledb_ctx_t *ctx,
    const char *filestore_array_uri,
    size_t *size) TILEDB_NOEXCEPT;

/**
 * Copies a file kept in an array to a URI. Not written yet.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_uri_export(
    tiledb_ctx_t *ctx,
    const char *file_uri,
    const char *filestore_array_uri) TILEDB_NOEXCEPT;

/**
 * Stores the file at a URI in an array. Not written yet.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_uri_import(
    tiledb_ctx_t *ctx,
    const char *filestore_array_uri,
    const char *file_uri,
    tiledb_mime_type_t mime_type) TILEDB_NOEXCEPT;

/**
 * Gives a MIME type from its text.
 *
 * @param str The text.
 * @param mime_type The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_mime_type_from_str(
    const char *str,
    tiledb_mime_type_t *mime_type) TILEDB_NOEXCEPT;

/**
 * Gives the text of a MIME type.
 *
 * @param mime_type The value.
 * @param str Its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_mime_type_to_str(
    tiledb_mime_type_t mime_type,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_DEPRECATED_H */
