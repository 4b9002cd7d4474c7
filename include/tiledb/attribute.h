/**
 * Attributes: the named values of cells.
 */
#ifndef TILEDB_CPP_ATTRIBUTE_H
#define TILEDB_CPP_ATTRIBUTE_H

#include <cstdint>
#include <cstdio>
#include <memory>
#include <ostream>
#include <string>

#include "context.h"
#include "filter_list.h"
#include "handle.h"
#include "object.h"
#include "tiledb.h"
#include "type.h"

namespace tiledb {

/**
 * An attribute of a schema: a name, a datatype, how many values a cell has, whether cells can be null, what unwritten
 * cells read as, and the filters. Copies share the attribute.
 */
class Attribute {
 public:
  /** Takes an attribute of the C interface over. */
  Attribute(const Context& ctx, tiledb_attribute_t* attr) : handle_(ctx, attr) {}

  /** An attribute with cells of one value and no filters. */
  Attribute(const Context& ctx, const std::string& name, tiledb_datatype_t type)
      : handle_(Handle::make(ctx, tiledb_attribute_alloc, name.c_str(), type)) {}

  /** An attribute with cells of one value. */
  Attribute(const Context& ctx, const std::string& name, tiledb_datatype_t type, const FilterList& filter_list)
      : Attribute(ctx, name, type) {
    set_filter_list(filter_list);
  }

  /** Shares the attribute. */
  Attribute(const Attribute&) = default;

  /** Takes the attribute over. */
  Attribute(Attribute&&) = default;

  /** Shares the attribute. */
  Attribute& operator=(const Attribute&) = default;

  /** Takes the attribute over. */
  Attribute& operator=(Attribute&&) = default;

  /** The name; that of an anonymous attribute is empty. */
  std::string name() const {
    return handle_.text(tiledb_attribute_get_name);
  }

  /** The context. */
  const Context& context() const {
    return handle_.context();
  }

  /** The datatype. */
  tiledb_datatype_t type() const {
    return handle_.get<tiledb_datatype_t>(tiledb_attribute_get_type);
  }

  /** The size of a cell in bytes; the greatest `uint64_t` if it varies. */
  uint64_t cell_size() const {
    return handle_.get<uint64_t>(tiledb_attribute_get_cell_size);
  }

  /** How many values a cell has; `TILEDB_VAR_NUM` if that varies. */
  unsigned cell_val_num() const {
    return handle_.get<uint32_t>(tiledb_attribute_get_cell_val_num);
  }

  /** Sets how many values a cell has: a number, or `TILEDB_VAR_NUM`. */
  Attribute& set_cell_val_num(unsigned num) {
    handle_.call(tiledb_attribute_set_cell_val_num, static_cast<uint32_t>(num));
    return *this;
  }

  /** Sets what unwritten cells read as: `size` bytes, those of a whole cell. The attribute must not be nullable. */
  Attribute& set_fill_value(const void* value, uint64_t size) {
    handle_.call(tiledb_attribute_set_fill_value, value, size);
    return *this;
  }

  /** Gets what unwritten cells read as, and its size in bytes. The value belongs to the attribute. */
  void get_fill_value(const void** value, uint64_t* size) const {
    handle_.call(tiledb_attribute_get_fill_value, value, size);
  }

  /** Sets what unwritten cells of a nullable attribute read as: a value, and 0 if they are null. */
  Attribute& set_fill_value(const void* value, uint64_t size, uint8_t valid) {
    handle_.call(tiledb_attribute_set_fill_value_nullable, value, size, valid);
    return *this;
  }

  /** Gets what unwritten cells of a nullable attribute read as. The value belongs to the attribute. */
  void get_fill_value(const void** value, uint64_t* size, uint8_t* valid) const {
    handle_.call(tiledb_attribute_get_fill_value_nullable, value, size, valid);
  }

  /** Whether cells have any number of values. */
  bool variable_sized() const {
    return cell_val_num() == TILEDB_VAR_NUM;
  }

  /** A copy of the filters. */
  FilterList filter_list() const {
    return FilterList(context(), handle_.raw<tiledb_filter_list_t>(tiledb_attribute_get_filter_list));
  }

  /** Sets the filters. */
  Attribute& set_filter_list(const FilterList& filter_list) {
    handle_.call(tiledb_attribute_set_filter_list, filter_list.ptr().get());
    return *this;
  }

  /** Sets whether cells can be null. */
  Attribute& set_nullable(bool nullable) {
    handle_.call(tiledb_attribute_set_nullable, static_cast<uint8_t>(nullable));
    return *this;
  }

  /** Whether cells can be null. */
  bool nullable() const {
    return handle_.get<uint8_t>(tiledb_attribute_get_nullable) != 0;
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_attribute_t> ptr() const {
    return handle_.ptr();
  }

#ifdef TILEDB_RS_REMOVED_API
  /** Prints the attribute to a stream; libtiledb removed it in 2.30, `operator<<` replaces it. */
  TILEDB_DEPRECATED void dump(FILE* out = stdout) const {
    detail::print(out, handle_.string(tiledb_attribute_dump_str));
  }
#endif

  /** An attribute whose cells are `T`s: numbers, strings, vectors, arrays, or structures kept as their bytes. */
  template <typename T>
  static Attribute create(const Context& ctx, const std::string& name) {
    using Type = impl::TypeHandler<T>;
    return Attribute(ctx, name, Type::tiledb_type).set_cell_val_num(Type::tiledb_num);
  }

  /** An attribute with cells of one value. */
  static Attribute create(const Context& ctx, const std::string& name, tiledb_datatype_t type) {
    return Attribute(ctx, name, type);
  }

  /** An attribute whose cells are `T`s, with filters. */
  template <typename T>
  static Attribute create(const Context& ctx, const std::string& name, const FilterList& filter_list) {
    return create<T>(ctx, name).set_filter_list(filter_list);
  }

 private:
  using Handle = detail::Handle<tiledb_attribute_t>;
  Handle handle_;
};

/** Prints all there is to know about an attribute. */
inline std::ostream& operator<<(std::ostream& os, const Attribute& attribute) {
  return os << detail::string(attribute.context(), tiledb_attribute_dump_str, attribute.ptr().get());
}

}  // namespace tiledb

#endif  // TILEDB_CPP_ATTRIBUTE_H
