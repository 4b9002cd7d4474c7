/*
 * Functions that libtiledb exported in 2.18 to 2.29.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_RS_REMOVED_H
#define TILEDB_RS_REMOVED_H

#include <stdio.h>
#include "api/c_api/api_external_common.h"
#include "api/c_api/array/array_api_external.h"
#include "api/c_api/array_schema/array_schema_api_external.h"
#include "api/c_api/attribute/attribute_api_external.h"
#include "api/c_api/config/config_api_external.h"
#include "api/c_api/context/context_api_external.h"
#include "api/c_api/dimension/dimension_api_external.h"
#include "api/c_api/domain/domain_api_external.h"
#include "api/c_api/enumeration/enumeration_api_experimental.h"
#include "api/c_api/fragment_info/fragment_info_api_external.h"
#include "api/c_api/group/group_api_external.h"
#include "api/c_api/object/object_api_external.h"
#include "api/c_api/query/query_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Consolidates an encrypted array, as `tiledb_array_consolidate` does.
 *
 * Removed in 2.26; use `tiledb_array_consolidate` with `sm.encryption_type` and `sm.encryption_key` in the configuration.
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI of the array.
 * @param encryption_type How the array is encrypted.
 * @param encryption_key The bytes of its key; may be null without encryption.
 * @param key_length The length of the key in bytes.
 * @param config A configuration whose parameters override those of the context, as for `tiledb_array_consolidate`; null for
 *     those of the context. Encryption keys in either are ignored.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the key does not fit the type or the array, and for other errors.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_array_consolidate_with_key(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_encryption_type_t encryption_type,
    const void *encryption_key,
    uint32_t key_length,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Creates an empty array with a schema, encrypted with a key.
 *
 * Removed in 2.26; use `tiledb_array_create` with `sm.encryption_type` and `sm.encryption_key` in the configuration of the
 * context.
 *
 * @param ctx The TileDB context. The encryption key in its configuration is ignored.
 * @param array_uri The URI or path of the new array.
 * @param array_schema The schema, which must pass `tiledb_array_schema_check`. The array has its own copy.
 * @param encryption_type `TILEDB_AES_256_GCM`, or `TILEDB_NO_ENCRYPTION` for an array that is not encrypted.
 * @param encryption_key The bytes of the key, which are copied; may be null without encryption.
 * @param key_length The length of the key in bytes: 32 for `TILEDB_AES_256_GCM`, 0 for `TILEDB_NO_ENCRYPTION`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the key does not fit the type, there is an array already, the schema is
 *     invalid, or storage fails.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_array_create_with_key(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    const tiledb_array_schema_t *array_schema,
    tiledb_encryption_type_t encryption_type,
    const void *encryption_key,
    uint32_t key_length) TILEDB_NOEXCEPT;

/**
 * Deletes an array with all its fragments, schemas and metadata, and closes the handle.
 *
 * The deletion is immediate and cannot be undone. Files in the folder that do not belong to the array remain, and with them
 * the folder.
 *
 * Removed in 2.26; use `tiledb_array_delete`, which needs no open array.
 *
 * @param ctx The TileDB context.
 * @param array An array, open for exclusive modification (`TILEDB_MODIFY_EXCLUSIVE`). After success it is closed; free it with
 *     `tiledb_array_free`.
 * @param uri The URI of the array to delete, usually that of `array`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if `array` is not open for exclusive modification, there is no array at the
 *     URI, or storage fails.
 */
TILEDB_DEPRECATED_EXPORT capi_return_t tiledb_array_delete_array(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *uri) TILEDB_NOEXCEPT;

