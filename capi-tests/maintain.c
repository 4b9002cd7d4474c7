/* Maintenance by a policy merges fragments until the bound holds, reports its steps, stops when told to, and changes no cell. */
#include "arrays.h"

#include <tiledb/tiledb_rs.h>

enum { WRITES = 12 };

typedef struct {
  int calls[5], all, planned, stop_at, answer;
  uint64_t merged, written;
} StepRecord;

static int32_t note(const tiledb_rs_maintenance_step_t* step, void* data) {
  StepRecord* record = data;
  assert(step->kind <= TILEDB_RS_STEP_RECOVERY && step->reason != NULL && strlen(step->reason) > 10);
  record->calls[step->kind]++;
  record->planned += step->is_planned;
  if (step->kind == TILEDB_RS_STEP_FRAGMENTS) {
    assert(strstr(step->reason, "sm.maintenance.max_fragments = 3") != NULL);
    assert(step->results == 1 && step->bytes_read > 0);
    record->merged += step->sources;
    record->written += step->bytes_written;
  } else {
    assert(step->sources > 0 && step->bytes_read == 0 && step->bytes_written == 0);
  }
  return ++record->all == record->stop_at ? record->answer : TILEDB_RS_CONTINUE;
}

static void write_cell(const char* uri, int32_t at) {
  int32_t value = 10 * at;
  uint64_t size = sizeof value, x_size = sizeof at;
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, (uint64_t)at);
  tiledb_query_t* query = make_write(array, TILEDB_SPARSE, at, at, &at, &x_size);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", &value, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

static void check_cells(const char* uri) {
  int32_t x[100], a[100];
  uint64_t x_size = sizeof x, a_size = sizeof a;
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  tiledb_query_t* query = make_query(array, TILEDB_READ, 1, 100);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(x_size == WRITES * sizeof *x && a_size == x_size);
  for (int i = 0; i < WRITES; i++)
    assert(x[i] == i + 1 && a[i] == 10 * (i + 1));
  tiledb_query_free(&query);
  close_array(&array);
}

static tiledb_config_t* make_config(const char* bound, const char* retention) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.maintenance.max_fragments", bound, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.maintenance.retention_ms", retention, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.maintenance.max_commits", "0", &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.maintenance.max_fragment_metadata", "0", &error) == TILEDB_OK);
  return config;
}

int main(void) {
  const char* uri = "mem://maintained";
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array(uri, TILEDB_SPARSE);
  for (int32_t at = 1; at <= WRITES; at++)
    write_cell(uri, at);
  tiledb_config_t* keep = make_config("3", "18446744073709551615");

  StepRecord planned = {0};
  assert(tiledb_rs_array_maintain(ctx, uri, keep, 1, note, &planned) == TILEDB_OK);
  assert(planned.calls[TILEDB_RS_STEP_FRAGMENTS] == 1 && planned.planned == planned.all);
  assert(planned.merged >= WRITES - 2 && planned.written > 0 && fragments(uri) == WRITES);

  /* Stopped after the first step, which remains. */
  for (int answer = -1; answer <= 0; answer++) {
    StepRecord stopped = {.stop_at = 1, .answer = answer};
    assert(tiledb_rs_array_maintain(ctx, uri, keep, 0, note, &stopped) == TILEDB_ERR);
    assert(stopped.all == 1);
    check_cells(uri);
  }
  assert(fragments(uri) <= 3);

  StepRecord record = {0};
  assert(tiledb_rs_array_maintain(ctx, uri, keep, 0, note, &record) == TILEDB_OK);
  assert(record.planned == 0 && record.calls[TILEDB_RS_STEP_FRAGMENTS] == 0);
  check_cells(uri);
  StepRecord nothing = {0};
  assert(tiledb_rs_array_maintain(ctx, uri, keep, 0, note, &nothing) == TILEDB_OK);
  assert(nothing.calls[TILEDB_RS_STEP_FRAGMENTS] == 0 && nothing.calls[TILEDB_RS_STEP_COMMITS] == 0);
  tiledb_config_free(&keep);

  tiledb_config_t* remove = make_config("3", "0");
  StepRecord vacuumed = {0};
  assert(tiledb_rs_array_maintain(ctx, uri, remove, 0, note, &vacuumed) == TILEDB_OK);
  assert(vacuumed.calls[TILEDB_RS_STEP_VACUUM] == 1);
  check_cells(uri);
  assert(tiledb_rs_array_maintain(ctx, uri, remove, 0, NULL, NULL) == TILEDB_OK);
  tiledb_config_free(&remove);

  tiledb_config_t* wrong = make_config("0", "0");
  assert(tiledb_rs_array_maintain(ctx, uri, wrong, 0, NULL, NULL) == TILEDB_ERR);
  expect_within("'sm.maintenance.max_fragments' is 0");
  tiledb_config_free(&wrong);
  assert(tiledb_rs_array_maintain(ctx, "mem://nothing", NULL, 0, NULL, NULL) == TILEDB_ERR);
  assert(tiledb_rs_array_maintain(ctx, NULL, NULL, 0, NULL, NULL) == TILEDB_ERR);

  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
