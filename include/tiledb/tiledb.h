/*
 * The C interface of the TileDB storage engine.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_H
#define TILEDB_H

#include "tiledb_version.h"
#include <stdint.h>
#include <stdio.h>
#include "api/c_api/api_external_common.h"
#include "api/c_api/array/array_api_external.h"
#include "api/c_api/array_schema/array_schema_api_external.h"
#include "api/c_api/array_schema_evolution/array_schema_evolution_api_experimental.h"
#include "api/c_api/attribute/attribute_api_external.h"
#include "api/c_api/buffer/buffer_api_external.h"
#include "api/c_api/buffer_list/buffer_list_api_external.h"
#include "api/c_api/config/config_api_external.h"
#include "api/c_api/context/context_api_external.h"
#include "api/c_api/data_order/data_order_api_external.h"
#include "api/c_api/datatype/datatype_api_external.h"
#include "api/c_api/dimension/dimension_api_external.h"
#include "api/c_api/domain/domain_api_external.h"
#include "api/c_api/error/error_api_external.h"
#include "api/c_api/filesystem/filesystem_api_external.h"
#include "api/c_api/filter/filter_api_external.h"
#include "api/c_api/filter_list/filter_list_api_external.h"
#include "api/c_api/fragment_info/fragment_info_api_external.h"
#include "api/c_api/group/group_api_external.h"
#include "api/c_api/object/object_api_external.h"
#include "api/c_api/query/query_api_external.h"
#include "api/c_api/string/string_api_external.h"
#include "api/c_api/subarray/subarray_api_external.h"
#include "api/c_api/vfs/vfs_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TILEDB_VAR_NUM tiledb_var_num()
#define TILEDB_MAX_PATH tiledb_max_path()
#define TILEDB_OFFSET_SIZE tiledb_offset_size()
#define TILEDB_TIMESTAMP_NOW_MS tiledb_timestamp_now_ms()
#define TILEDB_TIMESTAMPS tiledb_timestamps()

/**
 * The state of a query.
 */
typedef enum {
  TILEDB_FAILED = 0,
  TILEDB_COMPLETED = 1,
  TILEDB_INPROGRESS = 2,
  TILEDB_INCOMPLETE = 3,
  TILEDB_UNINITIALIZED = 4,
  TILEDB_INITIALIZED = 5,
} tiledb_query_status_t;

/**
 * A comparison of a query condition.
 */
typedef enum {
  TILEDB_LT = 0,
  TILEDB_LE = 1,
  TILEDB_GT = 2,
  TILEDB_GE = 3,
  TILEDB_EQ = 4,
  TILEDB_NE = 5,
  TILEDB_IN = 6,
  TILEDB_NOT_IN = 7,
} tiledb_query_condition_op_t;

/**
 * How query conditions are combined.
 */
typedef enum {
  TILEDB_AND = 0,
  TILEDB_OR = 1,
  TILEDB_NOT = 2,
} tiledb_query_condition_combination_op_t;

/**
 * The type of a file in a filestore.
 */
typedef enum {
  TILEDB_MIME_AUTODETECT = 0,
  TILEDB_MIME_TIFF = 1,
  TILEDB_MIME_PDF = 2,
} tiledb_mime_type_t;

/**
 * The opaque query condition handle.
 */
typedef struct tiledb_query_condition_t tiledb_query_condition_t;

/**
 * The opaque consolidation plan handle.
 */
typedef struct tiledb_consolidation_plan_t tiledb_consolidation_plan_t;

/**
 * Consolidates an array: merges its fragments, or collects their metadata, their commits or the metadata of the array in one
 * file.
 *
 * `sm.consolidation.mode` selects what is merged: `fragments` (the default), `fragment_meta`, `commits` or `array_meta`.
 * Consolidation may run beside readers and writers; it takes effect atomically, and a failed or interrupted one leaves the
 * array unchanged. The merged files remain, since readers may have them open, until `tiledb_array_vacuum` removes them.
 * Consolidating fragments rewrites their cells; limit the amount with `sm.consolidation.timestamp_start`, `timestamp_end` and
 * the `step_*` parameters, and the memory with `sm.mem.total_budget`.
 *
 * ```c
 * tiledb_array_consolidate(ctx, "my_array", NULL);
 * tiledb_array_vacuum(ctx, "my_array", NULL); // once no reader has the old fragments open
 * ```
 *
 * See also `tiledb_array_consolidate_fragments`, `tiledb_consolidation_plan_create_with_mbr`, and for progress and
 * cancellation `tiledb_rs_array_consolidate`.
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI of the array.
 * @param config A configuration whose parameters override those of the context; null for those of the context.
 *     `sm.consolidation.mode` of the context does not apply if a configuration is passed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if the operation was cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_array_consolidate(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Removes the files that consolidation has replaced.
 *
 * `sm.vacuum.mode` selects which, in the same terms as `sm.consolidation.mode`: consolidated fragments (the default),
 * individual commits, all consolidated fragment metadata but the latest, or array metadata. Vacuuming cannot be undone:
 * readers that have the array open as of an earlier state fail when they read fragments that are gone, and in dense arrays
 * time travel no longer distinguishes the writes that were consolidated. An interrupted vacuum leaves the array readable and
 * can be repeated.
 *
 * See also `tiledb_rs_array_vacuum_files` for a dry run and `tiledb_rs_array_vacuum` for progress and cancellation.
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI of the array. No process should be reading fragments that were consolidated.
 * @param config A configuration whose parameters override those of the context; null for those of the context.
 *     `sm.vacuum.mode` of the context does not apply if a configuration is passed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if the operation was cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_array_vacuum(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Profiles the heap in builds made for that; this one is not.
 *
 * @param file_name_prefix Where the profiles would be written; null asks for none.
 * @param dump_interval_ms The time between two of them.
 * @param dump_interval_bytes The allocations between two of them.
 * @param dump_threshold_bytes The smallest allocation that would be listed.
 * @return `TILEDB_OK` if no profile is asked for, else `TILEDB_ERR`.
 */
