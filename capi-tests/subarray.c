/* Subarrays: ranges by index and name, points, strings, coalescing, bounds, texts of errors. */
#include "common.h"

/* A sparse array in memory with a string, an integer [1, 6] and a float [0, 6] dimension. */
static tiledb_array_t* make_array(const char* uri) {
  tiledb_dimension_t *s = NULL, *y = NULL, *f = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attr = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_array_t* array = NULL;
  int32_t y_domain[] = {1, 6}, y_extent = 2;
  double f_domain[] = {0, 6}, f_extent = 2;
  assert(tiledb_dimension_alloc(ctx, "s", TILEDB_STRING_ASCII, NULL, NULL, &s) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "y", TILEDB_INT32, y_domain, &y_extent, &y) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "f", TILEDB_FLOAT64, f_domain, &f_extent, &f) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, s) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, y) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, f) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attr) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attr) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attr);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&s);
  tiledb_dimension_free(&y);
  tiledb_dimension_free(&f);
  return array;
}

static uint64_t range_num(tiledb_subarray_t* subarray, uint32_t dim) {
  uint64_t count = 99;
  assert(tiledb_subarray_get_range_num(ctx, subarray, dim, &count) == TILEDB_OK);
  return count;
}

static void test_ranges(tiledb_array_t* array) {
  tiledb_subarray_t* subarray = NULL;
  const void *start = NULL, *end = NULL, *stride = &ctx;
  int32_t low = 1, high = 2, nine = 9;
  uint64_t count = 0;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);

  /* A fresh subarray is the whole domain. */
  assert(range_num(subarray, 1) == 1);
  assert(tiledb_subarray_get_range(ctx, subarray, 1, 0, &start, &end, &stride) == TILEDB_OK);
  assert(*(const int32_t*)start == 1 && *(const int32_t*)end == 6 && stride == NULL);

  /* Ranges that follow one another become one. */
  assert(tiledb_subarray_add_range(ctx, subarray, 1, &low, &high, NULL) == TILEDB_OK);
  low = 3, high = 4;
  assert(tiledb_subarray_add_range_by_name(ctx, subarray, "y", &low, &high, NULL) == TILEDB_OK);
  low = 6, high = 6;
  assert(tiledb_subarray_add_range(ctx, subarray, 1, &low, &high, NULL) == TILEDB_OK);
  assert(tiledb_subarray_get_range_num_from_name(ctx, subarray, "y", &count) == TILEDB_OK && count == 2);
  assert(tiledb_subarray_get_range_from_name(ctx, subarray, "y", 0, &start, &end, &stride) == TILEDB_OK);
  assert(*(const int32_t*)start == 1 && *(const int32_t*)end == 4);
  assert(tiledb_subarray_set_coalesce_ranges(ctx, subarray, 0) == TILEDB_ERR);
  expect("Subarray: non-default ranges have been set, cannot change coalesce_ranges setting! Change it before ranges are added");

  /* What is refused. */
  low = 3, high = 2;
  assert(tiledb_subarray_add_range(ctx, subarray, 1, &low, &high, NULL) == TILEDB_ERR);
  expect("TileDB internal: Lower range bound 3 cannot be larger than the higher bound 2 on 'y'");
  low = 0;
  assert(tiledb_subarray_add_range(ctx, subarray, 1, &low, &nine, NULL) == TILEDB_ERR);
  expect("Subarray: Cannot add range to dimension 'y'; Range [0, 9] is out of domain bounds [1, 6]");
  assert(tiledb_subarray_add_range(ctx, subarray, 9, &low, &nine, NULL) == TILEDB_ERR);
  expect("Subarray: Cannot add range; Invalid dimension index: 9 is not below 3");
  assert(tiledb_subarray_add_range(ctx, subarray, 1, NULL, &nine, NULL) == TILEDB_ERR);
  expect("Subarray: Cannot add range; Invalid range: start and end must not be null");
  assert(tiledb_subarray_add_range(ctx, subarray, 1, &low, &nine, &nine) == TILEDB_ERR);
  expect("C API: Stride is currently unsupported");
  assert(tiledb_subarray_add_range_by_name(ctx, subarray, "zz", &low, &nine, NULL) == TILEDB_ERR);
  expect("TileDB internal: Cannot get dimension index; Invalid dimension name: there is no dimension 'zz', only 's', 'y', 'f'");
  assert(tiledb_subarray_get_range(ctx, subarray, 1, 7, &start, &end, &stride) == TILEDB_ERR);
  expect("Subarray: Cannot get range; Invalid range index: 7 is not below 2");
  assert(tiledb_subarray_get_range_num(ctx, subarray, 5, &count) == TILEDB_ERR);
  expect("Subarray: Cannot get number of ranges for a dimension; Invalid dimension index 5 requested, 2 max avail.");
  double one = 1, seven = 7.25;
  assert(tiledb_subarray_add_range(ctx, subarray, 2, &one, &seven, NULL) == TILEDB_ERR);
  expect("Subarray: Cannot add range to dimension 'f'; Range [1, 7.25] is out of domain bounds [0, 6]");
  assert(range_num(subarray, 1) == 2);
  tiledb_subarray_free(&subarray);
  assert(subarray == NULL);
}

