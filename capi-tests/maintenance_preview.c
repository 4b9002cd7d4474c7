/* What consolidations and vacuums would do is told, and nothing is done; a callback stops the telling. Then it is done. */
#include "arrays.h"

#include <tiledb/tiledb_rs.h>

enum { FRAGMENTS = 5 };

typedef struct {
  int sources, ends, stop_at, answer;
  uint64_t cells, bytes;
} StepRecord;

static int32_t tell(uint64_t step, const char* uri, uint64_t made_by, uint64_t cells, uint64_t bytes, void* data) {
  StepRecord* record = data;
  assert(step == 1);
  if (uri == NULL) {
    assert(made_by == step && cells == record->cells && bytes == record->bytes);
    record->ends++;
    return 1;
  }
  assert(made_by == 0 && strstr(uri, "/__") != NULL);
  record->sources++;
  record->cells += cells;
  record->bytes += bytes;
  return record->sources == record->stop_at ? record->answer : 1;
}

static int32_t list(const char* uri, void* data) {
  StepRecord* record = data;
  assert(strstr(uri, "/__") != NULL);
  record->sources++;
  return record->sources == record->stop_at ? record->answer : 1;
}

static void set(tiledb_config_t* config, const char* name, const char* value) {
  tiledb_error_t* error = NULL;
  assert(tiledb_config_set(config, name, value, &error) == TILEDB_OK && error == NULL);
}

static StepRecord steps(const char* uri, tiledb_config_t* config, int stop_at, int answer) {
  StepRecord record = {0, 0, stop_at, answer, 0, 0};
  int32_t code = tiledb_rs_array_consolidate_steps(ctx, uri, config, tell, &record);
  assert(code == (answer == -1 ? TILEDB_ERR : TILEDB_OK));
  return record;
}

static StepRecord files(const char* uri, tiledb_config_t* config, int stop_at, int answer) {
  StepRecord record = {0, 0, stop_at, answer, 0, 0};
  int32_t code = tiledb_rs_array_vacuum_files(ctx, uri, config, list, &record);
  assert(code == (answer == -1 ? TILEDB_ERR : TILEDB_OK));
  return record;
}

typedef struct {
  char uris[32][256];
  int count;
} Uris;

static int32_t note_file(const char* uri, void* data) {
  Uris* uris = data;
  assert(uris->count < 32 && strlen(uri) < sizeof uris->uris[0]);
  strcpy(uris->uris[uris->count++], uri);
  return 1;
}

static int32_t note_source(uint64_t step, const char* uri, uint64_t made_by, uint64_t cells, uint64_t bytes, void* data) {
  (void)cells, (void)bytes;
  assert(step == 1 && (uri == NULL) == (made_by == 1));
  return uri == NULL ? 1 : note_file(uri, data);
}

/* Consolidates what the preview says, nothing else; of each source a vacuum removes so many files, and of all the list of them. */
static void check_run(const char* uri, tiledb_config_t* config, int sources, int files) {
  Uris record = {0}, removed = {0};
  assert(tiledb_rs_array_consolidate_steps(ctx, uri, config, note_source, &record) == TILEDB_OK);
  assert(record.count == sources);
  assert(tiledb_array_consolidate(ctx, uri, config) == TILEDB_OK);
  assert(tiledb_rs_array_vacuum_files(ctx, uri, config, note_file, &removed) == TILEDB_OK);
  assert(removed.count == (sources > 0 ? files * sources + 1 : 0));
  for (int i = 0; i < record.count; i++) {
    int matches = 0;
    for (int j = 0; j < removed.count; j++)
      matches += strcmp(record.uris[i], removed.uris[j]) == 0;
    assert(matches == 1);
  }
  assert(tiledb_array_vacuum(ctx, uri, config) == TILEDB_OK);
}

/* Fragments that are divided where they are larger than wanted. */
static void check_divided(tiledb_config_t* config, const char* uri, tiledb_array_type_t type) {
  int32_t cells[60];
  make_array(uri, type);
  for (int32_t i = 0; i < 6; i++)
    write_cells(uri, type, (uint64_t)i + 1, 10 * i + 1, 10 * i + 10, 2);
  set(config, "sm.consolidation.mode", "fragments");
  set(config, "sm.vacuum.mode", "fragments");
  set(config, "sm.consolidation.steps", "1");
  set(config, "sm.consolidation.step_min_frags", "2");
  set(config, "sm.consolidation.step_max_frags", "3");
  set(config, "sm.consolidation.max_fragment_size", "1000");
  check_run(uri, config, 3, 2);
  /* Small tiles of sparse arrays take up more than this; those of dense ones do not. */
  assert(fragments(uri) == (type == TILEDB_DENSE ? 4 : 6));
  check_run(uri, config, 3, 2);
  assert(read_cells(uri, 0, 1, 60, cells) == 60 && cells[0] == 2 && cells[59] == 120);
}

static void put(const char* uri, uint64_t time, int32_t value) {
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, time);
  assert(tiledb_array_put_metadata(ctx, array, time % 2 ? "odd" : "even", TILEDB_INT32, 1, &value) == TILEDB_OK);
  close_array(&array);
}

