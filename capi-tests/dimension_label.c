/* Dimension labels: in a schema, written, read, and as ranges of a subarray; and the errors. */
#include "common.h"

enum { CELLS = 8 };

static tiledb_array_schema_t* schema(void) {
  int32_t ends[] = {1, CELLS}, extent = 4, tile = 2, wide = 99;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_filter_t* filter = NULL;
  tiledb_filter_list_t* filters = NULL;
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, ends, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_schema_add_dimension_label(ctx, schema, 0, "up", TILEDB_INCREASING_DATA, TILEDB_INT64) == TILEDB_OK);
  assert(
      tiledb_array_schema_add_dimension_label(ctx, schema, 0, "names", TILEDB_DECREASING_DATA, TILEDB_STRING_ASCII) ==
      TILEDB_OK);
  assert(tiledb_array_schema_add_dimension_label(ctx, schema, 1, "y", TILEDB_INCREASING_DATA, TILEDB_INT64) == TILEDB_ERR);
  expect("ArraySchema: Cannot add a label to dimension 1; Invalid dimension index. ");
  assert(tiledb_array_schema_add_dimension_label(ctx, schema, 0, "a", TILEDB_INCREASING_DATA, TILEDB_INT64) == TILEDB_ERR);
  expect("ArraySchema: Cannot add a dimension label with name 'a'. An attribute with that name already exists.");

  assert(tiledb_filter_alloc(ctx, TILEDB_FILTER_GZIP, &filter) == TILEDB_OK);
  assert(tiledb_filter_list_alloc(ctx, &filters) == TILEDB_OK);
  assert(tiledb_filter_list_add_filter(ctx, filters, filter) == TILEDB_OK);
  assert(tiledb_array_schema_set_dimension_label_filter_list(ctx, schema, "up", filters) == TILEDB_OK);
  assert(tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_INT32, &tile) == TILEDB_OK);
  assert(tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, "up", TILEDB_INT32, &wide) == TILEDB_ERR);
  expect("Dimension: Tile extent check failed on dimension 'index'; Tile extent 99 exceeds range on dimension domain [1, 8]");
  tiledb_filter_list_free(&filters);
  tiledb_filter_free(&filter);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
  return schema;
}

static void in_schema(tiledb_array_schema_t* schema) {
  tiledb_dimension_label_t* label = NULL;
  const char *name = NULL, *uri = NULL, *attribute = NULL;
  uint64_t count = 77;
  uint32_t dimension = 77, values = 77;
  int32_t has = 77;
  tiledb_data_order_t order = TILEDB_UNORDERED_DATA;
  tiledb_datatype_t type = TILEDB_ANY;
  assert(tiledb_array_schema_get_dimension_label_num(ctx, schema, &count) == TILEDB_OK && count == 2);
  assert(tiledb_array_schema_has_dimension_label(ctx, schema, "up", &has) == TILEDB_OK && has == 1);
  assert(tiledb_array_schema_has_dimension_label(ctx, schema, "x", &has) == TILEDB_OK && has == 0);
  assert(tiledb_array_schema_get_dimension_label_from_name(ctx, schema, "x", &label) == TILEDB_ERR && label == NULL);
  expect("ArraySchema: Unable to get dimension label reference; No dimension label named 'x'.");
  assert(tiledb_array_schema_get_dimension_label_from_index(ctx, schema, 2, &label) == TILEDB_ERR && label == NULL);
  assert(tiledb_array_schema_get_dimension_label_from_index(ctx, schema, 1, &label) == TILEDB_OK);
  assert(tiledb_dimension_label_get_name(ctx, label, &name) == TILEDB_OK && strcmp(name, "names") == 0);
  assert(tiledb_dimension_label_get_label_attr_name(ctx, label, &attribute) == TILEDB_OK && strcmp(attribute, "label") == 0);
  assert(tiledb_dimension_label_get_uri(ctx, label, &uri) == TILEDB_OK && strstr(uri, "__labels/l1") != NULL);
  assert(tiledb_dimension_label_get_dimension_index(ctx, label, &dimension) == TILEDB_OK && dimension == 0);
  assert(tiledb_dimension_label_get_label_cell_val_num(ctx, label, &values) == TILEDB_OK && values == TILEDB_VAR_NUM);
  assert(tiledb_dimension_label_get_label_order(ctx, label, &order) == TILEDB_OK && order == TILEDB_DECREASING_DATA);
  assert(tiledb_dimension_label_get_label_type(ctx, label, &type) == TILEDB_OK && type == TILEDB_STRING_ASCII);
  tiledb_dimension_label_free(&label);
  assert(label == NULL);
}

