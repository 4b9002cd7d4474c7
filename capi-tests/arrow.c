/* Results of a read as Arrow record batches, and batches as cells of a write: values, texts, nulls, dictionaries; early release,
   another thread, stops, hostile streams, by which a write and a recommendation are refused. */
#include "common.h"
#include "arrow_structs.h"
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

enum { CELLS = 1000 };

static void make_array(const char* uri) {
  int32_t domain[] = {0, CELLS - 1}, extent = 100;
  const char* colours = "redgreenblue";
  uint64_t starts[] = {0, 3, 8};
  tiledb_dimension_t* dim = NULL;
  tiledb_domain_t* dom = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_enumeration_t* values = NULL;
  tiledb_attribute_t *text = NULL, *colour = NULL;
  assert(tiledb_dimension_alloc(ctx, "d", TILEDB_INT32, domain, &extent, &dim) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &dom) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, dom, dim) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, dom) == TILEDB_OK);
  assert(
      tiledb_enumeration_alloc(
          ctx, "colours", TILEDB_STRING_UTF8, TILEDB_VAR_NUM, 1, colours, 12, starts, sizeof starts, &values) == TILEDB_OK);
  assert(tiledb_array_schema_add_enumeration(ctx, schema, values) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "text", TILEDB_STRING_UTF8, &text) == TILEDB_OK);
  assert(tiledb_attribute_set_cell_val_num(ctx, text, TILEDB_VAR_NUM) == TILEDB_OK);
  assert(tiledb_attribute_set_nullable(ctx, text, 1) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, text) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "colour", TILEDB_UINT8, &colour) == TILEDB_OK);
  assert(tiledb_attribute_set_enumeration_name(ctx, colour, "colours") == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, colour) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_attribute_free(&colour);
  tiledb_attribute_free(&text);
  tiledb_enumeration_free(&values);
  tiledb_array_schema_free(&schema);
  tiledb_domain_free(&dom);
  tiledb_dimension_free(&dim);
}

