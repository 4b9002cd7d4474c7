/* Functions of libtiledb's development version 2.31, and calls that its C++ interface makes differently. The bounds of all tiles are
 * compared with the cells in tests/newer_format. */
#define TILEDB_RS_NEXT_API
#include "arrays.h"

#define SPARSE "sparse"
#define DENSE "dense"
#define CANNOT "FragmentInfo: Cannot get MBR global order bound"

typedef capi_return_t (*bound_t)(tiledb_ctx_t*, tiledb_fragment_info_t*, uint32_t, uint32_t, size_t*, void**);

static tiledb_fragment_info_t* load(const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  return info;
}

static void bounds_without(bound_t get) {
  int32_t x = 77;
  size_t size = 77;
  void* values[] = {&x};
  tiledb_fragment_info_t *info = load(SPARSE), *dense = load(DENSE), *not_loaded = NULL;
  assert(tiledb_fragment_info_alloc(ctx, SPARSE, &not_loaded) == TILEDB_OK);
  assert(get(NULL, info, 0, 0, &size, values) == TILEDB_INVALID_CONTEXT);
  assert(get(ctx, NULL, 0, 0, &size, values) == TILEDB_ERR);
  expect_begin("C API: Invalid TileDB fragment_info object");
  assert(get(ctx, info, 0, 0, &size, NULL) == TILEDB_ERR);
  expect("C API: Invalid output pointer for object");
  assert(get(ctx, not_loaded, 0, 0, &size, values) == TILEDB_ERR);
  expect("FragmentInfo: Fragment info has not been loaded. Call tiledb_fragment_info_load first");
  assert(get(ctx, info, 1, 0, &size, values) == TILEDB_ERR);
  expect(CANNOT ": Invalid fragment index: 1 is not below 1");
  assert(get(ctx, info, UINT32_MAX, UINT32_MAX, NULL, values) == TILEDB_ERR);
  expect_begin(CANNOT ": Invalid fragment index");
  assert(get(ctx, dense, 0, 0, &size, values) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get MBR; Fragment is not sparse");
  assert(get(ctx, info, 0, 0, &size, values) == TILEDB_ERR);
  expect_begin(CANNOT ": Unavailable: fragment '__1_1_");
  expect_within("of format version 22 contains no bounds (version 23 or later does)");
  assert(x == 77 && size == 77);
  tiledb_fragment_info_free(&not_loaded);
  tiledb_fragment_info_free(&dense);
  tiledb_fragment_info_free(&info);
}

/* Arrays of version 23, which the context that creates them requests, have bounds, whoever writes to them. */
static void bounds_in_version_23(void) {
  tiledb_ctx_t* outer = ctx;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.write_format_version", "23", &error) == TILEDB_OK);
  assert(tiledb_ctx_alloc(config, &ctx) == TILEDB_OK);
  tiledb_config_free(&config);
  make_array("newer", TILEDB_SPARSE);
  tiledb_ctx_free(&ctx);
  ctx = outer;
  write_cells("newer", TILEDB_SPARSE, 1, 2, 6, 10);
  tiledb_fragment_info_t* info = load("newer");
  uint32_t version = 0;
  assert(tiledb_fragment_info_get_version(ctx, info, 0, &version) == TILEDB_OK && version == 23);
  for (uint32_t tile = 0; tile < 3; tile++) {
    int32_t x = 77;
    size_t size = 77;
    void* values[] = {&x};
    const int32_t first = 2 + 2 * (int32_t)tile, last = first < 6 ? first + 1 : 6;
    assert(tiledb_fragment_info_get_global_order_lower_bound(ctx, info, 0, tile, &size, values) == TILEDB_OK);
    assert(x == first && size == sizeof x);
    assert(tiledb_fragment_info_get_global_order_upper_bound(ctx, info, 0, tile, NULL, values) == TILEDB_OK);
    assert(x == last);
  }
  tiledb_fragment_info_free(&info);
}

static void expect_no_buffer(tiledb_query_t* query, const char* name) {
  void* data = query;
  uint64_t* size = NULL;
  assert(tiledb_query_get_data_buffer(ctx, query, name, &data, &size) == TILEDB_OK && data == NULL && size == NULL);
}

static tiledb_query_status_t status_of(tiledb_query_t* query) {
  tiledb_query_status_t status = TILEDB_FAILED;
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK);
  return status;
}

