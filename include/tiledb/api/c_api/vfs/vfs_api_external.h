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
 * Creates a virtual file system: access to files in local storage, object stores and memory by URI.
 *
 * All functions of the virtual file system work with URIs such as `file:///tmp/f`, `s3://bucket/key`,
 * `azure://container/blob`, `gcs://bucket/object` and `mem://f`; a path without a scheme is a local file. Files in memory
 * belong to the handle. A handle may be used by any number of threads at the same time.
 *
 * ```c
 * const char text[] = "hello";
 * tiledb_vfs_t *files = NULL;
 * tiledb_vfs_fh_t *file = NULL;
 * tiledb_vfs_alloc(ctx, NULL, &files);
 * tiledb_vfs_open(ctx, files, "greeting.txt", TILEDB_VFS_WRITE, &file);
 * tiledb_vfs_write(ctx, file, text, strlen(text));
 * tiledb_vfs_close(ctx, file);
 * tiledb_vfs_fh_free(&file);
 * tiledb_vfs_free(&files);
 * ```
 *
 * @param ctx The TileDB context.
 * @param config The configuration, whose parameters override those of the context; null for those of the context.
 * @param vfs Receives the virtual file system; free it with `tiledb_vfs_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_alloc(
    tiledb_ctx_t *ctx,
    tiledb_config_t *config,
    tiledb_vfs_t **vfs) TILEDB_NOEXCEPT;

/**
 * Closes a file. What was written is flushed and made durable.
 *
 * Check the result: in an object store this call completes the upload. A file that was opened for writing exists afterwards,
 * even if nothing was written. The handle stays allocated until `tiledb_vfs_fh_free`, but no other operation on it succeeds.
 *
 * @param ctx The TileDB context.
 * @param fh The file handle.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the handle is closed already or storage fails; it counts as closed in
 *     either case.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_close(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh) TILEDB_NOEXCEPT;

/**
 * Copies a directory with its contents, into a new directory or into an existing one, where files of the same name are
 * replaced. The parent of the destination must exist.
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
 * Copies a file, replacing an existing one. The parent directory of the destination must exist.
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
 * Creates a directory and its parents. An existing directory is not an error.
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
 * Returns the total size of all files below a directory.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The directory.
 * @param size Receives the bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_dir_size(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    uint64_t *size) TILEDB_NOEXCEPT;

/**
 * Deletes all objects in a bucket of an object store.
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
 * Frees a file handle and sets the pointer to null.
 *
 * A handle that was not closed is flushed, but errors are lost: call `tiledb_vfs_close` first.
 *
 * @param fh The file handle; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_vfs_fh_free(tiledb_vfs_fh_t **fh) TILEDB_NOEXCEPT;

/**
 * Reports whether a file was closed.
 *
 * @param ctx The context.
 * @param fh The file.
 * @param is_closed Receives 1 if it was, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_fh_is_closed(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh,
    int32_t *is_closed) TILEDB_NOEXCEPT;

/**
 * Returns the size of a file.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The file.
 * @param size Receives the bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_file_size(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    uint64_t *size) TILEDB_NOEXCEPT;

/**
 * Frees a virtual file system and sets the pointer to null. Files that were opened with it stay open.
 *
 * @param vfs The virtual file system; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_vfs_free(tiledb_vfs_t **vfs) TILEDB_NOEXCEPT;

/**
 * Returns a copy of the configuration of a virtual file system.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param config Receives the configuration, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_get_config(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Reports whether a URI is a bucket of an object store.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The URI.
 * @param is_bucket Receives 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_is_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_bucket) TILEDB_NOEXCEPT;

/**
 * Reports whether a URI is a directory. In object stores a directory exists if an object has its name as prefix.
 *
 * @param ctx The TileDB context.
 * @param vfs The virtual file system.
 * @param uri The URI.
 * @param is_dir Receives 1 if it is a directory, 0 if it is a file or does not exist.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if storage cannot be queried.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_is_dir(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_dir) TILEDB_NOEXCEPT;

/**
 * Reports whether a bucket of an object store is empty.
 *
 * @param ctx The context.
 * @param vfs The file systems.
 * @param uri The bucket.
 * @param is_empty Receives 1 if it holds nothing, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_is_empty_bucket(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Reports whether a URI is a file.
 *
 * @param ctx The TileDB context.
 * @param vfs The virtual file system.
 * @param uri The URI.
 * @param is_file Receives 1 if it is a file, 0 if it is a directory or does not exist.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if storage cannot be queried.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_is_file(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    int32_t *is_file) TILEDB_NOEXCEPT;

/**
 * Lists the entries of a directory, not recursively, in the order of their names.
 *
 * The directory is listed before the first callback, so the callback may create and remove files. It may call any function of
 * the library. A directory that does not exist has no entries.
 *
 * @param ctx The TileDB context.
 * @param vfs The virtual file system.
 * @param path The URI of the directory.
 * @param callback Called on this thread with the NUL-terminated URI of each entry, which is valid during the call, and `data`.
 *     It returns 1 to continue, 0 to stop, and -1 to report an error.
 * @param data Passed to the callback.
 * @return `TILEDB_OK` for success, also if the callback stopped; `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_ls(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *path,
    int32_t (*callback)(const char*, void*),
    void *data) TILEDB_NOEXCEPT;