/* Ranges that follow one another stay apart where that is asked for. */
static void test_without_coalescing(tiledb_array_t* array) {
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_set_coalesce_ranges(ctx, subarray, 0) == TILEDB_OK);
  for (int32_t y = 1; y <= 3; y++)
    assert(tiledb_subarray_add_range(ctx, subarray, 1, &y, &y, NULL) == TILEDB_OK);
  assert(range_num(subarray, 1) == 3);
  tiledb_subarray_free(&subarray);
}

static void test_strings_and_points(tiledb_array_t* array) {
  tiledb_subarray_t* subarray = NULL;
  char start[8] = "", end[8] = "";
  uint64_t start_size = 9, end_size = 9, starts[] = {0, 2};
  int32_t points[] = {1, 2, 6}, zero = 0;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_get_range_var_size(ctx, subarray, 0, 0, &start_size, &end_size) == TILEDB_OK);
  assert(start_size == 0 && end_size == 0);
  assert(tiledb_subarray_add_range_var(ctx, subarray, 0, "abc", 3, "b", 1) == TILEDB_OK);
  assert(tiledb_subarray_get_range_var_size_from_name(ctx, subarray, "s", 0, &start_size, &end_size) == TILEDB_OK);
  assert(start_size == 3 && end_size == 1);
  assert(tiledb_subarray_get_range_var(ctx, subarray, 0, 0, start, end) == TILEDB_OK);
  assert(memcmp(start, "abc", 3) == 0 && end[0] == 'b');
  assert(tiledb_subarray_add_range_var_by_name(ctx, subarray, "s", "x", 1, "yz", 2) == TILEDB_OK);
  assert(tiledb_subarray_get_range_var_from_name(ctx, subarray, "s", 1, start, end) == TILEDB_OK);
  assert(start[0] == 'x' && memcmp(end, "yz", 2) == 0);
  assert(tiledb_subarray_add_range_var_by_name(ctx, subarray, "zz", "x", 1, "yz", 2) == TILEDB_ERR);
  expect("TileDB internal: Cannot get dimension index; Invalid dimension name: there is no dimension 'zz', only 's', 'y', 'f'");
  assert(tiledb_subarray_get_range_var_from_name(ctx, subarray, "s", 2, start, end) == TILEDB_ERR);
  expect("Subarray: Cannot get var range size; Invalid range index: there is no range 2");
  assert(tiledb_subarray_add_point_ranges_var(ctx, subarray, 0, "aabbb", 5, starts, 2) == TILEDB_OK);
  assert(range_num(subarray, 0) == 4);
  assert(tiledb_subarray_add_point_ranges(ctx, subarray, 1, points, 3) == TILEDB_OK);
  assert(range_num(subarray, 1) == 2);

  assert(tiledb_subarray_add_range(ctx, subarray, 0, &zero, &zero, NULL) == TILEDB_ERR);
  expect("Subarray: Cannot add range; Range must be fixed-sized: dimension 's' holds strings, use tiledb_subarray_add_range_var");
  assert(tiledb_subarray_add_range_var(ctx, subarray, 1, "a", 1, "b", 1) == TILEDB_ERR);
  expect("Subarray: Cannot add range; Range must be variable-sized: dimension 'y' has type INT32, use tiledb_subarray_add_range");
  assert(tiledb_subarray_add_point_ranges(ctx, subarray, 1, NULL, 3) == TILEDB_ERR);
  expect("Subarray: Cannot add ranges; Invalid start pointer");
  assert(tiledb_subarray_get_range_var_size(ctx, subarray, 1, 0, &start_size, &end_size) == TILEDB_ERR);
  expect("Subarray: Cannot get var range size; Dimension y is not var sized");
  assert(tiledb_subarray_set_subarray(ctx, subarray, points) == TILEDB_ERR);
  tiledb_subarray_free(&subarray);
}

