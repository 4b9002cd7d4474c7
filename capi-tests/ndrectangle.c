/* Rectangles over the dimensions of a domain: ranges by index and by name, types, text. */
#include "arrays.h"

/* Of an integer, a float and a string dimension. */
static tiledb_domain_t* make_domain(void) {
  const int32_t x_ends[] = {1, 100}, x_extent = 10;
  const double y_ends[] = {-1, 1}, y_extent = 0.5;
  tiledb_dimension_t* dimensions[3] = {NULL, NULL, NULL};
  tiledb_domain_t* domain = NULL;
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, x_ends, &x_extent, &dimensions[0]) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "y", TILEDB_FLOAT64, y_ends, &y_extent, &dimensions[1]) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "name", TILEDB_STRING_ASCII, NULL, NULL, &dimensions[2]) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  for (int i = 0; i < 3; i++) {
    assert(tiledb_domain_add_dimension(ctx, domain, dimensions[i]) == TILEDB_OK);
    tiledb_dimension_free(&dimensions[i]);
  }
  return domain;
}

static void types(tiledb_ndrectangle_t* rectangle) {
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t count = 7;
  assert(tiledb_ndrectangle_get_dim_num(ctx, rectangle, &count) == TILEDB_OK && count == 3);
  assert(tiledb_ndrectangle_get_dtype(ctx, rectangle, 1, &type) == TILEDB_OK && type == TILEDB_FLOAT64);
  assert(tiledb_ndrectangle_get_dtype_from_name(ctx, rectangle, "name", &type) == TILEDB_OK);
  assert(type == TILEDB_STRING_ASCII);
  assert(tiledb_ndrectangle_get_dtype(ctx, rectangle, 3, &type) == TILEDB_ERR);
  expect("TileDB internal: The index does not correspond to a valid dimension in the NDRectangle: 3 is not below 3");
  assert(tiledb_ndrectangle_get_dtype_from_name(ctx, rectangle, "z", &type) == TILEDB_ERR);
  expect("TileDB internal: Cannot get dimension index; Invalid dimension name: there is no dimension 'z', only 'x', 'y', 'name'");
}

static void ranges(tiledb_ndrectangle_t* rectangle) {
  int32_t x[] = {3, 7}, none[] = {7, 3};
  double y[] = {-0.5, 0.25};
  tiledb_range_t range = {&x[0], sizeof *x, &x[1], sizeof *x}, actual;
  assert(tiledb_ndrectangle_set_range(ctx, rectangle, 0, &range) == TILEDB_OK);
  range = (tiledb_range_t){&y[0], sizeof *y, &y[1], sizeof *y};
  assert(tiledb_ndrectangle_set_range_for_name(ctx, rectangle, "y", &range) == TILEDB_OK);
  range = (tiledb_range_t){"ant", 3, "zebra", 5};
  assert(tiledb_ndrectangle_set_range_for_name(ctx, rectangle, "name", &range) == TILEDB_OK);

  assert(tiledb_ndrectangle_get_range_from_name(ctx, rectangle, "x", &actual) == TILEDB_OK);
  assert(actual.min_size == 4 && *(const int32_t*)actual.min == 3);
  assert(actual.max_size == 4 && *(const int32_t*)actual.max == 7);
  assert(tiledb_ndrectangle_get_range(ctx, rectangle, 1, &actual) == TILEDB_OK);
  assert(actual.min_size == 8 && *(const double*)actual.min == -0.5);
  assert(actual.max_size == 8 && *(const double*)actual.max == 0.25);
  assert(tiledb_ndrectangle_get_range(ctx, rectangle, 2, &actual) == TILEDB_OK);
  assert(actual.min_size == 3 && memcmp(actual.min, "ant", 3) == 0);
  assert(actual.max_size == 5 && memcmp(actual.max, "zebra", 5) == 0);

  range = (tiledb_range_t){&none[0], sizeof *none, &none[1], sizeof *none};
  assert(tiledb_ndrectangle_set_range(ctx, rectangle, 0, &range) == TILEDB_ERR);
  expect("TileDB internal: Lower range bound 7 cannot be larger than the higher bound 3");
  range = (tiledb_range_t){&x[0], 2, &x[1], 2};
  assert(tiledb_ndrectangle_set_range(ctx, rectangle, 0, &range) == TILEDB_ERR);
  expect("TileDB internal: Range size 4 does not match the expected size 8");
  assert(tiledb_ndrectangle_set_range_for_name(ctx, rectangle, "z", &range) == TILEDB_ERR);
  expect("TileDB internal: Cannot get dimension index; Invalid dimension name: there is no dimension 'z', only 'x', 'y', 'name'");
  assert(tiledb_ndrectangle_get_range(ctx, rectangle, 3, &actual) == TILEDB_ERR);
  expect("TileDB internal: Trying to get a range for an index out of bounds is not possible. 3 is not below 3");
  assert(tiledb_ndrectangle_get_range_from_name(ctx, rectangle, "z", &actual) == TILEDB_ERR);
  expect("TileDB internal: Cannot get dimension index; Invalid dimension name: there is no dimension 'z', only 'x', 'y', 'name'");
}

int main(void) {
  tiledb_domain_t* domain = NULL;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_string_t* text = NULL;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  domain = make_domain();
  assert(tiledb_ndrectangle_alloc(ctx, domain, &rectangle) == TILEDB_OK);
  tiledb_domain_free(&domain);
  types(rectangle);
  ranges(rectangle);
  assert(tiledb_ndrectangle_dump_str(ctx, rectangle, &text) == TILEDB_OK);
  expect_string(text, " - NDRectangle ###\n  - [3, 7]\n  - [-0.5, 0.25]\n  - [ant, zebra]\n");
  assert(tiledb_ndrectangle_free(&rectangle) == TILEDB_OK && rectangle == NULL);
  tiledb_ctx_free(&ctx);
  return 0;
}
