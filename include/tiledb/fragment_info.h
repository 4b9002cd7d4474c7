/**
 * What is known of the fragments of an array: one for each write.
 */
#ifndef TILEDB_CPP_FRAGMENT_INFO_H
#define TILEDB_CPP_FRAGMENT_INFO_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "array_schema.h"
#include "context.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "tiledb_rs_next.h"

namespace tiledb {

/** The fragments of an array, by their indexes in the order of time. Copies share the handle. */
class FragmentInfo {
 public:
  /**
   * The fragments of an array; `load` reads about them.
   *
   * @throws std::runtime_error if the URI is wrong.
   */
  FragmentInfo(const Context& ctx, const std::string& array_uri) : handle_(ctx, alloc(ctx, array_uri)) {}

  /** Shares the handle. */
  FragmentInfo(const FragmentInfo&) = default;

  /** Takes the handle. */
  FragmentInfo(FragmentInfo&&) = default;

  /** Shares the handle. */
  FragmentInfo& operator=(const FragmentInfo&) = default;

  /** Takes the handle. */
  FragmentInfo& operator=(FragmentInfo&&) = default;

  /** Reads about the fragments, as they are now. */
  void load() const {
    handle_.call(tiledb_fragment_info_load);
  }

  /** Where a fragment lies. */
  std::string fragment_uri(uint32_t fid) const {
    return handle_.text(tiledb_fragment_info_get_fragment_uri, fid);
  }

  /** The name of a fragment: the last part of its URI. */
  std::string fragment_name(uint32_t fid) const {
    return handle_.string(tiledb_fragment_info_get_fragment_name_v2, fid);
  }

  /** The context. */
  const Context& context() const {
    return handle_.context();
  }

  /**
   * The lowest and highest coordinate of a fragment in a dimension by its index.
   *
   * @param fid The fragment.
   * @param did The dimension.
   * @param domain Two values of the dimension's type.
   */
  void get_non_empty_domain(uint32_t fid, uint32_t did, void* domain) const {
    handle_.call(tiledb_fragment_info_get_non_empty_domain_from_index, fid, did, domain);
  }

  /** The lowest and highest coordinate of a fragment in a dimension by its name. */
  void get_non_empty_domain(uint32_t fid, const std::string& dim_name, void* domain) const {
    handle_.call(tiledb_fragment_info_get_non_empty_domain_from_name, fid, dim_name.c_str(), domain);
  }

  /** The lowest and highest coordinate of a fragment in a dimension of strings by its index. */
  std::pair<std::string, std::string> non_empty_domain_var(uint32_t fid, uint32_t did) const {
    return handle_.range(tiledb_fragment_info_get_non_empty_domain_var_size_from_index,
                         tiledb_fragment_info_get_non_empty_domain_var_from_index, fid, did);
  }

  /** The lowest and highest coordinate of a fragment in a dimension of strings by its name. */
  std::pair<std::string, std::string> non_empty_domain_var(uint32_t fid, const std::string& dim_name) const {
    return handle_.range(tiledb_fragment_info_get_non_empty_domain_var_size_from_name,
                         tiledb_fragment_info_get_non_empty_domain_var_from_name, fid, dim_name.c_str());
  }

  /** How many minimum bounding rectangles a fragment has: one for each tile of a sparse one, none for a dense one. */
  uint64_t mbr_num(uint32_t fid) const {
    return handle_.get<uint64_t>(tiledb_fragment_info_get_mbr_num, fid);
  }

  /**
   * The extent of a minimum bounding rectangle in a dimension by its index.
   *
   * @param fid The fragment.
   * @param mid The rectangle.
   * @param did The dimension.
   * @param mbr Two values of the dimension's type.
   */
  void get_mbr(uint32_t fid, uint32_t mid, uint32_t did, void* mbr) const {
    handle_.call(tiledb_fragment_info_get_mbr_from_index, fid, mid, did, mbr);
  }

  /** The extent of a minimum bounding rectangle in a dimension by its name. */
  void get_mbr(uint32_t fid, uint32_t mid, const std::string& dim_name, void* mbr) const {
    handle_.call(tiledb_fragment_info_get_mbr_from_name, fid, mid, dim_name.c_str(), mbr);
  }

  /** The extent of a minimum bounding rectangle in a dimension of strings by its index. */
  std::pair<std::string, std::string> mbr_var(uint32_t fid, uint32_t mid, uint32_t did) const {
    return handle_.range(tiledb_fragment_info_get_mbr_var_size_from_index,
                         tiledb_fragment_info_get_mbr_var_from_index, fid, mid, did);
  }

  /** The extent of a minimum bounding rectangle in a dimension of strings by its name. */
  std::pair<std::string, std::string> mbr_var(uint32_t fid, uint32_t mid, const std::string& dim_name) const {
    return handle_.range(tiledb_fragment_info_get_mbr_var_size_from_name,
                         tiledb_fragment_info_get_mbr_var_from_name, fid, mid, dim_name.c_str());
  }

  /**
   * The coordinates of the first cell of a tile in global order: the bytes of one coordinate per dimension. A member of
   * libtiledb 2.31's interface; libtiledb 2.30 lacks the C function.
   *
   * @param fid The fragment, a sparse one.
   * @param mid The tile, which is that of the minimum bounding rectangle.
   * @throws TileDBError if the format version of the fragment is below 23: it does not contain these coordinates.
   */
  std::vector<std::vector<uint8_t>> global_order_lower_bound(uint32_t fid, uint32_t mid) const {
    return tile_bound(tiledb_fragment_info_get_global_order_lower_bound, fid, mid);
  }

