/* Evolutions: attributes, enumerations and a greater current domain, then the array as it was and as it is. */
#include "common.h"

#define ARRAY "evolved"

static void create(void) {
  const int32_t range[2] = {1, 10}, extent = 5;
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t* dim = NULL;
  tiledb_attribute_t* attr = NULL;
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, range, &extent, &dim) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dim) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attr) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attr) == TILEDB_OK);
  assert(tiledb_array_create(ctx, ARRAY, schema) == TILEDB_OK);
  tiledb_attribute_free(&attr);
  tiledb_dimension_free(&dim);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
}

/* Adds "b" with an enumeration and drops "a", as of the year 2100. */
static void evolve(void) {
  const int32_t values[2] = {10, 20};
  const uint64_t time = 4102444800000;
  tiledb_array_schema_evolution_t* evolution = NULL;
  tiledb_enumeration_t* enumeration = NULL;
  tiledb_attribute_t* attr = NULL;
  assert(tiledb_array_schema_evolution_alloc(ctx, &evolution) == TILEDB_OK);
  assert(tiledb_enumeration_alloc(ctx, "e", TILEDB_INT32, 1, 1, values, sizeof values, NULL, 0, &enumeration) ==
         TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "b", TILEDB_UINT8, &attr) == TILEDB_OK);
  assert(tiledb_attribute_set_enumeration_name(ctx, attr, "e") == TILEDB_OK);
  assert(tiledb_array_schema_evolution_add_attribute(ctx, evolution, attr) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_add_attribute(ctx, evolution, attr) == TILEDB_ERR);
  assert(tiledb_array_evolve(ctx, ARRAY, evolution) == TILEDB_ERR); /* no such enumeration */
  assert(tiledb_array_schema_evolution_add_enumeration(ctx, evolution, enumeration) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_drop_attribute(ctx, evolution, "a") == TILEDB_OK);
  assert(tiledb_array_schema_evolution_set_timestamp_range(ctx, evolution, time, time + 1) == TILEDB_ERR);
  assert(tiledb_array_schema_evolution_set_timestamp_range(ctx, evolution, time, time) == TILEDB_OK);
  assert(tiledb_array_evolve(ctx, "nowhere", evolution) == TILEDB_ERR);
  assert(tiledb_array_evolve(ctx, ARRAY, evolution) == TILEDB_OK);
  tiledb_attribute_free(&attr);
  tiledb_enumeration_free(&enumeration);
  tiledb_array_schema_evolution_free(&evolution);
  assert(evolution == NULL);
}

/* Extends the enumeration and sets a current domain; an extension of something else is refused. */
static void evolve_again(void) {
  const int32_t more[1] = {30}, low = 2, high = 8;
  tiledb_array_schema_evolution_t* evolution = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_enumeration_t *enumeration = NULL, *extended = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_current_domain_t* current = NULL;
  tiledb_range_t range = {&low, sizeof low, &high, sizeof high};
  assert(tiledb_array_schema_load(ctx, ARRAY, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_get_enumeration_from_name(ctx, schema, "e", &enumeration) == TILEDB_OK);
  assert(tiledb_enumeration_extend(ctx, enumeration, more, sizeof more, NULL, 0, &extended) == TILEDB_OK);
  assert(tiledb_array_schema_get_domain(ctx, schema, &domain) == TILEDB_OK);
  assert(tiledb_ndrectangle_alloc(ctx, domain, &rectangle) == TILEDB_OK);
  assert(tiledb_current_domain_create(ctx, &current) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_alloc(ctx, &evolution) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_expand_current_domain(ctx, evolution, current) == TILEDB_ERR); /* empty */
  assert(tiledb_ndrectangle_set_range(ctx, rectangle, 0, &range) == TILEDB_OK);
  assert(tiledb_current_domain_set_ndrectangle(ctx, current, rectangle) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_expand_current_domain(ctx, evolution, current) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_extend_enumeration(ctx, evolution, extended) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_set_timestamp_range(ctx, evolution, 4102444800001, 4102444800001) == TILEDB_OK);
  assert(tiledb_array_evolve(ctx, ARRAY, evolution) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_drop_enumeration(ctx, evolution, "e") == TILEDB_OK);
  assert(tiledb_array_evolve(ctx, ARRAY, evolution) == TILEDB_ERR); /* "b" uses it */
  tiledb_array_schema_evolution_free(&evolution);
  tiledb_current_domain_free(&current);
  tiledb_ndrectangle_free(&rectangle);
  tiledb_domain_free(&domain);
  tiledb_enumeration_free(&extended);
  tiledb_enumeration_free(&enumeration);
  tiledb_array_schema_free(&schema);
}

/* The attributes as of a time, and the bytes of the enumeration's values if it is there. */
static void expect_schema(uint64_t time, const char* name, uint64_t values) {
  tiledb_array_t* array = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_enumeration_t* enumeration = NULL;
  const void* data = NULL;
  uint64_t size = 0;
  uint32_t count = 0;
  int32_t has = 0;
  assert(tiledb_array_alloc(ctx, ARRAY, &array) == TILEDB_OK);
  assert(tiledb_array_set_open_timestamp_end(ctx, array, time) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_array_get_schema(ctx, array, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_get_attribute_num(ctx, schema, &count) == TILEDB_OK && count == 1);
  assert(tiledb_array_schema_has_attribute(ctx, schema, name, &has) == TILEDB_OK && has == 1);
  if (values > 0) {
    assert(tiledb_array_get_enumeration(ctx, array, "e", &enumeration) == TILEDB_OK);
    assert(tiledb_enumeration_get_data(ctx, enumeration, &data, &size) == TILEDB_OK);
    assert(size == values && ((const int32_t*)data)[size / 4 - 1] == (int32_t)(size / 4 * 10));
    tiledb_enumeration_free(&enumeration);
  }
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_array_free(&array);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  create();
  evolve();
  evolve_again();
  expect_schema(4000000000000, "a", 0);
  expect_schema(4102444800000, "b", 8);
  expect_schema(4102444800001, "b", 12);
  tiledb_ctx_free(&ctx);
  return 0;
}
