/* Array schemas: defaults, setters, checks, attributes, enumerations, current domain, labels. */
#include "common.h"

/* A schema over one INT32 dimension "d" of 1 to 10 without a tile extent. */
static tiledb_array_schema_t* schema(tiledb_array_type_t type) {
  const int32_t range[2] = {1, 10};
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dim = NULL;
  assert(tiledb_array_schema_alloc(ctx, type, &schema) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, range, NULL, &dim) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dim) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  tiledb_dimension_free(&dim);
  tiledb_domain_free(&domain);
  return schema;
}

static int add(tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, const char* enumeration) {
  tiledb_attribute_t* attr = NULL;
  int result;
  assert(tiledb_attribute_alloc(ctx, name, type, &attr) == TILEDB_OK);
  if (enumeration != NULL)
    assert(tiledb_attribute_set_enumeration_name(ctx, attr, enumeration) == TILEDB_OK);
  result = tiledb_array_schema_add_attribute(ctx, schema, attr);
  tiledb_attribute_free(&attr);
  return result;
}

static void test_defaults(void) {
  tiledb_array_schema_t* s = schema(TILEDB_SPARSE);
  tiledb_array_type_t type = TILEDB_DENSE;
  tiledb_layout_t order = TILEDB_HILBERT;
  uint64_t capacity = 0, lo = 0, hi = 1;
  uint32_t version = 0;
  int dups = 7;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dim = NULL;
  const void* extent = NULL;
  assert(tiledb_array_schema_get_array_type(ctx, s, &type) == TILEDB_OK && type == TILEDB_SPARSE);
  assert(tiledb_array_schema_get_cell_order(ctx, s, &order) == TILEDB_OK && order == TILEDB_ROW_MAJOR);
  assert(tiledb_array_schema_get_tile_order(ctx, s, &order) == TILEDB_OK && order == TILEDB_ROW_MAJOR);
  assert(tiledb_array_schema_get_capacity(ctx, s, &capacity) == TILEDB_OK && capacity == 10000);
  assert(tiledb_array_schema_get_allows_dups(ctx, s, &dups) == TILEDB_OK && dups == 0);
  assert(tiledb_array_schema_get_version(ctx, s, &version) == TILEDB_OK && version == 22);
  assert(tiledb_array_schema_timestamp_range(ctx, s, &lo, &hi) == TILEDB_OK && lo == hi && lo > 0);
  /* Without a tile extent the whole domain is one tile. */
  assert(tiledb_array_schema_get_domain(ctx, s, &domain) == TILEDB_OK);
  tiledb_array_schema_free(&s);
  assert(s == NULL);
  assert(tiledb_domain_get_dimension_from_index(ctx, domain, 0, &dim) == TILEDB_OK);
  tiledb_domain_free(&domain);
  assert(tiledb_dimension_get_tile_extent(ctx, dim, &extent) == TILEDB_OK);
  assert(*(const int32_t*)extent == 10);
  tiledb_dimension_free(&dim);
  assert(tiledb_array_schema_alloc_at_timestamp(ctx, TILEDB_DENSE, 77, &s) == TILEDB_OK);
  assert(tiledb_array_schema_timestamp_range(ctx, s, &lo, &hi) == TILEDB_OK && lo == 77 && hi == 77);
  tiledb_array_schema_free(&s);
}

static void test_setters(void) {
  tiledb_array_schema_t* dense = schema(TILEDB_DENSE);
  tiledb_array_schema_t* sparse = schema(TILEDB_SPARSE);
  assert(tiledb_array_schema_set_cell_order(ctx, dense, TILEDB_HILBERT) == TILEDB_ERR);
  expect("ArraySchema: Cannot set cell order; Hilbert order is only applicable to sparse arrays");
  assert(tiledb_array_schema_set_cell_order(ctx, sparse, TILEDB_HILBERT) == TILEDB_OK);
  assert(tiledb_array_schema_set_tile_order(ctx, sparse, TILEDB_HILBERT) == TILEDB_ERR);
  expect("ArraySchema: Cannot set tile order; Hilbert order is not applicable to tiles");
  assert(tiledb_array_schema_set_tile_order(ctx, dense, TILEDB_COL_MAJOR) == TILEDB_OK);
  tiledb_layout_t order = TILEDB_HILBERT;
  assert(tiledb_array_schema_get_tile_order(ctx, dense, &order) == TILEDB_OK && order == TILEDB_COL_MAJOR);
  assert(tiledb_array_schema_get_cell_order(ctx, sparse, &order) == TILEDB_OK && order == TILEDB_HILBERT);
  assert(tiledb_array_schema_set_cell_order(ctx, sparse, TILEDB_UNORDERED) == TILEDB_ERR);
  expect("ArraySchema: Cannot set cell order; Cannot create ArraySchema with UNORDERED cell order");
  assert(tiledb_array_schema_set_capacity(ctx, sparse, 0) == TILEDB_ERR);
  expect_begin("ArraySchema: Sparse arrays cannot have their capacity equal to zero.");
  assert(tiledb_array_schema_set_allows_dups(ctx, sparse, 1) == TILEDB_OK);
  assert(tiledb_array_schema_set_allows_dups(ctx, dense, 1) == TILEDB_ERR);
  expect("ArraySchema: Dense arrays cannot allow coordinate duplicates");
  tiledb_array_schema_free(&dense);
  tiledb_array_schema_free(&sparse);
}

