/* Domains: dimensions by position and name, handles that outlive their parents. */
#include "common.h"

static void add(tiledb_domain_t* domain, const char* name, tiledb_datatype_t type, const void* range) {
  tiledb_dimension_t* dim = NULL;
  assert(tiledb_dimension_alloc(ctx, name, type, range, NULL, &dim) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dim) == TILEDB_OK);
  tiledb_dimension_free(&dim);
}

static void test_empty(void) {
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dim = NULL;
  tiledb_datatype_t type;
  uint32_t count = 7;
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_get_ndim(ctx, domain, &count) == TILEDB_OK && count == 0);
  assert(tiledb_domain_get_dimension_from_index(ctx, domain, 0, &dim) == TILEDB_OK && dim == NULL);
  assert(tiledb_domain_get_dimension_from_index(ctx, domain, 1, &dim) == TILEDB_ERR && dim == NULL);
  assert(tiledb_domain_get_dimension_from_name(ctx, domain, "x", &dim) == TILEDB_OK && dim == NULL);
  assert(tiledb_domain_get_type(ctx, domain, &type) == TILEDB_ERR);
  expect("C API: Cannot get domain type; Domain has no dimensions");
  tiledb_domain_free(&domain);
  assert(domain == NULL);
}

static void test_dimensions(void) {
  const int64_t rows[2] = {0, 9}, columns[2] = {1, 5};
  const float depth[2] = {0, 1};
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dim = NULL;
  tiledb_datatype_t type = TILEDB_ANY;
  const char* name = NULL;
  int32_t has = 7;
  uint32_t count = 7;
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  add(domain, "rows", TILEDB_INT64, rows);
  add(domain, "columns", TILEDB_INT64, columns);
  assert(tiledb_domain_get_ndim(ctx, domain, &count) == TILEDB_OK && count == 2);
  assert(tiledb_domain_get_type(ctx, domain, &type) == TILEDB_OK && type == TILEDB_INT64);
  assert(tiledb_domain_has_dimension(ctx, domain, "rows", &has) == TILEDB_OK && has == 1);
  assert(tiledb_domain_has_dimension(ctx, domain, "row", &has) == TILEDB_OK && has == 0);
  assert(tiledb_domain_get_dimension_from_index(ctx, domain, 3, &dim) == TILEDB_ERR);
  expect("C API: Dimension index 3 is out of bounds; valid indices are 0 to 1");
  assert(tiledb_domain_get_dimension_from_name(ctx, domain, "zz", &dim) == TILEDB_ERR);
  expect_begin("C API: Dimension 'zz' does not exist");
  add(domain, "depth", TILEDB_FLOAT32, depth);
  assert(tiledb_domain_get_type(ctx, domain, &type) == TILEDB_ERR);
  expect("C API: Cannot get domain type; Not applicable to heterogeneous dimensions: get the type of each by tiledb_dimension_get_type");

  /* A dimension stays valid without its domain. */
  assert(tiledb_domain_get_dimension_from_name(ctx, domain, "columns", &dim) == TILEDB_OK);
  tiledb_domain_free(&domain);
  assert(tiledb_dimension_get_name(ctx, dim, &name) == TILEDB_OK && strcmp(name, "columns") == 0);
  tiledb_dimension_free(&dim);
}

static void test_text(void) {
  const int64_t rows[2] = {0, 9};
  const char* expected =
      "\n### Dimension ###\n- Name: rows\n- Type: INT64\n- Cell val num: 1\n- Domain: [0, 9]\n"
      "- Tile extent: null\n- Filters: 0\n";
  tiledb_domain_t* domain = NULL;
  tiledb_string_t* dump = NULL;
  const char* text = NULL;
  size_t length = 0;
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  add(domain, "rows", TILEDB_INT64, rows);
  assert(tiledb_domain_dump_str(ctx, domain, &dump) == TILEDB_OK);
  assert(tiledb_string_view(dump, &text, &length) == TILEDB_OK);
  assert(length == strlen(expected) && memcmp(text, expected, length) == 0);
  assert(tiledb_string_free(&dump) == TILEDB_OK);
  tiledb_domain_free(&domain);
}

/* Filters set on a dimension of a domain are the domain's, whichever handle they were set on. */
static void test_shared_dimensions(void) {
  const int32_t range[2] = {1, 10}, extent = 5;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t *dim = NULL, *again = NULL;
  tiledb_filter_t* filter = NULL;
  tiledb_filter_list_t *list = NULL, *shared = NULL;
  uint32_t count = 0;
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, range, &extent, &dim) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dim) == TILEDB_OK);
  tiledb_dimension_free(&dim);
  assert(tiledb_filter_alloc(ctx, TILEDB_FILTER_GZIP, &filter) == TILEDB_OK);
  assert(tiledb_filter_list_alloc(ctx, &list) == TILEDB_OK);
  assert(tiledb_filter_list_add_filter(ctx, list, filter) == TILEDB_OK);
  assert(tiledb_domain_get_dimension_from_index(ctx, domain, 0, &dim) == TILEDB_OK);
  assert(tiledb_dimension_set_filter_list(ctx, dim, list) == TILEDB_OK);
  assert(tiledb_domain_get_dimension_from_name(ctx, domain, "d", &again) == TILEDB_OK);
  assert(tiledb_dimension_get_filter_list(ctx, again, &shared) == TILEDB_OK);
  assert(tiledb_filter_list_get_nfilters(ctx, shared, &count) == TILEDB_OK && count == 1);
  tiledb_filter_list_free(&shared);
  tiledb_filter_list_free(&list);
  tiledb_filter_free(&filter);
  tiledb_dimension_free(&again);
  tiledb_dimension_free(&dim);
  tiledb_domain_free(&domain);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  test_empty();
  test_dimensions();
  test_text();
  test_shared_dimensions();
  tiledb_ctx_free(&ctx);
  return 0;
}
