/*
 * The C interface of TileDB: domain.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_DOMAIN_API_EXTERNAL_H
#define TILEDB_CAPI_DOMAIN_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../datatype/datatype_api_external.h"
#include "../dimension/dimension_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque domain handle.
 */
typedef struct tiledb_domain_handle_t tiledb_domain_t;

/**
 * Appends a dimension.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param dim The dimension; the domain shares it: what is set later is set in the domain, too.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_add_dimension(
    tiledb_ctx_t *ctx,
    tiledb_domain_t *domain,
    tiledb_dimension_t *dim) TILEDB_NOEXCEPT;

/**
 * Creates a domain without dimensions.
 *
 * @param ctx The TileDB context.
 * @param domain The domain, to be freed with `tiledb_domain_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_alloc(
    tiledb_ctx_t *ctx,
    tiledb_domain_t **domain) TILEDB_NOEXCEPT;

/**
 * Gives a domain as text.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param out The text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees a domain and sets the pointer to null.
 *
 * @param domain The domain.
 */
TILEDB_EXPORT void tiledb_domain_free(tiledb_domain_t **domain) TILEDB_NOEXCEPT;

/**
 * Gives a dimension by its position.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param index The position, from 0.
 * @param dim The dimension, to be freed with `tiledb_dimension_free`; null for position 0 of a domain without
 *     dimensions.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_get_dimension_from_index(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    uint32_t index,
    tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

/**
 * Gives a dimension by its name.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param name The name.
 * @param dim The dimension, to be freed with `tiledb_dimension_free`; null if the domain has no dimensions.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_get_dimension_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    const char *name,
    tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

/**
 * Gives the number of dimensions.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param ndim The number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_get_ndim(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    uint32_t *ndim) TILEDB_NOEXCEPT;

/**
 * Gives the type that all dimensions share.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param type The type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_get_type(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

/**
 * Tells whether there is a dimension of this name.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param name The name.
 * @param has_dim 1 if there is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_has_dimension(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    const char *name,
    int32_t *has_dim) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_DOMAIN_API_EXTERNAL_H */
