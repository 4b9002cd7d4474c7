/**
 * Dimensions: what the coordinates of cells mean.
 */
#ifndef TILEDB_CPP_DIMENSION_H
#define TILEDB_CPP_DIMENSION_H

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "context.h"
#include "exception.h"
#include "filter_list.h"
#include "handle.h"
#include "object.h"
#include "tiledb.h"
#include "type.h"

namespace tiledb {

namespace detail {

/**
 * Calls `with` with a value of the type in which values of a datatype of one number are read: whole numbers for dates
 * and times too. Does nothing for all other datatypes.
 */
template <typename With>
void with_number_type(tiledb_datatype_t type, With with) {
  if (impl::tiledb_datetime_type(type) || impl::tiledb_time_type(type))
    return with(int64_t{});
  switch (type) {
    case TILEDB_INT8:
      return with(int8_t{});
    case TILEDB_UINT8:
      return with(uint8_t{});
    case TILEDB_INT16:
      return with(int16_t{});
    case TILEDB_UINT16:
      return with(uint16_t{});
    case TILEDB_INT32:
      return with(int32_t{});
    case TILEDB_UINT32:
      return with(uint32_t{});
    case TILEDB_INT64:
      return with(int64_t{});
    case TILEDB_UINT64:
      return with(uint64_t{});
    case TILEDB_FLOAT32:
      return with(float{});
    case TILEDB_FLOAT64:
      return with(double{});
    default:
      return;
  }
}

/** The `T` that lies at a place among others, wherever in memory that is. */
template <typename T>
T value_at(const void* values, size_t index) {
  T value{};
  std::memcpy(static_cast<void*>(&value), static_cast<const char*>(values) + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace detail

/** A dimension of a domain: a name, a datatype, a range of coordinates, a tile extent. Copies share the dimension. */
class Dimension {
 public:
  /** Takes a dimension of the C interface over. */
  Dimension(const Context& ctx, tiledb_dimension_t* dim) : handle_(ctx, dim) {}

  /** Shares the dimension. */
  Dimension(const Dimension&) = default;

  /** Takes the dimension over. */
  Dimension(Dimension&&) = default;

  /** Shares the dimension. */
  Dimension& operator=(const Dimension&) = default;

  /** Takes the dimension over. */
  Dimension& operator=(Dimension&&) = default;

  /** How many values a coordinate has: 1, or `TILEDB_VAR_NUM` for strings. */
  unsigned cell_val_num() const {
    return handle_.get<uint32_t>(tiledb_dimension_get_cell_val_num);
  }

  /** Sets how many values a coordinate has, which can only be what its datatype demands. */
  Dimension& set_cell_val_num(unsigned num) {
    handle_.call(tiledb_dimension_set_cell_val_num, static_cast<uint32_t>(num));
    return *this;
  }

  /** A copy of the filters of the coordinates. */
  FilterList filter_list() const {
    return FilterList(handle_.context(), handle_.raw<tiledb_filter_list_t>(tiledb_dimension_get_filter_list));
  }

  /** Sets the filters of the coordinates. */
  Dimension& set_filter_list(const FilterList& filter_list) {
    handle_.call(tiledb_dimension_set_filter_list, filter_list.ptr().get());
    return *this;
  }

  /** The name. */
  const std::string name() const {
    return handle_.text(tiledb_dimension_get_name);
  }

  /** The datatype of the coordinates. */
  tiledb_datatype_t type() const {
    return handle_.get<tiledb_datatype_t>(tiledb_dimension_get_type);
  }

  /**
   * The least and the greatest coordinate.
   *
   * @tparam T The type of the coordinates; `int64_t` for dates and times.
   * @throws TypeError if it is another one.
   * @throws TileDBError if there are none: strings have no least and greatest coordinate.
   */
  template <typename T>
  std::pair<T, T> domain() const {
    impl::type_check<T>(type(), 1);
    const auto* domain = handle_.get<const void*>(tiledb_dimension_get_domain);
    if (domain == nullptr)
      throw TileDBError("[TileDB::C++API::Dimension] Dimension '" + name() + "' has no domain");
    return {detail::value_at<T>(domain, 0), detail::value_at<T>(domain, 1)};
  }

  /** The least and the greatest coordinate as `[1,4]`; empty for strings. */
  std::string domain_to_str() const {
    const auto* domain = handle_.get<const void*>(tiledb_dimension_get_domain);
    std::ostringstream text;
    if (domain != nullptr)
      detail::with_number_type(type(), [&](auto type) {
        using T = decltype(type);
        text << '[' << +detail::value_at<T>(domain, 0) << ',' << +detail::value_at<T>(domain, 1) << ']';
      });
    return text.str();
  }

  /**
   * How many coordinates a tile spans; 0 if there is no tile extent.
   *
   * @tparam T The type of the coordinates; `int64_t` for dates and times.
   * @throws TypeError if it is another one.
   */
  template <typename T>
  T tile_extent() const {
    impl::type_check<T>(type(), 1);
    const auto* extent = handle_.get<const void*>(tiledb_dimension_get_tile_extent);
    return extent == nullptr ? T{} : detail::value_at<T>(extent, 0);
  }

  /** How many coordinates a tile spans, as text; `null` if there is no tile extent. */
  std::string tile_extent_to_str() const {
    const auto* extent = handle_.get<const void*>(tiledb_dimension_get_tile_extent);
    if (extent == nullptr)
      return "null";
    std::ostringstream text;
    detail::with_number_type(type(), [&](auto type) { text << +detail::value_at<decltype(type)>(extent, 0); });
    return text.str();
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_dimension_t> ptr() const {
    return handle_.ptr();
  }

#ifdef TILEDB_RS_REMOVED_API
  /** Prints the dimension to a stream; libtiledb removed it in 2.30, `operator<<` replaces it. */
  TILEDB_DEPRECATED void dump(FILE* out = stdout) const {
    detail::print(out, handle_.string(tiledb_dimension_dump_str));
  }
#endif

  /** A dimension with a tile extent, which a dense array needs. */
  template <typename T>
  static Dimension create(const Context& ctx, const std::string& name, const std::array<T, 2>& domain, T extent) {
    static_assert(impl::TypeHandler<T>::tiledb_num == 1, "A coordinate is one value of a datatype.");
    return create(ctx, name, impl::TypeHandler<T>::tiledb_type, domain.data(), &extent);
  }

  /** A dimension without tile extent, for sparse arrays. */
  template <typename T>
  static Dimension create(const Context& ctx, const std::string& name, const std::array<T, 2>& domain) {
    static_assert(impl::TypeHandler<T>::tiledb_num == 1, "A coordinate is one value of a datatype.");
    return create(ctx, name, impl::TypeHandler<T>::tiledb_type, domain.data(), nullptr);
  }

  /**
   * A dimension of any datatype.
   *
   * @param ctx The context.
   * @param name The name.
   * @param datatype The datatype of the coordinates.
   * @param domain The least and the greatest coordinate, in the datatype's representation; null for strings.
   * @param extent The tile extent; null for none.
   */
  static Dimension create(const Context& ctx, const std::string& name, tiledb_datatype_t datatype, const void* domain,
                          const void* extent) {
    return Dimension(
        ctx, detail::raw<tiledb_dimension_t>(ctx, tiledb_dimension_alloc, name.c_str(), datatype, domain, extent));
  }

 private:
  using Handle = detail::Handle<tiledb_dimension_t>;

  Handle handle_;
};

/** Prints name, domain and tile extent, as `DIM<rows [1,4] 2>`. */
inline std::ostream& operator<<(std::ostream& os, const Dimension& dim) {
  return os << "DIM<" << dim.name() << ' ' << dim.domain_to_str() << ' ' << dim.tile_extent_to_str() << '>';
}

}  // namespace tiledb

#endif  // TILEDB_CPP_DIMENSION_H
