/* Filters of coordinates, offsets, validity bytes and attributes: in a schema, copied, stored. */
#include "arrays.h"

static tiledb_filter_list_t* list(tiledb_filter_type_t type) {
  tiledb_filter_t* filter = NULL;
  tiledb_filter_list_t* filters = NULL;
  assert(tiledb_filter_alloc(ctx, type, &filter) == TILEDB_OK);
  assert(tiledb_filter_list_alloc(ctx, &filters) == TILEDB_OK);
  assert(tiledb_filter_list_add_filter(ctx, filters, filter) == TILEDB_OK);
  tiledb_filter_free(&filter);
  return filters;
}

/* The list holds this one filter; it is freed. */
static void is(tiledb_filter_list_t* filters, tiledb_filter_type_t type) {
  tiledb_filter_t* filter = NULL;
  tiledb_filter_type_t actual = TILEDB_FILTER_NONE;
  uint32_t count = 77;
  assert(tiledb_filter_list_get_nfilters(ctx, filters, &count) == TILEDB_OK && count == 1);
  assert(tiledb_filter_list_get_filter_from_index(ctx, filters, 0, &filter) == TILEDB_OK);
  assert(tiledb_filter_get_type(ctx, filter, &actual) == TILEDB_OK && actual == type);
  tiledb_filter_free(&filter);
  tiledb_filter_list_free(&filters);
}

static void has(
    tiledb_array_schema_t* schema, tiledb_filter_type_t coords, tiledb_filter_type_t offsets,
    tiledb_filter_type_t validity) {
  tiledb_filter_list_t* filters = NULL;
  assert(tiledb_array_schema_get_coords_filter_list(ctx, schema, &filters) == TILEDB_OK);
  is(filters, coords);
  assert(tiledb_array_schema_get_offsets_filter_list(ctx, schema, &filters) == TILEDB_OK);
  is(filters, offsets);
  assert(tiledb_array_schema_get_validity_filter_list(ctx, schema, &filters) == TILEDB_OK);
  is(filters, validity);
}

static void in_schema(void) {
  tiledb_array_schema_t* schema = make_schema(TILEDB_SPARSE);
  tiledb_filter_list_t* filters = list(TILEDB_FILTER_GZIP);
  has(schema, TILEDB_FILTER_ZSTD, TILEDB_FILTER_ZSTD, TILEDB_FILTER_RLE);
  assert(tiledb_array_schema_set_coords_filter_list(ctx, schema, filters) == TILEDB_OK);
  tiledb_filter_list_free(&filters);
  filters = list(TILEDB_FILTER_LZ4);
  assert(tiledb_array_schema_set_offsets_filter_list(ctx, schema, filters) == TILEDB_OK);
  tiledb_filter_list_free(&filters);
  filters = list(TILEDB_FILTER_BZIP2);
  assert(tiledb_array_schema_set_validity_filter_list(ctx, schema, filters) == TILEDB_OK);
  tiledb_filter_list_free(&filters);
  has(schema, TILEDB_FILTER_GZIP, TILEDB_FILTER_LZ4, TILEDB_FILTER_BZIP2);
  assert(tiledb_array_create(ctx, "filtered", schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  assert(tiledb_array_schema_load(ctx, "filtered", &schema) == TILEDB_OK);
  has(schema, TILEDB_FILTER_GZIP, TILEDB_FILTER_LZ4, TILEDB_FILTER_BZIP2);
  assert(tiledb_array_schema_set_coords_filter_list(ctx, schema, NULL) == TILEDB_ERR);
  expect("C API: Invalid TileDB filter list object");
  tiledb_array_schema_free(&schema);
}

/* The attribute keeps a copy, and so does the schema. */
static void of_attributes(void) {
  tiledb_attribute_t *attribute = NULL, *stored = NULL;
  tiledb_filter_list_t *filters = list(TILEDB_FILTER_ZSTD), *none = NULL;
  tiledb_filter_t* second = NULL;
  tiledb_array_schema_t* schema = make_schema(TILEDB_DENSE);
  uint32_t count = 77;
  assert(tiledb_attribute_alloc(ctx, "b", TILEDB_FLOAT64, &attribute) == TILEDB_OK);
  assert(tiledb_attribute_get_filter_list(ctx, attribute, &none) == TILEDB_OK);
  assert(tiledb_filter_list_get_nfilters(ctx, none, &count) == TILEDB_OK && count == 0);
  tiledb_filter_list_free(&none);
  assert(tiledb_attribute_set_filter_list(ctx, attribute, filters) == TILEDB_OK);
  assert(tiledb_filter_alloc(ctx, TILEDB_FILTER_GZIP, &second) == TILEDB_OK);
  assert(tiledb_filter_list_add_filter(ctx, filters, second) == TILEDB_OK);
  tiledb_filter_free(&second);
  tiledb_filter_list_free(&filters);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  tiledb_attribute_free(&attribute);
  assert(tiledb_array_schema_get_attribute_from_name(ctx, schema, "b", &stored) == TILEDB_OK);
  assert(tiledb_attribute_get_filter_list(ctx, stored, &filters) == TILEDB_OK);
  is(filters, TILEDB_FILTER_ZSTD);

  /* A filter that cannot take the attribute's values. */
  filters = list(TILEDB_FILTER_DOUBLE_DELTA);
  assert(tiledb_attribute_set_filter_list(ctx, stored, filters) == TILEDB_ERR);
  expect("Filter: Filter DOUBLE_DELTA does not accept input type FLOAT64");
  tiledb_filter_list_free(&filters);
  tiledb_attribute_free(&stored);
  tiledb_array_schema_free(&schema);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  in_schema();
  of_attributes();
  tiledb_ctx_free(&ctx);
  return 0;
}
