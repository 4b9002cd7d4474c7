/*
 * The C interface of TileDB: numbers of data order.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */

#ifdef TILEDB_DATA_ORDER_ENUM
TILEDB_DATA_ORDER_ENUM(UNORDERED_DATA) = 0,
TILEDB_DATA_ORDER_ENUM(INCREASING_DATA) = 1,
TILEDB_DATA_ORDER_ENUM(DECREASING_DATA) = 2,
#endif
