/* Subarrays are divided into parts with about as many cells each, which together have each cell once. */
#include "common.h"

enum { SIDE = 1 << 20, CELLS = 6000, WRITES = 6, PARTS = 16 };

static uint64_t state = 88172645463325252u;

/* Numbers from 0 to below n that are the same in every run. */
static uint64_t next(uint64_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % n;
}

static void make_array(const char* uri, tiledb_array_type_t type, int is_text) {
  int32_t domain[] = {0, SIDE - 1}, extent = type == TILEDB_DENSE ? 1 << 10 : SIDE;
  tiledb_dimension_t *x = NULL, *y = NULL;
  tiledb_domain_t* dom = NULL;
  tiledb_attribute_t* attr = NULL;
  tiledb_array_schema_t* schema = NULL;
  int32_t cols[] = {0, 3}, two = 2;
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, domain, &extent, &x) == TILEDB_OK);
  if (is_text)
    assert(tiledb_dimension_alloc(ctx, "y", TILEDB_STRING_ASCII, NULL, NULL, &y) == TILEDB_OK);
  else if (type == TILEDB_DENSE)
    assert(tiledb_dimension_alloc(ctx, "y", TILEDB_INT32, cols, &two, &y) == TILEDB_OK);
  else
    assert(tiledb_dimension_alloc(ctx, "y", TILEDB_INT32, domain, &extent, &y) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &dom) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, dom, x) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, dom, y) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT64, &attr) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, type, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, dom) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attr) == TILEDB_OK);
  if (type == TILEDB_SPARSE) {
    assert(tiledb_array_schema_set_capacity(ctx, schema, 50) == TILEDB_OK);
    assert(tiledb_array_schema_set_cell_order(ctx, schema, TILEDB_HILBERT) == TILEDB_OK);
    assert(tiledb_array_schema_set_allows_dups(ctx, schema, 1) == TILEDB_OK);
  }
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attr);
  tiledb_domain_free(&dom);
  tiledb_dimension_free(&x);
  tiledb_dimension_free(&y);
}

static tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type, uint64_t end) {
  tiledb_array_t* array = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  if (end)
    assert(tiledb_array_set_open_timestamp_end(ctx, array, end) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, type) == TILEDB_OK);
  return array;
}

