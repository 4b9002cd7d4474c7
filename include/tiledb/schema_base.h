/**
 * What all kinds of schemas have in common.
 */
#ifndef TILEDB_CPP_SCHEMA_BASE_H
#define TILEDB_CPP_SCHEMA_BASE_H

#include <functional>
#include <string>
#include <unordered_map>

#include "attribute.h"
#include "context.h"
#include "deleter.h"

namespace tiledb {

/** A schema: it has attributes. */
class Schema {
 public:
  /** The context. */
  const Context& context() const {
    return ctx_.get();
  }

  /** Adds attributes, one behind the other. */
  template <typename... Args>
  Schema& add_attributes(Args... attrs) {
    (add_attribute(attrs), ...);
    return *this;
  }

 protected:
  /** A schema of a context. */
  explicit Schema(const Context& ctx) : ctx_(ctx), deleter_(&ctx) {}

  /** Shares the schema. */
  Schema(const Schema&) = default;

  /** Takes the schema over. */
  Schema(Schema&&) = default;

  /** Shares the schema. */
  Schema& operator=(const Schema&) = default;

  /** Takes the schema over. */
  Schema& operator=(Schema&&) = default;

  /** Lets the schema go. */
  virtual ~Schema() = default;

  /** Adds an attribute. */
  virtual Schema& add_attribute(const Attribute& attr) = 0;

  /** Throws unless the schema is complete and right. */
  virtual void check() const = 0;

  /** The attributes by name. */
  virtual std::unordered_map<std::string, Attribute> attributes() const = 0;

  /** How many attributes there are. */
  virtual unsigned attribute_num() const = 0;

  /** The attribute of this name. */
  virtual Attribute attribute(const std::string& name) const = 0;

  /** The attribute at a place, counted from 0. */
  virtual Attribute attribute(unsigned int i) const = 0;

  /** The context. */
  std::reference_wrapper<const Context> ctx_;

  /** Frees the handle. */
  impl::Deleter deleter_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_SCHEMA_BASE_H
