/*
 * What libtiledb-rs offers beyond TileDB's C interface.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_RS_H
#define TILEDB_RS_H

#include <stdio.h>
#include "api/c_api/api_external_common.h"
#include "api/c_api/array/array_api_external.h"
#include "api/c_api/array_schema/array_schema_api_external.h"
#include "api/c_api/config/config_api_external.h"
#include "api/c_api/context/context_api_external.h"
#include "api/c_api/datatype/datatype_api_external.h"
#include "api/c_api/query/query_api_external.h"
#include "api/c_api/string/string_api_external.h"
#include "api/c_api/subarray/subarray_api_external.h"
#include "api/c_api/vfs/vfs_api_external.h"
#include "tiledb.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Why a property is recommended.
 */
typedef enum {
  /**
   * It is better than the current one, filters by more than 2 %.
   */
  TILEDB_RS_REASON_BETTER = 0,
  /**
   * It is the current one, and no other is clearly better.
   */
  TILEDB_RS_REASON_CURRENT = 1,
  /**
   * It is the current one: filters that are a decision of the user, `SCALE_FLOAT`, `WEBP`.
   */
  TILEDB_RS_REASON_CHOSEN = 2,
  /**
   * It is the current one, as no cells are stored.
   */
  TILEDB_RS_REASON_NO_CELLS = 3,
  /**
   * The attribute is nullable, and no sampled cell is null.
   */
  TILEDB_RS_REASON_NO_NULLS = 4,
} tiledb_rs_advice_reason_t;

/**
 * What a recommendation is for.
 */
typedef enum {
  /**
   * The filters of the values of a field.
   */
  TILEDB_RS_ADVISED_VALUES = 0,
  /**
   * The filters of the offsets of all variable-length fields.
   */
  TILEDB_RS_ADVISED_OFFSETS = 1,
  /**
   * The filters of the validity values of all nullable fields.
   */
  TILEDB_RS_ADVISED_VALIDITY = 2,
  /**
   * The capacity of a sparse array: cells per tile.
   */
  TILEDB_RS_ADVISED_CAPACITY = 3,
  /**
   * The order of the cells of a sparse array.
   */
  TILEDB_RS_ADVISED_CELL_ORDER = 4,
  /**
   * The tile extents of a dense array.
   */
  TILEDB_RS_ADVISED_TILE_EXTENTS = 5,
  /**
   * Dense or sparse.
   */
  TILEDB_RS_ADVISED_ARRAY_TYPE = 6,
  /**
   * The texts of an attribute as an enumeration and codes, or as they are.
   */
  TILEDB_RS_ADVISED_ENUMERATION = 7,
  /**
   * Whether the cells of an attribute may be null.
   */
  TILEDB_RS_ADVISED_NULLABILITY = 8,
} tiledb_rs_advised_property_t;

/**
 * What a callback returns. Any other value counts as `TILEDB_RS_STOP`.
 */
typedef enum {
  /**
   * The callback failed: the function that called it returns an error.
   */
  TILEDB_RS_FAIL = -1,
  /**
   * Stop. A function that changes or verifies an array returns an error, one that lists something succeeds.
   */
  TILEDB_RS_STOP = 0,
  /**
   * Continue.
   */
  TILEDB_RS_CONTINUE = 1,
} tiledb_rs_callback_result_t;

/**
 * The kind of a finding. Later releases may add values: treat an unknown one by the severity of its finding.
 */
typedef enum {
  /**
   * A file, or part of it, cannot be read from storage.
   */
  TILEDB_RS_FINDING_STORAGE = 1,
  /**
   * A file that others refer to is missing.
   */
  TILEDB_RS_FINDING_MISSING_FILE = 2,
  /**
   * A file that nothing refers to.
   */
  TILEDB_RS_FINDING_STRAY_FILE = 3,
  /**
   * A schema cannot be loaded.
   */
  TILEDB_RS_FINDING_SCHEMA = 4,
  /**
   * An enumeration cannot be loaded.
   */
  TILEDB_RS_FINDING_ENUMERATION = 5,
  /**
   * Metadata of the array cannot be loaded.
   */
  TILEDB_RS_FINDING_METADATA = 6,
  /**
   * The condition of a delete cannot be loaded.
   */
  TILEDB_RS_FINDING_DELETE = 7,
  /**
   * Commits contradict one another, or refer to fragments that do not exist.
   */
  TILEDB_RS_FINDING_COMMIT = 8,
  /**
   * A fragment that was never committed (orphan).
   */
  TILEDB_RS_FINDING_ORPHAN = 9,
  /**
   * Consolidated fragment metadata differs from that of the fragment.
   */
  TILEDB_RS_FINDING_CONSOLIDATED_METADATA = 10,
  /**
   * The footer of a fragment is corrupt or contradicts the schema.
   */
  TILEDB_RS_FINDING_FOOTER = 11,
  /**
   * A table of the metadata of a fragment is corrupt.
   */
  TILEDB_RS_FINDING_METADATA_TABLE = 12,
  /**
   * The size of a data file differs from the metadata of its fragment.
   */
  TILEDB_RS_FINDING_FILE_SIZE = 13,
  /**
   * The offset or size of a tile is not possible within its file.
   */
  TILEDB_RS_FINDING_TILE_OFFSET = 14,
  /**
   * A tile cannot be decoded, fails its checksum, or has the wrong length.
   */
  TILEDB_RS_FINDING_TILE = 15,
  /**
   * Offsets of variable-length cells do not ascend within the values.
   */
  TILEDB_RS_FINDING_OFFSETS = 16,
  /**
   * A validity value is neither 0 nor 1.
   */
  TILEDB_RS_FINDING_VALIDITY = 17,
  /**
   * Statistics (minimum, maximum, sum, null count) differ from the cells.
   */
  TILEDB_RS_FINDING_STATISTICS = 18,
  /**
   * A bounding box differs from the coordinates of its cells.
   */
  TILEDB_RS_FINDING_BOUNDING_BOX = 19,
  /**
   * Coordinates are outside the domain or the non-empty domain.
   */
  TILEDB_RS_FINDING_DOMAIN = 20,
  /**
   * Cells are not in the global order.
   */
  TILEDB_RS_FINDING_ORDER = 21,
  /**
   * Two cells have the same coordinates where duplicates are not allowed.
   */
  TILEDB_RS_FINDING_DUPLICATE = 22,
  /**
   * A timestamp, or the index of a delete condition, is not possible.
   */
  TILEDB_RS_FINDING_TIMESTAMP = 23,
  /**
   * Not verified, because memory was insufficient.
   */
  TILEDB_RS_FINDING_UNVERIFIED = 24,
  /**
   * A write to a dense array was committed after the fragments around it were merged, and may hide newer cells.
   */
  TILEDB_RS_FINDING_LATE_WRITE = 25,
} tiledb_rs_finding_kind_t;

