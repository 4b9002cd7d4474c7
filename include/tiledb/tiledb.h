/*
 * The C interface of the TileDB storage engine.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
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
 * @param config The configuration with the `sm.consolidation.*` parameters; null for that of the context. Without an
 *     encryption key of its own the key of the context is used.
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
 * @param config The configuration with `sm.vacuum.mode`; null for that of the context.
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
 * Gives the greatest length of a path.
 *
 * @return The length in bytes.
 */
TILEDB_EXPORT uint32_t tiledb_max_path(void) TILEDB_NOEXCEPT;

/**
 * Tells of the arrays and groups directly in a directory, by name.
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
 * Renames an array or a group.
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
 * Removes an array or a group with all it holds.
 *
 * @param ctx The context.
 * @param path The array or group.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_object_remove(tiledb_ctx_t *ctx, const char *path) TILEDB_NOEXCEPT;

/**
 * Tells what lies at a URI.
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
 * Tells of the arrays and groups in a directory, by name, and of all that lies in the groups.
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
 * Gives the size of an offset of variable-sized cells.
 *
 * @return The size in bytes.
 */
TILEDB_EXPORT uint64_t tiledb_offset_size(void) TILEDB_NOEXCEPT;

/**
 * Creates a query on an open array. Its configuration is that of the context given here, whichever opened the array.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for what the query does. It must stay open until the query is finished.
 * @param query_type What the query does.
 * @param query The query, to be freed with `tiledb_query_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_alloc(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_query_type_t query_type,
    tiledb_query_t **query) TILEDB_NOEXCEPT;

/**
 * Creates a condition to be initialised.
 *
 * @param ctx The TileDB context.
 * @param cond The condition, to be freed with `tiledb_query_condition_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_condition_alloc(
    tiledb_ctx_t *ctx,
    tiledb_query_condition_t **cond) TILEDB_NOEXCEPT;

/**
 * Makes a condition of two by AND or OR, or the opposite of one by NOT.
 *
 * @param ctx The TileDB context.
 * @param left_cond The first condition.
 * @param right_cond The second condition; null for `TILEDB_NOT`.
 * @param combination_op How they are combined.
 * @param combined_cond The new condition, to be freed with `tiledb_query_condition_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_condition_combine(
    tiledb_ctx_t *ctx,
    const tiledb_query_condition_t *left_cond,
    const tiledb_query_condition_t *right_cond,
    tiledb_query_condition_combination_op_t combination_op,
    tiledb_query_condition_t **combined_cond) TILEDB_NOEXCEPT;

/**
 * Frees a condition and sets the pointer to null.
 *
 * @param cond The condition.
 */
TILEDB_EXPORT void tiledb_query_condition_free(tiledb_query_condition_t **cond) TILEDB_NOEXCEPT;

/**
 * Makes a condition compare a field with a value.
 *
 * @param ctx The TileDB context.
 * @param cond The condition, which must not have been initialised before.
 * @param attribute_name The name of an attribute or a dimension.
 * @param condition_value The value, which is copied; null to test for null cells.
 * @param condition_value_size Bytes of the value.
 * @param op How cells are compared with the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_condition_init(
    tiledb_ctx_t *ctx,
    tiledb_query_condition_t *cond,
    const char *attribute_name,
    const void *condition_value,
    uint64_t condition_value_size,
    tiledb_query_condition_op_t op) TILEDB_NOEXCEPT;

/**
 * Makes the opposite of a condition.
 *
 * @param ctx The TileDB context.
 * @param cond The condition.
 * @param negated_cond The opposite, to be freed with `tiledb_query_condition_free`. Null cells meet neither.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_condition_negate(
    tiledb_ctx_t *ctx,
    const tiledb_query_condition_t *cond,
    tiledb_query_condition_t **negated_cond) TILEDB_NOEXCEPT;

/**
 * Ends a write in global order: what was written becomes visible. Nothing for other queries.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_finalize(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query) TILEDB_NOEXCEPT;

/**
 * Frees a query and sets the pointer to null. A write in global order that was not finalized is discarded.
 *
 * @param query The query.
 */
TILEDB_EXPORT void tiledb_query_free(tiledb_query_t **query) TILEDB_NOEXCEPT;

