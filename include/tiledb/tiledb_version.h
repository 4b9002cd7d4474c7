/*
 * The version of the interface.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_VERSION_H
#define TILEDB_VERSION_H

#define TILEDB_VERSION_MAJOR 2
#define TILEDB_VERSION_MINOR 30
#define TILEDB_VERSION_PATCH 0

#endif /* TILEDB_VERSION_H */
