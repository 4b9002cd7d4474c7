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
  bool fits = type == found;
  if (tiledb_string_type(type) || type == TILEDB_CHAR)
    fits = found == TILEDB_STRING_ASCII;
  else if (tiledb_byte_type(type))
    fits = found == TILEDB_BLOB;
  else if (tiledb_datetime_type(type) || tiledb_time_type(type))
    fits = found == TILEDB_INT64;
  if (!fits)
    throw TypeError("The type of the values, " + type_to_str(found) + ", does not fit the datatype " +
                    type_to_str(type));
  if (num != 0 && num != Handler::tiledb_num)
    throw TypeError("A value of the given type holds " + std::to_string(Handler::tiledb_num) + " values of datatype " +
                    type_to_str(type) + " where " + std::to_string(num) + " are expected");
}

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_CPP_EXCEPTION_H
