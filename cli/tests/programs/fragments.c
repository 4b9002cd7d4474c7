/* Writes a sparse array of so many fragments with so many cells each: fragments URI FRAGMENTS CELLS. */
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

int main(int argc, char** argv) {
  if (argc != 4) return 1;
  const int64_t fragments = atoll(argv[2]), cells = atoll(argv[3]);
  int64_t ends[] = {0, fragments * cells - 1}, extent = cells;
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
  CHECK(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
  CHECK(tiledb_array_schema_set_domain(ctx, schema, domain));
  CHECK(tiledb_array_schema_add_attribute(ctx, schema, attribute));
  CHECK(tiledb_array_create(ctx, argv[1], schema));
  int64_t* d = malloc((size_t)cells * sizeof *d);
  int64_t* a = malloc((size_t)cells * sizeof *a);
  if (d == NULL || a == NULL) return 1;
  for (int64_t fragment = 0; fragment < fragments; fragment++) {
    for (int64_t i = 0; i < cells; i++) {
      d[i] = i * fragments + fragment;
      a[i] = d[i] * 3;
    }
    uint64_t size = (uint64_t)cells * sizeof *d, a_size = size;
    tiledb_array_t* array = NULL;
    tiledb_query_t* query = NULL;
    CHECK(tiledb_array_alloc(ctx, argv[1], &array));
    CHECK(tiledb_array_set_open_timestamp_end(ctx, array, (uint64_t)fragment + 1));
    CHECK(tiledb_array_open(ctx, array, TILEDB_WRITE));
    CHECK(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    CHECK(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    CHECK(tiledb_query_set_data_buffer(ctx, query, "d", d, &size));
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
