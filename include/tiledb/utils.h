/**
 * Cells of variable size as vectors of vectors and back; errors of configurations.
 */
#ifndef TILEDB_CPP_UTILS_H
#define TILEDB_CPP_UTILS_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exception.h"
#include "tiledb.h"

namespace tiledb {

namespace detail {

/** The part of `data` that begins with value `from` and ends before value `to`. */
template <typename E, typename T>
E slice(const std::vector<T>& data, uint64_t from, uint64_t to) {
  return E(data.begin() + static_cast<std::ptrdiff_t>(from), data.begin() + static_cast<std::ptrdiff_t>(to));
}

}  // namespace detail

/**
 * Divides the values of variable-sized cells by cell.
 *
 * @tparam T The type of the values.
 * @tparam E What a cell becomes: a container made from two iterators, as `std::string`.
 * @param offsets Where the cells begin in `data`, in bytes, as queries give them.
 * @param data The values.
 * @param num_offsets How many of the offsets count.
 * @param num_data How many of the values count.
 * @return The cells.
 * @throws std::invalid_argument if the offsets don't divide the values.
 */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(const std::vector<uint64_t>& offsets, const std::vector<T>& data, uint64_t num_offsets,
                             uint64_t num_data) {
  if (num_offsets > offsets.size() || num_data > data.size())
    throw std::invalid_argument("Cannot group by cell: the buffers hold fewer elements than they should");
  std::vector<E> cells;
  cells.reserve(static_cast<size_t>(num_offsets));
  for (size_t i = 0; i < num_offsets; i++) {
    const uint64_t begin = offsets[i], end = i + 1 < num_offsets ? offsets[i + 1] : num_data * sizeof(T);
    if (begin % sizeof(T) != 0 || begin > end || end > num_data * sizeof(T))
      throw std::invalid_argument("Cannot group by cell: cell " + std::to_string(i) + " from byte " +
                                  std::to_string(begin) + " to " + std::to_string(end) + " does not lie in the data");
    cells.push_back(detail::slice<E>(data, begin / sizeof(T), end / sizeof(T)));
  }
  return cells;
}

/** The same for a pair of offsets and values. */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(const std::pair<std::vector<uint64_t>, std::vector<T>>& buff, uint64_t num_offsets,
                             uint64_t num_data) {
  return group_by_cell<T, E>(buff.first, buff.second, num_offsets, num_data);
}

/** The same where all offsets and all values count. */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(const std::vector<uint64_t>& offsets, const std::vector<T>& data) {
  return group_by_cell<T, E>(offsets, data, offsets.size(), data.size());
}

/**
 * Divides the values of cells of equal size by cell.
 *
 * @tparam T The type of the values.
 * @tparam E What a cell becomes: a container made from two iterators.
 * @param buff The values.
 * @param el_per_cell How many values make a cell.
 * @param num_buff How many of the values count.
 * @return The cells.
 * @throws std::invalid_argument if the values don't make whole cells.
 */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(const std::vector<T>& buff, uint64_t el_per_cell, uint64_t num_buff) {
  if (num_buff > buff.size())
    throw std::invalid_argument("Cannot group by cell: the buffer holds fewer elements than it should");
  if (el_per_cell == 0 || num_buff % el_per_cell != 0)
    throw std::invalid_argument("Cannot group by cell: " + std::to_string(num_buff) + " elements don't make cells of " +
                                std::to_string(el_per_cell));
  std::vector<E> cells;
  cells.reserve(static_cast<size_t>(num_buff / el_per_cell));
  for (uint64_t from = 0; from < num_buff; from += el_per_cell)
    cells.push_back(detail::slice<E>(buff, from, from + el_per_cell));
  return cells;
}

/** The same where all values count. */
template <typename T, typename E = typename std::vector<T>>
std::vector<E> group_by_cell(const std::vector<T>& buff, uint64_t el_per_cell) {
  return group_by_cell<T, E>(buff, el_per_cell, buff.size());
}

/**
 * Divides the values of cells of `N` values by cell.
 *
 * @tparam N How many values make a cell.
 * @param buff The values.
 * @param num_buff How many of the values count.
 * @return The cells.
 * @throws std::invalid_argument if the values don't make whole cells.
 */
template <uint64_t N, typename T>
std::vector<std::array<T, N>> group_by_cell(const std::vector<T>& buff, uint64_t num_buff) {
  static_assert(N != 0, "A cell has one value at least.");
  if (num_buff > buff.size())
    throw std::invalid_argument("Cannot group by cell: the buffer holds fewer elements than it should");
  if (num_buff % N != 0)
    throw std::invalid_argument("Cannot group by cell: " + std::to_string(num_buff) + " elements don't make cells of " +
                                std::to_string(N));
  std::vector<std::array<T, N>> cells(static_cast<size_t>(num_buff / N));
  for (size_t i = 0; i < cells.size(); i++)
    std::copy_n(buff.begin() + static_cast<std::ptrdiff_t>(i * N), N, cells[i].begin());
  return cells;
}

/** The same where all values count. */
template <uint64_t N, typename T>
std::vector<std::array<T, N>> group_by_cell(const std::vector<T>& buff) {
  return group_by_cell<N, T>(buff, buff.size());
}

/**
 * Lays cells of variable size one after the other, as queries take them.
 *
 * @tparam T A cell, as `std::string`.
 * @tparam R The type of its values.
 * @param data The cells.
 * @return Where each cell begins, in bytes, and the values of all cells.
 */
template <typename T, typename R = typename T::value_type>
std::pair<std::vector<uint64_t>, std::vector<R>> ungroup_var_buffer(const std::vector<T>& data) {
  std::pair<std::vector<uint64_t>, std::vector<R>> buffers;
  buffers.first.reserve(data.size());
  for (const T& cell : data) {
    buffers.first.push_back(buffers.second.size() * sizeof(R));
    buffers.second.insert(buffers.second.end(), std::begin(cell), std::end(cell));
  }
  return buffers;
}

/**
 * Lays the values of all containers of a container one after the other.
 *
 * @param vec The containers, as a vector of strings.
 * @return Their values.
 */
template <typename V, typename T = typename V::value_type::value_type>
std::vector<T> flatten(const V& vec) {
  std::vector<T> values;
  for (const auto& part : vec)
    values.insert(values.end(), std::begin(part), std::end(part));
  return values;
}

namespace impl {

/**
 * Throws what a function of a configuration told, and frees it.
 *
 * @param err The error; null if there is none.
 * @throws TileDBError with the text of the error.
 */
inline void check_config_error(tiledb_error_t* err) {
  if (err == nullptr)
    return;
  const char* message = nullptr;
  tiledb_error_message(err, &message);
  const std::string text = "Config Error: " + std::string(message == nullptr ? "unknown" : message);
  tiledb_error_free(&err);
  throw TileDBError(text);
}

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_CPP_UTILS_H
