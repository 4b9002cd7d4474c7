/*
 * The C interface of TileDB: domain.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
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

TILEDB_EXPORT int32_t tiledb_domain_add_dimension(
    tiledb_ctx_t *ctx,
    tiledb_domain_t *domain,
    tiledb_dimension_t *dim) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_domain_alloc(
    tiledb_ctx_t *ctx,
    tiledb_domain_t **domain) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_domain_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_domain_free(tiledb_domain_t **domain) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_domain_get_dimension_from_index(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    uint32_t index,
    tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_domain_get_dimension_from_name(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    const char *name,
    tiledb_dimension_t **dim) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_domain_get_ndim(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    uint32_t *ndim) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_domain_get_type(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    tiledb_datatype_t *type) TILEDB_NOEXCEPT;

TILEDB_EXPORT int32_t tiledb_domain_has_dimension(
    tiledb_ctx_t *ctx,
    const tiledb_domain_t *domain,
    const char *name,
    int32_t *has_dim) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_DOMAIN_API_EXTERNAL_H */
