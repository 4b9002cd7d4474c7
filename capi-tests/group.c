/* Groups: members with and without names, at times, metadata, text, deletion, and groups that move with their members. */
#include "common.h"

static void create_array(const char* uri) {
  int32_t domain[] = {1, 4}, extent = 4;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* whole = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, domain, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &whole) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, whole, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, whole) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&whole);
  tiledb_dimension_free(&dimension);
}

/* Writes four cells, or reads them and compares. */
static void cells(const char* uri, tiledb_query_type_t type) {
  int32_t values[] = {7, 8, 9, 10}, cells_read[4] = {0};
  uint64_t size = sizeof values;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, type) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, type, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  void* buffer = type == TILEDB_READ ? cells_read : values;
  if (type == TILEDB_READ) {
    int32_t all[] = {1, 4};
    tiledb_subarray_t* subarray = NULL;
    assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
    assert(tiledb_subarray_add_range(ctx, subarray, 0, &all[0], &all[1], NULL) == TILEDB_OK);
    assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
    tiledb_subarray_free(&subarray);
  }
  assert(tiledb_query_set_data_buffer(ctx, query, "a", buffer, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(type != TILEDB_READ || memcmp(values, cells_read, sizeof values) == 0);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

/* A handle with times of its own. */
static tiledb_group_t* at(const char* uri, const char* end) {
  tiledb_group_t* group = NULL;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.group.timestamp_end", end, &error) == TILEDB_OK);
  assert(tiledb_group_alloc(ctx, uri, &group) == TILEDB_OK);
  assert(tiledb_group_set_config(ctx, group, config) == TILEDB_OK);
  tiledb_config_free(&config);
  return group;
}

static tiledb_group_t* opened(const char* uri, const char* end, tiledb_query_type_t type) {
  tiledb_group_t* group = at(uri, end);
  assert(tiledb_group_open(ctx, group, type) == TILEDB_OK);
  return group;
}

static void closed(tiledb_group_t* group) {
  assert(tiledb_group_close(ctx, group) == TILEDB_OK);
  tiledb_group_free(&group);
  assert(group == NULL);
}

static void is_text(tiledb_string_t* text, const char* expected) {
  const char* data = NULL;
  size_t length = 77;
  assert(tiledb_string_view(text, &data, &length) == TILEDB_OK);
  assert(length == strlen(expected) && memcmp(data, expected, length) == 0);
  tiledb_string_free(&text);
}

/* A member by its name; `end` is how its URI ends. */
static void is_member(tiledb_group_t* group, const char* name, const char* end, tiledb_object_t type, int relative) {
  tiledb_string_t* uri = NULL;
  tiledb_object_t member_type = TILEDB_INVALID;
  uint8_t is_relative = 77;
  const char* data = NULL;
  size_t length = 77;
  assert(tiledb_group_get_member_by_name_v2(ctx, group, name, &uri, &member_type) == TILEDB_OK);
  assert(tiledb_string_view(uri, &data, &length) == TILEDB_OK);
  assert(member_type == type && length > strlen(end) && strcmp(data + length - strlen(end), end) == 0);
  tiledb_string_free(&uri);
  assert(tiledb_group_get_is_relative_uri_by_name(ctx, group, name, &is_relative) == TILEDB_OK);
  assert(is_relative == relative);
}

static uint64_t count(tiledb_group_t* group) {
  uint64_t number = 77;
  assert(tiledb_group_get_member_count(ctx, group, &number) == TILEDB_OK);
  return number;
}

/* `home` holds `a` and `inner`, which holds `b`; `out` lies elsewhere. */
static void make(const char* home) {
  char path[200];
  assert(tiledb_group_create(ctx, home) == TILEDB_OK);
  snprintf(path, sizeof path, "%s/a", home);
  create_array(path);
  cells(path, TILEDB_WRITE);
  snprintf(path, sizeof path, "%s/inner", home);
  assert(tiledb_group_create(ctx, path) == TILEDB_OK);
  tiledb_group_t* group = opened(path, "5", TILEDB_WRITE);
  assert(tiledb_group_add_member(ctx, group, "b", 1, "bee") == TILEDB_OK);
  closed(group);
  snprintf(path, sizeof path, "%s/inner/b", home);
  create_array(path);
  group = opened(home, "10", TILEDB_WRITE);
  assert(tiledb_group_add_member(ctx, group, "a", 1, "array") == TILEDB_OK);
  assert(tiledb_group_add_member_with_type(ctx, group, "inner", 1, NULL, TILEDB_GROUP) == TILEDB_OK);
  int32_t value = 5;
  assert(tiledb_group_put_metadata(ctx, group, "five", TILEDB_INT32, 1, &value) == TILEDB_OK);
  assert(tiledb_group_put_metadata(ctx, group, "empty", TILEDB_CHAR, 0, NULL) == TILEDB_OK);
  closed(group);
}

static void over_time(void) {
  make("home");
  assert(tiledb_group_create(ctx, "out") == TILEDB_OK);
  char out[4096];
  assert(getcwd(out, sizeof out - 10) != NULL);
  strcat(out, "/out");
  tiledb_group_t* group = opened("home", "20", TILEDB_MODIFY_EXCLUSIVE);
  assert(tiledb_group_remove_member(ctx, group, "inner") == TILEDB_OK);
  assert(tiledb_group_remove_member(ctx, group, "inner") == TILEDB_ERR);
  expect("Group Details: Cannot remove group member inner, a member with the same name or URI has already been removed.");
  assert(tiledb_group_add_member(ctx, group, out, 0, "out") == TILEDB_OK);
  assert(tiledb_group_add_member(ctx, group, "x", 1, "out") == TILEDB_ERR);
  expect("Group Details: Cannot add group member out, a member with the same name or URI has already been added.");
  assert(tiledb_group_add_member(ctx, group, "nothing there", 1, "none") == TILEDB_OK);
  closed(group);

  group = opened("home", "10", TILEDB_READ);
  assert(count(group) == 2);
  is_member(group, "array", "/home/a", TILEDB_ARRAY, 1);
  tiledb_string_t *uri = NULL, *name = NULL;
  tiledb_object_t type = TILEDB_INVALID;
  int unnamed = 0;
  for (uint64_t i = 0; i < 2; i++) {
    assert(tiledb_group_get_member_by_index_v2(ctx, group, i, &uri, &type, &name) == TILEDB_OK);
    assert(type == (name == NULL ? TILEDB_GROUP : TILEDB_ARRAY));
    unnamed += name == NULL;
    if (name != NULL)
      is_text(name, "array");
    tiledb_string_free(&uri);
  }
  assert(unnamed == 1);
  assert(tiledb_group_get_member_by_index_v2(ctx, group, 2, &uri, &type, &name) == TILEDB_ERR);
  expect("Group Details: index 2 is larger than member count 2");
  assert(tiledb_group_get_member_by_name_v2(ctx, group, "inner", &uri, &type) == TILEDB_ERR);
  expect_begin("Group Details: inner does not exist in group");
  assert(uri == NULL && name == NULL);
  assert(tiledb_group_close(ctx, group) == TILEDB_OK);
  tiledb_group_free(&group);

  group = opened("home", "20", TILEDB_READ);
  assert(count(group) == 3);
  is_member(group, "out", "/out", TILEDB_GROUP, 0);
  is_member(group, "none", "/home/nothing there", TILEDB_INVALID, 1);
  closed(group);
  group = opened("home", "9", TILEDB_READ);
  assert(count(group) == 0);
  closed(group);
}

static void metadata(void) {
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t number = 77, length = 77;
  uint64_t all = 77;
  int32_t has = 77;
  const void* value = NULL;
  const char* key = NULL;
  tiledb_group_t* group = opened("home", "30", TILEDB_WRITE);
  assert(tiledb_group_delete_metadata(ctx, group, "empty") == TILEDB_OK);
  assert(tiledb_group_put_metadata(ctx, group, "text", TILEDB_STRING_UTF8, 3, "abc") == TILEDB_OK);
  closed(group);
  assert(tiledb_group_consolidate_metadata(ctx, "home", NULL) == TILEDB_OK);
  assert(tiledb_group_vacuum_metadata(ctx, "home", NULL) == TILEDB_OK);
  group = opened("home", "30", TILEDB_READ);
  assert(tiledb_group_get_metadata_num(ctx, group, &all) == TILEDB_OK && all == 2);
  assert(tiledb_group_get_metadata(ctx, group, "five", &type, &number, &value) == TILEDB_OK);
  assert(type == TILEDB_INT32 && number == 1 && *(const int32_t*)value == 5);
  assert(tiledb_group_get_metadata_from_index(ctx, group, 1, &key, &length, &type, &number, &value) == TILEDB_OK);
  assert(length == 4 && strcmp(key, "text") == 0 && type == TILEDB_STRING_UTF8 && memcmp(value, "abc", 3) == 0);
  assert(tiledb_group_has_metadata_key(ctx, group, "empty", &type, &has) == TILEDB_OK && has == 0);
  assert(tiledb_group_get_metadata(ctx, group, "empty", &type, &number, &value) == TILEDB_OK && value == NULL);
  closed(group);
}

static void as_text(void) {
  tiledb_string_t* text = NULL;
  tiledb_group_t* group = opened("home/inner", "10", TILEDB_READ);
  assert(tiledb_group_dump_str_v2(ctx, group, &text, 1) == TILEDB_OK);
  is_text(text, "inner GROUP\n|-- bee INVALID\n");
  closed(group);
  group = opened("home", "10", TILEDB_WRITE);
  assert(tiledb_group_remove_member(ctx, group, "array") == TILEDB_OK);
  closed(group);
  /* The group now holds only `inner` at that time. */
  group = opened("home", "10", TILEDB_READ);
  assert(tiledb_group_dump_str_v2(ctx, group, &text, 0) == TILEDB_OK);
  is_text(text, "home GROUP\n|-- inner GROUP\n");
  assert(tiledb_group_dump_str_v2(ctx, group, &text, 1) == TILEDB_OK);
  is_text(text, "home GROUP\n|-- inner GROUP\n|------ bee INVALID\n");
  closed(group);
}

static void handles(void) {
  tiledb_group_t* group = at("home", "10");
  const char* uri = NULL;
  tiledb_query_type_t type = TILEDB_DELETE;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  int32_t open = 77;
  const char* end = NULL;
  assert(tiledb_group_get_uri(ctx, group, &uri) == TILEDB_OK);
  assert(strncmp(uri, "file:///", 8) == 0 && strcmp(strrchr(uri, '/'), "/home") == 0);
  assert(tiledb_group_get_config(ctx, group, &config) == TILEDB_OK);
  assert(tiledb_config_get(config, "sm.group.timestamp_end", &end, &error) == TILEDB_OK && strcmp(end, "10") == 0);
  assert(tiledb_group_is_open(ctx, group, &open) == TILEDB_OK && open == 0);
  assert(tiledb_group_get_query_type(ctx, group, &type) == TILEDB_ERR);
  expect_begin("Group: Cannot get query_type; Group is not open: open 'file:///");
  assert(tiledb_group_open(ctx, group, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_group_is_open(ctx, group, &open) == TILEDB_OK && open == 1);
  assert(tiledb_group_get_query_type(ctx, group, &type) == TILEDB_OK && type == TILEDB_READ);
  assert(tiledb_group_open(ctx, group, TILEDB_READ) == TILEDB_ERR);
  expect_begin("Group: Cannot open group; Group already open: close 'file:///");
  assert(tiledb_group_set_config(ctx, group, config) == TILEDB_ERR);
  expect_begin("Group: [set_config] Cannot set config; Group is open: close 'file:///");
  assert(tiledb_group_add_member(ctx, group, "x", 1, NULL) == TILEDB_ERR);
  expect_begin("Group: Cannot add member; Group was not opened in write or modify_exclusive mode");
  assert(tiledb_group_close(ctx, group) == TILEDB_OK && tiledb_group_close(ctx, group) == TILEDB_OK);
  assert(tiledb_group_open(ctx, group, TILEDB_DELETE) == TILEDB_ERR);
  expect("Group: Cannot open group; Unsupported query type: 2; use TILEDB_READ, TILEDB_WRITE or TILEDB_MODIFY_EXCLUSIVE");
  tiledb_config_free(&config);
  tiledb_group_free(&group);
  assert(tiledb_group_create(ctx, "home") == TILEDB_ERR);
  assert(tiledb_group_alloc(ctx, "foo://x", &group) == TILEDB_ERR && group == NULL);
  expect("C API: Failed to allocate TileDB group API object; Invalid URI: 'foo://x'");
}

/* Members given by relative URIs are found wherever the group is copied to, through memory too. */
static void copies(void) {
  make("first");
  tiledb_vfs_t* vfs = NULL;
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  assert(tiledb_vfs_copy_dir(ctx, vfs, "first", "mem://copies/second") == TILEDB_OK);
  assert(tiledb_vfs_copy_dir(ctx, vfs, "mem://copies/second", "third") == TILEDB_OK);
  tiledb_vfs_free(&vfs);
  tiledb_group_t* group = opened("third", "10", TILEDB_READ);
  assert(count(group) == 2);
  is_member(group, "array", "/third/a", TILEDB_ARRAY, 1);
  closed(group);
  cells("third/a", TILEDB_READ);
  group = opened("third/inner", "10", TILEDB_READ);
  is_member(group, "bee", "/third/inner/b", TILEDB_INVALID, 1);
  closed(group);
}

static void deletion(void) {
  tiledb_object_t type = TILEDB_INVALID;
  tiledb_group_t* group = opened("third", "10", TILEDB_READ);
  assert(tiledb_group_delete_group(ctx, group, "third", 1) == TILEDB_ERR);
  expect_begin("Group: [delete_group] Query type must be MODIFY_EXCLUSIVE or WRITE: open 'file:///");
  closed(group);
  group = opened("third", "10", TILEDB_MODIFY_EXCLUSIVE);
  assert(tiledb_group_delete_group(ctx, group, "third", 0) == TILEDB_OK);
  int32_t open = 77;
  assert(tiledb_group_is_open(ctx, group, &open) == TILEDB_OK && open == 0);
  closed(group);
  assert(tiledb_object_type(ctx, "third", &type) == TILEDB_OK && type == TILEDB_INVALID);
  assert(tiledb_object_type(ctx, "third/a", &type) == TILEDB_OK && type == TILEDB_ARRAY);
  make("mem://fourth");
  group = opened("mem://fourth", "10", TILEDB_MODIFY_EXCLUSIVE);
  assert(tiledb_group_delete_group(ctx, group, "mem://fourth", 1) == TILEDB_OK);
  closed(group);
  assert(tiledb_object_type(ctx, "mem://fourth/a", &type) == TILEDB_OK && type == TILEDB_INVALID);
  /* As libtiledb 2.31 does it. */
  make("mem://fourth");
  group = opened("mem://fourth", "10", TILEDB_WRITE);
  assert(tiledb_group_delete_group(ctx, group, "mem://fourth", 0) == TILEDB_OK);
  closed(group);
  assert(tiledb_object_type(ctx, "mem://fourth", &type) == TILEDB_OK && type == TILEDB_INVALID);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  over_time();
  metadata();
  as_text();
  handles();
  copies();
  deletion();
  tiledb_ctx_free(&ctx);
  return 0;
}
