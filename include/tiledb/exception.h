/**
 * The exceptions of the C++ interface, and the check of static types against TileDB's datatypes.
 */
#ifndef TILEDB_CPP_EXCEPTION_H
#define TILEDB_CPP_EXCEPTION_H

#include <stdexcept>
#include <string>

#include "tiledb.h"
#include "type.h"

namespace tiledb {

/** Something failed; the text is that of the C interface wherever it was the C interface that refused. */
struct TileDBError : std::runtime_error {
  /** An error with this text. */
  TileDBError(const std::string& msg) : std::runtime_error(msg) {}
};

/** A C++ type does not fit the TileDB datatype that it is used with. */
struct TypeError : public TileDBError {
  /** An error with this text. */
  TypeError(const std::string& msg) : TileDBError(msg) {}
};

/** What was given does not fit the schema of the array, as a subarray with too few ranges. */
struct SchemaMismatch : public TileDBError {
  /** An error with this text. */
  SchemaMismatch(const std::string& msg) : TileDBError(msg) {}
};

/** An attribute is wrong. Nothing in these headers throws it; programs may. */
struct AttributeError : public TileDBError {
  /** An error with this text. */
  AttributeError(const std::string& msg) : TileDBError(msg) {}
};

namespace impl {

/** Gives back what it is given. */
template <typename T>
const T& identity(const T& t) {
  return t;
}

/**
 * Checks that values of `T` may stand for values of a datatype.
 *
 * Strings, and `TILEDB_CHAR`, go with every `T` that is kept as characters; blobs and geometries only with `std::byte`;
 * dates and times only with `int64_t`; all else only with the type of the same kind and width.
 *
 * @tparam T The type of the values.
 * @param type The datatype they are used as.
 * @param num How many values of the datatype make one `T`; 0 for any number.
 * @throws TypeError if they don't fit.
 */
template <typename T, typename Handler = TypeHandler<T>>
inline void type_check(tiledb_datatype_t type, unsigned num = 0) {
  constexpr tiledb_datatype_t found = Handler::tiledb_type;
  constexpr unsigned count = Handler::tiledb_num;
  // Programs compare these texts.
  const std::string expected = "Static type does not match expected container type ";
  if (tiledb_string_type(type) || type == TILEDB_CHAR) {
    if (found != TILEDB_STRING_ASCII)
      throw TypeError("Static type (" + type_to_str(found) +
                      ") does not match expected container type STRING_ASCII for tiledb type (" + type_to_str(type) +
                      ")");
  } else if (tiledb_byte_type(type)) {
    if (found != TILEDB_BLOB)
      throw TypeError(expected + "std::byte for tiledb byte type");
  } else if (tiledb_datetime_type(type) || tiledb_time_type(type)) {
    if (found != TILEDB_INT64)
      throw TypeError(expected + "int64_t for tiledb " + (tiledb_time_type(type) ? "time" : "datetime") + " type");
  } else if (type != found) {
    throw TypeError("Static type (" + type_to_str(found) + ") does not match expected type (" + type_to_str(type) +
                    ")");
  }
  // Any number of values fits, and is fitted by, any other.
  if (num != 0 && num != TILEDB_VAR_NUM && count != TILEDB_VAR_NUM && count != num)
    throw TypeError("Expected num of " + std::to_string(num) + ", static type has num of " + std::to_string(count));
}

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_CPP_EXCEPTION_H
