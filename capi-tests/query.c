/* What a query tells about itself: array, type, layout, configuration, buffers, subarray, plan, statistics, fragments. */
#include "arrays.h"

#define ARRAY "queried"

/* "t": nullable texts, beside "a". */
static void create(void) {
  tiledb_array_schema_t* schema = make_schema(TILEDB_SPARSE);
  tiledb_attribute_t* text = NULL;
  assert(tiledb_attribute_alloc(ctx, "t", TILEDB_STRING_UTF8, &text) == TILEDB_OK);
  assert(tiledb_attribute_set_cell_val_num(ctx, text, TILEDB_VAR_NUM) == TILEDB_OK);
  assert(tiledb_attribute_set_nullable(ctx, text, 1) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, text) == TILEDB_OK);
  assert(tiledb_array_create(ctx, ARRAY, schema) == TILEDB_OK);
  tiledb_attribute_free(&text);
  tiledb_array_schema_free(&schema);
}

static void write_three(uint64_t time, int32_t first) {
  int32_t x[] = {first, first + 1, first + 2}, a[] = {1, 2, 3};
  char t[] = "onethree";
  uint64_t starts[] = {0, 3, 3}, x_size = 12, a_size = 12, t_size = 8, starts_size = 24, valid_size = 3, end = 77;
  uint8_t valid[] = {1, 0, 1};
  tiledb_array_t* array = open_array(ARRAY, TILEDB_WRITE, time);
  tiledb_query_t* query = NULL;
  const char* uri = NULL;
  uint32_t count = 7;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "t", t, &t_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "t", starts, &starts_size) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "t", valid, &valid_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);

  /* What was written. */
  assert(tiledb_query_get_fragment_num(ctx, query, &count) == TILEDB_OK && count == 1);
  assert(tiledb_query_get_fragment_uri(ctx, query, 0, &uri) == TILEDB_OK && strstr(uri, ARRAY "/__fragments/__") != NULL);
  assert(tiledb_query_get_fragment_timestamp_range(ctx, query, 0, &x_size, &end) == TILEDB_OK);
  assert(x_size == time && end == time);
  assert(tiledb_query_get_fragment_uri(ctx, query, 1, &uri) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot get fragment URI; Invalid fragment index: 1 is not below 1");
  tiledb_query_free(&query);
  close_array(&array);
}

static void kind(tiledb_array_t* array, tiledb_query_t* query) {
  tiledb_array_t* same = NULL;
  tiledb_query_type_t type = TILEDB_DELETE;
  tiledb_layout_t layout = TILEDB_HILBERT;
  const char* uri = NULL;
  assert(tiledb_query_get_type(ctx, query, &type) == TILEDB_OK && type == TILEDB_READ);
  assert(tiledb_query_get_layout(ctx, query, &layout) == TILEDB_OK && layout == TILEDB_ROW_MAJOR);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_get_layout(ctx, query, &layout) == TILEDB_OK && layout == TILEDB_UNORDERED);
  assert(tiledb_query_get_array(ctx, query, &same) == TILEDB_OK && same != NULL && same != array);
  assert(tiledb_array_get_uri(ctx, same, &uri) == TILEDB_OK && strstr(uri, ARRAY) != NULL);
  tiledb_array_free(&same);
}

static void configuration(tiledb_query_t* query) {
  tiledb_config_t *config = NULL, *own = NULL;
  tiledb_error_t* error = NULL;
  const char* value = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.memory_budget", "123456", &error) == TILEDB_OK);
  assert(tiledb_query_set_config(ctx, query, config) == TILEDB_OK);
  assert(tiledb_query_get_config(ctx, query, &own) == TILEDB_OK);
  assert(tiledb_config_get(own, "sm.memory_budget", &value, &error) == TILEDB_OK && strcmp(value, "123456") == 0);
  tiledb_config_free(&own);
  tiledb_config_free(&config);
}

