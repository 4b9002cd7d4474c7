/*
 * The C interface of TileDB: datatype.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_DATATYPE_API_EXTERNAL_H
#define TILEDB_CAPI_DATATYPE_API_EXTERNAL_H

#include "../api_external_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The type of a value.
 */
typedef enum {
  TILEDB_INT32 = 0,
  TILEDB_INT64 = 1,
  TILEDB_FLOAT32 = 2,
  TILEDB_FLOAT64 = 3,
  TILEDB_CHAR = 4,
  TILEDB_INT8 = 5,
  TILEDB_UINT8 = 6,
  TILEDB_INT16 = 7,
  TILEDB_UINT16 = 8,
  TILEDB_UINT32 = 9,
  TILEDB_UINT64 = 10,
  TILEDB_STRING_ASCII = 11,
  TILEDB_STRING_UTF8 = 12,
  TILEDB_STRING_UTF16 = 13,
  TILEDB_STRING_UTF32 = 14,
  TILEDB_STRING_UCS2 = 15,
  TILEDB_STRING_UCS4 = 16,
  TILEDB_ANY = 17,
  TILEDB_DATETIME_YEAR = 18,
  TILEDB_DATETIME_MONTH = 19,
  TILEDB_DATETIME_WEEK = 20,
  TILEDB_DATETIME_DAY = 21,
  TILEDB_DATETIME_HR = 22,
  TILEDB_DATETIME_MIN = 23,
  TILEDB_DATETIME_SEC = 24,
  TILEDB_DATETIME_MS = 25,
  TILEDB_DATETIME_US = 26,
  TILEDB_DATETIME_NS = 27,
  TILEDB_DATETIME_PS = 28,
  TILEDB_DATETIME_FS = 29,
  TILEDB_DATETIME_AS = 30,
  TILEDB_TIME_HR = 31,
  TILEDB_TIME_MIN = 32,
  TILEDB_TIME_SEC = 33,
  TILEDB_TIME_MS = 34,
  TILEDB_TIME_US = 35,
  TILEDB_TIME_NS = 36,
  TILEDB_TIME_PS = 37,
  TILEDB_TIME_FS = 38,
  TILEDB_TIME_AS = 39,
  TILEDB_BLOB = 40,
  TILEDB_BOOL = 41,
  TILEDB_GEOM_WKB = 42,
  TILEDB_GEOM_WKT = 43,
} tiledb_datatype_t;

/**
 * Returns a datatype from its text.
 *
 * @param str The text.
 * @param datatype Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT capi_return_t tiledb_datatype_from_str(
    const char *str,
    tiledb_datatype_t *datatype) TILEDB_NOEXCEPT;

/**
 * Returns the size of a value of a datatype in bytes.
 *
 * @param type The type.
 * @return The size in bytes; 1 for a number that is no type.
 */
TILEDB_EXPORT uint64_t tiledb_datatype_size(tiledb_datatype_t type) TILEDB_NOEXCEPT;

/**
 * Returns the text of a datatype.
 *
 * @param datatype The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT capi_return_t tiledb_datatype_to_str(
    tiledb_datatype_t datatype,
    const char **str) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_DATATYPE_API_EXTERNAL_H */