static void close_array(tiledb_array_t* array) {
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static int32_t xs[CELLS], ys[CELLS];
static int64_t as[CELLS];
static char text[8 * CELLS];
static uint64_t offsets[CELLS];

/* Nine of ten cells lie in a thousandth of each side. */
static void write_cells(const char* uri, int is_text) {
  for (int write = 0; write < WRITES; write++) {
    for (int i = 0; i < CELLS; i++) {
      uint64_t side = next(10) ? SIDE / 1000 : SIDE;
      xs[i] = (int32_t)next(side);
      ys[i] = (int32_t)next(side);
      as[i] = write * CELLS + i;
      offsets[i] = 8 * (uint64_t)i;
      char name[16];
      snprintf(name, sizeof name, "%08d", ys[i]);
      memcpy(text + 8 * i, name, 8);
    }
    uint64_t size = sizeof xs, wide = sizeof as, chars = sizeof text, starts = sizeof offsets;
    tiledb_array_t* array = open_array(uri, TILEDB_WRITE, 10 + (uint64_t)write);
    tiledb_query_t* query = NULL;
    assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
    assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
    assert(tiledb_query_set_data_buffer(ctx, query, "x", xs, &size) == TILEDB_OK);
    if (is_text) {
      assert(tiledb_query_set_data_buffer(ctx, query, "y", text, &chars) == TILEDB_OK);
      assert(tiledb_query_set_offsets_buffer(ctx, query, "y", offsets, &starts) == TILEDB_OK);
    } else {
      assert(tiledb_query_set_data_buffer(ctx, query, "y", ys, &size) == TILEDB_OK);
    }
    assert(tiledb_query_set_data_buffer(ctx, query, "a", as, &wide) == TILEDB_OK);
    assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
    tiledb_query_free(&query);
    close_array(array);
  }
}

static int64_t values[WRITES * CELLS + 1];

/* Marks the cells of a subarray; gives how many there are. */
static uint64_t read_cells(
    tiledb_array_t* array, tiledb_subarray_t* subarray, tiledb_query_condition_t* condition, char* counts) {
  uint64_t size = sizeof values;
  tiledb_query_t* query = NULL;
  tiledb_query_status_t status;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  if (subarray)
    assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  if (condition)
    assert(tiledb_query_set_condition(ctx, query, condition) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", values, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == TILEDB_COMPLETED);
  for (uint64_t i = 0; i < size / 8; i++)
    counts[values[i]]++;
  tiledb_query_free(&query);
  return size / 8;
}

/* The parts have the cells of the whole, each once; gives the greatest part beside the mean one. */
static double check_parts(
    tiledb_array_t* array, tiledb_subarray_t* subarray, tiledb_query_condition_t* condition, uint64_t max_parts) {
  static char whole[WRITES * CELLS], parted[WRITES * CELLS];
  memset(whole, 0, sizeof whole);
  memset(parted, 0, sizeof parted);
  tiledb_subarray_t *parts[PARTS], *again[PARTS];
  uint64_t cells[PARTS], others[PARTS], count = 0, recount = 0, time = 0, most = 0, sum = 0;
  assert(
      tiledb_rs_subarray_partition(ctx, array, subarray, condition, max_parts, parts, cells, &count, &time) == TILEDB_OK);
  assert(count >= 1 && count <= max_parts && time > 0);
  assert(
      tiledb_rs_subarray_partition(ctx, array, subarray, condition, max_parts, again, others, &recount, NULL) == TILEDB_OK);
  assert(recount == count && memcmp(cells, others, count * sizeof cells[0]) == 0);
  uint64_t all = read_cells(array, subarray, condition, whole);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t own = read_cells(array, parts[i], condition, parted);
    sum += own;
    most = own > most ? own : most;
    tiledb_subarray_free(&parts[i]);
    tiledb_subarray_free(&again[i]);
  }
  assert(sum == all && memcmp(whole, parted, sizeof whole) == 0);
  printf("%llu parts of %llu cells: most %llu, ratio %.3f\n", (unsigned long long)count, (unsigned long long)all,
      (unsigned long long)most, all ? (double)most * (double)count / (double)all : 0.0);
  return all ? (double)most * (double)count / (double)all : 0.0;
}

/* Parts by the bytes of their results. */
static void check_bytes(tiledb_array_t* array, int is_text) {
  const uint64_t all = WRITES * CELLS * (is_text ? 4 + 8 + 8 + 8 : 4 + 4 + 8);
  const char* names[] = {"y", "a"};
  uint64_t parts = 0;
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, NULL, 0, all / 10, &parts) == TILEDB_OK && parts == 10);
  assert(check_parts(array, NULL, NULL, parts) <= 1.5);
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, NULL, 0, all, &parts) == TILEDB_OK && parts == 1);
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, NULL, 0, all - 1, &parts) == TILEDB_OK && parts == 2);
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, names, 2, all, &parts) == TILEDB_OK && parts == 1);
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, names, 2, CELLS, &parts) == TILEDB_OK);
  assert(parts == WRITES * (is_text ? 8 + 8 + 8 : 4 + 8));
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, names + 1, 1, CELLS, &parts) == TILEDB_OK);
  assert(parts == WRITES * 8);
  /* A part of it, under a condition that only the last write meets. */
  const int64_t from = (WRITES - 1) * CELLS;
  tiledb_query_condition_t* condition = NULL;
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, condition, "a", &from, sizeof from, TILEDB_GE) == TILEDB_OK);
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, condition, names + 1, 1, CELLS, &parts) == TILEDB_OK);
  assert(parts == 8);
  tiledb_query_condition_free(&condition);
  names[0] = "nothing";
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, names, 1, 10, &parts) == TILEDB_ERR);
  expect_within("has no field 'nothing'");
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, NULL, 0, 0, &parts) == TILEDB_ERR);
  expect("Partition: parts of 0 bytes are wanted; ask for 1 or more");
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, NULL, 0, 1, NULL) == TILEDB_ERR);
  assert(parts == 8);
}