/* As if no buffer had been set: other fields may be set instead. */
static void unset_before_submit(void) {
  int32_t x[4], a[4] = {0};
  uint64_t x_size = sizeof x, a_size = sizeof a;
  tiledb_array_t* array = open_array(SPARSE, TILEDB_READ, 0);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_unset_buffers(query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size) == TILEDB_OK);
  assert(tiledb_query_unset_buffers(query) == TILEDB_OK);
  expect_no_buffer(query, "x");
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  x_size = 77;
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && status_of(query) == TILEDB_COMPLETED);
  assert(a_size == 3 * sizeof *a && a[0] == 20 && a[2] == 40 && x_size == 77);
  assert(tiledb_query_unset_buffers(query) == TILEDB_OK && tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(status_of(query) == TILEDB_COMPLETED && a_size == 3 * sizeof *a);
  tiledb_query_free(&query);
  close_array(&array);
}

/* An incomplete read goes on in other memory; the buffers that were unset are freed. */
static void unset_between_submits(void) {
  tiledb_array_t* array = open_array(SPARSE, TILEDB_READ, 0);
  tiledb_query_t* query = NULL;
  uint64_t size = sizeof(int32_t);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  for (int32_t i = 0; i < 3; i++) {
    int32_t* a = malloc(sizeof *a);
    size = sizeof *a;
    assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &size) == TILEDB_OK);
    assert(tiledb_query_submit(ctx, query) == TILEDB_OK && size == sizeof *a && *a == 20 + 10 * i);
    assert(i == 2 || status_of(query) == TILEDB_INCOMPLETE);
    assert(tiledb_query_unset_buffers(query) == TILEDB_OK);
    free(a);
    if (i == 0) {
      expect_no_buffer(query, "a");
      assert(tiledb_query_set_data_buffer(ctx, query, "x", &i, &size) == TILEDB_ERR);
      expect_begin("[TileDB::Query] Error: Cannot set buffer for new attribute/dimension 'x' after initialization");
      assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
      expect_begin("[TileDB::Query] Error: Fix-Sized input attribute/dimension 'a' is not set correctly.");
      assert(status_of(query) == TILEDB_INCOMPLETE);
    }
  }
  tiledb_query_free(&query);
  close_array(&array);
}