/* Every cell but the last hundred, which have fill values. */
static void write_cells(const char* uri) {
  enum { WRITTEN = CELLS - 100 };
  static char text[3 * WRITTEN + 1];
  static uint64_t starts[WRITTEN];
  static uint8_t valid[WRITTEN], colour[WRITTEN];
  for (int i = 0; i < WRITTEN; i++) {
    snprintf(text + 3 * i, 4, "%03d", (int)((unsigned)i % 1000));
    starts[i] = 3 * (uint64_t)i;
    valid[i] = i % 5 != 0;
    colour[i] = (uint8_t)(i % 3);
  }
  uint64_t sizes[] = {3 * WRITTEN, sizeof starts, sizeof valid, sizeof colour};
  int32_t box[] = {0, WRITTEN - 1};
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_set_subarray(ctx, subarray, box) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "text", text, &sizes[0]) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &sizes[1]) == TILEDB_OK);
  assert(tiledb_query_set_validity_buffer(ctx, query, "text", valid, &sizes[2]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "colour", colour, &sizes[3]) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static tiledb_query_t* make_query(const char* uri) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  int32_t box[] = {0, CELLS - 1};
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  assert(tiledb_subarray_set_subarray(ctx, subarray, box) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  tiledb_subarray_free(&subarray);
  tiledb_array_free(&array);
  return query;
}

static struct ArrowArrayStream make_stream(const char* uri, uint64_t bytes) {
  struct ArrowArrayStream stream;
  tiledb_query_t* query = make_query(uri);
  assert(tiledb_rs_query_to_arrow(ctx, query, NULL, 0, bytes, &stream) == TILEDB_OK);
  tiledb_query_free(&query);
  return stream;
}

static int is_set(const void* bits, int64_t at) {
  return bits == NULL || (((const uint8_t*)bits)[at / 8] >> (at % 8) & 1);
}

static void check_batch(const struct ArrowArray* batch, int64_t first) {
  assert(batch->n_children == 3 && batch->n_buffers == 1 && batch->offset == 0);
  const struct ArrowArray *d = batch->children[0], *text = batch->children[1], *colour = batch->children[2];
  assert(d->length == batch->length && text->length == batch->length && colour->length == batch->length);
  assert(d->null_count == 0 && d->n_buffers == 2 && text->n_buffers == 3);
  const uint64_t* starts = text->buffers[1];
  const char* chars = text->buffers[2];
  assert(starts[0] == 0);
  int64_t nulls = 0, unknown = 0;
  for (int64_t i = 0; i < batch->length; i++) {
    int64_t at = first + i;
    assert(((const int32_t*)d->buffers[1])[i] == at);
    int written = at < CELLS - 100, valid = written && at % 5 != 0;
    assert(is_set(text->buffers[0], i) == valid);
    assert(is_set(colour->buffers[0], i) == written);
    nulls += !valid;
    unknown += !written;
    if (written) {
      char name[16];
      snprintf(name, sizeof name, "%03d", (int)at);
      assert(starts[i + 1] - starts[i] == 3 && memcmp(chars + starts[i], name, 3) == 0);
      assert(((const uint8_t*)colour->buffers[1])[i] == at % 3);
    }
  }
  assert(text->null_count == nulls && colour->null_count == unknown);
  const uint64_t* ends = colour->dictionary->buffers[1];
  assert(colour->dictionary->length == 3 && ends[1] == 3 && ends[2] == 8 && ends[3] == 12);
  assert(memcmp(colour->dictionary->buffers[2], "redgreenblue", 12) == 0);
}

static int read_all(struct ArrowArrayStream* stream) {
  int batches = 0;
  int64_t cells = 0;
  for (;; batches++) {
    struct ArrowArray batch;
    assert(stream->get_next(stream, &batch) == 0 && stream->get_last_error(stream) == NULL);
    if (batch.release == NULL)
      break;
    check_batch(&batch, cells);
    cells += batch.length;
    batch.release(&batch);
    assert(batch.release == NULL);
  }
  assert(cells == CELLS);
  return batches;
}

static void* on_thread(void* stream) {
  read_all(stream);
  ((struct ArrowArrayStream*)stream)->release(stream);
  return NULL;
}

static void check_schema(struct ArrowArrayStream* stream) {
  struct ArrowSchema schema;
  assert(stream->get_schema(stream, &schema) == 0);
  assert(strcmp(schema.format, "+s") == 0 && schema.n_children == 3);
  assert(strcmp(schema.children[0]->format, "i") == 0 && strcmp(schema.children[0]->name, "d") == 0);
  assert(strcmp(schema.children[1]->format, "U") == 0 && schema.children[1]->flags == 2);
  assert(strcmp(schema.children[2]->format, "C") == 0 && schema.children[2]->flags == 3);
  assert(strcmp(schema.children[2]->dictionary->format, "U") == 0);
  schema.release(&schema);
  assert(schema.release == NULL);
}

static void check_errors(const char* uri) {
  struct ArrowArrayStream stream;
  tiledb_query_t* query = make_query(uri);
  const char *wrong[] = {"nothing"}, *twice[] = {"d", "d"};
  assert(tiledb_rs_query_to_arrow(ctx, query, NULL, 0, 0, NULL) == TILEDB_ERR);
  assert(tiledb_rs_query_to_arrow(ctx, NULL, NULL, 0, 0, &stream) == TILEDB_ERR);
  assert(tiledb_rs_query_to_arrow(ctx, query, wrong, 1, 0, &stream) == TILEDB_ERR);
  assert(tiledb_rs_query_to_arrow(ctx, query, twice, 2, 0, &stream) == TILEDB_ERR);
  assert(tiledb_rs_query_to_arrow(ctx, query, wrong, 0, 0, &stream) == TILEDB_ERR);
  assert(tiledb_rs_query_to_arrow(ctx, query, NULL, 0, 0, &stream) == TILEDB_OK);
  assert(stream.get_next(&stream, NULL) == EINVAL && strstr(stream.get_last_error(&stream), "null") != NULL);
  /* The query has no buffers of its own between two batches. */
  struct ArrowArray batch;
  assert(stream.get_next(&stream, &batch) == 0);
  batch.release(&batch);
  stream.release(&stream);
  tiledb_query_free(&query);
}

/* A stream of one batch that is made by hand: what a test wants to be wrong is changed before it is passed. */
enum { ROWS = 4 };
static struct Fixture {
  struct ArrowSchema top, d, text, colour, words;
  struct ArrowSchema* columns[3];
  struct ArrowArray batch, rows_d, rows_text, rows_colour, values;
  struct ArrowArray* rows[3];
  const void *none[1], *of_d[2], *of_text[3], *of_colour[2], *of_values[3];
  int schemas, batches, streams, left, fails;
} fixture;

static int32_t d_values[] = {-1, 10, 20, 30, 40};
static int64_t text_ends[] = {0, 2, 2, 4, 7};
static uint8_t text_valid = 0x0D, colour_at[] = {0, 1, 0, 1};
static int32_t word_ends[] = {0, 4, 7};

static void schema_released(struct ArrowSchema* schema) {
  fixture.schemas++;
  schema->release = NULL;
}

static void batch_released(struct ArrowArray* batch) {
  fixture.batches++;
  batch->release = NULL;
}

static void stream_released(struct ArrowArrayStream* stream) {
  fixture.streams++;
  stream->release = NULL;
}

static int give_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  (void)stream;
  *out = fixture.top;
  return 0;
}

