/* The library is loaded by a program that is not linked with it, used, closed and loaded again. */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tiledb/tiledb.h>
#include <unistd.h>

#define LIBRARY "libtiledb_rs.so.2.30"
#define CELLS 1000000 /* enough for the threads of the library to start */

static void* library;

/* Calls a function of the library that was loaded. */
#define CALL(function, ...)                     \
  do {                                          \
    __typeof__(&function) address;              \
    *(void**)&address = dlsym(library, #function); \
    assert(address != NULL);                    \
    assert(address(__VA_ARGS__) == TILEDB_OK);  \
  } while (0)
#define FREE(function, handle)                  \
  do {                                          \
    __typeof__(&function) address;              \
    *(void**)&address = dlsym(library, #function); \
    assert(address != NULL);                    \
    address(handle);                            \
  } while (0)

static void create(tiledb_ctx_t* ctx, const char* uri) {
  int64_t range[] = {0, CELLS - 1}, extent = 50000;
  tiledb_dimension_t* dimension;
  tiledb_domain_t* domain;
  tiledb_attribute_t* attribute;
  tiledb_array_schema_t* schema;
  CALL(tiledb_domain_alloc, ctx, &domain);
  CALL(tiledb_dimension_alloc, ctx, "d", TILEDB_INT64, range, &extent, &dimension);
  CALL(tiledb_domain_add_dimension, ctx, domain, dimension);
  CALL(tiledb_array_schema_alloc, ctx, TILEDB_DENSE, &schema);
  CALL(tiledb_array_schema_set_domain, ctx, schema, domain);
  CALL(tiledb_attribute_alloc, ctx, "a", TILEDB_INT64, &attribute);
  CALL(tiledb_array_schema_add_attribute, ctx, schema, attribute);
  CALL(tiledb_array_create, ctx, uri, schema);
  FREE(tiledb_array_schema_free, &schema);
  FREE(tiledb_attribute_free, &attribute);
  FREE(tiledb_domain_free, &domain);
  FREE(tiledb_dimension_free, &dimension);
}

static void transfer(tiledb_ctx_t* ctx, const char* uri, tiledb_query_type_t type, int64_t* values) {
  int64_t range[] = {0, CELLS - 1};
  uint64_t bytes = CELLS * sizeof *values;
  tiledb_array_t* array;
  tiledb_subarray_t* subarray;
  tiledb_query_t* query;
  CALL(tiledb_array_alloc, ctx, uri, &array);
  CALL(tiledb_array_open, ctx, array, type);
  CALL(tiledb_subarray_alloc, ctx, array, &subarray);
  CALL(tiledb_subarray_add_range, ctx, subarray, 0, &range[0], &range[1], NULL);
  CALL(tiledb_query_alloc, ctx, array, type, &query);
  CALL(tiledb_query_set_layout, ctx, query, TILEDB_ROW_MAJOR);
  CALL(tiledb_query_set_subarray_t, ctx, query, subarray);
  CALL(tiledb_query_set_data_buffer, ctx, query, "a", values, &bytes);
  CALL(tiledb_query_submit, ctx, query);
  assert(bytes == CELLS * sizeof *values);
  FREE(tiledb_query_free, &query);
  FREE(tiledb_subarray_free, &subarray);
  CALL(tiledb_array_close, ctx, array);
  FREE(tiledb_array_free, &array);
}

/* Loads the library, works with it and closes it; with `leaves` without freeing the context. */
static void use(const char* uri, int leaves) {
  tiledb_ctx_t* ctx;
  int64_t* values = malloc(CELLS * sizeof *values);
  assert(values != NULL);
  library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    fprintf(stderr, "%s\n", dlerror());
  assert(library != NULL);
  CALL(tiledb_ctx_alloc, NULL, &ctx);
  create(ctx, uri);
  for (int64_t i = 0; i < CELLS; i++)
    values[i] = 7 * i;
  transfer(ctx, uri, TILEDB_WRITE, values);
  for (int64_t i = 0; i < CELLS; i++)
    values[i] = 0;
  transfer(ctx, uri, TILEDB_READ, values);
  for (int64_t i = 0; i < CELLS; i++)
    assert(values[i] == 7 * i);
  if (!leaves)
    FREE(tiledb_ctx_free, &ctx);
  assert(dlclose(library) == 0);
  free(values);
}

static void* use_in_thread(void* uri) {
  use(uri, 0);
  return NULL;
}

int main(void) {
  use("first", 0);
  /* Its threads, which now have nothing to do, go on waiting in code that stays there. */
  usleep(50000);
  use("second", 1);
  usleep(50000);
  /* What a thread keeps for the library is given back when it ends, after the library was closed. */
  pthread_t thread;
  assert(pthread_create(&thread, NULL, use_in_thread, "third") == 0);
  assert(pthread_join(thread, NULL) == 0);
  use("fourth", 0);
  return 0;
}
