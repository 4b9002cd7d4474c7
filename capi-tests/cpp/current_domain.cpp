/* Rectangles and current domains. */
#include "common.hpp"

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <tiledb/tiledb_experimental>
#include <utility>

using namespace tiledb;

namespace {

template <typename T>
std::string printed(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

Domain domain(const Context& ctx) {
  return Domain(ctx).add_dimensions(Dimension::create<int32_t>(ctx, "x", {{1, 100}}, 10),
                                    Dimension::create(ctx, "s", TILEDB_STRING_ASCII, nullptr, nullptr),
                                    Dimension::create<double>(ctx, "y", {{0, 1}}, 1));
}

NDRectangle rectangle(const Context& ctx) {
  NDRectangle rectangle(ctx, domain(ctx));
  rectangle.set_range("x", 1, 10).set_range(1, "a", "m").set_range(2, 0.0, 0.5);
  return rectangle;
}

void rectangles(const Context& ctx) {
  using Strings = std::array<std::string, 2>;
  NDRectangle made = rectangle(ctx);
  assert(made.dim_num() == 3 && &made.context() == &ctx);
  assert(made.range_dtype(0) == TILEDB_INT32 && made.range_dtype("s") == TILEDB_STRING_ASCII);
  assert((made.range<int32_t>(0) == std::array<int32_t, 2>{1, 10}));
  assert(made.range<int32_t>("x") == made.range<int32_t>(0));
  assert((made.range<std::string>(1) == Strings{"a", "m"}) && (made.range<std::string>("s") == Strings{"a", "m"}));
  assert(made.range<double>("y")[1] == 0.5);
  made.set_range("s", "", "b");
  assert((made.range<std::string>("s") == Strings{"", "b"}));
  made.set_range(0u, 2, 20);
  assert(made.range<int32_t>(0)[0] == 2 && printed(made).find("[2, 20]") != std::string::npos);

  expect_throw<TileDBError>([&] { made.range<int64_t>(0); }, "4 and 4 bytes, not 8");
  expect_throw<TileDBError>([&] { made.range<int32_t>(3); });
  expect_throw<TileDBError>([&] { made.range<std::string>("none"); });
  expect_throw<TileDBError>([&] { made.set_range("none", 1, 2); });
  expect_throw<TileDBError>([&] { made.range_dtype(3); });
}

void current_domains(const Context& ctx) {
  CurrentDomain current(ctx);
  assert(current.is_empty() && &current.context() == &ctx);
  expect_throw<TileDBError>([&] { current.type(); });
  expect_throw<TileDBError>([&] { current.ndrectangle(); });
  assert(&current.set_ndrectangle(rectangle(ctx)) == &current && !current.is_empty());
  assert(current.type() == TILEDB_NDRECTANGLE && current.ndrectangle().range<int32_t>("x")[1] == 10);
  assert(printed(current).find("[1, 10]") != std::string::npos);

  ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain(ctx)).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  assert(ArraySchemaExperimental::current_domain(ctx, schema).is_empty());
  ArraySchemaExperimental::set_current_domain(ctx, schema, current);
  Array::create("array", schema);
  const auto loaded = ArraySchemaExperimental::current_domain(ctx, ArraySchema(ctx, "array"));
  assert(loaded.ndrectangle().range<std::string>("s")[1] == "m");
}

void sharing(const Context& ctx) {
  CurrentDomain one(ctx), two(ctx);
  CurrentDomain copy = one;
  copy.set_ndrectangle(rectangle(ctx));
  assert(!one.is_empty() && copy.ptr() == one.ptr());
  CurrentDomain moved = std::move(copy);
  copy = two;
  two = std::move(moved);
  assert(copy.is_empty() && !two.is_empty());
  tiledb_current_domain_t* current = nullptr;
  assert(tiledb_current_domain_create(ctx.ptr().get(), &current) == TILEDB_OK);
  assert(CurrentDomain(ctx, current).is_empty());

  NDRectangle first = rectangle(ctx), second(ctx, domain(ctx));
  NDRectangle same = first;
  assert(same.ptr() == first.ptr());
  NDRectangle taken = std::move(same);
  same = second;
  second = std::move(taken);
  assert(second.ptr() == first.ptr() && same.dim_num() == 3);
  tiledb_ndrectangle_t* handle = nullptr;
  assert(tiledb_ndrectangle_alloc(ctx.ptr().get(), domain(ctx).ptr().get(), &handle) == TILEDB_OK);
  assert(NDRectangle(ctx, handle).dim_num() == 3);
}

}  // namespace

int main() {
  const Context ctx;
  rectangles(ctx);
  current_domains(ctx);
  sharing(ctx);
  return 0;
}
