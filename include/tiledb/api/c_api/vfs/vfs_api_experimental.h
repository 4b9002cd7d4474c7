/*
 * The C interface of TileDB: vfs, experimental.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_VFS_API_EXPERIMENTAL_H
#define TILEDB_CAPI_VFS_API_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../vfs/vfs_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Called with the path, its length, the object's size and the user's pointer: 1 goes on, 0 stops, -1 is an error.
 */
typedef int32_t (*tiledb_ls_callback_t)(const char*, size_t, uint64_t, void*);

/**
 * As `tiledb_ls_callback_t`, with a flag for directories.
 */
typedef int32_t (*tiledb_ls_callback_v2_t)(const char*, size_t, uint64_t, uint8_t, void*);

TILEDB_DEPRECATED_EXPORT capi_return_t tiledb_vfs_ls_recursive(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *path,
    tiledb_ls_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_ls_recursive_v2(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *path,
    tiledb_ls_callback_v2_t callback,
    void *data) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_VFS_API_EXPERIMENTAL_H */
