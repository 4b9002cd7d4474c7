/* Schema evolution. */
#include "common.hpp"

#include <cstdint>
#include <string>
#include <tiledb/tiledb_experimental>
#include <type_traits>
#include <utility>
#include <vector>

using namespace tiledb;

namespace {

CurrentDomain current(const Context& ctx, const Domain& domain, int32_t high) {
  return CurrentDomain(ctx).set_ndrectangle(NDRectangle(ctx, domain).set_range("d", 1, high));
}

void create(const Context& ctx) {
  const auto domain = Domain(ctx).add_dimension(Dimension::create<int32_t>(ctx, "d", {{1, 100}}, 10));
  ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).add_attributes(Attribute::create<int32_t>(ctx, "a"), Attribute::create<int32_t>(ctx, "b"));
  std::vector<std::string> words{"red"};
  ArraySchemaExperimental::add_enumeration(ctx, schema, Enumeration::create(ctx, "colours", words));
  ArraySchemaExperimental::add_enumeration(ctx, schema, Enumeration::create_empty(ctx, "unused", TILEDB_INT32, 1));
  ArraySchemaExperimental::set_current_domain(ctx, schema, current(ctx, domain, 10));
  Array::create("array", schema);
}

void evolve(const Context& ctx) {
  const ArraySchema old(ctx, "array");
  std::vector<std::string> words{"green"};
  auto colours = ArraySchemaExperimental::get_enumeration_from_name(ctx, old, "colours");
  ArraySchemaEvolution evolution(ctx);
  evolution.add_attribute(Attribute::create<double>(ctx, "c"))
      .drop_attribute("b")
      .add_enumeration(Enumeration::create_empty(ctx, "sizes", TILEDB_INT32, 1))
      .extend_enumeration(colours.extend(words))
      .drop_enumeration("unused")
      .expand_current_domain(current(ctx, old.domain(), 20));
  const uint64_t later = ArraySchema(old).timestamp_range().second + 1;
  evolution.set_timestamp_range({later, later});
  assert(&evolution.array_evolve("array") == &evolution);

  ArraySchema now(ctx, "array");
  assert(now.has_attribute("c") && !now.has_attribute("b") && now.timestamp_range().first == later);
  const auto enumeration = ArraySchemaExperimental::get_enumeration_from_name(ctx, now, "colours");
  assert((Enumeration(enumeration).as_vector<std::string>() == std::vector<std::string>{"red", "green"}));
  assert(ArraySchemaExperimental::get_enumeration_from_name(ctx, now, "sizes").cell_val_num() == 1);
  expect_throw<TileDBError>([&] { ArraySchemaExperimental::get_enumeration_from_name(ctx, now, "unused"); });
  assert(ArraySchemaExperimental::current_domain(ctx, now).ndrectangle().range<int32_t>("d")[1] == 20);
}

void mistakes(const Context& ctx) {
  ArraySchemaEvolution evolution(ctx);
  evolution.add_attribute(Attribute::create<double>(ctx, "z"));
  expect_throw<TileDBError>([&] { evolution.add_attribute(Attribute::create<int>(ctx, "z")); },
                            "Input attribute name is already there");
  expect_throw<TileDBError>([&] { evolution.array_evolve("absent"); });
  ArraySchemaEvolution shrink(ctx);
  shrink.expand_current_domain(current(ctx, ArraySchema(ctx, "array").domain(), 5));
  expect_throw<TileDBError>([&] { shrink.array_evolve("array"); });
}

void sharing(const Context& ctx) {
  ArraySchemaEvolution one(ctx), two(ctx);
  ArraySchemaEvolution copy = one;
  assert(copy.ptr() == one.ptr());
  ArraySchemaEvolution moved = std::move(copy);
  copy = two;
  two = std::move(moved);
  assert(two.ptr() == one.ptr() && copy.ptr() != one.ptr());
  tiledb_array_schema_evolution_t* handle = nullptr;
  assert(tiledb_array_schema_evolution_alloc(ctx.ptr().get(), &handle) == TILEDB_OK);
  assert(ArraySchemaEvolution(ctx, handle).ptr().get() == handle);
  static_assert(std::has_virtual_destructor_v<ArraySchemaEvolution>);
}

}  // namespace

int main() {
  const Context ctx;
  create(ctx);
  evolve(ctx);
  mistakes(ctx);
  sharing(ctx);
  return 0;
}
