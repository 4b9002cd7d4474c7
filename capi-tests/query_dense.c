/* Dense queries: writes and reads in all orders, partial results, fragments, variable and null cells, errors. */
#include "common.h"

/* A 4 x 4 array in tiles of 2 x 2 with int32 "a" and, if asked for, nullable strings "s". */
static void make_array(const char* uri, int strings) {
  tiledb_dimension_t *rows = NULL, *cols = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t *a = NULL, *s = NULL;
  tiledb_array_schema_t* schema = NULL;
  int32_t bounds[] = {1, 4}, extent = 2;
  assert(tiledb_dimension_alloc(ctx, "d1", TILEDB_INT32, bounds, &extent, &rows) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "d2", TILEDB_INT32, bounds, &extent, &cols) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, rows) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, cols) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "s", TILEDB_STRING_UTF8, &s) == TILEDB_OK);
  assert(tiledb_attribute_set_cell_val_num(ctx, s, TILEDB_VAR_NUM) == TILEDB_OK);
  assert(tiledb_attribute_set_nullable(ctx, s, 1) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, a) == TILEDB_OK);
  if (strings)
    assert(tiledb_array_schema_add_attribute(ctx, schema, s) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&a);
  tiledb_attribute_free(&s);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&rows);
  tiledb_dimension_free(&cols);
}

/* A query on a box of an array that is opened for it. */
static tiledb_query_t* begin(
    const char* uri, tiledb_query_type_t type, tiledb_layout_t layout, const int32_t box[4], tiledb_array_t** array) {
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_array_alloc(ctx, uri, array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, *array, type) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, *array, type, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, layout) == TILEDB_OK);
  assert(tiledb_subarray_alloc(ctx, *array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_set_subarray(ctx, subarray, box) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  tiledb_subarray_free(&subarray);
  return query;
}

static void end(tiledb_query_t* query, tiledb_array_t* array) {
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_query_free(&query);
  tiledb_array_free(&array);
}

static tiledb_query_status_t status_of(tiledb_query_t* query) {
  tiledb_query_status_t status = TILEDB_FAILED;
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK);
  return status;
}

static void write_box(const char* uri, tiledb_layout_t layout, const int32_t box[4], int32_t* cells, uint64_t size) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = begin(uri, TILEDB_WRITE, layout, box, &array);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &size) == TILEDB_OK);
  assert(status_of(query) == TILEDB_UNINITIALIZED);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && status_of(query) == TILEDB_COMPLETED);
  assert(tiledb_query_finalize(ctx, query) == TILEDB_OK);
  uint32_t fragments = 0;
  const char* fragment = NULL;
  uint64_t t1 = 0, t2 = 0;
  assert(tiledb_query_get_fragment_num(ctx, query, &fragments) == TILEDB_OK && fragments == 1);
  assert(tiledb_query_get_fragment_uri(ctx, query, 0, &fragment) == TILEDB_OK && strstr(fragment, "__fragments"));
  assert(tiledb_query_get_fragment_timestamp_range(ctx, query, 0, &t1, &t2) == TILEDB_OK && t1 == t2 && t1 > 0);
  assert(tiledb_query_get_fragment_uri(ctx, query, 1, &fragment) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot get fragment URI; Invalid fragment index: 1 is not below 1");
  end(query, array);
}

static void read_box(
    const char* uri, tiledb_layout_t layout, const int32_t box[4], const int32_t* expected, uint64_t count) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = begin(uri, TILEDB_READ, layout, box, &array);
  int32_t cells[16], has = -1;
  uint64_t size = sizeof cells, estimate = 0;
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &size) == TILEDB_OK);
  assert(tiledb_query_get_est_result_size(ctx, query, "a", &estimate) == TILEDB_OK && estimate == 4 * count);
  assert(tiledb_query_has_results(ctx, query, &has) == TILEDB_OK && has == 0);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && status_of(query) == TILEDB_COMPLETED);
  assert(tiledb_query_has_results(ctx, query, &has) == TILEDB_OK && has == 1);
  assert(size == 4 * count && memcmp(cells, expected, size) == 0);
  /* A completed read stays as it is. */
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && size == 4 * count);
  end(query, array);
}

