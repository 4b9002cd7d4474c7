/* Metadata of arrays: putting, deleting, reading at times, all datatypes, many keys, and the errors. */
#include "common.h"
#include <time.h>

static void create(const char* uri) {
  int32_t domain[] = {1, 4}, extent = 4;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* whole = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, domain, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &whole) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, whole, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT64, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, whole) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&whole);
  tiledb_dimension_free(&dimension);
}

static tiledb_array_t* opened(const char* uri, tiledb_query_type_t type, uint64_t end) {
  tiledb_array_t* array = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_set_open_timestamp_end(ctx, array, end) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, type) == TILEDB_OK);
  return array;
}

static void closed(tiledb_array_t* array) {
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static uint64_t count(tiledb_array_t* array) {
  uint64_t num = 77;
  assert(tiledb_array_get_metadata_num(ctx, array, &num) == TILEDB_OK);
  return num;
}

static void is_missing(tiledb_array_t* array, const char* key) {
  tiledb_datatype_t type = TILEDB_UINT64;
  uint32_t num = 9;
  const void* value = &num;
  int32_t has = 77;
  assert(tiledb_array_get_metadata(ctx, array, key, &type, &num, &value) == TILEDB_OK);
  assert(value == NULL && num == 9 && type == TILEDB_INT32);
  type = TILEDB_UINT64;
  assert(tiledb_array_has_metadata_key(ctx, array, key, &type, &has) == TILEDB_OK);
  assert(has == 0 && type == TILEDB_UINT64);
}

static void is_value(tiledb_array_t* array, const char* key, tiledb_datatype_t type, uint32_t num, const void* bytes) {
  tiledb_datatype_t actual_type = TILEDB_ANY;
  uint32_t actual_num = 77;
  const void* value = NULL;
  int32_t has = 77;
  assert(tiledb_array_get_metadata(ctx, array, key, &actual_type, &actual_num, &value) == TILEDB_OK);
  assert(actual_type == type && actual_num == num && (value == NULL) == (bytes == NULL));
  if (bytes != NULL)
    assert((uintptr_t)value % 8 == 0 && memcmp(value, bytes, num * tiledb_datatype_size(type)) == 0);
  assert(tiledb_array_has_metadata_key(ctx, array, key, &actual_type, &has) == TILEDB_OK);
  assert(has == 1 && actual_type == type);
}

static void at_times(const char* uri) {
  int32_t numbers[] = {1, 2, 3};
  tiledb_array_t* array = opened(uri, TILEDB_WRITE, 10);
  assert(tiledb_array_put_metadata(ctx, array, "numbers", TILEDB_INT32, 3, numbers) == TILEDB_OK);
  numbers[0] = 99; /* the value was copied */
  assert(tiledb_array_put_metadata(ctx, array, "empty", TILEDB_STRING_UTF8, 0, numbers) == TILEDB_OK);
  assert(tiledb_array_put_metadata(ctx, array, "none", TILEDB_FLOAT64, 3, NULL) == TILEDB_OK);
  assert(tiledb_array_put_metadata(ctx, array, "", TILEDB_CHAR, 2, "ab") == TILEDB_OK);
  assert(tiledb_array_put_metadata(ctx, array, "fleeting", TILEDB_CHAR, 2, "ab") == TILEDB_OK);
  assert(tiledb_array_delete_metadata(ctx, array, "fleeting") == TILEDB_OK);
  assert(tiledb_array_delete_metadata(ctx, array, "never there") == TILEDB_OK);
  closed(array);
  array = opened(uri, TILEDB_MODIFY_EXCLUSIVE, 20);
  assert(tiledb_array_put_metadata(ctx, array, "numbers", TILEDB_INT32, 1, numbers) == TILEDB_OK);
  assert(tiledb_array_delete_metadata(ctx, array, "empty") == TILEDB_OK);
  closed(array);
  array = opened(uri, TILEDB_WRITE, 30); /* freed without closing: nothing is written */
  assert(tiledb_array_put_metadata(ctx, array, "lost", TILEDB_CHAR, 1, "x") == TILEDB_OK);
  tiledb_array_free(&array);

  array = opened(uri, TILEDB_READ, 10);
  numbers[0] = 1;
  assert(count(array) == 4);
  is_value(array, "numbers", TILEDB_INT32, 3, numbers);
  is_value(array, "empty", TILEDB_STRING_UTF8, 1, NULL);
  is_value(array, "none", TILEDB_FLOAT64, 1, NULL);
  is_value(array, "", TILEDB_CHAR, 2, "ab");
  is_missing(array, "fleeting");
  const char* order[] = {"", "empty", "none", "numbers"};
  for (uint64_t i = 0; i < 4; i++) {
    const char* key = NULL;
    uint32_t len = 77, num = 77;
    tiledb_datatype_t type;
    const void* value = NULL;
    assert(tiledb_array_get_metadata_from_index(ctx, array, i, &key, &len, &type, &num, &value) == TILEDB_OK);
    assert(len == strlen(order[i]) && memcmp(key, order[i], len + 1) == 0);
    is_value(array, order[i], type, num, value);
  }
  assert(tiledb_array_set_open_timestamp_end(ctx, array, UINT64_MAX) == TILEDB_OK);
  assert(tiledb_array_reopen(ctx, array) == TILEDB_OK);
  numbers[0] = 99;
  assert(count(array) == 3);
  is_value(array, "numbers", TILEDB_INT32, 1, numbers);
  is_missing(array, "empty");
  is_missing(array, "lost");
  closed(array);
}

static void datatypes(const char* uri) {
  uint64_t bytes[] = {0x0807060504030201, 0x0101010101010101};
  char key[16];
  tiledb_array_t* array = opened(uri, TILEDB_WRITE, 40);
  for (int type = TILEDB_INT32; type <= TILEDB_GEOM_WKT; type++)
    if (type != TILEDB_ANY) {
      sprintf(key, "type%d", type);
      assert(tiledb_array_put_metadata(ctx, array, key, (tiledb_datatype_t)type, 2, bytes) == TILEDB_OK);
    }
  closed(array);
  array = opened(uri, TILEDB_READ, 40);
  for (int type = TILEDB_INT32; type <= TILEDB_GEOM_WKT; type++)
    if (type != TILEDB_ANY) {
      sprintf(key, "type%d", type);
      is_value(array, key, (tiledb_datatype_t)type, 2, bytes);
    }
  closed(array);
}

static void many(const char* uri) {
  char key[32];
  clock_t start = clock();
  tiledb_array_t* array = opened(uri, TILEDB_WRITE, 50);
  for (int i = 0; i < 10000; i++) {
    sprintf(key, "many%05d", i);
    assert(tiledb_array_put_metadata(ctx, array, key, TILEDB_INT32, 1, &i) == TILEDB_OK);
  }
  closed(array);
  assert((double)(clock() - start) / CLOCKS_PER_SEC < 1); /* far less, unless puts cost more the more there are */
  array = opened(uri, TILEDB_READ, 50);
  for (int i = 0; i < 10000; i += 997) {
    sprintf(key, "many%05d", i);
    is_value(array, key, TILEDB_INT32, 1, &i);
  }
  closed(array);
}

static void errors(const char* uri) {
  tiledb_datatype_t type = TILEDB_INT32;
  uint32_t num = 77, len = 77;
  uint64_t total = 77;
  int32_t has = 77;
  const void* value = NULL;
  const char* key = NULL;
  tiledb_array_t* array = opened(uri, TILEDB_READ, UINT64_MAX);
  assert(tiledb_array_put_metadata(ctx, array, "a", TILEDB_INT32, 1, &num) == TILEDB_ERR);
  expect_begin("Array: Cannot put metadata; Array was not opened in write or modify_exclusive mode: open 'file:///");
  assert(tiledb_array_delete_metadata(ctx, array, "a") == TILEDB_ERR);
  expect_begin("Array: Cannot delete metadata. Array was not opened in write or modify_exclusive mode: open 'file:///");
  assert(tiledb_array_get_metadata(ctx, array, NULL, &type, &num, &value) == TILEDB_ERR);
  expect("Array: Cannot get metadata; Key cannot be null");
  assert(tiledb_array_get_metadata_from_index(ctx, array, 100000, &key, &len, &type, &num, &value) == TILEDB_ERR);
  expect("Metadata: Cannot get metadata; index out of bounds: 100000 is not below 10046");
  assert(tiledb_array_get_metadata(ctx, array, "a", NULL, NULL, NULL) == TILEDB_ERR);
  expect("C API: Invalid output pointer for object");
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  assert(tiledb_array_put_metadata(ctx, array, "a", TILEDB_INT32, 1, &num) == TILEDB_ERR);
  expect_begin("Array: Cannot put metadata; Array is not open: open 'file:///");
  assert(tiledb_array_get_metadata_num(ctx, array, &total) == TILEDB_ERR);
  expect_begin("Array: Cannot get number of metadata; Array is not open: open 'file:///");
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_array_put_metadata(ctx, array, NULL, TILEDB_INT32, 1, &num) == TILEDB_ERR);
  expect("Array: Cannot put metadata; Key cannot be null");
  assert(tiledb_array_delete_metadata(ctx, array, NULL) == TILEDB_ERR);
  expect("Array: Cannot delete metadata. Key cannot be null");
  assert(tiledb_array_put_metadata(ctx, array, "a", TILEDB_ANY, 1, &num) == TILEDB_ERR);
  expect("Array: Cannot put metadata; Value type cannot be ANY: give key 'a' another datatype");
  assert(tiledb_array_put_metadata(ctx, array, "a", (tiledb_datatype_t)999, 1, &num) == TILEDB_ERR);
  assert(tiledb_array_get_metadata(ctx, array, "a", &type, &num, &value) == TILEDB_ERR);
  expect_begin("Array: Cannot get metadata; Array was not opened in read mode: open 'file:///");
  assert(tiledb_array_has_metadata_key(ctx, array, "a", &type, &has) == TILEDB_ERR);
  assert(tiledb_array_get_metadata_num(ctx, array, &total) == TILEDB_ERR);
  expect_begin("Array: Cannot get number of metadata; Array was not opened in read mode: open 'file:///");
  assert(num == 77 && len == 77 && total == 77 && has == 77 && value == NULL && key == NULL);
  closed(array);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  create("array");
  at_times("array");
  datatypes("array");
  many("array");
  errors("array");
  tiledb_ctx_free(&ctx);
  return 0;
}
