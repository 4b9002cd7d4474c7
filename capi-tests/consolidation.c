/* Consolidation and vacuum in their modes, fragments and arrays that are deleted, and versions that are upgraded. */
#include "arrays.h"

#define ARRAY "merged"

/* A configuration with one parameter set. */
static tiledb_config_t* with(const char* name, const char* value) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, name, value, &error) == TILEDB_OK);
  return config;
}

static int32_t consolidate(const char* mode) {
  tiledb_config_t* config = with("sm.consolidation.mode", mode);
  int32_t code = tiledb_array_consolidate(ctx, ARRAY, config);
  tiledb_config_free(&config);
  return code;
}

static int32_t vacuum(const char* mode) {
  tiledb_config_t* config = with("sm.vacuum.mode", mode);
  int32_t code = tiledb_array_vacuum(ctx, ARRAY, config);
  tiledb_config_free(&config);
  return code;
}

/* How many names a folder of the array holds. */
static int32_t count(const char* path, void* data) {
  assert(path != NULL);
  ++*(int*)data;
  return 1;
}

static int files(const char* folder) {
  char path[100];
  int count_of_files = 0;
  tiledb_vfs_t* vfs = NULL;
  snprintf(path, sizeof path, "%s/%s", ARRAY, folder);
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  assert(tiledb_vfs_ls(ctx, vfs, path, count, &count_of_files) == TILEDB_OK);
  tiledb_vfs_free(&vfs);
  return count_of_files;
}

