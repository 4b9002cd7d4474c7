/* Writes a sparse array of so many fragments with so many cells each: fragments URI FRAGMENTS CELLS.
   With a seed behind them the array is sparse or dense, its tiles are of any size, and fragments have up to so many cells. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tiledb/tiledb.h>

#define CHECK(call)                                 \
  do {                                              \
    if ((call) != TILEDB_OK) {                      \
      fprintf(stderr, "%s: %s\n", argv[1], #call);  \
      return 1;                                     \
    }                                               \
  } while (0)

static uint64_t state;

/* Any number below an end. */
static int64_t below(int64_t end) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)end);
}

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 1;
  state = argc == 5 ? strtoull(argv[4], NULL, 10) * 7919 + 1 : 0;
  const int64_t fragments = atoll(argv[2]), cells = atoll(argv[3]);
  int64_t ends[] = {0, fragments * cells - 1}, extent = cells;
  const int is_dense = state != 0 && below(2) == 0;
  if (state != 0) extent = 1 + below(cells < ends[1] ? cells : ends[1]);
  tiledb_ctx_t* ctx = NULL;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  CHECK(tiledb_ctx_alloc(NULL, &ctx));
  CHECK(tiledb_dimension_alloc(ctx, "d", TILEDB_INT64, ends, &extent, &dimension));
  CHECK(tiledb_domain_alloc(ctx, &domain));
  CHECK(tiledb_domain_add_dimension(ctx, domain, dimension));
  CHECK(tiledb_attribute_alloc(ctx, "a", TILEDB_INT64, &attribute));
  CHECK(tiledb_array_schema_alloc(ctx, is_dense ? TILEDB_DENSE : TILEDB_SPARSE, &schema));
  if (state != 0 && !is_dense) {
    CHECK(tiledb_array_schema_set_capacity(ctx, schema, (uint64_t)(1 + below(cells))));
    CHECK(tiledb_array_schema_set_allows_dups(ctx, schema, 1));
  }
  CHECK(tiledb_array_schema_set_domain(ctx, schema, domain));
  CHECK(tiledb_array_schema_add_attribute(ctx, schema, attribute));
  CHECK(tiledb_array_create(ctx, argv[1], schema));
  int64_t* d = malloc((size_t)cells * sizeof *d);
  int64_t* a = malloc((size_t)cells * sizeof *a);
  if (d == NULL || a == NULL) return 1;
  for (int64_t fragment = 0; fragment < fragments; fragment++) {
    const int64_t count = state != 0 ? 1 + below(cells) : cells;
    /* Dense fragments lie side by side or over each other. */
    int64_t first = is_dense ? fragment * cells : 0;
    if (is_dense && below(3) == 0) first = below(ends[1] + 2 - count);
    for (int64_t i = 0; i < count; i++) {
      d[i] = is_dense ? first + i : i * fragments + fragment;
      a[i] = d[i] * 3;
    }
    uint64_t size = (uint64_t)count * sizeof *d, a_size = size;
    const int64_t box[] = {first, first + count - 1};
    tiledb_array_t* array = NULL;
    tiledb_query_t* query = NULL;
    CHECK(tiledb_array_alloc(ctx, argv[1], &array));
    CHECK(tiledb_array_set_open_timestamp_end(ctx, array, (uint64_t)fragment + 1));
    CHECK(tiledb_array_open(ctx, array, TILEDB_WRITE));
    CHECK(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    CHECK(tiledb_query_set_layout(ctx, query, is_dense ? TILEDB_ROW_MAJOR : TILEDB_UNORDERED));
    if (is_dense) {
      tiledb_subarray_t* subarray = NULL;
      CHECK(tiledb_subarray_alloc(ctx, array, &subarray));
      CHECK(tiledb_subarray_set_subarray(ctx, subarray, box));
      CHECK(tiledb_query_set_subarray_t(ctx, query, subarray));
      tiledb_subarray_free(&subarray);
    } else {
      CHECK(tiledb_query_set_data_buffer(ctx, query, "d", d, &size));
    }
    CHECK(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size));
    CHECK(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    CHECK(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
  }
  free(a);
  free(d);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
  tiledb_ctx_free(&ctx);
  return 0;
}