static const int32_t whole[] = {1, 4, 1, 4};

static void test_orders(const char* uri) {
  int32_t cells[16], upper[] = {100, 101, 102, 103};
  make_array(uri, 0);
  /* Nothing is written: fill values. */
  const int32_t none[] = {INT32_MIN, INT32_MIN};
  read_box(uri, TILEDB_ROW_MAJOR, (int32_t[]){2, 2, 2, 3}, none, 2);
  for (int i = 0; i < 16; i++)
    cells[i] = i;
  write_box(uri, TILEDB_ROW_MAJOR, whole, cells, sizeof cells);
  read_box(uri, TILEDB_ROW_MAJOR, whole, cells, 16);
  const int32_t by_column[] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
  read_box(uri, TILEDB_COL_MAJOR, whole, by_column, 16);
  const int32_t by_tile[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
  read_box(uri, TILEDB_GLOBAL_ORDER, whole, by_tile, 16);
  /* A later write covers the middle; column-major. */
  write_box(uri, TILEDB_COL_MAJOR, (int32_t[]){2, 3, 2, 3}, upper, sizeof upper);
  const int32_t merged[] = {0, 1, 2, 3, 4, 100, 102, 7, 8, 101, 103, 11, 12, 13, 14, 15};
  read_box(uri, TILEDB_ROW_MAJOR, whole, merged, 16);
  read_box(uri, TILEDB_ROW_MAJOR, (int32_t[]){2, 2, 1, 3}, merged + 4, 3);
}

/* Global order in several submits, whose ends fall inside tiles. */
static void test_global_order(const char* uri) {
  tiledb_array_t* array = NULL;
  int32_t cells[16];
  uint64_t first = 3 * 4, second = 9 * 4, third = 4 * 4;
  make_array(uri, 0);
  for (int i = 0; i < 16; i++)
    cells[i] = i;
  tiledb_query_t* query = begin(uri, TILEDB_WRITE, TILEDB_GLOBAL_ORDER, whole, &array);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &first) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells + 3, &second) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells + 12, &third) == TILEDB_OK);
  assert(tiledb_query_submit_and_finalize(ctx, query) == TILEDB_OK);
  end(query, array);
  const int32_t by_row[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
  read_box(uri, TILEDB_ROW_MAJOR, whole, by_row, 16);

  /* Too few cells: told at the end, and nothing is left. */
  query = begin(uri, TILEDB_WRITE, TILEDB_GLOBAL_ORDER, whole, &array);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &first) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_finalize(ctx, query) == TILEDB_ERR);
  expect(
      "TileDB internal: [GlobalOrderWriter::dowork]  ([TileDB::Writer] Error: Failed to finalize global write state; "
      "Number of cells written (3) is different from the number of cells expected (16) for the query subarray)");
  end(query, array);
  read_box(uri, TILEDB_ROW_MAJOR, whole, by_row, 16);
}

static void test_partial_results(const char* uri) {
  tiledb_array_t* array = NULL;
  int32_t cells[4], expected = 0, large[16];
  uint64_t size = sizeof cells, steps = 0, zero = 0;
  make_array(uri, 0);
  for (int i = 0; i < 16; i++)
    large[i] = i;
  write_box(uri, TILEDB_ROW_MAJOR, whole, large, sizeof large);
  tiledb_query_t* query = begin(uri, TILEDB_READ, TILEDB_ROW_MAJOR, whole, &array);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &size) == TILEDB_OK);
  do {
    assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
    assert(size == 16);
    for (int i = 0; i < 4; i++)
      assert(cells[i] == expected++);
    /* The size variable is output only: the capacity stays. */
    size = 1;
    steps++;
  } while (status_of(query) == TILEDB_INCOMPLETE);
  assert(steps == 4 && status_of(query) == TILEDB_COMPLETED);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_COL_MAJOR) == TILEDB_ERR);
  expect_begin("[TileDB::Query] Error: Cannot set layout after initialization: set it before the first tiledb_query_submit");
  end(query, array);

  /* Not even one cell fits. */
  query = begin(uri, TILEDB_READ, TILEDB_ROW_MAJOR, whole, &array);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &zero) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && status_of(query) == TILEDB_INCOMPLETE && zero == 0);
  tiledb_query_status_details_t details;
  assert(tiledb_query_get_status_details(ctx, query, &details) == TILEDB_OK);
  assert(details.incomplete_reason == TILEDB_REASON_USER_BUFFER_SIZE);
  end(query, array);
}

