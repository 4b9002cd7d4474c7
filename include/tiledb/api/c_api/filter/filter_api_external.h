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
 * Creates a filter of a type, with the default values of its options.
 *
 * A filter transforms the bytes of tiles when they are written and reverses that when they are read. Filters take effect as
 * members of a filter list.
 *
 * ```c
 * int32_t level = 7;
 * tiledb_filter_t *zstd = NULL;
 * tiledb_filter_list_t *filters = NULL;
 * tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &zstd);
 * tiledb_filter_set_option(ctx, zstd, TILEDB_COMPRESSION_LEVEL, &level);
 * tiledb_filter_list_alloc(ctx, &filters);
 * tiledb_filter_list_add_filter(ctx, filters, zstd);
 * tiledb_array_schema_set_coords_filter_list(ctx, schema, filters);
 * tiledb_filter_list_free(&filters);
 * tiledb_filter_free(&zstd);
 * ```
 *
 * @param ctx The TileDB context.
 * @param type The type of the filter.
 * @param filter Receives the filter; free it with `tiledb_filter_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an unknown type. Encryption is no filter of a list: set
 *     `sm.encryption_key` instead.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_alloc(
    tiledb_ctx_t *ctx,
    tiledb_filter_type_t type,
    tiledb_filter_t **filter) TILEDB_NOEXCEPT;

/**
 * Frees a filter and sets the pointer to null. Filter lists to which it was added have copies.
 *
 * @param filter The filter; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_filter_free(tiledb_filter_t **filter) TILEDB_NOEXCEPT;

/**
 * Returns the value of an option of a filter.
 *
 * @param ctx The TileDB context.
 * @param filter The filter.
 * @param option The option; `tiledb_filter_set_option` lists the types of the values.
 * @param value Receives the value; the address of a variable of the option's type.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the filter does not have the option.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_get_option(
    tiledb_ctx_t *ctx,
    tiledb_filter_t *filter,
    tiledb_filter_option_t option,
    void *value) TILEDB_NOEXCEPT;

/**
 * Returns the type of a filter.
 *
 * @param ctx The TileDB context.
 * @param filter The filter.
 * @param type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_get_type(
    tiledb_ctx_t *ctx,
    tiledb_filter_t *filter,
    tiledb_filter_type_t *type) TILEDB_NOEXCEPT;

/**
 * Returns a filter option from its text.
 *
 * @param str The text.
 * @param filter_option Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_option_from_str(
    const char *str,
    tiledb_filter_option_t *filter_option) TILEDB_NOEXCEPT;

/**
 * Returns the text of a filter option.
 *
 * @param filter_option The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_option_to_str(
    tiledb_filter_option_t filter_option,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Sets an option of a filter.
 *
 * Filter lists hold copies, so set options before the filter is added to a list.
 *
 * | option | type of the value |
 * |---|---|
 * | `TILEDB_COMPRESSION_LEVEL` | `int32_t` |
 * | `TILEDB_BIT_WIDTH_MAX_WINDOW`, `TILEDB_POSITIVE_DELTA_MAX_WINDOW` | `uint32_t`, bytes |
 * | `TILEDB_SCALE_FLOAT_BYTEWIDTH` | `uint64_t`: 1, 2, 4 or 8 |
 * | `TILEDB_SCALE_FLOAT_FACTOR`, `TILEDB_SCALE_FLOAT_OFFSET` | `double`, finite; the factor is not 0 |
 * | `TILEDB_WEBP_QUALITY` | `float`, 0 to 100 |
 * | `TILEDB_WEBP_INPUT_FORMAT` | `uint8_t`, a `tiledb_filter_webp_format_t` |
 * | `TILEDB_WEBP_LOSSLESS` | `uint8_t`, 0 or 1 |
 * | `TILEDB_COMPRESSION_REINTERPRET_DATATYPE` | `uint8_t`, a `tiledb_datatype_t` |
 *
 * @param ctx The TileDB context.
 * @param filter The filter.
 * @param option The option.
 * @param value The address of a value of the option's type, which is copied.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the filter does not have the option, or the value is not allowed.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_set_option(
    tiledb_ctx_t *ctx,
    tiledb_filter_t *filter,
    tiledb_filter_option_t option,
    const void *value) TILEDB_NOEXCEPT;

/**
 * Returns a filter type from its text.
 *
 * @param str The text.
 * @param filter_type Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_type_from_str(
    const char *str,
    tiledb_filter_type_t *filter_type) TILEDB_NOEXCEPT;

/**
 * Returns the text of a filter type.
 *
 * @param filter_type The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_filter_type_to_str(
    tiledb_filter_type_t filter_type,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_FILTER_API_EXTERNAL_H */
