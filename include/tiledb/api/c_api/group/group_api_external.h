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
 * Adds a member to a group, effective when the group is closed.
 *
 * The type of the member (array or group) is determined by looking at its URI now; if there is nothing, it is stored as
 * invalid. To skip this, use `tiledb_group_add_member_with_type`. A stored member of the same name is replaced.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for writing or exclusive modification.
 * @param uri The URI of the member, which need not exist.
 * @param relative 1 if the URI is relative to the folder of the group, so that both can be moved together; it must not leave
 *     the folder by `..`. 0 for a complete URI.
 * @param name The name of the member in the group; null if it is to be known by its URI.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for writing, the URI is not allowed, or a member of
 *     the same name has been added already.
 */
TILEDB_EXPORT capi_return_t tiledb_group_add_member(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t relative,
    const char *name) TILEDB_NOEXCEPT;

/**
 * Adds a member of a given type to a group, effective when the group is closed. Unlike `tiledb_group_add_member` it does not
 * access the URI.
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
 * Creates a handle on a group. Nothing is read from storage until the group is opened.
 *
 * A group is a folder that lists arrays and other groups as members and has metadata.
 *
 * ```c
 * tiledb_group_t *weather = NULL;
 * tiledb_group_create(ctx, "weather");
 * tiledb_group_alloc(ctx, "weather", &weather);
 * tiledb_group_open(ctx, weather, TILEDB_WRITE);
 * tiledb_group_add_member(ctx, weather, "january", 1, "january");
 * tiledb_group_close(ctx, weather); // stores the changes
 * tiledb_group_free(&weather);
 * ```
 *
 * @param ctx The TileDB context.
 * @param group_uri The URI or path of the group, which need not exist yet.
 * @param group Receives the handle; free it with `tiledb_group_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid URI.
 */
TILEDB_EXPORT capi_return_t tiledb_group_alloc(
    tiledb_ctx_t *ctx,
    const char *group_uri,
    tiledb_group_t **group) TILEDB_NOEXCEPT;

/**
 * Closes a group and stores the members and metadata that were changed since it was opened.
 *
 * Metadata pointers obtained from the group become invalid. Closing a group that is not open does nothing. If the changes
 * cannot be stored, the call fails, the group is closed nevertheless, and the changes are lost.
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the changes could not be stored.
 */
TILEDB_EXPORT capi_return_t tiledb_group_close(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group) TILEDB_NOEXCEPT;

/**
 * Consolidates the metadata files of a group into one. `sm.consolidation.timestamp_start` and `sm.consolidation.timestamp_end`
 * select which.
 *
 * @param ctx The TileDB context.
 * @param group_uri The group's URI or path.
 * @param config A configuration whose parameters override those of the context; null for those of the context.
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
 * @param group_uri The URI of the new group. There must be no group yet, and it must not be inside the folder of an array or
 *     among the internal files of a group.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is a group already or storage fails.
 */
TILEDB_EXPORT capi_return_t tiledb_group_create(
    tiledb_ctx_t *ctx,
    const char *group_uri) TILEDB_NOEXCEPT;

