/* Subarrays, by coordinates and by labels. */
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <array>
#include <string>
#include <vector>

#include "common.hpp"

using namespace tiledb;

using Range = std::array<int32_t, 3>;
using Texts = std::array<std::string, 2>;

static void numbers(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_DENSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "x", {{1, 100}}, 10));
  domain.add_dimension(Dimension::create<int32_t>(ctx, "y", {{1, 50}}, 10));
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  Array::create(ctx, "numbers", schema);
  const Array array(ctx, "numbers", TILEDB_READ);

  Subarray subarray(ctx, array);
  assert(&subarray.array() == &array && subarray.ptr() != nullptr);
  // Before a range is added there is that of the domain.
  assert(subarray.range_num(0) == 1 && subarray.range<int32_t>(1, 0) == (Range{1, 50, 0}));
  subarray.add_range(0, 1, 2).add_range(0, 5, 8, 0).add_range("y", 3, 4);
  assert(subarray.range_num(0) == 2 && subarray.range_num("y") == 1);
  assert(subarray.range<int32_t>(0, 1) == (Range{5, 8, 0}));
  assert(subarray.range<int32_t>("y", 0) == (Range{3, 4, 0}));
  expect_throw<TypeError>([&] { subarray.add_range(0, int64_t{1}, int64_t{2}); });
  expect_throw<TypeError>([&] { subarray.add_range("x", 1.0, 2.0); });
  expect_throw<TypeError>([&] { subarray.add_range(0, "a", "b"); });
  expect_throw<TypeError>([&] { subarray.range<uint32_t>(0, 0); });
  expect_throw<TypeError>([&] { subarray.range(0, 0); });
  expect_throw<TileDBError>([&] { subarray.add_range(0, 1, 101); });
  expect_throw<TileDBError>([&] { subarray.add_range(2, 1, 1); });
  expect_throw<TileDBError>([&] { subarray.range<int32_t>(0, 2); });
  expect_throw<TileDBError>([&] { subarray.add_range(0, 1, 4, 2); });

  // Ranges that touch become one, unless they shall not.
  Subarray joined(ctx, array);
  joined.add_range(0, 1, 2).add_range(0, 3, 4);
  assert(joined.range_num(0) == 1);
  Subarray apart(ctx, array, false);
  apart.add_range(0, 1, 2).add_range(0, 3, 4);
  assert(apart.range_num(0) == 2);
  Subarray again(ctx, array, false);
  again.set_coalesce_ranges(true).add_range(0, 1, 2).add_range(0, 3, 4);
  assert(again.range_num(0) == 1);

  const auto is_box = [](Subarray& box) {
    return box.range<int32_t>(0, 0) == Range{1, 2, 0} && box.range<int32_t>(1, 0) == Range{3, 4, 0};
  };
  const int32_t raw[] = {1, 2, 3, 4};
  Subarray pointer(ctx, array), vector(ctx, array), list(ctx, array), pairs(ctx, array);
  pointer.set_subarray(raw, 4);
  vector.set_subarray(std::vector<int32_t>{1, 2, 3, 4});
  list.set_subarray({1, 2, 3, 4});
  pairs.set_subarray(std::vector<std::array<int32_t, 2>>{{1, 2}, {3, 4}});
  assert(is_box(pointer) && is_box(vector) && is_box(list) && is_box(pairs));
  expect_throw<SchemaMismatch>([&] { pointer.set_subarray(raw, 3); });
  expect_throw<SchemaMismatch>([&] { pointer.set_subarray({1, 2}); });
  expect_throw<TypeError>([&] { pointer.set_subarray({1.0, 2.0, 3.0, 4.0}); });

  Config config;
  config["sm.read_range_oob"] = "error";
  pointer.set_config(config);
  tiledb_subarray_t* fresh = nullptr;
  assert(tiledb_subarray_alloc(ctx.ptr().get(), array.ptr().get(), &fresh) == TILEDB_OK);
  pointer.replace_subarray_data(fresh);
  assert(pointer.ptr().get() == fresh && pointer.range<int32_t>(0, 0) == (Range{1, 100, 0}));
}

static void strings(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_SPARSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create(ctx, "s", TILEDB_STRING_ASCII, nullptr, nullptr));
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  Array::create(ctx, "strings", schema);
  const Array array(ctx, "strings", TILEDB_READ);
  Subarray subarray(ctx, array);
  subarray.add_range(0, std::string("a"), std::string("bb")).add_range("s", std::string("x"), std::string("zzz"));
  subarray.add_range(0, "c", "d").add_range("s", "e", "f");
  assert(subarray.range_num(0) == 4);
  assert(subarray.range(0, 0) == (Texts{"a", "bb"}) && subarray.range("s", 1) == (Texts{"x", "zzz"}));
  assert(subarray.range(0, 2) == (Texts{"c", "d"}) && subarray.range("s", 3) == (Texts{"e", "f"}));
  expect_throw<TypeError>([&] { subarray.add_range("s", 1, 2); });
}

static void labels(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_DENSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "x", {{1, 10}}, 10));
  domain.add_dimension(Dimension::create<int32_t>(ctx, "y", {{1, 10}}, 10));
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  ArraySchemaExperimental::add_dimension_label(ctx, schema, 0, "height", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  ArraySchemaExperimental::add_dimension_label(ctx, schema, 1, "name", TILEDB_INCREASING_DATA, TILEDB_STRING_ASCII);
  Array::create(ctx, "labels", schema);
  const Array array(ctx, "labels", TILEDB_READ);
  Subarray subarray(ctx, array);
  SubarrayExperimental::add_label_range(ctx, subarray, "height", 1.5, 2.5);
  SubarrayExperimental::add_label_range(ctx, subarray, "name", std::string("a"), std::string("m"));
  SubarrayExperimental::add_label_range(ctx, subarray, "name", "x", "zz");
  assert(SubarrayExperimental::label_range_num(ctx, subarray, "height") == 1);
  assert(SubarrayExperimental::label_range_num(ctx, subarray, "name") == 2);
  assert((SubarrayExperimental::label_range<double>(ctx, subarray, "height", 0) == std::array<double, 3>{1.5, 2.5, 0}));
  assert(SubarrayExperimental::label_range(ctx, subarray, "name", 1) == (Texts{"x", "zz"}));
  expect_throw<TypeError>([&] { SubarrayExperimental::add_label_range(ctx, subarray, "height", 1, 2); });
  expect_throw<TypeError>([&] { SubarrayExperimental::label_range(ctx, subarray, "height", 0); });
  expect_throw<TileDBError>([&] { SubarrayExperimental::add_label_range(ctx, subarray, "width", 1.0, 2.0); });
}

int main() {
  Context ctx;
  numbers(ctx);
  strings(ctx);
  labels(ctx);
  return 0;
}
