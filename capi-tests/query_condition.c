/* Query conditions: comparisons, sets, null tests, combinations without end, and what deletes leave. */
#include "common.h"

#define CELLS 6

/* Cells 1 to 6 of a sparse array: an int32 "a" that is 10 times the coordinate, null in cell 4, strings "s", and "c" of three
 * characters. */
static void make_array(const char* uri) {
  tiledb_dimension_t* d = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t *a = NULL, *s = NULL, *c = NULL;
  tiledb_array_schema_t* schema = NULL;
  int32_t bounds[] = {1, 100}, extent = 10;
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, bounds, &extent, &d) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, d) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a) == TILEDB_OK);
  assert(tiledb_attribute_set_nullable(ctx, a, 1) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "s", TILEDB_STRING_ASCII, &s) == TILEDB_OK);
  assert(tiledb_attribute_set_cell_val_num(ctx, s, TILEDB_VAR_NUM) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "c", TILEDB_CHAR, &c) == TILEDB_OK);
  assert(tiledb_attribute_set_cell_val_num(ctx, c, 3) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, 2) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, a) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, s) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, c) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&a);
  tiledb_attribute_free(&s);
  tiledb_attribute_free(&c);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&d);
}

static tiledb_array_t* open_at(const char* uri, tiledb_query_type_t type, uint64_t time) {
  tiledb_array_t* array = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_set_open_timestamp_end(ctx, array, time) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, type) == TILEDB_OK);
  return array;
}

static void close_array(tiledb_array_t* array) {
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static void write_cells(const char* uri) {
  int32_t d[] = {1, 2, 3, 4, 5, 6}, a[] = {10, 20, 30, 40, 50, 60};
  uint8_t valid[] = {1, 1, 1, 0, 1, 1};
  char s[] = "redgreenbluered", c[] = "redblublueabluerot";
  uint64_t offsets[] = {0, 3, 8, 12, 12, 15};
  uint64_t c_size = 3 * CELLS, d_size = sizeof d, a_size = sizeof a, valid_size = sizeof valid, s_size = 15, offsets_size = sizeof offsets;
  tiledb_array_t* array = open_at(uri, TILEDB_WRITE, 1);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &d_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "a", valid, &valid_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "s", s, &s_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", offsets, &offsets_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "c", c, &c_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(array);
}

static tiledb_query_condition_t* compare(const char* field, const void* value, uint64_t size,
                                         tiledb_query_condition_op_t op) {
  tiledb_query_condition_t* cond = NULL;
  assert(tiledb_query_condition_alloc(ctx, &cond) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, cond, field, value, size, op) == TILEDB_OK);
  return cond;
}

static tiledb_query_condition_t* a_is(tiledb_query_condition_op_t op, int32_t value) {
  return compare("a", &value, sizeof value, op);
}

/* Both conditions, which are freed. */
static tiledb_query_condition_t* both(tiledb_query_condition_t* left, tiledb_query_condition_t* right,
                                      tiledb_query_condition_combination_op_t op) {
  tiledb_query_condition_t* combined = NULL;
  assert(tiledb_query_condition_combine(ctx, left, right, op, &combined) == TILEDB_OK);
  tiledb_query_condition_free(&left);
  tiledb_query_condition_free(&right);
  return combined;
}

static tiledb_query_condition_t* opposite(tiledb_query_condition_t* cond) {
  tiledb_query_condition_t* negated = NULL;
  assert(tiledb_query_condition_negate(ctx, cond, &negated) == TILEDB_OK);
  tiledb_query_condition_free(&cond);
  assert(cond == NULL);
  return negated;
}

/* The cells that meet a condition, which is freed, are those whose digits stand in `wanted`. */
static void expect_cells(const char* uri, uint64_t time, tiledb_query_condition_t* cond, const char* expected) {
  int32_t d[CELLS];
  uint64_t size = sizeof d;
  char actual[CELLS + 1] = "";
  tiledb_query_status_t status;
  tiledb_query_t* query = NULL;
  tiledb_array_t* array = open_at(uri, TILEDB_READ, time);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &size) == TILEDB_OK);
  if (cond != NULL)
    assert(tiledb_query_set_condition(ctx, query, cond) == TILEDB_OK);
  tiledb_query_condition_free(&cond);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == TILEDB_COMPLETED);
  for (uint64_t i = 0; i < size / sizeof *d; i++)
    actual[i] = (char)('0' + d[i]);
  if (strcmp(actual, expected) != 0)
    fprintf(stderr, "cells expected: %s, found: %s\n", expected, actual);
  assert(strcmp(actual, expected) == 0);
  tiledb_query_free(&query);
  close_array(array);
}

