/* Cells that are older than an attribute: conditions find them by what is read of them, before and after a consolidation. What was
   dropped comes back under a new attribute of the same name, unless its values would have other labels. */
#include "arrays.h"

static const char* uri = "mem://evolved";

static void evolve(uint64_t time, const char* dropped, tiledb_attribute_t* added, tiledb_enumeration_t* values) {
  tiledb_array_schema_evolution_t* evolution = NULL;
  assert(tiledb_array_schema_evolution_alloc(ctx, &evolution) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_set_timestamp_range(ctx, evolution, time, time) == TILEDB_OK);
  if (dropped != NULL)
    assert(tiledb_array_schema_evolution_drop_attribute(ctx, evolution, dropped) == TILEDB_OK);
  if (dropped != NULL && values != NULL)
    assert(tiledb_array_schema_evolution_drop_enumeration(ctx, evolution, "E") == TILEDB_OK);
  if (added != NULL && values != NULL)
    assert(tiledb_array_schema_evolution_add_enumeration(ctx, evolution, values) == TILEDB_OK);
  if (added != NULL)
    assert(tiledb_array_schema_evolution_add_attribute(ctx, evolution, added) == TILEDB_OK);
  assert(tiledb_array_evolve(ctx, uri, evolution) == TILEDB_OK);
  tiledb_array_schema_evolution_free(&evolution);
}

static tiledb_attribute_t* make_attribute(const char* name, tiledb_datatype_t type, int nullable) {
  tiledb_attribute_t* attribute = NULL;
  assert(tiledb_attribute_alloc(ctx, name, type, &attribute) == TILEDB_OK);
  assert(tiledb_attribute_set_nullable(ctx, attribute, (uint8_t)nullable) == TILEDB_OK);
  return attribute;
}

/* The coordinates of the cells that meet a condition: bit x is set. */
static uint32_t select_cells(tiledb_query_condition_t* condition) {
  int32_t x[32];
  uint64_t size = sizeof x;
  uint32_t selected = 0;
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  tiledb_query_t* query = make_query(array, TILEDB_READ, 1, 31);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &size) == TILEDB_OK);
  assert(tiledb_query_set_condition(ctx, query, condition) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  for (uint64_t i = 0; i < size / sizeof *x; i++)
    selected |= 1u << x[i];
  tiledb_query_free(&query);
  close_array(&array);
  return selected;
}

static tiledb_query_condition_t* compare(const char* field, const int32_t* value, tiledb_query_condition_op_t operator) {
  tiledb_query_condition_t* condition = NULL;
  uint64_t start = 0;
  if (operator == TILEDB_IN || operator == TILEDB_NOT_IN) {
    assert(
        tiledb_query_condition_alloc_set_membership(
            ctx, field, value, sizeof *value, &start, sizeof start, operator, &condition) == TILEDB_OK);
    return condition;
  }
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  uint64_t size = value == NULL ? 0 : sizeof *value;
  assert(tiledb_query_condition_init(ctx, condition, field, value, size, operator) == TILEDB_OK);
  return condition;
}

/* Cells 1 and 2 are older than "n", which is nullable, and "w", which is not; 3 has 7 and 5; 4 has null and 6. */
static void make_evolved(void) {
  make_array(uri, TILEDB_SPARSE);
  write_cells(uri, TILEDB_SPARSE, 1, 1, 2, 10);
  tiledb_attribute_t *n = make_attribute("n", TILEDB_INT32, 1), *w = make_attribute("w", TILEDB_INT32, 0);
  evolve(2, NULL, n, NULL);
  evolve(3, NULL, w, NULL);
  tiledb_attribute_free(&n);
  tiledb_attribute_free(&w);
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, 4);
  int32_t x[2], a[] = {30, 40}, of_n[] = {7, 0}, of_w[] = {5, 6};
  uint8_t valid[] = {1, 0};
  uint64_t size = sizeof a, x_size = 0, valid_size = sizeof valid;
  tiledb_query_t* query = make_write(array, TILEDB_SPARSE, 3, 4, x, &x_size);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "n", of_n, &size) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "n", valid, &valid_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "w", of_w, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

