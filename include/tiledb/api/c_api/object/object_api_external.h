/*
 * The C interface of TileDB: object.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_OBJECT_API_EXTERNAL_H
#define TILEDB_CAPI_OBJECT_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What lies at a URI.
 */
typedef enum {
  TILEDB_INVALID = 0,
  TILEDB_GROUP = 1,
  TILEDB_ARRAY = 2,
} tiledb_object_t;

/**
 * The order of an object walk.
 */
typedef enum {
  TILEDB_PREORDER = 0,
  TILEDB_POSTORDER = 1,
} tiledb_walk_order_t;

/**
 * Returns an object type from its text.
 *
 * @param str The text.
 * @param object_type Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_object_type_from_str(
    const char *str,
    tiledb_object_t *object_type) TILEDB_NOEXCEPT;

/**
 * Returns the text of an object type.
 *
 * @param object_type The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_object_type_to_str(
    tiledb_object_t object_type,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Returns a walk order from its text.
 *
 * @param str The text.
 * @param walk_order Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_walk_order_from_str(
    const char *str,
    tiledb_walk_order_t *walk_order) TILEDB_NOEXCEPT;

/**
 * Returns the text of a walk order.
 *
 * @param walk_order The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_walk_order_to_str(
    tiledb_walk_order_t walk_order,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_OBJECT_API_EXTERNAL_H */
