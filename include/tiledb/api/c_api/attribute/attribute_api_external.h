/*
 * The C interface of TileDB: attribute.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
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

/**
 * Creates an attribute of one value per cell, without filters, that is not nullable.
 *
 * @param ctx The TileDB context.
 * @param name The name; empty for an anonymous attribute.
 * @param type The type of the values.
 * @param attr The attribute, to be freed with `tiledb_attribute_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_alloc(
    tiledb_ctx_t *ctx,
    const char *name,
    tiledb_datatype_t type,
    tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

/**
 * Gives an attribute as text.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param out The text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees an attribute and sets the pointer to null.
 *
 * @param attr The attribute.
 */
TILEDB_EXPORT void tiledb_attribute_free(tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

/**
 * Gives the bytes of one cell; `UINT64_MAX` where cells have any number of values.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param cell_size The bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_cell_size(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    uint64_t *cell_size) TILEDB_NOEXCEPT;

/**
 * Gives the number of values per cell; `TILEDB_VAR_NUM` for any number.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param cell_val_num The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_cell_val_num(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

/**
 * Gives the value of cells that nobody wrote, for an attribute that is not nullable.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param value The bytes of the value, valid until the attribute is changed or freed.
 * @param size The number of bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_fill_value(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void **value,
    uint64_t *size) TILEDB_NOEXCEPT;

/**
 * Gives the value of cells that nobody wrote, for a nullable attribute.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param value The bytes of the value, valid until the attribute is changed or freed.
 * @param size The number of bytes.
 * @param valid 0 if such cells are null, else 1.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_fill_value_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void **value,
    uint64_t *size,
    uint8_t *valid) TILEDB_NOEXCEPT;

/**
 * Gives the filters of an attribute.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param filter_list The filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Gives the name of an attribute.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param name The name, valid until the attribute is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_name(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    const char **name) TILEDB_NOEXCEPT;

/**
 * Tells whether cells may be null.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param nullable 1 if they may, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    uint8_t *nullable) TILEDB_NOEXCEPT;

/**
 * Gives the type of the values.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param type The type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_type(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

/**
 * Sets the number of values per cell. The fill value becomes the default one.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param cell_val_num The number, or `TILEDB_VAR_NUM` for any number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_set_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    uint32_t cell_val_num) TILEDB_NOEXCEPT;

/**
 * Sets the value of cells that nobody writes, for an attribute that is not nullable.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param value The bytes of one cell.
 * @param size The number of bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_set_fill_value(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void *value,
    uint64_t size) TILEDB_NOEXCEPT;

/**
 * Sets the value of cells that nobody writes, for a nullable attribute.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param value The bytes of one cell.
 * @param size The number of bytes.
 * @param validity 0 to make such cells null, else 1.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_set_fill_value_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void *value,
    uint64_t size,
    uint8_t validity) TILEDB_NOEXCEPT;

/**
 * Sets the filters of an attribute.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param filter_list The filters; the attribute keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_set_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

/**
 * Sets whether cells may be null.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param nullable 1 if they may, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_set_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    uint8_t nullable) TILEDB_NOEXCEPT;

#define TILEDB_ATTRIBUTE_HANDLE_T_DEFINED

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ATTRIBUTE_API_EXTERNAL_H */
