/* Changes of one array or group follow each other in different milliseconds, whatever makes them: each can be opened. */
#include <inttypes.h>

#include "arrays.h"

enum { ROUNDS = 12, MOST = 400 };

static uint64_t times[MOST];
static size_t count;

/* Notes the time in a name, `__time_time_...`. */
static int32_t note(const char* path, void* data) {
  const char* name = strrchr(path, '/') + 1;
  uint64_t time = 0;
  (void)data;
  if (sscanf(name, "__%" SCNu64 "_", &time) == 1 && strchr(name + 2, '_') != NULL) {
    assert(count < MOST);
    times[count++] = time;
  }
  return 1;
}

/* The changes in these folders have different times. */
static void differ(const char* uri, const char* const* folders, size_t expected) {
  tiledb_vfs_t* vfs = NULL;
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  count = 0;
  for (; *folders != NULL; folders++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", uri, *folders);
    assert(tiledb_vfs_ls(ctx, vfs, path, note, NULL) == TILEDB_OK);
  }
  tiledb_vfs_free(&vfs);
  assert(count == expected);
  for (size_t i = 0; i < count; i++) {
    assert(times[i] <= tiledb_timestamp_now_ms());
    for (size_t j = 0; j < i; j++)
      assert(times[i] != times[j]);
  }
}

static void put(tiledb_array_t* array, int32_t value) {
  assert(tiledb_array_put_metadata(ctx, array, "k", TILEDB_INT32, 1, &value) == TILEDB_OK);
}

static void write_with_metadata(const char* uri, int32_t value, int first) {
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, 0);
  tiledb_query_t* query = NULL;
  int32_t x = 1;
  uint64_t x_size = sizeof x, a_size = sizeof value;
  if (first)
    put(array, value);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", &x, &x_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", &value, &a_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  if (!first)
    put(array, value);
  close_array(&array);
}

static void delete_nothing(const char* uri) {
  tiledb_array_t* array = open_array(uri, TILEDB_DELETE, 0);
  tiledb_query_t* query = NULL;
  tiledb_query_condition_t* condition = NULL;
  int32_t none = -1;
  assert(tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query) == TILEDB_OK);
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, condition, "a", &none, sizeof none, TILEDB_EQ) == TILEDB_OK);
  assert(tiledb_query_set_condition(ctx, query, condition) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(&array);
}

static void evolve(const char* uri, int round) {
  char name[16];
  tiledb_array_schema_evolution_t* evolution = NULL;
  tiledb_attribute_t* attribute = NULL;
  sprintf(name, "b%d", round / 2);
  assert(tiledb_array_schema_evolution_alloc(ctx, &evolution) == TILEDB_OK);
  if (round % 2 == 0) {
    assert(tiledb_attribute_alloc(ctx, name, TILEDB_INT32, &attribute) == TILEDB_OK);
    assert(tiledb_array_schema_evolution_add_attribute(ctx, evolution, attribute) == TILEDB_OK);
    tiledb_attribute_free(&attribute);
  } else {
    assert(tiledb_array_schema_evolution_drop_attribute(ctx, evolution, name) == TILEDB_OK);
  }
  assert(tiledb_array_evolve(ctx, uri, evolution) == TILEDB_OK);
  tiledb_array_schema_evolution_free(&evolution);
}

static void change_group(const char* uri, int32_t value) {
  char name[16];
  tiledb_group_t* group = NULL;
  sprintf(name, "m%d", value);
  assert(tiledb_group_alloc(ctx, uri, &group) == TILEDB_OK);
  assert(tiledb_group_open(ctx, group, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_group_put_metadata(ctx, group, "k", TILEDB_INT32, 1, &value) == TILEDB_OK);
  assert(tiledb_group_add_member(ctx, group, "array", 1, name) == TILEDB_OK);
  assert(tiledb_group_close(ctx, group) == TILEDB_OK);
  tiledb_group_free(&group);
}

/* Each state of the array can be opened at the time of its fragment. */
static void check_states(const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t start = 0, end = 0, size = 0;
    int32_t a[4];
    assert(tiledb_fragment_info_get_timestamp_range(ctx, info, (uint32_t)i, &start, &end) == TILEDB_OK);
    size = read_cells(uri, end, 1, 4, a);
    assert(size == 1 && a[0] == i);
  }
  tiledb_fragment_info_free(&info);
}

int main(void) {
  const char* const array_folders[] = {"__fragments", "__meta", "__commits", "__schema", NULL};
  const char* const without_commits[] = {"__fragments", "__meta", "__schema", NULL};
  const char* const group_folders[] = {"__group", "__meta", NULL};
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array("array", TILEDB_SPARSE);
  for (int i = 0; i < ROUNDS; i++)
    write_with_metadata("array", i, i % 2);
  check_states("array");
  differ("array", without_commits, 1 + 2 * ROUNDS);
  make_array("other", TILEDB_SPARSE);
  for (int i = 0; i < ROUNDS; i++) {
    delete_nothing("other");
    evolve("other", i);
  }
  differ("other", array_folders, 1 + 2 * ROUNDS);
  assert(tiledb_group_create(ctx, "group") == TILEDB_OK);
  for (int i = 0; i < ROUNDS; i++)
    change_group("group", i);
  differ("group", group_folders, 2 * ROUNDS);
  tiledb_ctx_free(&ctx);
  return 0;
}
