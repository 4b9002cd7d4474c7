/* Dimensions: the rules of domains and tile extents, borrowed values, text. */
#include "common.h"
#include <math.h>

/* Making the dimension fails with this text. */
static void refused(tiledb_datatype_t type, const void* domain, const void* extent, const char* text) {
  tiledb_dimension_t* dim = NULL;
  assert(tiledb_dimension_alloc(ctx, "d", type, domain, extent, &dim) == TILEDB_ERR && dim == NULL);
  expect(text);
}

static void test_values(void) {
  const int32_t domain[2] = {-5, 4}, extent = 2;
  tiledb_dimension_t* dim = NULL;
  const void* value = NULL;
  const char* name = NULL;
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t number = 7;
  assert(tiledb_dimension_alloc(ctx, "rows", TILEDB_INT32, domain, &extent, &dim) == TILEDB_OK);
  assert(tiledb_dimension_get_name(ctx, dim, &name) == TILEDB_OK && strcmp(name, "rows") == 0);
  assert(tiledb_dimension_get_type(ctx, dim, &type) == TILEDB_OK && type == TILEDB_INT32);
  assert(tiledb_dimension_get_domain(ctx, dim, &value) == TILEDB_OK);
  assert(((const int32_t*)value)[0] == -5 && ((const int32_t*)value)[1] == 4);
  assert(tiledb_dimension_get_tile_extent(ctx, dim, &value) == TILEDB_OK);
  assert(*(const int32_t*)value == 2);
  assert(tiledb_dimension_get_cell_val_num(ctx, dim, &number) == TILEDB_OK && number == 1);
  assert(tiledb_dimension_set_cell_val_num(ctx, dim, 1) == TILEDB_OK);
  assert(tiledb_dimension_set_cell_val_num(ctx, dim, 2) == TILEDB_ERR);
  expect(
      "Dimension: Cannot set number of values per coordinate; Currently only one value per coordinate is "
      "supported: 'rows' takes 1, not 2");
  tiledb_dimension_free(&dim);
  assert(dim == NULL);
}

static void test_strings(void) {
  tiledb_dimension_t* dim = NULL;
  const void* value = &dim;
  uint32_t number = 7;
  assert(tiledb_dimension_alloc(ctx, "s", TILEDB_STRING_ASCII, NULL, NULL, &dim) == TILEDB_OK);
  assert(tiledb_dimension_get_domain(ctx, dim, &value) == TILEDB_OK && value == NULL);
  assert(tiledb_dimension_get_tile_extent(ctx, dim, &value) == TILEDB_OK && value == NULL);
  assert(tiledb_dimension_get_cell_val_num(ctx, dim, &number) == TILEDB_OK && number == TILEDB_VAR_NUM);
  tiledb_dimension_free(&dim);
  refused(TILEDB_STRING_ASCII, "ab", NULL,
          "Dimension: Setting the domain to a dimension with type 'STRING_ASCII' is not supported");
  refused(TILEDB_STRING_ASCII, NULL, "a",
          "Dimension: Setting the tile extent to a dimension with type 'STRING_ASCII' is not supported");
}

static void test_domains(void) {
  const int32_t backwards[2] = {4, 1};
  const uint64_t all[2] = {0, UINT64_MAX};
  const double nan_[2] = {NAN, 1}, infinite[2] = {0, INFINITY};
  refused(TILEDB_INT32, backwards, NULL,
          "Dimension: Domain check failed; Upper domain bound should not be smaller than the lower one: dimension 'd' has [4, 1]");
  refused(TILEDB_UINT64, all, NULL,
          "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum unsigned "
          "number: dimension 'd' has [0, 18446744073709551615]; make it smaller by one");
  refused(TILEDB_FLOAT64, nan_, NULL,
          "Dimension: Domain check failed; domain contains NaN or infinity: dimension 'd' has [NaN, 1]; pass finite bounds");
  refused(TILEDB_FLOAT64, infinite, NULL,
          "Dimension: Domain check failed; domain contains NaN or infinity: dimension 'd' has [0, inf]; pass finite bounds");
  refused(TILEDB_INT32, NULL, NULL, "Dimension: Cannot set tile extent; Domain must be set first: dimension 'd' has none");
  refused(TILEDB_STRING_UTF8, NULL, NULL,
          "TileDB internal: Datatype::STRING_UTF8 is not a valid Dimension Datatype");
  refused((tiledb_datatype_t)99, NULL, NULL,
          "TileDB internal: [Dimension::ensure_datatype_is_supported]  (TileDB internal: Invalid Datatype (99))");
}

static void test_extents(void) {
  const int32_t domain[2] = {1, 4}, zero = 0, five = 5, negative = -1;
  const double real[2] = {1, 4}, large = 5, none = 0;
  const uint64_t high[2] = {0, UINT64_MAX - 1}, ten = 10;
  refused(TILEDB_INT32, domain, &zero,
          "Dimension: Tile extent check failed on dimension 'd'; Tile extent must not be 0");
  refused(TILEDB_INT32, domain, &five,
          "Dimension: Tile extent check failed on dimension 'd'; Tile extent 5 exceeds range on dimension domain "
          "[1, 4]");
  refused(TILEDB_INT32, domain, &negative,
          "Dimension: Tile extent check failed on dimension 'd'; Tile extent -1 exceeds range on dimension domain "
          "[1, 4]");
  refused(TILEDB_FLOAT64, real, &large,
          "Dimension: Tile extent check failed on dimension 'd'; Tile extent 5.000000 exceeds range on dimension "
          "domain [1.000000, 4.000000]");
  refused(TILEDB_FLOAT64, real, &none,
          "Dimension: Tile extent check failed on dimension 'd'; Tile extent must be greater than 0");
  refused(TILEDB_UINT64, high, &ten,
          "Dimension: Tile extent check failed; domain max expanded to multiple of tile extent exceeds max value "
          "representable by domain type. Reduce domain max by 1 tile extent to allow for expansion. Dimension 'd' has "
          "the domain [0, 18446744073709551614] and the tile extent 10");
}

static void test_text(void) {
  const double domain[2] = {0.123456789, 1e10}, extent = 1e-5;
  const char* expected =
      "### Dimension ###\n- Name: x\n- Type: FLOAT64\n- Cell val num: 1\n- Domain: [0.123457, 1e+10]\n"
      "- Tile extent: 1e-05\n- Filters: 0\n";
  tiledb_dimension_t* dim = NULL;
  tiledb_string_t* dump = NULL;
  const char* text = NULL;
  size_t length = 0;
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_FLOAT64, domain, &extent, &dim) == TILEDB_OK);
  assert(tiledb_dimension_dump_str(ctx, dim, &dump) == TILEDB_OK);
  assert(tiledb_string_view(dump, &text, &length) == TILEDB_OK);
  assert(length == strlen(expected) && memcmp(text, expected, length) == 0);
  assert(tiledb_string_free(&dump) == TILEDB_OK);
  tiledb_dimension_free(&dim);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  test_values();
  test_strings();
  test_domains();
  test_extents();
  test_text();
  tiledb_ctx_free(&ctx);
  return 0;
}
