/* The chunk cache: small reads find again what they decoded; a scan over parts of all chunks does not fill it. */
#include "common.h"

/* 16 MiB in chunks of 64 KiB, of 16 rows each. */
enum { ROWS = 4096, COLUMNS = 512, EXTENT = 256, STEP = 16 };

static void make_array(const char* uri) {
  int32_t rows[] = {0, ROWS - 1}, columns[] = {0, COLUMNS - 1}, extents[] = {EXTENT, COLUMNS};
  tiledb_dimension_t* dimensions[2];
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_filter_t* filter = NULL;
  tiledb_filter_list_t* filters = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "r", TILEDB_INT32, rows, &extents[0], &dimensions[0]) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "c", TILEDB_INT32, columns, &extents[1], &dimensions[1]) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  for (int d = 0; d < 2; d++) {
    assert(tiledb_domain_add_dimension(ctx, domain, dimensions[d]) == TILEDB_OK);
    tiledb_dimension_free(&dimensions[d]);
  }
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT64, &attribute) == TILEDB_OK);
  assert(tiledb_filter_alloc(ctx, TILEDB_FILTER_LZ4, &filter) == TILEDB_OK);
  assert(tiledb_filter_list_alloc(ctx, &filters) == TILEDB_OK);
  assert(tiledb_filter_list_add_filter(ctx, filters, filter) == TILEDB_OK);
  assert(tiledb_attribute_set_filter_list(ctx, attribute, filters) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_filter_list_free(&filters);
  tiledb_filter_free(&filter);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
}

static tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type) {
  tiledb_array_t* array = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, type) == TILEDB_OK);
  return array;
}

static void write_all(const char* uri) {
  uint64_t size = sizeof(int64_t) * ROWS * COLUMNS;
  int64_t* cells = malloc(size);
  assert(cells != NULL);
  for (int64_t cell = 0; cell < (int64_t)ROWS * COLUMNS; cell++)
    cells[cell] = cell;
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
  free(cells);
}

/* Reads the first cells of each row in steps of some rows. */
static void read_rows(tiledb_array_t* array, int32_t step, int32_t columns) {
  uint64_t size = sizeof(int64_t) * (uint64_t)(ROWS / step) * (uint64_t)columns;
  int64_t* cells = malloc(size);
  int32_t first = 0, last = columns - 1;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  assert(cells != NULL && tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  for (int32_t row = 0; row < ROWS; row += step)
    assert(tiledb_subarray_add_range(ctx, subarray, 0, &row, &row, NULL) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 1, &first, &last, NULL) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  for (int32_t row = 0; row < ROWS / step; row++)
    for (int32_t column = 0; column < columns; column++)
      assert(cells[row * columns + column] == (int64_t)row * step * COLUMNS + column);
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  free(cells);
}

static uint64_t counter(const char* name) {
  char *text = NULL, key[100];
  snprintf(key, sizeof(key), "\"Context.ChunkCache.%s\": ", name);
  assert(tiledb_ctx_get_stats(ctx, &text) == TILEDB_OK);
  const char* entry = strstr(text, key);
  uint64_t value = entry == NULL ? 0 : strtoull(entry + strlen(key), NULL, 10);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK);
  return value;
}

int main(void) {
  const uint64_t chunk = 64 << 10, all = 16 << 20, scan_limit = 8 << 20;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array("a");
  write_all("a");
  tiledb_array_t* array = open_array("a", TILEDB_READ);

  /* One row of each chunk: half of the chunks are kept, and found again. */
  read_rows(array, STEP, COLUMNS);
  uint64_t cached = counter("size_byte_num");
  assert(cached > scan_limit / 2 && cached <= scan_limit + scan_limit / 4);
  assert(counter("hit_num") == 0 && counter("miss_num") == all / chunk);
  read_rows(array, STEP, COLUMNS);
  assert(counter("hit_num") >= scan_limit / chunk / 2);

  /* Few rows: everything is found. */
  read_rows(array, ROWS / 4, 3);
  uint64_t misses = counter("miss_num");
  read_rows(array, ROWS / 4, 3);
  assert(counter("miss_num") == misses);

  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
  tiledb_ctx_free(&ctx);
  return 0;
}
