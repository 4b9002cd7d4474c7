/*
 * The C interface of TileDB: vfs, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
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

/**
 * Lists everything below a directory, each directory before its contents.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param path The directory.
 * @param callback Called with each URI, its length, the size of the file and `data`: it returns 1 to go on, 0 to stop,
 *     -1 for an error. It may call any function.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_DEPRECATED_EXPORT capi_return_t tiledb_vfs_ls_recursive(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *path,
    tiledb_ls_callback_t callback,
    void *data) TILEDB_NOEXCEPT;

/**
 * Lists everything below a directory, each directory before its contents.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param path The directory.
 * @param callback Called with each URI, its length, the size of the file, 1 for directories and `data`: it returns 1 to go on, 0 to stop,
 *     -1 for an error. It may call any function.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
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