TILEDB_EXPORT int32_t tiledb_heap_profiler_enable(
    const char *file_name_prefix,
    uint64_t dump_interval_ms,
    uint64_t dump_interval_bytes,
    uint64_t dump_threshold_bytes) TILEDB_NOEXCEPT;

/**
 * Returns the greatest length of a path.
 *
 * @return The length in bytes.
 */
TILEDB_EXPORT uint32_t tiledb_max_path(void) TILEDB_NOEXCEPT;

/**
 * Lists the arrays and groups in a directory, not recursively, in the order of their names.
 *
 * @param ctx The context.
 * @param path The directory.
 * @param callback Called with each URI, its type and `data`: it returns 1 to go on, 0 to stop,
 *     -1 for an error. It may call any function.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_object_ls(
    tiledb_ctx_t *ctx,
    const char *path,
    int32_t (*callback)(const char*, tiledb_object_t, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Moves or renames an array or a group.
 *
 * @param ctx The context.
 * @param old_path The array or group.
 * @param new_path Its new name, on the same storage.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_object_move(
    tiledb_ctx_t *ctx,
    const char *old_path,
    const char *new_path) TILEDB_NOEXCEPT;

/**
 * Removes an array or a group with all its contents. The removal is immediate and cannot be undone. Of a symbolic link only
 * the link is removed.
 *
 * @param ctx The context.
 * @param path The array or group.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_object_remove(tiledb_ctx_t *ctx, const char *path) TILEDB_NOEXCEPT;

/**
 * Returns whether a URI is an array, a group or neither.
 *
 * @param ctx The context.
 * @param path The URI.
 * @param type `TILEDB_ARRAY`, `TILEDB_GROUP`, or `TILEDB_INVALID` for anything else and for nothing.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_object_type(
    tiledb_ctx_t *ctx,
    const char *path,
    tiledb_object_t *type) TILEDB_NOEXCEPT;

/**
 * Lists the arrays and groups in a directory and in its groups, recursively.
 *
 * @param ctx The context.
 * @param path The directory.
 * @param order Whether a group comes before (`TILEDB_PREORDER`) or after what it holds.
 * @param callback Called with each URI, its type and `data`: it returns 1 to go on, 0 to stop,
 *     -1 for an error. It may call any function.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_object_walk(
    tiledb_ctx_t *ctx,
    const char *path,
    tiledb_walk_order_t order,
    int32_t (*callback)(const char*, tiledb_object_t, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Returns the size of an offset of variable-sized cells.
 *
 * @return The size in bytes.
 */
TILEDB_EXPORT uint64_t tiledb_offset_size(void) TILEDB_NOEXCEPT;