/**
 * Deletes the fragments of an array that were written entirely within a time window.
 *
 * The deletion is immediate and cannot be undone. The handle stays open and does not see the deletion until it is opened again.
 *
 * Removed in 2.26; use `tiledb_array_delete_fragments_v2`, which needs no open array.
 *
 * @param ctx The TileDB context.
 * @param array An array, open for exclusive modification (`TILEDB_MODIFY_EXCLUSIVE`).
 * @param uri The URI of the array with the fragments, usually that of `array`.
 * @param timestamp_start The start of the window in milliseconds since 1970-01-01 UTC.
 * @param timestamp_end The end of the window, inclusive.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if `array` is not open for exclusive modification, there is no array at the
 *     URI, or storage fails.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_array_delete_fragments(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const char *uri,
    uint64_t timestamp_start,
    uint64_t timestamp_end) TILEDB_NOEXCEPT;

/**
 * Writes a readable description of a schema: type, orders, capacity, filters, dimensions, attributes, enumerations and current domain.
 *
 * Removed in 2.30; use `tiledb_array_schema_dump_str`, which returns the same text as a string.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_array_schema_dump(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    FILE *out) TILEDB_NOEXCEPT;

/**
 * Loads the newest schema of an encrypted array.
 *
 * Removed in 2.26; use `tiledb_array_schema_load` with `sm.encryption_type` and `sm.encryption_key` in the configuration of
 * the context.
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI or path of the array.
 * @param encryption_type How the array is encrypted.
 * @param encryption_key The bytes of its key; may be null without encryption.
 * @param key_length The length of the key in bytes.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, or it cannot be read with the key.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_array_schema_load_with_key(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_encryption_type_t encryption_type,
    const void *encryption_key,
    uint32_t key_length,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Writes a readable description of an attribute: name, type, values per cell, filters and fill value.
 *
 * Removed in 2.30; use `tiledb_attribute_dump_str`, which returns the same text as a string.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_attribute_dump(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    FILE *out) TILEDB_NOEXCEPT;

/**
 * Writes a readable description of a dimension: name, type, values per coordinate, domain, tile extent and filters.
 *
 * Removed in 2.30; use `tiledb_dimension_dump_str`, which returns the same text as a string.
 *
 * @param ctx The TileDB context.
 * @param dim The dimension.
 * @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_dimension_dump(
    tiledb_ctx_t *ctx,
    const tiledb_dimension_t *dim,
    FILE *out) TILEDB_NOEXCEPT;

/**
 * Writes a readable description of all dimensions of a domain.
 *
 * Removed in 2.30; use `tiledb_domain_dump_str`, which returns the same text as a string.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_domain_dump(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    FILE *out) TILEDB_NOEXCEPT;

/**
 * Writes a readable description of an enumeration: name, type, order and values.
 *
 * Removed in 2.30; use `tiledb_enumeration_dump_str`, which returns the same text as a string.
 *
 * @param ctx The TileDB context.
 * @param enumeration The enumeration.
 * @param out The stream, open for writing; null for standard output. It is neither flushed nor closed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle, or if the stream does not accept the text.
 */
TILEDB_DEPRECATED_EXPORT capi_return_t tiledb_enumeration_dump(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    FILE *out) TILEDB_NOEXCEPT;

/**
 * Returns the name of a fragment: the last component of its URI.
 *
 * Removed in 2.26; use `tiledb_fragment_info_get_fragment_name_v2`.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info object, loaded.
 * @param fid The index of the fragment.
 * @param name Receives the NUL-terminated name, which belongs to the object and is valid until it is freed or loaded again.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, or the index is out of range.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_fragment_info_get_fragment_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char **name) TILEDB_NOEXCEPT;

/**
 * Returns a readable description of a group and its members, one line per member.
 *
 * Removed in 2.30; use `tiledb_group_dump_str_v2`.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for any purpose.
 * @param dump_ascii Receives the NUL-terminated text; release it with `free()` of the C library.
 * @param recursive 1 to describe the members of members too, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_DEPRECATED_EXPORT capi_return_t tiledb_group_dump_str(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    char **dump_ascii,
    uint8_t recursive) TILEDB_NOEXCEPT;

/**
 * Returns a member of a group by its position in the order of names.
 *
 * Removed in 2.26; use `tiledb_group_get_member_by_index_v2`.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param index The position, from 0 and less than `tiledb_group_get_member_count`.
 * @param uri Receives the complete URI of the member; release it with `free()` of the C library.
 * @param type Receives the type that was stored with the member.
 * @param name Receives its name, to be released with `free()`; null if it has none.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading, or the index is out of range.
 */
TILEDB_DEPRECATED_EXPORT capi_return_t tiledb_group_get_member_by_index(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    uint64_t index,
    char **uri,
    tiledb_object_t *type,
    char **name) TILEDB_NOEXCEPT;

/**
 * Returns a member of a group by its name.
 *
 * Removed in 2.26; use `tiledb_group_get_member_by_name_v2`.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for reading.
 * @param name The name.
 * @param uri Receives the complete URI of the member; release it with `free()` of the C library.
 * @param type Receives the type that was stored with the member.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the group is not open for reading or has no such member.
 */
TILEDB_DEPRECATED_EXPORT capi_return_t tiledb_group_get_member_by_name(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    const char *name,
    char **uri,
    tiledb_object_t *type) TILEDB_NOEXCEPT;

