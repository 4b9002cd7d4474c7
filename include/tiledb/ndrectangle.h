/**
 * Rectangles: a range of coordinates in every dimension.
 */
#ifndef TILEDB_CPP_NDRECTANGLE_H
#define TILEDB_CPP_NDRECTANGLE_H

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>

#include "context.h"
#include "domain.h"
#include "exception.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** A range of coordinates in every dimension of a domain, both ends included. Copies share the rectangle. */
class NDRectangle {
 public:
  /** A rectangle without ranges over the dimensions of a domain. */
  explicit NDRectangle(const tiledb::Context& ctx, const tiledb::Domain& domain)
      : handle_(Handle::make(ctx, tiledb_ndrectangle_alloc, domain.ptr().get())) {}

  /** Takes a rectangle of the C interface over. */
  NDRectangle(const tiledb::Context& ctx, tiledb_ndrectangle_t* ndrect) : handle_(ctx, ndrect) {}

  /** Shares the rectangle. */
  NDRectangle(const NDRectangle&) = default;

  /** Takes the rectangle over. */
  NDRectangle(NDRectangle&&) = default;

  /** Shares the rectangle. */
  NDRectangle& operator=(const NDRectangle&) = default;

  /** Takes the rectangle over. */
  NDRectangle& operator=(NDRectangle&&) = default;

  /** Sets the range of the dimension of this name. The ends have the dimension's type. */
  template <class T, std::enable_if_t<std::is_integral_v<T> || std::is_floating_point_v<T>, bool> = true>
  NDRectangle& set_range(const std::string& dim_name, T start, T end) {
    return set(tiledb_ndrectangle_set_range_for_name, dim_name.c_str(), &start, sizeof(T), &end, sizeof(T));
  }

  /** Sets the range of a dimension, counted from 0. The ends have the dimension's type. */
  template <class T, std::enable_if_t<std::is_integral_v<T> || std::is_floating_point_v<T>, bool> = true>
  NDRectangle& set_range(uint32_t dim_idx, T start, T end) {
    return set(tiledb_ndrectangle_set_range, dim_idx, &start, sizeof(T), &end, sizeof(T));
  }

  /** Sets the range of a dimension of strings, counted from 0. */
  NDRectangle& set_range(uint32_t dim_idx, const std::string& start, const std::string& end) {
    return set(tiledb_ndrectangle_set_range, dim_idx, start.data(), start.size(), end.data(), end.size());
  }

  /** Sets the range of the dimension of strings of this name. */
  NDRectangle& set_range(const std::string& dim_name, const std::string& start, const std::string& end) {
    return set(tiledb_ndrectangle_set_range_for_name, dim_name.c_str(), start.data(), start.size(), end.data(),
               end.size());
  }

  /**
   * The range of the dimension of this name.
   *
   * @tparam T The dimension's type, `std::string` for strings.
   * @throws TileDBError if the ends have another size, or no range was set.
   */
  template <class T>
  std::array<T, 2> range(const std::string& dim_name) {
    return ends<T>(handle_.get<tiledb_range_t>(tiledb_ndrectangle_get_range_from_name, dim_name.c_str()));
  }

  /** The range of a dimension, counted from 0, with the same rules. */
  template <class T>
  std::array<T, 2> range(unsigned dim_idx) {
    return ends<T>(handle_.get<tiledb_range_t>(tiledb_ndrectangle_get_range, dim_idx));
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_ndrectangle_t> ptr() const {
    return handle_.ptr();
  }

  /** The datatype of a dimension, counted from 0. */
  tiledb_datatype_t range_dtype(unsigned dim_idx) {
    return handle_.get<tiledb_datatype_t>(tiledb_ndrectangle_get_dtype, dim_idx);
  }

  /** The datatype of the dimension of this name. */
  tiledb_datatype_t range_dtype(const std::string& dim_name) {
    return handle_.get<tiledb_datatype_t>(tiledb_ndrectangle_get_dtype_from_name, dim_name.c_str());
  }

  /** How many dimensions there are. */
  uint32_t dim_num() {
    return handle_.get<uint32_t>(tiledb_ndrectangle_get_dim_num);
  }

  /** The context. */
  const Context& context() const {
    return handle_.context();
  }

 private:
  using Handle = detail::Handle<tiledb_ndrectangle_t>;

  /** Sets the range of a dimension from the bytes of its ends. */
  template <typename F, typename Dim>
  NDRectangle& set(F function, Dim dim, const void* min, uint64_t min_size, const void* max, uint64_t max_size) {
    tiledb_range_t range{min, min_size, max, max_size};
    handle_.call(function, dim, &range);
    return *this;
  }

  /** The ends of a range as values. */
  template <typename T>
  static std::array<T, 2> ends(const tiledb_range_t& range) {
    static_assert(std::is_trivially_copyable_v<T>, "Coordinates are numbers or std::string.");
    if (range.min == nullptr || range.max == nullptr || range.min_size != sizeof(T) || range.max_size != sizeof(T))
      throw TileDBError("[TileDB::C++API::NDRectangle] The ends of the range have " + std::to_string(range.min_size) +
                        " and " + std::to_string(range.max_size) + " bytes, not " + std::to_string(sizeof(T)));
    std::array<T, 2> values{};
    std::memcpy(&values[0], range.min, sizeof(T));
    std::memcpy(&values[1], range.max, sizeof(T));
    return values;
  }

  /** The ends of a range as strings. */
  static std::array<std::string, 2> strings(const tiledb_range_t& range) {
    const auto text = [](const void* data, uint64_t size) {
      return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), static_cast<size_t>(size));
    };
    return {text(range.min, range.min_size), text(range.max, range.max_size)};
  }

  Handle handle_;
};

/** The range of the dimension of strings of this name. */
template <>
inline std::array<std::string, 2> NDRectangle::range<std::string>(const std::string& dim_name) {
  return strings(handle_.get<tiledb_range_t>(tiledb_ndrectangle_get_range_from_name, dim_name.c_str()));
}

/** The range of a dimension of strings, counted from 0. */
template <>
inline std::array<std::string, 2> NDRectangle::range(unsigned dim_idx) {
  return strings(handle_.get<tiledb_range_t>(tiledb_ndrectangle_get_range, dim_idx));
}

/** Prints the ranges. */
inline std::ostream& operator<<(std::ostream& os, const NDRectangle& ndr) {
  return os << detail::string(ndr.context(), tiledb_ndrectangle_dump_str, ndr.ptr().get());
}

}  // namespace tiledb

#endif  // TILEDB_CPP_NDRECTANGLE_H
