/* What consolidations and vacuums would do is told, and nothing is done; a callback stops the telling. */
#include "arrays.h"

#include <tiledb/tiledb_rs.h>

enum { FRAGMENTS = 5 };

typedef struct {
  int sources, ends, stop_at, answer;
  uint64_t cells, bytes;
} Told;

static int32_t tell(uint64_t step, const char* uri, uint64_t made_by, uint64_t cells, uint64_t bytes, void* data) {
  Told* told = data;
  assert(step == 1);
  if (uri == NULL) {
    assert(made_by == step && cells == told->cells && bytes == told->bytes);
    told->ends++;
    return 1;
  }
  assert(made_by == 0 && strstr(uri, "/__") != NULL);
  told->sources++;
  told->cells += cells;
  told->bytes += bytes;
  return told->sources == told->stop_at ? told->answer : 1;
}

static int32_t list(const char* uri, void* data) {
  Told* told = data;
  assert(strstr(uri, "/__") != NULL);
  told->sources++;
  return told->sources == told->stop_at ? told->answer : 1;
}

static void set(tiledb_config_t* config, const char* name, const char* value) {
  tiledb_error_t* error = NULL;
  assert(tiledb_config_set(config, name, value, &error) == TILEDB_OK && error == NULL);
}

static Told steps(const char* uri, tiledb_config_t* config, int stop_at, int answer) {
  Told told = {0, 0, stop_at, answer, 0, 0};
  int32_t code = tiledb_rs_array_consolidate_steps(ctx, uri, config, tell, &told);
  assert(code == (answer == -1 ? TILEDB_ERR : TILEDB_OK));
  return told;
}

static Told files(const char* uri, tiledb_config_t* config, int stop_at, int answer) {
  Told told = {0, 0, stop_at, answer, 0, 0};
  int32_t code = tiledb_rs_array_vacuum_files(ctx, uri, config, list, &told);
  assert(code == (answer == -1 ? TILEDB_ERR : TILEDB_OK));
  return told;
}

int main(void) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  const char* uri = "mem://preview";
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  make_array(uri, TILEDB_SPARSE);
  Told none = steps(uri, NULL, 0, 1);
  assert(none.sources == 0 && none.ends == 0);
  for (int32_t i = 0; i < FRAGMENTS; i++)
    write_cells(uri, TILEDB_SPARSE, (uint64_t)i + 1, 5 * i + 1, 5 * i + 5, 2);

  Told all = steps(uri, NULL, 0, 1);
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
  tiledb_config_free(&config);
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
