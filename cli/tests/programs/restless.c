/* Writes, deletes, consolidates and vacuums without end: restless ARRAY SEED STEPS.
 * Step k writes some cells of value k at time k, or deletes some, and then sets the metadata `k`; the file STEPS holds the
 * number of the last step that was done. `step` of the test beside it draws the same numbers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>

#define CELLS 100
#define CHECK(call)                                                              \
  do {                                                                           \
    if ((call) != TILEDB_OK) {                                                   \
      tiledb_error_t* error = NULL;                                              \
      const char* text = "";                                                     \
      tiledb_ctx_get_last_error(ctx, &error);                                    \
      if (error != NULL) tiledb_error_message(error, &text);                     \
      fprintf(stderr, "%s: %s\n", #call, text);                                  \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

static tiledb_ctx_t* ctx;
static uint64_t state;

static uint64_t next(void) {
  uint64_t x = state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static void create(const char* uri) {
  int64_t ends[] = {0, CELLS - 1}, extent = 10;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  CHECK(tiledb_dimension_alloc(ctx, "d", TILEDB_INT64, ends, &extent, &dimension));
  CHECK(tiledb_domain_alloc(ctx, &domain));
  CHECK(tiledb_domain_add_dimension(ctx, domain, dimension));
  CHECK(tiledb_attribute_alloc(ctx, "a", TILEDB_INT64, &attribute));
  CHECK(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
  CHECK(tiledb_array_schema_set_domain(ctx, schema, domain));
  CHECK(tiledb_array_schema_add_attribute(ctx, schema, attribute));
  CHECK(tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
}

static tiledb_array_t* at(const char* uri, int64_t time, tiledb_query_type_t what) {
  tiledb_array_t* array = NULL;
  CHECK(tiledb_array_alloc(ctx, uri, &array));
  CHECK(tiledb_array_set_open_timestamp_end(ctx, array, (uint64_t)time));
  CHECK(tiledb_array_open(ctx, array, what));
  return array;
}

static void step(const char* uri, int64_t k) {
  int is_delete = next() % 5 == 0;
  tiledb_array_t* array = at(uri, k, is_delete ? TILEDB_DELETE : TILEDB_WRITE);
  tiledb_query_t* query = NULL;
  CHECK(tiledb_query_alloc(ctx, array, is_delete ? TILEDB_DELETE : TILEDB_WRITE, &query));
  int64_t from = (int64_t)(next() % CELLS), stride = (int64_t)(1 + next() % 9), d[CELLS], a[CELLS];
  uint64_t count = 0;
  if (is_delete) {
    tiledb_query_condition_t* condition = NULL;
    CHECK(tiledb_query_condition_alloc(ctx, &condition));
    CHECK(tiledb_query_condition_init(ctx, condition, "d", &from, sizeof from, TILEDB_GE));
    CHECK(tiledb_query_set_condition(ctx, query, condition));
    CHECK(tiledb_query_submit(ctx, query));
    tiledb_query_condition_free(&condition);
  } else {
    for (int64_t cell = from; cell < CELLS; cell += stride) {
      d[count] = cell;
      a[count++] = k;
    }
    uint64_t size = count * sizeof *d, a_size = size;
    CHECK(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    CHECK(tiledb_query_set_data_buffer(ctx, query, "d", d, &size));
    CHECK(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size));
    CHECK(tiledb_query_submit(ctx, query));
  }
  tiledb_query_free(&query);
  CHECK(tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
  array = at(uri, k, TILEDB_WRITE);
  CHECK(tiledb_array_put_metadata(ctx, array, "k", TILEDB_INT64, 1, &k));
  CHECK(tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
}

static void keep(const char* uri, const char* mode, int vacuums) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  if (tiledb_config_alloc(&config, &error) != TILEDB_OK) exit(1);
  tiledb_config_set(config, vacuums ? "sm.vacuum.mode" : "sm.consolidation.mode", mode, &error);
  if (vacuums) {
    CHECK(tiledb_array_vacuum(ctx, uri, config));
  } else {
    CHECK(tiledb_array_consolidate(ctx, uri, config));
  }
  tiledb_config_free(&config);
}

int main(int argc, char** argv) {
  static const char* modes[] = {"fragments", "array_meta", "commits", "fragment_meta"};
  if (argc != 4) return 1;
  const char* uri = argv[1];
  const uint64_t seed = strtoull(argv[2], NULL, 10);
  uint64_t chance = seed ^ 0xabcdef;
  FILE* steps = fopen(argv[3], "w");
  if (steps == NULL || tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) return 1;
  create(uri);
  for (int64_t k = 1;; k++) {
    state = seed * 1000003u + (uint64_t)k;
    step(uri, k);
    rewind(steps);
    fprintf(steps, "%lld\n", (long long)k);
    fflush(steps);
    state = chance;
    if (next() % 6 == 0) keep(uri, modes[next() % 4], 0);
    if (next() % 12 == 0) keep(uri, modes[next() % 4], 1);
    /* Writers that never rest are met by the quick ones only. */
    if (next() % 4 == 0) usleep((useconds_t)(next() % 60000));
    chance = state;
  }
}