/**
 * The severity of a finding.
 */
typedef enum {
  /**
   * The array reads correctly: something wastes space, or was not verified.
   */
  TILEDB_RS_SEVERITY_NOTE = 0,
  /**
   * Some reads may be wrong or slow, or another program may fail.
   */
  TILEDB_RS_SEVERITY_WARNING = 1,
  /**
   * Cells, metadata or a schema are lost or wrong.
   */
  TILEDB_RS_SEVERITY_ERROR = 2,
} tiledb_rs_finding_severity_t;

/**
 * What a recommended schema is to achieve.
 */
typedef enum {
  /**
   * The least size on disk.
   */
  TILEDB_RS_SMALLEST = 0,
  /**
   * Fast scans of data in object stores or on slow disks: storage that reads 200 MB/s.
   */
  TILEDB_RS_BALANCED = 1,
  /**
   * Fast scans of data in memory or on local disks: storage that reads 500 MB/s.
   */
  TILEDB_RS_FASTEST = 2,
} tiledb_rs_objective_t;

/**
 * What becomes of the fragments of a rewritten array.
 */
typedef enum {
  /**
   * Each fragment is rewritten with its timestamps: readers at earlier times see the same.
   */
  TILEDB_RS_FRAGMENTS_PRESERVED = 0,
  /**
   * All fragments become one, which has the cells that a reader sees now.
   */
  TILEDB_RS_FRAGMENTS_MERGED = 1,
} tiledb_rs_rewritten_fragments_t;

/**
 * What a step of maintenance is.
 */
typedef enum {
  /**
   * Fragments were merged.
   */
  TILEDB_RS_STEP_FRAGMENTS = 0,
  /**
   * Commits were consolidated.
   */
  TILEDB_RS_STEP_COMMITS = 1,
  /**
   * The metadata of fragments was consolidated.
   */
  TILEDB_RS_STEP_FRAGMENT_METADATA = 2,
  /**
   * Files and folders that earlier consolidations replaced were removed.
   */
  TILEDB_RS_STEP_VACUUM = 3,
  /**
   * A consolidation whose process was killed was completed: the fragments that it merged are hidden.
   */
  TILEDB_RS_STEP_RECOVERY = 4,
} tiledb_rs_step_kind_t;

/**
 * Whether a read needs a tile, as far as its statistics tell.
 */
typedef enum {
  /**
   * No cell can match the condition: the tile is skipped.
   */
  TILEDB_RS_TILE_NONE = 0,
  /**
   * Some cells may match: the tile is read and the condition evaluated.
   */
  TILEDB_RS_TILE_SOME = 1,
  /**
   * All cells match, or there is no condition: the tile is read.
   */
  TILEDB_RS_TILE_ALL = 2,
} tiledb_rs_tile_match_t;

/**
 * A recommendation of `tiledb_rs_schema_advise`. All pointers are valid during the callback only.
 *
 * Filter lists are texts such as `BYTESHUFFLE, ZSTD(3)`, empty for no filters. Sizes and times are estimates for all cells of the
 * array; those of filters are for the part that they filter, those of enumerations for the attribute. Capacity, order, extents and
 * array type have the size of the whole array, as one fragment with the recommended filters.
 */
typedef struct {
  /**
   * What the recommendation is for, a `tiledb_rs_advised_property_t`.
   */
  uint32_t property;
  /**
   * The reason, a `tiledb_rs_advice_reason_t`.
   */
  uint32_t reason;
  /**
   * 1 if the recommended schema has it, otherwise 0.
   */
  uint32_t is_applied;
  /**
   * The name of the dimension or attribute; null for properties of the whole array.
   */
  const char *field;
  /**
   * The current value.
   */
  const char *current;
  /**
   * The recommended value.
   */
  const char *recommended;
  /**
   * The size of the sample in bytes, before filters.
   */
  uint64_t sampled_bytes;
  /**
   * The current size on disk in bytes.
   */
  uint64_t current_bytes;
  /**
   * The size on disk with the recommendation in bytes.
   */
  uint64_t recommended_bytes;
  /**
   * Current time in nanoseconds, computed by a model: processor time to decode all cells for filters and enumerations, of a
   * typical query (`sm.advise.slice_cells`) for capacity, order and extents, 0 for others.
   */
  uint64_t current_nanoseconds;
  /**
   * The same time with the recommendation.
   */
  uint64_t recommended_nanoseconds;
} tiledb_rs_advice_t;

/**
 * One finding of `tiledb_rs_array_verify`. All pointers are valid during the callback only.
 */
typedef struct {
  /**
   * The severity, a `tiledb_rs_finding_severity_t`.
   */
  uint32_t severity;
  /**
   * The kind, a `tiledb_rs_finding_kind_t`.
   */
  uint32_t code;
  /**
   * The URI of the file.
   */
  const char *file;
  /**
   * The name of the field; null if the finding does not concern a field.
   */
  const char *field;
  /**
   * The name of the fragment; null if the finding does not concern a fragment.
   */
  const char *fragment;
  /**
   * The tile of the field, counted from 0; `UINT64_MAX` if the finding does not concern a tile.
   */
  uint64_t tile;
  /**
   * The position of the first byte concerned in the file; `UINT64_MAX` if it is not known.
   */
  uint64_t offset;
  /**
   * What is wrong.
   */
  const char *text;
  /**
   * The remedy.
   */
  const char *remedy;
} tiledb_rs_finding_t;

