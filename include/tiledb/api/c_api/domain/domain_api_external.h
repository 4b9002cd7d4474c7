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
 * Appends a dimension to a domain.
 *
 * The domain shares the dimension: what is set in the dimension handle afterwards, such as its filters, also changes the
 * domain. The handle can be freed after this call. Whether names are unique is checked by `tiledb_array_schema_check`.
 *
 * @param ctx The TileDB context.
 * @param domain The domain. If it has been set in a schema, the schema changes with it.
 * @param dim The dimension.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_add_dimension(
    tiledb_ctx_t *ctx,
    tiledb_domain_t *domain,
    tiledb_dimension_t *dim) TILEDB_NOEXCEPT;

/**
 * Creates a domain without dimensions.
 *
 * A domain is the ordered list of the dimensions of an array. The order matters: in row-major order the last dimension varies
 * fastest.
 *
 * ```c
 * tiledb_domain_t *domain = NULL;
 * tiledb_dimension_t *rows = NULL, *columns = NULL;
 * uint64_t range[] = {0, 9999}, extent = 100;
 * tiledb_dimension_alloc(ctx, "row", TILEDB_UINT64, range, &extent, &rows);
 * tiledb_dimension_alloc(ctx, "column", TILEDB_UINT64, range, &extent, &columns);
 * tiledb_domain_alloc(ctx, &domain);
 * tiledb_domain_add_dimension(ctx, domain, rows);
 * tiledb_domain_add_dimension(ctx, domain, columns);
 * tiledb_array_schema_set_domain(ctx, schema, domain);
 * tiledb_dimension_free(&rows);
 * tiledb_dimension_free(&columns);
 * tiledb_domain_free(&domain);
 * ```
 *
 * @param ctx The TileDB context.
 * @param domain Receives the domain; free it with `tiledb_domain_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_alloc(
    tiledb_ctx_t *ctx,
    tiledb_domain_t **domain) TILEDB_NOEXCEPT;

/**
 * Returns a readable description of a domain.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param out Receives the text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees a domain handle and sets the pointer to null. Schemas in which the domain was set keep it.
 *
 * @param domain The domain; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_domain_free(tiledb_domain_t **domain) TILEDB_NOEXCEPT;

/**
 * Returns a dimension of a domain by its position.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param index The position, from 0.
 * @param dim Receives the dimension, which is shared with the domain; free it with `tiledb_dimension_free`. Null for position
 *     0 of a domain without dimensions.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the index is out of range.
 */
TILEDB_EXPORT int32_t tiledb_domain_get_dimension_from_index(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    uint32_t index,
    tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

/**
 * Returns a dimension of a domain by its name.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param name The name.
 * @param dim Receives the dimension, which is shared with the domain; free it with `tiledb_dimension_free`. Null if the domain
 *     has no dimensions at all.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the domain has dimensions, but none of this name.
 */
TILEDB_EXPORT int32_t tiledb_domain_get_dimension_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    const char *name,
    tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

/**
 * Returns the number of dimensions of a domain.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param ndim Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_get_ndim(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    uint32_t *ndim) TILEDB_NOEXCEPT;

/**
 * Returns the datatype that all dimensions of a domain have in common.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param type Receives the type.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_domain_get_type(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

/**
 * Reports whether a domain has a dimension of this name.
 *
 * @param ctx The TileDB context.
 * @param domain The domain.
 * @param name The name.
 * @param has_dim Receives 1 if there is, else 0.
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
