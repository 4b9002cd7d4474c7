/*
 * What libtiledb-rs offers beyond TileDB's C interface.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_RS_H
#define TILEDB_RS_H

#include "api/c_api/api_external_common.h"
#include "api/c_api/array/array_api_external.h"
#include "api/c_api/config/config_api_external.h"
#include "api/c_api/context/context_api_external.h"
#include "api/c_api/query/query_api_external.h"
#include "api/c_api/subarray/subarray_api_external.h"
#include "api/c_api/vfs/vfs_api_external.h"
#include "tiledb.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Something that a verification found.
 */
typedef struct {
  /**
   * How bad it is: 0 for a note (nothing is wrong with the cells), 1 for a warning (some reads may be wrong or slow), 2 for
   * an error (cells, metadata or a schema are lost or wrong).
   */
  uint32_t severity;
  /**
   * What kind of thing it is: 1 storage, 2 file missing, 3 file that nobody names, 4 schema, 5 enumeration, 6 metadata of
   * the array, 7 deletion, 8 commit, 9 fragment that was never committed, 10 consolidated fragment metadata, 11 footer,
   * 12 table of fragment metadata, 13 size of a file, 14 place of a tile, 15 tile that cannot be decoded, 16 offsets,
   * 17 validity, 18 statistics, 19 bounding boxes, 20 domain, 21 global order, 22 duplicate, 23 time, 24 not looked at.
   */
  uint32_t code;
  /**
   * The URI of the file.
   */
  const char *file;
  /**
   * The name of the field; null where there is none.
   */
  const char *field;
  /**
   * The name of the fragment; null where there is none.
   */
  const char *fragment;
  /**
   * The tile of the field, counted from 0; `UINT64_MAX` where there is none.
   */
  uint64_t tile;
  /**
   * The first byte of the file that it is about; `UINT64_MAX` where that is not known.
   */
  uint64_t offset;
  /**
   * What is wrong.
   */
  const char *text;
  /**
   * What to do about it.
   */
  const char *remedy;
} tiledb_rs_finding_t;

/**
 * What a verification looked at, and how many findings of each severity there were.
 */
typedef struct {
  /**
   * Files.
   */
  uint64_t files;
  /**
   * Tiles of fields.
   */
  uint64_t tiles;
  /**
   * The size of all of that in bytes.
   */
  uint64_t bytes;
  /**
   * Notes.
   */
  uint64_t notes;
  /**
   * Warnings.
   */
  uint64_t warnings;
  /**
   * Errors.
   */
  uint64_t errors;
} tiledb_rs_verified_t;

