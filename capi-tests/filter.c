/* Filters and their options. */
#include "common.h"

static tiledb_filter_t* make(tiledb_filter_type_t type) {
  tiledb_filter_t* filter = NULL;
  tiledb_filter_type_t actual = TILEDB_FILTER_NONE;
  assert(tiledb_filter_alloc(ctx, type, &filter) == TILEDB_OK && filter != NULL);
  assert(tiledb_filter_get_type(ctx, filter, &actual) == TILEDB_OK && actual == type);
  return filter;
}

static void levels(void) {
  const tiledb_filter_type_t compressors[] = {
      TILEDB_FILTER_GZIP, TILEDB_FILTER_ZSTD, TILEDB_FILTER_LZ4, TILEDB_FILTER_RLE,
      TILEDB_FILTER_BZIP2, TILEDB_FILTER_DOUBLE_DELTA, TILEDB_FILTER_DICTIONARY, TILEDB_FILTER_DELTA};
  for (size_t i = 0; i < sizeof compressors / sizeof *compressors; i++) {
    tiledb_filter_t* filter = make(compressors[i]);
    int32_t level = 0;
    assert(tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level) == TILEDB_OK);
    assert(level == -1);
    level = 5;
    assert(tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level) == TILEDB_OK);
    level = 0;
    assert(tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level) == TILEDB_OK);
    assert(level == 5);
    assert(tiledb_filter_set_option(ctx, filter, TILEDB_BIT_WIDTH_MAX_WINDOW, &level) == TILEDB_ERR);
    expect("[TileDB::Filter] Error: Compression filter error; unknown option");
    assert(tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, NULL) == TILEDB_ERR);
    expect("[TileDB::Filter] Error: Compression filter error; invalid option value");
    assert(tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, NULL) == TILEDB_ERR);
    expect("C API: Invalid output pointer for object");
    tiledb_filter_free(&filter);
    assert(filter == NULL);
  }
}

static void windows(void) {
  tiledb_filter_t* filter = make(TILEDB_FILTER_BIT_WIDTH_REDUCTION);
  uint32_t window = 0;
  assert(tiledb_filter_get_option(ctx, filter, TILEDB_BIT_WIDTH_MAX_WINDOW, &window) == TILEDB_OK && window == 256);
  window = 512;
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_BIT_WIDTH_MAX_WINDOW, &window) == TILEDB_OK);
  window = 0;
  assert(tiledb_filter_get_option(ctx, filter, TILEDB_BIT_WIDTH_MAX_WINDOW, &window) == TILEDB_OK && window == 512);
  assert(tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &window) == TILEDB_ERR);
  expect("[TileDB::Filter] Error: Bit width reduction filter error; unknown option");
  tiledb_filter_free(&filter);
  filter = make(TILEDB_FILTER_POSITIVE_DELTA);
  assert(tiledb_filter_get_option(ctx, filter, TILEDB_POSITIVE_DELTA_MAX_WINDOW, &window) == TILEDB_OK);
  assert(window == 1024);
  tiledb_filter_free(&filter);
}

static void scale_float(void) {
  tiledb_filter_t* filter = make(TILEDB_FILTER_SCALE_FLOAT);
  double number = 0.0;
  uint64_t width = 0;
  assert(tiledb_filter_get_option(ctx, filter, TILEDB_SCALE_FLOAT_BYTEWIDTH, &width) == TILEDB_OK && width == 8);
  width = 3;
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_BYTEWIDTH, &width) == TILEDB_ERR);
  expect_begin("[TileDB::Filter] Error: Float scaling filter error; invalid byte width value.");
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_FACTOR, &number) == TILEDB_ERR);
  expect("[TileDB::Filter] Error: Float scaling filter error; invalid scale value.");
  number = 0.25;
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_FACTOR, &number) == TILEDB_OK);
  number = 0.0;
  assert(tiledb_filter_get_option(ctx, filter, TILEDB_SCALE_FLOAT_FACTOR, &number) == TILEDB_OK && number == 0.25);
  tiledb_filter_free(&filter);
}

static void webp(void) {
  tiledb_filter_t* filter = make(TILEDB_FILTER_WEBP);
  float quality = 101.0f;
  uint8_t byte = 2;
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_QUALITY, &quality) == TILEDB_ERR);
  expect("[TileDB::Filter] Error: Webp filter error; Quality must be in range [0.0, 100.0]");
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_LOSSLESS, &byte) == TILEDB_ERR);
  byte = TILEDB_WEBP_RGBA;
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_WEBP_INPUT_FORMAT, &byte) == TILEDB_OK);
  byte = 0;
  assert(tiledb_filter_get_option(ctx, filter, TILEDB_WEBP_INPUT_FORMAT, &byte) == TILEDB_OK);
  assert(byte == TILEDB_WEBP_RGBA);
  tiledb_filter_free(&filter);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  levels();
  windows();
  scale_float();
  webp();

  tiledb_filter_t* filter = make(TILEDB_FILTER_XOR);
  int32_t value = 0;
  assert(tiledb_filter_get_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &value) == TILEDB_ERR);
  expect_begin("[TileDB::Filter] Error: Filter does not support options.");
  assert(tiledb_filter_set_option(ctx, NULL, TILEDB_COMPRESSION_LEVEL, &value) == TILEDB_ERR);
  expect("C API: Invalid TileDB filter object");
  tiledb_filter_free(&filter);
  tiledb_filter_free(&filter);
  assert(tiledb_filter_alloc(ctx, (tiledb_filter_type_t)99, &filter) == TILEDB_ERR && filter == NULL);
  expect("FilterCreate: Invalid filter type 99");
  assert(tiledb_filter_alloc(ctx, TILEDB_FILTER_GZIP, NULL) == TILEDB_ERR);
  tiledb_ctx_free(&ctx);
  return 0;
}
