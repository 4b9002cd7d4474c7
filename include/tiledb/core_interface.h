/**
 * What is asked of the C interface about datatypes.
 */
#ifndef TILEDB_CPP_CORE_INTERFACE_H
#define TILEDB_CPP_CORE_INTERFACE_H

#include <cstddef>
#include <functional>
#include <string>

#include "tiledb.h"

namespace tiledb::impl {

/** The size of one value of a datatype in bytes. */
inline size_t type_size(tiledb_datatype_t type) {
  return static_cast<size_t>(tiledb_datatype_size(type));
}

/** The name of a datatype, as `INT32`; empty for a value that is no datatype. */
inline std::string to_str(const tiledb_datatype_t& type) {
  const char* name = nullptr;
  return tiledb_datatype_to_str(type, &name) == TILEDB_OK && name != nullptr ? name : std::string();
}

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_CORE_INTERFACE_H
