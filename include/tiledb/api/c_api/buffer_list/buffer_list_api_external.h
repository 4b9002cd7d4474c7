/*
 * The C interface of TileDB: buffer list.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_BUFFER_LIST_API_EXTERNAL_H
#define TILEDB_CAPI_BUFFER_LIST_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../buffer/buffer_api_external.h"
#include "../context/context_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque buffer list handle.
 */
typedef struct tiledb_buffer_list_handle_t tiledb_buffer_list_t;

/**
 * Creates an empty list of buffers.
 *
 * @param ctx The TileDB context.
 * @param buffer_list Receives the list, to be freed with `tiledb_buffer_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_list_alloc(
    tiledb_ctx_t *ctx,
    tiledb_buffer_list_t **buffer_list) TILEDB_NOEXCEPT;

/**
 * Copies the bytes of all buffers of a list into a new one.
 *
 * @param ctx The TileDB context.
 * @param buffer_list The list.
 * @param buffer Receives the new buffer, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_list_flatten(
    tiledb_ctx_t *ctx,
    tiledb_buffer_list_t *buffer_list,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Frees a list of buffers and sets the pointer to null.
 *
 * @param buffer_list The list.
 */
TILEDB_EXPORT void tiledb_buffer_list_free(tiledb_buffer_list_t **buffer_list) TILEDB_NOEXCEPT;

/**
 * Returns a buffer of a list by its position.
 *
 * @param ctx The TileDB context.
 * @param buffer_list The list.
 * @param buffer_idx The position, from 0.
 * @param buffer Receives the buffer, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_list_get_buffer(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_list_t *buffer_list,
    uint64_t buffer_idx,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Returns the number of buffers in a list.
 *
 * @param ctx The TileDB context.
 * @param buffer_list The list.
 * @param num_buffers Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_list_get_num_buffers(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_list_t *buffer_list,
    uint64_t *num_buffers) TILEDB_NOEXCEPT;

/**
 * Returns the bytes of all buffers of a list together.
 *
 * @param ctx The TileDB context.
 * @param buffer_list The list.
 * @param total_size Receives how many there are.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_list_get_total_size(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_list_t *buffer_list,
    uint64_t *total_size) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_BUFFER_LIST_API_EXTERNAL_H */
