/* A schema is recommended for the cells of an Arrow stream: as for an array that has the same cells, and from a sample of a long
   stream, for sparse and dense arrays; streams that do not fit, stops. */
#include "common.h"
#include "arrow_structs.h"

enum { MOST = 64, BATCH = 50000 };

/* A stream of batches with the columns x, y and v, of `left` rows; dense arrays have no columns for x and y. */
typedef struct {
  uint64_t rows, produced, width, fails_at;
  int is_dense, releases;
} Source;

static int32_t xs[BATCH], ys[BATCH];
static int64_t vs[BATCH];
static const void *of_x[2] = {NULL, xs}, *of_y[2] = {NULL, ys}, *of_v[2] = {NULL, vs}, *of_batch[1];
static struct ArrowArray arrays[3], *columns[3] = {&arrays[0], &arrays[1], &arrays[2]};
static struct ArrowSchema types[3], *fields[3] = {&types[0], &types[1], &types[2]};

static void array_done(struct ArrowArray* array) { array->release = NULL; }
static void schema_done(struct ArrowSchema* schema) { schema->release = NULL; }

static int give_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  const Source* source = stream->private_data;
  const char *names[] = {"x", "y", "v"}, *formats[] = {"i", "i", "l"};
  for (int i = 0; i < 3; i++)
    types[i] = (struct ArrowSchema){.format = formats[i], .name = names[i], .release = schema_done};
  *out = (struct ArrowSchema){.format = "+s", .name = "", .release = schema_done};
  out->n_children = source->is_dense ? 1 : 3, out->children = source->is_dense ? fields + 2 : fields;
  return 0;
}

static int give_batch(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  Source* source = stream->private_data;
  memset(out, 0, sizeof *out);
  if (source->fails_at > 0 && source->produced >= source->fails_at)
    return 5;
  const uint64_t left = source->rows - source->produced, rows = left < BATCH ? left : BATCH;
  if (rows == 0)
    return 0;
  for (uint64_t i = 0; i < rows; i++) {
    const uint64_t cell = source->produced + i;
    xs[i] = (int32_t)(cell / source->width), ys[i] = (int32_t)(cell % source->width);
    vs[i] = (int64_t)(cell / 100);
  }
  const void** buffers[] = {of_x, of_y, of_v};
  for (int i = 0; i < 3; i++)
    arrays[i] = (struct ArrowArray){.length = (int64_t)rows, .n_buffers = 2, .buffers = buffers[i], .release = array_done};
  *out = (struct ArrowArray){.length = (int64_t)rows, .n_buffers = 1, .buffers = of_batch, .release = array_done};
  out->n_children = source->is_dense ? 1 : 3, out->children = source->is_dense ? columns + 2 : columns;
  source->produced += rows;
  return 0;
}

static const char* give_error(struct ArrowArrayStream* stream) { return stream->private_data == NULL ? NULL : "torn"; }

static void stream_done(struct ArrowArrayStream* stream) {
  ((Source*)stream->private_data)->releases++;
  stream->release = NULL;
}

static tiledb_array_schema_t* make_schema(tiledb_array_type_t type, int32_t height, int32_t width, int32_t extent) {
  const int32_t ends[][2] = {{0, height - 1}, {0, width - 1}};
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  for (int i = 0; i < 2; i++) {
    tiledb_dimension_t* dimension = NULL;
    assert(tiledb_dimension_alloc(ctx, i == 0 ? "x" : "y", TILEDB_INT32, ends[i], &extent, &dimension) == TILEDB_OK);
    assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
    tiledb_dimension_free(&dimension);
  }
  assert(tiledb_attribute_alloc(ctx, "v", TILEDB_INT64, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, type, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, 5000) == TILEDB_OK);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
  return schema;
}

typedef struct {
  int count, stop_at;
  char texts[MOST][128];
  uint64_t sampled, current, recommended;
} AdviceRecord;