/* The label's array is an array like others. */
static void own_array(const char* array_uri) {
  tiledb_array_schema_t* loaded = NULL;
  tiledb_dimension_label_t* label = NULL;
  tiledb_object_t type = TILEDB_INVALID;
  const char* uri = NULL;
  assert(tiledb_array_schema_load(ctx, array_uri, &loaded) == TILEDB_OK);
  in_schema(loaded);
  assert(tiledb_array_schema_get_dimension_label_from_name(ctx, loaded, "up", &label) == TILEDB_OK);
  assert(tiledb_dimension_label_get_uri(ctx, label, &uri) == TILEDB_OK);
  assert(tiledb_object_type(ctx, uri, &type) == TILEDB_OK && type == TILEDB_ARRAY);
  tiledb_dimension_label_free(&label);
  tiledb_array_schema_free(&loaded);
}

static int32_t store(const char* uri, int64_t* up, int32_t* a) {
  uint64_t up_size = CELLS * sizeof *up, a_size = CELLS * sizeof *a;
  char names[] = "hhggffeeddccbbaa";
  uint64_t starts[CELLS] = {0, 2, 4, 6, 8, 10, 12, 14}, names_size = 16, starts_size = sizeof starts;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  int32_t code;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "up", up, &up_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "names", names, &names_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "names", starts, &starts_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "up", starts, &starts_size) == TILEDB_ERR);
  expect("Query: [set_offsets_buffer] Input dimension label 'up' is fixed-sized");
  if (a != NULL)
    assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  code = tiledb_query_submit(ctx, query);
  assert(tiledb_query_finalize(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
  return code;
}

static void ranges(tiledb_array_t* array, tiledb_subarray_t** subarray) {
  int64_t low = 25, high = 45, next = 70;
  int32_t index = 1, has = 77;
  uint64_t count = 77;
  const char* name = NULL;
  const void *start = NULL, *end = NULL, *stride = &index;
  assert(tiledb_subarray_alloc(ctx, array, subarray) == TILEDB_OK);
  assert(tiledb_subarray_has_label_ranges(ctx, *subarray, 0, &has) == TILEDB_OK && has == 0);
  assert(tiledb_subarray_get_label_name(ctx, *subarray, 0, &name) == TILEDB_ERR);
  expect("Subarray: [get_label_name] No label ranges set: none for dimension 0");
  assert(tiledb_subarray_add_label_range(ctx, *subarray, "up", &low, &high, NULL) == TILEDB_OK);
  assert(tiledb_subarray_add_label_range(ctx, *subarray, "up", &next, &next, NULL) == TILEDB_OK);
  assert(tiledb_subarray_add_label_range_var(ctx, *subarray, "names", "a", 1, "b", 1) == TILEDB_ERR);
  expect("Subarray: [add_label_range] Dimension is already to set to use dimension label 'up'");
  assert(tiledb_subarray_add_range(ctx, *subarray, 0, &index, &index, NULL) == TILEDB_ERR);
  expect("Subarray: Cannot add range to to dimension; A range is already set on a dimension label for this dimension: 'x'");
  assert(tiledb_subarray_has_label_ranges(ctx, *subarray, 0, &has) == TILEDB_OK && has == 1);
  assert(tiledb_subarray_get_label_name(ctx, *subarray, 0, &name) == TILEDB_OK && strcmp(name, "up") == 0);
  assert(tiledb_subarray_get_label_range_num(ctx, *subarray, "up", &count) == TILEDB_OK && count == 2);
  assert(tiledb_subarray_get_label_range(ctx, *subarray, "up", 0, &start, &end, &stride) == TILEDB_OK);
  assert(*(const int64_t*)start == 25 && *(const int64_t*)end == 45 && stride == NULL);
}

static void by_name(tiledb_array_t* array) {
  char low[8], high[8];
  uint64_t low_size = 77, high_size = 77;
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_add_label_range_var(ctx, subarray, "names", "c", 1, "dz", 2) == TILEDB_OK);
  assert(tiledb_subarray_get_label_range_var_size(ctx, subarray, "names", 0, &low_size, &high_size) == TILEDB_OK);
  assert(low_size == 1 && high_size == 2);
  assert(tiledb_subarray_get_label_range_var(ctx, subarray, "names", 0, low, high) == TILEDB_OK);
  assert(low[0] == 'c' && memcmp(high, "dz", 2) == 0);
  tiledb_subarray_free(&subarray);
}