/**
 * A step of `tiledb_rs_array_maintain`. All pointers are valid during the callback only.
 */
typedef struct {
  /**
   * The kind, a `tiledb_rs_step_kind_t`.
   */
  uint32_t kind;
  /**
   * 1 in a dry run, for a step that is planned; 0 for one that was taken.
   */
  uint32_t is_planned;
  /**
   * The number of fragments, commits or metadata of fragments that were consolidated, or of files and folders that were removed.
   */
  uint64_t sources;
  /**
   * The number of new fragments or files; 1 for a planned consolidation, 0 for a vacuum.
   */
  uint64_t results;
  /**
   * The size of the merged fragments in bytes; 0 for other kinds.
   */
  uint64_t bytes_read;
  /**
   * The size of the new fragments in bytes, estimated in a dry run; 0 for other kinds.
   */
  uint64_t bytes_written;
  /**
   * The reason, such as `57 fragments exceed sm.maintenance.max_fragments = 40`.
   */
  const char *reason;
} tiledb_rs_maintenance_step_t;

/**
 * The extent of a verification, and the number of findings of each severity.
 */
typedef struct {
  /**
   * The number of files that were verified.
   */
  uint64_t files;
  /**
   * The number of tiles of fields that were verified.
   */
  uint64_t tiles;
  /**
   * Their total size in bytes.
   */
  uint64_t bytes;
  /**
   * The number of findings of severity `TILEDB_RS_SEVERITY_NOTE`.
   */
  uint64_t notes;
  /**
   * The number of findings of severity `TILEDB_RS_SEVERITY_WARNING`.
   */
  uint64_t warnings;
  /**
   * The number of findings of severity `TILEDB_RS_SEVERITY_ERROR`.
   */
  uint64_t errors;
} tiledb_rs_verified_t;

/**
 * Called with a recommendation and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
 */
typedef int32_t (*tiledb_rs_advice_callback_t)(const tiledb_rs_advice_t *advice, void *data);

/**
 * Called with the number of cells so far and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
 */
typedef int32_t (*tiledb_rs_cells_callback_t)(uint64_t cells, void *data);

/**
 * Called with a finding and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
 */
typedef int32_t (*tiledb_rs_finding_callback_t)(const tiledb_rs_finding_t *finding, void *data);

/**
 * Called with a line of the log and the user's pointer, on any thread. `level` is 1 for errors, 2 for warnings, 3 for operations
 * that begin and end, 5 for requests; `message` is NUL-terminated, valid during the call, without time and process.
 */
typedef void (*tiledb_rs_log_callback_t)(int32_t level, const char *message, void *data);

/**
 * Called with a step and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
 */
typedef int32_t (*tiledb_rs_maintenance_callback_t)(const tiledb_rs_maintenance_step_t *step, void *data);

/**
 * Called with the completed and the total amount of work and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
 */
typedef int32_t (*tiledb_rs_progress_callback_t)(uint64_t done, uint64_t total, void *data);

/**
 * Called with a source of a consolidation step, or its end, and the user's pointer: see `tiledb_rs_array_consolidate_steps`.
 * Returns a `tiledb_rs_callback_result_t`.
 */
typedef int32_t (*tiledb_rs_step_callback_t)(uint64_t step, const char *uri, uint64_t made_by, uint64_t cells, uint64_t bytes, void *data);

/**
 * Called with a tile of a fragment and the user's pointer; `verdict` is a `tiledb_rs_tile_match_t`. Returns a
 * `tiledb_rs_callback_result_t`.
 */
typedef int32_t (*tiledb_rs_tile_callback_t)(const char *fragment_uri, uint64_t tile, int32_t verdict, void *data);

/**
 * Called with a NUL-terminated URI, valid during the call, and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
 */
typedef int32_t (*tiledb_rs_uri_callback_t)(const char *uri, void *data);

