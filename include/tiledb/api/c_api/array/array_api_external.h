/*
 * The C interface of TileDB: array.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_ARRAY_API_EXTERNAL_H
#define TILEDB_CAPI_ARRAY_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../array_schema/array_schema_api_external.h"
#include "../config/config_api_external.h"
#include "../context/context_api_external.h"
#include "../datatype/datatype_api_external.h"
#include "../query/query_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How an array is encrypted.
 */
typedef enum {
  TILEDB_NO_ENCRYPTION = 0,
  TILEDB_AES_256_GCM = 1,
} tiledb_encryption_type_t;

/**
 * The opaque array handle.
 */
typedef struct tiledb_array_handle_t tiledb_array_t;

/**
 * Creates a handle on an array. Nothing is read from storage until the array is opened.
 *
 * The handle has a configuration of its own, initially a copy of that of the context (`tiledb_array_set_config`), and a time
 * window, initially everything up to now (`tiledb_array_set_open_timestamp_end`). Any number of handles may refer to the same
 * array. A handle can be used by several threads: calls on it are serialized, and queries work on the snapshot that the array
 * had when they were created.
 *
 * ```c
 * tiledb_array_t *own = NULL;
 * tiledb_array_alloc(ctx, "my_array", &own);
 * tiledb_array_open(ctx, own, TILEDB_READ);
 * // ... queries, metadata ...
 * tiledb_array_close(ctx, own);
 * tiledb_array_free(&own);
 * ```
 *
 * See also `tiledb_array_open`, `tiledb_array_create`, `tiledb_object_type`.
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI or path of the array, which need not exist yet.
 * @param array Receives the handle; free it with `tiledb_array_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_alloc(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Closes an array and stores the metadata that was put or deleted since it was opened.
 *
 * Cells are stored by queries, not by closing. Queries on the array that have been submitted keep their snapshot and can be
 * continued; queries that have not been submitted yet fail. Metadata pointers obtained from the array become invalid. Closing
 * an array that is not open does nothing. The handle can be opened again, for any purpose.
 *
 * If the metadata cannot be stored, the call fails, the array is closed nevertheless, and the changes are lost.
 * `tiledb_array_free` closes without storing metadata.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if metadata could not be written.
 */
TILEDB_EXPORT capi_return_t tiledb_array_close(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array) TILEDB_NOEXCEPT;

/**
 * Creates an empty array with a schema.
 *
 * Enumerations and the arrays of dimension labels are stored first; the schema file that makes the folder an array comes last,
 * so a creation that was interrupted leaves no array and can be repeated. If the configuration of the context contains an
 * encryption key, the array is encrypted with it.
 *
 * ```c
 * int32_t rows[] = {1, 4}, extent = 4;
 * tiledb_dimension_t *dimension = NULL;
 * tiledb_domain_t *grid = NULL;
 * tiledb_attribute_t *value = NULL;
 * tiledb_array_schema_t *created = NULL;
 * tiledb_dimension_alloc(ctx, "rows", TILEDB_INT32, rows, &extent, &dimension);
 * tiledb_domain_alloc(ctx, &grid);
 * tiledb_domain_add_dimension(ctx, grid, dimension);
 * tiledb_attribute_alloc(ctx, "a", TILEDB_FLOAT64, &value);
 * tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &created);
 * tiledb_array_schema_set_domain(ctx, created, grid);
 * tiledb_array_schema_add_attribute(ctx, created, value);
 * tiledb_array_create(ctx, "my_array", created);
 * ```
 *
 * See also `tiledb_array_schema_check`, `tiledb_array_evolve`, `tiledb_array_delete`.
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI or path of the new array. There must be no array, and it must not lie among the internal files of
 *     an array or a group. Missing parent folders are created.
 * @param array_schema The schema, which must pass `tiledb_array_schema_check`. The array has its own copy.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is an array already, the schema is invalid, or storage fails.
 */
TILEDB_EXPORT capi_return_t tiledb_array_create(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    const tiledb_array_schema_t *array_schema) TILEDB_NOEXCEPT;

/**
 * Deletes an array with all its fragments, schemas and metadata.
 *
 * The deletion is immediate and cannot be undone. Files in the folder that do not belong to the array remain, and with them
 * the folder. A deletion that was interrupted can be repeated. Nothing outside of the folder is deleted: of symbolic links in it
 * only the links.
 *
 * @param ctx The TileDB context.
 * @param uri The URI of the array, which no process should have open.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, the URI is a symbolic link, or storage fails.
 */
TILEDB_EXPORT capi_return_t tiledb_array_delete(tiledb_ctx_t *ctx, const char *uri) TILEDB_NOEXCEPT;