static void test_variable_and_null_cells(const char* uri) {
  tiledb_array_t* array = NULL;
  int32_t a[] = {1, 2, 3, 4};
  char text[] = "bbcccdddd", read_text[16];
  uint8_t valid[] = {1, 1, 0, 1}, read_valid[8];
  uint64_t offsets[] = {0, 0, 2, 5}, read_offsets[8];
  uint64_t a_size = sizeof a, text_size = 9, offsets_size = sizeof offsets, valid_size = sizeof valid;
  const int32_t box[] = {1, 2, 2, 3}, wider[] = {1, 2, 2, 4};
  make_array(uri, 1);
  tiledb_query_t* query = begin(uri, TILEDB_WRITE, TILEDB_ROW_MAJOR, box, &array);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect(
      "[TileDB::Query] Error: Writes expect all attributes (and coordinates in the sparse/unordered case) to be set: 's' has no buffer");
  assert(tiledb_query_set_data_buffer(ctx, query, "s", text, &text_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", offsets, &offsets_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect_begin(
      "[TileDB::Query] Error: Nullable input attribute/dimension 's' is not set correctly \nValidity buffer is not set");
  assert(tiledb_query_set_validity_buffer(ctx, query, "s", valid, &valid_size) == TILEDB_OK);
  offsets[2] = 6;
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect_begin("WriterBase: Invalid offsets for attribute s; offsets must be given in strictly ascending order.");
  offsets[2] = 2;
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  end(query, array);

  query = begin(uri, TILEDB_READ, TILEDB_ROW_MAJOR, wider, &array);
  text_size = sizeof read_text, offsets_size = sizeof read_offsets, valid_size = sizeof read_valid;
  assert(tiledb_query_set_data_buffer(ctx, query, "s", read_text, &text_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect_begin(
      "[TileDB::Query] Error: Var-Sized input attribute/dimension 's' is not set correctly. \nOffsets buffer is not "
      "set.");
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", read_offsets, &offsets_size) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "s", read_valid, &valid_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && status_of(query) == TILEDB_COMPLETED);
  assert(offsets_size == 6 * 8 && valid_size == 6 && text_size == 11);
  const uint64_t starts[] = {0, 0, 2, 3, 6, 10};
  const uint8_t validity[] = {1, 1, 0, 0, 1, 0};
  assert(memcmp(read_offsets, starts, sizeof starts) == 0 && memcmp(read_valid, validity, sizeof validity) == 0);
  assert(memcmp(read_text, "bb\0cccdddd\0", 11) == 0);
  uint64_t offsets_estimate = 0, text_estimate = 0, valid_estimate = 0;
  assert(
      tiledb_query_get_est_result_size_var_nullable(
          ctx, query, "s", &offsets_estimate, &text_estimate, &valid_estimate) == TILEDB_OK);
  assert(offsets_estimate == 48 && valid_estimate == 6 && text_estimate >= 11);
  end(query, array);
}

static void test_what_is_refused(const char* uri) {
  tiledb_array_t* array = NULL;
  tiledb_query_t *query = NULL, *other = NULL;
  int32_t cells[16] = {0};
  uint64_t size = 3 * 4;
  make_array(uri, 0);
  query = begin(uri, TILEDB_WRITE, TILEDB_ROW_MAJOR, (int32_t[]){1, 2, 1, 2}, &array);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &other) == TILEDB_ERR && other == NULL);
  expect_begin("Error: Cannot create query; Array query type does not match declared query type: (WRITE != READ)");
  assert(tiledb_query_set_data_buffer(ctx, query, "zz", cells, &size) == TILEDB_ERR);
  expect_begin("[TileDB::Query] Error: Cannot set buffer; Invalid attribute/dimension/label 'zz'");
  assert(tiledb_query_set_data_buffer(ctx, query, "a", NULL, &size) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot set buffer; a buffer is null");
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, NULL) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot set buffer; a buffer size is null");
  assert(tiledb_query_set_data_buffer(ctx, query, "d1", cells, &size) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Dense write queries cannot set dimension buffers: set a subarray instead of the buffer of 'd1'");
  assert(tiledb_query_set_offsets_buffer(ctx, query, "a", &size, &size) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot set buffer; Input attribute/dimension 'a' is fixed-sized");
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_ERR);
  expect_begin("[TileDB::Query] Error: Unordered writes are only possible for sparse arrays: 'file:///");
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR && status_of(query) == TILEDB_UNINITIALIZED);
  expect_begin("WriterBase: Buffer sizes check failed; Invalid number of cells given for attribute 'a' (3 != 4)");
  assert(tiledb_query_submit_and_finalize(ctx, query) == TILEDB_ERR);
  expect("Query: Failed to submit and finalize query; Call valid only in global_order writes. The query is of type WRITE and layout row-major");
  end(query, array);

  query = begin(uri, TILEDB_WRITE, TILEDB_GLOBAL_ORDER, (int32_t[]){1, 3, 1, 2}, &array);
  size = 6 * 4;
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect_begin(
      "WriterBase: Cannot initialize query; In global writes for dense arrays, the subarray must coincide with the tile "
      "bounds");
  end(query, array);

  query = begin(uri, TILEDB_READ, TILEDB_ROW_MAJOR, whole, &array);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect("DenseReader: Cannot initialize dense reader; Buffers not set: call tiledb_query_set_data_buffer for the fields to read");
  size = sizeof cells;
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &size) == TILEDB_OK);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR && size == sizeof cells);
  expect_begin("Query: Cannot init query; The associated array is not open: 'file:///");
  end(query, array);
}

