/*
 * The C interface of TileDB: enumeration, experimental.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_ENUMERATION_API_EXPERIMENTAL_H
#define TILEDB_CAPI_ENUMERATION_API_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../datatype/datatype_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque enumeration handle.
 */
typedef struct tiledb_enumeration_handle_t tiledb_enumeration_t;

TILEDB_EXPORT capi_return_t tiledb_enumeration_alloc(
    tiledb_ctx_t *ctx,
    const char *name,
    tiledb_datatype_t type,
    uint32_t cell_val_num,
    int ordered,
    const void *data,
    uint64_t data_size,
    const void *offsets,
    uint64_t offsets_size,
    tiledb_enumeration_t **enumeration) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_enumeration_dump_str(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_enumeration_extend(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *old_enumeration,
    const void *data,
    uint64_t data_size,
    const void *offsets,
    uint64_t offsets_size,
    tiledb_enumeration_t **new_enumeration) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_enumeration_free(tiledb_enumeration_t **enumeration) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_enumeration_get_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_enumeration_get_data(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    const void **data,
    uint64_t *data_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_enumeration_get_name(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    tiledb_string_t **name) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_enumeration_get_offsets(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    const void **offsets,
    uint64_t *offsets_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_enumeration_get_ordered(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    int *ordered) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_enumeration_get_type(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_enumeration_get_value_index(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    const void *value,
    uint64_t value_size,
    int *exist,
    uint64_t *index) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ENUMERATION_API_EXPERIMENTAL_H */