/**
 * Creates a query: one read, write or delete of cells of an open array.
 *
 * Lifecycle: set layout, subarray, condition and buffers; submit; for reads repeat the submit while the status is
 * `TILEDB_INCOMPLETE`; for writes in global order finalize; free.
 *
 * The query works on the snapshot that the array has at this moment. The array must still be open for the same purpose at the
 * first submit; afterwards the query no longer depends on it. The configuration is that of `ctx`, whichever context opened the
 * array. A query is used by one thread at a time: a call waits while another thread submits it, except for
 * `tiledb_query_get_status`. Any number of queries may run on one array at the same time.
 *
 * Defaults: row-major layout for reads and dense writes, unordered for sparse writes; the whole domain.
 *
 * ```c
 * int32_t first[] = {1, 1}, last[] = {4, 4}, values[16];
 * uint64_t size = sizeof values;
 * tiledb_query_t *read = NULL;
 * tiledb_query_alloc(ctx, array, TILEDB_READ, &read);
 * tiledb_subarray_t *box = NULL;
 * tiledb_subarray_alloc(ctx, array, &box);
 * tiledb_subarray_add_range(ctx, box, 0, &first[0], &last[0], NULL);
 * tiledb_subarray_add_range(ctx, box, 1, &first[1], &last[1], NULL);
 * tiledb_query_set_subarray_t(ctx, read, box);
 * tiledb_query_set_data_buffer(ctx, read, "a", values, &size);
 * tiledb_query_submit(ctx, read);
 * tiledb_subarray_free(&box);
 * tiledb_query_free(&read);
 * ```
 *
 * @param ctx The TileDB context.
 * @param array The array, open for the same type, or with `TILEDB_MODIFY_EXCLUSIVE` for a write.
 * @param query_type What the query does: `TILEDB_READ`, `TILEDB_WRITE`, `TILEDB_DELETE`, ...
 * @param query Receives the query; free it with `tiledb_query_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for this type.
 */
TILEDB_EXPORT int32_t tiledb_query_alloc(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_query_type_t query_type,
    tiledb_query_t **query) TILEDB_NOEXCEPT;

/**
 * Creates an empty query condition, to be initialized with `tiledb_query_condition_init`.
 *
 * A condition is a predicate: a comparison of a field with a value, or conditions combined with AND, OR and NOT.
 *
 * ```c
 * int32_t low = 10, high = 20;
 * tiledb_query_condition_t *above = NULL, *below = NULL, *both = NULL;
 * tiledb_query_condition_alloc(ctx, &above);
 * tiledb_query_condition_init(ctx, above, "a", &low, sizeof low, TILEDB_GE);
 * tiledb_query_condition_alloc(ctx, &below);
 * tiledb_query_condition_init(ctx, below, "a", &high, sizeof high, TILEDB_LT);
 * tiledb_query_condition_combine(ctx, above, below, TILEDB_AND, &both);
 * tiledb_query_set_condition(ctx, query, both);
 * tiledb_query_condition_free(&above);
 * tiledb_query_condition_free(&below);
 * tiledb_query_condition_free(&both);
 * ```
 *
 * @param ctx The TileDB context.
 * @param cond Receives the condition; free it with `tiledb_query_condition_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_condition_alloc(
    tiledb_ctx_t *ctx,
    tiledb_query_condition_t **cond) TILEDB_NOEXCEPT;

/**
 * Creates a condition from two others with AND or OR, or from one with NOT.
 *
 * The inputs are not changed and can be freed afterwards.
 *
 * @param ctx The TileDB context.
 * @param left_cond The first condition, initialized.
 * @param right_cond The second condition, initialized; null for `TILEDB_NOT`.
 * @param combination_op `TILEDB_AND`, `TILEDB_OR` or `TILEDB_NOT`.
 * @param combined_cond Receives the new condition; free it with `tiledb_query_condition_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if a condition is not initialized.
 */
TILEDB_EXPORT int32_t tiledb_query_condition_combine(
    tiledb_ctx_t *ctx,
    const tiledb_query_condition_t *left_cond,
    const tiledb_query_condition_t *right_cond,
    tiledb_query_condition_combination_op_t combination_op,
    tiledb_query_condition_t **combined_cond) TILEDB_NOEXCEPT;

/**
 * Frees a condition and sets the pointer to null. Queries and conditions that were created with it have copies.
 *
 * @param cond The condition; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_query_condition_free(tiledb_query_condition_t **cond) TILEDB_NOEXCEPT;

/**
 * Initializes a condition as the comparison of a field with a value.
 *
 * Null cells match only comparisons with null. Strings are compared as bytes. For an attribute with an enumeration the value
 * is one of the enumeration's, unless `tiledb_query_condition_set_use_enumeration` says otherwise. Name and value are checked
 * against the schema of the array when the query is submitted.
 *
 * @param ctx The TileDB context.
 * @param cond The condition, which must be empty: it can be initialized once.
 * @param attribute_name The name of an attribute or a dimension.
 * @param condition_value The value, which is copied; null tests for null cells with `TILEDB_EQ` and `TILEDB_NE`.
 * @param condition_value_size The size of the value in bytes: that of a cell of the field, for strings any length; 0 with a
 *     null value.
 * @param op The comparison; membership in a set is tested by `tiledb_query_condition_alloc_set_membership`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the condition is initialized already, or a null value has a size.
 */
TILEDB_EXPORT int32_t tiledb_query_condition_init(
    tiledb_ctx_t *ctx,
    tiledb_query_condition_t *cond,
    const char *attribute_name,
    const void *condition_value,
    uint64_t condition_value_size,
    tiledb_query_condition_op_t op) TILEDB_NOEXCEPT;