static void check_conditions(void) {
  const int32_t seven = 7, eight = 8, five = 5, six = 6, fill = INT32_MIN;
  const struct {
    const char* field;
    const int32_t* value;
    tiledb_query_condition_op_t operator;
    uint32_t selected;
  } cases[] = {
      {"n", NULL, TILEDB_EQ, 1 << 1 | 1 << 2 | 1 << 4},
      {"n", NULL, TILEDB_NE, 1 << 3},
      {"n", &seven, TILEDB_EQ, 1 << 3},
      {"n", &seven, TILEDB_NE, 0},
      {"n", &eight, TILEDB_LT, 1 << 3},
      {"n", &fill, TILEDB_EQ, 0},
      {"n", &seven, TILEDB_IN, 1 << 3},
      {"n", &eight, TILEDB_NOT_IN, 1 << 3},
      {"w", &fill, TILEDB_EQ, 1 << 1 | 1 << 2},
      {"w", &fill, TILEDB_NE, 1 << 3 | 1 << 4},
      {"w", &six, TILEDB_LT, 1 << 1 | 1 << 2 | 1 << 3},
      {"w", &five, TILEDB_GE, 1 << 3 | 1 << 4},
      {"w", &five, TILEDB_NOT_IN, 1 << 1 | 1 << 2 | 1 << 4},
      {"w", &fill, TILEDB_IN, 1 << 1 | 1 << 2},
  };
  for (int consolidated = 0; consolidated < 2; consolidated++) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      tiledb_query_condition_t *condition = compare(cases[i].field, cases[i].value, cases[i].operator), *both = NULL;
      assert(select_cells(condition) == cases[i].selected);
      int32_t least = 20;
      tiledb_query_condition_t* old = compare("a", &least, TILEDB_LE);
      assert(tiledb_query_condition_combine(ctx, condition, old, TILEDB_AND, &both) == TILEDB_OK);
      assert(select_cells(both) == (cases[i].selected & (1 << 1 | 1 << 2)));
      tiledb_query_condition_free(&both);
      assert(tiledb_query_condition_combine(ctx, condition, old, TILEDB_OR, &both) == TILEDB_OK);
      assert(select_cells(both) == (cases[i].selected | 1 << 1 | 1 << 2));
      tiledb_query_condition_free(&both);
      tiledb_query_condition_free(&old);
      tiledb_query_condition_free(&condition);
    }
    assert(tiledb_array_consolidate(ctx, uri, NULL) == TILEDB_OK);
    assert(tiledb_array_vacuum(ctx, uri, NULL) == TILEDB_OK && fragments(uri) == 1);
  }
}

/* Deletes the cells that meet a condition, which is freed. */
static void delete_where(uint64_t time, tiledb_query_condition_t* condition) {
  tiledb_array_t* array = open_array(uri, TILEDB_DELETE, time);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query) == TILEDB_OK);
  assert(tiledb_query_set_condition(ctx, query, condition) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(&array);
}

/* Deletes by a condition; which of the cells 1 to 4 are left. */
static uint32_t delete_cells(const char* field, const int32_t* value, tiledb_query_condition_op_t operator) {
  int32_t all = 0;
  assert(tiledb_object_remove(ctx, uri) == TILEDB_OK);
  make_evolved();
  delete_where(5, compare(field, value, operator));
  tiledb_query_condition_t* condition = compare("a", &all, TILEDB_GE);
  uint32_t left = select_cells(condition);
  assert(tiledb_array_consolidate(ctx, uri, NULL) == TILEDB_OK && select_cells(condition) == left);
  tiledb_query_condition_free(&condition);
  return left;
}

static tiledb_enumeration_t* make_values(const char* texts) {
  tiledb_enumeration_t* values = NULL;
  uint64_t starts[] = {0, 1};
  assert(
      tiledb_enumeration_alloc(
          ctx, "E", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0, texts, 2, starts, sizeof starts, &values) == TILEDB_OK);
  return values;
}

