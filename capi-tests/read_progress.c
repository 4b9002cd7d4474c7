/* Reads tell how far they have come. Wherever they are stopped, they give the same results when they are submitted again. */
#include "common.h"

/* STOPS: no read is stopped more often. On a slow or busy machine nearly every call can stop one, and what was read until then is
 * read again. */
enum { CELLS = 20000, TILE = 100, MOST = 2 * CELLS, TEXT = 6, STOPS = 6 };

/* The results of a read, or of a part of it. */
typedef struct {
  uint64_t cells, bytes;
  int32_t x[MOST], a[MOST];
  uint64_t starts[MOST];
  char text[MOST * TEXT];
} Cells;

static Cells one, all, parts;

typedef struct {
  int calls, stop_at, answer;
  uint64_t done, total;
  tiledb_query_t* query;
} Progress;

static int32_t advance(uint64_t done, uint64_t total, void* data) {
  Progress* progress = data;
  tiledb_query_status_t status = TILEDB_FAILED;
  assert(done <= total && total >= progress->total && done >= progress->done);
  progress->done = done;
  progress->total = total;
  assert(tiledb_query_get_status(ctx, progress->query, &status) == TILEDB_OK && status != TILEDB_FAILED);
  return ++progress->calls == progress->stop_at ? progress->answer : 1;
}

static tiledb_filter_list_t* zstd(void) {
  tiledb_filter_t* filter = NULL;
  tiledb_filter_list_t* list = NULL;
  assert(tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &filter) == TILEDB_OK);
  assert(tiledb_filter_list_alloc(ctx, &list) == TILEDB_OK);
  assert(tiledb_filter_list_add_filter(ctx, list, filter) == TILEDB_OK);
  tiledb_filter_free(&filter);
  return list;
}

/* "x" of 1 to CELLS, "a", and "s" of 0 to 5 letters. */
static void create(const char* uri, tiledb_array_type_t type) {
  const int32_t ends[] = {1, CELLS}, extent = TILE;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t *a = NULL, *s = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_filter_list_t* list = zstd();
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, ends, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a) == TILEDB_OK);
  assert(tiledb_attribute_set_filter_list(ctx, a, list) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "s", TILEDB_STRING_ASCII, &s) == TILEDB_OK);
  assert(tiledb_attribute_set_cell_val_num(ctx, s, TILEDB_VAR_NUM) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, type, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, a) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, s) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, TILE) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&a);
  tiledb_attribute_free(&s);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
  tiledb_filter_list_free(&list);
}

static tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type) {
  tiledb_array_t* array = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, type) == TILEDB_OK);
  return array;
}

/* Writes every step-th cell from first on. */
static void write_cells(const char* uri, tiledb_array_type_t type, int32_t first, int32_t step, int32_t factor) {
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
  tiledb_query_t* query = NULL;
  uint64_t cells = 0, bytes = 0;
  for (int32_t x = first; x <= CELLS; x += step, cells++) {
    one.x[cells] = x;
    one.a[cells] = x * factor;
    one.starts[cells] = bytes;
    memset(one.text + bytes, 'a' + x % 26, (size_t)(x * factor % TEXT));
    bytes += (uint64_t)(x * factor % TEXT);
  }
  uint64_t fixed = cells * sizeof(int32_t), starts = cells * sizeof(uint64_t);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, type == TILEDB_DENSE ? TILEDB_ROW_MAJOR : TILEDB_UNORDERED) == TILEDB_OK);
  if (type == TILEDB_SPARSE)
    assert(tiledb_query_set_data_buffer(ctx, query, "x", one.x, &fixed) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", one.a, &fixed) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "s", one.text, &bytes) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", one.starts, &starts) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static tiledb_query_t* make_query(tiledb_array_t* array, tiledb_layout_t layout, int with_condition) {
  const int32_t ends[] = {1, CELLS}, least = CELLS / 2;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 0, &ends[0], &ends[1], NULL) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, layout) == TILEDB_OK);
  tiledb_subarray_free(&subarray);
  if (with_condition) {
    tiledb_query_condition_t* condition = NULL;
    assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
    assert(tiledb_query_condition_init(ctx, condition, "a", &least, sizeof least, TILEDB_GE) == TILEDB_OK);
    assert(tiledb_query_set_condition(ctx, query, condition) == TILEDB_OK);
    tiledb_query_condition_free(&condition);
  }
  return query;
}

/* Submits a query until it is complete, with room for so many cells; every stop-th call of a submit stops it, or gives an error;
 * 0: it is not watched. Tells how often it was stopped. */