/**
 * Deletes a group, and optionally its members.
 *
 * The deletion is immediate. Files in the folder that do not belong to the group remain. The handle is closed, and changes
 * made through it are discarded. A deletion that was interrupted can be repeated.
 *
 * @param ctx The TileDB context.
 * @param group A group, open with `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
 * @param uri The URI of the group to delete, usually that of `group`.
 * @param recursive 1 to delete the members too, wherever they are, and theirs; 0 to delete the group only. If a relative URI
 *     leaves the folder of its group, or a member is a symbolic link, nothing is deleted.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_group_delete_group(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *uri,
    uint8_t recursive) TILEDB_NOEXCEPT;

/**
 * Deletes a metadata value of a group, effective when the group is closed. A missing key is not an error.
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
 * Returns a readable description of a group and its members, one line per member.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for any purpose; members added since are not told.
 * @param dump_ascii Receives the text, to be freed with `tiledb_string_free`.
 * @param recursive 1 to tell the members of members too, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_dump_str_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_string_t **dump_ascii,
    uint8_t recursive) TILEDB_NOEXCEPT;

/**
 * Frees a group handle and sets the pointer to null.
 *
 * An open group is closed, but its changes are discarded: call `tiledb_group_close` first.
 *
 * @param group The group; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_group_free(tiledb_group_t **group) TILEDB_NOEXCEPT;

/**
 * Returns a copy of the configuration of a group.
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @param config Receives the configuration, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_config(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Reports whether the URI of a member is relative to the folder of the group.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param name The name of the member.
 * @param relative Receives 1 if it does, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_is_relative_uri_by_name(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name,
    uint8_t *relative) TILEDB_NOEXCEPT;

/**
 * Returns a member of a group by its position in the order of names.
 *
 * The order is defined and stable, unlike in libtiledb, where it depends on a hash table.
 *
 * ```c
 * uint64_t count = 0;
 * tiledb_group_get_member_count(ctx, group, &count);
 * for (uint64_t i = 0; i < count; i++) {
 *   tiledb_string_t *uri = NULL, *name = NULL;
 *   tiledb_object_t type = TILEDB_INVALID;
 *   const char *text = NULL;
 *   size_t length = 0;
 *   tiledb_group_get_member_by_index_v2(ctx, group, i, &uri, &type, &name);
 *   tiledb_string_view(uri, &text, &length);
 *   printf("%.*s\n", (int)length, text);
 *   tiledb_string_free(&uri);
 *   if (name != NULL)
 *     tiledb_string_free(&name);
 * }
 * ```
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param index The position, from 0 and less than `tiledb_group_get_member_count`.
 * @param uri Receives the complete URI of the member; free it with `tiledb_string_free`.
 * @param type Receives the type that was stored with the member: `TILEDB_INVALID` if there was nothing at its URI then.
 * @param name Receives its name, to be freed with `tiledb_string_free`; null if it has none.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading, or the index is out of range.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_member_by_index_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t index,
    tiledb_string_t **uri,
    tiledb_object_t *type,
    tiledb_string_t **name) TILEDB_NOEXCEPT;

/**
 * Returns a member of a group by its name.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param name The name.
 * @param uri Receives the complete URI of the member; free it with `tiledb_string_free`.
 * @param type Receives the type that was stored with the member: `TILEDB_INVALID` if there was nothing at its URI then.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading or has no such member.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_member_by_name_v2(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name,
    tiledb_string_t **uri,
    tiledb_object_t *type) TILEDB_NOEXCEPT;

/**
 * Returns the number of members of a group.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param count Receives the number.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_member_count(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t *count) TILEDB_NOEXCEPT;

/**
 * Returns a metadata value of a group by its key.
 *
 * A missing key is not an error: `value` is null then, and `value_num` is unchanged; initialize it to 0.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param key The key.
 * @param value_type Receives the datatype of the value.
 * @param value_num Receives the number of elements, 1 for an empty value; unchanged if the key does not exist.
 * @param value Receives the address of the elements, or null for an empty value or a missing key. The memory belongs to the
 *     group and is valid until it is closed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t *value_type,
    uint32_t *value_num,
    const void **value) TILEDB_NOEXCEPT;

/**
 * Returns a metadata entry of a group by its position in the order of the keys.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param index The position.
 * @param key Receives the key, valid until the group is closed.
 * @param key_len Receives the length of the key.
 * @param value_type Receives the datatype of the value.
 * @param value_num Receives how many cells the value has, 1 for an empty one.
 * @param value Receives the value, valid until the group is closed; null for an empty one.
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
 * Returns the number of metadata entries of a group.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_metadata_num(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t *num) TILEDB_NOEXCEPT;

/**
 * Returns the purpose for which a group was opened.
 *
 * @param ctx The TileDB context.
 * @param group The group, which is open.
 * @param query_type Receives the purpose.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_query_type(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

/**
 * Returns the URI of a group.
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @param group_uri Receives the URI, valid until the group is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_get_uri(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char **group_uri) TILEDB_NOEXCEPT;

/**
 * Reports whether a group has a metadata value under a key.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param key The key.
 * @param value_type Receives the datatype of the value; untouched for a missing key.
 * @param has_key Receives 1 if there is such a key, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_has_metadata_key(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t *value_type,
    int32_t *has_key) TILEDB_NOEXCEPT;

/**
 * Reports whether a group is open.
 *
 * @param ctx The TileDB context.
 * @param group The group.
 * @param is_open Receives 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_group_is_open(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    int32_t *is_open) TILEDB_NOEXCEPT;

/**
 * Opens a group, as a snapshot at the time that its configuration selects (`sm.group.timestamp_start`,
 * `sm.group.timestamp_end`; by default now).
 *
 * @param ctx The TileDB context.
 * @param group The group, not open.
 * @param query_type `TILEDB_READ` to list members and metadata; `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE` to change them, which
 *     takes effect on close, or to delete the group.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is open already, does not exist, or for other query types.
 */
TILEDB_EXPORT capi_return_t tiledb_group_open(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_query_type_t query_type) TILEDB_NOEXCEPT;

/**
 * Sets a metadata value of a group, which is stored when the group is closed.
 *
 * It works like `tiledb_array_put_metadata`.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for writing or exclusive modification.
 * @param key The key, a NUL-terminated string.
 * @param value_type The datatype of the value; any but `TILEDB_ANY`.
 * @param value_num The number of elements of that datatype: for strings the number of bytes, without a NUL.
 * @param value The elements, which are copied; null for an empty value.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for writing, or the datatype is not allowed.
 */
TILEDB_EXPORT capi_return_t tiledb_group_put_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *key,
    tiledb_datatype_t value_type,
    uint32_t value_num,
    const void *value) TILEDB_NOEXCEPT;

/**
 * Removes a member from a group, effective when the group is closed. The array or group itself is not deleted.
 *
 * It also cancels an addition since the group was opened.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for writing or exclusive modification.
 * @param name_or_uri The name of the member, or the URI it was added with if that is unique.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for writing or has no such member.
 */
TILEDB_EXPORT capi_return_t tiledb_group_remove_member(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name_or_uri) TILEDB_NOEXCEPT;

/**
 * Sets parameters for a group handle, which must not be open: the key, and the time to open the group at.
 *
 * The parameters that are set in `config` override those that the handle has, at first those of the context; the others keep
 * their values.
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
 * Removes the metadata files of a group that consolidation has replaced.
 *
 * @param ctx The TileDB context.
 * @param group_uri The group's URI or path.
 * @param config A configuration whose parameters override those of the context; null for those of the context.
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