/* Buffers side by side of which more bytes are stated than the results take. */
static void test_stated_too_large(const char* uri) {
  tiledb_array_t* array = NULL;
  int32_t box[] = {1, 2, 1, 2}, written[] = {5, 6, 7, 8}, out[16];
  uint64_t sizes[] = {32, 32, 32};
  make_array(uri, 0);
  write_box(uri, TILEDB_ROW_MAJOR, box, written, sizeof written);
  tiledb_query_t* query = begin(uri, TILEDB_READ, TILEDB_ROW_MAJOR, box, &array);
  const char* names[] = {"d1", "a", "d2"};
  memset(out, 0, sizeof out);
  for (int i = 0; i < 3; i++)
    assert(tiledb_query_set_data_buffer(ctx, query, names[i], out + i * 4, &sizes[i]) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && status_of(query) == TILEDB_COMPLETED);
  const int32_t expected[16] = {1, 1, 2, 2, 5, 6, 7, 8, 1, 2, 1, 2};
  assert(memcmp(out, expected, sizeof out) == 0 && sizes[0] == 16 && sizes[1] == 16 && sizes[2] == 16);
  end(query, array);

  query = begin(uri, TILEDB_READ, TILEDB_ROW_MAJOR, box, &array);
  sizes[0] = sizes[1] = 32;
  assert(tiledb_query_set_data_buffer(ctx, query, "a", out, &sizes[0]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d1", out + 3, &sizes[1]) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot submit query; The buffers of 'a' and 'd1' overlap");
  end(query, array);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  char uri[16];
  void (*tests[])(const char*) = {
      test_orders, test_global_order, test_partial_results, test_variable_and_null_cells, test_what_is_refused,
      test_stated_too_large};
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
    snprintf(uri, sizeof uri, "array%u", i);
    tests[i](uri);
  }
  tiledb_ctx_free(&ctx);
  return 0;
}
