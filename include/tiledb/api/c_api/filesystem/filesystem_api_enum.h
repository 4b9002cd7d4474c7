/*
 * The C interface of TileDB: numbers of filesystem.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */

#ifdef TILEDB_FILESYSTEM_ENUM
TILEDB_FILESYSTEM_ENUM(HDFS) = 0,
TILEDB_FILESYSTEM_ENUM(S3) = 1,
TILEDB_FILESYSTEM_ENUM(AZURE) = 2,
TILEDB_FILESYSTEM_ENUM(GCS) = 3,
TILEDB_FILESYSTEM_ENUM(MEMFS) = 4,
TILEDB_FILESYSTEM_ENUM(TILEDBFS) = 5,
#endif
