/*
 * The C interface of TileDB: what is not to be used any more.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_DEPRECATED_H
#define TILEDB_DEPRECATED_H

#include <stdint.h>
#include <stdio.h>
#include "api/c_api/api_external_common.h"
#include "api/c_api/array_schema/array_schema_api_external.h"
#include "api/c_api/context/context_api_external.h"
#include "tiledb.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copies bytes of the file in a filestore to the caller's memory.
 *
 * @param ctx The TileDB context.
 * @param filestore_array_uri The array of the filestore.
 * @param offset The first byte.
 * @param buf The memory, with room for `size` bytes.
 * @param size How many bytes; the file must have as many from the first one on.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_buffer_export(
    tiledb_ctx_t *ctx,
    const char *filestore_array_uri,
    size_t offset,
    void *buf,
    size_t size) TILEDB_NOEXCEPT;

/**
 * Stores bytes of the caller in a filestore; what was there before is no longer seen. No bytes change nothing.
 *
 * @param ctx The TileDB context.
 * @param filestore_array_uri The array of the filestore.
 * @param buf The bytes.
 * @param size How many there are.
 * @param mime_type What they are; `TILEDB_MIME_AUTODETECT` for any bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_buffer_import(
    tiledb_ctx_t *ctx,
    const char *filestore_array_uri,
    void *buf,
    size_t size,
    tiledb_mime_type_t mime_type) TILEDB_NOEXCEPT;

/**
 * Returns the schema of an array that suits a file, of which only the size counts.
 *
 * @param ctx The TileDB context.
 * @param uri The file; null for a small one.
 * @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_schema_create(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Returns the size of the file in a filestore.
 *
 * @param ctx The TileDB context.
 * @param filestore_array_uri The array of the filestore.
 * @param size Receives the size in bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_size(
    tiledb_ctx_t *ctx,
    const char *filestore_array_uri,
    size_t *size) TILEDB_NOEXCEPT;

/**
 * Copies the file in a filestore to a URI.
 *
 * @param ctx The TileDB context.
 * @param file_uri Where to; a file of that name is replaced.
 * @param filestore_array_uri The array of the filestore.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_uri_export(
    tiledb_ctx_t *ctx,
    const char *file_uri,
    const char *filestore_array_uri) TILEDB_NOEXCEPT;

/**
 * Stores the file at a URI in a filestore; what was there before is no longer seen. An empty file changes nothing.
 *
 * @param ctx The TileDB context.
 * @param filestore_array_uri The array of the filestore.
 * @param file_uri The file.
 * @param mime_type What it is; `TILEDB_MIME_AUTODETECT` for any bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_filestore_uri_import(
    tiledb_ctx_t *ctx,
    const char *filestore_array_uri,
    const char *file_uri,
    tiledb_mime_type_t mime_type) TILEDB_NOEXCEPT;

/**
 * Returns a MIME type from its text.
 *
 * @param str The text.
 * @param mime_type Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_mime_type_from_str(
    const char *str,
    tiledb_mime_type_t *mime_type) TILEDB_NOEXCEPT;

/**
 * Returns the text of a MIME type.
 *
 * @param mime_type The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_mime_type_to_str(
    tiledb_mime_type_t mime_type,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_DEPRECATED_H */
