/* Arrays: creating, opening at times, closing, reopening, schema, empty domains, and their errors. */
#include "common.h"

static void create(const char* uri, int32_t code) {
  int32_t domain[] = {1, 100}, extent = 10;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* whole = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "d1", TILEDB_INT32, domain, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &whole) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, whole, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT64, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, whole) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == code);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&whole);
  tiledb_dimension_free(&dimension);
}

static void times_are(tiledb_array_t* array, uint64_t start, uint64_t end) {
  uint64_t times[2] = {77, 77};
  assert(tiledb_array_get_open_timestamp_start(ctx, array, &times[0]) == TILEDB_OK);
  assert(tiledb_array_get_open_timestamp_end(ctx, array, &times[1]) == TILEDB_OK);
  assert(times[0] == start && times[1] == end);
}

static int is_open(tiledb_array_t* array) {
  int32_t yes = 77;
  assert(tiledb_array_is_open(ctx, array, &yes) == TILEDB_OK);
  return yes;
}

static void opening(const char* uri, const char* full) {
  tiledb_array_t* array = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_query_type_t type = TILEDB_WRITE;
  const char* actual = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_get_uri(ctx, array, &actual) == TILEDB_OK && strcmp(actual, full) == 0);
  times_are(array, 0, UINT64_MAX);
  assert(!is_open(array) && tiledb_array_close(ctx, array) == TILEDB_OK);
  assert(tiledb_array_get_query_type(ctx, array, &type) == TILEDB_OK && type == TILEDB_READ);
  assert(tiledb_array_get_schema(ctx, array, &schema) == TILEDB_ERR && schema == NULL);
  expect_begin("[TileDB::Array] Error: Cannot get array schema; Array is not open: open 'file:///");
  assert(tiledb_array_reopen(ctx, array) == TILEDB_ERR);
  expect_begin("[TileDB::Array] Error: Cannot reopen array; Array is not open: open 'file:///");

  assert(tiledb_array_set_open_timestamp_start(ctx, array, 3) == TILEDB_OK);
  assert(tiledb_array_set_open_timestamp_end(ctx, array, 15) == TILEDB_OK);
  times_are(array, 3, UINT64_MAX);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK && is_open(array));
  times_are(array, 3, 15);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_ERR);
  expect_begin("[TileDB::Array] Error: Cannot open array; Array already open. Close 'file:///");
  assert(tiledb_array_set_open_timestamp_end(ctx, array, 8) == TILEDB_OK);
  times_are(array, 3, 15);
  assert(tiledb_array_reopen(ctx, array) == TILEDB_OK);
  times_are(array, 3, 8);
  assert(tiledb_array_get_schema(ctx, array, &schema) == TILEDB_OK);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK && !is_open(array));
  assert(tiledb_array_schema_check(ctx, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);

  assert(tiledb_array_set_open_timestamp_end(ctx, array, UINT64_MAX) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  times_are(array, 3, 0);
  assert(tiledb_array_get_query_type(ctx, array, &type) == TILEDB_OK && type == TILEDB_WRITE);
  assert(tiledb_array_reopen(ctx, array) == TILEDB_ERR);
  expect_begin("[TileDB::Array] Error: Cannot reopen array; Array was not opened in read mode: close 'file:///");
  tiledb_array_free(&array);
  assert(array == NULL);
}

static void empty_domain(const char* uri) {
  tiledb_array_t* array = NULL;
  int32_t range[2] = {5, 6}, empty = 77;
  uint64_t sizes[2];
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_get_non_empty_domain(ctx, array, range, &empty) == TILEDB_ERR);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_array_get_non_empty_domain(ctx, array, range, &empty) == TILEDB_OK);
  assert(empty == 1 && range[0] == 5 && range[1] == 6);
  assert(tiledb_array_get_non_empty_domain(ctx, array, NULL, &empty) == TILEDB_ERR);
  expect("C API: Invalid output pointer for object");
  assert(tiledb_array_get_non_empty_domain_from_index(ctx, array, 7, range, &empty) == TILEDB_ERR);
  expect("Array: Cannot get non-empty domain; Invalid dimension index: 7 is not below 1");
  assert(tiledb_array_get_non_empty_domain_from_name(ctx, array, "zz", range, &empty) == TILEDB_ERR);
  expect_begin("Array: Cannot get non-empty domain; Dimension name 'zz' does not exist");
  assert(
      tiledb_array_get_non_empty_domain_var_size_from_index(ctx, array, 0, &sizes[0], &sizes[1], &empty) ==
      TILEDB_ERR);
  expect("Array: Cannot get non-empty domain; Dimension 'd1' is fixed-sized");
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_array_get_non_empty_domain(ctx, array, range, &empty) == TILEDB_ERR);
  expect_begin("Array: [non_empty_domain] Array not opened for reads: open 'file:///");
  tiledb_array_free(&array);
}

