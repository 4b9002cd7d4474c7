/*
 * The C interface of TileDB: ndrectangle, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_NDRECTANGLE_API_EXTERNAL_EXPERIMENTAL_H
#define TILEDB_CAPI_NDRECTANGLE_API_EXTERNAL_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../datatype/datatype_api_external.h"
#include "../domain/domain_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The two ends of a range of one dimension.
 */
typedef struct tiledb_range_t {
  /**
   * The low end.
   */
  const void *min;
  /**
   * const void *of the low end.
   */
  uint64_t min_size;
  /**
   * The high end.
   */
  const void *max;
  /**
   * const void *of the high end.
   */
  uint64_t max_size;
} tiledb_range_t;

/**
 * The opaque ndrectangle handle.
 */
typedef struct tiledb_ndrectangle_handle_t tiledb_ndrectangle_t;

/**
 * Creates a rectangle without ranges over the dimensions of a domain.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param ndr Receives the rectangle, to be freed with `tiledb_ndrectangle_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_alloc(
    tiledb_ctx_t *ctx,
    tiledb_domain_t *domain,
    tiledb_ndrectangle_t **ndr) TILEDB_NOEXCEPT;

/**
 * Returns a readable description of a rectangle.
 *
 * @param ctx The TileDB context.
 * @param ndr The rectangle.
 * @param out Receives the text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_dump_str(
    tiledb_ctx_t *ctx,
    tiledb_ndrectangle_t *ndr,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees a rectangle and sets the pointer to null.
 *
 * @param ndr The rectangle.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also for a pointer to null.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_free(tiledb_ndrectangle_t **ndr) TILEDB_NOEXCEPT;

/**
 * Returns the number of dimensions.
 *
 * @param ctx The TileDB context.
 * @param ndr The rectangle.
 * @param ndim Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_get_dim_num(
    tiledb_ctx_t *ctx,
    tiledb_ndrectangle_t *ndr,
    uint32_t *ndim) TILEDB_NOEXCEPT;

/**
 * Returns the type of a dimension.
 *
 * @param ctx The TileDB context.
 * @param ndr The rectangle.
 * @param idx The position of the dimension, from 0.
 * @param type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_get_dtype(
    tiledb_ctx_t *ctx,
    tiledb_ndrectangle_t *ndr,
    uint32_t idx,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

/**
 * Returns the type of a dimension by its name.
 *
 * @param ctx The TileDB context.
 * @param ndr The rectangle.
 * @param name The name of the dimension.
 * @param type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_get_dtype_from_name(
    tiledb_ctx_t *ctx,
    tiledb_ndrectangle_t *ndr,
    const char *name,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

/**
 * Returns the range of a dimension.
 *
 * @param ctx The TileDB context.
 * @param ndr The rectangle.
 * @param idx The position of the dimension, from 0.
 * @param range Receives the range; its pointers are valid until the rectangle is changed or freed, null for a range that is not
 *     set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_get_range(
    tiledb_ctx_t *ctx,
    tiledb_ndrectangle_t *ndr,
    uint32_t idx,
    tiledb_range_t *range) TILEDB_NOEXCEPT;

/**
 * Returns the range of a dimension by its name.
 *
 * @param ctx The TileDB context.
 * @param ndr The rectangle.
 * @param name The name of the dimension.
 * @param range Receives the range; its pointers are valid until the rectangle is changed or freed, null for a range that is not
 *     set.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_get_range_from_name(
    tiledb_ctx_t *ctx,
    tiledb_ndrectangle_t *ndr,
    const char *name,
    tiledb_range_t *range) TILEDB_NOEXCEPT;

/**
 * Sets the range of a dimension.
 *
 * @param ctx The TileDB context.
 * @param ndr The rectangle.
 * @param idx The position of the dimension, from 0.
 * @param range Receives the range; the rectangle keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_set_range(
    tiledb_ctx_t *ctx,
    tiledb_ndrectangle_t *ndr,
    uint32_t idx,
    tiledb_range_t *range) TILEDB_NOEXCEPT;

/**
 * Sets the range of a dimension by its name.
 *
 * @param ctx The TileDB context.
 * @param ndr The rectangle.
 * @param name The name of the dimension.
 * @param range Receives the range; the rectangle keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_ndrectangle_set_range_for_name(
    tiledb_ctx_t *ctx,
    tiledb_ndrectangle_t *ndr,
    const char *name,
    tiledb_range_t *range) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_NDRECTANGLE_API_EXTERNAL_EXPERIMENTAL_H */