/* What is read of "e" at a cell, in a window of time (0: no start, no end); 99 if there is no such cell. */
static int8_t read_e(int32_t x, uint64_t start, uint64_t end) {
  int8_t e[4] = {99, 99, 99, 99};
  uint64_t size = sizeof e;
  tiledb_array_t* array = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_set_open_timestamp_start(ctx, array, start) == TILEDB_OK);
  if (end > 0)
    assert(tiledb_array_set_open_timestamp_end(ctx, array, end) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  tiledb_query_t* query = make_query(array, TILEDB_READ, x, x);
  assert(tiledb_query_set_data_buffer(ctx, query, "e", e, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && size <= 1);
  tiledb_query_free(&query);
  close_array(&array);
  return e[0];
}

static int has_e(uint64_t time) {
  int32_t has = 0;
  tiledb_array_schema_t* schema = NULL;
  tiledb_array_t* array = open_array(uri, TILEDB_READ, time);
  assert(tiledb_array_get_schema(ctx, array, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_has_attribute(ctx, schema, "e", &has) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  close_array(&array);
  return has;
}

static uint32_t select_label(const char* label) {
  tiledb_query_condition_t* condition = NULL;
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, condition, "e", label, 1, TILEDB_EQ) == TILEDB_OK);
  uint32_t selected = select_cells(condition);
  tiledb_query_condition_free(&condition);
  return selected;
}

/* Writes the cells from one to another: "e" grows by a step. */
static void write_all_e(
    tiledb_array_type_t type, uint64_t time, int32_t first, int32_t last, int8_t value, int8_t step) {
  int32_t x[10], a[10];
  int8_t e[10];
  uint64_t e_size = (uint64_t)(last - first + 1), size = e_size * sizeof *a, x_size = 0;
  for (int32_t i = 0; i <= last - first; i++) {
    a[i] = 1;
    e[i] = (int8_t)(value + i * step);
  }
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, time);
  tiledb_query_t* query = make_write(array, type, first, last, x, &x_size);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "e", e, &e_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

static void write_e(tiledb_array_type_t type, uint64_t time, int32_t x, int8_t e) {
  write_all_e(type, time, x, x, e, 0);
}

static void delete_e(uint64_t time, int8_t e) {
  tiledb_query_condition_t* condition = NULL;
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, condition, "e", &e, 1, TILEDB_EQ) == TILEDB_OK);
  assert(tiledb_query_condition_set_use_enumeration(ctx, condition, 0) == TILEDB_OK);
  delete_where(time, condition);
}