/**
 * Determines which libtiledb releases can read an array, and why.
 *
 * ```c
 * uint32_t version, required;
 * tiledb_string_t *readers = NULL;
 * if (tiledb_rs_array_compatibility(ctx, "my_array", &version, &required, &readers) == TILEDB_OK) {
 *   const char *text;
 *   size_t length;
 *   tiledb_string_view(readers, &text, &length);
 *   printf("%.*s\n", (int)length, text);
 *   tiledb_string_free(&readers);
 * }
 * ```
 *
 * @param ctx The context.
 * @param uri The URI of the array; not of one on a TileDB server.
 * @param version Receives the newest format version of its schemas and fragments, those of dimension labels included.
 * @param required Receives the oldest format version in which this library can write the array
 *     (`tiledb_rs_array_downgrade`): that of its newest feature, at least 18.
 * @param readers Receives the text: the releases in the first line, such as `libtiledb 2.25 and later`, then a line for each
 *     reason. Free it with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_compatibility(
    tiledb_ctx_t *ctx,
    const char *uri,
    uint32_t *version,
    uint32_t *required,
    tiledb_string_t **readers) TILEDB_NOEXCEPT;

/**
 * Consolidates an array like `tiledb_array_consolidate`, with a progress callback that can stop it.
 *
 * `tiledb_ctx_cancel_tasks` on another thread cancels it too. In either case the step that was interrupted leaves no trace,
 * and the cells of the array are the same as before.
 *
 * ```c
 * static int32_t show(uint64_t done, uint64_t total, void *data) {
 *   printf("%llu of %llu cells\n", (unsigned long long)done, (unsigned long long)total);
 *   return TILEDB_RS_CONTINUE;
 * }
 * // ...
 * tiledb_rs_array_consolidate(ctx, "my_array", NULL, show, NULL);
 * ```
 *
 * @param ctx The context.
 * @param uri The URI of the array, which should not be open for writing.
 * @param config A configuration whose parameters override those of the context, as for `tiledb_array_consolidate`; null for
 *     those of the context.
 * @param callback Called on this thread after every few megabytes of cells, and with `done` equal to `total` before each
 *     consolidated fragment is committed; `total` is the number of cells to consolidate. Not called in modes other than
 *     `fragments`, nor for arrays on a server. Must not be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_consolidate(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    tiledb_rs_progress_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Previews a consolidation: reports, step by step, what `tiledb_array_consolidate` would merge with this configuration, and
 * changes nothing.
 *
 * In mode `fragments` there may be several steps. The first step is exact: it is what a consolidation would merge now. Later
 * steps assume that a merged fragment has the size of the cells of its sources and the metadata of one of them.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param config A configuration whose parameters override those of the context, as for `tiledb_array_consolidate`; null for
 *     those of the context.
 * @param callback Called for each source (fragment, fragment footer, commit or metadata file), in the order of time, with: the
 *     number of the step, from 1; the URI of the source, or null if an earlier step creates it; the number of that step,
 *     otherwise 0; its number of cells (0 for commits and metadata); its size in bytes. At the end of each step it is called
 *     with a null URI, the number of that step as `made_by`, the maximum number of cells in the result, and the total size of
 *     the sources. Not called if there is nothing to merge. Must not be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_consolidate_steps(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    tiledb_rs_step_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Copies an array into a new one of an older format version, for libraries that do not know the version of the array.
 *
 * Copies the newest schema, the fragments that readers see at any time, with their timestamps, the array metadata, and the arrays
 * of dimension labels. Deleted cells remain deleted as of the timestamps of their deletes. The array itself is not changed; it may
 * be written to, consolidated and vacuumed meanwhile. The copy is no array before it is complete. If the call fails, what was
 * written is removed; what a call leaves that is killed, or that cannot remove it, is removed by the next one.
 *
 * @param ctx The context; the copy is encrypted like the array.
 * @param uri The URI of the array; not of one on a TileDB server.
 * @param target The URI of the copy, where nothing may exist.
 * @param version The format version of the copy, 18 to 23; `tiledb_rs_array_compatibility` reports the oldest one that can
 *     express the array.
 * @param callback Called on this thread with the number of copied cells and of all cells after every few megabytes. Must not
 *     be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error: if the version cannot express a feature of the array, which the
 *     message names with the version it requires, and also if the callback stopped it.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_downgrade(
    tiledb_ctx_t *ctx,
    const char *uri,
    const char *target,
    uint32_t version,
    tiledb_rs_progress_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Maintains an array by a policy: merges fragments, such that at most `sm.maintenance.max_fragments` are left and few bytes are
 * rewritten, consolidates commits and metadata of fragments beyond `sm.maintenance.max_commits` and
 * `sm.maintenance.max_fragment_metadata`, and removes what earlier calls replaced, if it has no cells within
 * `sm.maintenance.retention_ms`. The arrays of its dimension labels are maintained, too.
 *
 * Call it regularly, beside readers and writers. It can be killed and called again at any time; a call that finds a killed one
 * completes its consolidation. A lease file among the commits, which expires after `sm.maintenance.lease_ms`, prevents that two
 * calls maintain an array at the same time: the second one fails. `tiledb_ctx_cancel_tasks` on another thread cancels it.
 *
 * ```c
 * static int32_t show_step(const tiledb_rs_maintenance_step_t *step, void *data) {
 *   printf("%llu sources, %llu bytes written: %s\n", (unsigned long long)step->sources,
 *          (unsigned long long)step->bytes_written, step->reason);
 *   return TILEDB_RS_CONTINUE;
 * }
 * // ...
 * tiledb_rs_array_maintain(ctx, "my_array", NULL, 0, show_step, NULL);
 * ```
 *
 * @param ctx The context.
 * @param uri The URI of the array, which must not be on a TileDB server.
 * @param config A configuration whose parameters override those of the context; null for those of the context.
 * @param dry_run Unless 0, nothing is changed, and the callback receives the steps that can be planned.
 * @param callback Called on this thread after each step. May be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if another maintainer is at work, or it was stopped or cancelled:
 *     steps that were taken remain.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_maintain(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    uint32_t dry_run,
    tiledb_rs_maintenance_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Lists the orphaned fragments of an array and of its dimension labels: folders of writers that were killed before they
 * committed.
 *
 * No reader sees such folders, but they use space. Fragments of writers that are still active are listed too.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param callback Called with the URI of each folder. Must not be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_orphans(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_rs_uri_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Copies an array into a new one with other filters or another capacity, and compares all cells of the two.
 *
 * Copies the newest schema, the fragments that readers see at any time, the array metadata, and the arrays of dimension labels; the
 * copy has the newest format version, or that of `sm.write_format_version`. The array itself is not changed; it may be written to,
 * consolidated and vacuumed meanwhile. A rewrite that fails or is killed leaves a target that is no array yet: resume it, or delete it
 * with `tiledb_array_delete`.
 *
 * ```c
 * tiledb_array_schema_t *fast = NULL;
 * if (tiledb_rs_schema_advise(ctx, "my_array", NULL, TILEDB_RS_FASTEST, NULL, NULL, &fast) == TILEDB_OK)
 *   tiledb_rs_array_rewrite(ctx, "my_array", "my_array_fast", fast, TILEDB_RS_FRAGMENTS_PRESERVED, 0, NULL, NULL);
 * tiledb_array_schema_free(&fast);
 * ```
 *
 * @param ctx The context; the copy is encrypted like the array.
 * @param uri The URI of the array; not of one on a TileDB server.
 * @param target The URI of the copy.
 * @param array_schema The schema whose filters and capacity the copy gets, such as that of `tiledb_rs_schema_advise`; it must not
 *     differ from that of the array in anything else. Null for those of the array.
 * @param fragments What becomes of the fragments.
 * @param resume 0: nothing may exist at `target`. Otherwise what is there is the result of an earlier call with the same
 *     arguments; its complete fragments are not written again, and those that the array has no more are removed.
 * @param callback Called on this thread with the number of cells that were written or compared, and the number of cells to be
 *     written and compared, after every few megabytes. May be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error: also if cells differ or the callback stopped it.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_rewrite(
    tiledb_ctx_t *ctx,
    const char *uri,
    const char *target,
    tiledb_array_schema_t *array_schema,
    tiledb_rs_rewritten_fragments_t fragments,
    uint8_t resume,
    tiledb_rs_progress_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Removes the orphaned fragments that `tiledb_rs_array_orphans` lists.
 *
 * No writer may be active in the array. While this process writes or consolidates it, on another thread or around a callback,
 * the call fails; writers in other processes cannot be detected. `tiledb_ctx_cancel_tasks` on another thread cancels it.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param count Receives the number of folders that were removed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_sweep(
    tiledb_ctx_t *ctx,
    const char *uri,
    uint64_t *count) TILEDB_NOEXCEPT;

/**
 * Removes orphaned fragments like `tiledb_rs_array_sweep`, with a progress callback that can stop it.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param callback Called on this thread after each folder is removed, in the order of `tiledb_rs_array_orphans`, with the
 *     number of removed folders and of all folders. The array stays readable wherever it is stopped. Must not be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_sweep_watched(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_rs_progress_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Vacuums an array like `tiledb_array_vacuum`, with a progress callback that can stop it.
 *
 * `tiledb_ctx_cancel_tasks` on another thread cancels it too. The array stays readable wherever it is stopped, and a second
 * vacuum removes the rest.
 *
 * @param ctx The context.
 * @param uri The URI of the array. No process should be reading fragments that were consolidated.
 * @param config A configuration whose parameters override those of the context, as for `tiledb_array_vacuum`; null for those
 *     of the context.
 * @param callback Called on this thread after files have been removed, with the number of removed files and of all files to
 *     remove (a fragment folder counts as one). Not called if there is nothing to remove, nor for arrays on a server. Must not
 *     be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_vacuum(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    tiledb_rs_progress_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Lists the files that `tiledb_array_vacuum` would remove with this configuration, and removes nothing.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param config A configuration whose parameters override those of the context, as for `tiledb_array_vacuum`; null for those
 *     of the context.
 * @param callback Called with the URI of each file, or of a folder that would be removed with its contents. Some may not exist
 *     any more. Must not be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_vacuum_files(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    tiledb_rs_uri_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Verifies the integrity of an array and of its dimension labels by reading every byte.
 *
 * It checks files and their sizes, fragment footers and tables, all tiles with their checksums, offsets, validity, statistics,
 * bounding boxes, domains, the order of cells, commits, schemas, enumerations, metadata and delete conditions. Nothing is
 * changed, and corrupt files do not end the verification. `tiledb_ctx_cancel_tasks` on another thread cancels it.
 *
 * ```c
 * static int32_t report(const tiledb_rs_finding_t *finding, void *data) {
 *   if (finding->severity == TILEDB_RS_SEVERITY_ERROR)
 *     printf("%s: %s %s\n", finding->file, finding->text, finding->remedy);
 *   return TILEDB_RS_CONTINUE;
 * }
 * // ...
 * tiledb_rs_verified_t verified;
 * if (tiledb_rs_array_verify(ctx, "my_array", NULL, report, NULL, NULL, &verified) == TILEDB_OK)
 *   printf("%llu errors\n", (unsigned long long)verified.errors);
 * ```
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param config A configuration whose parameters, such as `sm.mem.total_budget`, override those of the context; null for those
 *     of the context.
 * @param on_finding Called on this thread with each finding, which is valid during the call. May be null.
 * @param on_progress Called on this thread with the number of bytes verified and to verify. May be null.
 * @param data Passed to the callbacks.
 * @param verified Receives what was verified and the number of findings.
 * @return `TILEDB_OK` if everything was verified, whatever was found; `TILEDB_ERR` for error, also if it was stopped or
 *     cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_verify(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    tiledb_rs_finding_callback_t on_finding,
    tiledb_rs_progress_callback_t on_progress,
    void *data,
    tiledb_rs_verified_t *verified) TILEDB_NOEXCEPT;

/**
 * Reads a date or a time of day as the number of units that a datatype of dates stores.
 *
 * ```c
 * int64_t day = 0;
 * tiledb_rs_datetime_from_text(TILEDB_DATETIME_DAY, "2024-02-29", &day); // 19782
 * ```
 *
 * @param datatype A datatype of dates, `TILEDB_DATETIME_YEAR` to `TILEDB_DATETIME_AS`.
 * @param text A date in ISO 8601: `2024`, `2024-02`, `2024-02-29`, `2024-02-29T12:30`, `2024-02-29 12:30:15.25Z`; or a number of units,
 *     except of years; or `NaT`, which is the smallest number.
 * @param units Receives the number of units since 1970-01-01 UTC.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no such date, or it is not a whole number of units.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_datetime_from_text(
    tiledb_datatype_t datatype,
    const char *text,
    int64_t *units) TILEDB_NOEXCEPT;

/**
 * Returns the number of handles of all types that are allocated in this process: 0 after everything has been freed.
 *
 * Use it in tests to detect leaks. The symbol also identifies this library: libtiledb does not export it.
 *
 * @return The number of live handles.
 */
