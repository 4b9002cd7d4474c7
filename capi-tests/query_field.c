/* Fields of a query: dimensions, attributes, aggregates; their types and origins, and their channel. */
#include "arrays.h"

static tiledb_query_field_t* field(tiledb_query_t* query, const char* name) {
  tiledb_query_field_t* field = NULL;
  assert(tiledb_query_get_field(ctx, query, name, &field) == TILEDB_OK && field != NULL);
  return field;
}

static void is(
    tiledb_query_t* query, const char* name, tiledb_field_origin_t origin, tiledb_datatype_t type, uint8_t nullable) {
  tiledb_query_field_t* actual = field(query, name);
  tiledb_field_origin_t its_origin = (tiledb_field_origin_t)77;
  tiledb_datatype_t its_type = TILEDB_ANY;
  uint32_t values = 77;
  uint8_t its_nullable = 77;
  assert(tiledb_field_origin(ctx, actual, &its_origin) == TILEDB_OK && its_origin == origin);
  assert(tiledb_field_datatype(ctx, actual, &its_type) == TILEDB_OK && its_type == type);
  assert(tiledb_field_cell_val_num(ctx, actual, &values) == TILEDB_OK && values == 1);
  assert(tiledb_field_get_nullable(ctx, actual, &its_nullable) == TILEDB_OK && its_nullable == nullable);
  assert(tiledb_query_field_free(ctx, &actual) == TILEDB_OK && actual == NULL);
}

/* The channel of a field is the query's own: what is applied there is the query's. */
static void channel(tiledb_query_t* query) {
  tiledb_query_field_t* of = field(query, "a");
  tiledb_query_channel_t* channel = NULL;
  const tiledb_channel_operator_t* op = NULL;
  tiledb_channel_operation_t* operation = NULL;
  assert(tiledb_field_channel(ctx, of, &channel) == TILEDB_OK && channel != NULL);
  assert(tiledb_channel_operator_sum_get(ctx, &op) == TILEDB_OK && op == tiledb_channel_operator_sum);
  assert(tiledb_create_unary_aggregate(ctx, query, op, "a", &operation) == TILEDB_OK);
  assert(tiledb_channel_apply_aggregate(ctx, channel, "total", operation) == TILEDB_OK);
  assert(tiledb_aggregate_free(ctx, &operation) == TILEDB_OK);
  assert(tiledb_query_channel_free(ctx, &channel) == TILEDB_OK);
  assert(tiledb_query_field_free(ctx, &of) == TILEDB_OK);
}

static void refused(tiledb_query_t* query) {
  tiledb_query_field_t* none = NULL;
  tiledb_datatype_t type = TILEDB_ANY;
  assert(tiledb_query_get_field(ctx, query, "zz", &none) == TILEDB_ERR && none == NULL);
  expect("C API: There is no field zz");
  assert(tiledb_query_get_field(ctx, query, NULL, &none) == TILEDB_ERR && none == NULL);
  expect("C API: argument `field_name` may not be nullptr");
  assert(tiledb_field_datatype(ctx, NULL, &type) == TILEDB_ERR);
  expect("C API: Invalid TileDB tiledb_query_field_t object");
  assert(tiledb_query_field_free(ctx, &none) == TILEDB_ERR);
  expect("C API: Invalid TileDB tiledb_query_field_t object");
}

int main(void) {
  int64_t total = 77;
  uint64_t size = sizeof total;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array("fields", TILEDB_SPARSE);
  write_cells("fields", TILEDB_SPARSE, 0, 1, 10, 3);
  tiledb_array_t* array = open_array("fields", TILEDB_READ, 0);
  tiledb_query_t* query = make_query(array, TILEDB_READ, 1, 4);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  is(query, "x", TILEDB_DIMENSION_FIELD, TILEDB_INT32, 0);
  is(query, "a", TILEDB_ATTRIBUTE_FIELD, TILEDB_INT32, 0);
  channel(query);
  is(query, "total", TILEDB_AGGREGATE_FIELD, TILEDB_INT64, 0);
  refused(query);
  assert(tiledb_query_set_data_buffer(ctx, query, "total", &total, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(total == 30);
  tiledb_query_free(&query);
  close_array(&array);
  tiledb_ctx_free(&ctx);
  return 0;
}