static void test_crop(tiledb_array_t* array) {
  tiledb_subarray_t* subarray = NULL;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  const void *start = NULL, *end = NULL, *stride = NULL;
  int32_t low = 0, high = 9;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.read_range_oob", "warn", &error) == TILEDB_OK);
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_set_config(ctx, subarray, config) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 1, &low, &high, NULL) == TILEDB_OK);
  assert(tiledb_subarray_get_range(ctx, subarray, 1, 0, &start, &end, &stride) == TILEDB_OK);
  assert(*(const int32_t*)start == 1 && *(const int32_t*)end == 6);
  tiledb_subarray_free(&subarray);
  tiledb_config_free(&config);
}

/* A sparse array with the letters from a to z as coordinates, and their numbers as values. */
static void make_letters(const char* uri) {
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  char letters[26];
  int32_t values[26];
  uint64_t offsets[26], letters_size = sizeof letters, values_size = sizeof values, offsets_size = sizeof offsets;
  for (int i = 0; i < 26; i++) {
    letters[i] = (char)('a' + i);
    values[i] = i;
    offsets[i] = (uint64_t)i;
  }
  assert(tiledb_dimension_alloc(ctx, "s", TILEDB_STRING_ASCII, NULL, NULL, &dimension) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, 5) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "s", letters, &letters_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", offsets, &offsets_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", values, &values_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  tiledb_array_free(&array);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
}

/* The sum of the values in ranges of letters, each given by its two ends, and their number. */
static int sum_of(tiledb_array_t* array, tiledb_layout_t layout, const char* ranges, uint64_t* count) {
  tiledb_subarray_t* subarray = NULL;
  tiledb_query_t* query = NULL;
  tiledb_query_status_t status;
  int32_t values[200];
  uint64_t size = sizeof values;
  int sum = 0;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  for (const char* range = ranges; *range != 0; range += 2)
    assert(tiledb_subarray_add_range_var(ctx, subarray, 0, range, 1, range + 1, 1) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, layout) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", values, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == TILEDB_COMPLETED);
  *count = size / sizeof *values;
  for (uint64_t i = 0; i < *count; i++)
    sum += values[i];
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  return sum;
}

/* Ranges of strings in the wrong order are accepted and select nothing; the others are not affected. */
static void test_reversed_strings(void) {
  const tiledb_layout_t layouts[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_UNORDERED};
  tiledb_array_t* array = NULL;
  uint64_t count = 0;
  make_letters("letters");
  assert(tiledb_array_alloc(ctx, "letters", &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  for (int i = 0; i < 3; i++) {
    assert(sum_of(array, layouts[i], "mrvc", &count) == 12 + 13 + 14 + 15 + 16 + 17 && count == 6);
    assert(sum_of(array, layouts[i], "xbbdya", &count) == 1 + 2 + 3 && count == 3);
    assert(sum_of(array, layouts[i], "ab" "zy" "za", &count) == 1 && count == 2);
    assert(sum_of(array, layouts[i], "vcza", &count) == 0 && count == 0);
  }
  tiledb_array_free(&array);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  tiledb_array_t* array = make_array("array");
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_ERR);
  expect_begin("C API: Cannot create subarray; array is not open: open 'file:///");
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  test_ranges(array);
  test_without_coalescing(array);
  test_strings_and_points(array);
  test_crop(array);
  test_reversed_strings();
  tiledb_array_free(&array);
  tiledb_ctx_free(&ctx);
  return 0;
}