static void test_attributes(void) {
  tiledb_array_schema_t* s = schema(TILEDB_DENSE);
  tiledb_attribute_t* attr = NULL;
  const char* name = NULL;
  uint32_t count = 7;
  int32_t has = 7;
  assert(tiledb_array_schema_check(ctx, s) == TILEDB_ERR);
  expect("ArraySchema: Array schema check failed; No attributes provided: call tiledb_array_schema_add_attribute");
  assert(tiledb_array_schema_get_attribute_from_index(ctx, s, 0, &attr) == TILEDB_OK && attr == NULL);
  assert(add(s, "__a", TILEDB_INT32, NULL) == TILEDB_ERR);
  expect("ArraySchema: Cannot add attribute: names starting with '__' are reserved; rename '__a'");
  assert(add(s, "a", TILEDB_INT32, NULL) == TILEDB_OK);
  assert(tiledb_array_schema_check(ctx, s) == TILEDB_OK);
  assert(tiledb_array_schema_get_attribute_num(ctx, s, &count) == TILEDB_OK && count == 1);
  assert(tiledb_array_schema_has_attribute(ctx, s, "a", &has) == TILEDB_OK && has == 1);
  assert(tiledb_array_schema_has_attribute(ctx, s, "d", &has) == TILEDB_OK && has == 0);
  assert(tiledb_array_schema_get_attribute_from_index(ctx, s, 5, &attr) == TILEDB_ERR && attr == NULL);
  expect("C API: Attribute index: 5 out of bounds given 1 attributes in array ");
  assert(tiledb_array_schema_get_attribute_from_name(ctx, s, "zz", &attr) == TILEDB_ERR && attr == NULL);
  expect_begin("C API: Attribute name: zz does not exist for array ");
  assert(tiledb_array_schema_get_attribute_from_name(ctx, s, "a", &attr) == TILEDB_OK);
  /* Only the check refuses names in use. */
  assert(add(s, "d", TILEDB_INT32, NULL) == TILEDB_OK);
  assert(tiledb_array_schema_check(ctx, s) == TILEDB_ERR);
  expect(
      "ArraySchema: Array schema check failed; Attributes, dimensions and dimension labels must have unique names: rename one that is called 'd'");
  tiledb_array_schema_free(&s);
  assert(tiledb_attribute_get_name(ctx, attr, &name) == TILEDB_OK && strcmp(name, "a") == 0);
  tiledb_attribute_free(&attr);
}

static void test_domains(void) {
  const double range[2] = {0, 1};
  tiledb_array_schema_t* s = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dim = NULL;
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &s) == TILEDB_OK);
  assert(tiledb_array_schema_check(ctx, s) == TILEDB_ERR);
  expect("ArraySchema: Array schema check failed; Domain not set: call tiledb_array_schema_set_domain");
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, s, domain) == TILEDB_ERR);
  expect("ArraySchema: Cannot set domain; Domain must contain at least one dimension");
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_FLOAT64, range, NULL, &dim) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dim) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, s, domain) == TILEDB_ERR);
  expect("ArraySchema: Cannot set domain; Dense arrays do not support dimension datatype 'FLOAT64'");
  tiledb_dimension_free(&dim);
  assert(tiledb_dimension_alloc(ctx, "s", TILEDB_STRING_ASCII, NULL, NULL, &dim) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dim) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, s, domain) == TILEDB_ERR);
  expect("ArraySchema: Cannot set domain; In dense arrays, all dimensions must have the same datatype");
  tiledb_dimension_free(&dim);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&s);
}

