/* The functions of queries that libtiledb 2.18 to 2.25 exported; see removed.c. */
#include "removed.h"

#include <pthread.h>

/* Prints the ranges of a dimension of a grid. */
static void show_ranges(const tiledb_query_t* of, uint32_t index) {
  uint64_t count = 0;
  OK(tiledb_query_get_range_num(ctx, of, index, &count));
  printf("dimension %u:", (unsigned)index);
  for (uint64_t i = 0; i < count; i++) {
    const void *start = NULL, *end = NULL, *stride = &count;
    OK(tiledb_query_get_range(ctx, of, index, i, &start, &end, &stride));
    printf(" %d to %d%s", *(const int32_t*)start, *(const int32_t*)end, stride == NULL ? "" : " stride");
  }
  printf("\n");
}

static void ranges(void) {
  const int32_t low = 2, high = 3, beyond = 101, points[] = {7, 9, 30};
  const void *start = NULL, *end = NULL, *stride = NULL;
  uint64_t count = 0;
  create("grid", grid(TILEDB_SPARSE));
  tiledb_array_t* array = open("grid", TILEDB_READ);
  tiledb_query_t* read = query(array, TILEDB_READ);
  show_ranges(read, 0);
  SHOW(tiledb_query_add_range(ctx, read, 0, &low, &high, NULL));
  SHOW(tiledb_query_add_range_by_name(ctx, read, "columns", &high, &high, NULL));
  SHOW(tiledb_query_add_point_ranges(ctx, read, 1, points, 3));
  show_ranges(read, 0);
  show_ranges(read, 1);
  SHOW(tiledb_query_add_range(ctx, read, 2, &low, &high, NULL));
  SHOW(tiledb_query_add_range(ctx, read, 0, &high, &low, NULL));
  SHOW(tiledb_query_add_range(ctx, read, 0, NULL, &high, NULL));
  SHOW(tiledb_query_add_range(ctx, read, 0, &low, &high, &low));
  SHOW(tiledb_query_add_range(ctx, NULL, 0, &low, &high, NULL));
  SHOW(tiledb_query_add_range_by_name(ctx, read, "depth", &low, &high, NULL));
  SHOW(tiledb_query_add_range_var(ctx, read, 0, "a", 1, "b", 1));
  SHOW(tiledb_query_add_range_var_by_name(ctx, read, "rows", "a", 1, "b", 1));
  SHOW(tiledb_query_add_point_ranges(ctx, read, 2, points, 1));
  SHOW(tiledb_query_add_point_ranges(ctx, read, 1, NULL, 1));
  SHOW(tiledb_query_add_point_ranges(ctx, NULL, 1, points, 1));
  SHOW(tiledb_query_add_range(ctx, read, 1, &low, &beyond, NULL));
  show_ranges(read, 1);
  SHOW(tiledb_query_get_range(ctx, read, 2, 0, &start, &end, &stride));
  SHOW(tiledb_query_get_range(ctx, read, 0, 5, &start, &end, &stride));
  SHOW(tiledb_query_get_range(ctx, NULL, 0, 0, &start, &end, &stride));
  SHOW(tiledb_query_get_range_from_name(ctx, read, "rows", 0, &start, &end, &stride));
  printf("%d to %d\n", *(const int32_t*)start, *(const int32_t*)end);
  SHOW(tiledb_query_get_range_from_name(ctx, read, "depth", 0, &start, &end, &stride));
  SHOW(tiledb_query_get_range_num(ctx, read, 2, &count));
  SHOW(tiledb_query_get_range_num_from_name(ctx, read, "columns", &count));
  printf("%d\n", (int)count);
  SHOW(tiledb_query_get_range_num_from_name(ctx, read, "depth", &count));
  SHOW(tiledb_query_get_range_num(ctx, NULL, 0, &count));
  SHOW(tiledb_query_get_range_var_size(ctx, read, 0, 0, &count, &count));
  release(read, array);
}

