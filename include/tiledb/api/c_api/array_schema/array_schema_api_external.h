/*
 * The C interface of TileDB: array schema.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
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

/**
 * Appends an attribute.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param attr The attribute; the schema shares it: what is set later is set in the schema, too.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_add_attribute(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_attribute_t *attr) TILEDB_NOEXCEPT;

/**
 * Creates a schema without domain and attributes.
 *
 * @param ctx The TileDB context.
 * @param array_type Dense or sparse.
 * @param array_schema The schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_alloc(
    tiledb_ctx_t *ctx,
    tiledb_array_type_t array_type,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Checks that an array can be made of a schema.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_check(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema) TILEDB_NOEXCEPT;

/**
 * Gives a schema as text.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param out The text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees a schema and sets the pointer to null.
 *
 * @param array_schema The schema.
 */
TILEDB_EXPORT void tiledb_array_schema_free(tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Tells whether several cells may have the same coordinates.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param allows_dups 1 if they may, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_allows_dups(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    int *allows_dups) TILEDB_NOEXCEPT;

/**
 * Tells whether an array is dense or sparse.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param array_type The type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_array_type(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_array_type_t *array_type) TILEDB_NOEXCEPT;

/**
 * Gives an attribute by its position.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param index The position, from 0.
 * @param attr The attribute, shared with the schema, to be freed with `tiledb_attribute_free`; null if the schema
 *     has no attributes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_attribute_from_index(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    uint32_t index,
    tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

/**
 * Gives an attribute by its name.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param name The name.
 * @param attr The attribute, shared with the schema, to be freed with `tiledb_attribute_free`; null if the schema
 *     has no attributes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_attribute_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    const char *name,
    tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

/**
 * Gives the number of attributes.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param attribute_num The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_attribute_num(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    uint32_t *attribute_num) TILEDB_NOEXCEPT;

/**
 * Gives the number of cells per tile of sparse arrays.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param capacity The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_capacity(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    uint64_t *capacity) TILEDB_NOEXCEPT;

/**
 * Gives the order of cells within tiles.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param cell_order The order.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_cell_order(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_layout_t *cell_order) TILEDB_NOEXCEPT;

/**
 * Gives the filters of the coordinates of dimensions without filters of their own.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param filter_list The filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_coords_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Gives the domain.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param domain The domain, shared with the schema, to be freed with `tiledb_domain_free`; without dimensions if
 *     none was set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_domain(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_domain_t **domain) TILEDB_NOEXCEPT;

/**
 * Gives the filters of the offsets of variable-sized cells.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param filter_list The filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_offsets_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Gives the order of tiles.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param tile_order The order.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_tile_order(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_layout_t *tile_order) TILEDB_NOEXCEPT;

/**
 * Gives the filters of validity bytes.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param filter_list The filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_validity_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Gives the version of the format a schema was stored in; the current one for a new schema.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param version The version.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_version(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint32_t *version) TILEDB_NOEXCEPT;

/**
 * Tells whether there is an attribute of this name.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param name The name.
 * @param has_attr 1 if there is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_has_attribute(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    const char *name,
    int32_t *has_attr) TILEDB_NOEXCEPT;

/**
 * Sets whether several cells of a sparse array may have the same coordinates.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param allows_dups 1 if they may, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_allows_dups(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    int allows_dups) TILEDB_NOEXCEPT;

/**
 * Sets the number of cells per tile of sparse arrays.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param capacity The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_capacity(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint64_t capacity) TILEDB_NOEXCEPT;

/**
 * Sets the order of cells within tiles.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param cell_order The order.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_cell_order(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_layout_t cell_order) TILEDB_NOEXCEPT;

/**
 * Sets the filters of the coordinates of dimensions without filters of their own.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param filter_list The filters; the schema keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_coords_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

/**
 * Sets the domain. Numeric dimensions without a tile extent get their whole domain as one tile, unless the order of
 * cells is `TILEDB_HILBERT` by then.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param domain The domain; the schema shares it: what is added later is added in the schema, too.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_domain(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_domain_t *domain) TILEDB_NOEXCEPT;

/**
 * Sets the filters of the offsets of variable-sized cells.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param filter_list The filters; the schema keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_offsets_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t *filter_list) TILEDB_NOEXCEPT;

/**
 * Sets the order of tiles.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param tile_order The order.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_tile_order(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_layout_t tile_order) TILEDB_NOEXCEPT;

/**
 * Sets the filters of validity bytes.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param filter_list The filters; the schema keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
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
