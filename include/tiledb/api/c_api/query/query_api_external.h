/*
 * The C interface of TileDB: query.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_QUERY_API_EXTERNAL_H
#define TILEDB_CAPI_QUERY_API_EXTERNAL_H

#include "../api_external_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What an array or query is opened for.
 */
typedef enum {
  TILEDB_READ = 0,
  TILEDB_WRITE = 1,
  TILEDB_DELETE = 2,
  TILEDB_UPDATE = 3,
  TILEDB_MODIFY_EXCLUSIVE = 4,
} tiledb_query_type_t;

/**
 * The opaque query handle.
 */
typedef struct tiledb_query_t tiledb_query_t;

/**
 * Returns a query type from its text.
 *
 * @param str The text.
 * @param query_type Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_query_type_from_str(
    const char *str,
    tiledb_query_type_t *query_type) TILEDB_NOEXCEPT;

/**
 * Returns the text of a query type.
 *
 * @param query_type The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_query_type_to_str(
    tiledb_query_type_t query_type,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_QUERY_API_EXTERNAL_H */
