/* Arrays for older readers: the version of new arrays, which releases read an array, and copies in older versions. */
#include "common.h"

static const char* text_of(tiledb_string_t* string) {
  static char text[1024];
  const char* bytes = NULL;
  size_t length = 0;
  assert(tiledb_string_view(string, &bytes, &length) == TILEDB_OK && length < sizeof text);
  memcpy(text, bytes, length);
  text[length] = '\0';
  return text;
}

static void make_array(const char* uri, int with_geometry) {
  int32_t domain[] = {1, 4}, extent = 2;
  tiledb_dimension_t* dim = NULL;
  tiledb_domain_t* dom = NULL;
  tiledb_attribute_t* attr = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, domain, &extent, &dim) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &dom) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, dom, dim) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", with_geometry ? TILEDB_GEOM_WKB : TILEDB_INT32, &attr) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, dom) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attr) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attr);
  tiledb_domain_free(&dom);
  tiledb_dimension_free(&dim);
}

static void write_cells(const char* uri) {
  int32_t a[] = {1, 2, 3, 4};
  uint64_t size = sizeof a;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static void read_cells(const char* uri) {
  int32_t a[4] = {0}, low = 1, high = 4;
  uint64_t size = sizeof a;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_add_range(ctx, subarray, 0, &low, &high, NULL) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(size == sizeof a && a[0] == 1 && a[3] == 4);
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  tiledb_array_free(&array);
}

static int32_t note(uint64_t done, uint64_t total, void* data) {
  assert(done <= total);
  ++*(int*)data;
  return TILEDB_RS_CONTINUE;
}

static int32_t stop(uint64_t done, uint64_t total, void* data) {
  (void)done, (void)total, (void)data;
  return TILEDB_RS_STOP;
}

int main(void) {
  uint32_t version = 0, required = 0;
  tiledb_string_t* readers = NULL;
  int calls = 0;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  assert(tiledb_rs_array_compatibility(ctx, "plain", &version, &required, &readers) == TILEDB_ERR && readers == NULL);
  make_array("plain", 0);
  write_cells("plain");
  make_array("shapes", 1);
  assert(tiledb_rs_array_compatibility(ctx, "plain", &version, &required, &readers) == TILEDB_OK);
  assert(version == 22 && required == 18);
  assert(strncmp(text_of(readers), "libtiledb 2.25 and later\nformat version 22 (libtiledb 2.25): 1 schema, 1 fragment\n", 80) == 0);
  assert(tiledb_string_free(&readers) == TILEDB_OK);
  assert(tiledb_rs_array_compatibility(ctx, "shapes", &version, &required, &readers) == TILEDB_OK);
  assert(version == 22 && required == 21 && strstr(text_of(readers), "geometry datatypes, since version 21 (libtiledb 2.21)"));
  assert(tiledb_string_free(&readers) == TILEDB_OK);
  assert(tiledb_rs_array_compatibility(ctx, "plain", NULL, &required, &readers) == TILEDB_ERR);
  assert(tiledb_rs_array_compatibility(ctx, "plain", &version, NULL, &readers) == TILEDB_ERR);
  assert(tiledb_rs_array_compatibility(ctx, "plain", &version, &required, NULL) == TILEDB_ERR);
  assert(tiledb_rs_array_compatibility(ctx, NULL, &version, &required, &readers) == TILEDB_ERR && readers == NULL);

  assert(tiledb_rs_array_downgrade(ctx, "plain", "copy", 18, note, &calls) == TILEDB_OK && calls > 0);
  read_cells("copy");
  assert(tiledb_rs_array_compatibility(ctx, "copy", &version, &required, &readers) == TILEDB_OK);
  assert(version == 18 && strncmp(text_of(readers), "libtiledb 2.15 and later\n", 25) == 0);
  assert(tiledb_string_free(&readers) == TILEDB_OK);
  assert(tiledb_rs_array_downgrade(ctx, "plain", "copy", 18, note, &calls) == TILEDB_ERR);
  expect_within("already exists");
  assert(tiledb_rs_array_downgrade(ctx, "plain", "other", 17, note, &calls) == TILEDB_ERR);
  expect_within("this library writes versions 18 to 23");
  assert(tiledb_rs_array_downgrade(ctx, "shapes", "other", 20, note, &calls) == TILEDB_ERR);
  expect_within("geometry datatypes (attribute 'a' of type GEOM_WKB) requires version 21 (libtiledb 2.21)");
  assert(tiledb_rs_array_downgrade(ctx, "plain", "other", 18, stop, NULL) == TILEDB_ERR);
  assert(tiledb_rs_array_downgrade(ctx, "plain", "other", 18, NULL, NULL) == TILEDB_ERR);
  assert(tiledb_rs_array_downgrade(ctx, NULL, "other", 18, note, &calls) == TILEDB_ERR);
  assert(tiledb_rs_array_downgrade(ctx, "plain", NULL, 18, note, &calls) == TILEDB_ERR);
  tiledb_object_t type;
  assert(tiledb_object_type(ctx, "other", &type) == TILEDB_OK && type == TILEDB_INVALID);
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