/**
 * Consolidates an array as `tiledb_array_consolidate` does and tells how far it has come, so that a program can show it
 * or stop it. `tiledb_ctx_cancel_tasks` on another thread stops it too.
 *
 * @param ctx The context.
 * @param uri The URI of the array, which should not be open for writing.
 * @param config The configuration, with the `sm.consolidation.*` parameters and the key, which is the context's where it
 *     has none; null for the context's.
 * @param callback Called in this thread when some megabytes of cells are merged, and with `cells` equal to `total`
 *     before the merged fragment is there for readers, for each fragment that is made; `total` counts the cells that
 *     are merged. It returns 1 to go on, 0 to stop, -1 for an error; the array stays as it is for both. In modes other
 *     than `fragments`, and by a server, it is not called.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_consolidate(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    int32_t (*callback)(uint64_t, uint64_t, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Tells what `tiledb_array_consolidate` would merge with this configuration, step by step, and does nothing. In the mode
 * `fragments` there may be several steps. What the first one merges is what a consolidation would merge now; the choice of
 * later ones takes a merged fragment to have the bytes of its parts' cells and the metadata of one of them.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param config The configuration, as for `tiledb_array_consolidate`; null for the context's.
 * @param callback Called for each fragment, footer of a fragment, commit or file of metadata that is merged, in the order of
 *     time: with the number of the step, from 1 on; its URI, or null where an earlier step makes it, whose number comes
 *     next (0 otherwise); its cells (0 for commits and metadata) and its bytes; and `data`. At the end of a step
 *     it is called with null, the number of that step itself, the most cells that are there then, and the bytes of all
 *     that was merged. It returns 1 to go on, 0 to stop, -1 for an error. Where there is nothing to merge it is not called.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_consolidate_steps(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    int32_t (*callback)(uint64_t, const char*, uint64_t, uint64_t, uint64_t, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Lists what writers left in an array, and in its dimension labels, that were killed before they committed: folders of
 * fragments that no reader sees. Those of writers at work are among them.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param callback Called with each folder and `data`: it returns 1 to go on, 0 to stop, -1 for an error.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_orphans(
    tiledb_ctx_t *ctx,
    const char *uri,
    int32_t (*callback)(const char*, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Removes the folders that `tiledb_rs_array_orphans` lists. No writer may be at work in the array: while this process writes or
 * consolidates it, in another thread or around a callback, this is an error; writers in other processes are not known.
 * `tiledb_ctx_cancel_tasks` on another thread stops it.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param count How many folders there were.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_sweep(
    tiledb_ctx_t *ctx,
    const char *uri,
    uint64_t *count) TILEDB_NOEXCEPT;

/**
 * Sweeps as `tiledb_rs_array_sweep` does and tells how far it has come, so that a program can show it or stop it.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param callback Called in this thread after each folder is removed, in the order of `tiledb_rs_array_orphans`, with the
 *     number of those that are, that of all, and `data`. It returns 1 to go on, 0 to stop, -1 for an error; the array reads
 *     the same wherever it is stopped.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_sweep_watched(
    tiledb_ctx_t *ctx,
    const char *uri,
    int32_t (*callback)(uint64_t, uint64_t, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Vacuums an array as `tiledb_array_vacuum` does and tells how far it has come, so that a program can show it or stop it.
 * `tiledb_ctx_cancel_tasks` on another thread stops it too. The array reads the same wherever it is stopped, and a second
 * vacuum removes what was left.
 *
 * @param ctx The context.
 * @param uri The URI of the array; no one should be reading from it.
 * @param config The configuration, with `sm.vacuum.mode`; null for the context's.
 * @param callback Called in this thread after some files are removed, with their number, that of the files to remove (a
 *     folder of a fragment counts as one file), and `data`. It returns 1 to go on, 0 to stop, -1 for an error. Where there
 *     is nothing to remove, and by a server, it is not called.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_vacuum(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    int32_t (*callback)(uint64_t, uint64_t, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Lists what `tiledb_array_vacuum` would remove with this configuration, and removes nothing.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param config The configuration, with `sm.vacuum.mode`; null for the context's.
 * @param callback Called with the URI of each file, or of a folder with all that is in it, and `data`. Some may be gone
 *     already. It returns 1 to go on, 0 to stop, -1 for an error.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_vacuum_files(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    int32_t (*callback)(const char*, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Looks at every byte of an array, and of its dimension labels, and tells what is wrong: files and their sizes, footers and
 * tables of fragments, all tiles with their checksums, offsets, validity, statistics, bounding boxes, domains, the order of
 * cells, commits, schemas, enumerations, metadata, deletions. Nothing is changed, and what is damaged does not end it.
 * `tiledb_ctx_cancel_tasks` on another thread stops it.
 *
 * @param ctx The context.
 * @param uri The URI of the array.
 * @param config The configuration, with `sm.mem.total_budget` and the key, which is the context's where it has none; null
 *     for the context's.
 * @param on_finding Called in this thread with each finding, which is valid during the call, and `data`. It returns 1 to go
 *     on, 0 to stop, -1 for an error. May be null.
 * @param on_progress Called in this thread with the bytes that were looked at, those that there are, and `data`. It returns
 *     as `on_finding` does. May be null.
 * @param data Handed to the callbacks.
 * @param verified What was looked at and found.
 * @return `TILEDB_OK` if all was looked at, whatever was found, and `TILEDB_ERR` for error, also when it was stopped.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_array_verify(
    tiledb_ctx_t *ctx,
    const char *uri,
    tiledb_config_t *config,
    int32_t (*on_finding)(const tiledb_rs_finding_t*, void*),
    int32_t (*on_progress)(uint64_t, uint64_t, void*),
    void *data,
    tiledb_rs_verified_t *verified) TILEDB_NOEXCEPT;

/**
 * Tells how many handles of all types live in this process: 0 after everything was freed.
 *
 * @return The number of live handles.
 */
TILEDB_EXPORT uint64_t tiledb_rs_live_handles(void) TILEDB_NOEXCEPT;