/* Metadata of the array, where one file is not merged, and where the window of time leaves some out. */
static void check_metadata(tiledb_config_t* config, const char* uri) {
  tiledb_datatype_t type;
  uint32_t count = 0;
  const void* value = NULL;
  make_array(uri, TILEDB_DENSE);
  set(config, "sm.consolidation.mode", "array_meta");
  set(config, "sm.vacuum.mode", "array_meta");
  check_run(uri, config, 0, 1);
  put(uri, 1, 1);
  check_run(uri, config, 0, 1);
  for (int32_t i = 2; i <= 5; i++)
    put(uri, (uint64_t)i, i);
  set(config, "sm.consolidation.timestamp_end", "3");
  check_run(uri, config, 3, 1);
  set(config, "sm.consolidation.timestamp_end", "18446744073709551615");
  check_run(uri, config, 3, 1);
  check_run(uri, config, 0, 1);
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  assert(tiledb_array_get_metadata(ctx, array, "odd", &type, &count, &value) == TILEDB_OK);
  assert(count == 1 && *(const int32_t*)value == 5);
  close_array(&array);
}

static int32_t progress(uint64_t done, uint64_t total, void* data) {
  (void)done, (void)total, (void)data;
  assert(0);
  return 0;
}

/* A server does its own upkeep: what looks at files is refused before anything is told. */
static void check_server(void) {
  const char *uri = "tiledb://workspace/teamspace/array", *why = "'tiledb://workspace/teamspace/array' is on a TileDB server";
  Uris none = {0};
  uint64_t count = 7;
  assert(tiledb_rs_array_consolidate_steps(ctx, uri, NULL, note_source, &none) == TILEDB_ERR);
  expect_within(why);
  assert(tiledb_rs_array_vacuum_files(ctx, uri, NULL, note_file, &none) == TILEDB_ERR);
  expect_within(why);
  assert(tiledb_rs_array_orphans(ctx, uri, note_file, &none) == TILEDB_ERR);
  expect_within(why);
  assert(tiledb_rs_array_sweep_watched(ctx, uri, progress, NULL) == TILEDB_ERR);
  expect_within(why);
  assert(tiledb_rs_array_sweep(ctx, uri, &count) == TILEDB_ERR && count == 7);
  expect_within(why);
  tiledb_rs_verified_t verified;
  assert(tiledb_rs_array_verify(ctx, uri, NULL, NULL, NULL, NULL, &verified) == TILEDB_ERR);
  expect_within(why);
  assert(none.count == 0);
}

int main(void) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  const char* uri = "mem://preview";
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  make_array(uri, TILEDB_SPARSE);
  StepRecord none = steps(uri, NULL, 0, 1);
  assert(none.sources == 0 && none.ends == 0);
  for (int32_t i = 0; i < FRAGMENTS; i++)
    write_cells(uri, TILEDB_SPARSE, (uint64_t)i + 1, 5 * i + 1, 5 * i + 5, 2);

  StepRecord all = steps(uri, NULL, 0, 1);
  assert(all.sources == FRAGMENTS && all.ends == 1 && all.cells == 5 * FRAGMENTS && all.bytes > 0);
  assert(steps(uri, NULL, 2, 0).sources == 2 && steps(uri, NULL, 2, -1).sources == 2);
  const char* modes[] = {"fragment_meta", "commits"};
  for (int i = 0; i < 2; i++) {
    set(config, "sm.consolidation.mode", modes[i]);
    assert(steps(uri, config, 0, 1).sources == FRAGMENTS);
  }
  set(config, "sm.consolidation.mode", "array_meta");
  assert(steps(uri, config, 0, 1).sources == 0);
  assert(fragments(uri) == FRAGMENTS && files(uri, NULL, 0, 1).sources == 0);

  assert(tiledb_array_consolidate(ctx, uri, NULL) == TILEDB_OK);
  assert(steps(uri, NULL, 0, 1).sources == 0);
  /* Of each fragment a commit and a folder, and the file that lists them. */
  assert(files(uri, NULL, 0, 1).sources == 2 * FRAGMENTS + 1);
  assert(files(uri, NULL, 3, 0).sources == 3 && files(uri, NULL, 3, -1).sources == 3);
  assert(tiledb_array_vacuum(ctx, uri, NULL) == TILEDB_OK);
  assert(files(uri, NULL, 0, 1).sources == 0);

  assert(tiledb_rs_array_consolidate_steps(ctx, uri, NULL, NULL, NULL) == TILEDB_ERR);
  assert(tiledb_rs_array_vacuum_files(ctx, uri, NULL, NULL, NULL) == TILEDB_ERR);
  assert(steps("mem://nothing", NULL, 0, -1).sources == 0 && files("mem://nothing", NULL, 0, -1).sources == 0);
  check_divided(config, "mem://divided_sparse", TILEDB_SPARSE);
  check_divided(config, "mem://divided_dense", TILEDB_DENSE);
  check_metadata(config, "mem://metadata");
  check_server();
  tiledb_config_free(&config);
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
