/* A process with few descriptors writes, reads and consolidates arrays of many attributes: no file stays open for long. */
#include <sys/resource.h>

#include "arrays.h"

enum { CELLS = 6 };

static int wide = 120;

/* Attributes by turns of 32 bits, nullable, and nullable strings. */
static int kind(int attribute) {
  return attribute % 3;
}

static void name_of(int attribute, char* name) {
  sprintf(name, "a%d", attribute);
}

static void make_wide(const char* uri, tiledb_array_type_t type) {
  tiledb_array_schema_t* schema = make_schema(type);
  for (int i = 0; i < wide; i++) {
    char name[16];
    tiledb_attribute_t* attribute = NULL;
    name_of(i, name);
    assert(tiledb_attribute_alloc(ctx, name, kind(i) == 2 ? TILEDB_STRING_ASCII : TILEDB_INT32, &attribute) == TILEDB_OK);
    if (kind(i) == 2)
      assert(tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM) == TILEDB_OK);
    if (kind(i) > 0)
      assert(tiledb_attribute_set_nullable(ctx, attribute, 1) == TILEDB_OK);
    assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
    tiledb_attribute_free(&attribute);
  }
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
}

/* The cells of all attributes, to be written or read. */
typedef struct {
  int32_t x[CELLS], numbers[CELLS];
  char letters[CELLS];
  uint64_t starts[CELLS];
  uint8_t valid[CELLS];
  uint64_t x_size, numbers_size, letters_size, starts_size, valid_size;
} cells_t;

static void set_buffers(tiledb_query_t* query, cells_t* cells, int with_x) {
  cells->x_size = cells->numbers_size = sizeof cells->numbers;
  cells->letters_size = sizeof cells->letters;
  cells->starts_size = sizeof cells->starts;
  cells->valid_size = sizeof cells->valid;
  if (with_x)
    assert(tiledb_query_set_data_buffer(ctx, query, "x", cells->x, &cells->x_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells->numbers, &cells->numbers_size) == TILEDB_OK);
}

static void set_wide_buffer(tiledb_query_t* query, cells_t* cells, int attribute) {
  char name[16];
  name_of(attribute, name);
  if (kind(attribute) == 2) {
    assert(tiledb_query_set_data_buffer(ctx, query, name, cells->letters, &cells->letters_size) == TILEDB_OK);
    assert(tiledb_query_set_offsets_buffer(ctx, query, name, cells->starts, &cells->starts_size) == TILEDB_OK);
  } else {
    assert(tiledb_query_set_data_buffer(ctx, query, name, cells->numbers, &cells->numbers_size) == TILEDB_OK);
  }
  if (kind(attribute) > 0)
    assert(tiledb_query_set_validity_buffer(ctx, query, name, cells->valid, &cells->valid_size) == TILEDB_OK);
}

/* Cells of x from `first` on. */
static void fill(cells_t* cells, int32_t first) {
  for (int i = 0; i < CELLS; i++) {
    cells->x[i] = first + i;
    cells->numbers[i] = 10 * (first + i);
    cells->letters[i] = (char)('a' + first + i);
    cells->starts[i] = (uint64_t)i;
    cells->valid[i] = 1;
  }
}

static void submit(tiledb_query_t* query) {
  if (tiledb_query_submit(ctx, query) != TILEDB_OK) {
    expect("");
  }
}

/* Writes cells from `first` on, in global order with two submits. */
static void write_wide(const char* uri, tiledb_layout_t layout, int sparse, int32_t first) {
  cells_t cells;
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, (uint64_t)first);
  tiledb_query_t* query = NULL;
  if (sparse)
    assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  else
    query = make_query(array, TILEDB_WRITE, first, first + CELLS - 1);
  assert(tiledb_query_set_layout(ctx, query, layout) == TILEDB_OK);
  for (int submits = layout == TILEDB_GLOBAL_ORDER ? 2 : 1; submits > 0; submits--, first += CELLS) {
    fill(&cells, first);
    set_buffers(query, &cells, sparse);
    for (int i = 0; i < wide; i++)
      set_wide_buffer(query, &cells, i);
    submit(query);
  }
  assert(tiledb_query_finalize(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

/* Reads all attributes at once, each into buffers of its own. */
static void read_wide(const char* uri, int32_t first) {
  cells_t expected, *cells = calloc((size_t)wide + 1, sizeof *cells);
  fill(&expected, first);
  assert(cells != NULL);
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  tiledb_query_t* query = make_query(array, TILEDB_READ, first, first + CELLS - 1);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  set_buffers(query, &cells[wide], 0);
  for (int i = 0; i < wide; i++) {
    cells[i] = cells[wide];
    set_wide_buffer(query, &cells[i], i);
  }
  submit(query);
  for (int i = 0; i < wide; i++) {
    const cells_t* actual = &cells[i];
    if (kind(i) == 2) {
      assert(actual->letters_size == sizeof actual->letters && actual->starts_size == sizeof actual->starts);
      assert(memcmp(actual->letters, expected.letters, sizeof actual->letters) == 0);
    } else {
      assert(actual->numbers_size == sizeof actual->numbers);
      assert(memcmp(actual->numbers, expected.numbers, sizeof actual->numbers) == 0);
    }
    assert(kind(i) == 0 || memcmp(actual->valid, expected.valid, sizeof actual->valid) == 0);
  }
  tiledb_query_free(&query);
  close_array(&array);
  free(cells);
}

static void consolidate(const char* uri) {
  assert(tiledb_array_consolidate(ctx, uri, NULL) == TILEDB_OK);
  assert(tiledb_array_vacuum(ctx, uri, NULL) == TILEDB_OK);
  assert(fragments(uri) == 1);
}

int main(int argc, char** argv) {
  if (argc > 1)
    wide = atoi(argv[1]);
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  struct rlimit limit;
  assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = 32;
  assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);

  make_wide("sparse", TILEDB_SPARSE);
  write_wide("sparse", TILEDB_UNORDERED, 1, 1);
  write_wide("sparse", TILEDB_GLOBAL_ORDER, 1, 7);
  for (int round = 0; round < 2; round++) {
    for (int32_t first = 1; first < 18; first += CELLS)
      read_wide("sparse", first);
    if (round == 0)
      consolidate("sparse");
  }

  make_wide("dense", TILEDB_DENSE);
  write_wide("dense", TILEDB_ROW_MAJOR, 0, 1);
  write_wide("dense", TILEDB_ROW_MAJOR, 0, 7);
  read_wide("dense", 1);
  consolidate("dense");
  read_wide("dense", 7);
  tiledb_ctx_free(&ctx);
  return 0;
}