static int read_all(tiledb_query_t* query, uint64_t room, int stop, Cells* out) {
  tiledb_query_status_t status = TILEDB_FAILED;
  int stops = 0;
  out->cells = out->bytes = 0;
  do {
    uint64_t sizes[] = {room * 4, room * 4, room * 8, room * TEXT};
    const uint64_t before[] = {sizes[0], sizes[1], sizes[2], sizes[3]};
    Progress progress = {0, stops < STOPS ? stop : 0, stops % 2 == 0 ? 0 : -1, 0, 0, query};
    assert(tiledb_query_set_data_buffer(ctx, query, "x", one.x, &sizes[0]) == TILEDB_OK);
    assert(tiledb_query_set_data_buffer(ctx, query, "a", one.a, &sizes[1]) == TILEDB_OK);
    assert(tiledb_query_set_offsets_buffer(ctx, query, "s", one.starts, &sizes[2]) == TILEDB_OK);
    assert(tiledb_query_set_data_buffer(ctx, query, "s", one.text, &sizes[3]) == TILEDB_OK);
    tiledb_query_status_t stood = TILEDB_FAILED;
    assert(tiledb_query_get_status(ctx, query, &stood) == TILEDB_OK);
    if (stop == 0) {
      assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
    } else if (tiledb_rs_query_submit(ctx, query, advance, &progress) != TILEDB_OK) {
      expect_within(progress.answer < 0 ? "tiledb_rs_query_submit: the callback returned an error after"
                                        : "tiledb_rs_query_submit: stopped after");
      assert(progress.calls == progress.stop_at && memcmp(sizes, before, sizeof sizes) == 0);
      assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == stood);
      stops++;
      status = TILEDB_INCOMPLETE;
      continue;
    }
    assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK);
    assert(stop == 0 || progress.stop_at == progress.calls || progress.total > 0);
    assert(stop == 0 || status != TILEDB_COMPLETED || progress.calls == progress.stop_at ||
           progress.done == progress.total);
    const uint64_t cells = sizes[1] / 4;
    assert(cells > 0 || status == TILEDB_COMPLETED);
    memcpy(out->x + out->cells, one.x, cells * 4);
    memcpy(out->a + out->cells, one.a, cells * 4);
    for (uint64_t i = 0; i < cells; i++)
      out->starts[out->cells + i] = out->bytes + one.starts[i];
    memcpy(out->text + out->bytes, one.text, sizes[3]);
    out->cells += cells;
    out->bytes += sizes[3];
  } while (status == TILEDB_INCOMPLETE);
  assert(status == TILEDB_COMPLETED);
  return stops;
}

static void expect_same(void) {
  assert(all.cells == parts.cells && all.bytes == parts.bytes && memcmp(all.text, parts.text, all.bytes) == 0);
  assert(memcmp(all.x, parts.x, all.cells * 4) == 0 && memcmp(all.a, parts.a, all.cells * 4) == 0);
  assert(memcmp(all.starts, parts.starts, all.cells * 8) == 0);
}

/* Reads all with room for so many cells, stopped by every stop-th call, and compares; tells how often it was stopped. */
static int stops_in(tiledb_array_t* array, tiledb_layout_t layout, int with_condition, uint64_t room, int stop) {
  tiledb_query_t* query = make_query(array, layout, with_condition);
  int stops = read_all(query, room, stop, &parts);
  expect_same();
  /* Nothing is left: there is nothing to stop either. */
  uint64_t size = 4;
  assert(tiledb_query_set_data_buffer(ctx, query, "a", one.a, &size) == TILEDB_OK);
  assert(tiledb_rs_query_submit(ctx, query, advance, &(Progress){.stop_at = 1, .query = query}) == TILEDB_OK);
  tiledb_query_free(&query);
  return stops;
}

