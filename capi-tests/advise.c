/* Filters are recommended by the cells of an array, and an array with the recommended schema holds the same cells in less space. */
#include "arrays.h"

#include <tiledb/tiledb_rs.h>

enum { CELLS = 20000 };

typedef struct {
  int extents, calls, values, better, stop_at, answer;
  uint64_t now, then;
  uint32_t reason;
} AdviceRecord;

static int32_t note(const tiledb_rs_advice_t* advice, void* data) {
  AdviceRecord* record = data;
  assert(advice->current != NULL && advice->recommended != NULL);
  assert((advice->property == TILEDB_RS_ADVISED_VALUES) == (advice->field != NULL));
  if (advice->property == TILEDB_RS_ADVISED_TILE_EXTENTS) {
    /* Four tiles of 40,000 bytes. */
    assert(strcmp(advice->current, "5000") == 0 && advice->recommended_bytes <= advice->current_bytes * 5 / 4);
    record->extents = advice->is_applied ? 2 : 1;
    return TILEDB_RS_CONTINUE;
  }
  assert(advice->is_applied == 1);
  record->calls++;
  record->values += advice->property == TILEDB_RS_ADVISED_VALUES;
  record->better += advice->reason == TILEDB_RS_REASON_BETTER;
  record->reason = advice->reason;
  record->now += advice->current_bytes;
  record->then += advice->recommended_bytes;
  return record->calls == record->stop_at ? record->answer : TILEDB_RS_CONTINUE;
}

/* Values that ascend, with many cells in a tile. */
static void write_numbers(const char* uri) {
  static int64_t numbers[CELLS];
  for (int i = 0; i < CELLS; i++)
    numbers[i] = 3 * (int64_t)i;
  uint64_t size = sizeof numbers;
  const int32_t first = 1, last = CELLS;
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, 0);
  tiledb_query_t* query = make_query(array, TILEDB_WRITE, first, last);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "n", numbers, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

static void read_numbers(const char* uri) {
  static int64_t numbers[CELLS];
  uint64_t size = sizeof numbers;
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  tiledb_query_t* query = make_query(array, TILEDB_READ, 1, CELLS);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "n", numbers, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(size == sizeof numbers);
  for (int i = 0; i < CELLS; i++)
    assert(numbers[i] == 3 * (int64_t)i);
  tiledb_query_free(&query);
  close_array(&array);
}

static void make_numbers(const char* uri) {
  const int32_t ends[] = {1, CELLS}, extent = CELLS / 4;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, ends, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "n", TILEDB_INT64, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&dimension);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  tiledb_array_schema_t* schema = NULL;

  make_numbers("mem://numbers");
  AdviceRecord none = {0};
  assert(tiledb_rs_schema_advise(ctx, "mem://numbers", NULL, TILEDB_RS_BALANCED, note, &none, &schema) == TILEDB_OK);
  assert(none.calls == 1 && none.better == 0 && none.reason == TILEDB_RS_REASON_NO_CELLS && none.now == 0);
  tiledb_array_schema_free(&schema);

  write_numbers("mem://numbers");
  const tiledb_rs_objective_t objectives[] = {TILEDB_RS_SMALLEST, TILEDB_RS_BALANCED, TILEDB_RS_FASTEST};
  for (int i = 0; i < 3; i++) {
    char uri[32];
    snprintf(uri, sizeof uri, "mem://advised%d", i);
    AdviceRecord record = {0};
    assert(tiledb_rs_schema_advise(ctx, "mem://numbers", NULL, objectives[i], note, &record, &schema) == TILEDB_OK);
    assert(record.calls == 1 && record.values == 1 && record.better == 1 && record.then * 8 < record.now && record.extents == 1);
    assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
    tiledb_array_schema_free(&schema);
    write_numbers(uri);
    read_numbers(uri);
    AdviceRecord again = {0};
    assert(tiledb_rs_schema_advise(ctx, uri, NULL, objectives[i], note, &again, &schema) == TILEDB_OK);
    assert(again.better == 0 && again.now == record.then);
    tiledb_array_schema_free(&schema);
  }

  /* Other properties of the schema are asked for by a parameter. */
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.advise.properties", "tile_extents,colour", &error) == TILEDB_OK);
  assert(tiledb_rs_schema_advise(ctx, "mem://numbers", config, TILEDB_RS_BALANCED, NULL, NULL, &schema) == TILEDB_ERR);
  expect_within("'colour'");
  assert(tiledb_config_set(config, "sm.advise.properties", "", &error) == TILEDB_OK);
  assert(tiledb_rs_schema_advise(ctx, "mem://numbers", config, TILEDB_RS_BALANCED, NULL, NULL, &schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_config_free(&config);

  /* Without a callback; stopped; with wrong arguments, after which the output is as before. */
  assert(tiledb_rs_schema_advise(ctx, "mem://numbers", NULL, TILEDB_RS_SMALLEST, NULL, NULL, &schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  for (int answer = -1; answer <= 0; answer++) {
    AdviceRecord stopped = {.stop_at = 1, .answer = answer};
    assert(tiledb_rs_schema_advise(ctx, "mem://numbers", NULL, TILEDB_RS_SMALLEST, note, &stopped, &schema) == TILEDB_ERR);
    assert(stopped.calls == 1 && schema == NULL);
  }
  int wrong = 3;
  tiledb_rs_objective_t objective;
  memcpy(&objective, &wrong, sizeof objective);
  assert(tiledb_rs_schema_advise(ctx, "mem://numbers", NULL, objective, NULL, NULL, &schema) == TILEDB_ERR);
  expect_within("the objective is 3");
  assert(tiledb_rs_schema_advise(ctx, "mem://numbers", NULL, TILEDB_RS_SMALLEST, NULL, NULL, NULL) == TILEDB_ERR);
  assert(tiledb_rs_schema_advise(ctx, "mem://nothing", NULL, TILEDB_RS_SMALLEST, NULL, NULL, &schema) == TILEDB_ERR);
  assert(tiledb_rs_schema_advise(ctx, NULL, NULL, TILEDB_RS_SMALLEST, NULL, NULL, &schema) == TILEDB_ERR);
  assert(schema == NULL);

  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