/**
 * Writes Arrow record batches. Columns are found by the names of the fields; `docs/arrow.md` says which types become which datatypes.
 * Small batches are gathered, so that not each becomes a fragment; large ones are written from where they are.
 *
 * In no order, each submit makes a fragment that is there for readers; in row- or column-major order the stream has the cells of the
 * subarray, which become one fragment; in global order the caller finalizes the query, whose cells are there for readers then. After an
 * error, or when it was stopped, nothing is there of a fragment that was begun.
 *
 * @param ctx The context.
 * @param query The query, of type `TILEDB_WRITE`, with its layout and subarray, without buffers.
 * @param stream A `struct ArrowArrayStream` of the Arrow C stream interface. It is consumed: released in every case. Its buffers
 *     must be as long as their types, lengths and offsets call for; all else is checked. Its callbacks are called in this thread.
 * @param batch_bytes The bytes that are gathered before a submit, about. 0 for a quarter of `sm.mem.total_budget`, 64 MiB at most.
 * @param callback Called in this thread after each batch with the cells that came so far and `data`: it returns 1 to go on, 0 to
 *     stop, -1 for an error. May be null.
 * @param data Handed to the callback.
 * @param cells How many cells there were; null if not wanted.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_query_from_arrow(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    void *stream,
    uint64_t batch_bytes,
    int32_t (*callback)(uint64_t, void*),
    void *data,
    uint64_t *cells) TILEDB_NOEXCEPT;

/**
 * Submits a read as `tiledb_query_submit` does and tells how far it has come, so that a program can show it or stop it. The read
 * works on a thread of its own meanwhile, so that the callback may call any function, but should not wait for this query.
 * `tiledb_ctx_cancel_tasks` on another thread stops it too. A read that was stopped stands where it stood before this submit,
 * with the sizes of its buffers, and gives the same results when it is submitted again; what is in the buffers is undefined.
 * A read in row- or column-major order of a sparse array is not stopped while it stands inside a part of the results that cannot be
 * divided.
 *
 * @param ctx The context.
 * @param query A read query.
 * @param callback Called in this thread, ten times a second or more often, and once when the submit is done: with the steps that
 *     are done, those that the read takes in all, about, and `data`. A step is a cell of a field or of a tile; only the share
 *     means something. Both are 0 until it is known how many there are, and while a server works. At the end of the last submit
 *     both are equal. It returns 1 to go on, 0 to stop, -1 for an error; after the end the answer does not matter.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also when it was stopped. A server's read stops when its answer comes.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_query_submit(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    int32_t (*callback)(uint64_t, uint64_t, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Gives the results of a read query as Arrow record batches. Each batch is what one submit delivers, in memory of its own: values
 * and offsets are not copied, validity and `TILEDB_BOOL` become bits, enumerations dictionaries. `docs/arrow.md` says which type each
 * datatype becomes. The query must not be used by other functions while the stream is there, but may be freed.
 *
 * @param ctx The context.
 * @param query The query, with its subarray, layout and condition, without buffers, not yet submitted.
 * @param fields The names of the dimensions and attributes; null for all of them.
 * @param field_num How many names there are.
 * @param batch_bytes The bytes of a batch, about; a cell that is longer makes it larger. 0 for a quarter of
 *     `sm.mem.total_budget`, 64 MiB at most.
 * @param stream Room for a `struct ArrowArrayStream` of the Arrow C stream interface, to be released by its own callback, on any
 *     thread. Its callbacks are used by one thread at a time.
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
 * Tells into how many parts `tiledb_rs_subarray_partition` has to divide a subarray for each to have about so many bytes of
 * results, coordinates, offsets and validity included. How long variable cells are is told by up to 64 fragments. Parts are
 * balanced within what that function says.
 *
 * @param ctx The context.
 * @param array The array, open for reading.
 * @param subarray The subarray; null for the whole array.
 * @param condition The condition of the reads to come; null for none. All cells of tiles that it does not exclude by their
 *     statistics count.
 * @param fields The names of the dimensions and attributes that are to be read; null for all attributes, and of sparse arrays all
 *     dimensions.
 * @param field_num How many names there are.
 * @param bytes How many bytes of results a part may have, about.
 * @param wanted The number of parts, 1 or more.
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
 * Divides a subarray into parts with about as many cells each, so that several readers have as much to do. Together the
 * parts have each cell of the subarray once. Only metadata are read: R-trees, grids, statistics of tiles. Of dense arrays
 * every cell counts; with a condition, only those of tiles that fragments have and that it does not exclude. The parts are
 * the same for everybody who opens the array at the time that is given out. An end that a subarray without ranges of strings
 * leaves open is the greatest string of a fragment in the last part.
 *
 * @param ctx The context.
 * @param array The array, open for reading.
 * @param subarray The subarray; null for the whole array.
 * @param condition The condition of the reads to come: tiles that it excludes by their statistics do not count. Null for
 *     none. The parts have to be read with it, too.
 * @param wanted How many parts there should be.
 * @param parts Room for so many handles; each is to be freed with `tiledb_subarray_free`.
 * @param cells Room for as many numbers: the cells that each part is estimated to have; null if not wanted.
 * @param count How many parts there are: fewer than wanted where there is not so much to divide, 1 or more.
 * @param timestamp The time at which the array is open, in milliseconds since 1970; null if not wanted.
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
 * Tells which tiles a read looks at, fragment by fragment, from metadata alone: those that its ranges meet, by their boxes or the
 * grid, and what the statistics of each tell of the condition. Cells that were deleted or written again are not known by then.
 *
 * @param ctx The context.
 * @param array The array, open for reading.
 * @param subarray The subarray; null for the whole array.
 * @param condition The condition; null for none.
 * @param callback Called with the URI of a fragment; the number of a tile in it; 0 if the condition excludes the tile, which is
 *     not read then, 1 if some of its cells may meet it, 2 if all do, or there is none; and `data`. It returns 1 to go on, 0 to
 *     stop, -1 for an error.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_rs_subarray_tiles(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    const tiledb_subarray_t *subarray,
    const tiledb_query_condition_t *condition,
    int32_t (*callback)(const char*, uint64_t, int32_t, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Gives up the uploads in parts below a folder of an S3 store that were begun and not completed: what processes left that
 * were killed, and what the store keeps and charges for until somebody does so. No writer may be at work there; while this
 * process writes an array below the folder this is an error. Other storage drops such things itself; for a folder of it
 * nothing is done.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The folder.
 * @param count How many uploads there were.
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
