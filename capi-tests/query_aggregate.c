/* Aggregates: every operator and kind of field, results of nothing, refusals, buffers, and results beside cells. */
#include <math.h>

#include "common.h"

static tiledb_attribute_t* attribute(const char* name, tiledb_datatype_t type, uint32_t values, uint8_t nullable) {
  tiledb_attribute_t* a = NULL;
  assert(tiledb_attribute_alloc(ctx, name, type, &a) == TILEDB_OK);
  assert(tiledb_attribute_set_cell_val_num(ctx, a, values) == TILEDB_OK);
  assert(tiledb_attribute_set_nullable(ctx, a, nullable) == TILEDB_OK);
  return a;
}

/* "a": nullable int64; "f": float32; "s": texts; "b": blobs. */
static void make_array(const char* uri, tiledb_array_type_t type) {
  tiledb_dimension_t* d = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_array_schema_t* schema = NULL;
  int32_t bounds[] = {1, 100}, extent = 2;
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, bounds, &extent, &d) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, d) == TILEDB_OK);
  tiledb_attribute_t* attributes[] = {
      attribute("a", TILEDB_INT64, 1, 1), attribute("f", TILEDB_FLOAT32, 1, 0),
      attribute("s", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0), attribute("b", TILEDB_BLOB, 2, 0)};
  assert(tiledb_array_schema_alloc(ctx, type, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, 2) == TILEDB_OK);
  for (int i = 0; i < 4; i++) {
    assert(tiledb_array_schema_add_attribute(ctx, schema, attributes[i]) == TILEDB_OK);
    tiledb_attribute_free(&attributes[i]);
  }
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&d);
}

static tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type) {
  tiledb_array_t* array = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, type) == TILEDB_OK);
  return array;
}

static void set_range(tiledb_array_t* array, tiledb_query_t* query, int32_t low, int32_t high) {
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 0, &low, &high, NULL) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  tiledb_subarray_free(&subarray);
}

/* Cells 1 to 5; the third "a" is null. */
static void write_cells(const char* uri, int sparse) {
  int32_t d[] = {1, 2, 3, 4, 5};
  int64_t a[] = {7, -2, 1000, 30, 5};
  uint8_t valid[] = {1, 1, 0, 1, 1};
  float f[] = {0.5f, NAN, 2, -1, 4};
  char s[] = "pearfigappleplum", b[] = "0123456789";
  uint64_t offsets[] = {0, 4, 7, 12, 16};
  uint64_t sizes[] = {sizeof d, sizeof a, sizeof valid, sizeof f, 16, sizeof offsets, 10};
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  if (sparse)
    assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &sizes[0]) == TILEDB_OK);
  else
    set_range(array, query, 1, 5);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &sizes[1]) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "a", valid, &sizes[2]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "f", f, &sizes[3]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "s", s, &sizes[4]) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", offsets, &sizes[5]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "b", b, &sizes[6]) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

/* Applies an operator to a field, or counts where there is none. */
static int32_t apply(tiledb_query_t* query, const char* name, const tiledb_channel_operator_t* op, const char* field) {
  tiledb_query_channel_t* channel = NULL;
  assert(tiledb_query_get_default_channel(ctx, query, &channel) == TILEDB_OK);
  const tiledb_channel_operation_t* count = NULL;
  tiledb_channel_operation_t* operation = NULL;
  int32_t code;
  if (field == NULL) {
    assert(tiledb_aggregate_count_get(ctx, &count) == TILEDB_OK && count == tiledb_aggregate_count);
    code = tiledb_channel_apply_aggregate(ctx, channel, name, count);
  } else {
    code = tiledb_create_unary_aggregate(ctx, query, op, field, &operation);
    if (code == TILEDB_OK) {
      code = tiledb_channel_apply_aggregate(ctx, channel, name, operation);
      assert(tiledb_aggregate_free(ctx, &operation) == TILEDB_OK && operation == NULL);
    }
  }
  assert(tiledb_query_channel_free(ctx, &channel) == TILEDB_OK && channel == NULL);
  return code;
}