/**
 * Returns a file mode from its text.
 *
 * @param str The text.
 * @param vfs_mode Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_mode_from_str(
    const char *str,
    tiledb_vfs_mode_t *vfs_mode) TILEDB_NOEXCEPT;

/**
 * Returns the text of a file mode.
 *
 * @param vfs_mode The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_mode_to_str(
    tiledb_vfs_mode_t vfs_mode,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Moves or renames a directory. Parents of the destination are created.
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
 * Moves or renames a file, replacing an existing one. Parents of the destination are created.
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
 * | mode | file exists | file does not exist |
 * |---|---|---|
 * | `TILEDB_VFS_READ` | opened | error |
 * | `TILEDB_VFS_WRITE` | replaced: at once in local storage, in an object store when the new file is closed | created by the first write or by closing |
 * | `TILEDB_VFS_APPEND` | extended at its end; not possible in object stores | created |
 *
 * Any number of threads may read from one handle at the same time.
 *
 * See also `tiledb_vfs_read`, `tiledb_vfs_write`, `tiledb_vfs_close`.
 *
 * @param ctx The TileDB context.
 * @param vfs The virtual file system, which need not outlive the file handle.
 * @param uri The URI of the file.
 * @param mode The mode. An unknown number is treated as `TILEDB_VFS_APPEND`.
 * @param fh Receives the file handle, to be closed with `tiledb_vfs_close` and freed with `tiledb_vfs_fh_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_open(
    tiledb_ctx_t *ctx,
    tiledb_vfs_t *vfs,
    const char *uri,
    tiledb_vfs_mode_t mode,
    tiledb_vfs_fh_t **fh) TILEDB_NOEXCEPT;

/**
 * Reads bytes from a file, exactly as many as requested.
 *
 * Large reads are split and performed in parallel. The file may also be open for writing: then what was written before is
 * visible.
 *
 * @param ctx The TileDB context.
 * @param fh The file handle.
 * @param offset The position of the first byte.
 * @param buffer Receives the bytes.
 * @param nbytes The number of bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the range exceeds the file (get its size with `tiledb_vfs_file_size`), the
 *     handle is closed, or storage fails. The buffer may have been modified then.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_read(
    tiledb_ctx_t *ctx,
    tiledb_vfs_fh_t *fh,
    uint64_t offset,
    void *buffer,
    uint64_t nbytes) TILEDB_NOEXCEPT;

/**
 * Deletes a bucket of an object store with its contents.
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
 * Removes a directory with its contents.
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
 * Makes what was written to a file durable (`fsync`), as far as the storage can before the file is closed.
 *
 * @param ctx The TileDB context.
 * @param fh The file handle.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the handle is closed or storage fails.
 */
TILEDB_EXPORT capi_return_t tiledb_vfs_sync(tiledb_ctx_t *ctx, tiledb_vfs_fh_t *fh) TILEDB_NOEXCEPT;

/**
 * Creates an empty file. An existing file is not changed.
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
 * Appends bytes to a file.
 *
 * In local storage other readers see the bytes when the call returns; they are durable after `tiledb_vfs_sync` or
 * `tiledb_vfs_close`. In an object store the bytes are collected into multipart uploads, and the object appears when the
 * handle is closed.
 *
 * @param ctx The TileDB context.
 * @param fh The file handle.
 * @param buffer The bytes.
 * @param nbytes The number of bytes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the handle is closed or storage fails.
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
