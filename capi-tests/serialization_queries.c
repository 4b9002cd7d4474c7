/* A read that a client hands to a server: by messages, submit by submit. */
#include "arrays.h"

#include <tiledb/tiledb_serialization.h>

#define URI "mem://serialization_queries/array"

static void fill_array(void) {
  const int32_t cells[] = {30, 40, 50}, x[] = {3, 4, 5};
  uint64_t sizes[] = {sizeof cells, sizeof x};
  tiledb_query_t* query = NULL;
  make_array(URI, TILEDB_SPARSE);
  tiledb_array_t* array = open_array(URI, TILEDB_WRITE, 10);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", (void*)cells, &sizes[0]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", (void*)x, &sizes[1]) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

/* The message of a query, in one piece. */
static tiledb_buffer_t* message_of(tiledb_query_t* query, int32_t client_side) {
  tiledb_buffer_list_t* pieces = NULL;
  tiledb_buffer_t* whole = NULL;
  assert(tiledb_serialize_query(ctx, query, TILEDB_CAPNP, client_side, &pieces) == TILEDB_OK);
  assert(tiledb_buffer_list_flatten(ctx, pieces, &whole) == TILEDB_OK);
  tiledb_buffer_list_free(&pieces);
  return whole;
}

/* What a server does: it makes query and array of the message, brings memory, and answers. */
static tiledb_buffer_t* serve(tiledb_buffer_t* request) {
  tiledb_query_t* query = NULL;
  tiledb_array_t* array = NULL;
  int32_t a[2], x[2];
  uint64_t sizes[] = {sizeof a, sizeof x};
  assert(tiledb_deserialize_query_and_array(ctx, request, TILEDB_CAPNP, 0, URI, &query, &array) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &sizes[0]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[1]) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_buffer_t* answer = message_of(query, 0);
  tiledb_query_free(&query);
  close_array(&array);
  return answer;
}

static void read_by_messages(void) {
  int32_t a[2] = {0}, x[2] = {0};
  uint64_t sizes[2];
  tiledb_query_status_t status = TILEDB_FAILED;
  tiledb_array_t* array = open_array(URI, TILEDB_READ, 20);
  tiledb_query_t* query = make_query(array, TILEDB_READ, 1, 100);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER) == TILEDB_OK);
  const int32_t expected[] = {3, 4, 5};
  for (int submit = 0; submit < 2; submit++) {
    sizes[0] = sizes[1] = sizeof a;
    assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &sizes[0]) == TILEDB_OK);
    assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &sizes[1]) == TILEDB_OK);
    tiledb_buffer_t* request = message_of(query, 1);
    tiledb_buffer_t* answer = serve(request);
    assert(tiledb_deserialize_query(ctx, answer, TILEDB_CAPNP, 1, query) == TILEDB_OK);
    assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK);
    assert(status == (submit == 0 ? TILEDB_INCOMPLETE : TILEDB_COMPLETED));
    const uint64_t cells = submit == 0 ? 2 : 1;
    assert(sizes[0] == cells * sizeof(int32_t) && sizes[1] == sizes[0]);
    for (uint64_t cell = 0; cell < cells; cell++)
      assert(x[cell] == expected[2 * submit + cell] && a[cell] == 10 * x[cell]);
    tiledb_buffer_free(&request);
    tiledb_buffer_free(&answer);
  }
  tiledb_query_free(&query);
  close_array(&array);
}

static void estimates_and_errors(void) {
  tiledb_array_t* array = open_array(URI, TILEDB_READ, 20);
  tiledb_query_t* query = make_query(array, TILEDB_READ, 1, 100);
  tiledb_query_t* other = make_query(array, TILEDB_READ, 1, 100);
  tiledb_buffer_t* sizes = NULL;
  tiledb_buffer_list_t* pieces = NULL;
  uint64_t size = 0;
  assert(tiledb_query_get_est_result_size(ctx, query, "a", &size) == TILEDB_OK && size == 3 * sizeof(int32_t));
  assert(tiledb_serialize_query_est_result_sizes(ctx, query, TILEDB_CAPNP, 0, &sizes) == TILEDB_OK);
  assert(tiledb_deserialize_query_est_result_sizes(ctx, other, TILEDB_CAPNP, 1, sizes) == TILEDB_OK);
  assert(tiledb_query_get_est_result_size(ctx, other, "a", &size) == TILEDB_OK && size == 3 * sizeof(int32_t));
  tiledb_buffer_free(&sizes);
  /* Buffers have no place in JSON. */
  assert(tiledb_serialize_query(ctx, query, TILEDB_JSON, 1, &pieces) == TILEDB_ERR && pieces == NULL);
  expect_within("json format not supported");
  tiledb_query_free(&query);
  tiledb_query_free(&other);
  close_array(&array);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  fill_array();
  read_by_messages();
  estimates_and_errors();
  tiledb_ctx_free(&ctx);
  return 0;
}
