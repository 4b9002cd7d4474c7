/*
 * What libtiledb-rs offers beyond TileDB's C interface.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_RS_H
#define TILEDB_RS_H

#include "api/c_api/api_external_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Tells how many handles of all types live in this process: 0 after everything was freed.
 *
 * @return The number of live handles.
 */
TILEDB_EXPORT uint64_t tiledb_rs_live_handles(void) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_RS_H */