static void read_cells(const char* uri) {
  int64_t up[CELLS];
  int32_t a[CELLS];
  uint64_t up_size = 2 * sizeof *up, a_size = sizeof a;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_status_t status = TILEDB_FAILED;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  by_name(array);
  ranges(array, &subarray);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "up", up, &up_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  /* There is room for two of the three labels; the cells are complete at once. */
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == TILEDB_INCOMPLETE);
  assert(up_size == 16 && up[0] == 30 && up[1] == 40);
  assert(a_size == 12 && a[0] == 3 && a[1] == 4 && a[2] == 7);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == TILEDB_COMPLETED);
  assert(up_size == 8 && up[0] == 70);
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

/* Labels survive the consolidation of their array, and the evolution of the labelled one. */
static void later(void) {
  tiledb_array_schema_evolution_t* evolution = NULL;
  tiledb_attribute_t* attribute = NULL;
  assert(tiledb_array_consolidate(ctx, "labelled/__labels/l0", NULL) == TILEDB_OK);
  assert(tiledb_array_vacuum(ctx, "labelled/__labels/l0", NULL) == TILEDB_OK);
  read_cells("labelled");
  assert(tiledb_attribute_alloc(ctx, "b", TILEDB_INT32, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_alloc(ctx, &evolution) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_add_attribute(ctx, evolution, attribute) == TILEDB_OK);
  assert(tiledb_array_evolve(ctx, "labelled", evolution) == TILEDB_OK);
  tiledb_array_schema_evolution_free(&evolution);
  tiledb_attribute_free(&attribute);
  own_array("labelled");
  read_cells("labelled");
}

int main(void) {
  int64_t up[CELLS] = {10, 20, 30, 40, 50, 60, 70, 80}, wrong[CELLS] = {10, 20, 30, 30, 50, 60, 70, 80};
  int32_t a[CELLS] = {1, 2, 3, 4, 5, 6, 7, 8};
  tiledb_array_schema_t* labelled;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  labelled = schema();
  in_schema(labelled);
  assert(tiledb_array_create(ctx, "labelled", labelled) == TILEDB_OK);
  tiledb_array_schema_free(&labelled);
  own_array("labelled");
  assert(store("labelled", up, NULL) == TILEDB_OK);
  assert(store("labelled", up, a) == TILEDB_OK);
  assert(store("labelled", wrong, a) == TILEDB_ERR);
  expect(
      "DimensionLabelQuery: Failed to process data query for label 'up'. WriterBase: The data for attribute 'label' is not "
      "in the expected order.");
  read_cells("labelled");
  later();
  tiledb_ctx_free(&ctx);
  return 0;
}