/**
 * Creates the negation of a condition.
 *
 * Null cells match neither a comparison with a value nor its negation.
 *
 * @param ctx The TileDB context.
 * @param cond The condition, initialized; it is not changed.
 * @param negated_cond Receives the negation; free it with `tiledb_query_condition_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the condition is not initialized.
 */
TILEDB_EXPORT int32_t tiledb_query_condition_negate(
    tiledb_ctx_t *ctx,
    const tiledb_query_condition_t *cond,
    tiledb_query_condition_t **negated_cond) TILEDB_NOEXCEPT;

/**
 * Finalizes a write in global order: writes the last tile and commits the fragment, which makes the cells visible.
 *
 * Required for every write in global order; without it the cells of all submits are discarded when the query is freed. For a
 * dense array all cells of the subarray must have been submitted. For other queries the call does nothing, unless an unordered
 * write failed, which it reports. A finalized query takes no more cells.
 *
 * ```c
 * tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER);
 * // ... set buffers; for each batch fill them and call tiledb_query_submit(ctx, query) ...
 * if (tiledb_query_finalize(ctx, query) != TILEDB_OK)
 *   return 1; // nothing was written
 * ```
 *
 * @param ctx The TileDB context.
 * @param query The query; null is accepted and does nothing.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if cells are missing, the write was abandoned after an error, or storage
 *     fails.
 */
TILEDB_EXPORT int32_t tiledb_query_finalize(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query) TILEDB_NOEXCEPT;

/**
 * Frees a query and sets the pointer to null.
 *
 * The buffers of the query belong to the caller and may be freed afterwards. A write in global order that was not finalized is
 * discarded. An incomplete read just ends.
 *
 * @param query The query; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_query_free(tiledb_query_t **query) TILEDB_NOEXCEPT;

/**
 * Returns the array of a query.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param array Receives the array, to be freed with `tiledb_array_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_array(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Returns the configuration of a query.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param config Receives a copy, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_config(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Returns the data buffer that was set for a field.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param buffer Receives the buffer, null if none was set.
 * @param buffer_size Receives the size variable, null if none was set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_data_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    void **buffer,
    uint64_t **buffer_size) TILEDB_NOEXCEPT;

/**
 * Estimates the size of the results of a read for a field with fixed-size cells that is not nullable.
 *
 * The estimate takes metadata only: the tiles that the subarray intersects, weighted with the share of each that is selected.
 * For fixed-size fields of dense arrays it is exact; otherwise the actual size may be smaller or larger, so be prepared for
 * `TILEDB_INCOMPLETE`. Query conditions are not considered. Set subarray and layout first.
 *
 * ```c
 * uint64_t size = 0;
 * tiledb_query_get_est_result_size(ctx, query, "a", &size);
 * int32_t *values = malloc(size);
 * tiledb_query_set_data_buffer(ctx, query, "a", values, &size);
 * ```
 *
 * See also `tiledb_query_get_est_result_size_var`, `tiledb_query_get_est_result_size_nullable`,
 * `tiledb_query_get_est_result_size_var_nullable`.
 *
 * @param ctx The TileDB context.
 * @param query A read query.
 * @param name The name of the field.
 * @param size Receives the size of the data buffer in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for writes, unknown fields, and fields of variable size or nullable ones.
 */
TILEDB_EXPORT int32_t tiledb_query_get_est_result_size(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *name,
    uint64_t *size) TILEDB_NOEXCEPT;

/**
 * Estimates the size of the results of a read for a nullable attribute with fixed-size cells.
 *
 * See `tiledb_query_get_est_result_size` for the precision.
 *
 * @param ctx The TileDB context.
 * @param query A read query.
 * @param name The name of the attribute.
 * @param size_val Receives the size of the data buffer in bytes.
 * @param size_validity Receives the size of the validity buffer in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for writes, unknown fields, and fields of variable size or without nulls.
 */
TILEDB_EXPORT int32_t tiledb_query_get_est_result_size_nullable(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *name,
    uint64_t *size_val,
    uint64_t *size_validity) TILEDB_NOEXCEPT;

/**
 * Estimates the size of the results of a read for a field with variable-length cells that is not nullable.
 *
 * See `tiledb_query_get_est_result_size` for the precision.
 *
 * @param ctx The TileDB context.
 * @param query A read query.
 * @param name The name of the field.
 * @param size_off Receives the size of the offsets buffer in bytes.
 * @param size_val Receives the size of the data buffer in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for writes, unknown fields, and fields of fixed size or nullable ones.
 */
TILEDB_EXPORT int32_t tiledb_query_get_est_result_size_var(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *name,
    uint64_t *size_off,
    uint64_t *size_val) TILEDB_NOEXCEPT;

