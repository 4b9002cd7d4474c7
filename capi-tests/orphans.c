/* What killed writers leave is listed and swept; what was committed stays. */
#include "common.h"

static void make_array(const char* uri) {
  int32_t domain[] = {1, 4}, extent = 2;
  tiledb_dimension_t* dim = NULL;
  tiledb_domain_t* dom = NULL;
  tiledb_attribute_t* attr = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, domain, &extent, &dim) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &dom) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, dom, dim) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attr) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, dom) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attr) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attr);
  tiledb_domain_free(&dom);
  tiledb_dimension_free(&dim);
}

static void write_cells(const char* uri) {
  int32_t a[] = {1, 2, 3, 4};
  uint64_t size = sizeof a;
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

/* A writer that was killed has made its folder and some of its files. */
static void leave_orphan(const char* path) {
  tiledb_vfs_t* vfs = NULL;
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  assert(tiledb_vfs_create_dir(ctx, vfs, path) == TILEDB_OK);
  char file[256];
  snprintf(file, sizeof file, "%s/a0.tdb", path);
  assert(tiledb_vfs_touch(ctx, vfs, file) == TILEDB_OK);
  /* Folders on a disk have no uploads. */
  uint64_t uploads = 7;
  assert(tiledb_rs_vfs_sweep_uploads(ctx, vfs, path, &uploads) == TILEDB_OK && uploads == 0);
  assert(tiledb_rs_vfs_sweep_uploads(ctx, vfs, NULL, &uploads) == TILEDB_ERR);
  assert(tiledb_rs_vfs_sweep_uploads(ctx, vfs, path, NULL) == TILEDB_ERR);
  assert(tiledb_rs_vfs_sweep_uploads(ctx, NULL, path, &uploads) == TILEDB_ERR);
  tiledb_vfs_free(&vfs);
}

typedef struct {
  int calls;
  const char* expected;
} orphan_record_t;

static int32_t see(const char* folder, void* data) {
  orphan_record_t* record = data;
  record->calls++;
  assert(strstr(folder, record->expected) != NULL);
  return 1;
}

static int32_t refuse(const char* folder, void* data) {
  (void)folder;
  ++*(int*)data;
  return -1;
}

typedef struct {
  int calls, stop_at, answer;
} progress_t;

static int32_t advance(uint64_t folders, uint64_t total, void* data) {
  progress_t* progress = data;
  assert(folders == (uint64_t)++progress->calls && total >= folders);
  return progress->calls == progress->stop_at ? progress->answer : 1;
}

/* Stopped after each of three folders, it has removed so many; a second one does the rest. */
static void sweep_in_parts(const char* uri) {
  for (int stop_at = 1; stop_at <= 3; stop_at++) {
    for (int i = 2; i <= 4; i++) {
      char path[256];
      snprintf(path, sizeof path, "%s/__fragments/__%d_%d_0123456789abcdef0123456789abcdef_22", uri, i, i);
      leave_orphan(path);
    }
    progress_t progress = {0, stop_at, stop_at == 2 ? -1 : 0};
    assert(tiledb_rs_array_sweep_watched(ctx, uri, advance, &progress) == TILEDB_ERR && progress.calls == stop_at);
    progress_t rest = {0, 0, 1};
    assert(tiledb_rs_array_sweep_watched(ctx, uri, advance, &rest) == TILEDB_OK && rest.calls == 3 - stop_at);
  }
  assert(tiledb_rs_array_sweep_watched(ctx, uri, NULL, NULL) == TILEDB_ERR);
}

int main(void) {
  const char* uri = "orphans";
  const char* name = "__1_1_0123456789abcdef0123456789abcdef_22";
  uint64_t count = 77;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  assert(tiledb_rs_array_sweep(ctx, uri, &count) == TILEDB_ERR && count == 77);
  make_array(uri);
  write_cells(uri);
  orphan_record_t record = {0, name};
  assert(tiledb_rs_array_orphans(ctx, uri, see, &record) == TILEDB_OK && record.calls == 0);
  char path[256];
  snprintf(path, sizeof path, "%s/__fragments/%s", uri, name);
  leave_orphan(path);
  assert(tiledb_rs_array_orphans(ctx, uri, see, &record) == TILEDB_OK && record.calls == 1);
  int refused = 0;
  assert(tiledb_rs_array_orphans(ctx, uri, refuse, &refused) == TILEDB_ERR && refused == 1);
  assert(tiledb_rs_array_orphans(ctx, uri, NULL, NULL) == TILEDB_ERR);
  assert(tiledb_rs_array_sweep(ctx, uri, &count) == TILEDB_OK && count == 1);
  assert(tiledb_rs_array_sweep(ctx, uri, &count) == TILEDB_OK && count == 0);
  assert(tiledb_rs_array_orphans(ctx, uri, see, &record) == TILEDB_OK && record.calls == 1);
  sweep_in_parts(uri);
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
