/* Attributes: types, fill values, null cells, filters. */
#include "common.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <tiledb/tiledb_experimental>
#include <utility>
#include <vector>

using namespace tiledb;

namespace {

struct Pixel {
  uint8_t r, g, b;
};

/* An attribute of `T`s has a datatype, a number of values and a size. */
template <typename T>
void has_type(const Context& ctx, tiledb_datatype_t type, unsigned num, uint64_t size) {
  const auto attr = Attribute::create<T>(ctx, "a");
  assert(attr.name() == "a" && attr.type() == type && attr.cell_val_num() == num && attr.cell_size() == size);
  assert(attr.variable_sized() == (num == TILEDB_VAR_NUM) && attr.filter_list().nfilters() == 0 && !attr.nullable());
}

void types(const Context& ctx) {
  constexpr uint64_t varies = std::numeric_limits<uint64_t>::max();
  has_type<int32_t>(ctx, TILEDB_INT32, 1, 4);
  has_type<bool>(ctx, TILEDB_BOOL, 1, 1);
  has_type<std::byte>(ctx, TILEDB_BLOB, 1, 1);
  has_type<std::array<double, 3>>(ctx, TILEDB_FLOAT64, 3, 24);
  has_type<float[2]>(ctx, TILEDB_FLOAT32, 2, 8);
  has_type<Pixel>(ctx, TILEDB_STRING_ASCII, 3, 3);
  has_type<std::string>(ctx, TILEDB_STRING_ASCII, TILEDB_VAR_NUM, varies);
  has_type<std::vector<uint16_t>>(ctx, TILEDB_UINT16, TILEDB_VAR_NUM, varies);

  assert(Attribute(ctx, "a", TILEDB_DATETIME_DAY).type() == TILEDB_DATETIME_DAY);
  Attribute attr = Attribute::create(ctx, "", TILEDB_STRING_UTF8);
  assert(attr.name().empty() && attr.type() == TILEDB_STRING_UTF8);
  assert(&attr.set_cell_val_num(TILEDB_VAR_NUM) == &attr && attr.variable_sized());
  assert(&attr.context() == &ctx);
  expect_throw<TileDBError>([&] { Attribute::create<Pixel>(ctx, "a").set_cell_val_num(0); });
}

void filters(const Context& ctx) {
  FilterList list(ctx);
  list.add_filter(Filter(ctx, TILEDB_FILTER_ZSTD));
  assert(Attribute::create<int>(ctx, "a", list).filter_list().filter(0).filter_type() == TILEDB_FILTER_ZSTD);
  assert(Attribute(ctx, "a", TILEDB_INT8, list).filter_list().nfilters() == 1);
  auto attr = Attribute::create<int>(ctx, "a");
  assert(attr.set_filter_list(list).filter_list().nfilters() == 1);
}

void fill_values(const Context& ctx) {
  auto attr = Attribute::create<int32_t>(ctx, "a");
  const int32_t seven = 7;
  const void* value = nullptr;
  uint64_t size = 0;
  uint8_t valid = 9;
  assert(&attr.set_fill_value(&seven, sizeof seven) == &attr);
  attr.get_fill_value(&value, &size);
  assert(size == sizeof seven && std::memcmp(value, &seven, sizeof seven) == 0);
  expect_throw<TileDBError>([&] { attr.set_fill_value(&seven, 3); });
  expect_throw<TileDBError>([&] { attr.set_fill_value(&seven, sizeof seven, 1); }, "not nullable");

  assert(attr.set_nullable(true).nullable());
  assert(&attr.set_fill_value(&seven, sizeof seven, 0) == &attr);
  attr.get_fill_value(&value, &size, &valid);
  assert(size == sizeof seven && std::memcmp(value, &seven, sizeof seven) == 0 && valid == 0);
  expect_throw<TileDBError>([&] { attr.get_fill_value(&value, &size); }, "nullable");
}

void enumerations(const Context& ctx) {
  auto attr = Attribute::create<int8_t>(ctx, "a");
  assert(!AttributeExperimental::get_enumeration_name(ctx, attr).has_value());
  AttributeExperimental::set_enumeration_name(ctx, attr, "colours");
  assert(AttributeExperimental::get_enumeration_name(ctx, attr) == "colours");
}

void sharing(const Context& ctx) {
  Attribute attr = Attribute::create<int>(ctx, "a"), other = Attribute::create<int>(ctx, "b");
  Attribute copy = attr;
  copy.set_nullable(true);
  assert(attr.nullable() && copy.ptr() == attr.ptr());
  Attribute moved = std::move(copy);
  copy = other;
  other = std::move(moved);
  assert(copy.name() == "b" && other.name() == "a");

  tiledb_attribute_t* handle = nullptr;
  assert(tiledb_attribute_alloc(ctx.ptr().get(), "c", TILEDB_INT32, &handle) == TILEDB_OK);
  assert(Attribute(ctx, handle).name() == "c");
  std::ostringstream text;
  text << attr;
  assert(text.str().find("- Name: a") != std::string::npos);
}

}  // namespace

int main() {
  const Context ctx;
  types(ctx);
  filters(ctx);
  fill_values(ctx);
  enumerations(ctx);
  sharing(ctx);
  return 0;
}
