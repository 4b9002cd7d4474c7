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
 * Creates an attribute: a named value that each cell of an array has.
 *
 * A new attribute has one value per cell, is not nullable, has no filters, and has the default fill value of its datatype.
 * `TILEDB_STRING_ASCII` and `TILEDB_STRING_UTF8` attributes need `tiledb_attribute_set_cell_val_num` with `TILEDB_VAR_NUM` to
 * hold strings of any length.
 *
 * ```c
 * tiledb_attribute_t *name = NULL;
 * tiledb_attribute_alloc(ctx, "name", TILEDB_STRING_UTF8, &name);
 * tiledb_attribute_set_cell_val_num(ctx, name, TILEDB_VAR_NUM);
 * tiledb_attribute_set_nullable(ctx, name, 1);
 * tiledb_array_schema_add_attribute(ctx, schema, name);
 * tiledb_attribute_free(&name);
 * ```
 *
 * @param ctx The TileDB context.
 * @param name The name, unique among the dimensions, attributes and labels of the array; empty for an anonymous attribute.
 *     Names that start with `__` are reserved.
 * @param type The datatype of the values.
 * @param attr Receives the attribute; free it with `tiledb_attribute_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the datatype is unknown.
 */
TILEDB_EXPORT int32_t tiledb_attribute_alloc(
    tiledb_ctx_t *ctx,
    const char *name,
    tiledb_datatype_t type,
    tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

/**
 * Returns a readable description of an attribute.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param out Receives the text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees an attribute handle and sets the pointer to null. Schemas to which the attribute was added keep it.
 *
 * @param attr The attribute; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_attribute_free(tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

/**
 * Returns the size of a cell in bytes; `UINT64_MAX` for variable-length cells.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param cell_size Receives the bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_cell_size(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    uint64_t *cell_size) TILEDB_NOEXCEPT;

/**
 * Returns the number of values per cell; `TILEDB_VAR_NUM` for variable-length cells.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param cell_val_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_cell_val_num(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

/**
 * Returns the fill value of an attribute that is not nullable; see `tiledb_attribute_set_fill_value`.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param value Receives the bytes of the value, valid until the attribute is changed or freed.
 * @param size Receives the number of bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_fill_value(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void **value,
    uint64_t *size) TILEDB_NOEXCEPT;

/**
 * Returns the fill value of a nullable attribute; see `tiledb_attribute_set_fill_value_nullable`.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param value Receives the bytes of the value, valid until the attribute is changed or freed.
 * @param size Receives the number of bytes.
 * @param valid Receives 0 if such cells are null, else 1.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_fill_value_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void **value,
    uint64_t *size,
    uint8_t *valid) TILEDB_NOEXCEPT;

/**
 * Returns the filter pipeline of an attribute.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Returns the name of an attribute.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param name Receives the name, valid until the attribute is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_name(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    const char **name) TILEDB_NOEXCEPT;

/**
 * Reports whether the cells of an attribute may be null.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param nullable Receives 1 if they may, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_nullable(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    uint8_t *nullable) TILEDB_NOEXCEPT;

/**
 * Returns the type of the values.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_attribute_get_type(
    tiledb_ctx_t *ctx,
    const tiledb_attribute_t *attr,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

/**
 * Sets the number of values per cell of an attribute.
 *
 * The fill value is reset to the default. With `TILEDB_VAR_NUM` cells have variable length: queries then need an offsets
 * buffer for the attribute in addition to its data buffer (`tiledb_query_set_offsets_buffer`).
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param cell_val_num The number, at least 1, or `TILEDB_VAR_NUM`, which is the only number that `TILEDB_ANY` accepts.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the number is not allowed.
 */
TILEDB_EXPORT int32_t tiledb_attribute_set_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    uint32_t cell_val_num) TILEDB_NOEXCEPT;

/**
 * Sets the fill value of an attribute that is not nullable: what cells of dense arrays read as that were never written, that
 * do not match a query condition, or that are older than the attribute.
 *
 * Call it after `tiledb_attribute_set_cell_val_num`, which resets the fill value.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute, which must not be nullable; see `tiledb_attribute_set_fill_value_nullable`.
 * @param value The bytes of one cell, which are copied.
 * @param size The number of bytes: that of a cell, or any number greater than 0 if cells have variable length.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the attribute is nullable or the size does not match.
 */
TILEDB_EXPORT int32_t tiledb_attribute_set_fill_value(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const void *value,
    uint64_t size) TILEDB_NOEXCEPT;

/**
 * Sets the fill value of a nullable attribute: what cells of dense arrays read as that were never written, that do not match a
 * query condition, or that are older than the attribute. Call it after `tiledb_attribute_set_cell_val_num`, which resets it to
 * null.
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
 * Sets the filter pipeline of the values of an attribute: compression, checksums and others.
 *
 * Set the number of values per cell first, since it decides which filters are accepted.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute. If it has been added to a schema, the schema changes with it.
 * @param filter_list The filters, which are copied: later changes to the list have no effect.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if a filter does not accept the datatype, or the output of the filter before
 *     it.
 */
TILEDB_EXPORT int32_t tiledb_attribute_set_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

/**
 * Sets whether the cells of an attribute may be null.
 *
 * Queries then need a validity buffer for the attribute, one byte per cell (`tiledb_query_set_validity_buffer`). It cannot be
 * changed once the array exists.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param nullable 0 if each cell must have a value, otherwise 1.
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
