/**
 * How the library was built.
 */
#ifndef TILEDB_CPP_AS_BUILT_EXPERIMENTAL_H
#define TILEDB_CPP_AS_BUILT_EXPERIMENTAL_H

#include <string>

#include "capi_string.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** How the library was built. */
class AsBuilt {
 public:
  /** The choices of the build, as JSON; empty if they cannot be told. */
  static std::string dump() {
    tiledb_string_t* out = nullptr;
    tiledb_as_built_dump(&out);
    return impl::convert_to_string(&out).value_or("");
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_AS_BUILT_EXPERIMENTAL_H
