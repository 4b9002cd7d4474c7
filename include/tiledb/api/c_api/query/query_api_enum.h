/*
 * The C interface of TileDB: numbers of query.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */

#ifdef TILEDB_QUERY_TYPE_ENUM
TILEDB_QUERY_TYPE_ENUM(READ) = 0,
TILEDB_QUERY_TYPE_ENUM(WRITE) = 1,
TILEDB_QUERY_TYPE_ENUM_CONCAT_ID(DEL, ETE) = 2,
TILEDB_QUERY_TYPE_ENUM(UPDATE) = 3,
TILEDB_QUERY_TYPE_ENUM(MODIFY_EXCLUSIVE) = 4,
#endif
