/*
 * The C interface of TileDB: array schema, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_ARRAY_SCHEMA_API_EXPERIMENTAL_H
#define TILEDB_CAPI_ARRAY_SCHEMA_API_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../array_schema/array_schema_api_external.h"
#include "../context/context_api_external.h"
#include "../current_domain/current_domain_api_external_experimental.h"
#include "../enumeration/enumeration_api_experimental.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Adds an enumeration to a schema.
 *
 * Add it before the attributes that refer to it.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param enumeration The enumeration, which the schema keeps; the handle can be freed.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the schema has an enumeration of this name already.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_add_enumeration(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_enumeration_t *enumeration) TILEDB_NOEXCEPT;

/**
 * Creates an array schema without domain and attributes, like `tiledb_array_schema_alloc`, that is stored with a given
 * timestamp.
 *
 * @param ctx The TileDB context.
 * @param array_type Dense or sparse.
 * @param timestamp Milliseconds since 1970, not 0.
 * @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_alloc_at_timestamp(
    tiledb_ctx_t *ctx,
    tiledb_array_type_t array_type,
    uint64_t timestamp,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Returns the current domain.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param current_domain Receives the current domain, shared with the schema, to be freed with `tiledb_current_domain_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_current_domain(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_current_domain_t **current_domain) TILEDB_NOEXCEPT;

/**
 * Returns the enumeration that the cells of an attribute index.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param attribute_name The name of the attribute.
 * @param enumeration Receives the enumeration, to be freed with `tiledb_enumeration_free`; null if the attribute has none.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_enumeration_from_attribute_name(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    const char *attribute_name,
    tiledb_enumeration_t **enumeration) TILEDB_NOEXCEPT;

/**
 * Returns an enumeration of a schema by its name.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param enumeration_name The name.
 * @param enumeration Receives the enumeration, to be freed with `tiledb_enumeration_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_get_enumeration_from_name(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    const char *enumeration_name,
    tiledb_enumeration_t **enumeration) TILEDB_NOEXCEPT;

/**
 * Sets the current domain: the part of the domain that is in use. Writing cells or setting ranges outside of it is an error;
 * schema evolution can expand it.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param current_domain The current domain; the schema shares it: what is set later is set in the schema, too.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_set_current_domain(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    tiledb_current_domain_t *current_domain) TILEDB_NOEXCEPT;

/**
 * Returns the timestamps with which a schema is stored.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema.
 * @param lo Receives the start, in milliseconds since 1970.
 * @param hi Receives the end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_timestamp_range(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_t *array_schema,
    uint64_t *lo,
    uint64_t *hi) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ARRAY_SCHEMA_API_EXPERIMENTAL_H */