static void ranges_of_strings(void) {
  char start[8] = "", end[8] = "";
  uint64_t sizes[2] = {0, 0};
  create("names", names());
  tiledb_array_t* array = open("names", TILEDB_READ);
  tiledb_query_t* read = query(array, TILEDB_READ);
  SHOW(tiledb_query_get_range_var_size(ctx, read, 0, 0, &sizes[0], &sizes[1]));
  printf("%d %d\n", (int)sizes[0], (int)sizes[1]);
  SHOW(tiledb_query_add_range_var(ctx, read, 0, "ann", 3, "bo", 2));
  SHOW(tiledb_query_add_range_var_by_name(ctx, read, "name", "cy", 2, "d", 1));
  SHOW(tiledb_query_get_range_var_size(ctx, read, 0, 0, &sizes[0], &sizes[1]));
  SHOW(tiledb_query_get_range_var(ctx, read, 0, 0, start, end));
  printf("%d %s %d %s\n", (int)sizes[0], start, (int)sizes[1], end);
  SHOW(tiledb_query_get_range_var_size_from_name(ctx, read, "name", 1, &sizes[0], &sizes[1]));
  SHOW(tiledb_query_get_range_var_from_name(ctx, read, "name", 1, start, end));
  printf("%d %.2s %d %.1s\n", (int)sizes[0], start, (int)sizes[1], end);
  SHOW(tiledb_query_get_range_var_size(ctx, read, 0, 9, &sizes[0], &sizes[1]));
  SHOW(tiledb_query_get_range_var_size(ctx, read, 9, 0, &sizes[0], &sizes[1]));
  SHOW(tiledb_query_get_range_var_size_from_name(ctx, read, "none", 0, &sizes[0], &sizes[1]));
  SHOW(tiledb_query_get_range_var(ctx, read, 0, 9, start, end));
  SHOW(tiledb_query_get_range_var_from_name(ctx, read, "none", 0, start, end));
  SHOW(tiledb_query_get_range_var(ctx, NULL, 0, 0, start, end));
  SHOW(tiledb_query_add_range_var(ctx, read, 0, "z", 1, "a", 1));
  SHOW(tiledb_query_add_range_var(ctx, read, 0, NULL, 1, "a", 1));
  SHOW(tiledb_query_add_range_var(ctx, read, 5, "a", 1, "b", 1));
  SHOW(tiledb_query_add_range(ctx, read, 0, "a", "b", NULL));
  SHOW(tiledb_query_add_point_ranges(ctx, read, 0, "a", 1));
  release(read, array);
}

/* Reads a box of a dense array, then changes the subarray of the completed query. */
static void set_subarray(void) {
  const int32_t box[] = {1, 2, 5, 6}, wrong[] = {1, 2, 5, 101};
  const uint64_t cells[] = {1, 1, 2, 2};
  int32_t values[4] = {0};
  uint64_t size = sizeof values;
  create("grid", grid(TILEDB_DENSE));
  write_grid("grid", 1);
  tiledb_array_t* array = open("grid", TILEDB_READ);
  tiledb_query_t* read = query(array, TILEDB_READ);
  SHOW(tiledb_query_set_subarray(ctx, read, wrong));
  show_ranges(read, 1);
  SHOW(tiledb_query_set_subarray(ctx, NULL, box));
  SHOW(tiledb_query_add_range(ctx, read, 0, &box[1], &box[1], NULL));
  SHOW(tiledb_query_set_subarray(ctx, read, box));
  show_ranges(read, 0);
  show_ranges(read, 1);
  SHOW(tiledb_query_set_subarray(ctx, read, NULL));
  show_ranges(read, 0);
  SHOW(tiledb_query_set_subarray(ctx, read, box));
  OK(tiledb_query_set_data_buffer(ctx, read, "a", values, &size));
  OK(tiledb_query_submit(ctx, read));
  printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
  SHOW(tiledb_query_set_subarray(ctx, read, box));
  release(read, array);
  create("names", names());
  array = open("names", TILEDB_READ);
  read = query(array, TILEDB_READ);
  SHOW(tiledb_query_set_subarray(ctx, read, cells));
  release(read, array);
}