TILEDB_EXPORT uint64_t tiledb_rs_live_handles(void) TILEDB_NOEXCEPT;

/**
 * Copies an array, or a group with all that its folder contains, to any other place, such as from a disk to an object store.
 *
 * Files are copied as they are, with all fragments: time travel works as before, and encrypted arrays need no key. The array may be
 * written to meanwhile: the copy is its state at one moment. A reader of the target sees a fragment as a whole or not at all. A
 * second call resumes an interrupted copy, or adds what was written since. Members of groups that lie in the source lead into the
 * copy; others remain as they are.
 *
 * ```c
 * tiledb_string_t *summary = NULL;
 * const char *text = NULL;
 * size_t length = 0;
 * if (tiledb_rs_object_copy(ctx, "my_array", "s3://bucket/my_array", 0, 0, NULL, NULL, &summary) == TILEDB_OK) {
 *   tiledb_string_view(summary, &text, &length);
 *   printf("%s\n", text); // {"already_there":0,"arrays":1,"bytes":734,"files":6,...}
 *   tiledb_string_free(&summary);
 * }
 * ```
 *
 * @param ctx The TileDB context.
 * @param from The URI of the array or group; not of one on a TileDB server.
 * @param to The URI of the copy: a place where nothing is, or an earlier copy.
 * @param check Unless 0, the contents of files that the target has are compared, and files that differ are copied again; otherwise
 *     files of the same size are taken for equal, except those of schemas.
 * @param dry_run Unless 0, nothing is copied; the summary tells what would be.
 * @param callback Called with the number of bytes that were copied or compared and of all, on threads of the copy, by one at a time.
 *     May be null.
 * @param data Passed to the callback.
 * @param summary Receives what was copied as JSON: `arrays`, `groups`, `files`, `bytes`, `already_there` (files), `differing` (files,
 *     with `check`), `is_snapshot` (whether the copy has all commits that there were at one moment), `rewritten_groups` (whose members
 *     lead into the copy), `members_elsewhere` (not copied), `aborted_uploads` (of killed copies; null if they cannot be listed). Free
 *     it with `tiledb_string_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled. A second call continues.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_object_copy(
    tiledb_ctx_t *ctx,
    const char *from,
    const char *to,
    uint8_t check,
    uint8_t dry_run,
    tiledb_rs_progress_callback_t callback,
    void *data,
    tiledb_string_t **summary) TILEDB_NOEXCEPT;

/**
 * Creates a query condition from a text, such as `delay between 5 and 9 and (origin == 'JFK' or carrier is null)`.
 *
 * Comparisons are `field op value`, with `==` or `=`, `!=` or `<>`, `<`, `<=`, `>`, `>=`; `field in (v1, v2)`, `field not in (v1, v2)`,
 * `field between v1 and v2`, `field is null` and `field is not null`. They are joined by `and`, `or`, `not` and parentheses. A name
 * or a value is a word, or any text in single or double quotes. Values are read by the datatype of the field, or of its enumeration:
 * numbers, texts, `true` and `false`, dates and times in ISO 8601, bytes as `0x1f`.
 *
 * ```c
 * tiledb_query_condition_t *late = NULL;
 * tiledb_array_get_schema(ctx, array, &schema);
 * if (tiledb_rs_query_condition_from_text(ctx, schema, "delay > 60 and origin in (JFK, LGA)", &late) == TILEDB_OK)
 *   tiledb_query_set_condition(ctx, query, late);
 * tiledb_query_condition_free(&late);
 * tiledb_array_schema_free(&schema);
 * ```
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema of the array, for the types of its fields. Enumerations of compared attributes are loaded.
 * @param text The condition in UTF-8.
 * @param condition Receives the condition; free it with `tiledb_query_condition_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the text is not a condition, or names a field that does not exist, or a value that
 *     the type of the field does not represent. The error ends with the position in the text, in bytes: `(at byte 12)`.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_query_condition_from_text(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    const char *text,
    tiledb_query_condition_t **condition) TILEDB_NOEXCEPT;

/**
 * Writes the cells of a stream of Arrow record batches (Arrow C stream interface) to an array.
 *
 * Columns are matched with fields by name; the Arrow guide lists the accepted types. Small batches are combined, so that not
 * each becomes a fragment; large ones are written without a copy.
 *
 * In unordered layout each submit commits a fragment. In row- or column-major layout the stream contains the cells of the
 * subarray, which become one fragment. In global order the caller finalizes the query (`tiledb_query_finalize`), which commits
 * the cells. After an error, or if it was stopped, nothing remains of a fragment that was not committed.
 *
 * @param ctx The context.
 * @param query The query, of type `TILEDB_WRITE`, with layout and subarray, without buffers.
 * @param stream A `struct ArrowArrayStream`, which is consumed: it is released in every case. Its buffers must be as long as
 *     their types, lengths and offsets require; everything else is validated. Its callbacks are called on this thread.
 * @param batch_bytes The approximate number of bytes to combine before a submit. 0 for a quarter of `sm.mem.total_budget`, at
 *     most 64 MiB.
 * @param callback Called on this thread after each batch with the number of cells received so far. May be null.
 * @param data Passed to the callback.
 * @param cells Receives the number of cells; null if not needed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_query_from_arrow(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    void *stream,
    uint64_t batch_bytes,
    tiledb_rs_cells_callback_t callback,
    void *data,
    uint64_t *cells) TILEDB_NOEXCEPT;

/**
 * Submits a read like `tiledb_query_submit`, with a progress callback that can stop it.
 *
 * The read runs on a thread of its own meanwhile, so the callback may call any function of the library, except those that wait
 * for this query. `tiledb_ctx_cancel_tasks` on another thread cancels the read too. A read that was stopped is where it was
 * before this submit: its size variables are unchanged, the contents of its buffers undefined, and it returns the same results
 * when it is submitted again. A sparse read in row- or column-major order is not stopped inside a part of the results that
 * cannot be divided; a read on a server stops when the response arrives.
 *
 * @param ctx The context.
 * @param query A read query.
 * @param callback Called on this thread, at least ten times a second and once at the end of the submit, with the completed and
 *     the approximate total number of steps; only their ratio is meaningful. Both are 0 until the total is known, and while a
 *     server works; both are equal at the end of the last submit, where the result of the callback is ignored. Must not be
 *     null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_query_submit(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_rs_progress_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Returns the results of a read as a stream of Arrow record batches (Arrow C stream interface).
 *
 * Each batch holds the results of one submit in memory of its own. Values and offsets are not copied; validity and
 * `TILEDB_BOOL` become bitmaps, enumerations dictionaries. The Arrow guide lists the Arrow type of each datatype. While the
 * stream exists the query must not be used by other functions, but it may be freed.
 *
 * @param ctx The context.
 * @param query The query, with subarray, layout and condition, without buffers, not yet submitted.
 * @param fields The names of the dimensions and attributes; null for all of them.
 * @param field_num The number of names.
 * @param batch_bytes The approximate size of a batch in bytes; a single longer cell makes it larger. 0 for a quarter of
 *     `sm.mem.total_budget`, at most 64 MiB.
 * @param stream The address of a `struct ArrowArrayStream`, which is filled in. Release it with its own callback, on any
 *     thread; threads that use it together take turns, and each gets the next batch.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_query_to_arrow(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char **fields,
    uint64_t field_num,
    uint64_t batch_bytes,
    void *stream) TILEDB_NOEXCEPT;

/**
 * Recommends a schema for the cells of an array: filters, by encoding a sample with candidate filter lists; and capacity, cell
 * order, tile extents, array type and enumerations, by writing a sample to memory with each.
 *
 * Sizes are measured; times are computed from the sizes between filters, so that equal arrays get equal
 * recommendations. Checksum filters stay, filter lists with `SCALE_FLOAT` or `WEBP` are kept, and filters that
 * `sm.write_format_version` excludes are not recommended. Filters are those for the current tiles. Nothing is written.
 * `tiledb_ctx_cancel_tasks` on another thread cancels it.
 *
 * The recommended schema has the recommended filters, and of the other properties those that `sm.advise.properties` lists: by
 * default the capacity alone, since the others change what programs that read or write the array see.
 *
 * ```c
 * static int32_t show_filters(const tiledb_rs_advice_t *advice, void *data) {
 *   if (advice->property == TILEDB_RS_ADVISED_VALUES && advice->reason == TILEDB_RS_REASON_BETTER)
 *     printf("%s: %s, %llu instead of %llu bytes\n", advice->field, advice->recommended,
 *            (unsigned long long)advice->recommended_bytes, (unsigned long long)advice->current_bytes);
 *   return TILEDB_RS_CONTINUE;
 * }
 * // ...
 * tiledb_array_schema_t *advised;
 * if (tiledb_rs_schema_advise(ctx, "my_array", NULL, TILEDB_RS_BALANCED, show_filters, NULL, &advised) == TILEDB_OK)
 *   tiledb_array_create(ctx, "my_new_array", advised);
 * ```
 *
 * @param ctx The context.
 * @param uri The URI of the array, which must not be on a TileDB server.
 * @param config A configuration whose parameters override those of the context; null for those of the context.
 * @param objective What the schema is to achieve.
 * @param callback Called on this thread with the recommendation for the filters of the values of each stored field, in the order of
 *     the schema, then of offsets and validity, if there are any, then with those for other properties that have alternatives. May
 *     be null.
 * @param data Passed to the callback.
 * @param array_schema Receives the recommended schema, with which a new array can be created; free it with
 *     `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_schema_advise(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    tiledb_rs_objective_t objective,
    tiledb_rs_advice_callback_t callback,
    void *data,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Recommends a schema for cells that are not stored yet: those of a stream of Arrow record batches (Arrow C stream interface).
 *
 * The stream is read to its end. Of its rows a sample of at most 32 MiB is kept, blocks of consecutive rows that are evenly spread,
 * and written to memory with a schema that has the dimensions and attributes; then the recommendations are those of
 * `tiledb_rs_schema_advise`. Sizes and times are estimates for all rows of the stream. To advise on cells in buffers, write them to
 * an array in memory (`mem://cells`) and pass its URI to `tiledb_rs_schema_advise`.
 *
 * Columns are matched with fields by name, as by `tiledb_rs_query_from_arrow`. The rows of a sparse array may have any order; those
 * of a dense array are the cells of its domain in row-major order, from the first one on, and are sampled by whole coordinates of
 * its first dimension.
 *
 * @param ctx The context.
 * @param array_schema A valid schema with the dimensions and attributes; its other properties are what the recommendations are
 *     compared with. It is not changed.
 * @param stream A `struct ArrowArrayStream`, which is consumed: it is released in every case. Its buffers must be as long as
 *     their types, lengths and offsets require; everything else is validated. Its callbacks are called on this thread.
 * @param config A configuration whose parameters override those of the context; null for those of the context.
 * @param objective What the schema is to achieve.
 * @param callback Called as by `tiledb_rs_schema_advise`. May be null.
 * @param data Passed to the callback.
 * @param advised_schema Receives the recommended schema, with which an array can be created; free it with
 *     `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_schema_advise_arrow(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    void *stream,
    tiledb_config_t *config,
    tiledb_rs_objective_t objective,
    tiledb_rs_advice_callback_t callback,
    void *data,
    tiledb_array_schema_t **advised_schema) TILEDB_NOEXCEPT;

/**
 * Creates the schema that JSON describes, as `tiledb_rs_schema_to_json` writes it.
 *
 * Everything but `array_type` and the dimensions may be missing; unknown keys are errors.
 *
 * ```c
 * tiledb_rs_schema_from_json(ctx,
 *                            "{\"array_type\": \"dense\","
 *                            " \"dimensions\": [{\"name\": \"x\", \"type\": \"INT32\", \"domain\": [0, 99], \"tile\": 10}],"
 *                            " \"attributes\": [{\"name\": \"a\", \"type\": \"FLOAT64\"}]}",
 *                            &schema);
 * ```
 *
 * @param ctx The TileDB context.
 * @param json The description in UTF-8.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the text is not JSON, or does not describe a valid schema: the error names the
 *     place, such as `schema.attributes[0].type`.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_schema_from_json(
    tiledb_ctx_t *ctx,
    const char *json,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Describes a schema in JSON, from which `tiledb_rs_schema_from_json` makes the same one.
 *
 * Everything is included but dimension labels and sizes of chunks: enumerations with their values, which are loaded, and fill values
 * unless they are the default. Values are numbers, texts, dates in ISO 8601, or lists of several values; bytes that no text spells
 * are `{"hex": "0x..."}`.
 *
 * ```c
 * tiledb_string_t *json = NULL;
 * tiledb_array_schema_t *same = NULL;
 * const char *text = NULL;
 * size_t length = 0;
 * tiledb_array_schema_load(ctx, "my_array", &schema);
 * tiledb_rs_schema_to_json(ctx, schema, &json);
 * tiledb_string_view(json, &text, &length);
 * printf("%s\n", text);
 * tiledb_rs_schema_from_json(ctx, text, &same);
 * tiledb_array_create(ctx, "my_other_array", same);
 * ```
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param json Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_schema_to_json(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_string_t **json) TILEDB_NOEXCEPT;

/**
 * Sends the lines of the log to a function instead of the standard error output, for the whole process.
 *
 * Which lines there are is decided by `config.logging_level` of the context that was created last: 1 for errors, 2 also for warnings, 3
 * also for queries and operations of maintenance when they begin and end, with their duration, fragments and bytes, 5 also for requests
 * to object stores and servers. If `config.logging_format` is `JSON`, the message is a JSON object with `time`, `process`, `severity` and
 * `message`; of operations also with `operation`, `event` (`begin`, `end` or `failure`), `seconds`, `fragments` and `bytes`.
 *
 * ```c
 * static void append(int32_t level, const char *message, void *data) {
 *   fprintf((FILE *)data, "<%d> %s\n", (int)level, message);
 * }
 * // ...
 * tiledb_rs_set_log_callback(append, fopen("tiledb.log", "a"));
 * ```
 *
 * @param callback Called for each line, on the thread that logs it, several threads at a time perhaps; what it throws is ignored. It
 *     must not call functions of the library that log. Null: lines go to the standard error output again; the last call of the previous
 *     callback may still be running on another thread then.
 * @param data Passed to the callback.
 * @return `TILEDB_OK`.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_set_log_callback(
    tiledb_rs_log_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Computes how many parts `tiledb_rs_subarray_partition` has to create so that the results of each have about a given size.
 *
 * The size counts coordinates, values, offsets and validity. The length of variable-length cells is estimated from up to 64
 * fragments.
 *
 * @param ctx The context.
 * @param array The array, open for reading.
 * @param subarray The subarray; null for the whole array.
 * @param condition The condition of the reads; null for none. All cells of tiles that it does not exclude by their statistics
 *     count.
 * @param fields The names of the dimensions and attributes to be read; null for all attributes, and in sparse arrays all
 *     dimensions.
 * @param field_num The number of names.
 * @param bytes The desired size of the results of a part in bytes.
 * @param wanted Receives the number of parts, at least 1.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_subarray_part_count(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    const tiledb_subarray_t *subarray,
    const tiledb_query_condition_t *condition,
    const char **fields,
    uint64_t field_num,
    uint64_t bytes,
    uint64_t *wanted) TILEDB_NOEXCEPT;

/**
 * Partitions a subarray into parts with about the same number of cells each, for parallel or distributed reads.
 *
 * The parts are disjoint and together select every cell of the subarray. Only metadata is read: R-trees, tile grids, tile
 * statistics. In dense arrays every cell of the subarray counts; with a condition, only those of existing tiles that it does
 * not exclude. All processes that open the array at the returned timestamp get the same parts. If a string dimension has no
 * range, the last part ends at the greatest string of a fragment.
 *
 * ```c
 * tiledb_subarray_t *parts[8] = {NULL};
 * uint64_t cells[8], count = 0, timestamp = 0;
 * tiledb_rs_subarray_partition(ctx, array, subarray, NULL, 8, parts, cells, &count, &timestamp);
 * for (uint64_t i = 0; i < count; i++)
 *   tiledb_subarray_free(&parts[i]); // or hand it to a worker
 * ```
 *
 * See also `tiledb_rs_subarray_part_count`, which computes the number of parts from a size in bytes.
 *
 * @param ctx The context.
 * @param array The array, open for reading.
 * @param subarray The subarray; null for the whole array.
 * @param condition The condition of the reads: tiles that it excludes by their statistics do not count. The parts must be read
 *     with it. Null for none.
 * @param wanted The number of parts requested.
 * @param parts Receives the parts: an array of `wanted` handles, each to be freed with `tiledb_subarray_free`.
 * @param cells Receives the estimated number of cells of each part: an array of `wanted` numbers; null if not needed.
 * @param count Receives the number of parts, at least 1; less than `wanted` if there is not enough to divide.
 * @param timestamp Receives the end timestamp at which the array is open, in milliseconds since 1970; null if not needed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_subarray_partition(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    const tiledb_subarray_t *subarray,
    const tiledb_query_condition_t *condition,
    uint64_t wanted,
    tiledb_subarray_t **parts,
    uint64_t *cells,
    uint64_t *count,
    uint64_t *timestamp) TILEDB_NOEXCEPT;

/**
 * Lists the tiles that a read considers, fragment by fragment, with what their statistics tell about the condition (tile
 * pruning).
 *
 * Only metadata is read: tiles that intersect the ranges according to their bounding boxes or the tile grid, and the
 * statistics of each. Cells that were deleted or overwritten are not taken into account.
 *
 * @param ctx The context.
 * @param array The array, open for reading.
 * @param subarray The subarray; null for the whole array.
 * @param condition The condition; null for none.
 * @param callback Called with the URI of the fragment, the number of the tile in it, and the verdict, a
 *     `tiledb_rs_tile_match_t`. Must not be null.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_subarray_tiles(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    const tiledb_subarray_t *subarray,
    const tiledb_query_condition_t *condition,
    tiledb_rs_tile_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Aborts the incomplete multipart uploads below a folder of an S3 store.
 *
 * Such uploads are left by processes that were killed; the store retains them, and charges for them, until they are aborted.
 * No writer may be active there: while this process writes an array below the folder the call fails. Other storage discards
 * incomplete uploads itself; there the call does nothing.
 *
 * @param ctx The context.
 * @param vfs The virtual file system.
 * @param uri The folder.
 * @param count Receives the number of uploads that were aborted.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_vfs_sweep_uploads(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    uint64_t *count) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_RS_H */
