/* A sound array has no findings; a damaged file is found and named; callbacks can stop it. */
#include "common.h"

static const char* uri = "verified";

static void make_array(void) {
  int32_t domain[] = {1, 8}, extent = 4;
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

  int32_t a[] = {1, 2, 3, 4, 5, 6, 7, 8};
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

typedef struct {
  int findings;
  int named;
  int answer;
  uint64_t bytes, total;
} report_t;

static int32_t on_finding(const tiledb_rs_finding_t* finding, void* data) {
  report_t* report = data;
  report->findings++;
  assert(finding->text[0] != 0 && finding->remedy[0] != 0);
  if (strstr(finding->file, "a0.tdb") != NULL && finding->field != NULL && strcmp(finding->field, "a") == 0)
    report->named += finding->severity == TILEDB_RS_SEVERITY_ERROR && finding->tile == 1 &&
                   finding->code == TILEDB_RS_FINDING_STATISTICS;
  return report->answer;
}

static int32_t on_progress(uint64_t bytes, uint64_t total, void* data) {
  report_t* report = data;
  report->bytes = bytes;
  report->total = total;
  return TILEDB_RS_CONTINUE;
}

static int32_t find_file(const char* path, void* data) {
  size_t len = strlen(path);
  if (len > 6 && strcmp(path + len - 6, "a0.tdb") == 0) strcpy(data, path);
  return TILEDB_RS_CONTINUE;
}

/* Changes the last cell of the array. */
static void damage(void) {
  char path[1024] = "";
  tiledb_vfs_t* vfs = NULL;
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  tiledb_fragment_info_t* info = NULL;
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  const char* fragment = NULL;
  assert(tiledb_fragment_info_get_fragment_uri(ctx, info, 0, &fragment) == TILEDB_OK);
  assert(tiledb_vfs_ls(ctx, vfs, fragment, find_file, path) == TILEDB_OK && path[0] != 0);
  char local[4096];
  uint32_t length = sizeof local;
  assert(tiledb_uri_to_path(ctx, path, local, &length) == TILEDB_OK);
  FILE* file = fopen(local, "r+b");
  assert(file != NULL && fseek(file, -1, SEEK_END) == 0);
  assert(fputc(0x11, file) != EOF && fclose(file) == 0);
  tiledb_fragment_info_free(&info);
  tiledb_vfs_free(&vfs);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array();
  report_t report = {.answer = 1};
  tiledb_rs_verified_t verified;
  assert(tiledb_rs_array_verify(ctx, uri, NULL, on_finding, on_progress, &report, &verified) == TILEDB_OK);
  assert(report.findings == 0 && verified.errors + verified.warnings + verified.notes == 0);
  assert(verified.tiles == 2 && verified.files >= 4 && report.bytes == report.total && report.total > 0);

  damage();
  assert(tiledb_rs_array_verify(ctx, uri, NULL, on_finding, on_progress, &report, &verified) == TILEDB_OK);
  /* Neither the ends nor the sum of the tile are what they were. */
  assert(report.named == 2 && verified.errors == (uint64_t)report.findings);
  assert(tiledb_rs_array_verify(ctx, uri, NULL, NULL, NULL, NULL, &verified) == TILEDB_OK && verified.errors > 0);
  for (report.answer = -1; report.answer <= 0; report.answer++) {
    report.findings = 0;
    assert(tiledb_rs_array_verify(ctx, uri, NULL, on_finding, NULL, &report, &verified) == TILEDB_ERR);
    assert(report.findings == 1);
    expect_within(report.answer < 0 ? "tiledb_rs_array_verify: the callback returned an error at a finding about"
                                  : "tiledb_rs_array_verify: stopped at a finding about");
  }
  assert(tiledb_rs_array_verify(ctx, uri, NULL, NULL, NULL, NULL, NULL) == TILEDB_ERR);
  assert(tiledb_rs_array_verify(ctx, "nothing_here", NULL, NULL, NULL, NULL, &verified) == TILEDB_ERR);
  tiledb_ctx_free(&ctx);
  return 0;
}