/**
 * Gives the array of a query.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param array The array, to be freed with `tiledb_array_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_array(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Gives the configuration of a query.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param config A copy, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_config(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Gives the data buffer that was set for a field.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param buffer The buffer, null if none was set.
 * @param buffer_size The size variable, null if none was set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_data_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    void **buffer,
    uint64_t **buffer_size) TILEDB_NOEXCEPT;

/**
 * Estimates how large the results of a read are for a field with fixed cells.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param size The bytes of the cells.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_est_result_size(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *name,
    uint64_t *size) TILEDB_NOEXCEPT;

/**
 * Estimates how large the results of a read are for a field with fixed cells that may be null.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param size_val The bytes of the values.
 * @param size_validity The bytes of the validity of the cells.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_est_result_size_nullable(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *name,
    uint64_t *size_val,
    uint64_t *size_validity) TILEDB_NOEXCEPT;

/**
 * Estimates how large the results of a read are for a field with variable cells.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param size_off The bytes of the offsets.
 * @param size_val The bytes of the values.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_est_result_size_var(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *name,
    uint64_t *size_off,
    uint64_t *size_val) TILEDB_NOEXCEPT;

/**
 * Estimates how large the results of a read are for a field with variable cells that may be null.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param size_off The bytes of the offsets.
 * @param size_val The bytes of the values.
 * @param size_validity The bytes of the validity of the cells.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_est_result_size_var_nullable(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    const char *name,
    uint64_t *size_off,
    uint64_t *size_val,
    uint64_t *size_validity) TILEDB_NOEXCEPT;

/**
 * Gives the number of fragments a query has written.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param num The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_fragment_num(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint32_t *num) TILEDB_NOEXCEPT;

/**
 * Gives the timestamps of a fragment a query has written.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param idx The index of the fragment.
 * @param t1 The first timestamp.
 * @param t2 The last timestamp.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_fragment_timestamp_range(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint64_t idx,
    uint64_t *t1,
    uint64_t *t2) TILEDB_NOEXCEPT;

/**
 * Gives the URI of a fragment a query has written.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param idx The index of the fragment.
 * @param uri The URI, valid until the query is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_fragment_uri(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint64_t idx,
    const char **uri) TILEDB_NOEXCEPT;

/**
 * Gives the order of the results or of the cells given.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param query_layout The order.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_layout(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_layout_t *query_layout) TILEDB_NOEXCEPT;

/**
 * Gives the offsets buffer that was set for a field.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param buffer The buffer, null if none was set.
 * @param buffer_size The size variable, null if none was set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_offsets_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    uint64_t **buffer,
    uint64_t **buffer_size) TILEDB_NOEXCEPT;

/**
 * Gives the statistics of a query as JSON.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param stats_json The text, to be freed with `tiledb_stats_free_str`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_stats(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    char **stats_json) TILEDB_NOEXCEPT;

/**
 * Tells where a query stands.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param status The status.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_status(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_query_status_t *status) TILEDB_NOEXCEPT;

/**
 * Gives the subarray of a query.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param subarray A copy, to be freed with `tiledb_subarray_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_subarray_t(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    tiledb_subarray_t **subarray) TILEDB_NOEXCEPT;

/**
 * Tells what a query does.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param query_type The type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_type(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

/**
 * Gives the validity buffer that was set for a field.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param buffer The buffer, null if none was set.
 * @param buffer_size The size variable, null if none was set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_validity_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    uint8_t **buffer,
    uint64_t **buffer_size) TILEDB_NOEXCEPT;

/**
 * Tells whether the last submit of a read has delivered cells.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param has_results 1 if it has, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_has_results(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    int32_t *has_results) TILEDB_NOEXCEPT;

/**
 * Sets the condition that cells must meet to be read or deleted.
 *
 * Sparse reads leave out cells that do not meet it; dense reads deliver fill values in their place.
 *
 * @param ctx The TileDB context.
 * @param query The query, which must not have been submitted.
 * @param cond The condition; the query keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_set_condition(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const tiledb_query_condition_t *cond) TILEDB_NOEXCEPT;

/**
 * Sets the configuration of a query, before it is submitted first. Parameters that the configuration does not set stay as
 * they are.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param config The configuration; the query keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_set_config(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Sets the buffer of the cells of a field, or of the values of its variable cells.
 *
 * The field `__coords` stands for the coordinates of all dimensions, cell by cell, where these have one type of fixed size; it
 * takes the place of buffers for the dimensions.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param buffer The buffer.
 * @param buffer_size Its size in bytes; after a read, the bytes filled. Variable and buffer must stay valid until the query is
 *     freed or another buffer is set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_set_data_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    void *buffer,
    uint64_t *buffer_size) TILEDB_NOEXCEPT;

/**
 * Sets the order of the results of a read or of the cells given to a write.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param layout The order. A number that is none is refused when the query is submitted.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_set_layout(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_layout_t layout) TILEDB_NOEXCEPT;

/**
 * Sets the buffer of the offsets of the variable cells of a field.
 *
 * The size counts eight bytes for each offset also where `sm.var_offsets.bitsize` is 32: a write of n cells states 8 * n and
 * is read 4 * n bytes of, a read into 8 * n delivers up to n cells and tells 4 * n bytes filled.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the field.
 * @param buffer The buffer.
 * @param buffer_size Its size in bytes; after a read, the bytes filled. Variable and buffer must stay valid until the query is
 *     freed or another buffer is set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_set_offsets_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    uint64_t *buffer,
    uint64_t *buffer_size) TILEDB_NOEXCEPT;

/**
 * Sets the part of the array a query is about.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param subarray The subarray; later changes to it are not seen.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_set_subarray_t(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const tiledb_subarray_t *subarray) TILEDB_NOEXCEPT;

/**
 * Sets the buffer of the validity of the cells of an attribute: one byte per cell, 0 for null.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param name The name of the attribute.
 * @param buffer The buffer.
 * @param buffer_size Its size in bytes; after a read, the bytes filled. Variable and buffer must stay valid until the query is
 *     freed or another buffer is set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_set_validity_buffer(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *name,
    uint8_t *buffer,
    uint64_t *buffer_size) TILEDB_NOEXCEPT;

/**
 * Gives a query status from its text.
 *
 * @param str The text.
 * @param query_status The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT int32_t tiledb_query_status_from_str(
    const char *str,
    tiledb_query_status_t *query_status) TILEDB_NOEXCEPT;

/**
 * Gives the text of a query status.
 *
 * @param query_status The value.
 * @param str Its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT int32_t tiledb_query_status_to_str(
    tiledb_query_status_t query_status,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Runs a query: a read delivers the next results, a write stores the cells given.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_submit(tiledb_ctx_t *ctx, tiledb_query_t *query) TILEDB_NOEXCEPT;

/**
 * Writes the last cells in global order and ends the write.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
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
 * Tells what was set last by `tiledb_stats_enable` and `tiledb_stats_disable`.
 *
 * @param enabled 1 or 0; 0 at first.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_stats_is_enabled(uint8_t *enabled) TILEDB_NOEXCEPT;

/**
 * As `tiledb_stats_dump`.
 *
 * @param out The stream; null for the standard output.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_stats_raw_dump(FILE *out) TILEDB_NOEXCEPT;

/**
 * As `tiledb_stats_dump_str`.
 *
 * @param out The text, to be freed with `tiledb_stats_free_str`.
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
 * Gives the time.
 *
 * @return Milliseconds since 1970.
 */