static void test_enumerations(void) {
  const char values[] = "redblue";
  const uint64_t offsets[2] = {0, 3};
  tiledb_array_schema_t* s = schema(TILEDB_SPARSE);
  tiledb_enumeration_t *e = NULL, *loaded = NULL;
  uint64_t index = 7, size = 0;
  const void* data = NULL;
  int exists = 7;
  assert(
      tiledb_enumeration_alloc(ctx, "colour", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0, values, 7, offsets,
                               sizeof offsets, &e) == TILEDB_OK);
  assert(add(s, "a", TILEDB_UINT8, "colour") == TILEDB_ERR);
  expect("ArraySchema: Cannot add attribute; Attribute refers to an unknown enumeration named 'colour'.");
  assert(tiledb_array_schema_add_enumeration(ctx, s, e) == TILEDB_OK);
  assert(tiledb_array_schema_add_enumeration(ctx, s, e) == TILEDB_ERR);
  expect(
      "ArraySchema: Error adding enumeration. Enumeration with name 'colour' already exists in this ArraySchema.");
  assert(add(s, "f", TILEDB_FLOAT32, "colour") == TILEDB_ERR);
  expect(
      "ArraySchema: Unable to use enumeration with attribute 'f', attribute must have an integral data type, not "
      "FLOAT32");
  assert(add(s, "a", TILEDB_UINT8, "colour") == TILEDB_OK);
  tiledb_enumeration_free(&e);
  assert(tiledb_array_schema_get_enumeration_from_attribute_name(ctx, s, "a", &loaded) == TILEDB_OK);
  assert(tiledb_enumeration_get_value_index(ctx, loaded, "blue", 4, &exists, &index) == TILEDB_OK);
  assert(exists == 1 && index == 1);
  assert(tiledb_enumeration_get_value_index(ctx, loaded, "b", 1, &exists, &index) == TILEDB_OK);
  assert(exists == 0 && index == UINT64_MAX);
  assert(tiledb_enumeration_get_data(ctx, loaded, &data, &size) == TILEDB_OK);
  assert(size == 7 && memcmp(data, values, 7) == 0);
  tiledb_enumeration_free(&loaded);
  assert(tiledb_array_schema_get_enumeration_from_name(ctx, s, "enmr3", &loaded) == TILEDB_ERR);
  expect("ArraySchema: Unable to check if unknown enumeration is loaded. No enumeration named 'enmr3'.");
  tiledb_array_schema_free(&s);
}

static void test_current_domain(void) {
  int32_t low = 2, high = 7;
  tiledb_range_t range = {&low, sizeof low, &high, sizeof high};
  tiledb_array_schema_t* s = schema(TILEDB_SPARSE);
  tiledb_domain_t* domain = NULL;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_current_domain_t* current = NULL;
  uint32_t empty = 7;
  assert(tiledb_array_schema_get_domain(ctx, s, &domain) == TILEDB_OK);
  assert(tiledb_ndrectangle_alloc(ctx, domain, &rectangle) == TILEDB_OK);
  assert(tiledb_ndrectangle_set_range_for_name(ctx, rectangle, "zz", &range) == TILEDB_ERR);
  expect("TileDB internal: Cannot get dimension index; Invalid dimension name: there is no dimension 'zz', only 'd'");
  assert(tiledb_ndrectangle_set_range_for_name(ctx, rectangle, "d", &range) == TILEDB_OK);
  low = 8;
  assert(tiledb_ndrectangle_set_range(ctx, rectangle, 0, &range) == TILEDB_ERR);
  expect("TileDB internal: Lower range bound 8 cannot be larger than the higher bound 7");
  assert(tiledb_ndrectangle_get_range(ctx, rectangle, 0, &range) == TILEDB_OK);
  assert(range.min_size == 4 && *(const int32_t*)range.min == 2 && *(const int32_t*)range.max == 7);
  assert(tiledb_current_domain_create(ctx, &current) == TILEDB_OK);
  assert(tiledb_current_domain_set_ndrectangle(ctx, current, rectangle) == TILEDB_OK);
  assert(tiledb_array_schema_set_current_domain(ctx, s, current) == TILEDB_OK);
  assert(tiledb_current_domain_free(&current) == TILEDB_OK);
  assert(tiledb_array_schema_get_current_domain(ctx, s, &current) == TILEDB_OK);
  assert(tiledb_current_domain_get_is_empty(ctx, current, &empty) == TILEDB_OK && empty == 0);
  assert(tiledb_current_domain_free(&current) == TILEDB_OK);
  assert(tiledb_ndrectangle_free(&rectangle) == TILEDB_OK);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&s);
}

