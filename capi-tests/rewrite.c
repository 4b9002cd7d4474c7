/* A rewritten array has other filters and the same cells at each timestamp; wherever a rewrite is stopped, it can be resumed. */
#include "arrays.h"

#include <tiledb/tiledb_rs.h>

enum { CELLS = 60000, FRAGMENTS = 3 };

typedef struct {
  uint64_t calls, stop_at, total;
} Progress;

static int32_t count(uint64_t done, uint64_t total, void* data) {
  Progress* progress = data;
  assert(done <= total);
  progress->total = total;
  progress->calls++;
  return progress->calls == progress->stop_at ? TILEDB_RS_STOP : TILEDB_RS_CONTINUE;
}

static void make_large(const char* uri, uint64_t capacity, tiledb_datatype_t datatype) {
  const int32_t ends[] = {0, 1000000}, extent = 1000;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, ends, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "n", datatype, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, capacity) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
}

/* At each timestamp half of the cells of the one before are replaced. */
static void write_large(const char* uri, int fragment) {
  static int32_t x[CELLS];
  static int64_t n[CELLS];
  for (int i = 0; i < CELLS; i++) {
    x[i] = i + fragment * (CELLS / 2);
    n[i] = 1000 * (int64_t)fragment + i % 7;
  }
  uint64_t size_x = sizeof x, size_n = sizeof n;
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, (uint64_t)(10 + fragment));
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &size_x) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "n", n, &size_n) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

/* The sum of all cells at a timestamp, and how many there are. */
static int64_t sum_at(const char* uri, uint64_t time, uint64_t* cells) {
  static int64_t n[CELLS * FRAGMENTS];
  static int32_t x[CELLS * FRAGMENTS];
  uint64_t size_n = sizeof n, size_x = sizeof x;
  tiledb_array_t* array = open_array(uri, TILEDB_READ, time);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &size_x) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "n", n, &size_n) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  *cells = size_n / sizeof *n;
  int64_t sum = 0;
  for (uint64_t i = 0; i < *cells; i++)
    sum += n[i] * (x[i] % 100 + 1);
  tiledb_query_free(&query);
  close_array(&array);
  return sum;
}

static void check_equal(const char* uri, const char* copy, uint64_t first_time) {
  for (uint64_t time = first_time; time < 10 + FRAGMENTS; time++) {
    uint64_t cells = 0, copied = 0;
    assert(sum_at(uri, time, &cells) == sum_at(copy, time, &copied));
    assert(cells == copied && cells == (first_time <= time ? CELLS + (time - 10) * CELLS / 2 : 0));
  }
}

static uint32_t fragments_of(const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  uint32_t number = 0;
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  assert(tiledb_fragment_info_get_fragment_num(ctx, info, &number) == TILEDB_OK);
  tiledb_fragment_info_free(&info);
  return number;
}

static capi_return_t rewrite(const char* to, tiledb_array_schema_t* schema, tiledb_rs_rewritten_fragments_t fragments,
                             uint8_t resume, Progress* progress) {
  return tiledb_rs_array_rewrite(ctx, "mem://cells", to, schema, fragments, resume, progress ? count : NULL, progress);
}