/**
 * Estimates the size of the results of a read for a nullable attribute with variable-length cells.
 *
 * See `tiledb_query_get_est_result_size` for the precision.
 *
 * @param ctx The TileDB context.
 * @param query A read query.
 * @param name The name of the attribute.
 * @param size_off Receives the size of the offsets buffer in bytes.
 * @param size_val Receives the size of the data buffer in bytes.
 * @param size_validity Receives the size of the validity buffer in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for writes, unknown fields, and fields of fixed size or without nulls.
 */
TILEDB_EXPORT int32_t tiledb_query_get_est_result_size_var_nullable(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *name,
    uint64_t *size_off,
    uint64_t *size_val,
    uint64_t *size_validity) TILEDB_NOEXCEPT;

/**
 * Returns the number of fragments that a write has committed.
 *
 * A write creates one fragment, or several if `sm.fragment.max_size` limits their size.
 *
 * @param ctx The TileDB context.
 * @param query A write query.
 * @param num Receives the number.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for queries that do not write.
 */
TILEDB_EXPORT int32_t tiledb_query_get_fragment_num(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint32_t *num) TILEDB_NOEXCEPT;

/**
 * Returns the timestamps of a fragment that a write has committed.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param idx The index of the fragment.
 * @param t1 Receives the first timestamp.
 * @param t2 Receives the last timestamp.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_fragment_timestamp_range(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint64_t idx,
    uint64_t *t1,
    uint64_t *t2) TILEDB_NOEXCEPT;

/**
 * Returns the URI of a fragment that a write has committed.
 *
 * @param ctx The TileDB context.
 * @param query A write query.
 * @param idx The index of the fragment, less than `tiledb_query_get_fragment_num`.
 * @param uri Receives the NUL-terminated URI, which belongs to the query and is valid until `tiledb_query_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for queries that do not write, and if the index is out of range.
 */
TILEDB_EXPORT int32_t tiledb_query_get_fragment_uri(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint64_t idx,
    const char **uri) TILEDB_NOEXCEPT;

/**
 * Returns the layout of a query.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param query_layout Receives the order.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_layout(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_layout_t *query_layout) TILEDB_NOEXCEPT;

/**
 * Returns the offsets buffer that was set for a field.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param buffer Receives the buffer, null if none was set.
 * @param buffer_size Receives the size variable, null if none was set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_offsets_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    uint64_t **buffer,
    uint64_t **buffer_size) TILEDB_NOEXCEPT;

/**
 * Returns the counters and timers of a query as JSON.
 *
 * They are also included in those of the context. See the statistics guide for the names.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param stats_json Receives the NUL-terminated text; free it with `tiledb_stats_free_str`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_stats(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    char **stats_json) TILEDB_NOEXCEPT;

/**
 * Returns the status of a query.
 *
 * | status | meaning |
 * |---|---|
 * | `TILEDB_UNINITIALIZED` | not submitted yet |
 * | `TILEDB_INITIALIZED` | prepared by `tiledb_query_get_plan`, not submitted yet |
 * | `TILEDB_INPROGRESS` | another thread is submitting it |
 * | `TILEDB_INCOMPLETE` | a read has more results: process these, then submit again |
 * | `TILEDB_COMPLETED` | all results returned, or all cells of the submit written |
 * | `TILEDB_FAILED` | the last submit failed |
 *
 * This function does not wait for a submit that is running on another thread.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param status Receives the status.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_status(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_query_status_t *status) TILEDB_NOEXCEPT;

/**
 * Returns a copy of the subarray of a query.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param subarray Receives a copy, to be freed with `tiledb_subarray_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_subarray_t(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    tiledb_subarray_t **subarray) TILEDB_NOEXCEPT;

/**
 * Returns the type of a query.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param query_type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_type(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

/**
 * Returns the validity buffer that was set for a field.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param buffer Receives the buffer, null if none was set.
 * @param buffer_size Receives the size variable, null if none was set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_validity_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    uint8_t **buffer,
    uint64_t **buffer_size) TILEDB_NOEXCEPT;

/**
 * Reports whether the last submit of a read returned cells.
 *
 * An incomplete read without results cannot make progress with its buffers: set larger ones.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param has_results Receives 1 if at least one cell was returned, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_has_results(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    int32_t *has_results) TILEDB_NOEXCEPT;

/**
 * Sets the condition that cells must meet to be read or deleted.
 *
 * Sparse reads omit cells that do not match. Dense reads return them with the fill values of the attributes. Tiles whose
 * statistics rule out a match are skipped without being read. The fields of the condition need no buffers. Field names and
 * values are checked against the schema at the first submit.
 *
 * @param ctx The TileDB context.
 * @param query A read or delete query, not yet submitted.
 * @param cond The condition, initialized; the query has its own copy.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for a write, after the first submit, or for a condition that was not
 *     initialized.
 */
