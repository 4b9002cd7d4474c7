/* Maintenance around the callbacks of a consolidation and amid a write: what this process is writing is not swept, whoever asks, and
   the array is readable whatever was called. */
#include "arrays.h"

#include <tiledb/tiledb_rs.h>

static const char* uri = "in_progress";

typedef struct {
  int32_t (*work)(void);
  int calls, is_done;
} call_t;

static tiledb_config_t* make_config(const char* name, const char* value) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, name, value, &error) == TILEDB_OK);
  return config;
}

static int32_t sweep(void) {
  uint64_t count = 77;
  int32_t done = tiledb_rs_array_sweep(ctx, uri, &count);
  if (done == TILEDB_ERR) {
    expect_within("this process is writing fragment '__");
    assert(count == 77);
  }
  return done;
}

static int32_t sweep_uploads(void) {
  uint64_t count = 77;
  tiledb_vfs_t* vfs = NULL;
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  int32_t done = tiledb_rs_vfs_sweep_uploads(ctx, vfs, uri, &count);
  if (done == TILEDB_ERR)
    expect_within("this process is writing");
  tiledb_vfs_free(&vfs);
  return done;
}

static int32_t vacuum(void) {
  return tiledb_array_vacuum(ctx, uri, NULL);
}

static int32_t vacuum_commits(void) {
  tiledb_config_t* config = make_config("sm.vacuum.mode", "commits");
  int32_t done = tiledb_array_vacuum(ctx, uri, config);
  tiledb_config_free(&config);
  return done;
}

static int32_t consolidate_commits(void) {
  tiledb_config_t* config = make_config("sm.consolidation.mode", "commits");
  int32_t done = tiledb_array_consolidate(ctx, uri, config);
  tiledb_config_free(&config);
  return done;
}

static int32_t consolidate(void) {
  return tiledb_array_consolidate(ctx, uri, NULL);
}

static int32_t upgrade(void) {
  return tiledb_array_upgrade_version(ctx, uri, NULL);
}

static int32_t write_more(void) {
  write_cells(uri, TILEDB_SPARSE, 9, 50, 59, 3);
  return TILEDB_OK;
}

static int32_t on_merged(uint64_t cells, uint64_t total, void* data) {
  (void)cells, (void)total;
  call_t* call = data;
  /* Once: what is called calls nothing back. */
  if (call->calls++ == 0)
    call->is_done = call->work() == TILEDB_OK;
  return 1;
}

static void make_fragments(void) {
  tiledb_vfs_t* vfs = NULL;
  int32_t is_dir = 0;
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  assert(tiledb_vfs_is_dir(ctx, vfs, uri, &is_dir) == TILEDB_OK);
  if (is_dir)
    assert(tiledb_vfs_remove_dir(ctx, vfs, uri) == TILEDB_OK);
  tiledb_vfs_free(&vfs);
  make_array(uri, TILEDB_SPARSE);
  for (int32_t i = 0; i < 4; i++)
    write_cells(uri, TILEDB_SPARSE, (uint64_t)i + 1, 10 * i + 1, 10 * i + 10, 3);
}

static void check_cells(void) {
  int32_t a[100];
  assert(read_cells(uri, 0, 1, 40, a) == 40);
  for (int32_t i = 0; i < 40; i++)
    assert(a[i] == 3 * (i + 1));
}

/* Calls something amid a consolidation; whether it was done is what is expected, and nothing is lost in any case. */
static void check_amid_consolidation(int32_t (*work)(void), int is_done) {
  make_fragments();
  call_t call = {work, 0, 0};
  assert(tiledb_rs_array_consolidate(ctx, uri, NULL, on_merged, &call) == TILEDB_OK && call.calls > 0);
  assert(call.is_done == is_done);
  check_cells();
  assert(tiledb_array_vacuum(ctx, uri, NULL) == TILEDB_OK);
  check_cells();
  /* Nothing is in progress any more. */
  uint64_t count = 77;
  assert(tiledb_rs_array_sweep(ctx, uri, &count) == TILEDB_OK && count == 0);
  check_cells();
}

/* A write in global order between two submits: nothing is swept until it is completed or given up. */
static void check_amid_write(int is_completed) {
  make_fragments();
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, 7);
  tiledb_query_t* query = NULL;
  int32_t x[] = {61, 62, 63, 64}, a[] = {1, 2, 3, 4};
  uint64_t x_size = sizeof x, a_size = sizeof a, count = 77;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(sweep() == TILEDB_ERR);
  /* By another context, too. */
  tiledb_ctx_t *own = ctx, *other = NULL;
  assert(tiledb_ctx_alloc(NULL, &other) == TILEDB_OK);
  ctx = other;
  assert(sweep() == TILEDB_ERR);
  ctx = own;
  tiledb_ctx_free(&other);
  if (is_completed)
    assert(tiledb_query_finalize(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
  assert(tiledb_rs_array_sweep(ctx, uri, &count) == TILEDB_OK && count == 0);
  int32_t read[100];
  assert(read_cells(uri, 0, 61, 64, read) == (is_completed ? 4 : 0));
  check_cells();
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  check_amid_consolidation(sweep, 0);
  check_amid_consolidation(sweep_uploads, 0);
  check_amid_consolidation(vacuum, 1);
  check_amid_consolidation(vacuum_commits, 1);
  check_amid_consolidation(consolidate_commits, 1);
  check_amid_consolidation(upgrade, 1);
  check_amid_consolidation(write_more, 1);
  check_amid_consolidation(consolidate, 1);
  check_amid_write(0);
  check_amid_write(1);
  tiledb_ctx_free(&ctx);
  return 0;
}
