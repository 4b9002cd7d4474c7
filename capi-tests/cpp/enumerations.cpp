/* Enumerations: values of one size, strings, extensions, and the attributes that use them. */
#include "common.hpp"

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tiledb/tiledb_experimental>
#include <utility>
#include <vector>

using namespace tiledb;

namespace {

struct Point {
  int16_t x, y;
};

void values_of_one_size(const Context& ctx) {
  std::vector<int32_t> numbers{10, 20, 30};
  auto enumeration = Enumeration::create(ctx, "numbers", numbers);
  assert(enumeration.name() == "numbers" && enumeration.type() == TILEDB_INT32 && enumeration.cell_val_num() == 1);
  assert(!enumeration.ordered() && enumeration.as_vector<int32_t>() == numbers);
  assert(enumeration.index_of(20) == 1u && !enumeration.index_of(25).has_value());
  const auto more = enumeration.extend(std::vector<int32_t>{40});
  assert(Enumeration(more).as_vector<int32_t>().back() == 40 && enumeration.as_vector<int32_t>() == numbers);
  const int32_t fifty = 50;
  assert(enumeration.extend(&fifty, sizeof fifty, nullptr, 0).index_of(50) == 3u);
  expect_throw<TileDBError>([&] { enumeration.extend(std::vector<int32_t>{10}); });
  expect_throw<TileDBError>([&] { enumeration.extend(std::vector<int32_t>{}); }, "with an empty vector");
  assert(enumeration.as_vector<std::string>().empty());
  struct Three {
    char bytes[5];
  };
  expect_throw<TileDBError>([&] { enumeration.as_vector<Three>(); }, "5 bytes each");

  std::vector<bool> both{true, false};
  auto truths = Enumeration::create(ctx, "truths", both, true);
  assert(truths.type() == TILEDB_BOOL && truths.ordered() && truths.as_vector<bool>() == both);
  assert(truths.index_of(false) == 1u);

  std::vector<Point> points{{1, 2}, {3, 4}};
  auto places = Enumeration::create(ctx, "places", points);
  assert(places.cell_val_num() == sizeof(Point) && places.as_vector<Point>()[1].y == 4);
  assert(places.index_of(Point{3, 4}) == 1u);

  std::vector<int64_t> days{1, 2};
  assert(Enumeration::create(ctx, "days", days, true, TILEDB_DATETIME_DAY).type() == TILEDB_DATETIME_DAY);
}

void strings(const Context& ctx) {
  std::vector<std::string> words{"red", "", "green"};
  auto colours = Enumeration::create(ctx, "colours", words);
  assert(colours.type() == TILEDB_STRING_ASCII && colours.cell_val_num() == TILEDB_VAR_NUM);
  assert(colours.as_vector<std::string>() == words);
  assert(colours.index_of(std::string_view("green")) == 2u && colours.index_of(std::string_view("")) == 1u);
  assert(!colours.index_of(std::string_view("blue")).has_value());
  std::vector<std::string> others{"blue", "white"};
  assert(colours.extend(others).index_of(std::string_view("white")) == 4u);
  assert(Enumeration::create(ctx, "utf8", words, true, TILEDB_STRING_UTF8).type() == TILEDB_STRING_UTF8);
  std::vector<std::string> none;
  assert(Enumeration::create(ctx, "none", none).as_vector<std::string>().empty());

  auto empty = Enumeration::create_empty(ctx, "empty", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, true);
  assert(empty.ordered() && empty.as_vector<std::string>().empty());
  assert(empty.extend(words).as_vector<std::string>() == words);
  std::vector<std::string> nothing, nameless{""}, twice{"", ""};
  assert(empty.extend(nameless).as_vector<std::string>() == nameless);
  expect_throw<TileDBError>([&] { empty.extend(twice); }, "Invalid duplicated value in enumeration ''");
  expect_throw<TileDBError>([&] { empty.extend(nothing); }, "Unable to extend an enumeration with an empty vector.");
  expect_throw<TileDBError>([&] { empty.extend(std::vector<int32_t>{1}); }, "var sized enumeration with fixed size data");
  const uint64_t offsets[] = {0, 1};
  auto raw = Enumeration::create(ctx, "raw", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, false, "abc", 3, offsets,
                                 sizeof offsets);
  assert((raw.as_vector<std::string>() == std::vector<std::string>{"a", "bc"}));
}

void sharing(const Context& ctx) {
  Enumeration one = Enumeration::create_empty(ctx, "one", TILEDB_INT32, 1);
  Enumeration two = Enumeration::create_empty(ctx, "two", TILEDB_INT32, 1);
  Enumeration copy = one;
  assert(copy.ptr() == one.ptr() && one.context().ptr() == ctx.ptr());
  Enumeration moved = std::move(copy);
  copy = two;
  two = std::move(moved);
  assert(copy.name() == "two" && two.name() == "one");
  tiledb_enumeration_t* handle = nullptr;
  assert(tiledb_enumeration_alloc(ctx.ptr().get(), "three", TILEDB_INT32, 1, 0, nullptr, 0, nullptr, 0, &handle) ==
         TILEDB_OK);
  assert(Enumeration(ctx, handle).name() == "three");
  std::ostringstream text;
  text << one;
  assert(text.str().find("Name: one") != std::string::npos);
}

void attributes(const Context& ctx) {
  std::vector<std::string> words{"red", "green"};
  const auto colours = Enumeration::create(ctx, "colours", words);
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(Domain(ctx).add_dimension(Dimension::create<int32_t>(ctx, "d", {{1, 4}}, 2)));
  ArraySchemaExperimental::add_enumeration(ctx, schema, colours);
  auto attr = Attribute::create<uint8_t>(ctx, "colour");
  AttributeExperimental::set_enumeration_name(ctx, attr, "colours");
  schema.add_attribute(attr);
  assert(ArraySchemaExperimental::get_enumeration_from_name(ctx, schema, "colours").as_vector<std::string>() == words);
  assert(ArraySchemaExperimental::get_enumeration_from_attribute_name(ctx, schema, "colour").name() == "colours");
  expect_throw<TileDBError>([&] { ArraySchemaExperimental::get_enumeration_from_name(ctx, schema, "none"); });
  Array::create("array", schema);
  const ArraySchema loaded(ctx, "array");
  assert(ArraySchemaExperimental::get_enumeration_from_name(ctx, loaded, "colours").as_vector<std::string>() == words);
}

}  // namespace

int main() {
  const Context ctx;
  values_of_one_size(ctx);
  strings(ctx);
  sharing(ctx);
  attributes(ctx);
  return 0;
}