/* The greatest "e" of some cells. */
static int8_t greatest_e(int32_t first, int32_t last) {
  int8_t greatest = 99;
  uint64_t size = sizeof greatest;
  const tiledb_channel_operator_t* operator = NULL;
  tiledb_query_channel_t* channel = NULL;
  tiledb_channel_operation_t* operation = NULL;
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  tiledb_query_t* query = make_query(array, TILEDB_READ, first, last);
  assert(tiledb_query_get_default_channel(ctx, query, &channel) == TILEDB_OK);
  assert(tiledb_channel_operator_max_get(ctx, &operator) == TILEDB_OK);
  assert(tiledb_create_unary_aggregate(ctx, query, operator, "e", &operation) == TILEDB_OK);
  assert(tiledb_channel_apply_aggregate(ctx, channel, "greatest", operation) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "greatest", &greatest, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_aggregate_free(ctx, &operation);
  tiledb_query_channel_free(ctx, &channel);
  tiledb_query_free(&query);
  close_array(&array);
  return greatest;
}

/* What was stored before "e" was dropped, as of a time, and what there is afterwards. */
static void check_windows(tiledb_array_type_t type, int8_t old) {
  const int8_t none = type == TILEDB_DENSE ? INT8_MIN : 99;
  /* Up to a time before the drop it is what was stored then. */
  assert(has_e(2) && read_e(1, 0, 2) == 0 && read_e(2, 0, 2) == none);
  assert(read_e(1, 2, 2) == 0);
  /* Between the drop and the new attribute there is none. */
  assert(!has_e(3));
  /* The new attribute has what was written since, and the old values if these have the same labels. */
  assert(has_e(4) && read_e(1, 0, 4) == old);
  assert(read_e(1, 0, 7) == old && read_e(2, 0, 7) == 0);
  assert(read_e(1, 0, 0) == old && read_e(2, 0, 0) == 0);
  /* Without the old fragments. */
  assert(read_e(1, 3, 0) == none && read_e(2, 3, 0) == 0);
}

/* "e" is dropped and added again, with another enumeration or without one. */
static void check_dropped(tiledb_array_type_t type, int has_values) {
  const int sparse = type == TILEDB_SPARSE;
  const int8_t old = has_values ? INT8_MIN : 0;
  assert(tiledb_object_remove(ctx, uri) == TILEDB_OK);
  make_array(uri, type);
  tiledb_enumeration_t *values = has_values ? make_values("xy") : NULL, *others = has_values ? make_values("pq") : NULL;
  tiledb_attribute_t* e = make_attribute("e", TILEDB_INT8, 0);
  if (has_values)
    assert(tiledb_attribute_set_enumeration_name(ctx, e, "E") == TILEDB_OK);
  evolve(1, NULL, e, values);
  write_e(type, 2, 1, 0);
  if (sparse) {
    write_e(type, 2, 5, 1);
    write_all_e(type, 2, 7, 8, 0, 1);
    /* What it deleted stays deleted. */
    delete_e(2, 1);
    assert(!has_values || select_label("x") == (1 << 1 | 1 << 7));
  } else {
    write_all_e(type, 2, 11, 20, 1, 0);
  }
  assert(read_e(1, 0, 0) == 0);
  evolve(3, "e", NULL, values);
  evolve(4, NULL, e, others);
  evolve(5, "a", NULL, NULL);
  tiledb_attribute_t* a = make_attribute("a", TILEDB_INT32, 0);
  evolve(6, NULL, a, NULL);
  /* Aggregates are those of the values that are read. */
  assert(greatest_e(1, 1) == old);
  assert(sparse || greatest_e(11, 20) == (has_values ? INT8_MIN : 1));
  write_e(type, 7, 2, 0);
  /* Consolidated twice, the second time what the first made, then without what was merged. */
  for (int merges = 0; merges < 4; merges++) {
    int32_t of_a[2], gone;
    assert(read_cells(uri, 0, 1, 2, of_a) == 2);
    assert(of_a[0] == 1 && of_a[1] == 1);
    assert(!sparse || (read_cells(uri, 0, 5, 5, &gone) == 0 && read_cells(uri, 0, 8, 8, &gone) == 0));
    assert(!sparse || read_e(7, 0, 0) == old);
    assert(!sparse || !has_values || select_label("p") == 1 << 2);
    if (merges < 3) {
      check_windows(type, old);
      if (merges == 1)
        write_e(type, 8, 3, 1);
      assert(tiledb_array_consolidate(ctx, uri, NULL) == TILEDB_OK);
    } else {
      assert(fragments(uri) == 1 && read_e(3, 0, 0) == 1);
      assert(tiledb_array_vacuum(ctx, uri, NULL) == TILEDB_OK);
      assert(read_e(1, 0, 0) == old && read_e(2, 0, 0) == 0);
    }
  }
  tiledb_attribute_free(&a);
  tiledb_attribute_free(&e);
  if (has_values) {
    tiledb_enumeration_free(&values);
    tiledb_enumeration_free(&others);
  }
}

/* What was deleted by "e" stays deleted when another "e" has cells of another size, and nothing else goes. */
static void check_deleted(void) {
  assert(tiledb_object_remove(ctx, uri) == TILEDB_OK);
  make_array(uri, TILEDB_SPARSE);
  tiledb_attribute_t *e = make_attribute("e", TILEDB_INT8, 0), *wide = make_attribute("e", TILEDB_INT64, 0);
  evolve(1, NULL, e, NULL);
  write_e(TILEDB_SPARSE, 2, 1, 0);
  write_e(TILEDB_SPARSE, 2, 5, 1);
  delete_e(2, 1);
  evolve(3, "e", NULL, NULL);
  evolve(4, NULL, wide, NULL);
  for (int consolidated = 0; consolidated < 2; consolidated++) {
    int32_t of_a;
    assert(read_cells(uri, 0, 5, 5, &of_a) == 0 && read_cells(uri, 0, 1, 1, &of_a) == 1);
    assert(tiledb_array_consolidate(ctx, uri, NULL) == TILEDB_OK);
  }
  tiledb_attribute_free(&e);
  tiledb_attribute_free(&wide);
}

int main(void) {
  const int32_t seven = 7, fill = INT32_MIN;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_evolved();
  check_conditions();
  assert(delete_cells("n", NULL, TILEDB_EQ) == 1 << 3);
  /* Every comparison deletes null cells and cells older than the attribute, too, as in libtiledb. */
  assert(delete_cells("n", &seven, TILEDB_EQ) == 0);
  assert(delete_cells("w", &fill, TILEDB_EQ) == (1 << 3 | 1 << 4));
  assert(delete_cells("w", &seven, TILEDB_EQ) == (1 << 3 | 1 << 4));
  for (int has_values = 0; has_values < 2; has_values++) {
    check_dropped(TILEDB_SPARSE, has_values);
    check_dropped(TILEDB_DENSE, has_values);
  }
  check_deleted();
  tiledb_ctx_free(&ctx);
  return 0;
}
