/* Create, write, read, consolidate and vacuum on threads with small stacks: STACK_KB bytes in KiB, by default as much as a
   library without optimizations needs. And a process whose stack may hardly grow. */
#include "common.h"
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define CELLS 50000
/* Reads of two fragments with the same cells are estimated to have twice as many. */
#define CAPACITY (2 * CELLS)

static tiledb_array_type_t type;
static const char* uri;
static tiledb_layout_t layout;

static tiledb_attribute_t* make_attribute(const char* name, tiledb_datatype_t datatype) {
  tiledb_attribute_t* attribute;
  tiledb_filter_t* filter;
  tiledb_filter_list_t* filters;
  assert(tiledb_attribute_alloc(ctx, name, datatype, &attribute) == TILEDB_OK);
  assert(tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &filter) == TILEDB_OK);
  assert(tiledb_filter_list_alloc(ctx, &filters) == TILEDB_OK);
  assert(tiledb_filter_list_add_filter(ctx, filters, filter) == TILEDB_OK);
  assert(tiledb_attribute_set_filter_list(ctx, attribute, filters) == TILEDB_OK);
  tiledb_filter_free(&filter);
  tiledb_filter_list_free(&filters);
  return attribute;
}

static void* create(void* unused) {
  int32_t domain_range[] = {0, 999999}, extent = 1000;
  tiledb_domain_t* domain;
  tiledb_dimension_t* dimension;
  tiledb_array_schema_t* schema;
  tiledb_attribute_t* a = make_attribute("a", TILEDB_INT32), *s = make_attribute("s", TILEDB_STRING_ASCII);
  assert(tiledb_attribute_set_cell_val_num(ctx, s, TILEDB_VAR_NUM) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, domain_range, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, type, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, a) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, s) == TILEDB_OK);
  if (type == TILEDB_SPARSE)
    assert(tiledb_array_schema_set_capacity(ctx, schema, 1000) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&a);
  tiledb_attribute_free(&s);
  tiledb_dimension_free(&dimension);
  tiledb_domain_free(&domain);
  return unused;
}

/* Writes or reads the first cells. */
static void* query_cells(void* writes) {
  tiledb_array_t* array;
  tiledb_query_t* query;
  tiledb_query_status_t status;
  const uint64_t count = writes != NULL ? CELLS : CAPACITY;
  int32_t* d = calloc(CAPACITY, 4), *a = calloc(CAPACITY, 4), range[] = {0, CELLS - 1};
  char* s = calloc(CAPACITY, 1);
  uint64_t* offsets = calloc(CAPACITY, 8);
  assert(d != NULL && a != NULL && s != NULL && offsets != NULL);
  uint64_t bytes = 4 * count, coordinate_bytes = 4 * count, s_bytes = count, offset_bytes = 8 * count;
  for (int cell = 0; writes != NULL && cell < CELLS; cell++) {
    d[cell] = cell;
    a[cell] = 3 * cell;
    s[cell] = (char)('a' + cell % 26);
    offsets[cell] = (uint64_t)cell;
  }
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, writes != NULL ? TILEDB_WRITE : TILEDB_READ) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, writes != NULL ? TILEDB_WRITE : TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, layout) == TILEDB_OK);
  if (type == TILEDB_DENSE) {
    tiledb_subarray_t* subarray;
    assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
    assert(tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL) == TILEDB_OK);
    assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
    tiledb_subarray_free(&subarray);
  } else {
    assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &coordinate_bytes) == TILEDB_OK);
  }
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &bytes) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "s", s, &s_bytes) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", offsets, &offset_bytes) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == TILEDB_COMPLETED);
  for (int cell = 0; cell < CELLS; cell++)
    assert(a[cell] == 3 * cell && s[cell] == (char)('a' + cell % 26));
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
  free(d);
  free(a);
  free(s);
  free(offsets);
  return NULL;
}

static void* consolidate(void* unused) {
  assert(tiledb_array_consolidate(ctx, uri, NULL) == TILEDB_OK);
  return unused;
}

static void* vacuum(void* unused) {
  assert(tiledb_array_vacuum(ctx, uri, NULL) == TILEDB_OK);
  return unused;
}

static void on_small_stack(void* (*work)(void*), void* argument) {
  const char* size = getenv("STACK_KB");
  pthread_t thread;
  pthread_attr_t attributes;
  assert(pthread_attr_init(&attributes) == 0);
  assert(pthread_attr_setstacksize(&attributes, 1024 * (size_t)(size != NULL ? atoi(size) : 256)) == 0);
  assert(pthread_create(&thread, &attributes, work, argument) == 0);
  assert(pthread_join(thread, NULL) == 0);
  assert(pthread_attr_destroy(&attributes) == 0);
}

static void run(const char* name, tiledb_array_type_t kind) {
  const tiledb_layout_t orders[] = {TILEDB_ROW_MAJOR, TILEDB_GLOBAL_ORDER};
  uri = name;
  type = kind;
  on_small_stack(create, NULL);
  layout = kind == TILEDB_SPARSE ? TILEDB_UNORDERED : TILEDB_ROW_MAJOR;
  on_small_stack(query_cells, &type);
  on_small_stack(query_cells, &type);
  for (int order = 0; order < 2; order++) {
    layout = orders[order];
    on_small_stack(query_cells, NULL);
  }
  on_small_stack(consolidate, NULL);
  on_small_stack(vacuum, NULL);
  on_small_stack(query_cells, NULL);
}

#ifdef __linux__
/* Runs the program again with a small limit of the stack (`ulimit -s 128`): its first call must not grow the stack beyond. */
static void run_limited(char* program) {
  int status;
  pid_t child = fork();
  assert(child >= 0);
  if (child == 0) {
    const struct rlimit limit = {128 << 10, 128 << 10};
    assert(setrlimit(RLIMIT_STACK, &limit) == 0);
    execl("/proc/self/exe", program, "limited", (char*)NULL);
    _exit(127);
  }
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

int main(int count, char **arguments) {
  if (count > 1) {
    tiledb_config_t* config;
    tiledb_error_t* error;
    assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
    tiledb_config_free(&config);
    return 0;
  }
#ifdef __linux__
  run_limited(arguments[0]);
#else
  (void)arguments;
#endif
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  run("sparse", TILEDB_SPARSE);
  run("dense", TILEDB_DENSE);
  tiledb_ctx_free(&ctx);
  return 0;
}