static int give_batch(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  (void)stream;
  if (fixture.fails)
    return EIO;
  *out = fixture.batch;
  if (fixture.left-- <= 0)
    out->release = NULL;
  return 0;
}

static const char* give_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return "the disk is gone";
}

static struct ArrowSchema type_of(const char* format, const char* name, int64_t flags) {
  struct ArrowSchema made = {format, name, NULL, flags, 0, NULL, NULL, schema_released, NULL};
  return made;
}

static struct ArrowArray array_of(int64_t length, int64_t buffers, const void** list) {
  struct ArrowArray made = {length, -1, 0, buffers, 0, list, NULL, NULL, batch_released, NULL};
  return made;
}

static struct ArrowArrayStream fresh(void) {
  memset(&fixture, 0, sizeof fixture);
  fixture.left = 1;
  fixture.top = type_of("+s", "", 0);
  fixture.d = type_of("i", "d", 0);
  fixture.text = type_of("U", "text", 2);
  fixture.colour = type_of("C", "colour", 0);
  fixture.words = type_of("u", "", 0);
  fixture.colour.dictionary = &fixture.words;
  fixture.columns[0] = &fixture.d, fixture.columns[1] = &fixture.text, fixture.columns[2] = &fixture.colour;
  fixture.top.n_children = 3, fixture.top.children = fixture.columns;
  fixture.batch = array_of(ROWS, 1, fixture.none);
  fixture.of_d[1] = d_values;
  fixture.rows_d = array_of(ROWS, 2, fixture.of_d);
  fixture.rows_d.offset = 1;
  fixture.of_text[0] = &text_valid, fixture.of_text[1] = text_ends, fixture.of_text[2] = "aabbccc";
  fixture.rows_text = array_of(ROWS, 3, fixture.of_text);
  fixture.of_colour[1] = colour_at;
  fixture.rows_colour = array_of(ROWS, 2, fixture.of_colour);
  fixture.of_values[1] = word_ends, fixture.of_values[2] = "bluered";
  fixture.values = array_of(2, 3, fixture.of_values);
  fixture.rows_colour.dictionary = &fixture.values;
  fixture.rows[0] = &fixture.rows_d, fixture.rows[1] = &fixture.rows_text, fixture.rows[2] = &fixture.rows_colour;
  fixture.batch.n_children = 3, fixture.batch.children = fixture.rows;
  struct ArrowArrayStream stream = {give_schema, give_batch, give_error, stream_released, NULL};
  return stream;
}

static tiledb_query_t* make_write(const char* uri, tiledb_layout_t layout) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, layout) == TILEDB_OK);
  tiledb_array_free(&array);
  return query;
}

/* Writes a stream; everything in it was released once, whatever comes of it. */
static int32_t write_fixture(const char* uri, struct ArrowArrayStream stream) {
  tiledb_query_t* query = make_write(uri, TILEDB_UNORDERED);
  uint64_t cells = 77;
  int32_t done = tiledb_rs_query_from_arrow(ctx, query, &stream, 0, NULL, NULL, &cells);
  assert(stream.release == NULL && fixture.streams == 1 && fixture.schemas <= 1 && fixture.batches <= 1);
  assert(cells == (done == TILEDB_OK ? (uint64_t)fixture.batches * ROWS : 77));
  tiledb_query_free(&query);
  return done;
}

/* Recommends a schema for a stream; everything in it was released once, whatever comes of it. */
static int32_t advise_fixture(const char* uri, struct ArrowArrayStream stream) {
  tiledb_array_schema_t *schema = NULL, *advised = NULL;
  assert(tiledb_array_schema_load(ctx, uri, &schema) == TILEDB_OK);
  int32_t done = tiledb_rs_schema_advise_arrow(ctx, schema, &stream, NULL, TILEDB_RS_BALANCED, NULL, NULL, &advised);
  assert(stream.release == NULL && fixture.streams == 1 && fixture.schemas <= 1 && fixture.batches <= 1);
  assert((done == TILEDB_OK) == (advised != NULL));
  tiledb_array_schema_free(&advised);
  tiledb_array_schema_free(&schema);
  return done;
}

