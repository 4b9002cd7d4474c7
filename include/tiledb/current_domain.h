/**
 * Current domains: the part of a domain where cells can be for now.
 */
#ifndef TILEDB_CPP_CURRENT_DOMAIN_H
#define TILEDB_CPP_CURRENT_DOMAIN_H

#include <cstdint>
#include <memory>
#include <ostream>
#include <set>

#include "context.h"
#include "handle.h"
#include "ndrectangle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** The part of a domain where cells can be; the evolution of a schema can let it grow. Copies share it. */
class CurrentDomain {
 public:
  /** An empty current domain: cells can be in all of the domain. */
  explicit CurrentDomain(const Context& ctx) : handle_(Handle::make(ctx, tiledb_current_domain_create)) {}

  /** Takes a current domain of the C interface over. */
  CurrentDomain(const tiledb::Context& ctx, tiledb_current_domain_t* cd) : handle_(ctx, cd) {}

  /** Shares the current domain. */
  CurrentDomain(const CurrentDomain&) = default;

  /** Takes the current domain over. */
  CurrentDomain(CurrentDomain&&) = default;

  /** Shares the current domain. */
  CurrentDomain& operator=(const CurrentDomain&) = default;

  /** Takes the current domain over. */
  CurrentDomain& operator=(CurrentDomain&&) = default;

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_current_domain_t> ptr() const {
    return handle_.ptr();
  }

  /**
   * What describes it: a rectangle.
   *
   * @throws TileDBError if it is empty.
   */
  tiledb_current_domain_type_t type() const {
    return handle_.get<tiledb_current_domain_type_t>(tiledb_current_domain_get_type);
  }

  /** Makes it this rectangle. */
  CurrentDomain& set_ndrectangle(const NDRectangle& ndrect) {
    handle_.call(tiledb_current_domain_set_ndrectangle, ndrect.ptr().get());
    return *this;
  }

  /**
   * The rectangle.
   *
   * @throws TileDBError if it is empty.
   */
  NDRectangle ndrectangle() const {
    return NDRectangle(context(), handle_.raw<tiledb_ndrectangle_t>(tiledb_current_domain_get_ndrectangle));
  }

  /** Whether it was never set, so that cells can be in all of the domain. */
  bool is_empty() const {
    return handle_.get<uint32_t>(tiledb_current_domain_get_is_empty) != 0;
  }

  /** The context. */
  const Context& context() const {
    return handle_.context();
  }

 private:
  using Handle = detail::Handle<tiledb_current_domain_t>;
  Handle handle_;
};

/** Prints the ranges. */
inline std::ostream& operator<<(std::ostream& os, const CurrentDomain& cd) {
  return os << detail::string(cd.context(), tiledb_current_domain_dump_str, cd.ptr().get());
}

}  // namespace tiledb

#endif  // TILEDB_CPP_CURRENT_DOMAIN_H
