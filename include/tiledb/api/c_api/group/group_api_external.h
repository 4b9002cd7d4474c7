/*
 * The C interface of TileDB: group.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_GROUP_API_EXTERNAL_H
#define TILEDB_CAPI_GROUP_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../config/config_api_external.h"
#include "../context/context_api_external.h"
#include "../datatype/datatype_api_external.h"
#include "../object/object_api_external.h"
#include "../query/query_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque group handle.
 */
typedef struct tiledb_group_handle_t tiledb_group_t;

TILEDB_EXPORT capi_return_t tiledb_group_add_member(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t relative,
    const char *name) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_add_member_with_type(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t relative,
    const char *name,
    tiledb_object_t type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_alloc(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_group_t **group) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_close(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_consolidate_metadata(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_create(
    tiledb_ctx_t *ctx,
    const char *group_uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_group_delete_group(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t recursive) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_delete_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_dump_str_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_string_t **dump_ascii,
    uint8_t recursive) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_group_free(tiledb_group_t **group) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_config(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_is_relative_uri_by_name(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name,
    uint8_t *relative) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_member_by_index_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t index,
    tiledb_string_t **uri,
    tiledb_object_t *type,
    tiledb_string_t **name) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_member_by_name_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name,
    tiledb_string_t **uri,
    tiledb_object_t *type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_member_count(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t *count) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_metadata_from_index(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t index,
    const char **key,
    uint32_t *key_len,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_metadata_num(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t *num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_query_type(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_get_uri(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char **group_uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_has_metadata_key(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t *value_type,
    int32_t *has_key) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_is_open(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    int32_t *is_open) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_open(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_query_type_t query_type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_put_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t value_type,
    uint32_t value_num,
    const void *value) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_remove_member(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name_or_uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_set_config(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_group_vacuum_metadata(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_GROUP_API_EXTERNAL_H */
