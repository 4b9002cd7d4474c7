/*
 * The C interface of TileDB: array, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_ARRAY_API_EXPERIMENTAL_H
#define TILEDB_CAPI_ARRAY_API_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../array/array_api_external.h"
#include "../array_schema_evolution/array_schema_evolution_api_experimental.h"
#include "../context/context_api_external.h"
#include "../enumeration/enumeration_api_experimental.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Applies a schema evolution to an array: stores a new schema beside the existing ones.
 *
 * The array keeps its format version, from 18 on, unless the new schema requires a newer one; if the context sets
 * `sm.write_format_version`, the evolution is rejected if it requires more than that. No cell is rewritten. Fragments written from now on have the new schema; older fragments keep theirs, and their cells read
 * as the fill value of attributes that they lack. Arrays that are open do not see the change until they are opened again. Two
 * concurrent evolutions are not merged: let a single process evolve the schema.
 *
 * See also `tiledb_array_schema_evolution_alloc`.
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI of the array.
 * @param array_schema_evolution The changes.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array or the changes do not fit its schema.
 */
TILEDB_EXPORT capi_return_t tiledb_array_evolve(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_array_schema_evolution_t *array_schema_evolution) TILEDB_NOEXCEPT;

/**
 * Returns an enumeration of an open array by its name, and loads its values if necessary.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for any purpose.
 * @param name The name of the enumeration, see `tiledb_attribute_get_enumeration_name`.
 * @param enumeration Receives the enumeration; free it with `tiledb_enumeration_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open, its schema has no enumeration of this name, or the
 *     values cannot be loaded.
 */
TILEDB_EXPORT capi_return_t tiledb_array_get_enumeration(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    const char *name,
    tiledb_enumeration_t **enumeration) TILEDB_NOEXCEPT;

/**
 * Loads the values of all enumerations of the schema of an open array. Schemas that are obtained from the array afterwards
 * have them.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_load_all_enumerations(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array) TILEDB_NOEXCEPT;

/**
 * Loads the values of all enumerations of all schemas of an open array, that is those of older fragments too.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_load_enumerations_all_schemas(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ARRAY_API_EXPERIMENTAL_H */
