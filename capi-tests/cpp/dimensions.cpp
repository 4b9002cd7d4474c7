/* Dimensions and domains. */
#include "common.hpp"

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <tiledb/tiledb>
#include <utility>
#include <vector>

using namespace tiledb;

namespace {

template <typename T>
std::string printed(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

template <typename T>
Dimension dimension(const Context& ctx, const std::string& name, T low, T high, T extent) {
  return Dimension::create<T>(ctx, name, {{low, high}}, extent);
}

/* A dimension of `T`s gives back what it was made of, and prints numbers. */
template <typename T>
void has_type(const Context& ctx, tiledb_datatype_t type) {
  const Dimension dim = dimension<T>(ctx, "d", 1, 100, 10);
  assert(dim.name() == "d" && dim.type() == type && dim.cell_val_num() == 1 && dim.tile_extent<T>() == 10);
  assert(dim.domain<T>() == std::make_pair(T{1}, T{100}));
  assert(dim.domain_to_str() == "[1,100]" && dim.tile_extent_to_str() == "10");
}

void types(const Context& ctx) {
  has_type<int8_t>(ctx, TILEDB_INT8);
  has_type<uint8_t>(ctx, TILEDB_UINT8);
  has_type<int16_t>(ctx, TILEDB_INT16);
  has_type<uint16_t>(ctx, TILEDB_UINT16);
  has_type<int32_t>(ctx, TILEDB_INT32);
  has_type<uint32_t>(ctx, TILEDB_UINT32);
  has_type<int64_t>(ctx, TILEDB_INT64);
  has_type<uint64_t>(ctx, TILEDB_UINT64);
  has_type<float>(ctx, TILEDB_FLOAT32);
  has_type<double>(ctx, TILEDB_FLOAT64);
  const auto dim = dimension<double>(ctx, "d", -0.5, 1.5, 0.25);
  assert(dim.domain_to_str() == "[-0.5,1.5]" && dim.tile_extent_to_str() == "0.25");

  const auto open = Dimension::create<int32_t>(ctx, "open", {{1, 4}});
  assert(open.tile_extent_to_str() == "null" && printed(open) == "DIM<open [1,4] null>");
  assert(open.tile_extent<int32_t>() == 0 && "there is none");
  expect_throw<TypeError>([&] { open.domain<int64_t>(); });
  expect_throw<TypeError>([&] { open.tile_extent<float>(); });

  const int64_t days[] = {-10, 10}, extent = 5;
  const auto day = Dimension::create(ctx, "day", TILEDB_DATETIME_DAY, days, &extent);
  assert(day.domain<int64_t>().first == -10 && day.tile_extent<int64_t>() == 5);
  assert(printed(day) == "DIM<day [-10,10] 5>");

  auto text = Dimension::create(ctx, "text", TILEDB_STRING_ASCII, nullptr, nullptr);
  assert(text.cell_val_num() == TILEDB_VAR_NUM && text.domain_to_str().empty() && printed(text) == "DIM<text  null>");
  assert(&text.set_cell_val_num(TILEDB_VAR_NUM) == &text);
  expect_throw<TileDBError>([&] { text.domain<std::string>(); });
  expect_throw<TileDBError>([&] { text.set_cell_val_num(2); });
  expect_throw<TileDBError>([&] { dimension<int32_t>(ctx, "wrong", 4, 1, 1); });
}

void sharing(const Context& ctx) {
  Dimension dim = dimension<int32_t>(ctx, "a", 1, 4, 2), other = dimension<int32_t>(ctx, "b", 1, 4, 2);
  FilterList list(ctx);
  list.add_filter(Filter(ctx, TILEDB_FILTER_RLE));
  Dimension copy = dim;
  assert(&copy.set_filter_list(list) == &copy && dim.filter_list().nfilters() == 1 && copy.ptr() == dim.ptr());
  Dimension moved = std::move(copy);
  copy = other;
  other = std::move(moved);
  assert(copy.name() == "b" && other.name() == "a");

  tiledb_dimension_t* handle = nullptr;
  const uint8_t ends[] = {0, 9};
  assert(tiledb_dimension_alloc(ctx.ptr().get(), "c", TILEDB_UINT8, ends, nullptr, &handle) == TILEDB_OK);
  assert(Dimension(ctx, handle).domain_to_str() == "[0,9]");
}

template <typename T>
uint64_t cells(const Context& ctx, T low, T high) {
  return Domain(ctx).add_dimensions(dimension<T>(ctx, "x", low, high, 1), dimension<T>(ctx, "y", 1, 2, 1)).cell_num();
}

void cell_numbers(const Context& ctx) {
  assert(cells<int8_t>(ctx, -100, 99) == 400 && cells<uint8_t>(ctx, 0, 199) == 400);
  assert(cells<int16_t>(ctx, -1, 1) == 6 && cells<uint16_t>(ctx, 0, 2) == 6);
  assert(cells<int32_t>(ctx, -1, 1) == 6 && cells<uint32_t>(ctx, 0, 2) == 6);
  assert(cells<int64_t>(ctx, -1, 1) == 6 && cells<uint64_t>(ctx, 0, 2) == 6);
  assert(cells<int64_t>(ctx, std::numeric_limits<int64_t>::min(), 0) == std::numeric_limits<uint64_t>::max());
  expect_throw<TileDBError>([&] { cells<double>(ctx, 0, 1); }, "non-integer domain");
  const int64_t days[] = {1, 2}, extent = 1;
  const auto day = Dimension::create(ctx, "day", TILEDB_DATETIME_DAY, days, &extent);
  expect_throw<TileDBError>([&] { Domain(ctx).add_dimension(day).cell_num(); }, "Unknown domain type");
  const auto row = dimension<int32_t>(ctx, "row", 1, 4, 2);
  expect_throw<TileDBError>([&] { Domain(ctx).add_dimensions(row, day).cell_num(); }, "heterogeneous");
}

void domains(const Context& ctx) {
  Domain domain(ctx);
  assert(domain.ndim() == 0 && domain.dimensions().empty() && &domain.context() == &ctx);
  assert(&domain.add_dimension(dimension<int32_t>(ctx, "rows", 1, 4, 2)) == &domain);
  domain.add_dimensions(dimension<int32_t>(ctx, "cols", 1, 3, 2), dimension<int32_t>(ctx, "depth", 1, 2, 2));
  assert(domain.ndim() == 3 && domain.type() == TILEDB_INT32 && domain.cell_num() == 24);
  assert(domain.dimensions()[2].name() == "depth" && domain.dimension(1).name() == "cols");
  assert(domain.dimension("rows").domain<int32_t>().second == 4);
  assert(domain.has_dimension("rows") && !domain.has_dimension("none"));
  expect_throw<TileDBError>([&] { domain.dimension("none"); });
  expect_throw<TileDBError>([&] { domain.dimension(3); });
  assert(printed(domain).find("- Name: depth") != std::string::npos);

  Domain copy = domain, other(ctx);
  assert(copy.ptr() == domain.ptr());
  Domain moved = std::move(copy);
  copy = other;
  other = std::move(moved);
  assert(copy.ndim() == 0 && other.ndim() == 3);
  tiledb_domain_t* handle = nullptr;
  assert(tiledb_domain_alloc(ctx.ptr().get(), &handle) == TILEDB_OK);
  assert(Domain(ctx, handle).ptr().get() == handle);
}

}  // namespace

int main() {
  const Context ctx;
  types(ctx);
  sharing(ctx);
  cell_numbers(ctx);
  domains(ctx);
  return 0;
}
