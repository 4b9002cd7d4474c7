/*
 * The C interface of TileDB: numbers of current domain.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */

#ifdef TILEDB_CURRENT_DOMAIN_TYPE_ENUM
TILEDB_CURRENT_DOMAIN_TYPE_ENUM(NDRECTANGLE) = 0,
#endif
