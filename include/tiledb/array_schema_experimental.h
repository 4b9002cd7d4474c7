/**
 * What array schemas can do that may still change: dimension labels, current domains, enumerations.
 */
#ifndef TILEDB_CPP_ARRAY_SCHEMA_EXPERIMENTAL_H
#define TILEDB_CPP_ARRAY_SCHEMA_EXPERIMENTAL_H

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "array_schema.h"
#include "context.h"
#include "current_domain.h"
#include "dimension_label_experimental.h"
#include "enumeration_experimental.h"
#include "exception.h"
#include "filter_list.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_dimension_label_experimental.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** Dimension labels, current domains and enumerations of schemas. */
class ArraySchemaExperimental {
 public:
  /**
   * Adds a label to a dimension.
   *
   * @param ctx The context.
   * @param array_schema The schema.
   * @param dim_index The place of the dimension, counted from 0.
   * @param name The name of the label.
   * @param label_order Whether the labels increase or decrease with the coordinates.
   * @param label_type The datatype of the labels.
   * @param filter_list The filters of the labels.
   */
  static void add_dimension_label(const Context& ctx, ArraySchema& array_schema, uint32_t dim_index,
                                  const std::string& name, tiledb_data_order_t label_order,
                                  tiledb_datatype_t label_type, std::optional<FilterList> filter_list = std::nullopt) {
    auto* schema = array_schema.ptr().get();
    detail::call(ctx, tiledb_array_schema_add_dimension_label, schema, dim_index, name.c_str(), label_order,
                 label_type);
    if (filter_list.has_value())
      detail::call(ctx, tiledb_array_schema_set_dimension_label_filter_list, schema, name.c_str(),
                   filter_list->ptr().get());
  }

  /**
   * Adds a label whose array has a tile extent of its own.
   *
   * @tparam T The type of the dimension, or a pointer to a value of it.
   * @param ctx The context.
   * @param array_schema The schema.
   * @param dim_idx The place of the dimension, counted from 0.
   * @param name The name of the label.
   * @param label_order Whether the labels increase or decrease with the coordinates.
   * @param label_type The datatype of the labels.
   * @param dim_tile_extent How many coordinates a tile of the label's array spans.
   * @param filter_list The filters of the labels.
   * @throws TypeError if a value has not the type of the dimension.
   */
  template <typename T>
  static void add_dimension_label(const Context& ctx, ArraySchema& array_schema, uint32_t dim_idx,
                                  const std::string& name, tiledb_data_order_t label_order,
                                  tiledb_datatype_t label_type, T dim_tile_extent,
                                  std::optional<FilterList> filter_list = std::nullopt) {
    if constexpr (std::is_convertible_v<T, std::optional<FilterList>>) {
      // What looks like an extent is the filter list of the other overload.
      const std::optional<FilterList> filters = dim_tile_extent;
      add_dimension_label(ctx, array_schema, dim_idx, name, label_order, label_type, filters);
    } else {
      const tiledb_datatype_t type = array_schema.domain().dimension(dim_idx).type();
      const void* const tile_extent = extent(type, dim_tile_extent);
      add_dimension_label(ctx, array_schema, dim_idx, name, label_order, label_type, filter_list);
      detail::call(ctx, tiledb_array_schema_set_dimension_label_tile_extent, array_schema.ptr().get(), name.c_str(),
                   type, tile_extent);
    }
  }

  /** Whether there is a dimension label of this name. */
  static bool has_dimension_label(const Context& ctx, const ArraySchema& array_schema, const std::string& name) {
    return detail::get<int32_t>(ctx, tiledb_array_schema_has_dimension_label, array_schema.ptr().get(), name.c_str()) !=
           0;
  }

  /** The dimension label of this name. */
  static DimensionLabel dimension_label(const Context& ctx, const ArraySchema& array_schema, const std::string& name) {
    return DimensionLabel(
        ctx, detail::raw<tiledb_dimension_label_t>(ctx, tiledb_array_schema_get_dimension_label_from_name,
                                                   array_schema.ptr().get(), name.c_str()));
  }

  /** The current domain; it is empty if none was set. */
  static CurrentDomain current_domain(const Context& ctx, const ArraySchema& array_schema) {
    return CurrentDomain(ctx, detail::raw<tiledb_current_domain_t>(ctx, tiledb_array_schema_get_current_domain,
                                                                   array_schema.ptr().get()));
  }

  /** Sets the current domain. */
  static void set_current_domain(const Context& ctx, const ArraySchema& array_schema,
                                 const CurrentDomain& current_domain) {
    detail::call(ctx, tiledb_array_schema_set_current_domain, array_schema.ptr().get(), current_domain.ptr().get());
  }

  /** The enumeration of this name. */
  static Enumeration get_enumeration_from_name(const Context& ctx, const ArraySchema& array_schema,
                                               const std::string& enumeration_name) {
    return Enumeration(ctx, detail::raw<tiledb_enumeration_t>(ctx, tiledb_array_schema_get_enumeration_from_name,
                                                              array_schema.ptr().get(), enumeration_name.c_str()));
  }

  /** The enumeration of an attribute. */
  static Enumeration get_enumeration_from_attribute_name(const Context& ctx, const ArraySchema& array_schema,
                                                         const std::string& attribute_name) {
    return Enumeration(ctx,
                       detail::raw<tiledb_enumeration_t>(ctx, tiledb_array_schema_get_enumeration_from_attribute_name,
                                                         array_schema.ptr().get(), attribute_name.c_str()));
  }

  /** Adds an enumeration, which attributes can then name. */
  static void add_enumeration(const Context& ctx, const ArraySchema& array_schema, const Enumeration& enmr) {
    detail::call(ctx, tiledb_array_schema_add_enumeration, array_schema.ptr().get(), enmr.ptr().get());
  }

 private:
  /** Where a tile extent lies that is given as a value of the dimension's type or as a pointer. */
  template <typename T>
  static const void* extent(tiledb_datatype_t type, const T& value) {
    if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
      return value;
    } else {
      impl::type_check<T>(type, 1);
      return &value;
    }
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_ARRAY_SCHEMA_EXPERIMENTAL_H
