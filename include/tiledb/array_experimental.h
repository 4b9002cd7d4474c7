/**
 * Arrays: their enumerations, and their verification.
 */
#ifndef TILEDB_CPP_ARRAY_EXPERIMENTAL_H
#define TILEDB_CPP_ARRAY_EXPERIMENTAL_H

#include <functional>
#include <string>

#include "array.h"
#include "context.h"
#include "enumeration_experimental.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "tiledb_rs.h"

namespace tiledb {

/** What arrays can do that is not yet stable in the C interface. */
class ArrayExperimental {
 public:
  /** The enumeration of an attribute; it is loaded if it was not. */
  static Enumeration get_enumeration(const Context& ctx, const Array& array, const std::string& attr_name) {
    return {ctx, detail::raw<tiledb_enumeration_t>(ctx, tiledb_array_get_enumeration, array.ptr().get(),
                                                  attr_name.c_str())};
  }

  /** Loads the enumerations of the array's schema, so that schemas taken of it have them. */
  static void load_all_enumerations(const Context& ctx, const Array& array) {
    detail::call(ctx, tiledb_array_load_all_enumerations, array.ptr().get());
  }

  /** Loads the enumerations of all schemas that the array has had. */
  static void load_enumerations_all_schemas(const Context& ctx, const Array& array) {
    detail::call(ctx, tiledb_array_load_enumerations_all_schemas, array.ptr().get());
  }

  /**
   * Looks at every byte of an array, and tells what is wrong with it. `on_finding` returns true to go on; the finding is
   * valid during the call.
   */
  static tiledb_rs_verified_t verify(const Context& ctx, const std::string& uri,
                                     std::function<bool(const tiledb_rs_finding_t&)> on_finding) {
    using Told = std::function<bool(const tiledb_rs_finding_t&)>;
    auto tell = [](const tiledb_rs_finding_t* finding, void* data) -> int32_t {
      return (*static_cast<Told*>(data))(*finding) ? 1 : 0;
    };
    tiledb_rs_verified_t verified{};
    detail::call(ctx, tiledb_rs_array_verify, uri.c_str(), nullptr, tell, nullptr, &on_finding, &verified);
    return verified;
  }

  /**
   * Vacuums an array, and tells how many files were removed of those that have to be. `on_removed` returns true to go on; where
   * it stops the vacuum, the array reads as before, and a second one removes what was left.
   */
  static void vacuum(const Context& ctx, const std::string& uri, std::function<bool(uint64_t, uint64_t)> on_removed,
                     Config* const config = nullptr) {
    using Told = std::function<bool(uint64_t, uint64_t)>;
    auto tell = [](uint64_t files, uint64_t total, void* data) -> int32_t {
      return (*static_cast<Told*>(data))(files, total) ? 1 : 0;
    };
    detail::call(ctx, tiledb_rs_array_vacuum, uri.c_str(), detail::handle_of(config), tell, &on_removed);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_ARRAY_EXPERIMENTAL_H