static void test_text(void) {
  const char* expected =
      "- Array type: dense\n- Cell order: row-major\n- Tile order: row-major\n- Capacity: 10000\n"
      "- Allows duplicates: false\n- Coordinates filters: 1\n  > ZSTD: COMPRESSION_LEVEL=-1\n"
      "- Offsets filters: 1\n  > ZSTD: COMPRESSION_LEVEL=-1\n- Validity filters: 1\n"
      "  > RLE: COMPRESSION_LEVEL=-1\n\n"
      "### Dimension ###\n- Name: d\n- Type: INT32\n- Cell val num: 1\n- Domain: [1, 10]\n"
      "- Tile extent: 10\n- Filters: 0\n\n"
      "### Attribute ###\n- Name: a\n- Type: INT32\n- Nullable: false\n- Cell val num: 1\n- Filters: 0\n"
      "- Fill value: -2147483648\n\n"
      "### Current domain ###\n- Version: 0\n- Empty: 1\n";
  tiledb_array_schema_t* s = schema(TILEDB_DENSE);
  tiledb_string_t* dump = NULL;
  const char* text = NULL;
  size_t length = 0;
  assert(add(s, "a", TILEDB_INT32, NULL) == TILEDB_OK);
  assert(tiledb_array_schema_dump_str(ctx, s, &dump) == TILEDB_OK);
  assert(tiledb_string_view(dump, &text, &length) == TILEDB_OK);
  assert(length == strlen(expected) && memcmp(text, expected, length) == 0);
  assert(tiledb_string_free(&dump) == TILEDB_OK);
  tiledb_array_schema_free(&s);
}

static void test_unknown_type(void) {
  tiledb_array_schema_t* s = NULL;
  assert(tiledb_array_schema_alloc(ctx, (tiledb_array_type_t)7, &s) == TILEDB_OK);
  assert(tiledb_array_schema_check(ctx, s) == TILEDB_ERR);
  tiledb_array_schema_free(&s);
}

/* JSON and back: the same schema, and what is wrong with a description. */
static void test_json(void) {
  const char* description =
      "{\"array_type\": \"sparse\", \"capacity\": 7, \"allows_duplicates\": true,"
      " \"dimensions\": [{\"name\": \"day\", \"type\": \"DATETIME_DAY\", \"domain\": [\"1990-01-01\", \"2100-01-01\"], \"tile\": 30,"
      "                  \"filters\": [{\"type\": \"BYTESHUFFLE\"}]}],"
      " \"attributes\": [{\"name\": \"a\", \"type\": \"INT8\", \"enumeration\": \"e\"},"
      "                 {\"name\": \"b\", \"type\": \"FLOAT32\", \"fill\": 0.1, \"filters\": [{\"type\": \"ZSTD\", \"level\": 5}]}],"
      " \"enumerations\": [{\"name\": \"e\", \"type\": \"STRING_UTF8\", \"values\": [\"x\", \"y z\", \"\"]}]}";
  tiledb_array_schema_t *made = NULL, *again = NULL, *stored = NULL;
  tiledb_string_t *first = NULL, *second = NULL;
  const char *text = NULL, *same = NULL;
  size_t length = 0, same_length = 0;
  assert(tiledb_rs_schema_from_json(ctx, description, &made) == TILEDB_OK);
  assert(tiledb_rs_schema_to_json(ctx, made, &first) == TILEDB_OK);
  assert(tiledb_string_view(first, &text, &length) == TILEDB_OK);
  assert(strstr(text, "\"fill\": 0.1") != NULL && strstr(text, "\"y z\"") != NULL && strstr(text, "\"1990-01-01\"") != NULL);
  assert(tiledb_rs_schema_from_json(ctx, text, &again) == TILEDB_OK);
  assert(tiledb_array_create(ctx, "mem://described", again) == TILEDB_OK);
  assert(tiledb_array_schema_load(ctx, "mem://described", &stored) == TILEDB_OK);
  assert(tiledb_rs_schema_to_json(ctx, stored, &second) == TILEDB_OK);
  assert(tiledb_string_view(second, &same, &same_length) == TILEDB_OK);
  assert(length == same_length && memcmp(text, same, length) == 0);
  assert(tiledb_string_free(&first) == TILEDB_OK && tiledb_string_free(&second) == TILEDB_OK);
  tiledb_array_schema_free(&made);
  tiledb_array_schema_free(&again);
  tiledb_array_schema_free(&stored);
  assert(tiledb_rs_schema_from_json(ctx, "{\"array_type\": \"dense\", \"rank\": 2}", &made) == TILEDB_ERR && made == NULL);
  expect_begin("schema has an unknown key \"rank\"; there are array_type, ");
  assert(tiledb_rs_schema_from_json(ctx, "{", &made) == TILEDB_ERR && made == NULL);
  expect_begin("the schema is not JSON: ");
  assert(tiledb_rs_schema_from_json(ctx, NULL, &made) == TILEDB_ERR);
  assert(tiledb_rs_schema_to_json(ctx, NULL, &first) == TILEDB_ERR && first == NULL);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  test_defaults();
  test_setters();
  test_attributes();
  test_domains();
  test_enumerations();
  test_current_domain();
  test_text();
  test_unknown_type();
  test_json();
  tiledb_ctx_free(&ctx);
  return 0;
}
