/* A vacuum tells how far it has come. Wherever it is stopped, the array reads as before, and a second one ends the work. */
#include "arrays.h"

#include <tiledb/tiledb_rs.h>

enum { FRAGMENTS = 20 };

typedef struct {
  int calls, stop_at, answer, cancels;
  uint64_t files, total;
} Progress;

static int32_t advance(uint64_t files, uint64_t total, void* data) {
  Progress* progress = data;
  assert(files > progress->files && files <= total && (progress->total == 0 || progress->total == total));
  progress->files = files;
  progress->total = total;
  if (++progress->calls != progress->stop_at)
    return 1;
  if (progress->cancels)
    assert(tiledb_ctx_cancel_tasks(ctx) == TILEDB_OK);
  return progress->cancels ? 1 : progress->answer;
}

static void set(tiledb_config_t* config, const char* name, const char* value) {
  tiledb_error_t* error = NULL;
  assert(tiledb_config_set(config, name, value, &error) == TILEDB_OK && error == NULL);
}

/* An array with merged fragments and commits, and what was merged. */
static void make_merged(const char* uri, tiledb_config_t* config) {
  make_array(uri, TILEDB_SPARSE);
  for (int32_t i = 0; i < FRAGMENTS; i++)
    write_cells(uri, TILEDB_SPARSE, (uint64_t)i + 1, 5 * i + 1, 5 * i + 5, 2);
  set(config, "sm.consolidation.mode", "commits");
  assert(tiledb_array_consolidate(ctx, uri, config) == TILEDB_OK);
  set(config, "sm.consolidation.mode", "fragments");
  assert(tiledb_array_consolidate(ctx, uri, config) == TILEDB_OK);
}

static void check_cells(const char* uri) {
  int32_t a[100];
  assert(fragments(uri) == 1);
  assert(read_cells(uri, 0, 1, 100, a) == 100);
  for (int32_t i = 0; i < 100; i++)
    assert(a[i] == 2 * (i + 1));
}

static uint32_t to_vacuum(const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  uint32_t count = 0;
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  assert(tiledb_fragment_info_get_to_vacuum_num(ctx, info, &count) == TILEDB_OK);
  tiledb_fragment_info_free(&info);
  return count;
}

/* Stops a vacuum at one call after the other, in three ways. */
static int stops(const char* mode) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  char uri[64], text[64];
  int stopped = 0, most = 1;
  for (int i = 1; i <= most; i++) {
    snprintf(uri, sizeof uri, "mem://%s_%d", mode, i);
    make_merged(uri, config);
    set(config, "sm.vacuum.mode", mode);
    Progress progress = {.stop_at = i, .answer = i % 3 == 0 ? -1 : 0, .cancels = i % 3 == 1};
    int32_t code = tiledb_rs_array_vacuum(ctx, uri, config, advance, &progress);
    /* After the last file there is nothing left to cancel. */
    assert(code == (progress.cancels && progress.files == progress.total ? TILEDB_OK : TILEDB_ERR));
    if (code == TILEDB_ERR) {
      stopped++;
      snprintf(text, sizeof text, " after %llu of %llu files", (unsigned long long)progress.files,
          (unsigned long long)progress.total);
      expect_within(progress.cancels ? "The operation was cancelled" : text);
    }
    check_cells(uri);
    if (progress.files < progress.total)
      most = i + 1;
    progress = (Progress){0};
    assert(tiledb_rs_array_vacuum(ctx, uri, config, advance, &progress) == TILEDB_OK);
    assert(progress.files == progress.total);
    check_cells(uri);
    assert(strcmp(mode, "fragments") != 0 || to_vacuum(uri) == 0);
    progress = (Progress){0};
    assert(tiledb_rs_array_vacuum(ctx, uri, config, advance, &progress) == TILEDB_OK);
    assert(strcmp(mode, "fragments") != 0 || progress.calls == 0);
  }
  tiledb_config_free(&config);
  return stopped;
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  /* Commits and folders of 20 fragments and a vacuum file, eight at a time. */
  assert(stops("fragments") == 7 - 1);
  assert(stops("commits") >= 2);
  assert(tiledb_rs_array_vacuum(ctx, "mem://fragments_1", NULL, NULL, NULL) == TILEDB_ERR);
  expect("tiledb_rs_array_vacuum: the callback is null; pass a function");
  Progress progress = {0};
  assert(tiledb_rs_array_vacuum(ctx, "mem://nothing", NULL, advance, &progress) == TILEDB_ERR && progress.calls == 0);
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