/* A read by a condition, which is freed, fails. */
static void expect_refused(const char* uri, tiledb_query_condition_t* cond, const char* text) {
  int32_t d[CELLS];
  uint64_t size = sizeof d;
  tiledb_query_t* query = NULL;
  tiledb_array_t* array = open_at(uri, TILEDB_READ, 2);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &size) == TILEDB_OK);
  assert(tiledb_query_set_condition(ctx, query, cond) == TILEDB_OK);
  tiledb_query_condition_free(&cond);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect(text);
  tiledb_query_free(&query);
  close_array(array);
}

static void test_comparisons(const char* uri) {
  expect_cells(uri, 2, NULL, "123456");
  expect_cells(uri, 2, a_is(TILEDB_LT, 30), "12");
  expect_cells(uri, 2, a_is(TILEDB_LE, 30), "123");
  expect_cells(uri, 2, a_is(TILEDB_GT, 30), "56");
  expect_cells(uri, 2, a_is(TILEDB_GE, 30), "356");
  expect_cells(uri, 2, a_is(TILEDB_EQ, 40), "");
  expect_cells(uri, 2, a_is(TILEDB_NE, 30), "1256");
  expect_cells(uri, 2, opposite(a_is(TILEDB_LT, 30)), "356");
  expect_cells(uri, 2, compare("a", NULL, 0, TILEDB_EQ), "4");
  expect_cells(uri, 2, compare("a", NULL, 0, TILEDB_NE), "12356");
  expect_cells(uri, 2, compare("s", "red", 3, TILEDB_EQ), "15");
  expect_cells(uri, 2, compare("s", "", 0, TILEDB_EQ), "46");
  expect_cells(uri, 2, compare("s", "green", 5, TILEDB_LE), "2346");
  int32_t five = 5;
  expect_cells(uri, 2, both(compare("d", &five, 4, TILEDB_LT), compare("s", "red", 3, TILEDB_NE), TILEDB_AND), "234");
  expect_cells(uri, 2, opposite(both(a_is(TILEDB_GT, 20), compare("s", "red", 3, TILEDB_NE), TILEDB_AND)), "125");
}

static void test_sets(const char* uri) {
  int32_t values[] = {20, 60, 99};
  uint64_t starts[] = {0, 4, 8}, words[] = {0, 3, 3};
  tiledb_query_condition_t* cond = NULL;
  assert(tiledb_query_condition_alloc_set_membership(ctx, "a", values, sizeof values, starts, sizeof starts, TILEDB_IN,
                                                     &cond) == TILEDB_OK);
  expect_cells(uri, 2, cond, "26");
  assert(tiledb_query_condition_alloc_set_membership(ctx, "a", values, sizeof values, starts, sizeof starts,
                                                     TILEDB_NOT_IN, &cond) == TILEDB_OK);
  expect_cells(uri, 2, cond, "135");
  /* "red", the empty string, and "blue". */
  assert(tiledb_query_condition_alloc_set_membership(ctx, "s", "redblue", 7, words, sizeof words, TILEDB_IN, &cond) ==
         TILEDB_OK);
  expect_cells(uri, 2, opposite(cond), "2");
  /* Empty strings alone: without bytes, with or without a pointer; libtiledb takes only the null pointer. */
  for (int null = 0; null < 2; null++) {
    for (uint64_t members = 1; members < 3; members++) {
      uint64_t empty[] = {0, 0};
      const char* data = null ? NULL : "";
      assert(tiledb_query_condition_alloc_set_membership(ctx, "s", data, 0, empty, members * 8, TILEDB_IN, &cond) == TILEDB_OK);
      expect_cells(uri, 2, cond, "46");
      assert(tiledb_query_condition_alloc_set_membership(ctx, "s", data, 0, empty, members * 8, TILEDB_NOT_IN, &cond) ==
             TILEDB_OK);
      expect_cells(uri, 2, cond, "1235");
      assert(tiledb_query_condition_alloc_set_membership(ctx, "c", data, 0, empty, members * 8, TILEDB_IN, &cond) == TILEDB_OK);
      expect_refused(uri, cond, "QueryCondition: Value node set member size mismatch: 3 != 0; a cell of 'c', of type CHAR, has 3 bytes");
    }
  }
  cond = NULL;
  assert(tiledb_query_condition_alloc_set_membership(ctx, "s", "", 0, words, 0, TILEDB_IN, &cond) == TILEDB_ERR && cond == NULL);
  expect("TileDB internal: ASTNodeVal set membership data size must be greater than zero when data is provided. Field: 's'");
  assert(tiledb_query_condition_alloc_set_membership(ctx, "s", "", 0, &words[1], 8, TILEDB_IN, &cond) == TILEDB_ERR &&
         cond == NULL);
}

