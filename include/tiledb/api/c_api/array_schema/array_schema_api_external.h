/*
 * The C interface of TileDB: array schema.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_ARRAY_SCHEMA_API_EXTERNAL_H
#define TILEDB_CAPI_ARRAY_SCHEMA_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../attribute/attribute_api_external.h"
#include "../context/context_api_external.h"
#include "../domain/domain_api_external.h"
#include "../filter_list/filter_list_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TILEDB_ARRAY_TYPE_ENUM(id) TILEDB_##id
#define TILEDB_LAYOUT_ENUM(id) TILEDB_##id

/**
 * Dense or sparse.
 */
typedef enum {
  TILEDB_DENSE = 0,
  TILEDB_SPARSE = 1,
} tiledb_array_type_t;

/**
 * An order of cells or tiles.
 */
typedef enum {
  TILEDB_ROW_MAJOR = 0,
  TILEDB_COL_MAJOR = 1,
  TILEDB_GLOBAL_ORDER = 2,
  TILEDB_UNORDERED = 3,
  TILEDB_HILBERT = 4,
} tiledb_layout_t;

/**
 * The opaque array schema handle.
 */
typedef struct tiledb_array_schema_handle_t tiledb_array_schema_t;

TILEDB_EXPORT capi_return_t tiledb_array_schema_add_attribute(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_attribute_t *attr) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_alloc(
    tiledb_ctx_t *ctx,
    tiledb_array_type_t array_type,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_check(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_array_schema_free(tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_allows_dups(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    int *allows_dups) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_array_type(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_array_type_t *array_type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_attribute_from_index(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    uint32_t index,
    tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_attribute_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    const char *name,
    tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_attribute_num(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    uint32_t *attribute_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_capacity(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    uint64_t *capacity) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_cell_order(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_layout_t *cell_order) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_coords_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_domain(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_domain_t **domain) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_offsets_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_tile_order(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_layout_t *tile_order) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_validity_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_get_version(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint32_t *version) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_has_attribute(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    const char *name,
    int32_t *has_attr) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_set_allows_dups(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    int allows_dups) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_set_capacity(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint64_t capacity) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_set_cell_order(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_layout_t cell_order) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_set_coords_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_set_domain(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_domain_t *domain) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_set_offsets_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_set_tile_order(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_layout_t tile_order) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_array_schema_set_validity_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

/**
 * Gives an array type from its text.
 *
 * @param str The text.
 * @param array_type The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_array_type_from_str(
    const char *str,
    tiledb_array_type_t *array_type) TILEDB_NOEXCEPT;

/**
 * Gives the text of an array type.
 *
 * @param array_type The value.
 * @param str Its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_array_type_to_str(
    tiledb_array_type_t array_type,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Gives a layout from its text.
 *
 * @param str The text.
 * @param layout The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_layout_from_str(
    const char *str,
    tiledb_layout_t *layout) TILEDB_NOEXCEPT;

/**
 * Gives the text of a layout.
 *
 * @param layout The value.
 * @param str Its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_layout_to_str(
    tiledb_layout_t layout,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ARRAY_SCHEMA_API_EXTERNAL_H */
