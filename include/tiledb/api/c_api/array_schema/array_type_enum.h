/*
 * The C interface of TileDB: numbers of array type.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */

#ifdef TILEDB_ARRAY_TYPE_ENUM
TILEDB_ARRAY_TYPE_ENUM(DENSE) = 0,
TILEDB_ARRAY_TYPE_ENUM(SPARSE) = 1,
#endif
