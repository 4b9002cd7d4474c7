/*
 * The C interface of TileDB: numbers of layout.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */

#ifdef TILEDB_LAYOUT_ENUM
TILEDB_LAYOUT_ENUM(ROW_MAJOR) = 0,
TILEDB_LAYOUT_ENUM(COL_MAJOR) = 1,
TILEDB_LAYOUT_ENUM(GLOBAL_ORDER) = 2,
TILEDB_LAYOUT_ENUM(UNORDERED) = 3,
TILEDB_LAYOUT_ENUM(HILBERT) = 4,
#endif
