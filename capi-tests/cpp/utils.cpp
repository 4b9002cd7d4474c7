/* Cells of variable size as vectors of vectors and back; the version. */
#include "common.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <tiledb/tiledb>
#include <tuple>
#include <utility>
#include <vector>

using namespace tiledb;

namespace {

using Offsets = std::vector<uint64_t>;

void variable_size() {
  const std::vector<char> letters{'o', 'n', 'e', 't', 'w', 'o', 's', 'i', 'x'};
  const auto words = group_by_cell<char, std::string>({0, 3, 3, 6}, letters, 4, 9);
  assert((words == std::vector<std::string>{"one", "", "two", "six"}));
  assert((group_by_cell<char, std::string>({0, 3, 3, 6}, letters, 2, 5) == std::vector<std::string>{"one", "tw"}));
  assert(group_by_cell<char>(Offsets{0, 6}, letters)[1] == (std::vector<char>{'s', 'i', 'x'}));
  assert(group_by_cell<char>(Offsets{}, {}).empty());

  // Offsets are bytes whatever the type of the values.
  const std::vector<std::vector<int32_t>> cells{{1}, {2, 3}, {}, {4}};
  const auto [offsets, values] = ungroup_var_buffer(cells);
  assert((offsets == Offsets{0, 4, 12, 12}) && (values == std::vector<int32_t>{1, 2, 3, 4}));
  assert((group_by_cell<int32_t>(std::make_pair(offsets, values), 4, 4) == cells));

  expect_throw<std::invalid_argument>([&] { group_by_cell<char>(Offsets{0, 10}, letters); }, "cell 0 from byte 0");
  expect_throw<std::invalid_argument>([&] { group_by_cell<char>(Offsets{4, 2}, letters); });
  expect_throw<std::invalid_argument>([&] { group_by_cell<char>(Offsets{0}, letters, 2, 9); });
  expect_throw<std::invalid_argument>([&] { group_by_cell<char>(Offsets{0}, letters, 1, 10); });
  expect_throw<std::invalid_argument>([&] { group_by_cell<int32_t>({0, 6}, {1, 2, 3}); });
}

void equal_size() {
  const std::vector<int> values{1, 2, 3, 4, 5, 6};
  const auto pairs = group_by_cell<int>(values, 2);
  assert(pairs.size() == 3 && pairs[2] == (std::vector<int>{5, 6}));
  assert(group_by_cell<int>(values, 2, 4).size() == 2);
  const auto triples = group_by_cell<3>(values);
  static_assert(std::is_same_v<decltype(triples), const std::vector<std::array<int, 3>>>);
  assert(triples.size() == 2 && triples[1] == (std::array<int, 3>{4, 5, 6}));
  assert((group_by_cell<3, int>(values, 3).size() == 1));

  expect_throw<std::invalid_argument>([&] { group_by_cell<int>(values, 4); }, "6 elements");
  expect_throw<std::invalid_argument>([&] { group_by_cell<int>(values, 0); });
  expect_throw<std::invalid_argument>([&] { group_by_cell<int>(values, 2, 8); });
  expect_throw<std::invalid_argument>([&] { group_by_cell<4>(values); });
  expect_throw<std::invalid_argument>([&] { group_by_cell<4, int>(values, 8); });
}

}  // namespace

int main() {
  variable_size();
  equal_size();
  assert((flatten(std::vector<std::string>{"a", "", "bc"}) == std::vector<char>{'a', 'b', 'c'}));
  assert((version() == std::make_tuple(TILEDB_VERSION_MAJOR, TILEDB_VERSION_MINOR, TILEDB_VERSION_PATCH)));
  impl::log_warn("nobody hears it");
  return 0;
}
