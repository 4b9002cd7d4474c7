/*
 * The C interface of TileDB: array schema evolution, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_ARRAY_SCHEMA_EVOLUTION_API_EXPERIMENTAL_H
#define TILEDB_CAPI_ARRAY_SCHEMA_EVOLUTION_API_EXPERIMENTAL_H

#include "../api_external_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque array schema evolution handle.
 */
typedef struct tiledb_array_schema_evolution_t tiledb_array_schema_evolution_t;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_ARRAY_SCHEMA_EVOLUTION_API_EXPERIMENTAL_H */
