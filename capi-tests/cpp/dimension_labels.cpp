/* Dimension labels of schemas. */
#include "common.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <tiledb/tiledb_experimental>
#include <utility>

using namespace tiledb;

namespace {

ArraySchema without_labels(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(Domain(ctx).add_dimensions(Dimension::create<int32_t>(ctx, "x", {{1, 10}}, 5),
                                               Dimension::create<int32_t>(ctx, "y", {{1, 10}}, 5)));
  schema.add_attribute(Attribute::create<int32_t>(ctx, "a"));
  return schema;
}

void labels(const Context& ctx) {
  using Experimental = ArraySchemaExperimental;
  ArraySchema schema = without_labels(ctx);
  const FilterList list = FilterList(ctx).add_filter(Filter(ctx, TILEDB_FILTER_ZSTD));
  const int32_t extent = 2;
  Experimental::add_dimension_label(ctx, schema, 0, "plain", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  Experimental::add_dimension_label(ctx, schema, 1, "filtered", TILEDB_DECREASING_DATA, TILEDB_INT64, list);
  Experimental::add_dimension_label(ctx, schema, 1, "optional", TILEDB_INCREASING_DATA, TILEDB_INT64,
                                    std::optional<FilterList>(list));
  Experimental::add_dimension_label(ctx, schema, 1, "pointer", TILEDB_INCREASING_DATA, TILEDB_INT64, &extent);
  Experimental::add_dimension_label(ctx, schema, 1, "value", TILEDB_INCREASING_DATA, TILEDB_STRING_ASCII, extent, list);
  expect_throw<TypeError>([&] {
    Experimental::add_dimension_label(ctx, schema, 1, "wrong", TILEDB_INCREASING_DATA, TILEDB_INT64, int64_t{2});
  });
  expect_throw<TileDBError>([&] {
    Experimental::add_dimension_label(ctx, schema, 2, "wrong", TILEDB_INCREASING_DATA, TILEDB_INT64);
  });
  assert(Experimental::has_dimension_label(ctx, schema, "value"));
  assert(!Experimental::has_dimension_label(ctx, schema, "wrong"));
  expect_throw<TileDBError>([&] { Experimental::dimension_label(ctx, schema, "wrong"); });

  const DimensionLabel plain = Experimental::dimension_label(ctx, schema, "plain");
  assert(plain.name() == "plain" && plain.dimension_index() == 0 && plain.label_order() == TILEDB_INCREASING_DATA);
  assert(plain.label_type() == TILEDB_FLOAT64 && plain.label_cell_val_num() == 1);
  assert(plain.label_attr_name() == "label" && !plain.uri().empty());
  const DimensionLabel value = Experimental::dimension_label(ctx, schema, "value");
  assert(value.dimension_index() == 1 && value.label_cell_val_num() == TILEDB_VAR_NUM);

  // What was asked for is what the labels' own arrays have.
  Array::create("array", schema);
  const auto own = [&](const char* name) {
    return ArraySchema(ctx, Experimental::dimension_label(ctx, ArraySchema(ctx, "array"), name).uri());
  };
  assert(own("plain").attribute("label").filter_list().nfilters() == 0);
  for (const char* name : {"filtered", "optional", "value"})
    assert(own(name).attribute("label").filter_list().filter(0).filter_type() == TILEDB_FILTER_ZSTD);
  for (const char* name : {"pointer", "value"})
    assert(own(name).domain().dimension(0).tile_extent<int32_t>() == extent);
}

void sharing(const Context& ctx) {
  ArraySchema schema = without_labels(ctx);
  ArraySchemaExperimental::add_dimension_label(ctx, schema, 0, "one", TILEDB_INCREASING_DATA, TILEDB_INT64);
  ArraySchemaExperimental::add_dimension_label(ctx, schema, 0, "two", TILEDB_INCREASING_DATA, TILEDB_INT64);
  DimensionLabel one = ArraySchemaExperimental::dimension_label(ctx, schema, "one");
  DimensionLabel two = ArraySchemaExperimental::dimension_label(ctx, schema, "two");
  DimensionLabel copy = one;
  assert(copy.ptr() == one.ptr());
  DimensionLabel moved = std::move(copy);
  copy = two;
  two = std::move(moved);
  assert(copy.name() == "two" && two.name() == "one");
  tiledb_dimension_label_t* handle = nullptr;
  assert(tiledb_array_schema_get_dimension_label_from_name(ctx.ptr().get(), schema.ptr().get(), "one", &handle) ==
         TILEDB_OK);
  assert(DimensionLabel(ctx, handle).name() == "one");
}

}  // namespace

int main() {
  const Context ctx;
  labels(ctx);
  sharing(ctx);
  return 0;
}
