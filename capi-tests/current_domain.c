/* Current domains: the part of an array's domain that is in use, in a schema, for writes and reads, and growing. */
#include "arrays.h"

#define ARRAY "shaped"

/* Of one rectangle. */
static tiledb_current_domain_t* make(int32_t first, int32_t last) {
  tiledb_array_schema_t* schema = make_schema(TILEDB_SPARSE);
  tiledb_domain_t* domain = NULL;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_current_domain_t* current = NULL;
  tiledb_range_t range = {&first, sizeof first, &last, sizeof last};
  assert(tiledb_array_schema_get_domain(ctx, schema, &domain) == TILEDB_OK);
  assert(tiledb_ndrectangle_alloc(ctx, domain, &rectangle) == TILEDB_OK);
  assert(tiledb_ndrectangle_set_range(ctx, rectangle, 0, &range) == TILEDB_OK);
  assert(tiledb_current_domain_create(ctx, &current) == TILEDB_OK);
  assert(tiledb_current_domain_set_ndrectangle(ctx, current, rectangle) == TILEDB_OK);
  assert(tiledb_ndrectangle_free(&rectangle) == TILEDB_OK);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
  return current;
}

/* It is one rectangle from here to there. */
static void is(tiledb_current_domain_t* current, int32_t first, int32_t last) {
  tiledb_current_domain_type_t type = (tiledb_current_domain_type_t)7;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_range_t range;
  uint32_t empty = 7;
  assert(tiledb_current_domain_get_is_empty(ctx, current, &empty) == TILEDB_OK && empty == 0);
  assert(tiledb_current_domain_get_type(ctx, current, &type) == TILEDB_OK && type == TILEDB_NDRECTANGLE);
  assert(tiledb_current_domain_get_ndrectangle(ctx, current, &rectangle) == TILEDB_OK);
  assert(tiledb_ndrectangle_get_range_from_name(ctx, rectangle, "x", &range) == TILEDB_OK);
  assert(*(const int32_t*)range.min == first && *(const int32_t*)range.max == last);
  assert(tiledb_ndrectangle_free(&rectangle) == TILEDB_OK);
}

static void alone(void) {
  tiledb_current_domain_t *empty = NULL, *current = make(11, 20);
  tiledb_current_domain_type_t type = (tiledb_current_domain_type_t)7;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_string_t* text = NULL;
  uint32_t is_empty = 7;
  is(current, 11, 20);
  assert(tiledb_current_domain_dump_str(ctx, current, &text) == TILEDB_OK);
  expect_string(text, "### Current domain ###\n- Version: 0\n- Empty: 0\n- Type: NDRECTANGLE\n - NDRectangle ###\n  - [11, 20]\n");
  assert(tiledb_current_domain_create(ctx, &empty) == TILEDB_OK);
  assert(tiledb_current_domain_get_is_empty(ctx, empty, &is_empty) == TILEDB_OK && is_empty == 1);
  assert(tiledb_current_domain_get_type(ctx, empty, &type) == TILEDB_ERR);
  expect("TileDB internal: It's not possible to read the type, this CurrentDomain instance is empty.");
  assert(tiledb_current_domain_get_ndrectangle(ctx, empty, &rectangle) == TILEDB_ERR && rectangle == NULL);
  expect("TileDB internal: It's not possible to get the ndrectangle from this current domain if one isn't set.");
  assert(tiledb_current_domain_dump_str(ctx, empty, &text) == TILEDB_OK);
  expect_string(text, "### Current domain ###\n- Version: 0\n- Empty: 1\n");
  assert(tiledb_current_domain_free(&empty) == TILEDB_OK && empty == NULL);
  assert(tiledb_current_domain_free(&current) == TILEDB_OK);
}

