/* Fragments, and plans for consolidating them. */
#define TILEDB_NO_API_DEPRECATION_WARNINGS
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"

using namespace tiledb;

using Texts = std::pair<std::string, std::string>;

/* Three fragments of a sparse array: of cells 1 to 4 at time 1, 5 to 8 at time 2, 9 to 12 at time 3. */
static void create(const Context& ctx, const std::string& uri) {
  ArraySchema schema(ctx, TILEDB_SPARSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "d", {{1, 100}}, 10));
  domain.add_dimension(Dimension::create(ctx, "s", TILEDB_STRING_ASCII, nullptr, nullptr));
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a")).set_capacity(2);
  Array::create(ctx, uri, schema);
  for (int32_t time = 1; time <= 3; ++time) {
    Array array(ctx, uri, TILEDB_WRITE, {TimeTravel, static_cast<uint64_t>(time)});
    std::vector<int32_t> cells;
    for (int32_t i = 0; i < 4; ++i)
      cells.push_back(4 * time - 3 + i);
    std::string texts = "abcd";
    std::vector<uint64_t> offsets = {0, 1, 2, 3};
    Query query(array);
    query.set_layout(TILEDB_UNORDERED).set_data_buffer("d", cells).set_data_buffer("a", cells);
    query.set_data_buffer("s", texts).set_offsets_buffer("s", offsets).submit();
  }
}

static void info(const Context& ctx) {
  const FragmentInfo info(ctx, "cells");
  expect_throw<TileDBError>([&] { (void)info.version(0); });
  info.load();
  assert(&info.context() == &ctx && info.ptr() != nullptr && info.fragment_num() == 3);
  assert(info.fragment_uri(1).find(info.fragment_name(1)) != std::string::npos);
  assert(info.fragment_name(0).rfind("__1_1_", 0) == 0);
  assert(info.timestamp_range(2) == std::make_pair(uint64_t{3}, uint64_t{3}));
  assert(info.cell_num(0) == 4 && info.total_cell_num() == 12 && info.fragment_size(0) > 0);
  assert(info.sparse(0) && !info.dense(0) && info.version(0) == 22);
  assert(info.array_schema(0).attribute(0).name() == "a" && !info.array_schema_name(0).empty());
  expect_throw<TileDBError>([&] { (void)info.fragment_uri(3); });

  int32_t range[2] = {};
  info.get_non_empty_domain(1, 0, range);
  assert(range[0] == 5 && range[1] == 8);
  info.get_non_empty_domain(2, "d", range);
  assert(range[0] == 9 && range[1] == 12);
  assert(info.non_empty_domain_var(0, 1) == Texts("a", "d") && info.non_empty_domain_var(0, "s") == Texts("a", "d"));
  assert(info.mbr_num(0) == 2);
  info.get_mbr(0, 1, 0, range);
  assert(range[0] == 3 && range[1] == 4);
  info.get_mbr(0, 0, "d", range);
  assert(range[0] == 1 && range[1] == 2);
  assert(info.mbr_var(0, 1, 1) == Texts("c", "d") && info.mbr_var(0, 0, "s") == Texts("a", "b"));

  std::ostringstream printed;
  printed << info;
  assert(printed.str().find("Fragment num: 3") != std::string::npos);
  FILE* file = std::fopen("dump", "w+");
  info.dump(file);
  std::rewind(file);
  std::string text(printed.str().size(), ' ');
  assert(std::fread(text.data(), 1, text.size(), file) == text.size() && text == printed.str());
  std::fclose(file);

  FragmentInfo copy(info);
  assert(copy.ptr() == info.ptr());
  FragmentInfo moved(std::move(copy)), other(ctx, "cells");
  assert(moved.fragment_num() == 3);
  copy = other;
  assert(copy.ptr() == other.ptr());
  copy = std::move(moved);
  assert(copy.ptr() == info.ptr());
}