/* Fixed text of type CHAR is compared as a whole with values of its size, with others by the first character, as in libtiledb. */
static void test_fixed_text(const char* uri) {
  const struct {
    const char* value;
    tiledb_query_condition_op_t op;
    const char* cells;
  } cases[] = {
      {"red", TILEDB_EQ, "1"},      {"red", TILEDB_NE, "23456"},  {"red", TILEDB_LT, "2345"}, {"red", TILEDB_LE, "12345"},
      {"red", TILEDB_GT, "6"},      {"red", TILEDB_GE, "16"},     {"r", TILEDB_EQ, "16"},     {"re", TILEDB_EQ, "16"},
      {"red ", TILEDB_NE, "2345"},  {"red ", TILEDB_LE, "123456"}, {"greenish", TILEDB_LT, "234"}, {"", TILEDB_EQ, ""},
      {"", TILEDB_GT, "123456"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_cells(uri, 2, compare("c", cases[i].value, strlen(cases[i].value), cases[i].op), cases[i].cells);
  expect_cells(uri, 2, opposite(both(a_is(TILEDB_EQ, 1), compare("c", "re", 2, TILEDB_NE), TILEDB_OR)), "16");
}

/* Conditions may be combined as often as memory allows. */
/* True where a is 10, in a tree of many levels. */
static tiledb_query_condition_t* a_is_10(int levels) {
  tiledb_query_condition_t* deep = a_is(TILEDB_EQ, 10);
  for (int i = 0; i < levels; i++) {
    deep = both(deep, a_is(TILEDB_EQ, i % 2 ? 10 : 99), i % 2 ? TILEDB_AND : TILEDB_OR);
    if (i % 3 == 0)
      deep = opposite(opposite(deep));
  }
  return deep;
}

static void test_depth(const char* uri) {
  expect_cells(uri, 2, a_is_10(200000), "1");
}

static void test_errors(const char* uri) {
  tiledb_query_condition_t *cond = NULL, *other = NULL;
  int32_t value = 1;
  assert(tiledb_query_condition_alloc(ctx, &cond) == TILEDB_OK);
  assert(tiledb_query_condition_combine(ctx, cond, cond, TILEDB_AND, &other) == TILEDB_ERR && other == NULL);
  assert(tiledb_query_condition_negate(ctx, cond, &other) == TILEDB_ERR && other == NULL);
  assert(tiledb_query_condition_init(ctx, cond, "a", NULL, 4, TILEDB_EQ) == TILEDB_ERR);
  expect("TileDB internal: Invalid query condition cannot be nullptr with non-zero size. To test 'a' for null pass a size of 0, not 4");
  assert(tiledb_query_condition_init(ctx, cond, "a", &value, 4, TILEDB_EQ) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, cond, "a", &value, 4, TILEDB_EQ) == TILEDB_ERR);
  expect("[TileDB::QueryCondition] Error: Cannot reinitialize query condition: allocate another one to compare 'a'");

  tiledb_array_t* array = open_at(uri, TILEDB_READ, 2);
  tiledb_query_t* query = NULL;
  int32_t d[CELLS];
  uint64_t size = sizeof d;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &size) == TILEDB_OK);
  assert(tiledb_query_set_condition(ctx, query, NULL) == TILEDB_ERR);
  expect("Error: Invalid TileDB query condition object");
  assert(tiledb_query_set_condition(ctx, query, cond) == TILEDB_OK);
  tiledb_query_condition_free(&cond);
  cond = compare("s", NULL, 0, TILEDB_EQ);
  assert(tiledb_query_set_condition(ctx, query, cond) == TILEDB_OK);
  tiledb_query_condition_free(&cond);
  cond = compare("a", "wrong", 5, TILEDB_EQ);
  assert(tiledb_query_set_condition(ctx, query, cond) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect("[TileDB::QueryCondition] Error: Value node condition value size mismatch: 4 != 5; a cell of 'a', of type INT32, has 4 bytes");
  tiledb_query_condition_free(&cond);
  tiledb_query_free(&query);
  close_array(array);
}

static void delete_cells(const char* uri, uint64_t time, tiledb_query_condition_t* cond) {
  tiledb_array_t* array = open_at(uri, TILEDB_DELETE, time);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect("Deletes: Cannot initialize deletes; One condition is needed: call tiledb_query_set_condition");
  assert(tiledb_query_set_condition(ctx, query, cond) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_condition_free(&cond);
  tiledb_query_free(&query);
  close_array(array);
}

/* A delete that is refused, and so deletes nothing; frees the condition. */
static void expect_no_delete(const char* uri, tiledb_query_condition_t* cond, const char* text) {
  tiledb_array_t* array = open_at(uri, TILEDB_DELETE, 2);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query) == TILEDB_OK);
  assert(tiledb_query_set_condition(ctx, query, cond) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect(text);
  tiledb_query_condition_free(&cond);
  tiledb_query_free(&query);
  close_array(array);
  expect_cells(uri, 2, NULL, "123456");
}

