/*
 * The C interface of TileDB: buffer.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_BUFFER_API_EXTERNAL_H
#define TILEDB_CAPI_BUFFER_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../datatype/datatype_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque buffer handle.
 */
typedef struct tiledb_buffer_handle_t tiledb_buffer_t;

/**
 * Creates a buffer without bytes, of type `TILEDB_UINT8`.
 *
 * @param ctx The TileDB context.
 * @param buffer Receives the buffer, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_alloc(
    tiledb_ctx_t *ctx,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Frees a buffer and sets the pointer to null. Memory of the caller that it refers to is not freed.
 *
 * @param buffer The buffer.
 */
TILEDB_EXPORT void tiledb_buffer_free(tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Returns the bytes of a buffer without copying them.
 *
 * @param ctx The TileDB context.
 * @param buffer The buffer.
 * @param data Where the bytes are, valid until others are set or the buffer is freed; null if there are none.
 * @param num_bytes Receives how many there are.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_get_data(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    void **data,
    uint64_t *num_bytes) TILEDB_NOEXCEPT;

/**
 * Returns the type of the values in a buffer.
 *
 * @param ctx The TileDB context.
 * @param buffer The buffer.
 * @param datatype Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_get_type(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_datatype_t *datatype) TILEDB_NOEXCEPT;

/**
 * Makes a buffer refer to memory of the caller, which is not copied and must outlive the buffer.
 *
 * @param ctx The TileDB context.
 * @param buffer The buffer.
 * @param data The bytes, which must stay valid until others are set or the buffer is freed.
 * @param size How many there are.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_set_data(
    tiledb_ctx_t *ctx,
    tiledb_buffer_t *buffer,
    void *data,
    uint64_t size) TILEDB_NOEXCEPT;

/**
 * Sets the type of the values in a buffer.
 *
 * @param ctx The TileDB context.
 * @param buffer The buffer.
 * @param datatype The type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_buffer_set_type(
    tiledb_ctx_t *ctx,
    tiledb_buffer_t *buffer,
    tiledb_datatype_t datatype) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_BUFFER_API_EXTERNAL_H */
