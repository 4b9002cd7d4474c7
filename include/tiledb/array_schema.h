/**
 * Array schemas: what an array looks like.
 */
#ifndef TILEDB_CPP_ARRAY_SCHEMA_H
#define TILEDB_CPP_ARRAY_SCHEMA_H

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <ostream>
#include <string>
#include <unordered_map>
#include <utility>

#include "attribute.h"
#include "context.h"
#include "domain.h"
#include "filter_list.h"
#include "handle.h"
#include "schema_base.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** The schema of an array: its domain, its attributes, the order of its cells and its filters. Copies share it. */
class ArraySchema : public Schema {
 public:
  /** A schema without domain and attributes, of a dense or a sparse array. */
  explicit ArraySchema(const Context& ctx, tiledb_array_type_t type)
      : Schema(ctx), handle_(Handle::make(ctx, tiledb_array_schema_alloc, type)) {}

  /** The newest schema of the array at a URI. */
  ArraySchema(const Context& ctx, const std::string& uri)
      : Schema(ctx), handle_(Handle::make(ctx, tiledb_array_schema_load, uri.c_str())) {}

  /** Takes a schema of the C interface over. */
  ArraySchema(const Context& ctx, tiledb_array_schema_t* schema) : Schema(ctx), handle_(ctx, schema) {}

  /** A schema is that of a dense or a sparse array. */
  ArraySchema() = delete;

  /** Shares the schema. */
  ArraySchema(const ArraySchema&) = default;

  /** Takes the schema over. */
  ArraySchema(ArraySchema&&) = default;

  /** Lets the schema go. */
  virtual ~ArraySchema() = default;

  /** Shares the schema. */
  ArraySchema& operator=(const ArraySchema&) = default;

  /** Takes the schema over. */
  ArraySchema& operator=(ArraySchema&&) = default;

  /** Whether the array is dense or sparse. */
  tiledb_array_type_t array_type() const {
    return handle_.get<tiledb_array_type_t>(tiledb_array_schema_get_array_type);
  }

  /** How many cells a tile of a sparse array has. */
  uint64_t capacity() const {
    return handle_.get<uint64_t>(tiledb_array_schema_get_capacity);
  }

  /** Sets how many cells a tile of a sparse array has. */
  ArraySchema& set_capacity(uint64_t capacity) {
    handle_.call(tiledb_array_schema_set_capacity, capacity);
    return *this;
  }

  /** Whether several cells of a sparse array may have the same coordinates. */
  bool allows_dups() const {
    return handle_.get<int>(tiledb_array_schema_get_allows_dups) != 0;
  }

  /** Sets whether several cells of a sparse array may have the same coordinates. */
  ArraySchema& set_allows_dups(bool allows_dups) {
    handle_.call(tiledb_array_schema_set_allows_dups, allows_dups ? 1 : 0);
    return *this;
  }

  /** The version of the format that the schema is stored in. */
  uint32_t version() const {
    return handle_.get<uint32_t>(tiledb_array_schema_get_version);
  }

  /** The order of the tiles. */
  tiledb_layout_t tile_order() const {
    return handle_.get<tiledb_layout_t>(tiledb_array_schema_get_tile_order);
  }

  /** Sets the order of the tiles. */
  ArraySchema& set_tile_order(tiledb_layout_t layout) {
    handle_.call(tiledb_array_schema_set_tile_order, layout);
    return *this;
  }

  /** Sets the order of the tiles and the order of the cells of a tile. */
  ArraySchema& set_order(const std::array<tiledb_layout_t, 2>& p) {
    return set_tile_order(p[0]).set_cell_order(p[1]);
  }

  /** The order of the cells of a tile. */
  tiledb_layout_t cell_order() const {
    return handle_.get<tiledb_layout_t>(tiledb_array_schema_get_cell_order);
  }

  /** Sets the order of the cells of a tile. */
  ArraySchema& set_cell_order(tiledb_layout_t layout) {
    handle_.call(tiledb_array_schema_set_cell_order, layout);
    return *this;
  }

  /** A copy of the filters of coordinates whose dimension has none. */
  FilterList coords_filter_list() const {
    return filters(tiledb_array_schema_get_coords_filter_list);
  }

  /** Sets the filters of coordinates whose dimension has none. */
  ArraySchema& set_coords_filter_list(const FilterList& filter_list) {
    handle_.call(tiledb_array_schema_set_coords_filter_list, filter_list.ptr().get());
    return *this;
  }

  /** A copy of the filters of the offsets of variable-sized cells. */
  FilterList offsets_filter_list() const {
    return filters(tiledb_array_schema_get_offsets_filter_list);
  }