TILEDB_EXPORT uint64_t tiledb_timestamp_now_ms(void) TILEDB_NOEXCEPT;

/**
 * Gives the name of the field that holds the time at which each cell was written.
 *
 * @return The name, which lives as long as the program.
 */
TILEDB_EXPORT const char *tiledb_timestamps(void) TILEDB_NOEXCEPT;

/**
 * Gives the path that a URI stands for: of a file, its local path; of others, what the storage sees.
 *
 * @param ctx The context.
 * @param uri The URI.
 * @param path_out Where the path and a NUL go.
 * @param path_length The room in bytes; then the length of the path without the NUL.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also where the room is too small.
 */
TILEDB_EXPORT int32_t tiledb_uri_to_path(
    tiledb_ctx_t *ctx,
    const char *uri,
    char *path_out,
    uint32_t *path_length) TILEDB_NOEXCEPT;

/**
 * Gives the number of values of cells with any number of values.
 *
 * @return The number, which `TILEDB_VAR_NUM` names.
 */
TILEDB_EXPORT uint32_t tiledb_var_num(void) TILEDB_NOEXCEPT;

/**
 * Gives the version of the interface.
 *
 * @param major The major version.
 * @param minor The minor version.
 * @param rev The revision.
 */
TILEDB_EXPORT void tiledb_version(int32_t *major, int32_t *minor, int32_t *rev) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#include "tiledb_deprecated.h"

#endif /* TILEDB_H */
