/*
 * The C interface of TileDB: vfs.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_VFS_API_EXTERNAL_H
#define TILEDB_CAPI_VFS_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../config/config_api_external.h"
#include "../context/context_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TILEDB_VFS_MODE_ENUM(id) TILEDB_##id

/**
 * What a file is opened for.
 */
typedef enum {
  TILEDB_VFS_READ = 0,
  TILEDB_VFS_WRITE = 1,
  TILEDB_VFS_APPEND = 2,
} tiledb_vfs_mode_t;

/**
 * The opaque vfs handle.
 */
typedef struct tiledb_vfs_handle_t tiledb_vfs_t;

/**
 * The opaque vfs fh handle.
 */
typedef struct tiledb_vfs_fh_handle_t tiledb_vfs_fh_t;

TILEDB_EXPORT capi_return_t tiledb_vfs_alloc(
    tiledb_ctx_t *ctx,
    tiledb_config_t *config,
    tiledb_vfs_t **vfs) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_close(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_copy_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *old_uri,
    const char *new_uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_copy_file(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *old_uri,
    const char *new_uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_create_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_create_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_dir_size(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    uint64_t *size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_empty_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_vfs_fh_free(tiledb_vfs_fh_t **fh) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_fh_is_closed(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh,
    int32_t *is_closed) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_file_size(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    uint64_t *size) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_vfs_free(tiledb_vfs_t **vfs) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_get_config(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_is_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_bucket) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_is_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_dir) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_is_empty_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_empty) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_is_file(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_file) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_ls(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *path,
    int32_t (*callback)(const char*, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Gives a file mode from its text.
 *
 * @param str The text.
 * @param vfs_mode The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_mode_from_str(
    const char *str,
    tiledb_vfs_mode_t *vfs_mode) TILEDB_NOEXCEPT;

/**
 * Gives the text of a file mode.
 *
 * @param vfs_mode The value.
 * @param str Its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_mode_to_str(
    tiledb_vfs_mode_t vfs_mode,
    const char **str) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_move_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *old_uri,
    const char *new_uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_move_file(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *old_uri,
    const char *new_uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_open(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    tiledb_vfs_mode_t mode,
    tiledb_vfs_fh_t **fh) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_read(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh,
    uint64_t offset,
    void *buffer,
    uint64_t nbytes) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_remove_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_remove_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_remove_file(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_sync(tiledb_ctx_t *ctx, tiledb_vfs_fh_t *fh) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_touch(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_vfs_write(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh,
    const void *buffer,
    uint64_t nbytes) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_VFS_API_EXTERNAL_H */
