/**
 * Schema evolution: how the schema of an array that exists is changed.
 */
#ifndef TILEDB_CPP_ARRAY_SCHEMA_EVOLUTION_H
#define TILEDB_CPP_ARRAY_SCHEMA_EVOLUTION_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "array_schema.h"
#include "attribute.h"
#include "context.h"
#include "current_domain.h"
#include "enumeration_experimental.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** A list of changes to a schema, applied together. What was written stays as it is. Copies share the list. */
class ArraySchemaEvolution {
 public:
  /** Takes an evolution of the C interface over. */
  ArraySchemaEvolution(const Context& context, tiledb_array_schema_evolution_t* evolution)
      : handle_(context, evolution) {}

  /** No changes. */
  ArraySchemaEvolution(const Context& context) : handle_(Handle::make(context, tiledb_array_schema_evolution_alloc)) {}

  /** Shares the changes. */
  ArraySchemaEvolution(const ArraySchemaEvolution&) = default;

  /** Takes the changes over. */
  ArraySchemaEvolution(ArraySchemaEvolution&&) = default;

  /** Shares the changes. */
  ArraySchemaEvolution& operator=(const ArraySchemaEvolution&) = default;

  /** Takes the changes over. */
  ArraySchemaEvolution& operator=(ArraySchemaEvolution&&) = default;

  /** Lets the changes go. */
  virtual ~ArraySchemaEvolution() = default;

  /** Adds an attribute; cells written before read as its fill value. */
  ArraySchemaEvolution& add_attribute(const Attribute& attr) {
    handle_.call(tiledb_array_schema_evolution_add_attribute, attr.ptr().get());
    return *this;
  }

  /** Drops an attribute. */
  ArraySchemaEvolution& drop_attribute(const std::string& attribute_name) {
    handle_.call(tiledb_array_schema_evolution_drop_attribute, attribute_name.c_str());
    return *this;
  }

  /** Adds an enumeration. */
  ArraySchemaEvolution& add_enumeration(const Enumeration& enmr) {
    handle_.call(tiledb_array_schema_evolution_add_enumeration, enmr.ptr().get());
    return *this;
  }

  /** Replaces an enumeration with one that `Enumeration::extend` made from it. */
  ArraySchemaEvolution& extend_enumeration(const Enumeration& enmr) {
    handle_.call(tiledb_array_schema_evolution_extend_enumeration, enmr.ptr().get());
    return *this;
  }

  /** Drops an enumeration, which no attribute may name any more. */
  ArraySchemaEvolution& drop_enumeration(const std::string& enumeration_name) {
    handle_.call(tiledb_array_schema_evolution_drop_enumeration, enumeration_name.c_str());
    return *this;
  }

  /** Lets the current domain grow to one that contains it. */
  ArraySchemaEvolution& expand_current_domain(const CurrentDomain& expanded_domain) {
    handle_.call(tiledb_array_schema_evolution_expand_current_domain, expanded_domain.ptr().get());
    return *this;
  }

  /** Sets when the changes happen, in milliseconds since 1970; both ends must be the same. */
  void set_timestamp_range(const std::pair<uint64_t, uint64_t>& timestamp_range) {
    handle_.call(tiledb_array_schema_evolution_set_timestamp_range, timestamp_range.first, timestamp_range.second);
  }

  /** Applies the changes to the array at a URI. */
  ArraySchemaEvolution& array_evolve(const std::string& array_uri) {
    detail::call(handle_.context(), tiledb_array_evolve, array_uri.c_str(), handle_.ptr().get());
    return *this;
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_array_schema_evolution_t> ptr() const {
    return handle_.ptr();
  }

 private:
  using Handle = detail::Handle<tiledb_array_schema_evolution_t>;
  Handle handle_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_ARRAY_SCHEMA_EVOLUTION_H