/* The condition of a text, with the schema of the array. */
static int32_t parse(const char* uri, const char* text, tiledb_query_condition_t** cond) {
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_array_schema_load(ctx, uri, &schema) == TILEDB_OK);
  int32_t code = tiledb_rs_query_condition_from_text(ctx, schema, text, cond);
  tiledb_array_schema_free(&schema);
  return code;
}

static void expect_texts(const char* uri) {
  const char* texts[][2] = {
      {"a > 20", "356"},
      {"d between 2 and 4 and not s = blue", "24"},
      {"a is null or a in (10, 60)", "146"},
      {"s in (red, '') && d <> 1", "456"},
      {"c == \"blu\" || a<20", "123"},
      {"not (a > 10 or a is null)", "1"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    tiledb_query_condition_t* cond = NULL;
    assert(parse(uri, texts[i][0], &cond) == TILEDB_OK);
    expect_cells(uri, 2, cond, texts[i][1]);
  }
  const char* wrong[][2] = {
      {"a >", "Condition: a value is missing after a (at byte 3)"},
      {"d = 1 and z = 2", "Condition: there is no field 'z'; there are: a, s, c, d (at byte 10)"},
      {"d = 1 and a = 1.5", "Condition on 'a': '1.5' cannot be represented as a value of datatype INT32 (at byte 14)"},
      {"c = bl", "Condition on 'c': its cells have 3 bytes, and the value 'bl', 2 bytes (at byte 4)"},
  };
  tiledb_query_condition_t* cond = NULL;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert(parse(uri, wrong[i][0], &cond) == TILEDB_ERR && cond == NULL);
    expect(wrong[i][1]);
  }
  assert(parse(uri, NULL, &cond) == TILEDB_ERR && cond == NULL);
  assert(tiledb_rs_query_condition_from_text(ctx, NULL, "a = 1", &cond) == TILEDB_ERR && cond == NULL);
}

static void expect_dates(void) {
  int64_t units = 7;
  assert(tiledb_rs_datetime_from_text(TILEDB_DATETIME_DAY, "2024-02-29", &units) == TILEDB_OK && units == 19782);
  assert(tiledb_rs_datetime_from_text(TILEDB_DATETIME_MS, "1970-01-01 00:00:01.25Z", &units) == TILEDB_OK && units == 1250);
  assert(tiledb_rs_datetime_from_text(TILEDB_DATETIME_DAY, "2023-02-29", &units) == TILEDB_ERR && units == 1250);
  assert(tiledb_rs_datetime_from_text(TILEDB_INT64, "2023", &units) == TILEDB_ERR);
  assert(tiledb_rs_datetime_from_text(TILEDB_DATETIME_DAY, "2024", NULL) == TILEDB_ERR);
}

static void test_deletes(const char* uri) {
  delete_cells(uri, 5, a_is(TILEDB_GE, 50));
  delete_cells(uri, 7, compare("s", "red", 3, TILEDB_EQ));
  expect_cells(uri, 4, NULL, "123456");
  expect_cells(uri, 5, NULL, "123"); /* every comparison deletes null cells, too, as in libtiledb */
  expect_cells(uri, 9, NULL, "23");
  expect_cells(uri, 9, a_is(TILEDB_LT, 30), "2");
  delete_cells(uri, 3, a_is_10(100000));
  expect_cells(uri, 2, NULL, "123456");
  expect_cells(uri, 4, NULL, "2356");
  /* Whole characters where a value has as many as a cell, the first one otherwise. */
  delete_cells(uri, 10, compare("c", "bxx", 3, TILEDB_EQ));
  delete_cells(uri, 10, compare("c", "x", 1, TILEDB_GT));
  expect_cells(uri, 10, NULL, "23");
  delete_cells(uri, 11, compare("c", "blu", 3, TILEDB_EQ));
  expect_cells(uri, 11, NULL, "");
  expect_no_delete(uri, compare("c", "blu", 3, TILEDB_LT),
                   "Deletes: Cannot delete by the order of 'c', of type CHAR with 3 characters: of a stored comparison only the first "
                   "character counts; compare with a set (TILEDB_IN), with one character, or delete by other fields");
  expect_no_delete(uri, opposite(compare("a", NULL, 0, TILEDB_EQ)),
                   "Deletes: Cannot delete the cells of which 'a' is not null, since null cells match no stored condition and would be "
                   "deleted, too: compare 'a' with a value, or delete by other fields");
}

int main(void) {
  const char* uri = "conditions";
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array(uri);
  write_cells(uri);
  test_comparisons(uri);
  test_sets(uri);
  test_fixed_text(uri);
  test_depth(uri);
  test_errors(uri);
  expect_texts(uri);
  expect_dates();
  test_deletes(uri);
  tiledb_ctx_free(&ctx);
  return 0;
}
