/* Sparse queries: writes in any and in global order, reads in all orders, partial results, overlapping fragments,
   strings and null cells, errors. */
#include "common.h"

/* A 4 x 4 array in space tiles of 2 x 2, two cells per data tile, with int32 "a" and nullable strings "s". */
static void make_array(const char* uri, int dups) {
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
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, a) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, s) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, 2) == TILEDB_OK);
  assert(tiledb_array_schema_set_allows_dups(ctx, schema, dups) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&a);
  tiledb_attribute_free(&s);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&rows);
  tiledb_dimension_free(&cols);
}

/* Room for cells of all four fields, and how much of it is used. */
typedef struct {
  int32_t d1[16], d2[16], a[16];
  char s[64];
  uint64_t offsets[16];
  uint8_t valid[16];
  uint64_t d1_size, d2_size, a_size, s_size, offsets_size, valid_size;
} cells_t;

static void set_buffers(tiledb_query_t* query, cells_t* cells) {
  assert(tiledb_query_set_data_buffer(ctx, query, "d1", cells->d1, &cells->d1_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d2", cells->d2, &cells->d2_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells->a, &cells->a_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "s", cells->s, &cells->s_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", cells->offsets, &cells->offsets_size) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "s", cells->valid, &cells->valid_size) == TILEDB_OK);
}

/* Cells (d1, d2) with a = base + position; s is position times 'x', null where the position is odd. */
static void fill(cells_t* cells, int count, const int32_t (*coords)[2], int32_t base) {
  memset(cells, 0, sizeof *cells);
  for (int i = 0; i < count; i++) {
    cells->d1[i] = coords[i][0];
    cells->d2[i] = coords[i][1];
    cells->a[i] = base + i;
    cells->offsets[i] = cells->s_size;
    cells->valid[i] = i % 2 == 0;
    memset(cells->s + cells->s_size, 'x', i);
    cells->s_size += i;
  }
  cells->d1_size = cells->d2_size = cells->a_size = 4 * count;
  cells->offsets_size = 8 * count;
  cells->valid_size = count;
}

static tiledb_query_t* begin(
    const char* uri, tiledb_query_type_t type, tiledb_layout_t layout, tiledb_array_t** array) {
  tiledb_query_t* query = NULL;
  assert(tiledb_array_alloc(ctx, uri, array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, *array, type) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, *array, type, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, layout) == TILEDB_OK);
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

static int32_t write_cells(
    const char* uri, tiledb_layout_t layout, int count, const int32_t (*coords)[2], int32_t base) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = begin(uri, TILEDB_WRITE, layout, &array);
  cells_t cells;
  fill(&cells, count, coords, base);
  set_buffers(query, &cells);
  int32_t result = tiledb_query_submit(ctx, query);
  if (result == TILEDB_OK)
    assert(status_of(query) == TILEDB_COMPLETED && tiledb_query_finalize(ctx, query) == TILEDB_OK);
  end(query, array);
  return result;
}

static void read_all(tiledb_query_t* query, cells_t* cells) {
  memset(cells, 0, sizeof *cells);
  cells->d1_size = cells->d2_size = cells->a_size = sizeof cells->a;
  cells->s_size = sizeof cells->s;
  cells->offsets_size = sizeof cells->offsets;
  cells->valid_size = sizeof cells->valid;
  set_buffers(query, cells);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && status_of(query) == TILEDB_COMPLETED);
}

/* Reads a box (none: everything) and compares the values of "a". */
static void expect_values(
    const char* uri, tiledb_layout_t layout, const int32_t* box, int count, const int32_t* expected) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = begin(uri, TILEDB_READ, layout, &array);
  if (box) {
    tiledb_subarray_t* subarray = NULL;
    assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
    assert(tiledb_subarray_set_subarray(ctx, subarray, box) == TILEDB_OK);
    assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
    tiledb_subarray_free(&subarray);
  }
  cells_t cells;
  read_all(query, &cells);
  assert(cells.a_size == 4u * count && cells.d1_size == cells.a_size && cells.valid_size == (uint64_t)count);
  assert(count == 0 || memcmp(cells.a, expected, cells.a_size) == 0);
  end(query, array);
}

