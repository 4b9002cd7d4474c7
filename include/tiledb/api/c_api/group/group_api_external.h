/*
 * The C interface of TileDB: group.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
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
 * Adds a member to a group, written when the group is closed; the URI is looked at to tell whether it is an array or
 * a group. A member of the same name is replaced.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for writing or exclusive modification.
 * @param uri The member, which need not exist.
 * @param relative 1 if the URI starts at the folder of the group, so that both can be moved together, else 0. A relative URI
 * does not lead out of the folder by `..`.
 * @param name The name of the member in the group; null: it is known by its URI.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_add_member(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t relative,
    const char *name) TILEDB_NOEXCEPT;

/**
 * Adds a member of a known type to a group, written when the group is closed; the URI is not looked at.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for writing or exclusive modification.
 * @param uri The member, which need not exist.
 * @param relative 1 if the URI starts at the folder of the group, so that both can be moved together, else 0. A relative URI
 * does not lead out of the folder by `..`.
 * @param name The name of the member in the group; null: it is known by its URI.
 * @param type `TILEDB_ARRAY` or `TILEDB_GROUP`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_add_member_with_type(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t relative,
    const char *name,
    tiledb_object_t type) TILEDB_NOEXCEPT;

/**
 * Creates a handle on a group; nothing is read before it is opened.
 *
 * @param ctx The TileDB context.
 * @param group_uri The group's URI or path; the group need not exist.
 * @param group The handle, to be freed with `tiledb_group_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_alloc(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_group_t **group) TILEDB_NOEXCEPT;

/**
 * Closes a group and writes what was changed; a closed one stays closed.
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_close(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group) TILEDB_NOEXCEPT;

/**
 * Merges the metadata files of a group into one. The times of `sm.consolidation.timestamp_start` and
 * `sm.consolidation.timestamp_end` say which.
 *
 * @param ctx The TileDB context.
 * @param group_uri The group's URI or path.
 * @param config The configuration; null: that of the context.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_consolidate_metadata(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Creates a group without members.
 *
 * @param ctx The TileDB context.
 * @param group_uri Where; there must be no group yet, and it must not lie inside the folder of an array or among the files of a group.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_create(
    tiledb_ctx_t *ctx,
    const char *group_uri) TILEDB_NOEXCEPT;

/**
 * Deletes a group. Files in its folder that are not the group's stay. The handle is closed, and what was changed through
 * it is not written.
 *
 * @param ctx The TileDB context.
 * @param group A group, open for exclusive modification.
 * @param uri The URI of the group to delete, usually its own.
 * @param recursive 1 to delete the members too, wherever they lie, and theirs; else 0. Nothing is deleted where a relative URI leads
 * out of the folder of its group.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_group_delete_group(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t recursive) TILEDB_NOEXCEPT;

/**
 * Deletes metadata of a group when it is closed; a missing key is fine.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for writing or exclusive modification.
 * @param key The key.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_delete_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key) TILEDB_NOEXCEPT;

/**
 * Gives a group and its members as text, one line each.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for any purpose; members added since are not told.
 * @param dump_ascii The text, to be freed with `tiledb_string_free`.
 * @param recursive 1 to tell the members of members too, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_dump_str_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_string_t **dump_ascii,
    uint8_t recursive) TILEDB_NOEXCEPT;

/**
 * Closes and frees a group and sets the pointer to null. What was changed since it was opened is lost.
 *
 * @param group The group.
 */
TILEDB_EXPORT void tiledb_group_free(tiledb_group_t **group) TILEDB_NOEXCEPT;

/**
 * Gives a copy of the configuration of a group.
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @param config The configuration, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_config(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Tells whether the URI of a member starts at the folder of the group.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param name The name of the member.
 * @param relative 1 if it does, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_is_relative_uri_by_name(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name,
    uint8_t *relative) TILEDB_NOEXCEPT;

/**
 * Gives a member of a group by its position in the order of names. (In libtiledb members have the order of a hash table of
 * the C++ library it was built with, which no program can rely on.)
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param index The position.
 * @param uri The whole URI of the member, to be freed with `tiledb_string_free`.
 * @param type What it was when it became a member; `TILEDB_INVALID` where nothing was there.
 * @param name Its name, to be freed with `tiledb_string_free`; null if it has none.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_member_by_index_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t index,
    tiledb_string_t **uri,
    tiledb_object_t *type,
    tiledb_string_t **name) TILEDB_NOEXCEPT;

/**
 * Gives a member of a group by its name.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param name The name.
 * @param uri The whole URI of the member, to be freed with `tiledb_string_free`.
 * @param type What it was when it became a member; `TILEDB_INVALID` where nothing was there.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_member_by_name_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name,
    tiledb_string_t **uri,
    tiledb_object_t *type) TILEDB_NOEXCEPT;

/**
 * Gives the number of members of a group.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param count The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_member_count(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t *count) TILEDB_NOEXCEPT;

/**
 * Gets metadata of a group.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param key The key.
 * @param value_type The datatype of the value.
 * @param value_num How many cells the value has, 1 for an empty one; untouched for a missing key.
 * @param value The value, valid until the group is closed; null for an empty one and a missing key.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

/**
 * Gets metadata of a group by position in the order of keys.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param index The position.
 * @param key The key, valid until the group is closed.
 * @param key_len The length of the key.
 * @param value_type The datatype of the value.
 * @param value_num How many cells the value has, 1 for an empty one.
 * @param value The value, valid until the group is closed; null for an empty one.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
 * Gets the number of metadata of a group.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param num The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_metadata_num(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t *num) TILEDB_NOEXCEPT;

/**
 * Tells what a group was opened for.
 *
 * @param ctx The TileDB context.
 * @param group The group, which is open.
 * @param query_type The purpose.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_query_type(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

/**
 * Gives the URI of a group.
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @param group_uri The URI, valid until the group is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_uri(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char **group_uri) TILEDB_NOEXCEPT;

/**
 * Tells whether a group has metadata under a key.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param key The key.
 * @param value_type The datatype of the value; untouched for a missing key.
 * @param has_key 1 if there is such a key, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_has_metadata_key(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t *value_type,
    int32_t *has_key) TILEDB_NOEXCEPT;

/**
 * Tells whether a group is open.
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @param is_open 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_is_open(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    int32_t *is_open) TILEDB_NOEXCEPT;

/**
 * Opens a group at the times that its configuration names (`sm.group.timestamp_start`, `sm.group.timestamp_end`).
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @param query_type `TILEDB_READ`, `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_open(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_query_type_t query_type) TILEDB_NOEXCEPT;

/**
 * Puts metadata into a group, which is written when the group is closed.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for writing or exclusive modification.
 * @param key The key.
 * @param value_type The datatype of the value; any but `TILEDB_ANY`.
 * @param value_num How many cells of the datatype the value has.
 * @param value The value, which is copied; null for an empty one.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_put_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t value_type,
    uint32_t value_num,
    const void *value) TILEDB_NOEXCEPT;

/**
 * Removes a member from a group when the group is closed, or one added since it was opened; what it names stays in storage.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for writing or exclusive modification.
 * @param name_or_uri The name of the member, or the URI it was added with if no other member has it.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_remove_member(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name_or_uri) TILEDB_NOEXCEPT;

/**
 * Gives a group a configuration of its own; it must not be open.
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @param config The configuration, which is copied.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_set_config(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Removes the metadata files of a group that were merged into others.
 *
 * @param ctx The TileDB context.
 * @param group_uri The group's URI or path.
 * @param config The configuration; null: that of the context.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_vacuum_metadata(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_GROUP_API_EXTERNAL_H */
