/* Small arrays for the C programs: one dimension "x" of 1 to 100 in tiles of 10, one attribute "a", both INT32. */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "common.h"

/* The schema of such an array, sparse with two cells in a tile. */
static inline tiledb_array_schema_t* make_schema(tiledb_array_type_t type) {
  const int32_t ends[] = {1, 100}, extent = 10;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, ends, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, type, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, 2) == TILEDB_OK);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
  return schema;
}

static inline void make_array(const char* uri, tiledb_array_type_t type) {
  tiledb_array_schema_t* schema = make_schema(type);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
}

/* Opens an array, as of a time unless that is 0. */
static inline tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type, uint64_t time) {
  tiledb_array_t* array = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  if (time > 0)
    assert(tiledb_array_set_open_timestamp_end(ctx, array, time) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, type) == TILEDB_OK);
  return array;
}

static inline void close_array(tiledb_array_t** array) {
  assert(tiledb_array_close(ctx, *array) == TILEDB_OK);
  tiledb_array_free(array);
  assert(*array == NULL);
}

/* A query over the cells from one to another. */
static inline tiledb_query_t* make_query(tiledb_array_t* array, tiledb_query_type_t type, int32_t first, int32_t last) {
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_query_alloc(ctx, array, type, &query) == TILEDB_OK);
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 0, &first, &last, NULL) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  tiledb_subarray_free(&subarray);
  return query;
}

/* A query that writes the cells from one to another, in a sparse array with these coordinates. */
static inline tiledb_query_t* make_write(
    tiledb_array_t* array, tiledb_array_type_t type, int32_t first, int32_t last, int32_t* x, uint64_t* x_size) {
  tiledb_query_t* query = NULL;
  if (type == TILEDB_DENSE) {
    query = make_query(array, TILEDB_WRITE, first, last);
    assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
    return query;
  }
  for (int32_t i = first; i <= last; i++)
    x[i - first] = i;
  *x_size = (uint64_t)(last - first + 1) * sizeof *x;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, x_size) == TILEDB_OK);
  return query;
}

/* Writes the cells from one to another at a time: "a" is factor times "x". */
static inline void write_cells(
    const char* uri, tiledb_array_type_t type, uint64_t time, int32_t first, int32_t last, int32_t factor) {
  int32_t x[100], a[100];
  uint64_t size = (uint64_t)(last - first + 1) * sizeof *a, x_size = 0;
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, time);
  tiledb_query_t* query = make_write(array, type, first, last, x, &x_size);
  for (int32_t i = first; i <= last; i++)
    a[i - first] = i * factor;
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

/* Reads the cells from one to another as of a time (0: now) into "a"; how many there are. */
static inline uint64_t read_cells(const char* uri, uint64_t time, int32_t first, int32_t last, int32_t* a) {
  uint64_t size = (uint64_t)(last - first + 1) * sizeof *a;
  tiledb_query_status_t status = TILEDB_FAILED;
  tiledb_array_t* array = open_array(uri, TILEDB_READ, time);
  tiledb_query_t* query = make_query(array, TILEDB_READ, first, last);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == TILEDB_COMPLETED);
  tiledb_query_free(&query);
  close_array(&array);
  return size / sizeof *a;
}

/* How many fragments an array has. */
static inline uint32_t fragments(const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  uint32_t count = 0;
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  assert(tiledb_fragment_info_get_fragment_num(ctx, info, &count) == TILEDB_OK);
  tiledb_fragment_info_free(&info);
  return count;
}

/* Creates a sparse array over "x", 0 to 99, and "s", strings, with the attribute "a"; two cells in a tile. */
static inline void make_string_array(const char* uri) {
  const int32_t ends[] = {0, 99}, extent = 10;
  tiledb_dimension_t *x = NULL, *s = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, ends, &extent, &x) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "s", TILEDB_STRING_ASCII, NULL, NULL, &s) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, x) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, s) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, 2) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&s);
  tiledb_dimension_free(&x);
}

#endif
