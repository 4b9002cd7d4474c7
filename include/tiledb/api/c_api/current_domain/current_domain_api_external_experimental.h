/*
 * The C interface of TileDB: current domain, experimental.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_CURRENT_DOMAIN_API_EXTERNAL_EXPERIMENTAL_H
#define TILEDB_CAPI_CURRENT_DOMAIN_API_EXTERNAL_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../ndrectangle/ndrectangle_api_external_experimental.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TILEDB_CURRENT_DOMAIN_TYPE_ENUM(id) TILEDB_##id

/**
 * The shape of a current domain.
 */
typedef enum {
  TILEDB_NDRECTANGLE = 0,
} tiledb_current_domain_type_t;

/**
 * The opaque current domain handle.
 */
typedef struct tiledb_current_domain_handle_t tiledb_current_domain_t;

TILEDB_EXPORT capi_return_t tiledb_current_domain_create(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t **current_domain) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_current_domain_dump_str(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_current_domain_free(
    tiledb_current_domain_t **current_domain) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_current_domain_get_is_empty(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    uint32_t *is_empty) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_current_domain_get_ndrectangle(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    tiledb_ndrectangle_t **ndr) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_current_domain_get_type(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    tiledb_current_domain_type_t *type) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_current_domain_set_ndrectangle(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    tiledb_ndrectangle_t *ndr) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_CURRENT_DOMAIN_API_EXTERNAL_EXPERIMENTAL_H */