static void plan(const Context& ctx) {
  const Array array(ctx, "cells", TILEDB_READ);
  const ConsolidationPlan apart(ctx, array, 1);
  assert(apart.num_nodes() == 3 && apart.num_fragments(0) == 1 && "each is larger than a byte");
  ConsolidationPlan plan(ctx, array, 1000000);
  assert(plan.num_nodes() == 1 && plan.num_fragments(0) == 3 && "all together are smaller than a megabyte");
  assert(plan.dump().find(plan.fragment_uri(0, 2)) != std::string::npos);
  expect_throw<TileDBError>([&] { plan.num_fragments(plan.num_nodes()); });
  expect_throw<TileDBError>([&] { plan.fragment_uri(99, 0); });
  ConsolidationPlan copy(plan), moved(std::move(copy));
  assert(moved.num_nodes() == plan.num_nodes());
  copy = apart;
  assert(copy.num_nodes() == 3);
  copy = std::move(moved);
  assert(copy.num_nodes() == 1);

  // Fragments that overlap are planned to be one.
  create(ctx, "overlapping");
  {
    Array again(ctx, "overlapping", TILEDB_WRITE, {TimeTravel, 9});
    std::vector<int32_t> cells = {1, 12};
    std::string texts = "ad";
    std::vector<uint64_t> offsets = {0, 1};
    Query query(again);
    query.set_layout(TILEDB_UNORDERED).set_data_buffer("d", cells).set_data_buffer("a", cells);
    query.set_data_buffer("s", texts).set_offsets_buffer("s", offsets).submit();
  }
  const Array overlapping(ctx, "overlapping", TILEDB_READ);
  const ConsolidationPlan all(ctx, overlapping, 1);
  assert(all.num_nodes() == 1 && all.num_fragments(0) == 4);
  for (uint64_t i = 0; i < 4; ++i)
    assert(all.fragment_uri(0, i).rfind("__", 0) == 0);
}

static void consolidated(const Context& ctx) {
  FragmentInfo info(ctx, "cells");
  info.load();
  assert(!info.has_consolidated_metadata(0) && info.unconsolidated_metadata_num() == 3 && info.to_vacuum_num() == 0);
  Config config;
  config["sm.consolidation.mode"] = "fragment_meta";
  Array::consolidate(ctx, "cells", &config);
  info.load();
  assert(info.has_consolidated_metadata(0) && info.unconsolidated_metadata_num() == 0);
  Array::consolidate(ctx, "cells");
  info.load();
  assert(info.fragment_num() == 1 && info.to_vacuum_num() == 3);
  assert(info.to_vacuum_uri(0).find("__1_1_") != std::string::npos);
  assert(info.timestamp_range(0) == std::make_pair(uint64_t{1}, uint64_t{3}));
}

/* Fragments of format version 23 contain the first and the last cell of each tile. */
static void tile_bounds() {
  Config config;
  config["sm.write_format_version"] = "23";
  Context ctx(config);
  create(ctx, "newer");
  const FragmentInfo info(ctx, "newer");
  info.load();
  const auto coordinates = [](int32_t number, char text) {
    std::vector<uint8_t> bytes(sizeof number);
    std::memcpy(bytes.data(), &number, sizeof number);
    return std::vector<std::vector<uint8_t>>{bytes, {static_cast<uint8_t>(text)}};
  };
  assert(info.version(1) == 23 && info.mbr_num(1) == 2);
  assert(info.global_order_lower_bound(1, 0) == coordinates(5, 'a'));
  assert(info.global_order_upper_bound(1, 0) == coordinates(6, 'b'));
  assert(info.global_order_lower_bound(1, 1) == coordinates(7, 'c'));
  assert(info.global_order_upper_bound(1, 1) == coordinates(8, 'd'));
  expect_throw<TileDBError>([&] { (void)info.global_order_lower_bound(1, 2); });
  const FragmentInfo older(ctx, "cells");
  older.load();
  expect_throw<TileDBError>([&] { (void)older.global_order_upper_bound(0, 0); });
}

int main() {
  Context ctx;
  create(ctx, "cells");
  info(ctx);
  tile_bounds();
  plan(ctx);
  consolidated(ctx);
  return 0;
}