static void check_values(const char* uri, int sparse, int32_t low, int32_t high, uint64_t all, int has_values) {
  tiledb_array_t* array = open_array(uri, TILEDB_READ);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, sparse ? TILEDB_UNORDERED : TILEDB_ROW_MAJOR) == TILEDB_OK);
  set_range(array, query, low, high);
  uint64_t count = 99, nulls = 99, offset = 99, eight = 8, eights[] = {8, 8, 8, 8}, four[] = {4, 4}, one[] = {1, 1};
  int64_t sum = 99, most = 99;
  double mean = 99, f_sum = 99;
  float least = 99;
  int32_t last = 99;
  char text[16];
  uint64_t text_size = sizeof text;
  uint8_t sum_valid = 9, most_valid = 9;
  assert(apply(query, "count", NULL, NULL) == TILEDB_OK);
  assert(apply(query, "sum", tiledb_channel_operator_sum, "a") == TILEDB_OK);
  assert(apply(query, "most", tiledb_channel_operator_max, "a") == TILEDB_OK);
  assert(apply(query, "nulls", tiledb_channel_operator_null_count, "a") == TILEDB_OK);
  assert(apply(query, "mean", tiledb_channel_operator_mean, "d") == TILEDB_OK);
  assert(apply(query, "last", tiledb_channel_operator_max, "d") == TILEDB_OK);
  assert(apply(query, "least", tiledb_channel_operator_min, "f") == TILEDB_OK);
  assert(apply(query, "f_sum", tiledb_channel_operator_sum, "f") == TILEDB_OK);
  assert(apply(query, "text", tiledb_channel_operator_min, "s") == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "count", &count, &eight) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "sum", &sum, &eights[0]) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "sum", &sum_valid, &one[0]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "most", &most, &eights[1]) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "most", &most_valid, &one[1]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "nulls", &nulls, &eights[2]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "mean", &mean, &eights[3]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "last", &last, &four[0]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "least", &least, &four[1]) == TILEDB_OK);
  uint64_t f_size = 8, offset_size = 8;
  assert(tiledb_query_set_data_buffer(ctx, query, "f_sum", &f_sum, &f_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "text", text, &text_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "text", &offset, &offset_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_status_t status;
  int32_t has_results = 9;
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == TILEDB_COMPLETED);
  assert(tiledb_query_has_results(ctx, query, &has_results) == TILEDB_OK && has_results == 0);
  assert(count == all && offset == 0 && offset_size == 8);
  if (!has_values) {
    assert(sum == 0 && sum_valid == 0 && most == 0 && most_valid == 0 && nulls == 0);
    assert(isnan(mean) && last == 0 && least == 0 && f_sum == 0 && text_size == 0);
  } else if (low == 1) {
    assert(sum == 40 && sum_valid == 1 && most == 30 && most_valid == 1 && nulls == 1);
    assert(mean == 3 && last == 5 && least == -1 && isnan(f_sum));
    assert(text_size == 0); /* the fifth text is empty */
  } else {
    assert(sum == 30 && sum_valid == 1 && most == 30 && most_valid == 1 && nulls == 1);
    assert(mean == 3.5 && last == 4 && least == -1 && f_sum == 1);
    assert(text_size == 5 && memcmp(text, "apple", 5) == 0);
  }
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static void test_refusals(const char* uri) {
  tiledb_array_t* array = open_array(uri, TILEDB_READ);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(apply(query, "x", tiledb_channel_operator_sum, "zz") == TILEDB_ERR);
  expect("C API: There is no field zz");
  assert(apply(query, "x", tiledb_channel_operator_sum, "s") == TILEDB_ERR);
  expect("TileDB internal: SUM aggregates can only be requested on numeric types");
  assert(apply(query, "x", tiledb_channel_operator_min, "b") == TILEDB_ERR);
  expect("TileDB internal: Datatype::BLOB is not a supported Datatype");
  assert(apply(query, "x", tiledb_channel_operator_null_count, "f") == TILEDB_ERR);
  expect("InputFieldValidator: Aggregate must only be requested for nullable fields. Field: 'f'");
  assert(apply(query, "x", NULL, "a") == TILEDB_ERR);
  expect("C API: Invalid TileDB tiledb_channel_operator_handle_t object");
  assert(apply(query, "x", tiledb_channel_operator_max, "s") == TILEDB_OK);
  assert(apply(query, "x", NULL, NULL) == TILEDB_ERR);
  expect("C API: An aggregate operation for output field: x already exists.");

  tiledb_query_field_t* field = NULL;
  tiledb_field_origin_t origin;
  tiledb_datatype_t type;
  uint32_t values = 0;
  uint8_t nullable = 9, valid = 9;
  assert(tiledb_query_get_field(ctx, query, "x", &field) == TILEDB_OK);
  assert(tiledb_field_origin(ctx, field, &origin) == TILEDB_OK && origin == TILEDB_AGGREGATE_FIELD);
  assert(tiledb_field_datatype(ctx, field, &type) == TILEDB_OK && type == TILEDB_STRING_ASCII);
  assert(tiledb_field_cell_val_num(ctx, field, &values) == TILEDB_OK && values == TILEDB_VAR_NUM);
  assert(tiledb_field_get_nullable(ctx, field, &nullable) == TILEDB_OK && nullable == 0);
  assert(tiledb_query_field_free(ctx, &field) == TILEDB_OK);

  char text[8];
  uint64_t offset, size = 2, offset_size = 8, one = 1;
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect("MinMaxAggregator: Result buffer doesn't exist.");
  assert(tiledb_query_set_validity_buffer(ctx, query, "x", &valid, &one) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot set buffer; Input attribute 'x' is not nullable");
  assert(tiledb_query_set_data_buffer(ctx, query, "x", text, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect("OutputBufferValidator: Aggregate must have a fixed size buffer.");
  assert(tiledb_query_set_offsets_buffer(ctx, query, "x", &offset, &offset_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect("MinMaxAggregator: Min/max buffer not big enough for s. Required: 4");
  size = sizeof text;
  assert(tiledb_query_set_data_buffer(ctx, query, "x", text, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(size == 4 && memcmp(text, "plum", 4) == 0 && offset == 0);
  assert(apply(query, "y", NULL, NULL) == TILEDB_ERR);
  expect("C API: argument `query` is at a too late state of its lifetime: add aggregates before the first tiledb_query_submit");
  tiledb_channel_operation_t* none = NULL;
  assert(tiledb_aggregate_free(ctx, &none) == TILEDB_ERR);
  expect("C API: Invalid TileDB tiledb_channel_operation_t object");
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

/* Cells come two at a time; the result with the last of them. */
static void test_beside_cells(const char* uri) {
  tiledb_array_t* array = open_array(uri, TILEDB_READ);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  int32_t d[2];
  uint64_t d_size = sizeof d, count = 99, count_size = 8, cells = 0;
  assert(apply(query, "n", NULL, NULL) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &d_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "n", &count, &count_size) == TILEDB_OK);
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  while (status == TILEDB_INCOMPLETE) {
    assert(count == 99);
    assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
    assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK);
    cells += d_size / sizeof *d;
  }
  assert(status == TILEDB_COMPLETED && cells == 5 && count == 5);
  tiledb_query_free(&query);

  /* Orders of which the tiles know nothing cannot be combined with aggregates. */
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(apply(query, "n", NULL, NULL) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "n", &count, &count_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &d_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect_begin("Reader: Cannot initialize reader; Reader cannot process aggregates: the array is sparse");
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

/* The operators are values of the library, by variable and by function. */
static void operators(void) {
  const tiledb_channel_operator_t *sum = NULL, *mean = NULL, *least = NULL, *most = NULL, *nulls = NULL;
  assert(tiledb_channel_operator_sum_get(ctx, &sum) == TILEDB_OK && sum == tiledb_channel_operator_sum);
  assert(tiledb_channel_operator_mean_get(ctx, &mean) == TILEDB_OK && mean == tiledb_channel_operator_mean);
  assert(tiledb_channel_operator_min_get(ctx, &least) == TILEDB_OK && least == tiledb_channel_operator_min);
  assert(tiledb_channel_operator_max_get(ctx, &most) == TILEDB_OK && most == tiledb_channel_operator_max);
  assert(tiledb_channel_operator_null_count_get(ctx, &nulls) == TILEDB_OK);
  assert(nulls == tiledb_channel_operator_null_count);
  assert(tiledb_channel_operator_sum_get(ctx, NULL) == TILEDB_ERR);
  expect("C API: Invalid output pointer for object");
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  operators();
  for (int sparse = 0; sparse < 2; sparse++) {
    const char* uri = sparse ? "sparse" : "dense";
    make_array(uri, sparse ? TILEDB_SPARSE : TILEDB_DENSE);
    write_cells(uri, sparse);
    check_values(uri, sparse, 1, 5, 5, 1);
    check_values(uri, sparse, 3, 4, 2, 1);
    /* All cells of a dense array count; values have those that somebody wrote. */
    check_values(uri, sparse, 1, 100, sparse ? 5 : 100, 1);
    check_values(uri, sparse, 50, 59, sparse ? 0 : 10, 0);
  }
  test_refusals("sparse");
  test_beside_cells("sparse");
  tiledb_ctx_free(&ctx);
  return 0;
}
