/*
 * The C interface of TileDB: return codes and what all headers share.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_API_EXTERNAL_COMMON_H
#define TILEDB_CAPI_API_EXTERNAL_COMMON_H

#ifndef TILEDB_CAPI_WRAPPING
#include <stddef.h>
#include <stdint.h>
#endif

#include "../../tiledb_export.h"

#ifdef __cplusplus
#define TILEDB_NOEXCEPT noexcept
#else
#define TILEDB_NOEXCEPT
#endif
#include <stddef.h>
#include <stdint.h>
#include "../../tiledb_export.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TILEDB_OK (0)
#define TILEDB_ERR (-1)
#define TILEDB_OOM (-2)
#define TILEDB_INVALID_CONTEXT (-3)
#define TILEDB_INVALID_ERROR (-4)
#define TILEDB_BUDGET_UNAVAILABLE (-5)

/**
 * The result of most functions: one of the `TILEDB_*` codes.
 */
typedef int32_t capi_return_t;

/**
 * The result of functions that only tell a state.
 */
typedef int32_t capi_status_t;

/**
 * Returns the status code of a return code; both are the same.
 *
 * @param x The result.
 * @return The code.
 */
TILEDB_EXPORT capi_status_t tiledb_status_code(capi_return_t x) TILEDB_NOEXCEPT;

#ifdef __cplusplus
/** The status that a returned code holds. */
inline capi_status_t tiledb_status(capi_return_t code) {
  return code;
}
#endif

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_API_EXTERNAL_COMMON_H */