static void check_sparse(const char* uri, int is_text) {
  make_array(uri, TILEDB_SPARSE, is_text);
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  assert(check_parts(array, NULL, NULL, PARTS) == 0.0);
  close_array(array);
  write_cells(uri, is_text);
  array = open_array(uri, TILEDB_READ, 0);
  /* Of equal parts of the space the first has nearly everything. */
  tiledb_subarray_t* subarray = NULL;
  static char counts[WRITES * CELLS];
  int32_t low = 0, high = SIDE / PARTS - 1;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 0, &low, &high, NULL) == TILEDB_OK);
  uint64_t first = read_cells(array, subarray, NULL, counts);
  assert(first * PARTS > 10u * WRITES * CELLS);
  tiledb_subarray_free(&subarray);
  assert(check_parts(array, NULL, NULL, PARTS) <= 1.5);
  assert(check_parts(array, NULL, NULL, 7) <= 1.5);
  assert(check_parts(array, NULL, NULL, 1) == 1.0);
  check_bytes(array, is_text);
  /* Several ranges. */
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  for (int32_t at = 5; at < 1000; at += 10) {
    high = at + 3;
    assert(tiledb_subarray_add_range(ctx, subarray, 0, &at, &high, NULL) == TILEDB_OK);
  }
  assert(check_parts(array, subarray, NULL, 8) <= 1.5);
  tiledb_subarray_free(&subarray);
  /* Of the last write only: tiles of the others do not count. */
  int64_t from = (WRITES - 1) * CELLS;
  tiledb_query_condition_t* condition = NULL;
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, condition, "a", &from, sizeof from, TILEDB_GE) == TILEDB_OK);
  assert(check_parts(array, NULL, condition, 8) <= 1.5);
  tiledb_query_condition_free(&condition);
  close_array(array);
  /* The same at an earlier time. */
  array = open_array(uri, TILEDB_READ, 12);
  assert(check_parts(array, NULL, NULL, PARTS) <= 1.5);
  close_array(array);
}

static void check_dense(const char* uri) {
  make_array(uri, TILEDB_DENSE, 0);
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  tiledb_subarray_t* parts[8];
  uint64_t cells[8], count = 0;
  assert(tiledb_rs_subarray_partition(ctx, array, NULL, NULL, 8, parts, cells, &count, NULL) == TILEDB_OK);
  assert(count == 8);
  for (int i = 0; i < 8; i++) {
    const void *low, *high, *stride;
    assert(tiledb_subarray_get_range(ctx, parts[i], 0, 0, &low, &high, &stride) == TILEDB_OK);
    assert(*(const int32_t*)low % 1024 == 0 && (*(const int32_t*)high + 1) % 1024 == 0);
    assert(cells[i] == SIDE / 8 * 4);
    tiledb_subarray_free(&parts[i]);
  }
  assert(tiledb_rs_subarray_part_count(ctx, array, NULL, NULL, NULL, 0, SIDE, &count) == TILEDB_OK && count == 4 * 8);
  close_array(array);
}

typedef struct {
  uint64_t tiles[3], fragments;
  char fragment[200];
  int stop_at, answer;
} Looks;

static int32_t look(const char* fragment, uint64_t tile, int32_t verdict, void* data) {
  Looks* looks = data;
  assert(verdict >= 0 && verdict <= 2 && tile < WRITES * CELLS);
  if (strncmp(looks->fragment, fragment, sizeof looks->fragment) != 0) {
    assert(strlen(fragment) < sizeof looks->fragment);
    strcpy(looks->fragment, fragment);
    looks->fragments++;
  }
  looks->tiles[verdict]++;
  return --looks->stop_at == 0 ? looks->answer : 1;
}