static int32_t note(const tiledb_rs_advice_t* advice, void* data) {
  AdviceRecord* record = data;
  assert(record->count < MOST);
  snprintf(
      record->texts[record->count++], sizeof record->texts[0], "%u %s: %s, %s, %u %u, %llu %llu", advice->property,
      advice->field == NULL ? "" : advice->field, advice->current, advice->recommended, advice->reason, advice->is_applied,
      (unsigned long long)advice->current_bytes, (unsigned long long)advice->recommended_bytes);
  if (advice->property == TILEDB_RS_ADVISED_VALUES) {
    record->sampled += advice->sampled_bytes;
    record->current += advice->current_bytes;
    record->recommended += advice->recommended_bytes;
  }
  return record->count == record->stop_at ? TILEDB_RS_STOP : TILEDB_RS_CONTINUE;
}

/* Advises on a stream, which is read to its end unless there is an error, and released once. */
static int32_t advise(tiledb_array_schema_t* schema, Source* source, AdviceRecord* record, tiledb_array_schema_t** advised) {
  struct ArrowArrayStream stream = {give_schema, give_batch, give_error, stream_done, source};
  source->produced = 0, source->releases = 0;
  const int32_t done =
      tiledb_rs_schema_advise_arrow(ctx, schema, &stream, NULL, TILEDB_RS_BALANCED, record == NULL ? NULL : note, record, advised);
  assert(stream.release == NULL && source->releases == 1);
  assert(done != TILEDB_OK || source->produced == source->rows);
  return done;
}