/* A current domain that no array can be created with is refused by the creation, not by the check of a schema, as in libtiledb. */
static void checked(void) {
  const int32_t outside[][2] = {{0, 20}, {11, 101}, {-5, 200}, {101, 110}, {-7, 0}};
  for (int type = 0; type < 2; type++) {
    tiledb_array_schema_t* schema = make_schema(type ? TILEDB_SPARSE : TILEDB_DENSE);
    tiledb_domain_t* domain = NULL;
    tiledb_ndrectangle_t* rectangle = NULL;
    for (int i = 0; i < 5; i++) {
      tiledb_current_domain_t* current = make(outside[i][0], outside[i][1]);
      assert(tiledb_array_schema_set_current_domain(ctx, schema, current) == TILEDB_OK);
      assert(tiledb_array_schema_check(ctx, schema) == TILEDB_OK);
      assert(tiledb_array_create(ctx, "mem://refused", schema) == TILEDB_ERR);
      expect("TileDB internal: This array current domain has ranges past the boundaries of the array schema domain: that of dimension 'x'");
      tiledb_current_domain_free(&current);
    }
    /* A rectangle without a range. */
    tiledb_current_domain_t* current = NULL;
    assert(tiledb_array_schema_get_domain(ctx, schema, &domain) == TILEDB_OK);
    assert(tiledb_ndrectangle_alloc(ctx, domain, &rectangle) == TILEDB_OK);
    assert(tiledb_current_domain_create(ctx, &current) == TILEDB_OK);
    assert(tiledb_current_domain_set_ndrectangle(ctx, current, rectangle) == TILEDB_OK);
    assert(tiledb_array_schema_set_current_domain(ctx, schema, current) == TILEDB_OK);
    assert(tiledb_array_schema_check(ctx, schema) == TILEDB_OK);
    assert(tiledb_array_create(ctx, "mem://refused", schema) == TILEDB_ERR);
    expect("TileDB internal: This current domain has no range specified for dimension idx: 0");
    tiledb_ndrectangle_free(&rectangle);
    tiledb_domain_free(&domain);
    tiledb_current_domain_free(&current);
    /* The whole domain, and a part. */
    for (int32_t last = 50; last <= 100; last += 50) {
      current = make(1, last);
      assert(tiledb_array_schema_set_current_domain(ctx, schema, current) == TILEDB_OK);
      assert(tiledb_array_schema_check(ctx, schema) == TILEDB_OK);
      tiledb_current_domain_free(&current);
    }
    tiledb_array_schema_free(&schema);
  }
}

static void create(void) {
  tiledb_array_schema_t* schema = make_schema(TILEDB_SPARSE);
  tiledb_current_domain_t* current = make(11, 20);
  assert(tiledb_array_schema_set_current_domain(ctx, schema, current) == TILEDB_OK);
  assert(tiledb_array_create(ctx, ARRAY, schema) == TILEDB_OK);
  tiledb_current_domain_free(&current);
  tiledb_array_schema_free(&schema);
}

/* The code of a write of one cell. */
static int32_t write_cell(int32_t x) {
  int32_t a = 5, code;
  uint64_t x_size = sizeof x, a_size = sizeof a;
  tiledb_array_t* array = open_array(ARRAY, TILEDB_WRITE, 0);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", &x, &x_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", &a, &a_size) == TILEDB_OK);
  code = tiledb_query_submit(ctx, query);
  tiledb_query_free(&query);
  close_array(&array);
  return code;
}

static int32_t evolve(int32_t first, int32_t last) {
  tiledb_array_schema_evolution_t* evolution = NULL;
  tiledb_current_domain_t* current = make(first, last);
  int32_t code;
  assert(tiledb_array_schema_evolution_alloc(ctx, &evolution) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_expand_current_domain(ctx, evolution, current) == TILEDB_OK);
  code = tiledb_array_evolve(ctx, ARRAY, evolution);
  tiledb_current_domain_free(&current);
  tiledb_array_schema_evolution_free(&evolution);
  return code;
}

static void stored_is(int32_t first, int32_t last) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_current_domain_t* current = NULL;
  assert(tiledb_array_schema_load(ctx, ARRAY, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_get_current_domain(ctx, schema, &current) == TILEDB_OK);
  is(current, first, last);
  tiledb_current_domain_free(&current);
  tiledb_array_schema_free(&schema);
}

int main(void) {
  int32_t a[100];
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  alone();
  checked();
  create();
  stored_is(11, 20);
  assert(write_cell(15) == TILEDB_OK);
  assert(write_cell(25) == TILEDB_ERR);
  expect("TileDB internal: ['UnorderedWriter::dowork]  (FragmentMetadata: Cells are written outside of the defined current "
         "domain. Coordinate 25 of dimension 'x' is outside of [11, 20])");
  assert(read_cells(ARRAY, 0, 11, 20, a) == 1 && a[0] == 5);

  /* It grows, and never shrinks. */
  assert(evolve(12, 20) == TILEDB_ERR);
  expect("ArraySchema: The current domain of an array can only be expanded, please adjust your new current domain object.");
  assert(evolve(11, 30) == TILEDB_OK);
  stored_is(11, 30);
  assert(write_cell(25) == TILEDB_OK);
  assert(read_cells(ARRAY, 0, 11, 30, a) == 2);
  tiledb_ctx_free(&ctx);
  return 0;
}
