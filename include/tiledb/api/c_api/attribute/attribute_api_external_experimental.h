/*
 * The C interface of TileDB: attribute, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_ATTRIBUTE_API_EXTERNAL_EXPERIMENTAL_H
#define TILEDB_CAPI_ATTRIBUTE_API_EXTERNAL_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../attribute/attribute_api_external.h"
#include "../context/context_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the name of the enumeration whose values the cells of an attribute refer to.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param name Receives the name, to be freed with `tiledb_string_free`; null if there is none.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_attribute_get_enumeration_name(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    tiledb_string_t **name) TILEDB_NOEXCEPT;

/**
 * Sets the enumeration whose values the cells of an attribute refer to by index.
 *
 * The attribute must have an integer datatype that can hold all indexes, and one value per cell; this is checked when the
 * attribute is added to a schema, which must have the enumeration by then.
 *
 * @param ctx The TileDB context.
 * @param attr The attribute.
 * @param enumeration_name The name of the enumeration, not empty.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_attribute_set_enumeration_name(
    tiledb_ctx_t *ctx,
    tiledb_attribute_t *attr,
    const char *enumeration_name) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ATTRIBUTE_API_EXTERNAL_EXPERIMENTAL_H */