TILEDB_EXPORT int32_t tiledb_query_set_condition(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const tiledb_query_condition_t *cond) TILEDB_NOEXCEPT;

/**
 * Sets parameters for a query, before its first submit.
 *
 * The parameters that are set in `config` override those of the query; the others keep their values. Typical uses are
 * `sm.mem.total_budget` and the format of offsets (`sm.var_offsets.*`).
 *
 * @param ctx The TileDB context.
 * @param query The query, not yet submitted.
 * @param config The configuration, which is copied.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the query has been submitted or a value is invalid.
 */
TILEDB_EXPORT int32_t tiledb_query_set_config(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Sets the data buffer of a field: its fixed-size cells, or the concatenated values of its variable-length cells.
 *
 * The library does not copy the buffer. It accesses the buffer and the size variable during submits, so both must stay valid,
 * and no other thread may use them during a submit, until the query is freed or another buffer is set for the field. Buffers
 * of a query must not overlap.
 *
 * - **Read**: `*buffer_size` at the time of this call is the capacity in bytes. After each successful submit the variable
 *   holds the number of bytes written; the query remembers the capacity, so the variable need not be reset. Set any subset of
 *   the fields. After `TILEDB_INCOMPLETE` a larger buffer may be set for the same field.
 * - **Write**: `*buffer_size`, evaluated at the submit, is the number of bytes to write. All attributes, and for sparse arrays
 *   all dimensions, need buffers with the same number of cells. For further submits in global order change the contents and
 *   the sizes, or set other buffers.
 *
 * Fields of variable length also need `tiledb_query_set_offsets_buffer`, nullable attributes
 * `tiledb_query_set_validity_buffer`. The name `__coords` stands for the coordinates of all dimensions, cell by cell, if these
 * have one fixed-size datatype; it replaces buffers for the individual dimensions.
 *
 * @param ctx The TileDB context.
 * @param query A read or write query.
 * @param name The name of the attribute, dimension, dimension label or aggregate.
 * @param buffer The buffer. Null is allowed only in a write, if the size is 0.
 * @param buffer_size The address of the size in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an unknown field, a null address, a dimension in a dense write, or a field
 *     that had no buffer at the first submit.
 */
TILEDB_EXPORT int32_t tiledb_query_set_data_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    void *buffer,
    uint64_t *buffer_size) TILEDB_NOEXCEPT;

/**
 * Sets the order in which a read returns cells, or in which the cells of a write are given.
 *
 * | layout | read | write |
 * |---|---|---|
 * | `TILEDB_ROW_MAJOR`, `TILEDB_COL_MAJOR` | sorted within the subarray | dense arrays: all cells of the subarray in this order |
 * | `TILEDB_GLOBAL_ORDER` | as stored, tile by tile | sorted in global order, in any number of submits, ended by `tiledb_query_finalize` |
 * | `TILEDB_UNORDERED` | whatever is fastest | sparse arrays: any order |
 *
 * @param ctx The TileDB context.
 * @param query The query, not yet submitted.
 * @param layout The layout. `TILEDB_HILBERT` is rejected; an unknown number is reported by the first submit.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the query has been submitted, or array and query type do not permit the
 *     layout.
 */
TILEDB_EXPORT int32_t tiledb_query_set_layout(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_layout_t layout) TILEDB_NOEXCEPT;

/**
 * Sets the offsets buffer of a field with variable-length cells.
 *
 * Offset i is the position in bytes at which cell i starts in the data buffer; cell i ends where the next one starts, the last
 * one with the data. Offsets of a write must ascend and be multiples of the size of a value. The field also needs a data
 * buffer. `tiledb_query_set_data_buffer` describes lifetimes, and how the size variable is used.
 *
 * The configuration changes the format: `sm.var_offsets.bitsize` = 32 for `uint32_t` offsets, `sm.var_offsets.mode` =
 * `elements` to count values instead of bytes, `sm.var_offsets.extra_element` for a final offset with the total size. The size
 * counts eight bytes per offset even if they are 32 bits wide: a write of n cells states 8 * n bytes, of which 4 * n are read;
 * a read with a capacity of 8 * n bytes returns up to n cells and sets the size to 4 * n.
 *
 * ```c
 * char text[1024];
 * uint64_t starts[100], text_size = sizeof text, starts_size = sizeof starts;
 * tiledb_query_set_data_buffer(ctx, query, "name", text, &text_size);
 * tiledb_query_set_offsets_buffer(ctx, query, "name", starts, &starts_size);
 * tiledb_query_submit(ctx, query);
 * uint64_t cells = starts_size / sizeof starts[0];
 * for (uint64_t i = 0; i < cells; i++) {
 *   uint64_t end = i + 1 < cells ? starts[i + 1] : text_size;
 *   printf("%.*s\n", (int)(end - starts[i]), text + starts[i]);
 * }
 * ```
 *
 * @param ctx The TileDB context.
 * @param query A read or write query.
 * @param name The name of the field.
 * @param buffer The buffer.
 * @param buffer_size The address of the size in bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an unknown or fixed-size field, a null address, or a field that had no
 *     buffer at the first submit.
 */
