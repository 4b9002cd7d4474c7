/* Attributes: types, values per cell, fill values, nullability, filters, text. */
#include "common.h"

static tiledb_attribute_t* attribute(tiledb_datatype_t type) {
  tiledb_attribute_t* attr = NULL;
  assert(tiledb_attribute_alloc(ctx, "a", type, &attr) == TILEDB_OK);
  return attr;
}

static void test_defaults(void) {
  tiledb_attribute_t* attr = attribute(TILEDB_INT32);
  const char* name = NULL;
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t number = 7;
  uint64_t size = 7;
  uint8_t nullable = 7;
  const void* fill = NULL;
  assert(tiledb_attribute_get_name(ctx, attr, &name) == TILEDB_OK);
  assert(strcmp(name, "a") == 0);
  assert(tiledb_attribute_get_type(ctx, attr, &type) == TILEDB_OK && type == TILEDB_INT32);
  assert(tiledb_attribute_get_cell_val_num(ctx, attr, &number) == TILEDB_OK && number == 1);
  assert(tiledb_attribute_get_cell_size(ctx, attr, &size) == TILEDB_OK && size == 4);
  assert(tiledb_attribute_get_nullable(ctx, attr, &nullable) == TILEDB_OK && nullable == 0);
  assert(tiledb_attribute_get_fill_value(ctx, attr, &fill, &size) == TILEDB_OK);
  assert(size == 4 && *(const int32_t*)fill == INT32_MIN);
  tiledb_attribute_free(&attr);
  assert(attr == NULL);

  attr = attribute(TILEDB_ANY);
  assert(tiledb_attribute_get_cell_val_num(ctx, attr, &number) == TILEDB_OK && number == TILEDB_VAR_NUM);
  assert(tiledb_attribute_get_cell_size(ctx, attr, &size) == TILEDB_OK && size == UINT64_MAX);
  assert(tiledb_attribute_set_cell_val_num(ctx, attr, 2) == TILEDB_ERR);
  expect(
      "Attribute: Cannot set number of values per cell; Attribute datatype `ANY` is always variable-sized: 'a' takes TILEDB_VAR_NUM, not 2");
  tiledb_attribute_free(&attr);
}

static void test_fill_values(void) {
  tiledb_attribute_t* attr = attribute(TILEDB_INT16);
  const int16_t pair[2] = {5, -6};
  const void* fill = NULL;
  uint64_t size = 0;
  uint8_t valid = 7;
  assert(tiledb_attribute_set_cell_val_num(ctx, attr, 0) == TILEDB_ERR);
  expect("Attribute: Cannot set zero values per cell: 'a' takes 1 or more, or TILEDB_VAR_NUM");
  assert(tiledb_attribute_set_cell_val_num(ctx, attr, 2) == TILEDB_OK);
  assert(tiledb_attribute_set_fill_value(ctx, attr, pair, 2) == TILEDB_ERR);
  expect("Attribute: Cannot set fill value; Input size is not the same as cell size: 2 bytes for 'a', whose cells have 4");
  assert(tiledb_attribute_set_fill_value(ctx, attr, NULL, 4) == TILEDB_ERR);
  expect("Attribute: Cannot set fill value; Input value cannot be null: that of 'a'");
  assert(tiledb_attribute_set_fill_value(ctx, attr, pair, 0) == TILEDB_ERR);
  expect("Attribute: Cannot set fill value; Input size cannot be 0: that of 'a'");
  assert(tiledb_attribute_set_fill_value(ctx, attr, pair, sizeof pair) == TILEDB_OK);
  assert(tiledb_attribute_get_fill_value(ctx, attr, &fill, &size) == TILEDB_OK);
  assert(size == sizeof pair && memcmp(fill, pair, size) == 0);

  assert(tiledb_attribute_set_nullable(ctx, attr, 1) == TILEDB_OK);
  assert(tiledb_attribute_get_fill_value(ctx, attr, &fill, &size) == TILEDB_ERR);
  expect("Attribute: Cannot get fill value; Attribute is nullable: use tiledb_attribute_get_fill_value_nullable for 'a'");
  assert(tiledb_attribute_set_fill_value_nullable(ctx, attr, pair, sizeof pair, 1) == TILEDB_OK);
  assert(tiledb_attribute_get_fill_value_nullable(ctx, attr, &fill, &size, &valid) == TILEDB_OK);
  assert(size == sizeof pair && valid == 1);
  /* Other values per cell bring the default back. */
  assert(tiledb_attribute_set_cell_val_num(ctx, attr, TILEDB_VAR_NUM) == TILEDB_OK);
  assert(tiledb_attribute_get_fill_value_nullable(ctx, attr, &fill, &size, &valid) == TILEDB_OK);
  assert(size == 2 && *(const int16_t*)fill == INT16_MIN && valid == 0);
  tiledb_attribute_free(&attr);
}

static void test_enumeration_name(void) {
  tiledb_attribute_t* attr = attribute(TILEDB_UINT8);
  tiledb_string_t* name = NULL;
  const char* text = NULL;
  size_t length = 0;
  assert(tiledb_attribute_get_enumeration_name(ctx, attr, &name) == TILEDB_OK && name == NULL);
  assert(tiledb_attribute_set_enumeration_name(ctx, attr, "") == TILEDB_ERR);
  assert(tiledb_attribute_set_enumeration_name(ctx, attr, "colour") == TILEDB_OK);
  assert(tiledb_attribute_get_enumeration_name(ctx, attr, &name) == TILEDB_OK);
  assert(tiledb_string_view(name, &text, &length) == TILEDB_OK);
  assert(length == 6 && memcmp(text, "colour", 6) == 0);
  assert(tiledb_string_free(&name) == TILEDB_OK);
  tiledb_attribute_free(&attr);
}

static void test_text(void) {
  tiledb_attribute_t* attr = attribute(TILEDB_STRING_ASCII);
  tiledb_string_t* dump = NULL;
  const char* text = NULL;
  size_t length = 0;
  const char* expected =
      "### Attribute ###\n- Name: a\n- Type: STRING_ASCII\n- Nullable: false\n"
      "- Cell val num: var\n- Filters: 0\n- Fill value: \\x00\n";
  assert(tiledb_attribute_set_cell_val_num(ctx, attr, TILEDB_VAR_NUM) == TILEDB_OK);
  assert(tiledb_attribute_dump_str(ctx, attr, &dump) == TILEDB_OK);
  assert(tiledb_string_view(dump, &text, &length) == TILEDB_OK);
  assert(length == strlen(expected) && memcmp(text, expected, length) == 0);
  assert(tiledb_string_free(&dump) == TILEDB_OK);
  tiledb_attribute_free(&attr);
}

static void test_wrong_arguments(void) {
  tiledb_attribute_t* attr = NULL;
  const char* name = NULL;
  assert(tiledb_attribute_alloc(ctx, "a", (tiledb_datatype_t)99, &attr) == TILEDB_ERR && attr == NULL);
  expect("TileDB internal: Invalid Datatype (99)");
  assert(tiledb_attribute_alloc(ctx, NULL, TILEDB_INT32, &attr) == TILEDB_ERR && attr == NULL);
  expect("C API: Argument \"name\" may not be NULL");
  assert(tiledb_attribute_get_name(ctx, NULL, &name) == TILEDB_ERR);
  expect("C API: Invalid TileDB attribute object");
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, NULL) == TILEDB_ERR);
  expect("C API: Invalid output pointer for object");
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  test_defaults();
  test_fill_values();
  test_enumeration_name();
  test_text();
  test_wrong_arguments();
  tiledb_ctx_free(&ctx);
  return 0;
}
