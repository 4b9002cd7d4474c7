/*
 * The C interface of TileDB: array.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
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

#define TILEDB_ENCRYPTION_TYPE_ENUM(id) TILEDB_##id

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

TILEDB_EXPORT capi_return_t tiledb_array_alloc(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_close(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_create(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    const tiledb_array_schema_t *array_schema) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_delete(tiledb_ctx_t *ctx, const char *uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_delete_fragments_list(
    tiledb_ctx_t *ctx,
    const char *uri_str,
    const char **fragment_uris,
    size_t num_fragments) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_delete_fragments_v2(
    tiledb_ctx_t *ctx,
    const char *uri_str,
    uint64_t timestamp_start,
    uint64_t timestamp_end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_delete_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_encryption_type(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_encryption_type_t *encryption_type) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_array_free(tiledb_array_t **array) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_config(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_metadata_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t index,
    const char **key,
    uint32_t *key_len,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_metadata_num(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t *num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    void *domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint32_t idx,
    void *domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *name,
    void *domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_var_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint32_t idx,
    void *start,
    void *end,
    int32_t *is_empty) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_var_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *name,
    void *start,
    void *end,
    int32_t *is_empty) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_var_size_from_index(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint32_t idx,
    uint64_t *start_size,
    uint64_t *end_size,
    int32_t *is_empty) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_non_empty_domain_var_size_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *name,
    uint64_t *start_size,
    uint64_t *end_size,
    int32_t *is_empty) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_open_timestamp_end(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t *timestamp_end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_open_timestamp_start(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t *timestamp_start) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_query_type(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_schema(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_get_uri(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char **array_uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_has_metadata_key(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key,
    tiledb_datatype_t *value_type,
    int32_t *has_key) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_is_open(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    int32_t *is_open) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_open(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_query_type_t query_type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_put_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *key,
    tiledb_datatype_t value_type,
    uint32_t value_num,
    const void *value) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_reopen(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_load(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_load_with_config(
    tiledb_ctx_t *ctx,
    tiledb_config_t *config,
    const char *array_uri,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_set_config(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_set_open_timestamp_end(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t timestamp_end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_set_open_timestamp_start(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t timestamp_start) TILEDB_NOEXCEPT;

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
