/*
 * The C interface of TileDB: numbers of vfs.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */

#ifdef TILEDB_VFS_MODE_ENUM
TILEDB_VFS_MODE_ENUM(VFS_READ) = 0,
TILEDB_VFS_MODE_ENUM(VFS_WRITE) = 1,
TILEDB_VFS_MODE_ENUM(VFS_APPEND) = 2,
#endif
