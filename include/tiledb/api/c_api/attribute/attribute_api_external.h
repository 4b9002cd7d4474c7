/*
 * The C interface of TileDB: attribute.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_ATTRIBUTE_API_EXTERNAL_H
#define TILEDB_CAPI_ATTRIBUTE_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../datatype/datatype_api_external.h"
#include "../filter_list/filter_list_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque attribute handle.
 */
typedef struct tiledb_attribute_handle_t tiledb_attribute_t;

TILEDB_EXPORT int32_t tiledb_attribute_alloc(
    tiledb_ctx_t *ctx,
    const char *name,
    tiledb_datatype_t type,
    tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_attribute_free(tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_get_cell_size(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    uint64_t *cell_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_get_cell_val_num(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_get_fill_value(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void **value,
    uint64_t *size) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_get_fill_value_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void **value,
    uint64_t *size,
    uint8_t *valid) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_get_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_get_name(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    const char **name) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_get_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    uint8_t *nullable) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_get_type(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_set_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    uint32_t cell_val_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_set_fill_value(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void *value,
    uint64_t size) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_set_fill_value_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void *value,
    uint64_t size,
    uint8_t validity) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_set_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_attribute_set_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    uint8_t nullable) TILEDB_NOEXCEPT;

#define TILEDB_ATTRIBUTE_HANDLE_T_DEFINED

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ATTRIBUTE_API_EXTERNAL_H */
