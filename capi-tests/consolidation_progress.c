/* A consolidation tells how far it has come, and is stopped by its callback or from another thread. */
#include "arrays.h"

#include <pthread.h>
#include <stdatomic.h>
#include <tiledb/tiledb_rs.h>

enum { CELLS = 1 << 20 };
static const char* uri = "mem://consolidated";

static void make_large_array(void) {
  int32_t domain[] = {0, 2 * CELLS - 1}, extent = CELLS;
  tiledb_dimension_t* dim = NULL;
  tiledb_domain_t* dom = NULL;
  tiledb_attribute_t* attr = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, domain, &extent, &dim) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &dom) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, dom, dim) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT64, &attr) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, dom) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attr) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attr);
  tiledb_domain_free(&dom);
  tiledb_dimension_free(&dim);
}

/* Writes a fragment of every second cell. */
static void write_every_second(int32_t first) {
  int32_t* d = malloc(CELLS * sizeof *d);
  int64_t* a = malloc(CELLS * sizeof *a);
  uint64_t d_size = CELLS * sizeof *d, a_size = CELLS * sizeof *a;
  for (int32_t i = 0; i < CELLS; i++) {
    d[i] = first + 2 * i;
    a[i] = d[i];
  }
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &d_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
  free(a);
  free(d);
}

typedef struct {
  int calls, answer;
  uint64_t cells, total;
  atomic_int begun;
} Progress;

static int32_t advance(uint64_t cells, uint64_t total, void* data) {
  Progress* progress = data;
  assert(total == 2 * CELLS && cells <= total && cells >= progress->cells);
  progress->cells = cells;
  progress->total = total;
  progress->calls++;
  return progress->answer;
}

static void test_stopped_by_the_callback(void) {
  Progress progress = {.answer = 0};
  assert(tiledb_rs_array_consolidate(ctx, uri, NULL, advance, &progress) == TILEDB_ERR);
  assert(progress.calls == 1 && progress.cells > 0 && progress.cells < progress.total);
  char text[128];
  snprintf(text, sizeof text, "tiledb_rs_array_consolidate: stopped after %llu of 2097152 cells",
      (unsigned long long)progress.cells);
  expect(text);
  progress = (Progress){.answer = -1};
  assert(tiledb_rs_array_consolidate(ctx, uri, NULL, advance, &progress) == TILEDB_ERR);
  assert(progress.calls == 1);
  assert(tiledb_rs_array_consolidate(ctx, uri, NULL, NULL, NULL) == TILEDB_ERR);
  expect("tiledb_rs_array_consolidate: the callback is null; pass a function");
  assert(fragments(uri) == 2);
}

static int32_t cancel_here(uint64_t cells, uint64_t total, void* data) {
  assert(tiledb_ctx_cancel_tasks(ctx) == TILEDB_OK);
  return advance(cells, total, data);
}

static int32_t wait_for_the_other(uint64_t cells, uint64_t total, void* data) {
  Progress* progress = data;
  atomic_store(&progress->begun, 1);
  usleep(100 * 1000);
  return advance(cells, total, data);
}

static void* cancel_there(void* data) {
  Progress* progress = data;
  while (atomic_load(&progress->begun) == 0)
    usleep(100);
  assert(tiledb_ctx_cancel_tasks(ctx) == TILEDB_OK);
  return NULL;
}

static void test_cancelled(void) {
  Progress progress = {.answer = 1};
  assert(tiledb_rs_array_consolidate(ctx, uri, NULL, cancel_here, &progress) == TILEDB_ERR);
  assert(progress.calls == 1);
  expect("The operation was cancelled");
  assert(fragments(uri) == 2);

  progress = (Progress){.answer = 1};
  pthread_t other;
  assert(pthread_create(&other, NULL, cancel_there, &progress) == 0);
  assert(tiledb_rs_array_consolidate(ctx, uri, NULL, wait_for_the_other, &progress) == TILEDB_ERR);
  assert(pthread_join(other, NULL) == 0);
  expect("The operation was cancelled");
  assert(progress.cells < progress.total);
  assert(fragments(uri) == 2);
}

static void test_brought_to_the_end(void) {
  Progress progress = {.answer = 1};
  assert(tiledb_rs_array_consolidate(ctx, uri, NULL, advance, &progress) == TILEDB_OK);
  assert(progress.calls >= 3 && progress.cells == progress.total);
  assert(fragments(uri) == 1);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_large_array();
  write_every_second(0);
  write_every_second(1);
  test_stopped_by_the_callback();
  test_cancelled();
  test_brought_to_the_end();
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