/* Copies of files: stopped and resumed, compared, previewed, rejected. */
static void copy_files(void) {
  const char *text = NULL, *to = "mem://files";
  size_t length = 0;
  Progress whole = {0}, stopped = {.stop_at = 2};
  tiledb_string_t* summary = NULL;
  tiledb_object_t object;
  assert(tiledb_rs_object_copy(ctx, "mem://cells", to, 0, 1, NULL, NULL, &summary) == TILEDB_OK);
  assert(tiledb_string_free(&summary) == TILEDB_OK);
  assert(tiledb_object_type(ctx, to, &object) == TILEDB_OK && object == TILEDB_INVALID);
  assert(tiledb_rs_object_copy(ctx, "mem://cells", to, 0, 0, count, &stopped, &summary) == TILEDB_ERR && summary == NULL);
  expect_begin("tiledb_rs_object_copy: stopped after ");
  assert(stopped.calls == 2);
  assert(tiledb_object_type(ctx, to, &object) == TILEDB_OK && object == TILEDB_INVALID);
  assert(tiledb_rs_object_copy(ctx, "mem://cells", to, 0, 0, count, &whole, &summary) == TILEDB_OK && whole.calls > 2);
  assert(tiledb_string_view(summary, &text, &length) == TILEDB_OK && length == strlen(text));
  assert(strstr(text, "\"arrays\":1") != NULL && strstr(text, "\"is_snapshot\":true") != NULL);
  assert(tiledb_string_free(&summary) == TILEDB_OK);
  check_equal("mem://cells", to, 10);
  assert(tiledb_rs_object_copy(ctx, "mem://cells", to, 1, 0, NULL, NULL, &summary) == TILEDB_OK);
  assert(tiledb_string_view(summary, &text, &length) == TILEDB_OK && strstr(text, "\"files\":0") != NULL);
  assert(tiledb_string_free(&summary) == TILEDB_OK);
  assert(tiledb_rs_object_copy(ctx, "mem://none", to, 0, 0, NULL, NULL, &summary) == TILEDB_ERR);
  expect("mem://none is no array, and no group");
  assert(tiledb_rs_object_copy(ctx, to, "mem://files/inside", 0, 0, NULL, NULL, &summary) == TILEDB_ERR);
  expect("mem://files and mem://files/inside lie in one another: copy to another place");
  assert(tiledb_rs_object_copy(ctx, NULL, to, 0, 0, NULL, NULL, &summary) == TILEDB_ERR);
  assert(tiledb_rs_object_copy(ctx, to, NULL, 0, 0, NULL, NULL, &summary) == TILEDB_ERR);
  assert(tiledb_rs_object_copy(ctx, "mem://cells", to, 0, 0, NULL, NULL, NULL) == TILEDB_ERR);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_large("mem://cells", 10000, TILEDB_INT64);
  for (int fragment = 0; fragment < FRAGMENTS; fragment++)
    write_large("mem://cells", fragment);
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_rs_schema_advise(ctx, "mem://cells", NULL, TILEDB_RS_SMALLEST, NULL, NULL, &schema) == TILEDB_OK);

  Progress whole = {0};
  assert(rewrite("mem://whole", schema, TILEDB_RS_FRAGMENTS_PRESERVED, 0, &whole) == TILEDB_OK);
  check_equal("mem://cells", "mem://whole", 10);
  assert(fragments_of("mem://whole") == FRAGMENTS && whole.total == 2 * CELLS * FRAGMENTS);
  assert(rewrite("mem://merged", schema, TILEDB_RS_FRAGMENTS_MERGED, 0, NULL) == TILEDB_OK);
  check_equal("mem://cells", "mem://merged", 9 + FRAGMENTS);
  assert(fragments_of("mem://merged") == 1);
  assert(rewrite("mem://same", NULL, TILEDB_RS_FRAGMENTS_PRESERVED, 0, NULL) == TILEDB_OK);
  check_equal("mem://cells", "mem://same", 10);

  /* Stopped at each report: also while cells are compared. */
  for (uint64_t call = 1; call <= whole.calls; call++) {
    char to[32];
    snprintf(to, sizeof to, "mem://stopped%d", (int)call);
    Progress stopped = {.stop_at = call};
    assert(rewrite(to, schema, TILEDB_RS_FRAGMENTS_PRESERVED, 1, &stopped) == TILEDB_ERR);
    assert(stopped.calls == call);
    assert(rewrite(to, schema, TILEDB_RS_FRAGMENTS_PRESERVED, 0, NULL) == TILEDB_ERR);
    assert(rewrite(to, schema, TILEDB_RS_FRAGMENTS_PRESERVED, 1, NULL) == TILEDB_OK);
    check_equal("mem://cells", to, 10);
    assert(fragments_of(to) == FRAGMENTS);
  }
  /* A complete one is compared once more. */
  assert(rewrite("mem://whole", schema, TILEDB_RS_FRAGMENTS_PRESERVED, 1, NULL) == TILEDB_OK);

  /* What is no copy of the array is not resumed, and is not changed. */
  assert(rewrite("mem://whole", NULL, TILEDB_RS_FRAGMENTS_PRESERVED, 1, NULL) == TILEDB_ERR);
  expect_within("has another schema");
  assert(rewrite("mem://whole", schema, TILEDB_RS_FRAGMENTS_MERGED, 1, NULL) == TILEDB_ERR);
  expect_within("is not from 'mem://cells'");
  assert(rewrite("mem://merged", schema, TILEDB_RS_FRAGMENTS_PRESERVED, 1, NULL) == TILEDB_ERR);
  expect_within("is not from 'mem://cells'");
  check_equal("mem://cells", "mem://whole", 10);
  assert(rewrite("mem://cells", NULL, TILEDB_RS_FRAGMENTS_PRESERVED, 1, NULL) == TILEDB_ERR);
  expect_within("onto itself");
  assert(fragments_of("mem://cells") == FRAGMENTS);

  /* A schema with another attribute; wrong arguments. */
  make_large("mem://other", 10000, TILEDB_INT32);
  tiledb_array_schema_t* other = NULL;
  assert(tiledb_array_schema_load(ctx, "mem://other", &other) == TILEDB_OK);
  assert(rewrite("mem://wrong", other, TILEDB_RS_FRAGMENTS_PRESERVED, 0, NULL) == TILEDB_ERR);
  expect_within("type of attribute 'n'");
  tiledb_array_schema_free(&other);
  make_large("mem://capacity", 500, TILEDB_INT64);
  assert(tiledb_array_schema_load(ctx, "mem://capacity", &other) == TILEDB_OK);
  assert(rewrite("mem://small_tiles", other, TILEDB_RS_FRAGMENTS_PRESERVED, 0, NULL) == TILEDB_OK);
  check_equal("mem://cells", "mem://small_tiles", 10);
  tiledb_array_schema_free(&other);
  int wrong = 2;
  tiledb_rs_rewritten_fragments_t fragments;
  memcpy(&fragments, &wrong, sizeof fragments);
  assert(rewrite("mem://wrong", schema, fragments, 0, NULL) == TILEDB_ERR);
  expect_within("the fragments are 2");
  assert(tiledb_rs_array_rewrite(ctx, "mem://none", "mem://wrong", NULL, TILEDB_RS_FRAGMENTS_MERGED, 0, NULL, NULL) == TILEDB_ERR);
  assert(tiledb_rs_array_rewrite(ctx, NULL, "mem://wrong", NULL, TILEDB_RS_FRAGMENTS_MERGED, 0, NULL, NULL) == TILEDB_ERR);
  assert(tiledb_rs_array_rewrite(ctx, "mem://cells", NULL, NULL, TILEDB_RS_FRAGMENTS_MERGED, 0, NULL, NULL) == TILEDB_ERR);
  tiledb_object_t object;
  assert(tiledb_object_type(ctx, "mem://wrong", &object) == TILEDB_OK && object == TILEDB_INVALID);

  copy_files();
  tiledb_array_schema_free(&schema);
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