/* Writes of sparse arrays take no subarray. */
static void set_subarray_to_write(void) {
  const int32_t box[] = {1, 2, 5, 6};
  create("grid", grid(TILEDB_SPARSE));
  tiledb_array_t* array = open("grid", TILEDB_WRITE);
  tiledb_query_t* write = query(array, TILEDB_WRITE);
  SHOW(tiledb_query_set_subarray(ctx, write, box));
  release(write, array);
}

static void add_range_to_write(void) {
  const int32_t low = 1;
  int32_t cells[] = {2};
  uint64_t size = sizeof cells;
  create("grid", grid(TILEDB_SPARSE));
  tiledb_array_t* array = open("grid", TILEDB_WRITE);
  tiledb_query_t* write = query(array, TILEDB_WRITE);
  SHOW(tiledb_query_add_range(ctx, write, 0, &low, &low, NULL));
  OK(tiledb_query_set_layout(ctx, write, TILEDB_UNORDERED));
  OK(tiledb_query_set_data_buffer(ctx, write, "rows", cells, &size));
  OK(tiledb_query_set_data_buffer(ctx, write, "columns", cells, &size));
  OK(tiledb_query_set_data_buffer(ctx, write, "a", cells, &size));
  SHOW(tiledb_query_submit(ctx, write));
  release(write, array);
}

static void add_range_after_submit(void) {
  const int32_t low = 1, box[] = {1, 2, 5, 6};
  int32_t values[400];
  uint64_t size = sizeof values;
  create("grid", grid(TILEDB_DENSE));
  tiledb_array_t* array = open("grid", TILEDB_READ);
  tiledb_query_t* read = query(array, TILEDB_READ);
  OK(tiledb_query_set_data_buffer(ctx, read, "a", values, &size));
  OK(tiledb_query_set_subarray(ctx, read, box));
  OK(tiledb_query_submit(ctx, read));
  SHOW(tiledb_query_add_range(ctx, read, 0, &low, &low, NULL));
  release(read, array);
}

/* What a callback notes. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t caller;
  tiledb_query_t* query;
  int calls;
} called = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* Takes a lock that the caller holds while it submits. */
static void when_done(void* data) {
  tiledb_query_type_t type = TILEDB_WRITE;
  pthread_mutex_lock(&called.lock);
  printf("callback: data %d, same thread %d\n", *(int*)data, pthread_equal(pthread_self(), called.caller));
  show_status(called.query);
  OK(tiledb_query_get_type(ctx, called.query, &type));
  called.calls++;
  pthread_cond_signal(&called.changed);
  pthread_mutex_unlock(&called.lock);
}

static void wait_for_status(tiledb_query_t* of) {
  tiledb_query_status_t status = TILEDB_INPROGRESS;
  while (status == TILEDB_INPROGRESS) {
    usleep(1000);
    OK(tiledb_query_get_status(ctx, of, &status));
  }
  show_status(of);
}

/* Submits with the callback, and waits. */
static void submit_and_wait(tiledb_query_t* of, int is_called) {
  int data = 42;
  called.caller = pthread_self();
  called.query = of;
  called.calls = 0;
  pthread_mutex_lock(&called.lock);
  SHOW(tiledb_query_submit_async(ctx, of, when_done, &data));
  while (is_called && called.calls == 0)
    pthread_cond_wait(&called.changed, &called.lock);
  pthread_mutex_unlock(&called.lock);
  wait_for_status(of);
  printf("calls: %d\n", called.calls);
}

static void submit_async(void) {
  const int32_t box[] = {1, 2, 5, 6};
  int32_t values[4] = {0};
  uint64_t size = sizeof values;
  create("grid", grid(TILEDB_DENSE));
  write_grid("grid", 1);
  tiledb_array_t* array = open("grid", TILEDB_READ);
  tiledb_query_t* read = query(array, TILEDB_READ);
  OK(tiledb_query_set_subarray(ctx, read, box));
  OK(tiledb_query_set_data_buffer(ctx, read, "a", values, &size));
  submit_and_wait(read, 1);
  printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
  release(read, array);
  array = open("grid", TILEDB_READ);
  read = query(array, TILEDB_READ);
  OK(tiledb_query_set_subarray(ctx, read, box));
  OK(tiledb_query_set_data_buffer(ctx, read, "a", values, &size));
  SHOW(tiledb_query_submit_async(ctx, read, NULL, NULL));
  wait_for_status(read);
  SHOW(tiledb_query_submit_async(ctx, NULL, NULL, NULL));
  release(read, array);
}