/* Reads in a layout, by parts of several sizes, stopped again and again. */
static void stopped(const char* uri, tiledb_layout_t layout, int with_condition) {
  const uint64_t rooms[] = {CELLS, CELLS / 3, CELLS / 20};
  tiledb_array_t* array = open_array(uri, TILEDB_READ);
  for (int i = 0; i < 3; i++) {
    tiledb_query_t* query = make_query(array, layout, with_condition);
    assert(read_all(query, rooms[i], 0, &all) == 0 && all.cells > 0);
    tiledb_query_free(&query);
    /* A read may end before this thread is told that it began: one is read until it was stopped. */
    int stops;
    do {
      stops = stops_in(array, layout, with_condition, rooms[i], 1);
    } while (i == 0 && stops == 0);
    stops_in(array, layout, with_condition, rooms[i], 5);
  }
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

/* A read that began without being watched is stopped, and ends without being watched. */
static void in_turns(const char* uri, tiledb_layout_t layout) {
  const uint64_t room = CELLS / 10;
  tiledb_array_t* array = open_array(uri, TILEDB_READ);
  tiledb_query_t* query = make_query(array, layout, 0);
  assert(read_all(query, room, 0, &all) == 0);
  tiledb_query_free(&query);
  query = make_query(array, layout, 0);
  tiledb_query_status_t status = TILEDB_FAILED;
  parts.cells = 0;
  for (int turn = 0; status != TILEDB_COMPLETED; turn++) {
    uint64_t size = room * 4;
    Progress progress = {.stop_at = turn % 6 == 2 ? 1 : 0, .query = query};
    assert(tiledb_query_set_data_buffer(ctx, query, "a", one.a, &size) == TILEDB_OK);
    if (turn % 2 == 1)
      assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
    else if (tiledb_rs_query_submit(ctx, query, advance, &progress) != TILEDB_OK)
      continue;
    memcpy(parts.a + parts.cells, one.a, size);
    parts.cells += size / 4;
    assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK);
  }
  assert(parts.cells == all.cells && memcmp(parts.a, all.a, all.cells * 4) == 0);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

/* Aggregates tell, too, and can be stopped; tells how often. */
static int stops_of_sums(const char* uri, tiledb_layout_t layout) {
  const tiledb_channel_operator_t* operator = NULL;
  tiledb_array_t* array = open_array(uri, TILEDB_READ);
  int64_t sums[2] = {0, 0};
  int stops = 0;
  for (int watched = 0; watched < 2; watched++) {
    tiledb_query_t* query = make_query(array, layout, 1);
    tiledb_query_channel_t* channel = NULL;
    tiledb_channel_operation_t* operation = NULL;
    uint64_t size = sizeof *sums;
    assert(tiledb_query_get_default_channel(ctx, query, &channel) == TILEDB_OK);
    assert(tiledb_channel_operator_sum_get(ctx, &operator) == TILEDB_OK);
    assert(tiledb_create_unary_aggregate(ctx, query, operator, "a", &operation) == TILEDB_OK);
    assert(tiledb_channel_apply_aggregate(ctx, channel, "sum", operation) == TILEDB_OK);
    assert(tiledb_query_set_data_buffer(ctx, query, "sum", &sums[watched], &size) == TILEDB_OK);
    if (watched == 0)
      assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
    for (Progress progress = {.stop_at = 1, .query = query}; watched == 1; stops++) {
      if (tiledb_rs_query_submit(ctx, query, advance, &progress) == TILEDB_OK)
        break;
      assert(sums[1] == 0);
      progress = (Progress){.stop_at = stops < 5 ? 1 : 0, .query = query};
    }
    tiledb_aggregate_free(ctx, &operation);
    tiledb_query_channel_free(ctx, &channel);
    tiledb_query_free(&query);
  }
  assert(sums[0] == sums[1] && sums[0] > 0);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
  return stops;
}

static int32_t cancel(uint64_t done, uint64_t total, void* data) {
  (void)done, (void)total;
  ++*(int*)data;
  assert(tiledb_ctx_cancel_tasks(ctx) == TILEDB_OK);
  return 1;
}

/* What stops a context stops a read that is watched, and that read only. */
static void cancelled(const char* uri) {
  tiledb_array_t* array = open_array(uri, TILEDB_READ);
  int calls = 0, stops = 0;
  while (stops == 0) {
    tiledb_query_t* query = make_query(array, TILEDB_ROW_MAJOR, 0);
    uint64_t size = CELLS * 4;
    assert(tiledb_query_set_data_buffer(ctx, query, "a", one.a, &size) == TILEDB_OK);
    if (tiledb_rs_query_submit(ctx, query, cancel, &calls) != TILEDB_OK) {
      expect_within("cancelled");
      stops++;
    }
    assert(tiledb_query_submit(ctx, query) == TILEDB_OK && size == CELLS * 4);
    tiledb_query_free(&query);
  }
  assert(calls > 0);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static void refused(const char* uri) {
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_rs_query_submit(ctx, query, NULL, NULL) == TILEDB_ERR);
  expect("tiledb_rs_query_submit: the callback is null; pass a function");
  assert(tiledb_rs_query_submit(ctx, query, advance, NULL) == TILEDB_ERR);
  expect("A query that does not read cannot be watched; submit it with tiledb_query_submit");
  assert(tiledb_rs_query_submit(ctx, NULL, advance, NULL) == TILEDB_ERR);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  create("dense", TILEDB_DENSE);
  write_cells("dense", TILEDB_DENSE, 1, 1, 1);
  create("sparse", TILEDB_SPARSE);
  write_cells("sparse", TILEDB_SPARSE, 1, 1, 1);
  write_cells("sparse", TILEDB_SPARSE, 2, 3, 2);
  for (int with_condition = 0; with_condition < 2; with_condition++) {
    stopped("dense", TILEDB_ROW_MAJOR, with_condition);
    stopped("dense", TILEDB_GLOBAL_ORDER, with_condition);
    stopped("sparse", TILEDB_UNORDERED, with_condition);
    stopped("sparse", TILEDB_GLOBAL_ORDER, with_condition);
    stopped("sparse", TILEDB_ROW_MAJOR, with_condition);
  }
  in_turns("dense", TILEDB_ROW_MAJOR);
  in_turns("sparse", TILEDB_GLOBAL_ORDER);
  in_turns("sparse", TILEDB_UNORDERED);
  while (stops_of_sums("dense", TILEDB_ROW_MAJOR) == 0)
    ;
  while (stops_of_sums("sparse", TILEDB_UNORDERED) == 0)
    ;
  cancelled("dense");
  refused("dense");
  tiledb_ctx_free(&ctx);
  return 0;
}
