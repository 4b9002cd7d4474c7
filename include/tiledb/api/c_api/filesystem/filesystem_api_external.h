/*
 * The C interface of TileDB: filesystem.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_FILESYSTEM_API_EXTERNAL_H
#define TILEDB_CAPI_FILESYSTEM_API_EXTERNAL_H

#include "../api_external_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A storage backend.
 */
typedef enum {
  TILEDB_HDFS = 0,
  TILEDB_S3 = 1,
  TILEDB_AZURE = 2,
  TILEDB_GCS = 3,
  TILEDB_MEMFS = 4,
  TILEDB_TILEDBFS = 5,
} tiledb_filesystem_t;

/**
 * Returns a kind of storage from its text.
 *
 * @param str The text.
 * @param filesystem Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_filesystem_from_str(
    const char *str,
    tiledb_filesystem_t *filesystem) TILEDB_NOEXCEPT;

/**
 * Returns the text of a kind of storage.
 *
 * @param filesystem The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_filesystem_to_str(
    tiledb_filesystem_t filesystem,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_FILESYSTEM_API_EXTERNAL_H */
