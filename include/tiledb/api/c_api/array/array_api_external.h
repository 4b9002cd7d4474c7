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
 * Creates a handle on an array; nothing is read before it is opened.
 *
 * @param ctx The TileDB context.
 * @param array_uri The array's URI or path; the array need not exist.
 * @param array The handle, to be freed with `tiledb_array_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_alloc(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Closes an array; a closed one stays closed.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_close(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array) TILEDB_NOEXCEPT;

/**
 * Creates an array.
 *
 * @param ctx The TileDB context.
 * @param array_uri Where; there must be no array yet, and it must not lie among the files of an array or a group.
 * @param array_schema The schema; the array keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_create(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    const tiledb_array_schema_t *array_schema) TILEDB_NOEXCEPT;

/**
 * Deletes an array with all it holds. Files in its folder that are not the array's stay.
 *
 * @param ctx The TileDB context.
 * @param uri The URI of the array.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_delete(tiledb_ctx_t *ctx, const char *uri) TILEDB_NOEXCEPT;

/**
 * Deletes fragments of an array by their URIs: all of them, or none if the array lacks one.
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
 * Deletes the fragments of an array that were wholly written within a time window.
 *
 * @param ctx The TileDB context.
 * @param uri_str The URI of the array.
 * @param timestamp_start The start of the window in milliseconds since 1970.
 * @param timestamp_end The end of the window, which belongs to it.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_delete_fragments_v2(
    tiledb_ctx_t *ctx,
    const char *uri_str,
    uint64_t timestamp_start,
    uint64_t timestamp_end) TILEDB_NOEXCEPT;

/**
 * Deletes metadata of an array when it is closed; a missing key is fine.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for writing or exclusive modification.
 * @param key The key.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_delete_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key) TILEDB_NOEXCEPT;

/**
 * Tells how an array is encrypted; no key is needed.
 *
 * @param ctx The TileDB context.
 * @param array_uri The array's URI.
 * @param encryption_type The type of encryption.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_encryption_type(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_encryption_type_t *encryption_type) TILEDB_NOEXCEPT;

/**
 * Closes and frees an array and sets the pointer to null.
 *
 * @param array The array.
 */
TILEDB_EXPORT void tiledb_array_free(tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Gives a copy of the configuration of an array.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param config The configuration, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_config(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Gets metadata of an array.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param key The key.
 * @param value_type The datatype of the value.
 * @param value_num How many cells the value has, 1 for an empty one; untouched for a missing key.
 * @param value The value, valid until the array is closed or reopened; null for an empty one and a missing key.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

/**
 * Gets metadata of an array by position in the order of keys.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param index The position.
 * @param key The key, valid until the array is closed or reopened.
 * @param key_len The length of the key.
 * @param value_type The datatype of the value.
 * @param value_num How many cells the value has, 1 for an empty one.
 * @param value The value, valid until the array is closed or reopened; null for an empty one.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
 * Gets the number of metadata of an array.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param num The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_metadata_num(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t *num) TILEDB_NOEXCEPT;

/**
 * Gives the box around all cells of an array whose dimensions have one fixed-size type.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param domain Low and high end per dimension; untouched if there are no cells.
 * @param is_empty 1 if there are no cells, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    void *domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Gives the range of the cells of an array in a fixed-size dimension.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param idx The position of the dimension.
 * @param domain The low and the high end; untouched if there are no cells.
 * @param is_empty 1 if there are no cells, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint32_t idx,
    void *domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Gives the range of the cells of an array in a fixed-size dimension.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param name The name of the dimension.
 * @param domain The low and the high end; untouched if there are no cells.
 * @param is_empty 1 if there are no cells, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *name,
    void *domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Gives the range of the cells of an array in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param idx The position of the dimension.
 * @param start The low end, of the size that the size function gives; untouched if there are no cells.
 * @param end The high end.
 * @param is_empty 1 if there are no cells, else 0.
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
 * Gives the range of the cells of an array in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param name The name of the dimension.
 * @param start The low end, of the size that the size function gives; untouched if there are no cells.
 * @param end The high end.
 * @param is_empty 1 if there are no cells, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_var_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *name,
    void *start,
    void *end,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Gives the sizes of the ends of the range of the cells of an array in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param idx The position of the dimension.
 * @param start_size The size of the low end in bytes; 0 if there are no cells.
 * @param end_size The size of the high end in bytes.
 * @param is_empty 1 if there are no cells, else 0.
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
 * Gives the sizes of the ends of the range of the cells of an array in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param name The name of the dimension.
 * @param start_size The size of the low end in bytes; 0 if there are no cells.
 * @param end_size The size of the high end in bytes.
 * @param is_empty 1 if there are no cells, else 0.
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
 * Gives the end of the time window at which an array was last opened.
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
 * Gives the start of the time window at which an array is opened.
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
 * Tells what an array was last opened for; reading before the first time.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param query_type The type of query.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_query_type(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

/**
 * Gives the schema of an open array.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param array_schema The schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_schema(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Gives the URI of an array.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param array_uri The URI, valid until the array is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_uri(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char **array_uri) TILEDB_NOEXCEPT;

/**
 * Tells whether an array has metadata under a key.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param key The key.
 * @param value_type The datatype of the value; untouched for a missing key.
 * @param has_key 1 if there is such a key, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_has_metadata_key(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key,
    tiledb_datatype_t *value_type,
    int32_t *has_key) TILEDB_NOEXCEPT;

/**
 * Tells whether an array is open.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param is_open 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_is_open(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    int32_t *is_open) TILEDB_NOEXCEPT;

/**
 * Opens an array, as of the timestamps that were set or else of now.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param query_type What it is opened for.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_open(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_query_type_t query_type) TILEDB_NOEXCEPT;

/**
 * Puts metadata into an array, which is written when the array is closed.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for writing or exclusive modification.
 * @param key The key.
 * @param value_type The datatype of the value; any but `TILEDB_ANY`.
 * @param value_num How many cells of the datatype the value has.
 * @param value The value, which is copied; null for an empty one.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_put_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key,
    tiledb_datatype_t value_type,
    uint32_t value_num,
    const void *value) TILEDB_NOEXCEPT;

/**
 * Opens an array that is open for reading again, to see what was written since or to see it as of
 * timestamps set since.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_reopen(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array) TILEDB_NOEXCEPT;

/**
 * Loads the newest schema of an array.
 *
 * @param ctx The TileDB context.
 * @param array_uri The array's URI.
 * @param array_schema The schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
 * @param array_schema The schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_load_with_config(
    tiledb_ctx_t *ctx,
    tiledb_config_t *config,
    const char *array_uri,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Gives an array a configuration of its own; it must not be open.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param config The configuration, which is copied.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_set_config(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Sets the end of the time window for the next opening or reopening.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param timestamp_end Milliseconds since 1970; `UINT64_MAX` means now.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_set_open_timestamp_end(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t timestamp_end) TILEDB_NOEXCEPT;

/**
 * Sets the start of the time window for the next opening or reopening.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param timestamp_start Milliseconds since 1970.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_set_open_timestamp_start(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t timestamp_start) TILEDB_NOEXCEPT;

/**
 * Writes the newest schema of an array anew in the newest version of the format, in which fragments are written
 * from then on. Does nothing where the schema is of that version.
 *
 * @param ctx The TileDB context.
 * @param array_uri The array's URI or path.
 * @param config The configuration with the encryption key; null: that of the context.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_upgrade_version(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Gives an encryption type from its text.
 *
 * @param str The text.
 * @param encryption_type The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_encryption_type_from_str(
    const char *str,
    tiledb_encryption_type_t *encryption_type) TILEDB_NOEXCEPT;

/**
 * Gives the text of an encryption type.
 *
 * @param encryption_type The value.
 * @param str Its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_encryption_type_to_str(
    tiledb_encryption_type_t encryption_type,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ARRAY_API_EXTERNAL_H */