static const int32_t shuffled[][2] = {{4, 4}, {1, 3}, {2, 2}, {3, 1}, {1, 1}, {2, 1}};

static void test_orders(const char* uri) {
  make_array(uri, 0);
  expect_values(uri, TILEDB_UNORDERED, NULL, 0, NULL);
  assert(write_cells(uri, TILEDB_UNORDERED, 6, shuffled, 0) == TILEDB_OK);
  const int32_t global[] = {4, 5, 2, 1, 3, 0}, row[] = {4, 1, 5, 2, 3, 0}, col[] = {4, 5, 3, 2, 1, 0};
  expect_values(uri, TILEDB_GLOBAL_ORDER, NULL, 6, global);
  expect_values(uri, TILEDB_UNORDERED, NULL, 6, global);
  expect_values(uri, TILEDB_ROW_MAJOR, NULL, 6, row);
  expect_values(uri, TILEDB_COL_MAJOR, NULL, 6, col);
  expect_values(uri, TILEDB_ROW_MAJOR, (int32_t[]){1, 2, 1, 2}, 3, (int32_t[]){4, 5, 2});
  expect_values(uri, TILEDB_UNORDERED, (int32_t[]){4, 4, 1, 3}, 0, NULL);
  /* A later fragment replaces (2, 2) and adds (2, 3). */
  const int32_t later[][2] = {{2, 3}, {2, 2}};
  assert(write_cells(uri, TILEDB_UNORDERED, 2, later, 100) == TILEDB_OK);
  expect_values(uri, TILEDB_GLOBAL_ORDER, NULL, 7, (int32_t[]){4, 5, 101, 1, 100, 3, 0});
  expect_values(uri, TILEDB_COL_MAJOR, (int32_t[]){2, 2, 1, 4}, 3, (int32_t[]){5, 101, 100});
}

/* Buffers for two cells: the result comes in parts, with its strings and nulls. */
static void test_parts(const char* uri) {
  tiledb_array_t* array = NULL;
  make_array(uri, 0);
  assert(write_cells(uri, TILEDB_UNORDERED, 6, shuffled, 0) == TILEDB_OK);
  tiledb_query_t* query = begin(uri, TILEDB_READ, TILEDB_GLOBAL_ORDER, &array);
  const int32_t expected[] = {4, 5, 2, 1, 3, 0};
  cells_t cells;
  memset(&cells, 0, sizeof cells);
  cells.d1_size = cells.d2_size = cells.a_size = 8;
  cells.offsets_size = 16;
  cells.valid_size = 2;
  cells.s_size = 64;
  set_buffers(query, &cells);
  for (int part = 0; part < 3; part++) {
    assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
    assert(status_of(query) == (part < 2 ? TILEDB_INCOMPLETE : TILEDB_COMPLETED));
    assert(cells.a_size == 8 && memcmp(cells.a, expected + 2 * part, 8) == 0);
    assert(cells.offsets[0] == 0 && cells.offsets[1] == (uint64_t)cells.a[0]);
    assert(cells.s_size == (uint64_t)(cells.a[0] + cells.a[1]));
    assert(cells.valid[0] == (cells.a[0] % 2 == 0) && cells.valid[1] == (cells.a[1] % 2 == 0));
  }
  end(query, array);
  /* No room for the five bytes of the second string: one cell comes. */
  query = begin(uri, TILEDB_READ, TILEDB_GLOBAL_ORDER, &array);
  memset(&cells, 0, sizeof cells);
  cells.d1_size = cells.d2_size = cells.a_size = 8;
  cells.offsets_size = 16;
  cells.valid_size = 2;
  cells.s_size = 5;
  set_buffers(query, &cells);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK && status_of(query) == TILEDB_INCOMPLETE);
  assert(cells.a_size == 4 && cells.s_size == 4 && cells.offsets_size == 8 && cells.a[0] == 4);
  end(query, array);
}