TILEDB_EXPORT int32_t tiledb_query_set_offsets_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    uint64_t *buffer,
    uint64_t *buffer_size) TILEDB_NOEXCEPT;

/**
 * Sets the part of the array that a query reads, or that a dense write fills.
 *
 * The query copies the subarray; later changes to it have no effect. Without a subarray the query covers the whole domain. A
 * dense write in row- or column-major order needs buffers for exactly the cells of its subarray.
 *
 * @param ctx The TileDB context.
 * @param query A read or a dense write, not yet submitted.
 * @param subarray The subarray, created from the same array.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the query has been submitted, or is a sparse write or a delete.
 */
TILEDB_EXPORT int32_t tiledb_query_set_subarray_t(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const tiledb_subarray_t *subarray) TILEDB_NOEXCEPT;

/**
 * Sets the validity buffer of a nullable attribute: one byte per cell, 0 for a null, 1 for a value.
 *
 * A null cell still occupies its place in the data buffer, where its content is meaningless. The attribute also needs a data
 * buffer. `tiledb_query_set_data_buffer` describes lifetimes, and how the size variable is used.
 *
 * @param ctx The TileDB context.
 * @param query A read or write query.
 * @param name The name of the attribute.
 * @param buffer The buffer.
 * @param buffer_size The address of the size in bytes, which is the number of cells.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no nullable attribute of this name, for a null address, or a field
 *     that had no buffer at the first submit.
 */
TILEDB_EXPORT int32_t tiledb_query_set_validity_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    uint8_t *buffer,
    uint64_t *buffer_size) TILEDB_NOEXCEPT;

/**
 * Returns a query status from its text.
 *
 * @param str The text.
 * @param query_status Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT int32_t tiledb_query_status_from_str(
    const char *str,
    tiledb_query_status_t *query_status) TILEDB_NOEXCEPT;

/**
 * Returns the text of a query status.
 *
 * @param query_status The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT int32_t tiledb_query_status_to_str(
    tiledb_query_status_t query_status,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Runs a query and returns when it is done: a read fills the buffers, a write stores the cells in them, a delete commits its
 * condition.
 *
 * **Reads.** If the buffers cannot hold all results, the call succeeds with the status `TILEDB_INCOMPLETE`: process the cells,
 * whose sizes are in the size variables, and submit again for the next part, until the status is `TILEDB_COMPLETED`. If the
 * status is `TILEDB_INCOMPLETE` and no cell was returned (`tiledb_query_has_results`), not even one cell fits: set larger
 * buffers. Submitting a completed read does nothing.
 *
 * **Writes.** Cells become visible to readers atomically. In row-major, column-major and unordered layout one submit writes
 * and commits one fragment. In global order each submit appends cells, and only `tiledb_query_finalize` commits them. The
 * buffers may be reused when the call returns. Submitting a completed unordered write again is an error: use a new query.
 *
 * **Errors.** The size variables are unchanged. A read that failed while it was returning cells cannot be continued. A write
 * that was rejected (order, duplicates, bounds) can be submitted with other cells; after a storage error nothing of it
 * remains, and cells of earlier submits in global order are lost.
 *
 * ```c
 * tiledb_query_status_t status = TILEDB_INCOMPLETE;
 * int32_t some = 1;
 * while (status == TILEDB_INCOMPLETE && some) {
 *   if (tiledb_query_submit(ctx, query) != TILEDB_OK)
 *     return 1; // see tiledb_ctx_get_last_error
 *   tiledb_query_get_status(ctx, query, &status);
 *   tiledb_query_has_results(ctx, query, &some);
 *   // ... process the cells in the buffers ...
 * }
 * ```
 *
 * The call can be cancelled from another thread with `tiledb_ctx_cancel_tasks`. See also `tiledb_query_get_status_details`,
 * and `tiledb_rs_query_submit` for progress.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @return `TILEDB_OK` for success, also if the read is incomplete; `TILEDB_ERR` for error, also if it was cancelled.
 */
TILEDB_EXPORT int32_t tiledb_query_submit(tiledb_ctx_t *ctx, tiledb_query_t *query) TILEDB_NOEXCEPT;

/**
 * Submits the last cells of a write in global order and finalizes it: `tiledb_query_submit` followed by
 * `tiledb_query_finalize`.
 *
 * For arrays on a TileDB server it saves a request.
 *
 * @param ctx The TileDB context.
 * @param query A write in global order; null is accepted and does nothing.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for other queries, and as the two functions.
 */