/**
 * Deletes fragments of an array by their URIs. If one of them is not a fragment of the array, none is deleted; the deletion is
 * immediate and cannot be undone.
 *
 * @param ctx The TileDB context.
 * @param uri_str The URI of the array.
 * @param fragment_uris The URIs of the fragments.
 * @param num_fragments How many there are, at least one.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_delete_fragments_list(
    tiledb_ctx_t *ctx,
    const char *uri_str,
    const char **fragment_uris,
    size_t num_fragments) TILEDB_NOEXCEPT;

/**
 * Deletes the fragments of an array that were written entirely within a time window.
 *
 * The deletion is immediate, does not depend on the schema or cells, and cannot be undone. To delete cells by value use a
 * query of type `TILEDB_DELETE` instead. If storage fails in between, the fragments that were deleted by then stay deleted.
 *
 * @param ctx The TileDB context.
 * @param uri_str The URI of the array.
 * @param timestamp_start The start of the window in milliseconds since 1970-01-01 UTC.
 * @param timestamp_end The end of the window, inclusive.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, or storage fails.
 */
TILEDB_EXPORT capi_return_t tiledb_array_delete_fragments_v2(
    tiledb_ctx_t *ctx,
    const char *uri_str,
    uint64_t timestamp_start,
    uint64_t timestamp_end) TILEDB_NOEXCEPT;

/**
 * Deletes a metadata value of an array, effective when the array is closed.
 *
 * A missing key is not an error.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for writing or exclusive modification.
 * @param key The key.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for writing or the key is null.
 */
TILEDB_EXPORT capi_return_t tiledb_array_delete_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key) TILEDB_NOEXCEPT;

/**
 * Returns how an array is encrypted. No key is needed.
 *
 * @param ctx The TileDB context.
 * @param array_uri The array's URI.
 * @param encryption_type Receives the type of encryption.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_encryption_type(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_encryption_type_t *encryption_type) TILEDB_NOEXCEPT;

/**
 * Frees an array handle and sets the pointer to null.
 *
 * An open array is closed, but metadata that was put or deleted is discarded: call `tiledb_array_close` first. Queries,
 * schemas and subarrays that were created from the array remain valid. A null handle is accepted.
 *
 * @param array The array.
 */
