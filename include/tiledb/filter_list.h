/**
 * Filter lists: the filters of a field, in order.
 */
#ifndef TILEDB_CPP_FILTER_LIST_H
#define TILEDB_CPP_FILTER_LIST_H

#include <cstdint>
#include <memory>
#include <ostream>

#include "context.h"
#include "filter.h"
#include "handle.h"
#include "tiledb.h"

namespace tiledb {

/** The filters that cells go through, first to last when they are written. Copies share the list. */
class FilterList {
 public:
  /** A list without filters. */
  FilterList(const Context& ctx) : handle_(Handle::make(ctx, tiledb_filter_list_alloc)) {}

  /** Takes a filter list of the C interface over. */
  FilterList(const Context& ctx, tiledb_filter_list_t* filter_list) : handle_(ctx, filter_list) {}

  /** A list needs a context. */
  FilterList() = delete;

  /** Shares the list. */
  FilterList(const FilterList&) = default;

  /** Takes the list over. */
  FilterList(FilterList&&) = default;

  /** Shares the list. */
  FilterList& operator=(const FilterList&) = default;

  /** Takes the list over. */
  FilterList& operator=(FilterList&&) = default;

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_filter_list_t> ptr() const {
    return handle_.ptr();
  }

  /** Adds a filter at the end. */
  FilterList& add_filter(const Filter& filter) {
    handle_.call(tiledb_filter_list_add_filter, filter.ptr().get());
    return *this;
  }

  /** The filter at a place, counted from 0. */
  Filter filter(uint32_t filter_index) const {
    return Filter(
        handle_.context(), handle_.raw<tiledb_filter_t>(tiledb_filter_list_get_filter_from_index, filter_index));
  }

  /** Into chunks of how many bytes at most a tile is divided before it is filtered. */
  uint32_t max_chunk_size() const {
    return handle_.get<uint32_t>(tiledb_filter_list_get_max_chunk_size);
  }

  /** How many filters there are. */
  uint32_t nfilters() const {
    return handle_.get<uint32_t>(tiledb_filter_list_get_nfilters);
  }

  /** Sets how many bytes a chunk has at most. */
  FilterList& set_max_chunk_size(uint32_t max_chunk_size) {
    handle_.call(tiledb_filter_list_set_max_chunk_size, max_chunk_size);
    return *this;
  }

 private:
  using Handle = detail::Handle<tiledb_filter_list_t>;
  Handle handle_;
};

/** Prints the filters of a list, as `FilterList<Filter<DELTA>, Filter<ZSTD>>`. */
inline std::ostream& operator<<(std::ostream& os, const FilterList& f) {
  os << "FilterList<";
  for (uint32_t i = 0; i < f.nfilters(); i++)
    os << (i == 0 ? "" : ", ") << f.filter(i);
  return os << '>';
}

}  // namespace tiledb

#endif  // TILEDB_CPP_FILTER_LIST_H