static void unset_aggregates(void) {
  uint64_t count = 77, size = sizeof count;
  tiledb_array_t* array = open_array(SPARSE, TILEDB_READ, 0);
  tiledb_query_t* query = NULL;
  tiledb_query_channel_t* channel = NULL;
  const tiledb_channel_operation_t* counting = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_get_default_channel(ctx, query, &channel) == TILEDB_OK);
  assert(tiledb_aggregate_count_get(ctx, &counting) == TILEDB_OK);
  assert(tiledb_channel_apply_aggregate(ctx, channel, "count", counting) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "count", &count, &size) == TILEDB_OK);
  assert(tiledb_query_unset_buffers(query) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect_within("Result buffer doesn't exist.");
  assert(count == 77);
  assert(tiledb_query_set_data_buffer(ctx, query, "count", &count, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && count == 3);
  tiledb_query_channel_free(ctx, &channel);
  tiledb_query_free(&query);
  close_array(&array);
}

/* A write in global order is finalized without the buffers of its submits. */
static void unset_before_finalize(void) {
  int32_t read[4] = {0};
  tiledb_array_t* array = open_array(SPARSE, TILEDB_WRITE, 2);
  tiledb_query_t* query = NULL;
  uint64_t x_size = sizeof(int32_t), a_size = x_size;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER) == TILEDB_OK);
  for (int32_t i = 50; i < 53; i++) {
    int32_t *x = malloc(sizeof *x), *a = malloc(sizeof *a);
    *x = i;
    *a = -i;
    assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size) == TILEDB_OK);
    assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
    assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
    assert(tiledb_query_unset_buffers(query) == TILEDB_OK);
    free(x);
    free(a);
  }
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  assert(tiledb_query_finalize(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
  assert(read_cells(SPARSE, 0, 50, 53, read) == 3 && read[0] == -50 && read[2] == -52);
}

/* The C++ interface of 2.31 frees fields, channels and operations without a context, and a field before each buffer is set. */
static void free_without_context(void) {
  int32_t a[4] = {0};
  uint64_t sum = 0, a_size = sizeof a, sum_size = sizeof sum;
  tiledb_array_t* array = open_array(SPARSE, TILEDB_READ, 0);
  tiledb_query_t* query = NULL;
  tiledb_query_field_t* field = NULL;
  tiledb_query_channel_t* channel = NULL;
  tiledb_channel_operation_t* operation = NULL;
  const tiledb_channel_operator_t* summing = NULL;
  tiledb_datatype_t type = TILEDB_ANY;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_get_field(ctx, query, "a", &field) == TILEDB_OK);
  assert(tiledb_field_datatype(ctx, field, &type) == TILEDB_OK && type == TILEDB_INT32);
  assert(tiledb_query_field_free(NULL, &field) == TILEDB_OK && field == NULL);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_get_default_channel(ctx, query, &channel) == TILEDB_OK);
  assert(tiledb_channel_operator_sum_get(ctx, &summing) == TILEDB_OK);
  assert(tiledb_create_unary_aggregate(ctx, query, summing, "a", &operation) == TILEDB_OK);
  assert(tiledb_channel_apply_aggregate(ctx, channel, "sum", operation) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "sum", &sum, &sum_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && a_size == 3 * sizeof *a && sum == 90);
  assert(tiledb_aggregate_free(NULL, &operation) == TILEDB_OK && operation == NULL);
  assert(tiledb_query_channel_free(NULL, &channel) == TILEDB_OK && channel == NULL);
  /* What is no handle is refused, with and without a context. */
  assert(tiledb_query_field_free(NULL, NULL) == TILEDB_ERR && tiledb_query_field_free(NULL, &field) == TILEDB_ERR);
  assert(tiledb_query_channel_free(NULL, NULL) == TILEDB_ERR && tiledb_query_channel_free(NULL, &channel) == TILEDB_ERR);
  assert(tiledb_aggregate_free(NULL, NULL) == TILEDB_ERR && tiledb_aggregate_free(NULL, &operation) == TILEDB_ERR);
  assert(tiledb_query_channel_free(ctx, NULL) == TILEDB_ERR);
  expect("C API: Invalid output pointer for object");
  /* A channel outlives the context that it was obtained with, as where garbage is collected. */
  tiledb_ctx_t *other = NULL, *gone = NULL;
  assert(tiledb_ctx_alloc(NULL, &other) == TILEDB_OK);
  gone = other;
  assert(tiledb_query_get_default_channel(other, query, &channel) == TILEDB_OK);
  tiledb_ctx_free(&other);
  assert(tiledb_query_channel_free(gone, &channel) == TILEDB_OK && channel == NULL);
  tiledb_query_free(&query);
  close_array(&array);
}

/* In 2.31 an array that is opened exclusively is open for writing. */
static void write_to_exclusive_array(void) {
  int32_t x = 70, a = -70, read[1] = {0};
  uint64_t size = sizeof x;
  tiledb_query_type_t type = TILEDB_READ;
  tiledb_query_t* query = NULL;
  tiledb_array_t* array = open_array(SPARSE, TILEDB_MODIFY_EXCLUSIVE, 3);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_ERR && query == NULL);
  expect_begin("Error: Cannot create query; Array query type does not match declared query type: (MODIFY_EXCLUSIVE != READ)");
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_get_type(ctx, query, &type) == TILEDB_OK && type == TILEDB_WRITE);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", &x, &size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", &a, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
  array = open_array(SPARSE, TILEDB_WRITE, 3);
  assert(tiledb_query_alloc(ctx, array, TILEDB_MODIFY_EXCLUSIVE, &query) == TILEDB_ERR);
  close_array(&array);
  assert(read_cells(SPARSE, 0, 70, 71, read) == 1 && read[0] == -70);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array(SPARSE, TILEDB_SPARSE);
  make_array(DENSE, TILEDB_DENSE);
  write_cells(SPARSE, TILEDB_SPARSE, 1, 2, 4, 10);
  write_cells(DENSE, TILEDB_DENSE, 1, 1, 10, 1);
  bounds_without(tiledb_fragment_info_get_global_order_lower_bound);
  bounds_without(tiledb_fragment_info_get_global_order_upper_bound);
  bounds_in_version_23();
  assert(tiledb_query_unset_buffers(NULL) == TILEDB_ERR);
  unset_before_submit();
  unset_between_submits();
  unset_aggregates();
  free_without_context();
  unset_before_finalize();
  write_to_exclusive_array();
  tiledb_ctx_free(&ctx);
  return 0;
}
