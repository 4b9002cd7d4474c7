/**
 * The version of the library.
 */
#ifndef TILEDB_CPP_VERSION_H
#define TILEDB_CPP_VERSION_H

#include <iostream>
#include <tuple>

#include "tiledb.h"

namespace tiledb {

/** The major, minor and patch version of the library that the program runs with. */
inline std::tuple<int, int, int> version() {
  int32_t major = 0, minor = 0, patch = 0;
  tiledb_version(&major, &minor, &patch);
  return {major, minor, patch};
}

}  // namespace tiledb

#endif  // TILEDB_CPP_VERSION_H
