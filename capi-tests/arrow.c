/* Results of a read as Arrow record batches: values, texts, nulls, dictionaries; early release, another thread, errors. */
#include "common.h"
#include <errno.h>
#include <pthread.h>

/* The structures of the Arrow C data and stream interfaces. */
struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  struct ArrowSchema **children, *dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  struct ArrowArray **children, *dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema*);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray*);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

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
    snprintf(text + 3 * i, 4, "%03d", i);
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
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