/* The fragment that waits to be removed, by its place, was written at this time. */
static void waits(uint32_t index, const char* time) {
  tiledb_fragment_info_t* info = NULL;
  const char* uri = NULL;
  assert(tiledb_fragment_info_alloc(ctx, ARRAY, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  assert(tiledb_fragment_info_get_to_vacuum_uri(ctx, info, index, &uri) == TILEDB_OK);
  assert(strstr(uri, ARRAY "/__fragments/__") != NULL && strstr(uri, time) != NULL);
  tiledb_fragment_info_free(&info);
}

/* The cells 1 to 30 as of a time: as many in front as were written then. */
static void holds(uint64_t time, uint64_t cells, int32_t first, int32_t last) {
  int32_t a[30];
  assert(read_cells(ARRAY, time, 1, 30, a) == cells);
  assert(a[0] == first && a[cells - 1] == last);
}

static void fragments_and_their_files(void) {
  make_array(ARRAY, TILEDB_SPARSE);
  for (int32_t i = 0; i < 3; i++)
    write_cells(ARRAY, TILEDB_SPARSE, 10 * (uint64_t)(i + 1), 10 * i + 1, 10 * i + 10, 1);
  assert(files("__fragments") == 3 && files("__commits") == 3);

  /* One file of all commits, one of all footers. */
  assert(consolidate("commits") == TILEDB_OK && files("__commits") == 4);
  assert(vacuum("commits") == TILEDB_OK && files("__commits") == 1);
  assert(consolidate("fragment_meta") == TILEDB_OK && files("__fragment_meta") == 1);
  assert(vacuum("fragment_meta") == TILEDB_OK && files("__fragment_meta") == 1);
  holds(0, 30, 1, 30);

  /* One fragment; the old ones answer for their times until they are removed. */
  assert(consolidate("fragments") == TILEDB_OK && files("__fragments") == 4 && fragments(ARRAY) == 1);
  holds(0, 30, 1, 30);
  holds(20, 20, 1, 20);
  waits(0, "__10_10_");
  waits(2, "__30_30_");
  assert(vacuum("fragments") == TILEDB_OK && files("__fragments") == 1 && fragments(ARRAY) == 1);
  holds(0, 30, 1, 30);

  assert(consolidate("array_meta") == TILEDB_OK && vacuum("array_meta") == TILEDB_OK);
  assert(consolidate("nothing") == TILEDB_ERR);
  expect("TileDB internal: Cannot consolidate; invalid configuration mode: 'nothing' is none of fragments, fragment_meta, commits, array_meta and group_meta");
  assert(vacuum("nothing") == TILEDB_ERR);
  expect("TileDB internal: Cannot consolidate; invalid configuration mode: 'nothing' is none of fragments, fragment_meta, commits, array_meta and group_meta");
  assert(tiledb_array_consolidate(ctx, "nowhere", NULL) == TILEDB_ERR);
  expect_begin("Consolidator: Cannot consolidate array; Array does not exist. There is no array at 'file:///");
}

static void chosen_fragments(void) {
  const char* none[] = {"__1_1_00000000000000000000000000000000_22"};
  const char *names[2] = {NULL, NULL}, *uris[2] = {NULL, NULL};
  tiledb_fragment_info_t* info = NULL;
  tiledb_string_t* strings[2] = {NULL, NULL};
  for (int32_t i = 0; i < 2; i++)
    write_cells(ARRAY, TILEDB_SPARSE, 40 + 10 * (uint64_t)i, 1, 5, 10 * (i + 1));
  assert(fragments(ARRAY) == 3);
  assert(tiledb_fragment_info_alloc(ctx, ARRAY, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  for (uint32_t i = 0; i < 2; i++) {
    size_t length = 0;
    assert(tiledb_fragment_info_get_fragment_name_v2(ctx, info, i + 1, &strings[i]) == TILEDB_OK);
    assert(tiledb_string_view(strings[i], &names[i], &length) == TILEDB_OK);
    assert(tiledb_fragment_info_get_fragment_uri(ctx, info, i + 1, &uris[i]) == TILEDB_OK);
  }
  /* A single fragment is left alone, even one that is not there. */
  assert(tiledb_array_consolidate_fragments(ctx, ARRAY, none, 1, NULL) == TILEDB_OK && fragments(ARRAY) == 3);
  assert(tiledb_array_consolidate_fragments(ctx, ARRAY, names, 2, NULL) == TILEDB_OK);
  assert(fragments(ARRAY) == 2);
  holds(0, 30, 20, 30);

  /* Those that were merged are still there, and can be deleted by name; the merged one too, by time. */
  assert(tiledb_array_delete_fragments_list(ctx, ARRAY, none, 1) == TILEDB_ERR);
  expect_within("C API: Failed to delete fragments list");
  tiledb_string_free(&strings[0]);
  tiledb_string_free(&strings[1]);
  tiledb_fragment_info_free(&info);
}

static void deleting(void) {
  const char* uri = NULL;
  tiledb_fragment_info_t* info = NULL;
  tiledb_object_t type = TILEDB_INVALID;
  assert(tiledb_array_vacuum(ctx, ARRAY, NULL) == TILEDB_OK && fragments(ARRAY) == 2);
  assert(tiledb_fragment_info_alloc(ctx, ARRAY, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  assert(tiledb_fragment_info_get_fragment_uri(ctx, info, 1, &uri) == TILEDB_OK);
  assert(tiledb_array_delete_fragments_list(ctx, ARRAY, &uri, 1) == TILEDB_OK);
  tiledb_fragment_info_free(&info);
  assert(fragments(ARRAY) == 1 && files("__fragments") == 1);
  holds(0, 30, 1, 30);
  write_cells(ARRAY, TILEDB_SPARSE, 60, 1, 3, 7);
  assert(tiledb_array_delete_fragments_v2(ctx, ARRAY, 1, 35) == TILEDB_OK && fragments(ARRAY) == 1);
  holds(0, 3, 7, 21);
  assert(tiledb_array_delete_fragments_v2(ctx, ARRAY, 70, 60) == TILEDB_OK && fragments(ARRAY) == 1);
  assert(tiledb_array_delete_fragments_v2(ctx, "nowhere", 0, 100) == TILEDB_ERR);
  expect_begin("[TileDB::Array] Error: Cannot open array; Array does not exist. There is no array at 'file:///");

  assert(tiledb_array_delete(ctx, ARRAY) == TILEDB_OK);
  assert(tiledb_object_type(ctx, ARRAY, &type) == TILEDB_OK && type == TILEDB_INVALID);
  assert(tiledb_array_delete(ctx, ARRAY) == TILEDB_ERR);
  expect_begin("[TileDB::Array] Error: Cannot open array; Array does not exist. There is no array at 'file:///");
}

/* An array of the newest version stays as it is; golden arrays of old versions are upgraded by other tests. */
static void upgrading(void) {
  int32_t a[10];
  make_array("upgraded", TILEDB_DENSE);
  write_cells("upgraded", TILEDB_DENSE, 1, 1, 10, 4);
  assert(tiledb_array_upgrade_version(ctx, "upgraded", NULL) == TILEDB_OK);
  assert(read_cells("upgraded", 0, 1, 10, a) == 10 && a[0] == 4 && a[9] == 40);
  assert(tiledb_array_upgrade_version(ctx, "nowhere", NULL) == TILEDB_ERR);
  expect_within("/nowhere' does not exist");
}

/* Deletes the cells whose "a" is less than a value, at a time. */
static void delete_below(const char* uri, uint64_t time, int32_t value) {
  tiledb_array_t* array = open_array(uri, TILEDB_DELETE, time);
  tiledb_query_t* query = NULL;
  tiledb_query_condition_t* condition = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query) == TILEDB_OK);
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, condition, "a", &value, sizeof value, TILEDB_LT) == TILEDB_OK);
  assert(tiledb_query_set_condition(ctx, query, condition) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  close_array(&array);
}

/* The number of cells of the first fragment, deleted ones included. */
static uint64_t stored(const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  uint64_t cells = 0;
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  assert(tiledb_fragment_info_get_cell_num(ctx, info, 0, &cells) == TILEDB_OK);
  tiledb_fragment_info_free(&info);
  return cells;
}

/* A configuration that is passed overrides the parameters that are set in it; the others are those of the context, for every
   function that takes one. TileDB-Py passes an empty one. */
static void passed_configurations(void) {
  tiledb_ctx_t* plain = ctx;
  tiledb_error_t* error = NULL;
  tiledb_config_t *of_context = with("sm.consolidation.purge_deleted_cells", "true"), *empty = NULL;
  const struct {
    const char* uri;
    const char* passed;
    uint64_t cells;
  } cases[] = {{"purged", NULL, 6}, {"kept", "false", 9}, {"purged_too", "true", 6}};
  assert(tiledb_config_alloc(&empty, &error) == TILEDB_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tiledb_config_t* passed = empty;
    if (cases[i].passed != NULL)
      passed = with("sm.consolidation.purge_deleted_cells", cases[i].passed);
    make_array(cases[i].uri, TILEDB_SPARSE);
    for (int32_t j = 0; j < 3; j++)
      write_cells(cases[i].uri, TILEDB_SPARSE, 10 * (uint64_t)(j + 1), 3 * j + 1, 3 * j + 3, 1);
    delete_below(cases[i].uri, 40, 4);
    assert(tiledb_ctx_alloc(of_context, &ctx) == TILEDB_OK);
    assert(tiledb_array_consolidate(ctx, cases[i].uri, passed) == TILEDB_OK);
    tiledb_ctx_free(&ctx);
    ctx = plain;
    assert(stored(cases[i].uri) == cases[i].cells);
    if (passed != empty)
      tiledb_config_free(&passed);
  }
  tiledb_config_free(&empty);
  tiledb_config_free(&of_context);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  fragments_and_their_files();
  chosen_fragments();
  deleting();
  upgrading();
  passed_configurations();
  tiledb_ctx_free(&ctx);
  return 0;
}