static void submit_async_incomplete(void) {
  const int32_t box[] = {1, 2, 5, 6};
  int32_t values[4] = {0};
  uint64_t size = 2 * sizeof *values;
  create("grid", grid(TILEDB_DENSE));
  write_grid("grid", 1);
  tiledb_array_t* array = open("grid", TILEDB_READ);
  tiledb_query_t* read = query(array, TILEDB_READ);
  OK(tiledb_query_set_subarray(ctx, read, box));
  OK(tiledb_query_set_data_buffer(ctx, read, "a", values, &size));
  submit_and_wait(read, 0);
  submit_and_wait(read, 1);
  printf("%d %d\n", values[0], values[1]);
  release(read, array);
}

static void submit_async_write(void) {
  const int32_t box[] = {1, 1, 1, 2};
  int32_t values[] = {5, 6};
  uint64_t size = sizeof values;
  create("grid", grid(TILEDB_DENSE));
  tiledb_array_t* array = open("grid", TILEDB_WRITE);
  tiledb_query_t* write = query(array, TILEDB_WRITE);
  OK(tiledb_query_set_subarray(ctx, write, box));
  OK(tiledb_query_set_layout(ctx, write, TILEDB_ROW_MAJOR));
  OK(tiledb_query_set_data_buffer(ctx, write, "a", values, &size));
  submit_and_wait(write, 1);
  release(write, array);
  show_fragments("grid");
}

/* No buffers are set. */
static void submit_async_without_buffers(void) {
  create("grid", grid(TILEDB_DENSE));
  tiledb_array_t* array = open("grid", TILEDB_WRITE);
  tiledb_query_t* write = query(array, TILEDB_WRITE);
  submit_and_wait(write, 0);
  release(write, array);
}

/* Cells out of order: what an error is that only the work itself finds. */
static void submit_async_failure(void) {
  int32_t rows[] = {1, 1}, columns[] = {5, 5}, values[] = {5, 6};
  uint64_t sizes[] = {sizeof rows, sizeof columns, sizeof values};
  create("grid", grid(TILEDB_SPARSE));
  tiledb_array_t* array = open("grid", TILEDB_WRITE);
  tiledb_query_t* write = query(array, TILEDB_WRITE);
  OK(tiledb_query_set_layout(ctx, write, TILEDB_UNORDERED));
  OK(tiledb_query_set_data_buffer(ctx, write, "rows", rows, &sizes[0]));
  OK(tiledb_query_set_data_buffer(ctx, write, "columns", columns, &sizes[1]));
  OK(tiledb_query_set_data_buffer(ctx, write, "a", values, &sizes[2]));
  submit_and_wait(write, 0);
  show("last error", TILEDB_ERR);
  release(write, array);
}

static const section_t sections[] = {
    {"tiledb_query_add_range", "", ranges},
    {"tiledb_query_add_range", ", sparse write", add_range_to_write},
    {"tiledb_query_add_range", ", after submit", add_range_after_submit},
    {"tiledb_query_add_range_var", "", ranges_of_strings},
    {"tiledb_query_set_subarray", "", set_subarray},
    {"tiledb_query_set_subarray", ", sparse write", set_subarray_to_write},
    {"tiledb_query_submit_async", "", submit_async},
    {"tiledb_query_submit_async", ", incomplete", submit_async_incomplete},
    {"tiledb_query_submit_async", ", write", submit_async_write},
    {"tiledb_query_submit_async", ", no buffers", submit_async_without_buffers},
    {"tiledb_query_submit_async", ", failure", submit_async_failure},
};

int main(void) {
  return run_sections(sections, sizeof sections / sizeof *sections);
}
