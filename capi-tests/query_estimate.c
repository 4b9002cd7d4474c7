/* Estimates of the sizes of results: fields of fixed and variable size, nullable or not, and texts of refusals. */
#include "arrays.h"

#define ARRAY "estimated"

/* Beside "a": "t" texts, "n" nullable numbers, "v" nullable texts. */
static void create(void) {
  const struct {
    const char* name;
    tiledb_datatype_t type;
    uint32_t values;
    uint8_t nullable;
  } fields[] = {
      {"t", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0},
      {"n", TILEDB_INT64, 1, 1},
      {"v", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 1},
  };
  tiledb_array_schema_t* schema = make_schema(TILEDB_SPARSE);
  for (int i = 0; i < 3; i++) {
    tiledb_attribute_t* attribute = NULL;
    assert(tiledb_attribute_alloc(ctx, fields[i].name, fields[i].type, &attribute) == TILEDB_OK);
    assert(tiledb_attribute_set_cell_val_num(ctx, attribute, fields[i].values) == TILEDB_OK);
    assert(tiledb_attribute_set_nullable(ctx, attribute, fields[i].nullable) == TILEDB_OK);
    assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
    tiledb_attribute_free(&attribute);
  }
  assert(tiledb_array_create(ctx, ARRAY, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
}

/* Four cells in two tiles; texts of 3 bytes. */
static void write_four(void) {
  int32_t x[] = {1, 2, 3, 4}, a[] = {1, 2, 3, 4};
  int64_t n[] = {1, 2, 3, 4};
  char t[] = "onetwosixten";
  uint64_t starts[] = {0, 3, 6, 9}, sizes[] = {16, 16, 12, 32, 32, 4, 12, 32, 4};
  uint8_t valid[] = {1, 1, 0, 1};
  tiledb_array_t* array = open_array(ARRAY, TILEDB_WRITE, 0);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[0]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &sizes[1]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "t", t, &sizes[2]) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "t", starts, &sizes[3]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "n", n, &sizes[4]) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "n", valid, &sizes[5]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "v", t, &sizes[6]) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "v", starts, &sizes[7]) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "v", valid, &sizes[8]) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

/* Estimates are for whole tiles as far as they are in the ranges. */
static void estimate(tiledb_array_t* array, int32_t last, uint64_t cells) {
  tiledb_query_t* query = make_query(array, TILEDB_READ, 1, last);
  uint64_t offsets = 77, values = 77, validity = 77;
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_get_est_result_size(ctx, query, "a", &values) == TILEDB_OK && values == 4 * cells);
  assert(tiledb_query_get_est_result_size(ctx, query, "x", &values) == TILEDB_OK && values == 4 * cells);
  assert(tiledb_query_get_est_result_size_var(ctx, query, "t", &offsets, &values) == TILEDB_OK);
  assert(offsets == 8 * cells && values == 3 * cells);
  assert(tiledb_query_get_est_result_size_nullable(ctx, query, "n", &values, &validity) == TILEDB_OK);
  assert(values == 8 * cells && validity == cells);
  assert(tiledb_query_get_est_result_size_var_nullable(ctx, query, "v", &offsets, &values, &validity) == TILEDB_OK);
  assert(offsets == 8 * cells && values == 3 * cells && validity == cells);
  tiledb_query_free(&query);
}

static void refuse(tiledb_array_t* array) {
  tiledb_query_t* query = make_query(array, TILEDB_READ, 1, 100);
  uint64_t offsets = 77, values = 77, validity = 77;
  assert(tiledb_query_get_est_result_size(ctx, query, "t", &values) == TILEDB_ERR);
  expect("Query: query estimated result size: 't' is not fixed-sized");
  assert(tiledb_query_get_est_result_size(ctx, query, "n", &values) == TILEDB_ERR);
  expect("Query: query estimated result size: field 'n' is not a nonnull array field");
  assert(tiledb_query_get_est_result_size(ctx, query, "zz", &values) == TILEDB_ERR);
  expect_begin("Query: query estimated result size: 'zz' is not an array field");
  assert(tiledb_query_get_est_result_size_var(ctx, query, "a", &offsets, &values) == TILEDB_ERR);
  expect("Query: query estimated result size: 'a' is not variable-sized");
  assert(tiledb_query_get_est_result_size_nullable(ctx, query, "a", &values, &validity) == TILEDB_ERR);
  expect("Query: query estimated result size: attribute 'a' is not nullable");
  assert(tiledb_query_get_est_result_size_var_nullable(ctx, query, "t", &offsets, &values, &validity) == TILEDB_ERR);
  expect("Query: query estimated result size: attribute 't' is not nullable");
  assert(offsets == 77 && values == 77 && validity == 77);
  tiledb_query_free(&query);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  create();
  tiledb_array_t* array = open_array(ARRAY, TILEDB_READ, 0);
  estimate(array, 100, 0);
  close_array(&array);
  write_four();
  array = open_array(ARRAY, TILEDB_READ, 0);
  estimate(array, 100, 4);
  estimate(array, 2, 2);
  refuse(array);
  close_array(&array);
  tiledb_ctx_free(&ctx);
  return 0;
}
