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
 * Appends an attribute to a schema.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param attr The attribute. The schema shares it: what is set later in the handle also changes the schema. The handle can be
 *     freed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the name starts with `__`, or the attribute refers to an enumeration that
 *     the schema does not have. Duplicate names are reported by `tiledb_array_schema_check`.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_add_attribute(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_attribute_t *attr) TILEDB_NOEXCEPT;

/**
 * Creates an array schema without domain and attributes.
 *
 * Defaults: row-major tile and cell order, a capacity of 10,000 cells, no duplicates, no attributes. Set a domain and add
 * attributes, then create arrays from the schema with `tiledb_array_create`. See there for an example.
 *
 * @param ctx The TileDB context.
 * @param array_type `TILEDB_DENSE` if every cell of the domain has values and coordinates are implied by position;
 *     `TILEDB_SPARSE` if only the cells that are written exist.
 * @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error. An unknown array type is reported by
 *     `tiledb_array_schema_check`.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_alloc(
    tiledb_ctx_t *ctx,
    tiledb_array_type_t array_type,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Checks whether an array can be created with a schema.
 *
 * `tiledb_array_create` does the same. The rules: there is a domain; a dense array has at least one attribute and, for all
 * dimensions, one integer or date/time datatype and tile extents; names are unique; Hilbert order has at most 16 dimensions;
 * filters fit what they are applied to; a current domain has a range in each dimension, within its domain. If the context sets `sm.write_format_version`, that version must be able to express
 * the schema.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @return `TILEDB_OK` if the schema is valid; `TILEDB_ERR` with the first violated rule otherwise.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_check(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema) TILEDB_NOEXCEPT;

/**
 * Returns a readable description of a schema: type, orders, capacity, filters, dimensions and attributes.
 *
 * The text is meant for people; its format is that of libtiledb 2.30.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param out Receives the text; free it with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees a schema handle and sets the pointer to null. Arrays that were created with the schema are not affected.
 *
 * @param array_schema The schema; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_array_schema_free(tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Reports whether several cells of a sparse array may have the same coordinates.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param allows_dups Receives 1 if they may, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_allows_dups(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    int *allows_dups) TILEDB_NOEXCEPT;

/**
 * Returns whether the arrays of a schema are dense or sparse.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param array_type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_array_type(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_array_type_t *array_type) TILEDB_NOEXCEPT;

/**
 * Returns an attribute of a schema by its position.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param index The position, from 0.
 * @param attr Receives the attribute, which is shared with the schema; free it with `tiledb_attribute_free`. Null if the
 *     schema has no attributes at all.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the schema has attributes, but the index is out of range.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_attribute_from_index(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    uint32_t index,
    tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

/**
 * Returns an attribute of a schema by its name.
 *
 * To find out whether there is such an attribute without an error, use `tiledb_array_schema_has_attribute`.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param name The name.
 * @param attr Receives the attribute, which is shared with the schema; free it with `tiledb_attribute_free`. Null if the
 *     schema has no attributes at all.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the schema has attributes, but none of this name.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_attribute_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    const char *name,
    tiledb_attribute_t **attr) TILEDB_NOEXCEPT;

/**
 * Returns the number of attributes.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param attribute_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_attribute_num(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    uint32_t *attribute_num) TILEDB_NOEXCEPT;

/**
 * Returns the capacity: the number of cells per data tile of sparse fragments.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param capacity Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_capacity(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    uint64_t *capacity) TILEDB_NOEXCEPT;

/**
 * Returns the order of cells within tiles.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param cell_order Receives the order.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_cell_order(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_layout_t *cell_order) TILEDB_NOEXCEPT;

/**
 * Returns the filter pipeline of the coordinates of dimensions that have no filters of their own.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_coords_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Returns the domain of a schema.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param domain Receives the domain, which is shared with the schema; free it with `tiledb_domain_free`. It has no dimensions
 *     if none was set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_domain(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_domain_t **domain) TILEDB_NOEXCEPT;

/**
 * Returns the filter pipeline of the offsets of variable-length cells.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_offsets_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Returns the order of tiles.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param tile_order Receives the order.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_tile_order(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_layout_t *tile_order) TILEDB_NOEXCEPT;

/**
 * Returns the filter pipeline of the validity bytes of nullable attributes.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param filter_list Receives the filters, to be freed with `tiledb_filter_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_validity_filter_list(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_filter_list_t **filter_list) TILEDB_NOEXCEPT;

/**
 * Returns the format version in which a schema is stored; for a new schema the current version.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param version Receives the version.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_version(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint32_t *version) TILEDB_NOEXCEPT;

/**
 * Reports whether a schema has an attribute of this name.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param name The name.
 * @param has_attr Receives 1 if there is, else 0.
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
 * Without duplicates a later write replaces earlier cells with the same coordinates, and reads merge fragments to find the
 * latest. With duplicates all of them exist, and reads need not merge.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param allows_dups 0 (default) to disallow duplicates, otherwise 1.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if duplicates are to be allowed in a dense schema.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_allows_dups(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    int allows_dups) TILEDB_NOEXCEPT;

/**
 * Sets the capacity of a schema: the number of cells per data tile of sparse fragments.
 *
 * A tile is the unit of filtering and indexing: smaller capacities read less per lookup, larger ones compress better. Dense
 * arrays ignore it. The default is 10,000.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param capacity The number of cells; at least 1 for sparse arrays.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for 0 in a sparse schema.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_capacity(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint64_t capacity) TILEDB_NOEXCEPT;

/**
 * Sets the order of the cells within a tile.
 *
 * With the tile order it defines the global order, in which cells are stored.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param cell_order `TILEDB_ROW_MAJOR` (default), `TILEDB_COL_MAJOR`, or for sparse arrays `TILEDB_HILBERT`, which orders
 *     cells along a Hilbert curve and ignores tile extents.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for `TILEDB_UNORDERED`, and for `TILEDB_HILBERT` in a dense schema. Unknown
 *     numbers are reported by `tiledb_array_schema_check`.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_cell_order(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_layout_t cell_order) TILEDB_NOEXCEPT;

/**
 * Sets the filter pipeline of the coordinates of dimensions that have no filters of their own. The default is ZSTD.
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
 * Sets the domain of a schema.
 *
 * Numeric dimensions without a tile extent get their whole domain as extent, unless the cell order is `TILEDB_HILBERT` by
 * then: set the cell order first.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param domain The domain with at least one dimension. The schema shares it: dimensions that are added later become part of
 *     the schema. The handle can be freed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the domain has no dimensions, or a dense array cannot have them.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_domain(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_domain_t *domain) TILEDB_NOEXCEPT;

/**
 * Sets the filter pipeline of the offsets of variable-length cells.
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
 * Sets the order of the tiles of an array.
 *
 * With the cell order it defines the global order, in which cells are stored.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param tile_order `TILEDB_ROW_MAJOR` (default) or `TILEDB_COL_MAJOR`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for `TILEDB_UNORDERED` and `TILEDB_HILBERT`. Unknown numbers are reported by
 *     `tiledb_array_schema_check`.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_tile_order(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_layout_t tile_order) TILEDB_NOEXCEPT;

/**
 * Sets the filter pipeline of the validity bytes of nullable attributes.
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
 * Returns an array type from its text.
 *
 * @param str The text.
 * @param array_type Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_array_type_from_str(
    const char *str,
    tiledb_array_type_t *array_type) TILEDB_NOEXCEPT;

/**
 * Returns the text of an array type.
 *
 * @param array_type The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_array_type_to_str(
    tiledb_array_type_t array_type,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Returns a layout from its text.
 *
 * @param str The text.
 * @param layout Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_layout_from_str(
    const char *str,
    tiledb_layout_t *layout) TILEDB_NOEXCEPT;

/**
 * Returns the text of a layout.
 *
 * @param layout The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_layout_to_str(
    tiledb_layout_t layout,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ARRAY_SCHEMA_API_EXTERNAL_H */
