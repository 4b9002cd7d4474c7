/*
 * The C interface of TileDB: filter.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_FILTER_API_EXTERNAL_H
#define TILEDB_CAPI_FILTER_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The type of a filter.
 */
typedef enum {
  TILEDB_FILTER_NONE = 0,
  TILEDB_FILTER_GZIP = 1,
  TILEDB_FILTER_ZSTD = 2,
  TILEDB_FILTER_LZ4 = 3,
  TILEDB_FILTER_RLE = 4,
  TILEDB_FILTER_BZIP2 = 5,
  TILEDB_FILTER_DOUBLE_DELTA = 6,
  TILEDB_FILTER_BIT_WIDTH_REDUCTION = 7,
  TILEDB_FILTER_BITSHUFFLE = 8,
  TILEDB_FILTER_BYTESHUFFLE = 9,
  TILEDB_FILTER_POSITIVE_DELTA = 10,
  TILEDB_FILTER_CHECKSUM_MD5 = 12,
  TILEDB_FILTER_CHECKSUM_SHA256 = 13,
  TILEDB_FILTER_DICTIONARY = 14,
  TILEDB_FILTER_SCALE_FLOAT = 15,
  TILEDB_FILTER_XOR = 16,
  TILEDB_FILTER_DEPRECATED = 17,
  TILEDB_FILTER_WEBP = 18,
  TILEDB_FILTER_DELTA = 19,
  TILEDB_INTERNAL_FILTER_COUNT = 20,
} tiledb_filter_type_t;

/**
 * An option of a filter.
 */
typedef enum {
  TILEDB_COMPRESSION_LEVEL = 0,
  TILEDB_BIT_WIDTH_MAX_WINDOW = 1,
  TILEDB_POSITIVE_DELTA_MAX_WINDOW = 2,
  TILEDB_SCALE_FLOAT_BYTEWIDTH = 3,
  TILEDB_SCALE_FLOAT_FACTOR = 4,
  TILEDB_SCALE_FLOAT_OFFSET = 5,
  TILEDB_WEBP_QUALITY = 6,
  TILEDB_WEBP_INPUT_FORMAT = 7,
  TILEDB_WEBP_LOSSLESS = 8,
  TILEDB_COMPRESSION_REINTERPRET_DATATYPE = 9,
} tiledb_filter_option_t;

/**
 * The colour format of WebP input.
 */
typedef enum {
  TILEDB_WEBP_NONE = 0,
  TILEDB_WEBP_RGB = 1,
  TILEDB_WEBP_BGR = 2,
  TILEDB_WEBP_RGBA = 3,
  TILEDB_WEBP_BGRA = 4,
} tiledb_filter_webp_format_t;

/**
 * The opaque filter handle.
 */
typedef struct tiledb_filter_handle_t tiledb_filter_t;

/**
 * Creates a filter of a type, with the options' defaults.
 *
 * @param ctx The TileDB context.
 * @param type The type of the filter.
 * @param filter The filter, to be freed with `tiledb_filter_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_alloc(
    tiledb_ctx_t *ctx,
    tiledb_filter_type_t type,
    tiledb_filter_t **filter) TILEDB_NOEXCEPT;

/**
 * Frees a filter and sets the pointer to null.
 *
 * @param filter The filter.
 */
TILEDB_EXPORT void tiledb_filter_free(tiledb_filter_t **filter) TILEDB_NOEXCEPT;

/**
 * Gives the value of an option.
 *
 * @param ctx The TileDB context.
 * @param filter The filter.
 * @param option The option; each has its own type of value.
 * @param value The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_get_option(
    tiledb_ctx_t *ctx,
    tiledb_filter_t *filter,
    tiledb_filter_option_t option,
    void *value) TILEDB_NOEXCEPT;

/**
 * Gives the type of a filter.
 *
 * @param ctx The TileDB context.
 * @param filter The filter.
 * @param type The type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_get_type(
    tiledb_ctx_t *ctx,
    tiledb_filter_t *filter,
    tiledb_filter_type_t *type) TILEDB_NOEXCEPT;

/**
 * Gives a filter option from its text.
 *
 * @param str The text.
 * @param filter_option The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_option_from_str(
    const char *str,
    tiledb_filter_option_t *filter_option) TILEDB_NOEXCEPT;

/**
 * Gives the text of a filter option.
 *
 * @param filter_option The value.
 * @param str Its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_option_to_str(
    tiledb_filter_option_t filter_option,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Sets an option. Filter lists hold copies: those that have this filter already do not change.
 *
 * @param ctx The TileDB context.
 * @param filter The filter.
 * @param option The option; each has its own type of value.
 * @param value The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_set_option(
    tiledb_ctx_t *ctx,
    tiledb_filter_t *filter,
    tiledb_filter_option_t option,
    const void *value) TILEDB_NOEXCEPT;

/**
 * Gives a filter type from its text.
 *
 * @param str The text.
 * @param filter_type The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_type_from_str(
    const char *str,
    tiledb_filter_type_t *filter_type) TILEDB_NOEXCEPT;

/**
 * Gives the text of a filter type.
 *
 * @param filter_type The value.
 * @param str Its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_type_to_str(
    tiledb_filter_type_t filter_type,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_FILTER_API_EXTERNAL_H */