/* Writes all rows of a source. */
static void store(const char* uri, tiledb_array_schema_t* schema, Source* source) {
  struct ArrowArrayStream stream = {give_schema, give_batch, give_error, stream_done, source};
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  source->produced = 0;
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, source->is_dense ? TILEDB_ROW_MAJOR : TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_rs_query_from_arrow(ctx, query, &stream, 64 << 20, NULL, NULL, NULL) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static AdviceRecord stored(const char* uri) {
  AdviceRecord record = {0};
  tiledb_array_schema_t* advised = NULL;
  assert(tiledb_rs_schema_advise(ctx, uri, NULL, TILEDB_RS_BALANCED, note, &record, &advised) == TILEDB_OK);
  tiledb_array_schema_free(&advised);
  return record;
}

static int is_near(uint64_t a, uint64_t b) { return a <= b * 5 / 4 && b <= a * 5 / 4; }

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  for (int is_dense = 0; is_dense < 2; is_dense++) {
    /* All rows are sampled: the same advice as for an array with them. */
    tiledb_array_schema_t *schema = make_schema(is_dense ? TILEDB_DENSE : TILEDB_SPARSE, 160, 100, 20), *advised = NULL;
    Source source = {.rows = 16000, .width = 100, .is_dense = is_dense};
    const char* uri = is_dense ? "mem://dense" : "mem://sparse";
    store(uri, schema, &source);
    const AdviceRecord expected = stored(uri);
    for (int run = 0; run < 2; run++) {
      AdviceRecord record = {0};
      assert(advise(schema, &source, &record, &advised) == TILEDB_OK);
      assert(record.count == expected.count && record.count >= (is_dense ? 1 : 3));
      for (int i = 0; i < record.count; i++)
        if (strcmp(record.texts[i], expected.texts[i]) != 0) {
          fprintf(stderr, "%s\n%s\n", record.texts[i], expected.texts[i]);
          abort();
        }
      assert(tiledb_array_schema_check(ctx, advised) == TILEDB_OK);
      assert(tiledb_array_create(ctx, run == 0 ? (is_dense ? "mem://d0" : "mem://s0") : (is_dense ? "mem://d1" : "mem://s1"), advised) == TILEDB_OK);
      tiledb_array_schema_free(&advised);
    }
    tiledb_array_schema_free(&schema);

    /* A long stream is sampled, and the estimates are those for all rows. */
    schema = make_schema(is_dense ? TILEDB_DENSE : TILEDB_SPARSE, 30000, 100, 20);
    source.rows = 3000000;
    AdviceRecord record = {0};
    assert(advise(schema, &source, &record, &advised) == TILEDB_OK);
    tiledb_array_schema_free(&advised);
    assert(record.sampled < 16u << 20);
    store(is_dense ? "mem://long_dense" : "mem://long_sparse", schema, &source);
    const AdviceRecord whole = stored(is_dense ? "mem://long_dense" : "mem://long_sparse");
    assert(is_near(record.current, whole.current) && is_near(record.recommended, whole.recommended));

    /* Nothing to advise on; stopped; failed; without a callback. */
    source.rows = 0;
    record = (AdviceRecord){0};
    assert(advise(schema, &source, &record, &advised) == TILEDB_OK && record.current == 0 && record.count >= 1);
    tiledb_array_schema_free(&advised);
    source.rows = 200000;
    record = (AdviceRecord){.stop_at = 1};
    assert(advise(schema, &source, &record, &advised) == TILEDB_ERR && record.count == 1 && advised == NULL);
    source.fails_at = 100000;
    assert(advise(schema, &source, NULL, &advised) == TILEDB_ERR && advised == NULL);
    expect_within("torn");
    source.fails_at = 0;
    assert(advise(schema, &source, NULL, &advised) == TILEDB_OK);
    tiledb_array_schema_free(&advised);

    /* Columns that the array does not have. */
    source.is_dense = !is_dense;
    assert(advise(schema, &source, NULL, &advised) == TILEDB_ERR && advised == NULL);
    expect_within(is_dense ? "is a dimension of a dense array" : "no column 'x'");
    tiledb_array_schema_free(&schema);
  }

  /* Dense cells that do not fill a row, the last row, that exceed the domain, or whose rows are too long. */
  tiledb_array_schema_t *schema = make_schema(TILEDB_DENSE, 200, 100, 20), *advised = NULL;
  Source source = {.rows = 99, .width = 100, .is_dense = 1};
  assert(advise(schema, &source, NULL, &advised) == TILEDB_ERR);
  expect_within("100 cells for each coordinate of its first dimension");
  source.rows = 150;
  assert(advise(schema, &source, NULL, &advised) == TILEDB_OK);
  tiledb_array_schema_free(&advised);
  source.rows = 20001;
  assert(advise(schema, &source, NULL, &advised) == TILEDB_ERR);
  expect_within("20001 rows");
  tiledb_array_schema_free(&schema);
  schema = make_schema(TILEDB_DENSE, 200, 2000000000, 20);
  source.rows = 6000000;
  assert(advise(schema, &source, NULL, &advised) == TILEDB_ERR);
  expect_within("2000000000 cells");

  /* Wrong arguments; the stream is released all the same. */
  for (int wrong = 0; wrong < 4; wrong++) {
    struct ArrowArrayStream stream = {give_schema, give_batch, give_error, stream_done, &source};
    source.produced = 0, source.releases = 0;
    int number = wrong == 0 ? 3 : 0;
    tiledb_rs_objective_t objective;
    memcpy(&objective, &number, sizeof objective);
    assert(
        tiledb_rs_schema_advise_arrow(
            wrong == 1 ? NULL : ctx, wrong == 2 ? NULL : schema, &stream, NULL, objective, NULL, NULL,
            wrong == 3 ? NULL : &advised) != TILEDB_OK);
    assert(stream.release == NULL && source.releases == 1 && advised == NULL && source.produced == 0);
    assert(tiledb_rs_schema_advise_arrow(ctx, schema, &stream, NULL, TILEDB_RS_SMALLEST, NULL, NULL, &advised) == TILEDB_ERR);
  }
  assert(tiledb_rs_schema_advise_arrow(ctx, schema, NULL, NULL, TILEDB_RS_SMALLEST, NULL, NULL, &advised) == TILEDB_ERR);
  tiledb_array_schema_free(&schema);

  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
