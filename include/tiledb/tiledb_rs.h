/*
 * What libtiledb-rs offers beyond TileDB's C interface.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_RS_H
#define TILEDB_RS_H

#include "api/c_api/api_external_common.h"
#include "api/c_api/config/config_api_external.h"
#include "api/c_api/context/context_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 *     are merged. It returns 1 to go on, 0 to stop, -1 for an error; the array stays as it is for both. Modes other
 *     than `fragments` do not call it.
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
 * Removes the folders that `tiledb_rs_array_orphans` lists. No writer may be at work in the array.
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
 * Tells how many handles of all types live in this process: 0 after everything was freed.
 *
 * @return The number of live handles.
 */
TILEDB_EXPORT uint64_t tiledb_rs_live_handles(void) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_RS_H */
