/**
 * Domains: the dimensions of a schema, in order.
 */
#ifndef TILEDB_CPP_DOMAIN_H
#define TILEDB_CPP_DOMAIN_H

#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "context.h"
#include "dimension.h"
#include "exception.h"
#include "handle.h"
#include "tiledb.h"

namespace tiledb {

/** The dimensions of a schema. Copies share the domain. */
class Domain {
 public:
  /** A domain without dimensions. */
  explicit Domain(const Context& ctx) : handle_(Handle::make(ctx, tiledb_domain_alloc)) {}

  /** Takes a domain of the C interface over. */
  Domain(const Context& ctx, tiledb_domain_t* domain) : handle_(ctx, domain) {}

  /** Shares the domain. */
  Domain(const Domain&) = default;

  /** Takes the domain over. */
  Domain(Domain&&) = default;

  /** Shares the domain. */
  Domain& operator=(const Domain&) = default;

  /** Takes the domain over. */
  Domain& operator=(Domain&&) = default;

  /** The context. */
  const Context& context() const {
    return handle_.context();
  }

  /**
   * How many cells the domain has room for; the greatest `uint64_t` if there are more.
   *
   * @throws TileDBError unless all dimensions have the same datatype, and that of whole numbers.
   */
  uint64_t cell_num() const {
    const tiledb_datatype_t type = this->type();
    if (type == TILEDB_FLOAT32 || type == TILEDB_FLOAT64)
      throw TileDBError("[TileDB::C++API::Domain] Cannot compute number of cells for a non-integer domain");
    uint64_t cells = 0;
    if (!impl::tiledb_datetime_type(type) && !impl::tiledb_time_type(type))
      detail::with_number_type(type, [&](auto number) { cells = cells_of<decltype(number)>(); });
    if (cells == 0)
      throw TileDBError("[TileDB::C++API::Domain] Cannot compute number of cells; Unknown domain type");
    return cells;
  }

  /**
   * The datatype of all dimensions.
   *
   * @throws TileDBError if they have different ones.
   */
  tiledb_datatype_t type() const {
    return handle_.get<tiledb_datatype_t>(tiledb_domain_get_type);
  }

  /** How many dimensions there are. */
  unsigned ndim() const {
    return handle_.get<uint32_t>(tiledb_domain_get_ndim);
  }

  /** All dimensions. */
  std::vector<Dimension> dimensions() const {
    std::vector<Dimension> dimensions;
    const unsigned ndim = this->ndim();
    for (unsigned i = 0; i < ndim; i++)
      dimensions.push_back(dimension(i));
    return dimensions;
  }

  /** The dimension at a place, counted from 0. */
  Dimension dimension(unsigned idx) const {
    return Dimension(context(), handle_.raw<tiledb_dimension_t>(tiledb_domain_get_dimension_from_index, idx));
  }

  /** The dimension of this name. */
  Dimension dimension(const std::string& name) const {
    return Dimension(context(), handle_.raw<tiledb_dimension_t>(tiledb_domain_get_dimension_from_name, name.c_str()));
  }

  /** Adds a dimension behind the others. */
  Domain& add_dimension(const Dimension& d) {
    handle_.call(tiledb_domain_add_dimension, d.ptr().get());
    return *this;
  }

  /** Adds dimensions, one behind the other. */
  template <typename... Args>
  Domain& add_dimensions(Args... dims) {
    (add_dimension(dims), ...);
    return *this;
  }

  /** Whether there is a dimension of this name. */
  bool has_dimension(const std::string& name) const {
    return handle_.get<int32_t>(tiledb_domain_has_dimension, name.c_str()) != 0;
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_domain_t> ptr() const {
    return handle_.ptr();
  }

#ifdef TILEDB_RS_REMOVED_API
  /** Prints the domain to a stream; libtiledb removed it in 2.30, `operator<<` replaces it. */
  TILEDB_DEPRECATED void dump(FILE* out = stdout) const {
    detail::print(out, handle_.string(tiledb_domain_dump_str));
  }
#endif

 private:
  using Handle = detail::Handle<tiledb_domain_t>;

  /** The number of cells where coordinates are of type `T`. */
  template <typename T>
  uint64_t cells_of() const {
    constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
    uint64_t cells = 1;
    if constexpr (std::is_integral_v<T>)
      for (const Dimension& dimension : dimensions()) {
        const auto [low, high] = dimension.domain<T>();
        // The least coordinate may be negative: the difference is right modulo 2^64.
        const uint64_t more = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
        cells = more == most || cells > most / (more + 1) ? most : cells * (more + 1);
      }
    return cells;
  }

  Handle handle_;
};

/** Prints all dimensions. */
inline std::ostream& operator<<(std::ostream& os, const Domain& dom) {
  return os << detail::string(dom.context(), tiledb_domain_dump_str, dom.ptr().get());
}

}  // namespace tiledb

#endif  // TILEDB_CPP_DOMAIN_H
