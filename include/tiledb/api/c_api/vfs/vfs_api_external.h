/*
 * The C interface of TileDB: vfs.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_VFS_API_EXTERNAL_H
#define TILEDB_CAPI_VFS_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../config/config_api_external.h"
#include "../context/context_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/**
 * Creates an interface to file systems.
 *
 * @param ctx The context.
 * @param config What is set here overrides the context's configuration; null for that alone.
 * @param vfs The file systems, to be freed with `tiledb_vfs_free`. Files in memory (`mem://`) are its own.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_alloc(
    tiledb_ctx_t *ctx,
    tiledb_config_t *config,
    tiledb_vfs_t **vfs) TILEDB_NOEXCEPT;

/**
 * Writes out what was written to a file, makes it durable, and closes the file.
 *
 * @param ctx The context.
 * @param fh The file.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also for a file that is closed.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_close(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh) TILEDB_NOEXCEPT;

/**
 * Copies a directory with all it holds to a new one, or into one that is there, replacing files of the same name. The
 * directory it goes to must be there.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param old_uri The directory.
 * @param new_uri The new directory, on the same storage.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_copy_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *old_uri,
    const char *new_uri) TILEDB_NOEXCEPT;

/**
 * Copies a file, replacing one of the new name. The directory it goes to must be there.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param old_uri The file.
 * @param new_uri The new file, on the same storage.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_copy_file(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *old_uri,
    const char *new_uri) TILEDB_NOEXCEPT;

/**
 * Creates a bucket of an object store.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The bucket.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_create_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

/**
 * Creates a directory and its parents; one that exists is fine.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The directory.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_create_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

/**
 * Gives the size of all files below a directory.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The directory.
 * @param size The bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_dir_size(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    uint64_t *size) TILEDB_NOEXCEPT;

/**
 * Removes all that a bucket of an object store holds.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The bucket.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_empty_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

/**
 * Frees a file handle and sets the pointer to null. What was written to a file that was not closed
 * is written out.
 *
 * @param fh The file.
 */
TILEDB_EXPORT void tiledb_vfs_fh_free(tiledb_vfs_fh_t **fh) TILEDB_NOEXCEPT;

/**
 * Tells whether a file was closed.
 *
 * @param ctx The context.
 * @param fh The file.
 * @param is_closed 1 if it was, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_fh_is_closed(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh,
    int32_t *is_closed) TILEDB_NOEXCEPT;

/**
 * Gives the size of a file.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The file.
 * @param size The bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_file_size(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    uint64_t *size) TILEDB_NOEXCEPT;

/**
 * Frees file systems and sets the pointer to null. Files opened with them stay open.
 *
 * @param vfs The file systems.
 */
TILEDB_EXPORT void tiledb_vfs_free(tiledb_vfs_t **vfs) TILEDB_NOEXCEPT;

/**
 * Gives a copy of the configuration of file systems.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param config The configuration, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_get_config(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Tells whether a URI is a bucket of an object store.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The URI.
 * @param is_bucket 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_is_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_bucket) TILEDB_NOEXCEPT;

/**
 * Tells whether a URI is a directory.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The URI.
 * @param is_dir 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_is_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_dir) TILEDB_NOEXCEPT;

/**
 * Tells whether a bucket of an object store holds nothing.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The bucket.
 * @param is_empty 1 if it holds nothing, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_is_empty_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Tells whether a URI is a file.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The URI.
 * @param is_file 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_is_file(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_file) TILEDB_NOEXCEPT;

/**
 * Tells what is directly in a directory, by name; nothing for one that does not exist.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param path The directory.
 * @param callback Called with each URI and `data`: it returns 1 to go on, 0 to stop,
 *     -1 for an error. It may call any function.
 * @param data Handed to the callback.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
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

/**
 * Renames a directory; parents of the new name are made.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param old_uri The directory.
 * @param new_uri Its new name, on the same storage.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_move_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *old_uri,
    const char *new_uri) TILEDB_NOEXCEPT;

/**
 * Renames a file, replacing one of the new name; parents are made.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param old_uri The file.
 * @param new_uri Its new name, on the same storage.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_move_file(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *old_uri,
    const char *new_uri) TILEDB_NOEXCEPT;

/**
 * Opens a file.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The file.
 * @param mode `TILEDB_VFS_READ` for a file that exists, `TILEDB_VFS_WRITE` for a new one (one that exists
 *     is removed at once), `TILEDB_VFS_APPEND` to write at the end.
 * @param fh The open file, to be closed with `tiledb_vfs_close` and freed with `tiledb_vfs_fh_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_open(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    tiledb_vfs_mode_t mode,
    tiledb_vfs_fh_t **fh) TILEDB_NOEXCEPT;

/**
 * Reads from a file.
 *
 * @param ctx The context.
 * @param fh The file.
 * @param offset The first byte to read.
 * @param buffer Where the bytes go.
 * @param nbytes How many bytes to read; fewer are an error.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_read(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh,
    uint64_t offset,
    void *buffer,
    uint64_t nbytes) TILEDB_NOEXCEPT;

/**
 * Removes a bucket of an object store.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The bucket.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_remove_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

/**
 * Removes a directory with all it holds.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The directory.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_remove_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

/**
 * Removes a file.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The file.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_remove_file(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

/**
 * Makes durable what was written to a file.
 *
 * @param ctx The context.
 * @param fh The file.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_sync(tiledb_ctx_t *ctx, tiledb_vfs_fh_t *fh) TILEDB_NOEXCEPT;

/**
 * Creates an empty file; one that exists is left as it is.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The file.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_touch(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri) TILEDB_NOEXCEPT;

/**
 * Adds bytes at the end of a file. Others see them at once where the storage can do that.
 *
 * @param ctx The context.
 * @param fh The file.
 * @param buffer The bytes.
 * @param nbytes Their number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_write(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh,
    const void *buffer,
    uint64_t nbytes) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_VFS_API_EXTERNAL_H */