static void missing(const char* uri) {
  tiledb_array_t* array = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_encryption_type_t type;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_ERR);
  expect_begin("[TileDB::Array] Error: Cannot open array; Array does not exist. There is no array at 'file:///");
  tiledb_array_free(&array);
  assert(tiledb_array_schema_load(ctx, uri, &schema) == TILEDB_ERR && schema == NULL);
  expect_begin("TileDB internal: Cannot open array; Array does not exist. There is no array at 'file:///");
  assert(tiledb_array_encryption_type(ctx, uri, &type) == TILEDB_ERR);
  expect_begin("TileDB internal: Cannot open array; Array does not exist. There is no array at 'file:///");
}

static void configuration(const char* uri) {
  tiledb_array_t* array = NULL;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.encryption_type", "AES_256_GCM", &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.encryption_key", "0123456789abcdeF0123456789abcdeF", &error) == TILEDB_OK);
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_set_config(ctx, array, config) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, (tiledb_query_type_t)77) == TILEDB_ERR);
  expect("[TileDB::Array] Error: Array: Cannot open array; Unsupported query type. 77 is no tiledb_query_type_t");
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_ERR);
  expect_begin(
      "[TileDB::Array] Error: ArrayDirectory: GenericTileIO: Error reading generic tile; tile is encrypted with "
      "NO_ENCRYPTION but given key is for AES_256_GCM");
  tiledb_config_free(&config);
  /* What is not set stays as it was set before. */
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_array_set_config(ctx, array, config) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_ERR);
  assert(tiledb_config_set(config, "sm.encryption_type", "NO_ENCRYPTION", &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.encryption_key", "", &error) == TILEDB_OK);
  assert(tiledb_array_set_config(ctx, array, config) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_array_set_config(ctx, array, config) == TILEDB_ERR);
  expect_begin("Array: [set_config] Cannot set a config on an open array: close 'file:///");
  tiledb_config_free(&config);

  /* The array's own, or that of the context. */
  const char* value = NULL;
  assert(tiledb_array_get_config(ctx, array, &config) == TILEDB_OK);
  assert(tiledb_config_get(config, "sm.encryption_type", &value, &error) == TILEDB_OK);
  assert(strcmp(value, "NO_ENCRYPTION") == 0);
  tiledb_config_free(&config);
  tiledb_array_free(&array);
}

/* The schema is loaded with a configuration of its own, whose key nobody looks at: that of the context counts. */
static void schema_with_configuration(const char* uri) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  tiledb_array_type_t type = TILEDB_SPARSE;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_array_schema_load_with_config(ctx, config, uri, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_get_array_type(ctx, schema, &type) == TILEDB_OK && type == TILEDB_DENSE);
  tiledb_array_schema_free(&schema);
  assert(tiledb_config_set(config, "sm.encryption_type", "AES_256_GCM", &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.encryption_key", "0123456789abcdeF0123456789abcdeF", &error) == TILEDB_OK);
  assert(tiledb_array_schema_load_with_config(ctx, config, uri, &schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_config_free(&config);
}

int main(void) {
  const char* uri = "array";
  const char* absolute = NULL;
  char full[600], text[700];
  tiledb_encryption_type_t type;
  tiledb_array_t* array = NULL;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_get_uri(ctx, array, &absolute) == TILEDB_OK);
  assert(strncmp(absolute, "file:///", 8) == 0 && strcmp(strrchr(absolute, '/'), "/array") == 0);
  snprintf(full, sizeof full, "%s", absolute);
  tiledb_array_free(&array);
  missing(uri);
  create(uri, TILEDB_OK);
  create(uri, TILEDB_ERR);
  snprintf(text, sizeof text, "Array: Cannot create array; Array '%s' already exists", full);
  expect_begin(text);
  assert(tiledb_array_encryption_type(ctx, uri, &type) == TILEDB_OK && type == TILEDB_NO_ENCRYPTION);
  opening(uri, full);
  empty_domain(uri);
  configuration(uri);
  schema_with_configuration(uri);
  tiledb_ctx_free(&ctx);
  return 0;
}
