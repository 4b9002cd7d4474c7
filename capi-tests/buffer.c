/* Buffers and lists of them. */
#include "common.h"

static void buffers(void) {
  tiledb_buffer_t* buffer = NULL;
  tiledb_datatype_t type = TILEDB_ANY;
  char bytes[] = "bytes";
  void* data = bytes;
  uint64_t size = 77;
  assert(tiledb_buffer_alloc(ctx, &buffer) == TILEDB_OK);
  assert(tiledb_buffer_get_type(ctx, buffer, &type) == TILEDB_OK && type == TILEDB_UINT8);
  assert(tiledb_buffer_get_data(ctx, buffer, &data, &size) == TILEDB_OK && data == NULL && size == 0);

  assert(tiledb_buffer_set_type(ctx, buffer, TILEDB_CHAR) == TILEDB_OK);
  assert(tiledb_buffer_get_type(ctx, buffer, &type) == TILEDB_OK && type == TILEDB_CHAR);
  assert(tiledb_buffer_set_type(ctx, buffer, (tiledb_datatype_t)99) == TILEDB_ERR);
  assert(tiledb_buffer_get_type(ctx, buffer, &type) == TILEDB_OK && type == TILEDB_CHAR);

  /* The buffer refers to the bytes, it does not copy them. */
  assert(tiledb_buffer_set_data(ctx, buffer, bytes, 5) == TILEDB_OK);
  assert(tiledb_buffer_get_data(ctx, buffer, &data, &size) == TILEDB_OK && data == bytes && size == 5);
  assert(tiledb_buffer_get_data(ctx, buffer, NULL, &size) == TILEDB_ERR);
  expect("C API: Invalid output pointer for object");
  assert(tiledb_buffer_get_data(ctx, buffer, &data, NULL) == TILEDB_ERR && data == bytes);
  assert(tiledb_buffer_set_data(ctx, buffer, NULL, 0) == TILEDB_OK);
  assert(tiledb_buffer_get_data(ctx, buffer, &data, &size) == TILEDB_OK && data == NULL && size == 0);
  tiledb_buffer_free(&buffer);
  assert(buffer == NULL);
  assert(tiledb_buffer_get_type(ctx, buffer, &type) == TILEDB_ERR);
  expect("C API: Invalid TileDB buffer object");
}

static void lists(void) {
  tiledb_buffer_list_t* list = NULL;
  tiledb_buffer_t* buffer = NULL;
  void* data = &buffer;
  uint64_t number = 77, size = 77;
  assert(tiledb_buffer_list_alloc(ctx, &list) == TILEDB_OK);
  assert(tiledb_buffer_list_get_num_buffers(ctx, list, &number) == TILEDB_OK && number == 0);
  assert(tiledb_buffer_list_get_total_size(ctx, list, &size) == TILEDB_OK && size == 0);
  assert(tiledb_buffer_list_get_buffer(ctx, list, 0, &buffer) == TILEDB_ERR && buffer == NULL);
  expect("Buffer: Cannot get buffer 0 from buffer list; index out of bounds.");
  assert(tiledb_buffer_list_flatten(ctx, list, &buffer) == TILEDB_OK);
  assert(tiledb_buffer_get_data(ctx, buffer, &data, &size) == TILEDB_OK && data == NULL && size == 0);
  tiledb_buffer_free(&buffer);
  tiledb_buffer_list_free(&list);
  assert(list == NULL);
  assert(tiledb_buffer_list_get_num_buffers(ctx, list, &number) == TILEDB_ERR);
  expect("C API: Invalid TileDB buffer list object");
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  buffers();
  lists();
  tiledb_ctx_free(&ctx);
  return 0;
}
