/* Enumerations: their values, extending them, and the arrays and conditions that use them. */
#include "arrays.h"

static const char colours[] = "redgreenblue";
static const uint64_t starts[] = {0, 3, 8};

static tiledb_enumeration_t* make_colours(void) {
  tiledb_enumeration_t* enumeration = NULL;
  assert(
      tiledb_enumeration_alloc(
          ctx, "colours", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 1, colours, 12, starts, sizeof starts, &enumeration) ==
      TILEDB_OK);
  return enumeration;
}

/* Where a value stands; UINT64_MAX where it does not. */
static uint64_t find(tiledb_enumeration_t* enumeration, const void* value, uint64_t size) {
  int exists = 7;
  uint64_t index = 77;
  assert(tiledb_enumeration_get_value_index(ctx, enumeration, value, size, &exists, &index) == TILEDB_OK);
  assert(exists == 0 || exists == 1);
  return exists ? index : UINT64_MAX;
}

static void texts(void) {
  tiledb_enumeration_t* enumeration = make_colours();
  tiledb_string_t* string = NULL;
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t values = 7;
  int ordered = 7;
  const void* data = NULL;
  uint64_t size = 0;
  assert(tiledb_enumeration_get_name(ctx, enumeration, &string) == TILEDB_OK);
  expect_string(string, "colours");
  assert(tiledb_enumeration_get_type(ctx, enumeration, &type) == TILEDB_OK && type == TILEDB_STRING_ASCII);
  assert(tiledb_enumeration_get_cell_val_num(ctx, enumeration, &values) == TILEDB_OK && values == TILEDB_VAR_NUM);
  assert(tiledb_enumeration_get_ordered(ctx, enumeration, &ordered) == TILEDB_OK && ordered == 1);
  assert(tiledb_enumeration_get_data(ctx, enumeration, &data, &size) == TILEDB_OK);
  assert(size == 12 && data != colours && memcmp(data, colours, 12) == 0);
  assert(tiledb_enumeration_get_offsets(ctx, enumeration, &data, &size) == TILEDB_OK);
  assert(size == sizeof starts && memcmp(data, starts, sizeof starts) == 0);
  assert(find(enumeration, "red", 3) == 0 && find(enumeration, "blue", 4) == 2);
  assert(find(enumeration, "re", 2) == UINT64_MAX && find(enumeration, "", 0) == UINT64_MAX);
  assert(tiledb_enumeration_dump_str(ctx, enumeration, &string) == TILEDB_OK);
  expect_string(string, "### Enumeration ###\n- Name: colours\n- Type: STRING_ASCII\n- Cell Val Num: 4294967295\n- Ordered: true\n- Element Count: 3\n");
  tiledb_enumeration_free(&enumeration);
  assert(enumeration == NULL);
}

static void numbers(void) {
  const int16_t pairs[] = {1, 2, 3, 4};
  tiledb_enumeration_t* enumeration = NULL;
  const void* data = &data;
  uint64_t size = 77;
  int ordered = 7;
  uint32_t values = 7;
  tiledb_string_t* string = NULL;
  assert(
      tiledb_enumeration_alloc(ctx, "pairs", TILEDB_INT16, 2, 0, pairs, sizeof pairs, NULL, 0, &enumeration) ==
      TILEDB_OK);
  assert(tiledb_enumeration_get_cell_val_num(ctx, enumeration, &values) == TILEDB_OK && values == 2);
  assert(tiledb_enumeration_get_ordered(ctx, enumeration, &ordered) == TILEDB_OK && ordered == 0);
  assert(tiledb_enumeration_get_offsets(ctx, enumeration, &data, &size) == TILEDB_OK && data == NULL && size == 0);
  assert(find(enumeration, &pairs[2], 4) == 1 && find(enumeration, &pairs[1], 4) == UINT64_MAX);
  assert(tiledb_enumeration_dump_str(ctx, enumeration, &string) == TILEDB_OK);
  expect_string(string, "### Enumeration ###\n- Name: pairs\n- Type: INT16\n- Cell Val Num: 2\n- Ordered: false\n- Element Count: 2\n");
  tiledb_enumeration_free(&enumeration);
}

static void extending(void) {
  tiledb_enumeration_t *old = make_colours(), *longer = NULL, *none = NULL;
  const uint64_t start = 0, far = 9;
  assert(tiledb_enumeration_extend(ctx, old, "black", 5, &start, sizeof start, &longer) == TILEDB_OK);
  assert(find(longer, "black", 5) == 3 && find(longer, "green", 5) == 1);
  assert(find(old, "black", 5) == UINT64_MAX);
  assert(tiledb_enumeration_extend(ctx, old, "red", 3, &start, sizeof start, &none) == TILEDB_ERR && none == NULL);
  expect("Enumeration: Invalid duplicated value in enumeration 'red'");
  assert(tiledb_enumeration_extend(ctx, old, "pink", 4, &far, sizeof far, &none) == TILEDB_ERR && none == NULL);
  expect("Enumeration: Invalid data input, data_size is smaller than the last provided offset. Enumeration 'colours' has 16 bytes of values");
  assert(tiledb_enumeration_extend(ctx, old, NULL, 0, NULL, 0, &none) == TILEDB_ERR && none == NULL);
  expect("Enumeration: The offsets buffer is required for this enumeration extension. Enumeration: 'colours'");
  tiledb_enumeration_free(&longer);
  tiledb_enumeration_free(&old);
}