/* A sparse array with the fields of the dense one, without cells. */
static void make_sparse(const char* from, const char* uri) {
  tiledb_array_t* array = NULL;
  tiledb_array_schema_t *old = NULL, *schema = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_enumeration_t* values = NULL;
  assert(tiledb_array_alloc(ctx, from, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_array_get_schema(ctx, array, &old) == TILEDB_OK);
  assert(tiledb_array_schema_get_domain(ctx, old, &domain) == TILEDB_OK);
  assert(tiledb_array_get_enumeration(ctx, array, "colours", &values) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_enumeration(ctx, schema, values) == TILEDB_OK);
  for (uint32_t i = 0; i < 2; i++) {
    tiledb_attribute_t* attribute = NULL;
    assert(tiledb_array_schema_get_attribute_from_index(ctx, old, i, &attribute) == TILEDB_OK);
    assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
    tiledb_attribute_free(&attribute);
  }
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_enumeration_free(&values);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
  tiledb_array_schema_free(&old);
  tiledb_array_free(&array);
}

/* Reads what `fresh` gives. */
static void check_written(const char* uri) {
  struct ArrowArrayStream stream;
  struct ArrowArray batch;
  tiledb_query_t* query = make_query(uri);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_rs_query_to_arrow(ctx, query, NULL, 0, 0, &stream) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(stream.get_next(&stream, &batch) == 0 && batch.length == ROWS);
  const struct ArrowArray *d = batch.children[0], *text = batch.children[1], *colour = batch.children[2];
  const uint64_t* starts = text->buffers[1];
  for (int i = 0; i < ROWS; i++) {
    assert(((const int32_t*)d->buffers[1])[i] == d_values[i + 1]);
    assert(is_set(text->buffers[0], i) == (i != 1));
    assert((int64_t)starts[i] == text_ends[i]);
    assert(((const uint8_t*)colour->buffers[1])[i] == (colour_at[i] == 0 ? 2 : 0));
  }
  assert(memcmp(text->buffers[2], "aabbccc", 7) == 0);
  batch.release(&batch);
  stream.release(&stream);
}

/* Streams whose numbers are wrong are errors, not signals. */
static void check_hostile(const char* uri) {
  struct ArrowArrayStream stream = fresh();
#define WRONG(change, part)                           \
  stream = fresh();                                   \
  change;                                             \
  assert(write_fixture(uri, stream) == TILEDB_ERR);     \
  expect_within(part);                                \
  stream = fresh();                                   \
  change;                                             \
  assert(advise_fixture(uri, stream) == TILEDB_ERR);    \
  expect_within(part)
  WRONG(fixture.batch.length = -1, "-1 as a length");
  WRONG(fixture.batch.offset = INT64_MAX, "more than there can be");
  WRONG(fixture.batch.length = ROWS + 1, "has 4 values");
  WRONG(fixture.batch.n_children = 2, "children");
  WRONG(fixture.batch.n_buffers = 0, "buffers");
  WRONG(fixture.batch.children = NULL, "null pointer");
  WRONG(fixture.rows[1] = NULL, "child 1");
  WRONG(fixture.rows[2] = (struct ArrowArray*)((char*)fixture.rows[2] + 1), "not aligned");
  WRONG(fixture.rows_text.n_buffers = 2, "buffers");
  WRONG(fixture.rows_text.buffers = NULL, "null pointer");
  WRONG(fixture.of_text[1] = NULL, "buffer 1 is null");
  WRONG(fixture.of_text[2] = NULL, "buffer 2 is null");
  WRONG(fixture.of_d[1] = NULL, "buffer 1 is null");
  WRONG(fixture.rows_colour.dictionary = NULL, "dictionary");
  WRONG(fixture.values.length = 1, "index 1 of a dictionary of 1");
  WRONG((fixture.of_text[0] = NULL, fixture.rows_text.null_count = 1), "no validity buffer");
  WRONG(fixture.d.format = NULL, "format ''");
  WRONG(fixture.d.format = "l", "int64, but field 'd' is INT32");
  WRONG(fixture.d.name = "e", "no field for column 'e'");
  WRONG(fixture.text.name = "d", "column 'd' twice");
  WRONG(fixture.top.n_children = -1, "-1 as the number of children");
  WRONG(fixture.top.n_children = 2, "no column 'colour'");
  WRONG(fixture.top.children = NULL, "null pointer");
  WRONG(fixture.columns[0] = NULL, "child 0");
  WRONG(fixture.top.format = "i", "record batches");
  WRONG(fixture.text.release = NULL, "released");
  WRONG((fixture.d.n_children = 1, fixture.d.children = fixture.columns), "deep");
  WRONG(fixture.colour.dictionary = &fixture.colour, "deep");
  WRONG(fixture.fails = 1, "the disk is gone");
  WRONG(stream.get_next = NULL, "get_next");
  WRONG(stream.get_schema = NULL, "get_schema");
  WRONG((stream.get_last_error = NULL, fixture.fails = 1), strerror(EIO));
  text_ends[2] = 1;
  WRONG((void)0, "row 1: 1 after 2");
  text_ends[2] = -5;
  WRONG((void)0, "row 1: -5 after 2");
  text_ends[2] = 2;
  colour_at[3] = 9;
  WRONG((void)0, "row 3 of column 'colour' has index 9");
  colour_at[3] = 1;
  WRONG(fixture.of_values[2] = "pinkred", "'pink', which enumeration 'colours'");
  /* What is wrong with the arguments; the stream is released all the same. */
  stream = fresh();
  stream.release = NULL;
  tiledb_query_t* query = make_query(uri);
  assert(tiledb_rs_query_from_arrow(ctx, query, &stream, 0, NULL, NULL, NULL) == TILEDB_ERR);
  assert(tiledb_rs_query_from_arrow(ctx, query, NULL, 0, NULL, NULL, NULL) == TILEDB_ERR);
  stream = fresh();
  assert(tiledb_rs_query_from_arrow(ctx, query, &stream, 0, NULL, NULL, NULL) == TILEDB_ERR && fixture.streams == 1);
  stream = fresh();
  assert(tiledb_rs_query_from_arrow(ctx, NULL, &stream, 0, NULL, NULL, NULL) == TILEDB_ERR && fixture.streams == 1);
  stream = fresh();
  assert(tiledb_rs_query_from_arrow(NULL, query, &stream, 0, NULL, NULL, NULL) != TILEDB_OK && fixture.streams == 1);
  tiledb_query_free(&query);
}

/* Memory that ends at a page that nobody may touch. */
static void* guarded(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (size + page - 1) / page * page;
  char* pages = mmap(NULL, all + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(pages != MAP_FAILED && mprotect(pages + all, page, PROT_NONE) == 0);
  return pages + all - size;
}

/* A batch is taken in parts, but its offsets are validated as a whole: no part reads beyond the data, whichever offset is too large.
   The batch may also have fewer rows than its columns. */
static void check_offsets(const char* uri) {
  enum { MANY = 400 };
  int32_t* d = guarded(sizeof(int32_t) * MANY);
  int64_t* ends = guarded(sizeof(int64_t) * (MANY + 1));
  char* chars = guarded(2 * MANY);
  uint8_t* valid = guarded(MANY / 8);
  uint8_t* colours = guarded(MANY);
  memset(chars, 'q', 2 * MANY), memset(valid, 0xFF, MANY / 8), memset(colours, 0, MANY);
  for (int i = 0; i < MANY; i++)
    d[i] = i;
  for (int at = 0; at < MANY; at++)
    for (int fewer = 0; fewer < 2; fewer++) {
      for (int i = 0; i <= MANY; i++)
        ends[i] = i == at ? 1 << 30 : 2 * i;
      struct ArrowArrayStream stream = fresh();
      int64_t rows = fewer && at > 0 ? at : MANY;
      fixture.batch.length = rows;
      fixture.rows_d.length = fixture.rows_text.length = fixture.rows_colour.length = MANY;
      fixture.rows_d.offset = 0;
      fixture.of_d[1] = d, fixture.of_text[0] = valid, fixture.of_text[1] = ends, fixture.of_text[2] = chars;
      fixture.of_colour[1] = colours;
      tiledb_query_t* query = make_write(uri, TILEDB_UNORDERED);
      assert(tiledb_rs_query_from_arrow(ctx, query, &stream, 300, NULL, NULL, NULL) == TILEDB_ERR);
      tiledb_query_free(&query);
    }
  struct ArrowArrayStream stream = fresh();
  fixture.values.release = NULL;
  assert(write_fixture(uri, stream) == TILEDB_ERR);
  expect_within("column '' of the stream was released");
  stream = fresh();
  word_ends[1] = 9;
  assert(write_fixture(uri, stream) == TILEDB_ERR);
  expect_within("row 0: 9 after 0");
  word_ends[1] = 4;
}

static int32_t stop_after(uint64_t cells, void* data) {
  uint64_t* left = data;
  return cells < left[0] ? 1 : (int32_t)left[1];
}

static uint32_t fragments_of(const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  uint32_t count = 99;
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  assert(tiledb_fragment_info_get_fragment_num(ctx, info, &count) == TILEDB_OK);
  tiledb_fragment_info_free(&info);
  return count;
}

/* From one array into another, in each order; stopped, nothing is there of what was begun. */
static void check_copies(const char* from, const char* dense, const char* sparse) {
  const char* attributes[] = {"text", "colour"};
  tiledb_layout_t orders[] = {TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR, TILEDB_GLOBAL_ORDER};
  uint32_t before = fragments_of(dense);
  for (int i = 0; i < 3; i++)
    for (int stop = 0; stop < 2; stop++) {
      tiledb_query_t *query = make_query(from), *into = make_write(dense, orders[i]);
      struct ArrowArrayStream stream;
      assert(tiledb_rs_query_to_arrow(ctx, query, attributes, 2, 4000, &stream) == TILEDB_OK);
      uint64_t stops[] = {stop ? 300 : UINT64_MAX, 0}, cells = 0;
      int32_t done = tiledb_rs_query_from_arrow(ctx, into, &stream, 2000, stop_after, stops, &cells);
      assert(done == (stop ? TILEDB_ERR : TILEDB_OK) && cells == (stop ? 0 : CELLS));
      /* Cells that a global-order write had taken are lost, so that it cannot be finalized. */
      int32_t is_lost = stop && orders[i] == TILEDB_GLOBAL_ORDER;
      assert(tiledb_query_finalize(ctx, into) == (is_lost ? TILEDB_ERR : TILEDB_OK));
      before += !stop;
      assert(fragments_of(dense) == before);
      tiledb_query_free(&query);
      tiledb_query_free(&into);
    }
  tiledb_query_t *query = make_query(from), *into = make_write(sparse, TILEDB_UNORDERED);
  struct ArrowArrayStream stream;
  uint64_t stops[] = {UINT64_MAX, 0}, cells = 0;
  before = fragments_of(sparse);
  assert(tiledb_rs_query_to_arrow(ctx, query, NULL, 0, 500, &stream) == TILEDB_OK);
  assert(tiledb_rs_query_from_arrow(ctx, into, &stream, 8000, stop_after, stops, &cells) == TILEDB_OK && cells == CELLS);
  tiledb_query_free(&query);
  assert(fragments_of(sparse) > before + 1 && fragments_of(sparse) < before + 10);
  stops[0] = 1, stops[1] = (uint64_t)-1;
  stream = fresh();
  assert(tiledb_rs_query_from_arrow(ctx, into, &stream, 0, stop_after, stops, &cells) == TILEDB_ERR);
  tiledb_query_free(&into);
}

int main(void) {
  const char* uri = "arrow";
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array(uri);
  write_cells(uri);
  struct ArrowArrayStream stream = make_stream(uri, 0);
  check_schema(&stream);
  assert(read_all(&stream) == 1);
  stream.release(&stream);
  assert(stream.release == NULL);
  stream = make_stream(uri, 4000);
  assert(read_all(&stream) > 5);
  stream.release(&stream);
  stream = make_stream(uri, 1);
  assert(read_all(&stream) > 5);
  stream.release(&stream);
  /* Released before anything was read, and between batches that are released later. */
  stream = make_stream(uri, 0);
  stream.release(&stream);
  stream = make_stream(uri, 4000);
  struct ArrowArray batch;
  assert(stream.get_next(&stream, &batch) == 0);
  stream.release(&stream);
  check_batch(&batch, 0);
  batch.release(&batch);
  stream = make_stream(uri, 2000);
  pthread_t thread;
  assert(pthread_create(&thread, NULL, on_thread, &stream) == 0 && pthread_join(thread, NULL) == 0);
  check_errors(uri);
  make_sparse(uri, "sparse");
  check_hostile("sparse");
  check_offsets("sparse");
  assert(fragments_of("sparse") == 0);
  stream = fresh();
  assert(write_fixture("sparse", stream) == TILEDB_OK && fixture.schemas == 1 && fixture.batches == 1);
  check_written("sparse");
  make_array("copy");
  check_copies(uri, "copy", "sparse");
  stream = make_stream("copy", 0);
  assert(read_all(&stream) == 1);
  stream.release(&stream);
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
