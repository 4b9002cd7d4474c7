/*
 * The C interface of TileDB: current domain, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
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

/**
 * Creates an empty current domain, which stands for the whole domain.
 *
 * @param ctx The TileDB context.
 * @param current_domain Receives the current domain, to be freed with `tiledb_current_domain_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_current_domain_create(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t **current_domain) TILEDB_NOEXCEPT;

/**
 * Returns a readable description of a current domain.
 *
 * @param ctx The TileDB context.
 * @param current_domain The current domain.
 * @param out Receives the text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_current_domain_dump_str(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees a current domain and sets the pointer to null.
 *
 * @param current_domain The current domain.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error, also for a pointer to null.
 */
TILEDB_EXPORT capi_return_t tiledb_current_domain_free(
    tiledb_current_domain_t **current_domain) TILEDB_NOEXCEPT;

/**
 * Reports whether a current domain is empty.
 *
 * @param ctx The TileDB context.
 * @param current_domain The current domain.
 * @param is_empty Receives 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_current_domain_get_is_empty(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    uint32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Returns the rectangle of a current domain.
 *
 * @param ctx The TileDB context.
 * @param current_domain The current domain.
 * @param ndr Receives the rectangle, to be freed with `tiledb_ndrectangle_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_current_domain_get_ndrectangle(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    tiledb_ndrectangle_t **ndr) TILEDB_NOEXCEPT;

/**
 * Returns the kind of a current domain that is not empty.
 *
 * @param ctx The TileDB context.
 * @param current_domain The current domain.
 * @param type Receives the kind: `TILEDB_NDRECTANGLE`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_current_domain_get_type(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    tiledb_current_domain_type_t *type) TILEDB_NOEXCEPT;

/**
 * Sets the rectangle of an empty current domain.
 *
 * @param ctx The TileDB context.
 * @param current_domain The current domain.
 * @param ndr The rectangle; the current domain keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_current_domain_set_ndrectangle(
    tiledb_ctx_t *ctx,
    tiledb_current_domain_t *current_domain,
    tiledb_ndrectangle_t *ndr) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_CURRENT_DOMAIN_API_EXTERNAL_EXPERIMENTAL_H */
