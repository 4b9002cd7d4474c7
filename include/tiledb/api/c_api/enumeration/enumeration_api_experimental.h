/*
 * The C interface of TileDB: enumeration, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_ENUMERATION_API_EXPERIMENTAL_H
#define TILEDB_CAPI_ENUMERATION_API_EXPERIMENTAL_H

#include <stdio.h>
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

/**
 * Creates an enumeration: a list of distinct values that the cells of an attribute refer to by index (dictionary encoding).
 *
 * The values are numbered from 0 in the order given. Add the enumeration to a schema with
 * `tiledb_array_schema_add_enumeration`, and name it in attributes with `tiledb_attribute_set_enumeration_name`. Cells hold
 * the indexes; query conditions compare values.
 *
 * ```c
 * const char *names = "redgreenblue";
 * uint64_t starts[] = {0, 3, 8};
 * tiledb_enumeration_t *colors = NULL;
 * tiledb_enumeration_alloc(ctx, "colors", TILEDB_STRING_UTF8, TILEDB_VAR_NUM, 0, names, 12, starts, sizeof starts, &colors);
 * tiledb_array_schema_add_enumeration(ctx, schema, colors);
 * ```
 *
 * @param ctx The TileDB context.
 * @param name The name, not empty and unique in a schema.
 * @param type The datatype of the values.
 * @param cell_val_num The number of elements per value, or `TILEDB_VAR_NUM` for values of variable length.
 * @param ordered 1 if the order of the values is meaningful, so that conditions may use `TILEDB_LT` and the like; else 0.
 * @param data The values, one after another; they are copied. Null if there are none.
 * @param data_size The size of the values in bytes.
 * @param offsets The position in bytes at which each value starts, in ascending order, for values of variable length;
 *     otherwise null.
 * @param offsets_size The size of the offsets in bytes, a multiple of 8.
 * @param enumeration Receives the enumeration, to be freed with `tiledb_enumeration_free`; null if it is invalid.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if a value occurs twice, or sizes and offsets do not match.
 */
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

/**
 * Returns a readable description of an enumeration, without its values.
 *
 * @param ctx The TileDB context.
 * @param enumeration The enumeration.
 * @param out Receives the text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_enumeration_dump_str(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Creates an enumeration with the values of another one, followed by new ones.
 *
 * Existing indexes stay valid. Use it with `tiledb_array_schema_evolution_extend_enumeration` to add values to the enumeration
 * of an array.
 *
 * @param ctx The TileDB context.
 * @param old_enumeration The enumeration to extend, which does not change.
 * @param data The new values, one after another; they are copied.
 * @param data_size The size of the new values in bytes.
 * @param offsets The position in `data` at which each new value starts, for values of variable length; otherwise null.
 * @param offsets_size The size of the offsets in bytes, a multiple of 8.
 * @param new_enumeration Receives the enumeration; free it with `tiledb_enumeration_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if a value exists already, or sizes and offsets do not match.
 */
TILEDB_EXPORT capi_return_t tiledb_enumeration_extend(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *old_enumeration,
    const void *data,
    uint64_t data_size,
    const void *offsets,
    uint64_t offsets_size,
    tiledb_enumeration_t **new_enumeration) TILEDB_NOEXCEPT;

/**
 * Frees an enumeration and sets the pointer to null.
 *
 * @param enumeration The enumeration.
 */
TILEDB_EXPORT void tiledb_enumeration_free(tiledb_enumeration_t **enumeration) TILEDB_NOEXCEPT;

/**
 * Returns the number of elements per value; `TILEDB_VAR_NUM` for any number.
 *
 * @param ctx The TileDB context.
 * @param enumeration The enumeration.
 * @param cell_val_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_enumeration_get_cell_val_num(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    uint32_t *cell_val_num) TILEDB_NOEXCEPT;

/**
 * Returns the values of an enumeration without copying them.
 *
 * @param ctx The TileDB context.
 * @param enumeration The enumeration.
 * @param data Receives the values one after another, valid until the enumeration is freed; null if there are none.
 * @param data_size Receives bytes of the values.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_enumeration_get_data(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    const void **data,
    uint64_t *data_size) TILEDB_NOEXCEPT;

/**
 * Returns the name of an enumeration.
 *
 * @param ctx The TileDB context.
 * @param enumeration The enumeration.
 * @param name Receives the name, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_enumeration_get_name(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    tiledb_string_t **name) TILEDB_NOEXCEPT;

/**
 * Returns the position in bytes at which each value of an enumeration starts.
 *
 * @param ctx The TileDB context.
 * @param enumeration The enumeration.
 * @param offsets Receives the starts as 64-bit numbers, valid until the enumeration is freed; null for values of one size.
 * @param offsets_size Receives bytes of the offsets.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_enumeration_get_offsets(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    const void **offsets,
    uint64_t *offsets_size) TILEDB_NOEXCEPT;

/**
 * Reports whether the order of the values of an enumeration is meaningful.
 *
 * @param ctx The TileDB context.
 * @param enumeration The enumeration.
 * @param ordered Receives 1 if it has, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_enumeration_get_ordered(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    int *ordered) TILEDB_NOEXCEPT;

/**
 * Returns the type of the values.
 *
 * @param ctx The TileDB context.
 * @param enumeration The enumeration.
 * @param type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_enumeration_get_type(
    tiledb_ctx_t *ctx,
    tiledb_enumeration_t *enumeration,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

/**
 * Returns the index of a value of an enumeration.
 *
 * @param ctx The TileDB context.
 * @param enumeration The enumeration.
 * @param value The bytes of the value.
 * @param value_size The number of bytes.
 * @param exist Receives 1 if the enumeration contains the value, else 0.
 * @param index Receives the index, or `UINT64_MAX` if the enumeration does not contain the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
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