TILEDB_EXPORT void tiledb_array_free(tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Returns a copy of the configuration of an array handle. Changes to the copy have no effect on the array; see
 * `tiledb_array_set_config`.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param config Receives the configuration, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_config(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Returns a metadata value of an array by its key.
 *
 * A missing key is not an error: `value` is null then, and `value_num` is unchanged. Initialize `value_num` to 0 to tell a
 * missing key from an empty value, which has a null `value` and a `value_num` of 1, or use `tiledb_array_has_metadata_key`.
 *
 * ```c
 * tiledb_datatype_t type = TILEDB_ANY;
 * uint32_t count = 0;
 * const void *value = NULL;
 * tiledb_array_get_metadata(ctx, array, "range", &type, &count, &value);
 * if (value != NULL && type == TILEDB_FLOAT64 && count == 2)
 *   printf("%g to %g\n", ((const double *)value)[0], ((const double *)value)[1]);
 * ```
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param key The key.
 * @param value_type Receives the datatype of the value.
 * @param value_num Receives the number of elements, 1 for an empty value; unchanged if the key does not exist.
 * @param value Receives the address of the elements, or null for an empty value or a missing key. The memory belongs to the
 *     array and is valid until it is closed or reopened; it need not be aligned for the datatype.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, or its metadata cannot be read.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

/**
 * Returns a metadata entry of an array by its position in the order of the keys.
 *
 * Use it with `tiledb_array_get_metadata_num` to list all metadata.
 *
 * ```c
 * uint64_t count = 0;
 * tiledb_array_get_metadata_num(ctx, array, &count);
 * for (uint64_t i = 0; i < count; i++) {
 *   const char *key = NULL;
 *   uint32_t key_length = 0, elements = 0;
 *   tiledb_datatype_t type = TILEDB_ANY;
 *   const void *value = NULL;
 *   tiledb_array_get_metadata_from_index(ctx, array, i, &key, &key_length, &type, &elements, &value);
 *   printf("%.*s: %u elements\n", (int)key_length, key, elements);
 * }
 * ```
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param index The position, from 0 and less than the number of entries.
 * @param key Receives the key, valid until the array is closed or reopened. It is not NUL-terminated: use `key_len`.
 * @param key_len Receives the length of the key in bytes.
 * @param value_type Receives the datatype of the value.
 * @param value_num Receives the number of elements, 1 for an empty value.
 * @param value Receives the address of the elements, null for an empty value; valid until the array is closed or reopened.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading or the index is out of range.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_metadata_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t index,
    const char **key,
    uint32_t *key_len,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

/**
 * Returns the number of metadata entries of an array.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param num Receives the number of keys.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_metadata_num(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t *num) TILEDB_NOEXCEPT;

/**
 * Returns the smallest box that contains all cells of an array whose dimensions have the same fixed-size datatype.
 *
 * The box covers the fragments that the array shows, from their metadata alone: no cell is read. It also covers cells that
 * were deleted. Arrays with string dimensions or with different datatypes need one call per dimension:
 * `tiledb_array_get_non_empty_domain_from_name`, `tiledb_array_get_non_empty_domain_var_from_name`.
 *
 * ```c
 * int32_t box[4] = {0}, empty = 0; // two dimensions of TILEDB_INT32
 * tiledb_array_get_non_empty_domain(ctx, array, box, &empty);
 * if (!empty)
 *   printf("rows %d to %d, columns %d to %d\n", box[0], box[1], box[2], box[3]);
 * ```
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param domain Receives lower and upper bound of every dimension, in the order of the dimensions, both inclusive: two values
 *     of the datatype per dimension. Unchanged if the array is empty.
 * @param is_empty Receives 1 if the array contains no cells, else 0.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading or its dimensions do not share a
 *     fixed-size datatype.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    void *domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Returns the range of the coordinates of all cells in one fixed-size dimension, selected by its position.
 *
 * See `tiledb_array_get_non_empty_domain` for what the range covers.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param idx The position of the dimension, from 0.
 * @param domain Receives lower and upper bound, inclusive: two values of the datatype. Unchanged if the array is empty.
 * @param is_empty Receives 1 if the array contains no cells, else 0.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, there is no such dimension, or it has
 *     variable size.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint32_t idx,
    void *domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Returns the range of the coordinates of all cells in one fixed-size dimension, selected by its name.
 *
 * See `tiledb_array_get_non_empty_domain` for what the range covers.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param name The name of the dimension.
 * @param domain Receives lower and upper bound, inclusive: two values of the datatype. Unchanged if the array is empty.
 * @param is_empty Receives 1 if the array contains no cells, else 0.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, there is no such dimension, or it has
 *     variable size.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *name,
    void *domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Returns the range of the coordinates of all cells in one string dimension, selected by its position. Get the sizes first
 * with `tiledb_array_get_non_empty_domain_var_size_from_index`; see `tiledb_array_get_non_empty_domain_var_from_name` for an
 * example.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param idx The position of the dimension.
 * @param start The low end, of the size that the size function gives; untouched if there are no cells.
 * @param end The high end.
 * @param is_empty Receives 1 if there are no cells, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_var_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint32_t idx,
    void *start,
    void *end,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Returns the range of the coordinates of all cells in one string dimension, selected by its name.
 *
 * Get the sizes first; the strings are not NUL-terminated.
 *
 * ```c
 * uint64_t first_size = 0, last_size = 0;
 * int32_t empty = 0;
 * tiledb_array_get_non_empty_domain_var_size_from_name(ctx, array, "key", &first_size, &last_size, &empty);
 * char *first = malloc(first_size + 1), *last = malloc(last_size + 1);
 * tiledb_array_get_non_empty_domain_var_from_name(ctx, array, "key", first, last, &empty);
 * ```
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param name The name of the dimension.
 * @param start Receives the lowest coordinate; the buffer must hold the number of bytes that
 *     `tiledb_array_get_non_empty_domain_var_size_from_name` returned. Unchanged if the array is empty.
 * @param end Receives the highest coordinate, likewise.
 * @param is_empty Receives 1 if the array contains no cells, else 0.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, there is no such dimension, or it has a
 *     fixed size.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_var_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *name,
    void *start,
    void *end,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the bounds that `tiledb_array_get_non_empty_domain_var_from_index` returns.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param idx The position of the dimension.
 * @param start_size Receives the size of the low end in bytes; 0 if there are no cells.
 * @param end_size Receives the size of the high end in bytes.
 * @param is_empty Receives 1 if there are no cells, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_var_size_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint32_t idx,
    uint64_t *start_size,
    uint64_t *end_size,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the bounds that `tiledb_array_get_non_empty_domain_var_from_name` returns.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param name The name of the dimension.
 * @param start_size Receives the size of the low end in bytes; 0 if there are no cells.
 * @param end_size Receives the size of the high end in bytes.
 * @param is_empty Receives 1 if there are no cells, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_var_size_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *name,
    uint64_t *start_size,
    uint64_t *end_size,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Returns the end of the time window of the last `tiledb_array_open` or `tiledb_array_reopen`.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param timestamp_end Milliseconds since 1970; 0 if cells get the time at which they are written.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_open_timestamp_end(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t *timestamp_end) TILEDB_NOEXCEPT;

/**
 * Returns the start of the time window that was set for an array.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param timestamp_start Milliseconds since 1970.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_open_timestamp_start(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t *timestamp_start) TILEDB_NOEXCEPT;

/**
 * Returns the purpose for which an array was last opened; `TILEDB_READ` before it is opened for the first time.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param query_type Receives the type of query.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_query_type(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

/**
 * Returns the schema of an open array, as of the end of its time window.
 *
 * The handle shares its content with other schema handles from the same opening of the array. It stays valid when the array is
 * closed or freed. Fragments that were written with earlier schemas are read as if they had this one. To load the newest
 * schema without opening the array use `tiledb_array_schema_load`.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for any purpose.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_schema(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Returns the URI of an array: that of `tiledb_array_alloc`, with local paths completed to `file://` URIs.
 *
 * @param ctx The TileDB context.
 * @param array The array, which need not be open.
 * @param array_uri Receives the NUL-terminated URI. It belongs to the array and is valid until `tiledb_array_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_uri(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char **array_uri) TILEDB_NOEXCEPT;

/**
 * Reports whether an array has a metadata value under a key.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param key The key.
 * @param value_type Receives the datatype of the value; unchanged if the key does not exist.
 * @param has_key Receives 1 if the key exists, else 0.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading.
 */
TILEDB_EXPORT capi_return_t tiledb_array_has_metadata_key(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key,
    tiledb_datatype_t *value_type,
    int32_t *has_key) TILEDB_NOEXCEPT;

/**
 * Reports whether an array is open.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param is_open Receives 1 if the array is open, for whatever purpose, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_is_open(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    int32_t *is_open) TILEDB_NOEXCEPT;

/**
 * Opens an array for one purpose, as a snapshot at the end of its time window.
 *
 * An array that is opened for reading shows what was committed within the window at that moment; later writes, deletes and
 * schema changes are not visible until `tiledb_array_reopen`. Without timestamps the window ends now. Opening for writing
 * takes the newest schema; cells get the time at which they are written, or the end timestamp if one was set.
 *
 * Opening lists the folder of the array and loads its schema. Fragment metadata in remote storage, array metadata and
 * enumerations are loaded on demand.
 *
 * Preconditions: the array exists, the handle is not open, and the configuration of the handle contains the key of an
 * encrypted array (`sm.encryption_type`, `sm.encryption_key`). If the call fails, the handle stays closed.
 *
 * | query type | permits |
 * |---|---|
 * | `TILEDB_READ` | reads, metadata, non-empty domain |
 * | `TILEDB_WRITE` | writes of cells and metadata, and deletion of fragments by a server |
 * | `TILEDB_DELETE` | delete queries (sparse arrays) |
 * | `TILEDB_MODIFY_EXCLUSIVE` | as `TILEDB_WRITE`; no other handle of the process is open |
 * | `TILEDB_UPDATE` | experimental; requires `sm.allow_updates_experimental` |
 *
 * See also `tiledb_array_close`, `tiledb_array_reopen`, `tiledb_query_alloc`.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param query_type The purpose. A query on the array must have the same type; `TILEDB_MODIFY_EXCLUSIVE` also permits queries of
 *     the type `TILEDB_WRITE`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is already open, does not exist, or cannot be read with the key; if
 *     another handle of the process has it open, and either is opened with `TILEDB_MODIFY_EXCLUSIVE`.
 */
TILEDB_EXPORT capi_return_t tiledb_array_open(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_query_type_t query_type) TILEDB_NOEXCEPT;

/**
 * Sets a metadata value of an array, which is stored when the array is closed.
 *
 * Metadata are key-value pairs with typed values; a later value replaces an earlier one of the same key. Readers see the
 * change once the array has been closed and they open or reopen it. All metadata of an array are loaded together on first
 * access, so keep them small. If the array handle is freed without `tiledb_array_close`, the change is lost.
 *
 * ```c
 * double range[] = {0.5, 99.5};
 * tiledb_array_open(ctx, array, TILEDB_WRITE);
 * tiledb_array_put_metadata(ctx, array, "range", TILEDB_FLOAT64, 2, range);
 * tiledb_array_put_metadata(ctx, array, "station", TILEDB_STRING_UTF8, 4, "Bern");
 * tiledb_array_close(ctx, array);
 * ```
 *
 * See also `tiledb_array_get_metadata`, `tiledb_array_delete_metadata`.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for writing or exclusive modification.
 * @param key The key, a NUL-terminated string.
 * @param value_type The datatype of the value; any but `TILEDB_ANY`.
 * @param value_num The number of elements of that datatype: for strings the number of bytes, without a NUL.
 * @param value The elements, which are copied; null for an empty value.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for writing, the key is null, or the datatype is not
 *     allowed.
 */
TILEDB_EXPORT capi_return_t tiledb_array_put_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key,
    tiledb_datatype_t value_type,
    uint32_t value_num,
    const void *value) TILEDB_NOEXCEPT;

/**
 * Opens an array that is open for reading again, to see later commits or another point in time.
 *
 * The new snapshot ends at the end timestamp if that was set since the array was last opened, otherwise now; this end then
 * counts as set (`tiledb_array_get_open_timestamp_end` returns it). Existing queries continue to read the old snapshot;
 * queries that are created afterwards read the new one. Metadata pointers obtained from the array become invalid. If the call
 * fails, the array stays open as it was.
 *
 * ```c
 * tiledb_array_set_open_timestamp_end(ctx, array, 1700000000000);
 * tiledb_array_reopen(ctx, array); // the array as of that time
 * tiledb_array_set_open_timestamp_end(ctx, array, UINT64_MAX);
 * tiledb_array_reopen(ctx, array); // the latest state
 * ```
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for reading, or can no longer be read.
 */
TILEDB_EXPORT capi_return_t tiledb_array_reopen(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array) TILEDB_NOEXCEPT;

/**
 * Loads the newest schema of an array, without opening the array.
 *
 * An encrypted array is decrypted with the key in the configuration of the context. The values of enumerations are loaded on
 * demand.
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI or path of the array.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, or it cannot be read with the key.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_load(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Loads the newest schema of an array. As in libtiledb the key of an encrypted array is the context's, whatever the
 * configuration says; enumerations are loaded when they are asked for.
 *
 * @param ctx The TileDB context.
 * @param config A configuration, which changes nothing for arrays in files; or null.
 * @param array_uri The array's URI.
 * @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_load_with_config(
    tiledb_ctx_t *ctx,
    tiledb_config_t *config,
    const char *array_uri,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Sets parameters for an array handle, before it is opened.
 *
 * The parameters that are set in `config` override those that the handle has; the others keep their values. Typical uses are
 * the encryption key and memory budgets. Queries use the configuration of the context they are created with, not that of the
 * array (`tiledb_query_set_config`).
 *
 * @param ctx The TileDB context.
 * @param array The array, which must not be open.
 * @param config The configuration, which is copied.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is open or a value is invalid.
 */
TILEDB_EXPORT capi_return_t tiledb_array_set_config(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Sets the end of the time window for the next `tiledb_array_open` or `tiledb_array_reopen`: time travel.
 *
 * An array opened for reading is a snapshot at this time. An array opened for writing gives this timestamp to all cells and
 * metadata that are written; without it they get the time of writing. An array that is open is not affected until it is
 * reopened.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param timestamp_end Milliseconds since 1970-01-01 UTC, inclusive; `UINT64_MAX`, the default, for now.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_set_open_timestamp_end(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t timestamp_end) TILEDB_NOEXCEPT;

/**
 * Sets the start of the time window for the next `tiledb_array_open` or `tiledb_array_reopen`.
 *
 * A read then omits what was written entirely before this time. An array that is open is not affected until it is reopened.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param timestamp_start Milliseconds since 1970-01-01 UTC; 0, the default, for everything from the beginning.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_set_open_timestamp_start(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t timestamp_start) TILEDB_NOEXCEPT;

/**
 * Upgrades an array to the current format version, or to that of `sm.write_format_version` if it is set: stores its newest schema
 * again in that version, in which new fragments are then written. Existing fragments are not rewritten. Does nothing if the
 * schema has that version or a newer one.
 *
 * @param ctx The TileDB context.
 * @param array_uri The array's URI or path.
 * @param config A configuration whose parameters, such as the encryption key and `sm.write_format_version`, override those of
 *     the context; null for those of the context.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_upgrade_version(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Returns an encryption type from its text.
 *
 * @param str The text.
 * @param encryption_type Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_encryption_type_from_str(
    const char *str,
    tiledb_encryption_type_t *encryption_type) TILEDB_NOEXCEPT;

/**
 * Returns the text of an encryption type.
 *
 * @param encryption_type The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_encryption_type_to_str(
    tiledb_encryption_type_t encryption_type,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ARRAY_API_EXTERNAL_H */
