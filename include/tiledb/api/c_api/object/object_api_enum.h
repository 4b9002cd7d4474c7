/*
 * The C interface of TileDB: numbers of object.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */

#ifdef TILEDB_OBJECT_TYPE_ENUM
TILEDB_OBJECT_TYPE_ENUM(INVALID) = 0,
TILEDB_OBJECT_TYPE_ENUM(GROUP) = 1,
TILEDB_OBJECT_TYPE_ENUM(ARRAY) = 2,
#endif

#ifdef TILEDB_WALK_ORDER_ENUM
TILEDB_WALK_ORDER_ENUM(PREORDER) = 0,
TILEDB_WALK_ORDER_ENUM(POSTORDER) = 1,
#endif
