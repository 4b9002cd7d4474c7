/**
 * Dimension labels: other names for the coordinates of a dimension.
 */
#ifndef TILEDB_CPP_DIMENSION_LABEL_EXPERIMENTAL_H
#define TILEDB_CPP_DIMENSION_LABEL_EXPERIMENTAL_H

#include <cstdint>
#include <memory>
#include <string>

#include "context.h"
#include "handle.h"
#include "object.h"
#include "tiledb.h"
#include "tiledb_dimension_label_experimental.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** A label of a dimension, as a schema has it: an own array maps its values to coordinates. Copies share it. */
class DimensionLabel {
 public:
  /** Takes a dimension label of the C interface over. */
  DimensionLabel(const Context& ctx, tiledb_dimension_label_t* dim_label) : handle_(ctx, dim_label) {}

  /** Shares the label. */
  DimensionLabel(const DimensionLabel&) = default;

  /** Takes the label over. */
  DimensionLabel(DimensionLabel&&) = default;

  /** Shares the label. */
  DimensionLabel& operator=(const DimensionLabel&) = default;

  /** Takes the label over. */
  DimensionLabel& operator=(DimensionLabel&&) = default;

  /** The place of the dimension, counted from 0. */
  uint32_t dimension_index() const {
    return handle_.get<uint32_t>(tiledb_dimension_label_get_dimension_index);
  }

  /** The attribute of the label's array that holds its values. */
  std::string label_attr_name() const {
    return handle_.text(tiledb_dimension_label_get_label_attr_name);
  }

  /** How many values of the datatype make a label; `TILEDB_VAR_NUM` if that varies. */
  uint32_t label_cell_val_num() const {
    return handle_.get<uint32_t>(tiledb_dimension_label_get_label_cell_val_num);
  }

  /** Whether the labels increase or decrease with the coordinates. */
  tiledb_data_order_t label_order() const {
    return handle_.get<tiledb_data_order_t>(tiledb_dimension_label_get_label_order);
  }

  /** The datatype of the labels. */
  tiledb_datatype_t label_type() const {
    return handle_.get<tiledb_datatype_t>(tiledb_dimension_label_get_label_type);
  }

  /** The name. */
  std::string name() const {
    return handle_.text(tiledb_dimension_label_get_name);
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_dimension_label_t> ptr() const {
    return handle_.ptr();
  }

  /** The URI of the label's array, relative to the array it belongs to if that is known. */
  std::string uri() const {
    return handle_.text(tiledb_dimension_label_get_uri);
  }

 private:
  using Handle = detail::Handle<tiledb_dimension_label_t>;
  Handle handle_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_DIMENSION_LABEL_EXPERIMENTAL_H
