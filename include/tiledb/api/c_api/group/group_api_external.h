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

/**
 * Adds a member to a group open for writing. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_add_member(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t relative,
    const char *name) TILEDB_NOEXCEPT;

/**
 * Adds a member of a known type to a group open for writing. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_add_member_with_type(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t relative,
    const char *name,
    tiledb_object_t type) TILEDB_NOEXCEPT;

/**
 * Creates a handle on a group, to be freed with `tiledb_group_free`; nothing is read before it is opened. Not
 * written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_alloc(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_group_t **group) TILEDB_NOEXCEPT;

/**
 * Closes a group; what was changed is written. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_close(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group) TILEDB_NOEXCEPT;

/**
 * Merges the metadata of a group. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_consolidate_metadata(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Creates an empty group. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_create(
    tiledb_ctx_t *ctx,
    const char *group_uri) TILEDB_NOEXCEPT;

/**
 * Deletes a group; with `recursive`, its members as well. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_group_delete_group(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t recursive) TILEDB_NOEXCEPT;

/**
 * Deletes a value from the metadata of a group open for writing. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_delete_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key) TILEDB_NOEXCEPT;

/**
 * Gives a group and its members as text, to be freed with `tiledb_string_free`. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_dump_str_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_string_t **dump_ascii,
    uint8_t recursive) TILEDB_NOEXCEPT;

/**
 * Closes and frees a group and sets the pointer to null. Not written yet.
 */
TILEDB_EXPORT void tiledb_group_free(tiledb_group_t **group) TILEDB_NOEXCEPT;

/**
 * Gives a copy of the configuration of a group, to be freed with `tiledb_config_free`. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_config(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Tells whether the URI of a member is relative to the group's. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_is_relative_uri_by_name(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name,
    uint8_t *relative) TILEDB_NOEXCEPT;

/**
 * Gives a member by its position; the texts are to be freed with `tiledb_string_free`. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_member_by_index_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t index,
    tiledb_string_t **uri,
    tiledb_object_t *type,
    tiledb_string_t **name) TILEDB_NOEXCEPT;

/**
 * Gives a member by its name; the texts are to be freed with `tiledb_string_free`. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_member_by_name_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name,
    tiledb_string_t **uri,
    tiledb_object_t *type) TILEDB_NOEXCEPT;

/**
 * Gives the number of members of a group. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_member_count(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t *count) TILEDB_NOEXCEPT;

/**
 * Gives a value of the metadata of a group by its key, valid until the group is closed. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

/**
 * Gives a value of the metadata of a group by its position, valid until the group is closed. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_metadata_from_index(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t index,
    const char **key,
    uint32_t *key_len,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

/**
 * Gives the number of values in the metadata of a group. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_metadata_num(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t *num) TILEDB_NOEXCEPT;

/**
 * Tells what a group was opened for. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_query_type(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

/**
 * Gives the URI of a group, valid until the group is freed. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_uri(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char **group_uri) TILEDB_NOEXCEPT;

/**
 * Tells whether the metadata of a group has a value with this key, and its type. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_has_metadata_key(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t *value_type,
    int32_t *has_key) TILEDB_NOEXCEPT;

/**
 * Tells whether a group is open. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_is_open(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    int32_t *is_open) TILEDB_NOEXCEPT;

/**
 * Opens a group for reading or for changing it. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_open(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_query_type_t query_type) TILEDB_NOEXCEPT;

/**
 * Adds a value to the metadata of a group open for writing, or replaces it. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_put_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t value_type,
    uint32_t value_num,
    const void *value) TILEDB_NOEXCEPT;

/**
 * Removes a member from a group open for writing; the member itself stays. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_remove_member(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name_or_uri) TILEDB_NOEXCEPT;

/**
 * Sets the configuration of a closed group; the group keeps its own copy. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_set_config(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Removes the metadata files of a group that consolidation has made superfluous. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_group_vacuum_metadata(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_GROUP_API_EXTERNAL_H */