  /** The coordinates of the last cell of a tile in global order, as `global_order_lower_bound`. */
  std::vector<std::vector<uint8_t>> global_order_upper_bound(uint32_t fid, uint32_t mid) const {
    return tile_bound(tiledb_fragment_info_get_global_order_upper_bound, fid, mid);
  }

  /** How many fragments there are. */
  uint32_t fragment_num() const {
    return handle_.get<uint32_t>(tiledb_fragment_info_get_fragment_num);
  }

  /** How many bytes the files of a fragment have. */
  uint64_t fragment_size(uint32_t fid) const {
    return handle_.get<uint64_t>(tiledb_fragment_info_get_fragment_size, fid);
  }

  /** Whether a fragment is dense. */
  bool dense(uint32_t fid) const {
    return handle_.get<int32_t>(tiledb_fragment_info_get_dense, fid) != 0;
  }

  /** Whether a fragment is sparse. */
  bool sparse(uint32_t fid) const {
    return handle_.get<int32_t>(tiledb_fragment_info_get_sparse, fid) != 0;
  }

  /** The first and last time of writing, in milliseconds since 1970; they differ in consolidated fragments. */
  std::pair<uint64_t, uint64_t> timestamp_range(uint32_t fid) const {
    std::pair<uint64_t, uint64_t> range;
    handle_.call(tiledb_fragment_info_get_timestamp_range, fid, &range.first, &range.second);
    return range;
  }

  /** How many cells a fragment has; a dense one counts whole tiles. */
  uint64_t cell_num(uint32_t fid) const {
    return handle_.get<uint64_t>(tiledb_fragment_info_get_cell_num, fid);
  }

  /** How many cells all fragments have together; a cell that was written twice counts twice. */
  uint64_t total_cell_num() const {
    return handle_.get<uint64_t>(tiledb_fragment_info_get_total_cell_num);
  }

  /** The format version of a fragment. */
  uint32_t version(uint32_t fid) const {
    return handle_.get<uint32_t>(tiledb_fragment_info_get_version, fid);
  }

  /** The schema that a fragment was written with. */
  ArraySchema array_schema(uint32_t fid) const {
    return ArraySchema(context(), handle_.raw<tiledb_array_schema_t>(tiledb_fragment_info_get_array_schema, fid));
  }

  /** The name of the schema that a fragment was written with. */
  std::string array_schema_name(uint32_t fid) const {
    return handle_.text(tiledb_fragment_info_get_array_schema_name, fid);
  }

  /** Whether what is known of a fragment was consolidated with that of others. */
  bool has_consolidated_metadata(uint32_t fid) const {
    return handle_.get<int32_t>(tiledb_fragment_info_has_consolidated_metadata, fid) != 0;
  }

  /** For how many fragments that is not so. */
  uint32_t unconsolidated_metadata_num() const {
    return handle_.get<uint32_t>(tiledb_fragment_info_get_unconsolidated_metadata_num);
  }

  /** How many fragments were consolidated and can be removed by `Array::vacuum`. */
  uint32_t to_vacuum_num() const {
    return handle_.get<uint32_t>(tiledb_fragment_info_get_to_vacuum_num);
  }

  /** Where a fragment lies that can be removed, by its index among these. */
  std::string to_vacuum_uri(uint32_t fid) const {
    return handle_.text(tiledb_fragment_info_get_to_vacuum_uri, fid);
  }

#ifndef TILEDB_REMOVE_DEPRECATIONS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  /** Prints all of it to a file, the standard output if there is none. Use `operator<<`. */
  TILEDB_DEPRECATED void dump(FILE* out = nullptr) const {
    handle_.call(tiledb_fragment_info_dump, out);
  }
#pragma GCC diagnostic pop
#endif

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_fragment_info_t> ptr() const {
    return handle_.ptr();
  }

 private:
  static tiledb_fragment_info_t* alloc(const Context& ctx, const std::string& uri) {
    tiledb_fragment_info_t* info = nullptr;
    if (tiledb_fragment_info_alloc(ctx.ptr().get(), uri.c_str(), &info) != TILEDB_OK)
      throw std::runtime_error("[TileDB::C++API] Error: Failed to create fragment info object: " +
                               ctx.get_last_error_message());
    return info;
  }

  /** Asks for the sizes of the coordinates first, then for the coordinates. */
  template <typename F>
  std::vector<std::vector<uint8_t>> tile_bound(F function, uint32_t fid, uint32_t mid) const {
    const unsigned dimension_num = array_schema(fid).domain().ndim();
    std::vector<std::size_t> sizes(dimension_num);
    std::vector<void*> buffers(dimension_num);
    handle_.call(function, fid, mid, sizes.data(), buffers.data());
    std::vector<std::vector<uint8_t>> bound(dimension_num);
    for (unsigned dimension = 0; dimension < dimension_num; ++dimension) {
      bound[dimension].resize(sizes[dimension]);
      buffers[dimension] = bound[dimension].data();
    }
    handle_.call(function, fid, mid, sizes.data(), buffers.data());
    return bound;
  }

  detail::Handle<tiledb_fragment_info_t> handle_;
};

/** Prints all that is known of the fragments. */
inline std::ostream& operator<<(std::ostream& os, const FragmentInfo& fi) {
  return os << detail::string(fi.context(), tiledb_fragment_info_dump_str, fi.ptr().get());
}

}  // namespace tiledb

#endif  // TILEDB_CPP_FRAGMENT_INFO_H