TILEDB_EXPORT int32_t tiledb_query_submit_and_finalize(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query) TILEDB_NOEXCEPT;

/**
 * Clears the flag that `tiledb_stats_is_enabled` returns. It exists for compatibility: statistics are collected nevertheless.
 *
 * @return `TILEDB_OK`.
 */
TILEDB_EXPORT int32_t tiledb_stats_disable(void) TILEDB_NOEXCEPT;

/**
 * Writes the counters and timers of all living contexts to a stream, as JSON.
 *
 * See `tiledb_stats_dump_str` for the text, `tiledb_ctx_get_stats` for one context and `tiledb_query_get_stats` for one query.
 *
 * @param out The stream; null for standard output.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_stats_dump(FILE *out) TILEDB_NOEXCEPT;

/**
 * Returns the counters and timers of all living contexts as JSON: an array with one object per context that has counted
 * something.
 *
 * Statistics are always collected; `tiledb_stats_enable` is not needed. The values accumulate until `tiledb_stats_reset`.
 *
 * ```c
 * char *json = NULL;
 * tiledb_stats_reset();
 * tiledb_query_submit(ctx, query);
 * tiledb_stats_dump_str(&json);
 * puts(json);
 * tiledb_stats_free_str(&json);
 * ```
 *
 * @param out Receives the NUL-terminated text; free it with `tiledb_stats_free_str`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_stats_dump_str(char **out) TILEDB_NOEXCEPT;

/**
 * Sets the flag that `tiledb_stats_is_enabled` returns. It exists for compatibility: statistics are always collected.
 *
 * @return `TILEDB_OK`.
 */
TILEDB_EXPORT int32_t tiledb_stats_enable(void) TILEDB_NOEXCEPT;

/**
 * Frees a text that a statistics function returned and sets the pointer to null.
 *
 * @param out The text; a pointer to null is accepted.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_stats_free_str(char **out) TILEDB_NOEXCEPT;

/**
 * Returns the flag that `tiledb_stats_enable` and `tiledb_stats_disable` set.
 *
 * @param enabled 1 or 0; 0 at first.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_stats_is_enabled(uint8_t *enabled) TILEDB_NOEXCEPT;

/**
 * Same as `tiledb_stats_dump`.
 *
 * @param out The stream; null for the standard output.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_stats_raw_dump(FILE *out) TILEDB_NOEXCEPT;

/**
 * Same as `tiledb_stats_dump_str`.
 *
 * @param out Receives the text, to be freed with `tiledb_stats_free_str`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_stats_raw_dump_str(char **out) TILEDB_NOEXCEPT;

/**
 * Resets the counters and timers of all contexts and queries to zero.
 *
 * @return `TILEDB_OK`.
 */
TILEDB_EXPORT int32_t tiledb_stats_reset(void) TILEDB_NOEXCEPT;

/**
 * Returns the current time in milliseconds since 1970-01-01 UTC.
 *
 * @return Milliseconds since 1970.
 */
TILEDB_EXPORT uint64_t tiledb_timestamp_now_ms(void) TILEDB_NOEXCEPT;

/**
 * Returns the name of the field that holds the timestamp of each cell.
 *
 * @return The name, which lives as long as the program.
 */
TILEDB_EXPORT const char *tiledb_timestamps(void) TILEDB_NOEXCEPT;

/**
 * Returns the path of a URI: the local path of a file, otherwise the URI as the storage backend sees it.
 *
 * @param ctx The context.
 * @param uri The URI.
 * @param path_out Where the path and a NUL go.
 * @param path_length Receives the room in bytes; then the length of the path without the NUL.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also where the room is too small.
 */
TILEDB_EXPORT int32_t tiledb_uri_to_path(
    tiledb_ctx_t *ctx,
    const char *uri,
    char *path_out,
    uint32_t *path_length) TILEDB_NOEXCEPT;

/**
 * Returns the number of values of cells with any number of values.
 *
 * @return The number, which `TILEDB_VAR_NUM` names.
 */
TILEDB_EXPORT uint32_t tiledb_var_num(void) TILEDB_NOEXCEPT;

/**
 * Returns the version of the interface. A copy of the library that the command `swap` of the Python package put in the place of an
 * older one reports the version of that, if the client compares them.
 *
 * @param major Receives the major version.
 * @param minor Receives the minor version.
 * @param rev Receives the revision.
 */
TILEDB_EXPORT void tiledb_version(int32_t *major, int32_t *minor, int32_t *rev) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#include "tiledb_deprecated.h"

#ifdef TILEDB_RS_REMOVED_API
#include "tiledb_rs_removed.h"
#endif

#ifdef TILEDB_RS_NEXT_API
#include "tiledb_rs_next.h"
#endif

#endif /* TILEDB_H */