/* Global order over several submits: tiles go on where the last submit ended. */
static void test_global(const char* uri) {
  const int32_t first[][2] = {{1, 1}, {2, 1}, {2, 2}}, second[][2] = {{1, 3}, {3, 1}, {4, 4}};
  tiledb_array_t* array = NULL;
  cells_t cells;
  make_array(uri, 0);
  tiledb_query_t* query = begin(uri, TILEDB_WRITE, TILEDB_GLOBAL_ORDER, &array);
  fill(&cells, 3, first, 0);
  set_buffers(query, &cells);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  fill(&cells, 3, second, 10);
  set_buffers(query, &cells);
  assert(tiledb_query_submit_and_finalize(ctx, query) == TILEDB_OK);
  end(query, array);
  expect_values(uri, TILEDB_GLOBAL_ORDER, NULL, 6, (int32_t[]){0, 1, 2, 10, 11, 12});

  query = begin(uri, TILEDB_WRITE, TILEDB_GLOBAL_ORDER, &array);
  fill(&cells, 3, second, 0);
  set_buffers(query, &cells);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  fill(&cells, 3, first, 0);
  set_buffers(query, &cells);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect("[TileDB::Writer] Error: Write failed; Coordinate (1, 1) comes before last written coordinate in the global "
         "order due to writes across tiles");
  end(query, array);
  /* What was begun is not seen. */
  expect_values(uri, TILEDB_GLOBAL_ORDER, NULL, 6, (int32_t[]){0, 1, 2, 10, 11, 12});
}

static void test_errors(const char* uri, const char* dups) {
  const int32_t outside[][2] = {{1, 1}, {9, 1}}, twice[][2] = {{1, 1}, {2, 2}, {1, 1}}, back[][2] = {{2, 2}, {1, 1}};
  tiledb_array_t* array = NULL;
  make_array(uri, 0);
  assert(write_cells(uri, TILEDB_UNORDERED, 2, outside, 0) == TILEDB_ERR);
  expect("[TileDB::Dimension] Error: Dimension: Coordinate 9 is out of domain bounds [1, 4] on dimension 'd1'");
  assert(write_cells(uri, TILEDB_UNORDERED, 3, twice, 0) == TILEDB_ERR);
  expect_begin("[TileDB::Writer] Error: Duplicate coordinates (1, 1) are not allowed");
  assert(write_cells(uri, TILEDB_GLOBAL_ORDER, 2, back, 0) == TILEDB_ERR);
  expect("[TileDB::Writer] Error: Write failed; Coordinates (2, 2) succeed (1, 1) in the global order");
  expect_values(uri, TILEDB_UNORDERED, NULL, 0, NULL);

  tiledb_query_t* query = begin(uri, TILEDB_WRITE, TILEDB_UNORDERED, &array);
  int32_t a[] = {1};
  uint64_t size = sizeof a;
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_ERR);
  expect_begin("[TileDB::Query] Error: Row-major and column-major writes are only possible for dense arrays: 'file:///");
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d1", a, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_ERR);
  expect("[TileDB::Query] Error: Writes expect all attributes (and coordinates in the sparse/unordered case) to be set: 's', 'd2' has no buffer");
  end(query, array);

  make_array(dups, 1);
  assert(write_cells(dups, TILEDB_UNORDERED, 3, twice, 0) == TILEDB_OK);
  assert(write_cells(dups, TILEDB_UNORDERED, 3, twice, 10) == TILEDB_OK);
  expect_values(dups, TILEDB_UNORDERED, NULL, 6, (int32_t[]){0, 2, 1, 10, 12, 11});
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  test_orders("orders");
  test_parts("parts");
  test_global("global");
  test_errors("unique", "dups");
  tiledb_ctx_free(&ctx);
  return 0;
}
