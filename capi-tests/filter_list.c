/* Filter lists. */
#include "common.h"

static int32_t level_of(tiledb_ctx_t* ctx, const tiledb_filter_list_t* list, uint32_t index) {
  tiledb_filter_t* filter = NULL;
  int32_t level = 0;
  assert(tiledb_filter_list_get_filter_from_index(ctx, list, index, &filter) == TILEDB_OK);
  assert(tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level) == TILEDB_OK);
  tiledb_filter_free(&filter);
  return level;
}

int main(void) {
  tiledb_ctx_t* ctx = NULL;
  tiledb_filter_list_t* list = NULL;
  tiledb_filter_t *zstd = NULL, *none = NULL;
  tiledb_error_t* error = NULL;
  const char* message = NULL;
  uint32_t number = 7;
  int32_t level = 9;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  assert(tiledb_filter_list_alloc(ctx, &list) == TILEDB_OK);
  assert(tiledb_filter_list_get_nfilters(ctx, list, &number) == TILEDB_OK && number == 0);
  assert(tiledb_filter_list_get_max_chunk_size(ctx, list, &number) == TILEDB_OK && number == 65536);
  assert(tiledb_filter_list_set_max_chunk_size(ctx, list, 1000) == TILEDB_OK);
  assert(tiledb_filter_list_get_max_chunk_size(ctx, list, &number) == TILEDB_OK && number == 1000);

  /* The list keeps a copy of the filter, and gives copies. */
  assert(tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &zstd) == TILEDB_OK);
  assert(tiledb_filter_list_add_filter(ctx, list, zstd) == TILEDB_OK);
  assert(tiledb_filter_set_option(ctx, zstd, TILEDB_COMPRESSION_LEVEL, &level) == TILEDB_OK);
  assert(tiledb_filter_list_add_filter(ctx, list, zstd) == TILEDB_OK);
  assert(tiledb_filter_list_get_nfilters(ctx, list, &number) == TILEDB_OK && number == 2);
  assert(level_of(ctx, list, 0) == -1 && level_of(ctx, list, 1) == 9);

  assert(tiledb_filter_list_get_filter_from_index(ctx, list, 2, &none) == TILEDB_ERR && none == NULL);
  assert(tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK);
  assert(tiledb_error_message(error, &message) == TILEDB_OK);
  assert(strcmp(message, "C API: Filter 2 out of bounds, filter list has 2 filters.") == 0);
  tiledb_error_free(&error);

  assert(tiledb_filter_list_add_filter(ctx, list, NULL) == TILEDB_ERR);
  assert(tiledb_filter_list_add_filter(ctx, NULL, zstd) == TILEDB_ERR);
  assert(tiledb_filter_list_get_nfilters(ctx, list, NULL) == TILEDB_ERR);
  assert(tiledb_filter_list_get_nfilters(ctx, (tiledb_filter_list_t*)zstd, &number) == TILEDB_ERR);
  tiledb_filter_free(&zstd);
  tiledb_filter_list_free(&list);
  assert(list == NULL);
  tiledb_ctx_free(&ctx);
  return 0;
}
