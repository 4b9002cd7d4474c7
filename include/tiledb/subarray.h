/**
 * Subarrays: the part of an array that a query reads or writes.
 */
#ifndef TILEDB_CPP_SUBARRAY_H
#define TILEDB_CPP_SUBARRAY_H

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "array.h"
#include "array_schema.h"
#include "config.h"
#include "context.h"
#include "exception.h"
#include "handle.h"
#include "tiledb.h"

namespace tiledb {

/** Ranges of coordinates for each dimension of an array. Copies share the handle; the array must outlive them. */
class Subarray {
 public:
  /**
   * The whole array.
   *
   * @param ctx The context.
   * @param array The array, which is open.
   * @param coalesce_ranges Whether a range that begins where the last one ends extends it.
   */
  Subarray(const tiledb::Context& ctx, const tiledb::Array& array, bool coalesce_ranges = true)
      : array_(array), schema_(array.schema()), handle_(Handle::make(ctx, tiledb_subarray_alloc, array.ptr().get())) {
    set_coalesce_ranges(coalesce_ranges);
  }

  /** Says whether a range that begins where the last one ends extends it. */
  Subarray& set_coalesce_ranges(bool coalesce_ranges) {
    handle_.call(tiledb_subarray_set_coalesce_ranges, coalesce_ranges ? 1 : 0);
    return *this;
  }

  /** Takes over a subarray of the C interface for its own. */
  Subarray& replace_subarray_data(tiledb_subarray_t* capi_subarray) {
    handle_ = Handle(handle_.context(), capi_subarray);
    return *this;
  }

  /**
   * Adds a range to a dimension by its index.
   *
   * @tparam T The type of the dimension; texts for a dimension of strings.
   * @param dim_idx The dimension.
   * @param start The lowest coordinate.
   * @param end The highest coordinate, which is included.
   * @param stride 0: steps are not supported.
   * @throws TypeError if the dimension has another type.
   */
  template <class T>
  Subarray& add_range(uint32_t dim_idx, T start, T end, T stride = 0) {
    if constexpr (std::is_convertible_v<T, std::string>) {
      return add_range(dim_idx, std::string(start), std::string(end));
    } else {
      impl::type_check<T>(schema_.domain().dimension(dim_idx).type());
      handle_.call(tiledb_subarray_add_range, dim_idx, &start, &end, step(stride));
      return *this;
    }
  }

  /** Adds a range to a dimension by its name. */
  template <class T>
  Subarray& add_range(const std::string& dim_name, T start, T end, T stride = 0) {
    if constexpr (std::is_convertible_v<T, std::string>) {
      return add_range(dim_name, std::string(start), std::string(end));
    } else {
      impl::type_check<T>(schema_.domain().dimension(dim_name).type());
      handle_.call(tiledb_subarray_add_range_by_name, dim_name.c_str(), &start, &end, step(stride));
      return *this;
    }
  }

  /** Adds a range to a dimension of strings by its index. */
  Subarray& add_range(uint32_t dim_idx, const std::string& start, const std::string& end) {
    impl::type_check<char>(schema_.domain().dimension(dim_idx).type());
    handle_.call(tiledb_subarray_add_range_var, dim_idx, start.data(), start.size(), end.data(), end.size());
    return *this;
  }

  /** Adds a range to a dimension of strings by its name. */
  Subarray& add_range(const std::string& dim_name, const std::string& start, const std::string& end) {
    impl::type_check<char>(schema_.domain().dimension(dim_name).type());
    handle_.call(tiledb_subarray_add_range_var_by_name, dim_name.c_str(), start.data(), start.size(), end.data(),
                 end.size());
    return *this;
  }

  /**
   * Sets one range for every dimension.
   *
   * @tparam T The type of all dimensions.
   * @param pairs The lowest and highest coordinate of each dimension.
   * @param size How many numbers these are: twice as many as there are dimensions.
   * @throws SchemaMismatch if there are more or fewer.
   */
  template <typename T = uint64_t>
  Subarray& set_subarray(const T* pairs, uint64_t size) {
    const Domain domain = schema_.domain();
    impl::type_check<T>(domain.type());
    if (size != uint64_t{2} * domain.ndim())
      throw SchemaMismatch("Subarray should have num_dims * 2 values: (low, high) for each dimension.");
    handle_.call(tiledb_subarray_set_subarray, pairs);
    return *this;
  }

