/**
 * What attributes can do that may still change: enumerations.
 */
#ifndef TILEDB_CPP_ATTRIBUTE_EXPERIMENTAL_H
#define TILEDB_CPP_ATTRIBUTE_EXPERIMENTAL_H

#include <optional>
#include <string>

#include "attribute.h"
#include "capi_string.h"
#include "context.h"
#include "enumeration_experimental.h"
#include "handle.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** Attributes whose cells are the indices of values in an enumeration. */
class AttributeExperimental {
 public:
  /** Lets the cells of an attribute mean values of the enumeration of this name, which its schema holds. */
  static void set_enumeration_name(const Context& ctx, Attribute& attribute, const std::string& enumeration_name) {
    detail::call(ctx, tiledb_attribute_set_enumeration_name, attribute.ptr().get(), enumeration_name.c_str());
  }

  /** The name of the enumeration of an attribute; nothing if it has none. */
  static std::optional<std::string> get_enumeration_name(const Context& ctx, const Attribute& attribute) {
    auto* name = detail::get<tiledb_string_t*>(ctx, tiledb_attribute_get_enumeration_name, attribute.ptr().get());
    return impl::convert_to_string(&name);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_ATTRIBUTE_EXPERIMENTAL_H