/* A sparse array whose attribute "a" counts in colours. */
static void make_coloured(const char* uri) {
  tiledb_array_schema_t *plain = make_schema(TILEDB_SPARSE), *schema = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_enumeration_t* enumeration = make_colours();
  assert(tiledb_array_schema_get_domain(ctx, plain, &domain) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute) == TILEDB_OK);
  assert(tiledb_attribute_set_enumeration_name(ctx, attribute, "colours") == TILEDB_OK);
  assert(tiledb_array_schema_add_enumeration(ctx, schema, enumeration) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_enumeration_free(&enumeration);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
  tiledb_array_schema_free(&plain);
}

static void write_colours(const char* uri) {
  int32_t x[] = {10, 20, 30, 40}, a[] = {2, 0, 1, 2};
  uint64_t x_size = sizeof x, a_size = sizeof a;
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, 0);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

/* The cells where "a" has this value, which is a colour, or else the number of one. */
static uint64_t cells_with(tiledb_array_t* array, const void* value, uint64_t size, int is_colour, int32_t* x) {
  tiledb_query_t* query = make_query(array, TILEDB_READ, 1, 100);
  tiledb_query_condition_t* condition = NULL;
  uint64_t x_size = 100 * sizeof *x;
  assert(tiledb_query_condition_alloc(ctx, &condition) == TILEDB_OK);
  assert(tiledb_query_condition_init(ctx, condition, "a", value, size, TILEDB_EQ) == TILEDB_OK);
  assert(tiledb_query_condition_set_use_enumeration(ctx, condition, is_colour) == TILEDB_OK);
  assert(tiledb_query_set_condition(ctx, query, condition) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);
  return x_size / sizeof *x;
}

static void in_conditions(const char* uri) {
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  const int32_t two = 2;
  int32_t x[100];
  assert(cells_with(array, "blue", 4, 1, x) == 2 && x[0] == 10 && x[1] == 40);
  assert(cells_with(array, &two, sizeof two, 0, x) == 2 && x[0] == 10 && x[1] == 40);
  assert(cells_with(array, "green", 5, 1, x) == 1 && x[0] == 30);
  assert(cells_with(array, "black", 5, 1, x) == 0);
  assert(tiledb_query_condition_set_use_enumeration(ctx, NULL, 1) == TILEDB_ERR);
  expect("Error: Invalid TileDB query condition object");
  close_array(&array);
}

/* The array knows its enumerations, those of all its schemas too. */
static void in_arrays(const char* uri) {
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  tiledb_enumeration_t* enumeration = NULL;
  assert(tiledb_array_load_all_enumerations(ctx, array) == TILEDB_OK);
  assert(tiledb_array_load_enumerations_all_schemas(ctx, array) == TILEDB_OK);
  assert(tiledb_array_get_enumeration(ctx, array, "colours", &enumeration) == TILEDB_OK);
  assert(find(enumeration, "green", 5) == 1);
  tiledb_enumeration_free(&enumeration);
  assert(tiledb_array_get_enumeration(ctx, array, "sizes", &enumeration) == TILEDB_ERR && enumeration == NULL);
  expect("ArraySchema: Unable to check if unknown enumeration is loaded. No enumeration named 'sizes'.");
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  assert(tiledb_array_load_all_enumerations(ctx, array) == TILEDB_ERR);
  expect_begin("Array: Unable to load all enumerations; Array is not open. Open 'file:///");
  assert(tiledb_array_load_enumerations_all_schemas(ctx, array) == TILEDB_ERR);
  expect_begin("Array: Unable to load all enumerations; Array is not open. Open 'file:///");
  tiledb_array_free(&array);
}

static void wrong_arguments(void) {
  tiledb_enumeration_t* enumeration = NULL;
  const uint64_t twice[] = {0, 0}, beyond[] = {0, 13};
  const int32_t pair[] = {'A', 'A'};
  assert(tiledb_enumeration_alloc(ctx, NULL, TILEDB_INT32, 1, 0, pair, 4, NULL, 0, &enumeration) == TILEDB_ERR);
  expect("C API: tiledb_enumeration_alloc: name must not be null");
  assert(tiledb_enumeration_alloc(ctx, "e", TILEDB_INT32, 1, 0, pair, 8, NULL, 0, &enumeration) == TILEDB_ERR);
  expect("Enumeration: Invalid duplicated value in enumeration 'A");
  assert(tiledb_enumeration_alloc(ctx, "e", TILEDB_INT32, 1, 0, pair, 7, NULL, 0, &enumeration) == TILEDB_ERR);
  expect("Enumeration: Invalid data size is not a multiple of the cell size. Enumeration 'e' has 7 bytes of values");
  assert(tiledb_enumeration_alloc(ctx, "e", TILEDB_INT32, 1, 0, NULL, 4, NULL, 0, &enumeration) == TILEDB_ERR);
  expect("Enumeration: Invalid data buffer must not be nullptr for fixed sized data.");
  assert(
      tiledb_enumeration_alloc(
          ctx, "e", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0, colours, 12, beyond, sizeof beyond, &enumeration) ==
      TILEDB_ERR);
  expect("Enumeration: Invalid data input, data_size is smaller than the last provided offset. Enumeration 'e' has 12 bytes of values");
  assert(
      tiledb_enumeration_alloc(
          ctx, "e", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0, colours, 12, NULL, 0, &enumeration) == TILEDB_ERR);
  expect("Enumeration: Var sized enumeration values require a non-null offsets pointer.");
  assert(
      tiledb_enumeration_alloc(
          ctx, "e", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0, "", 0, twice, sizeof twice, &enumeration) == TILEDB_ERR);
  expect("Enumeration: Invalid duplicated value in enumeration ''");
  assert(enumeration == NULL);
  tiledb_enumeration_free(&enumeration);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  texts();
  numbers();
  extending();
  make_coloured("coloured");
  write_colours("coloured");
  in_conditions("coloured");
  in_arrays("coloured");
  wrong_arguments();
  tiledb_ctx_free(&ctx);
  return 0;
}