  /** Sets the configuration. */
  Subarray& set_config(const Config& config) {
    handle_.call(tiledb_subarray_set_config, config.ptr().get());
    return *this;
  }

  /** Sets one range for every dimension, as lowest and highest coordinates in turn. */
  template <typename Vec>
  Subarray& set_subarray(const Vec& pairs) {
    return set_subarray(pairs.data(), static_cast<uint64_t>(pairs.size()));
  }

  /** Sets one range for every dimension, as lowest and highest coordinates in turn. */
  template <typename T = uint64_t>
  Subarray& set_subarray(const std::initializer_list<T>& l) {
    return set_subarray(l.begin(), static_cast<uint64_t>(l.size()));
  }

  /** Sets one range for every dimension, as pairs. */
  template <typename T = uint64_t>
  Subarray& set_subarray(const std::vector<std::array<T, 2>>& pairs) {
    std::vector<T> flat;
    for (const auto& pair : pairs)
      flat.insert(flat.end(), pair.begin(), pair.end());
    return set_subarray(flat.data(), static_cast<uint64_t>(flat.size()));
  }

  /** How many ranges a dimension has, by its index. */
  uint64_t range_num(unsigned dim_idx) const {
    return handle_.get<uint64_t>(tiledb_subarray_get_range_num, dim_idx);
  }

  /** How many ranges a dimension has, by its name. */
  uint64_t range_num(const std::string& dim_name) const {
    return handle_.get<uint64_t>(tiledb_subarray_get_range_num_from_name, dim_name.c_str());
  }

  /** A range of a dimension by its index: lowest and highest coordinate, and 0. */
  template <class T>
  std::array<T, 3> range(unsigned dim_idx, uint64_t range_idx) {
    impl::type_check<T>(schema_.domain().dimension(dim_idx).type());
    return fixed_range<T>(tiledb_subarray_get_range, dim_idx, range_idx);
  }

  /** A range of a dimension by its name: lowest and highest coordinate, and 0. */
  template <class T>
  std::array<T, 3> range(const std::string& dim_name, uint64_t range_idx) {
    impl::type_check<T>(schema_.domain().dimension(dim_name).type());
    return fixed_range<T>(tiledb_subarray_get_range_from_name, dim_name.c_str(), range_idx);
  }

  /** A range of a dimension of strings by its index: lowest and highest. */
  std::array<std::string, 2> range(unsigned dim_idx, uint64_t range_idx) {
    impl::type_check<char>(schema_.domain().dimension(dim_idx).type());
    return string_range(tiledb_subarray_get_range_var_size, tiledb_subarray_get_range_var, dim_idx, range_idx);
  }

  /** A range of a dimension of strings by its name: lowest and highest. */
  std::array<std::string, 2> range(const std::string& dim_name, uint64_t range_idx) {
    impl::type_check<char>(schema_.domain().dimension(dim_name).type());
    return string_range(tiledb_subarray_get_range_var_size_from_name, tiledb_subarray_get_range_var_from_name,
                        dim_name.c_str(), range_idx);
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_subarray_t> ptr() const {
    return handle_.ptr();
  }

  /** The array it is a part of. */
  const Array& array() const {
    return array_.get();
  }

 private:
  friend class SubarrayExperimental;

  using Handle = detail::Handle<tiledb_subarray_t>;

  /** A stride as the C interface takes it, where none is null. */
  template <typename T>
  static const void* step(const T& stride) {
    return stride == T(0) ? nullptr : &stride;
  }

  template <typename T, typename F, typename D>
  std::array<T, 3> fixed_range(F function, D dimension, uint64_t index) const {
    const void *start = nullptr, *end = nullptr, *stride = nullptr;
    handle_.call(function, dimension, index, &start, &end, &stride);
    return {value<T>(start), value<T>(end), value<T>(stride)};
  }

  template <typename T>
  static T value(const void* from) {
    return from == nullptr ? T(0) : *static_cast<const T*>(from);
  }

  template <typename F, typename G, typename D>
  std::array<std::string, 2> string_range(F sizes, G strings, D dimension, uint64_t index) const {
    auto range = handle_.range(sizes, strings, dimension, index);
    return {std::move(range.first), std::move(range.second)};
  }

  std::reference_wrapper<const Array> array_;
  ArraySchema schema_;
  Handle handle_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_SUBARRAY_H
