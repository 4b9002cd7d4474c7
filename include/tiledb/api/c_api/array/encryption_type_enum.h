/*
 * The C interface of TileDB: numbers of encryption type.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */

#ifdef TILEDB_ENCRYPTION_TYPE_ENUM
TILEDB_ENCRYPTION_TYPE_ENUM(NO_ENCRYPTION) = 0,
TILEDB_ENCRYPTION_TYPE_ENUM(AES_256_GCM) = 1,
#endif
