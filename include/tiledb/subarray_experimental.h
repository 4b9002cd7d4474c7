/**
 * Subarrays by the labels of dimensions, and their division into parts.
 */
#ifndef TILEDB_CPP_SUBARRAY_EXPERIMENTAL_H
#define TILEDB_CPP_SUBARRAY_EXPERIMENTAL_H

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "array.h"
#include "array_schema_experimental.h"
#include "context.h"
#include "dimension_label_experimental.h"
#include "handle.h"
#include "query_condition.h"
#include "subarray.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "tiledb_rs.h"
#include "type.h"

namespace tiledb {

/** What subarrays can do that is not yet stable in the C interface. */
class SubarrayExperimental {
 public:
  /**
   * Adds a range of labels in place of one of coordinates.
   *
   * @tparam T The type of the label; texts for a label of strings.
   * @param ctx The context.
   * @param subarray The subarray.
   * @param label_name The dimension label.
   * @param start The first label.
   * @param end The last label, which is included.
   * @param stride 0: steps are not supported.
   * @throws TypeError if the label has another type.
   */
  template <class T>
  static void add_label_range(const Context& ctx, Subarray& subarray, const std::string& label_name, T start, T end,
                              T stride = 0) {
    if constexpr (std::is_convertible_v<T, std::string>) {
      add_label_range(ctx, subarray, label_name, std::string(start), std::string(end));
    } else {
      check<T>(ctx, subarray, label_name);
      detail::call(ctx, tiledb_subarray_add_label_range, subarray.ptr().get(), label_name.c_str(), &start, &end,
                   Subarray::step(stride));
    }
  }

  /** Adds a range of labels that are strings. */
  static void add_label_range(const Context& ctx, Subarray& subarray, const std::string& label_name,
                              const std::string& start, const std::string& end) {
    check<char>(ctx, subarray, label_name);
    detail::call(ctx, tiledb_subarray_add_label_range_var, subarray.ptr().get(), label_name.c_str(), start.data(),
                 start.size(), end.data(), end.size());
  }

  /** How many ranges of a label there are. */
  static uint64_t label_range_num(const Context& ctx, Subarray& subarray, const std::string& label_name) {
    return detail::get<uint64_t>(ctx, tiledb_subarray_get_label_range_num, subarray.ptr().get(), label_name.c_str());
  }

  /** A range of labels: first and last label, and 0. */
  template <class T>
  static std::array<T, 3> label_range(const Context& ctx, Subarray& subarray, const std::string& label_name,
                                      uint64_t range_idx) {
    check<T>(ctx, subarray, label_name);
    return subarray.fixed_range<T>(tiledb_subarray_get_label_range, label_name.c_str(), range_idx);
  }

  /** A range of labels that are strings: first and last label. */
  static std::array<std::string, 2> label_range(const Context& ctx, Subarray& subarray, const std::string& label_name,
                                                uint64_t range_idx) {
    check<char>(ctx, subarray, label_name);
    return subarray.string_range(tiledb_subarray_get_label_range_var_size, tiledb_subarray_get_label_range_var,
                                 label_name.c_str(), range_idx);
  }

  /** A part of a read, and about how many cells it has. */
  struct Part {
    Subarray subarray;
    uint64_t cells;
  };

  /**
   * Divides a subarray into parts with about as many cells each; together they have each cell once.
   *
   * @param ctx The context.
   * @param array The array, open for reading.
   * @param subarray The subarray.
   * @param wanted How many parts there should be; there are fewer where there is not so much to divide.
   * @param condition The condition of the reads to come, if they have one.
   * @param timestamp Where the time goes at which the array is open, if that is wanted.
   * @return The parts, which are the same whenever the array is open at this time.
   */
  static std::vector<Part> partition(const Context& ctx, const Array& array, const Subarray& subarray, uint64_t wanted,
                                     const QueryCondition* condition = nullptr, uint64_t* timestamp = nullptr) {
    std::vector<tiledb_subarray_t*> handles(wanted);
    std::vector<uint64_t> cells(wanted);
    uint64_t count = 0;
    detail::call(ctx, tiledb_rs_subarray_partition, array.ptr().get(), subarray.ptr().get(),
                 condition == nullptr ? nullptr : condition->ptr().get(), wanted, handles.data(), cells.data(), &count,
                 timestamp);
    std::vector<Part> parts;
    for (uint64_t i = 0; i < count; ++i) {
      parts.push_back({Subarray(ctx, array), cells[i]});
      parts.back().subarray.replace_subarray_data(handles[i]);
    }
    return parts;
  }

  /**
   * Tells which tiles a read looks at, from metadata alone.
   *
   * @param on_tile Gets the URI of a fragment, the number of a tile in it, and 0 if the condition excludes the tile, 1 if some of its
   *     cells may meet it, 2 if all do; it returns true to go on.
   */
  static void tiles(const Context& ctx, const Array& array, const Subarray& subarray,
                    std::function<bool(const std::string&, uint64_t, int)> on_tile,
                    const QueryCondition* condition = nullptr) {
    auto tell = [](const char* fragment, uint64_t tile, int32_t verdict, void* data) -> int32_t {
      return (*static_cast<std::function<bool(const std::string&, uint64_t, int)>*>(data))(fragment, tile, verdict) ? 1 : 0;
    };
    detail::call(ctx, tiledb_rs_subarray_tiles, array.ptr().get(), subarray.ptr().get(),
                 condition == nullptr ? nullptr : condition->ptr().get(), tell, &on_tile);
  }

  /**
   * Tells into how many parts to divide a subarray for each to have about so many bytes of results.
   *
   * @param fields The dimensions and attributes that are to be read; none for all attributes, and of sparse arrays all dimensions.
   */
  static uint64_t part_count(const Context& ctx, const Array& array, const Subarray& subarray, uint64_t bytes,
                             const std::vector<std::string>& fields = {}, const QueryCondition* condition = nullptr) {
    std::vector<const char*> names;
    for (const auto& field : fields)
      names.push_back(field.c_str());
    uint64_t wanted = 0;
    detail::call(ctx, tiledb_rs_subarray_part_count, array.ptr().get(), subarray.ptr().get(),
                 condition == nullptr ? nullptr : condition->ptr().get(), names.empty() ? nullptr : names.data(),
                 static_cast<uint64_t>(names.size()), bytes, &wanted);
    return wanted;
  }

 private:
  /** Checks the static type against that of the label. */
  template <typename T>
  static void check(const Context& ctx, const Subarray& subarray, const std::string& label) {
    impl::type_check<T>(ArraySchemaExperimental::dimension_label(ctx, subarray.schema_, label).label_type());
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_SUBARRAY_EXPERIMENTAL_H