/* Which tiles a read looks at, with and without a condition. */
static void check_tiles(void) {
  tiledb_array_t* array = open_array("numbers", TILEDB_READ, 0);
  Looks looks = {0};
  assert(tiledb_rs_subarray_tiles(ctx, array, NULL, NULL, look, &looks) == TILEDB_OK);
  assert(looks.fragments == WRITES && looks.tiles[2] == WRITES * CELLS / 50 && looks.tiles[0] + looks.tiles[1] == 0);
  /* "a" ascends from write to write, and lies anyhow in the tiles of one. */
  const int64_t from = (WRITES - 1) * CELLS + CELLS / 2;
  tiledb_query_condition_t* condition = NULL;
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, condition, "a", &from, sizeof from, TILEDB_GE) == TILEDB_OK);
  looks = (Looks){0};
  assert(tiledb_rs_subarray_tiles(ctx, array, NULL, condition, look, &looks) == TILEDB_OK);
  assert(looks.tiles[0] == (WRITES - 1) * CELLS / 50 && looks.tiles[1] > 0);
  assert(looks.tiles[0] + looks.tiles[1] + looks.tiles[2] == WRITES * CELLS / 50);
  /* Of a part of the space fewer. */
  tiledb_subarray_t* subarray = NULL;
  const int32_t low = SIDE / 2, high = SIDE - 1;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 0, &low, &high, NULL) == TILEDB_OK);
  looks = (Looks){0};
  assert(tiledb_rs_subarray_tiles(ctx, array, subarray, NULL, look, &looks) == TILEDB_OK);
  assert(looks.tiles[2] > 0 && looks.tiles[2] < WRITES * CELLS / 50 / 4);
  /* Stopped, and with an error. */
  looks = (Looks){.stop_at = 3};
  assert(tiledb_rs_subarray_tiles(ctx, array, NULL, NULL, look, &looks) == TILEDB_OK && looks.tiles[2] == 3);
  looks = (Looks){.stop_at = 3, .answer = -1};
  assert(tiledb_rs_subarray_tiles(ctx, array, NULL, NULL, look, &looks) == TILEDB_ERR);
  expect_within("tiledb_rs_subarray_tiles: the callback returned an error at tile");
  assert(tiledb_rs_subarray_tiles(ctx, array, NULL, NULL, NULL, &looks) == TILEDB_ERR);
  tiledb_subarray_free(&subarray);
  tiledb_query_condition_free(&condition);
  close_array(array);
  /* A dense array: the tiles that were written, of which the second column of them is asked for. */
  array = open_array("dense", TILEDB_WRITE, 0);
  int64_t values[4 * 2048];
  uint64_t size = sizeof values;
  for (int i = 0; i < 4 * 2048; i++)
    values[i] = i;
  const int32_t rows[] = {0, 2047}, cols[] = {0, 3}, right[] = {2, 3};
  tiledb_query_t* query = NULL;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 0, &rows[0], &rows[1], NULL) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 1, &cols[0], &cols[1], NULL) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", values, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  close_array(array);
  array = open_array("dense", TILEDB_READ, 0);
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 1, &right[0], &right[1], NULL) == TILEDB_OK);
  const int64_t least = 4 * 1024;
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, condition, "a", &least, sizeof least, TILEDB_GE) == TILEDB_OK);
  looks = (Looks){0};
  assert(tiledb_rs_subarray_tiles(ctx, array, NULL, NULL, look, &looks) == TILEDB_OK);
  assert(looks.fragments == 1 && looks.tiles[2] == 4);
  looks = (Looks){0};
  assert(tiledb_rs_subarray_tiles(ctx, array, subarray, condition, look, &looks) == TILEDB_OK);
  assert(looks.tiles[0] == 1 && looks.tiles[1] == 0 && looks.tiles[2] == 1);
  tiledb_query_condition_free(&condition);
  tiledb_subarray_free(&subarray);
  close_array(array);
}

static void check_errors(const char* uri) {
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  tiledb_subarray_t* part = NULL;
  uint64_t count = 7;
  assert(tiledb_rs_subarray_partition(ctx, NULL, NULL, NULL, 1, &part, NULL, &count, NULL) == TILEDB_ERR);
  assert(tiledb_rs_subarray_partition(ctx, array, NULL, NULL, 0, &part, NULL, &count, NULL) == TILEDB_ERR);
  assert(tiledb_rs_subarray_partition(ctx, array, NULL, NULL, 1, NULL, NULL, &count, NULL) == TILEDB_ERR);
  assert(tiledb_rs_subarray_partition(ctx, array, NULL, NULL, 1, &part, NULL, NULL, NULL) == TILEDB_ERR);
  assert(part == NULL && count == 7);
  close_array(array);
  array = open_array(uri, TILEDB_WRITE, 0);
  assert(tiledb_rs_subarray_partition(ctx, array, NULL, NULL, 1, &part, NULL, &count, NULL) == TILEDB_ERR);
  close_array(array);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  check_sparse("numbers", 0);
  check_sparse("texts", 1);
  check_dense("dense");
  check_tiles();
  check_errors("numbers");
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