/* Buffers are those that were set, as they were set. */
static void buffers(tiledb_query_t* query) {
  char t[64];
  int32_t a[8];
  uint64_t starts[8], t_size = sizeof t, a_size = sizeof a, starts_size = sizeof starts, valid_size = 8;
  uint64_t *starts_set = NULL, *size = NULL;
  uint8_t valid[8], *valid_set = NULL;
  void* data_set = NULL;
  assert(tiledb_query_get_data_buffer(ctx, query, "a", &data_set, &size) == TILEDB_OK && data_set == NULL && size == NULL);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "t", t, &t_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "t", starts, &starts_size) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "t", valid, &valid_size) == TILEDB_OK);
  assert(tiledb_query_get_data_buffer(ctx, query, "a", &data_set, &size) == TILEDB_OK && data_set == a && size == &a_size);
  assert(tiledb_query_get_data_buffer(ctx, query, "t", &data_set, &size) == TILEDB_OK && data_set == t && size == &t_size);
  assert(tiledb_query_get_offsets_buffer(ctx, query, "t", &starts_set, &size) == TILEDB_OK);
  assert(starts_set == starts && size == &starts_size);
  assert(tiledb_query_get_validity_buffer(ctx, query, "t", &valid_set, &size) == TILEDB_OK);
  assert(valid_set == valid && size == &valid_size);
  assert(tiledb_query_get_data_buffer(ctx, query, "zz", &data_set, &size) == TILEDB_ERR);
  expect_begin("[TileDB::Query] Error: Cannot get buffer; Invalid attribute/dimension/label name 'zz'");
  assert(tiledb_query_get_offsets_buffer(ctx, query, "a", &starts_set, &size) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot get buffer; 'a' is fixed-sized");
  assert(tiledb_query_get_validity_buffer(ctx, query, "a", &valid_set, &size) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot get buffer; 'a' is non-nullable");

  assert(tiledb_stats_enable() == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_stats_disable() == TILEDB_OK);
  assert(a_size == 8 && a[0] == 1 && a[1] == 2);
  assert(starts_size == 16 && starts[0] == 0 && starts[1] == 3);
  assert(valid_size == 2 && valid[0] == 1 && valid[1] == 0);
  assert(t_size == 3 && memcmp(t, "one", 3) == 0);
}

/* A copy: what is added to it later does not reach the query. */
static void subarray(tiledb_query_t* query) {
  tiledb_subarray_t* own = NULL;
  const void *start = NULL, *end = NULL, *stride = NULL;
  uint64_t count = 7;
  assert(tiledb_query_get_subarray_t(ctx, query, &own) == TILEDB_OK);
  assert(tiledb_subarray_get_range_num(ctx, own, 0, &count) == TILEDB_OK && count == 1);
  assert(tiledb_subarray_get_range(ctx, own, 0, 0, &start, &end, &stride) == TILEDB_OK);
  assert(*(const int32_t*)start == 10 && *(const int32_t*)end == 11);
  tiledb_subarray_free(&own);
}

static void plan(tiledb_array_t* array) {
  tiledb_query_t* query = make_query(array, TILEDB_READ, 10, 11);
  int32_t a[8];
  uint64_t a_size = sizeof a;
  tiledb_string_t* text = NULL;
  const char* data = NULL;
  size_t length = 0;
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_get_plan(ctx, query, &text) == TILEDB_OK);
  assert(tiledb_string_view(text, &data, &length) == TILEDB_OK);
  assert(strstr(data, "\"Query.Layout\": \"unordered\"") != NULL);
  assert(strstr(data, "\"Array.Type\": \"sparse\"") != NULL);
  assert(strstr(data, "\"a\"") != NULL);
  tiledb_string_free(&text);
  tiledb_query_free(&query);
}

/* Fragments that can have cells of the ranges: one of the two. */
static void fragments_read(tiledb_query_t* query) {
  uint64_t count = 77;
  char* stats = NULL;
  uint32_t written = 77;
  assert(tiledb_query_get_relevant_fragment_num(ctx, query, &count) == TILEDB_OK && count == 1);
  assert(tiledb_query_get_fragment_num(ctx, query, &written) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot get number of fragments; Applicable only to WRITE and MODIFY_EXCLUSIVE mode: the query is of type READ");
  assert(tiledb_query_get_stats(ctx, query, &stats) == TILEDB_OK);
  assert(strstr(stats, "\"timers\"") != NULL && strstr(stats, "\"Context.Query.Reader.loop_num\": 1") != NULL);
  assert(tiledb_stats_free_str(&stats) == TILEDB_OK && stats == NULL);
}

/* Updates are an experiment of the original that carries none out; their values are kept and checked. */
static void updates(tiledb_array_t* read) {
  const int32_t value = 5;
  tiledb_query_t* query = NULL;
  tiledb_array_t* array = NULL;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_array_alloc(ctx, ARRAY, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_UPDATE) == TILEDB_ERR);
  expect_begin("[TileDB::Array] Error: Array: Cannot open array; Update query type is only experimental, do not use. To open 'file:///");
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.allow_updates_experimental", "true", &error) == TILEDB_OK);
  assert(tiledb_array_set_config(ctx, array, config) == TILEDB_OK);
  tiledb_config_free(&config);
  assert(tiledb_array_open(ctx, array, TILEDB_UPDATE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_UPDATE, &query) == TILEDB_OK);
  assert(tiledb_query_add_update_value(ctx, query, "a", &value, sizeof value) == TILEDB_OK);
  assert(tiledb_query_add_update_value(ctx, query, "a", &value, sizeof value) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Update value already set for attribute 'a'");
  assert(tiledb_query_add_update_value(ctx, query, NULL, &value, sizeof value) == TILEDB_ERR);
  tiledb_query_free(&query);
  close_array(&array);
  query = make_query(read, TILEDB_READ, 1, 2);
  assert(tiledb_query_add_update_value(ctx, query, "a", &value, sizeof value) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Cannot add query update value; Operation only applicable to update queries: that of 'a' is of type READ");
  tiledb_query_free(&query);
}

static void wrong_kind(tiledb_array_t* array) {
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_ERR && query == NULL);
  expect_begin("Error: Cannot create query; Array query type does not match declared query type: (READ != WRITE)");
  assert(tiledb_query_alloc(ctx, NULL, TILEDB_READ, &query) == TILEDB_ERR && query == NULL);
  expect("C API: Invalid TileDB array object");
}

/* A query takes the environment as it is when it is made, whatever earlier ones of the same context found. */
static void environment(tiledb_array_t* array) {
  tiledb_query_t* query = NULL;
  assert(setenv("TILEDB_SM_VAR_OFFSETS_BITSIZE", "31", 1) == 0);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_ERR);
  expect("Cannot initialize query; Unsupported offsets bitsize 31 in configuration");
  assert(setenv("TILEDB_SM_VAR_OFFSETS_BITSIZE", "32", 1) == 0);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(unsetenv("TILEDB_SM_VAR_OFFSETS_BITSIZE") == 0);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  create();
  write_three(1, 10);
  write_three(2, 50);
  tiledb_array_t* array = open_array(ARRAY, TILEDB_READ, 0);
  tiledb_query_t* query = make_query(array, TILEDB_READ, 10, 11);
  kind(array, query);
  configuration(query);
  environment(array);
  subarray(query);
  buffers(query);
  fragments_read(query);
  tiledb_query_free(&query);
  plan(array);
  updates(array);
  wrong_kind(array);
  close_array(&array);
  tiledb_ctx_free(&ctx);
  return 0;
}