/**
 * Adds many single-coordinate ranges to a fixed-size dimension of the subarray of a query.
 *
 * Removed in 2.26; use `tiledb_subarray_add_point_ranges` and `tiledb_query_set_subarray_t`.
 *
 * @param ctx The TileDB context.
 * @param query The query, not yet submitted.
 * @param dim_idx The position of the dimension, from 0.
 * @param start The values, an array of the dimension's datatype, which is copied.
 * @param count The number of values.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for a dimension of variable size, an index out of range, values outside the
 *     domain, and a query that takes no subarray.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_add_point_ranges(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    uint32_t dim_idx,
    const void *start,
    uint64_t count) TILEDB_NOEXCEPT;

/**
 * Adds a range of a dimension of fixed size to the subarray of a query.
 *
 * The first range replaces the whole domain, which a new query selects.
 *
 * Removed in 2.26; use `tiledb_subarray_add_range` and `tiledb_query_set_subarray_t`.
 *
 * @param ctx The TileDB context.
 * @param query The query, not yet submitted.
 * @param dim_idx The position of the dimension, from 0.
 * @param start The lower bound, a value of the dimension's datatype, which is copied.
 * @param end The upper bound, inclusive.
 * @param stride Must be null.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for bounds outside the domain or in the wrong order, an index out of range,
 *     and a query that takes no subarray.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_add_range(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    uint32_t dim_idx,
    const void *start,
    const void *end,
    const void *stride) TILEDB_NOEXCEPT;

/**
 * Adds a range of a dimension, found by its name, to the subarray of a query; see `tiledb_query_add_range`.
 *
 * Removed in 2.26; use `tiledb_subarray_add_range_by_name` and `tiledb_query_set_subarray_t`.
 *
 * @param ctx The TileDB context.
 * @param query The query, not yet submitted.
 * @param dim_name The name of the dimension.
 * @param start The lower bound, a value of the dimension's datatype, which is copied.
 * @param end The upper bound, inclusive.
 * @param stride Must be null.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` as for `tiledb_query_add_range`, and if there is no such dimension.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_add_range_by_name(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *dim_name,
    const void *start,
    const void *end,
    const void *stride) TILEDB_NOEXCEPT;

/**
 * Adds a range of a string dimension to the subarray of a query.
 *
 * Removed in 2.26; use `tiledb_subarray_add_range_var` and `tiledb_query_set_subarray_t`.
 *
 * @param ctx The TileDB context.
 * @param query The query, not yet submitted.
 * @param dim_idx The position of the dimension, from 0.
 * @param start The lower bound, which is copied; null with size 0 for no bound.
 * @param start_size The size of the lower bound in bytes.
 * @param end The upper bound, inclusive; null with size 0 for no bound.
 * @param end_size The size of the upper bound in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for bounds in the wrong order, a dimension of fixed size, an index out of
 *     range, and a query that takes no subarray.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_add_range_var(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    uint32_t dim_idx,
    const void *start,
    uint64_t start_size,
    const void *end,
    uint64_t end_size) TILEDB_NOEXCEPT;

/**
 * Adds a range of a string dimension, found by its name, to the subarray of a query; see `tiledb_query_add_range_var`.
 *
 * Removed in 2.26; use `tiledb_subarray_add_range_var_by_name` and `tiledb_query_set_subarray_t`.
 *
 * @param ctx The TileDB context.
 * @param query The query, not yet submitted.
 * @param dim_name The name of the dimension.
 * @param start The lower bound, which is copied.
 * @param start_size The size of the lower bound in bytes.
 * @param end The upper bound, inclusive.
 * @param end_size The size of the upper bound in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` as for `tiledb_query_add_range_var`, and if there is no such dimension.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_add_range_var_by_name(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *dim_name,
    const void *start,
    uint64_t start_size,
    const void *end,
    uint64_t end_size) TILEDB_NOEXCEPT;

/**
 * Returns a range of a dimension of the subarray of a query.
 *
 * Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range`.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param dim_idx The position of the dimension, from 0.
 * @param range_idx The index of the range, from 0.
 * @param start Receives the address of the lower bound, which belongs to the query and is valid until the subarray changes.
 * @param end Receives the address of the upper bound.
 * @param stride Receives null.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the index of the dimension is out of range, or that of the range.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_get_range(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint32_t dim_idx,
    uint64_t range_idx,
    const void **start,
    const void **end,
    const void **stride) TILEDB_NOEXCEPT;

/**
 * Returns a range of a dimension of the subarray of a query, found by its name.
 *
 * Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_from_name`.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range, from 0.
 * @param start Receives the address of the lower bound, which belongs to the query and is valid until the subarray changes.
 * @param end Receives the address of the upper bound.
 * @param stride Receives null.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such dimension or the index of the range is out of range.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_get_range_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *dim_name,
    uint64_t range_idx,
    const void **start,
    const void **end,
    const void **stride) TILEDB_NOEXCEPT;

/**
 * Returns the number of ranges of a dimension of the subarray of a query.
 *
 * Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_num`.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param dim_idx The position of the dimension, from 0.
 * @param range_num Receives the number; 1 if no range was added.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the index of the dimension is out of range.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_get_range_num(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint32_t dim_idx,
    uint64_t *range_num) TILEDB_NOEXCEPT;

/**
 * Returns the number of ranges of a dimension of the subarray of a query, found by its name.
 *
 * Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_num_from_name`.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param dim_name The name of the dimension.
 * @param range_num Receives the number; 1 if no range was added.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such dimension.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_get_range_num_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *dim_name,
    uint64_t *range_num) TILEDB_NOEXCEPT;

/**
 * Copies a range of a string dimension of the subarray of a query.
 *
 * Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var`.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param dim_idx The position of the dimension, from 0.
 * @param range_idx The index of the range, from 0.
 * @param start Memory for the lower bound, of the size that `tiledb_query_get_range_var_size` returns.
 * @param end Memory for the upper bound.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the index of the dimension is out of range, or that of the range, or the dimension has a fixed size.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_get_range_var(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint32_t dim_idx,
    uint64_t range_idx,
    void *start,
    void *end) TILEDB_NOEXCEPT;

/**
 * Copies a range of a string dimension of the subarray of a query, found by its name.
 *
 * Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var_from_name`.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range, from 0.
 * @param start Memory for the lower bound, of the size that `tiledb_query_get_range_var_size` returns.
 * @param end Memory for the upper bound.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such dimension or the index of the range is out of range, or the dimension has a fixed size.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_get_range_var_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *dim_name,
    uint64_t range_idx,
    void *start,
    void *end) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the bounds of a range of a string dimension of the subarray of a query.
 *
 * Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var_size`.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param dim_idx The position of the dimension, from 0.
 * @param range_idx The index of the range, from 0.
 * @param start_size Receives the size of the lower bound in bytes.
 * @param end_size Receives the size of the upper bound in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the index of the dimension is out of range, or that of the range, or the dimension has a fixed size.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_get_range_var_size(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint32_t dim_idx,
    uint64_t range_idx,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the bounds of a range of a string dimension of the subarray of a query, found by its name.
 *
 * Removed in 2.26; use `tiledb_query_get_subarray_t` and `tiledb_subarray_get_range_var_size_from_name`.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param dim_name The name of the dimension.
 * @param range_idx The index of the range, from 0.
 * @param start_size Receives the size of the lower bound in bytes.
 * @param end_size Receives the size of the upper bound in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such dimension or the index of the range is out of range, or the dimension has a fixed size.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_get_range_var_size_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *dim_name,
    uint64_t range_idx,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

/**
 * Sets the subarray of a query: one range per dimension, in place of those that it had.
 *
 * Removed in 2.26; use `tiledb_subarray_set_subarray` and `tiledb_query_set_subarray_t`.
 *
 * @param ctx The TileDB context.
 * @param query The query, not yet submitted.
 * @param subarray Lower and upper bound of each dimension, one after another, of the datatype that all dimensions have. The
 *     values are copied. Null for the whole domain.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for bounds outside the domain, dimensions of several or variable-size
 *     datatypes, a sparse write, a delete, and a query that was submitted.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_set_subarray(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const void *subarray) TILEDB_NOEXCEPT;

/**
 * Submits a query and returns while it runs, on a thread of its own.
 *
 * Until the query is done its status is `TILEDB_INPROGRESS` (`tiledb_query_get_status`), and the query, its buffers and the
 * context must stay alive. A failure is reported by the status `TILEDB_FAILED` and by the last error of the context.
 *
 * Removed in 2.26; use `tiledb_query_submit` on a thread of the program.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param callback Called on the thread of the query when it is completed, but not after an incomplete read or an error; null
 *     for none. The status is still `TILEDB_INPROGRESS` while it runs. It may call any function, except those that wait for
 *     this query.
 * @param callback_data Passed to the callback.
 * @return `TILEDB_OK` if the query was started; `TILEDB_ERR` for an invalid handle, or if no thread can be started.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_query_submit_async(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    void (*callback)(void*),
    void *callback_data) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_RS_REMOVED_H */