  /** A copy of the filters of what tells null cells. */
  FilterList validity_filter_list() const {
    return filters(tiledb_array_schema_get_validity_filter_list);
  }

  /** Sets the filters of the offsets of variable-sized cells. */
  ArraySchema& set_offsets_filter_list(const FilterList& filter_list) {
    handle_.call(tiledb_array_schema_set_offsets_filter_list, filter_list.ptr().get());
    return *this;
  }

  /** Sets the filters of what tells null cells. */
  ArraySchema& set_validity_filter_list(const FilterList& filter_list) {
    handle_.call(tiledb_array_schema_set_validity_filter_list, filter_list.ptr().get());
    return *this;
  }

  /** The domain. */
  Domain domain() const {
    return Domain(ctx_, handle_.raw<tiledb_domain_t>(tiledb_array_schema_get_domain));
  }

  /** Sets the domain. */
  ArraySchema& set_domain(const Domain& domain) {
    handle_.call(tiledb_array_schema_set_domain, domain.ptr().get());
    return *this;
  }

  /** From when to when the schema was made, in milliseconds since 1970; both are 0 before it is stored. */
  std::pair<uint64_t, uint64_t> timestamp_range() {
    std::pair<uint64_t, uint64_t> range{};
    handle_.call(tiledb_array_schema_timestamp_range, &range.first, &range.second);
    return range;
  }

  /** Adds an attribute behind the others. */
  ArraySchema& add_attribute(const Attribute& attr) override {
    handle_.call(tiledb_array_schema_add_attribute, attr.ptr().get());
    return *this;
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_array_schema_t> ptr() const {
    return handle_.ptr();
  }

  /**
   * Checks whether an array can be created.
   *
   * @throws TileDBError that tells what is missing or wrong.
   */
  void check() const override {
    handle_.call(tiledb_array_schema_check);
  }

  /** The attributes by name. */
  std::unordered_map<std::string, Attribute> attributes() const override {
    std::unordered_map<std::string, Attribute> attributes;
    const unsigned count = attribute_num();
    for (unsigned i = 0; i < count; i++) {
      const Attribute attr = attribute(i);
      attributes.emplace(attr.name(), attr);
    }
    return attributes;
  }

  /** The attribute of this name. */
  Attribute attribute(const std::string& name) const override {
    return Attribute(ctx_,
                     handle_.raw<tiledb_attribute_t>(tiledb_array_schema_get_attribute_from_name, name.c_str()));
  }

  /** How many attributes there are. */
  unsigned attribute_num() const override {
    return handle_.get<uint32_t>(tiledb_array_schema_get_attribute_num);
  }

  /** The attribute at a place, counted from 0. */
  Attribute attribute(unsigned int i) const override {
    return Attribute(ctx_, handle_.raw<tiledb_attribute_t>(tiledb_array_schema_get_attribute_from_index, i));
  }

  /** Whether there is an attribute of this name. */
  bool has_attribute(const std::string& name) const {
    return handle_.get<int32_t>(tiledb_array_schema_has_attribute, name.c_str()) != 0;
  }

  /** `DENSE` or `SPARSE`. */
  static std::string to_str(tiledb_array_type_t type) {
    return type == TILEDB_DENSE ? "DENSE" : "SPARSE";
  }

  /** The name of a layout, as `ROW-MAJOR`; empty for a value that is none. */
  static std::string to_str(tiledb_layout_t layout) {
    switch (layout) {
      case TILEDB_ROW_MAJOR:
        return "ROW-MAJOR";
      case TILEDB_COL_MAJOR:
        return "COL-MAJOR";
      case TILEDB_GLOBAL_ORDER:
        return "GLOBAL";
      case TILEDB_UNORDERED:
        return "UNORDERED";
      case TILEDB_HILBERT:
        return "HILBERT";
      default:
        return "";
    }
  }

#ifdef TILEDB_RS_REMOVED_API
#include "removed/array_schema_members.h"
#endif

 private:
  using Handle = detail::Handle<tiledb_array_schema_t>;

  /** The filter list that a C function gives. */
  template <typename F>
  FilterList filters(F function) const {
    return FilterList(ctx_, handle_.raw<tiledb_filter_list_t>(function));
  }

  Handle handle_;
};

/** Prints the whole schema. */
inline std::ostream& operator<<(std::ostream& os, const ArraySchema& schema) {
  return os << detail::string(schema.context(), tiledb_array_schema_dump_str, schema.ptr().get());
}

}  // namespace tiledb

#endif  // TILEDB_CPP_ARRAY_SCHEMA_H
