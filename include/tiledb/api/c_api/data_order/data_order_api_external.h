/*
 * The C interface of TileDB: data order.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_DATA_ORDER_API_EXTERNAL_H
#define TILEDB_CAPI_DATA_ORDER_API_EXTERNAL_H

#include "../api_external_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The order of a dimension label's values.
 */
typedef enum {
  TILEDB_UNORDERED_DATA = 0,
  TILEDB_INCREASING_DATA = 1,
  TILEDB_DECREASING_DATA = 2,
} tiledb_data_order_t;

/**
 * Returns a data order from its text.
 *
 * @param str The text.
 * @param data_order Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_data_order_from_str(
    const char *str,
    tiledb_data_order_t *data_order) TILEDB_NOEXCEPT;

/**
 * Returns the text of a data order.
 *
 * @param data_order The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_data_order_to_str(
    tiledb_data_order_t data_order,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_DATA_ORDER_API_EXTERNAL_H */
