/* Array schemas. */
#include "common.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <tiledb/tiledb>
#include <iterator>
#include <type_traits>
#include <unordered_map>
#include <utility>

using namespace tiledb;

namespace {

FilterList filters(const Context& ctx, tiledb_filter_type_t type) {
  return FilterList(ctx).add_filter(Filter(ctx, type));
}

Domain domain(const Context& ctx) {
  return Domain(ctx).add_dimensions(Dimension::create<int32_t>(ctx, "rows", {{1, 4}}, 2),
                                    Dimension::create<int32_t>(ctx, "cols", {{1, 6}}, 3));
}

void properties(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_SPARSE);
  assert(schema.array_type() == TILEDB_SPARSE && &schema.context() == &ctx);
  assert(schema.version() > 20 && schema.capacity() == 10000);
  assert(schema.set_capacity(10).capacity() == 10);
  assert(!schema.allows_dups() && schema.set_allows_dups(true).allows_dups());
  assert(!schema.set_allows_dups(false).allows_dups());
  assert(schema.tile_order() == TILEDB_ROW_MAJOR && schema.cell_order() == TILEDB_ROW_MAJOR);
  assert(schema.set_tile_order(TILEDB_COL_MAJOR).tile_order() == TILEDB_COL_MAJOR);
  assert(schema.set_cell_order(TILEDB_HILBERT).cell_order() == TILEDB_HILBERT);
  schema.set_order({{TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR}});
  assert(schema.tile_order() == TILEDB_ROW_MAJOR && schema.cell_order() == TILEDB_COL_MAJOR);
  expect_throw<TileDBError>([&] { schema.set_tile_order(TILEDB_HILBERT); }, "Hilbert order is not applicable to tiles");

  schema.set_coords_filter_list(filters(ctx, TILEDB_FILTER_GZIP))
      .set_offsets_filter_list(filters(ctx, TILEDB_FILTER_DELTA))
      .set_validity_filter_list(filters(ctx, TILEDB_FILTER_RLE));
  assert(schema.coords_filter_list().filter(0).filter_type() == TILEDB_FILTER_GZIP);
  assert(schema.offsets_filter_list().filter(0).filter_type() == TILEDB_FILTER_DELTA);
  assert(schema.validity_filter_list().filter(0).filter_type() == TILEDB_FILTER_RLE);
}

void attributes(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_DENSE);
  expect_throw<TileDBError>([&] { schema.check(); });
  assert(schema.set_domain(domain(ctx)).domain().ndim() == 2);
  assert(&schema.add_attribute(Attribute::create<int32_t>(ctx, "a")) == &schema);
  schema.add_attributes(Attribute::create<double>(ctx, "b"), Attribute::create<std::string>(ctx, "c"));
  schema.check();
  assert(schema.attribute_num() == 3 && schema.attribute(1).name() == "b" && schema.attribute("c").variable_sized());
  assert(schema.has_attribute("a") && !schema.has_attribute("rows"));
  const auto all = schema.attributes();
  assert(all.size() == 3 && all.at("b").type() == TILEDB_FLOAT64);
  expect_throw<TileDBError>([&] { schema.attribute("none"); });
  expect_throw<TileDBError>([&] { schema.attribute(3); });
  ArraySchema twice(ctx, TILEDB_DENSE);
  twice.set_domain(domain(ctx)).add_attributes(schema.attribute("a"), schema.attribute("a"));
  expect_throw<TileDBError>([&] { twice.check(); }, "must have unique names");
  std::ostringstream text;
  text << schema;
  assert(text.str().find("- Array type: dense") != std::string::npos);

  Array::create("array", schema);
  ArraySchema loaded(ctx, "array");
  assert(loaded.attribute_num() == 3 && loaded.domain().cell_num() == 24);
  const auto [from, to] = loaded.timestamp_range();
  assert(from == to && from > 0);
  expect_throw<TileDBError>([&] { ArraySchema(ctx, "absent"); });
}

void sharing(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_SPARSE), other(ctx, TILEDB_DENSE);
  ArraySchema copy = schema;
  assert(copy.set_capacity(5).ptr() == schema.ptr() && schema.capacity() == 5);
  ArraySchema moved = std::move(copy);
  copy = other;
  other = std::move(moved);
  assert(copy.array_type() == TILEDB_DENSE && other.array_type() == TILEDB_SPARSE);
  static_assert(!std::is_default_constructible_v<ArraySchema> && std::has_virtual_destructor_v<ArraySchema>);

  tiledb_array_schema_t* handle = nullptr;
  assert(tiledb_array_schema_alloc(ctx.ptr().get(), TILEDB_DENSE, &handle) == TILEDB_OK);
  assert(ArraySchema(ctx, handle).array_type() == TILEDB_DENSE);
}

/* A schema of one's own, as far as the base class offers it. */
class Names : public Schema {
 public:
  explicit Names(const Context& ctx) : Schema(ctx) {}
  Names(const Names&) = default;
  Names(Names&&) = default;
  Names& operator=(const Names&) = default;
  Names& operator=(Names&&) = default;

  Schema& add_attribute(const Attribute& attr) override {
    attributes_.emplace(attr.name(), attr);
    return *this;
  }
  void check() const override {
    ctx_.get().handle_error(attributes_.empty() ? TILEDB_ERR : TILEDB_OK);
  }
  std::unordered_map<std::string, Attribute> attributes() const override {
    return attributes_;
  }
  unsigned attribute_num() const override {
    return static_cast<unsigned>(attributes_.size());
  }
  Attribute attribute(const std::string& name) const override {
    return attributes_.at(name);
  }
  Attribute attribute(unsigned int i) const override {
    return std::next(attributes_.begin(), i)->second;
  }
  void free(tiledb_filter_t* filter) const {
    deleter_(filter);
  }

 private:
  std::unordered_map<std::string, Attribute> attributes_;
};

void base(const Context& ctx) {
  Names names(ctx);
  expect_throw<TileDBError>([&] { names.check(); });
  names.add_attributes(Attribute::create<int32_t>(ctx, "a"), Attribute::create<int32_t>(ctx, "b"));
  names.check();
  Names copy = names, other(ctx);
  Names moved = std::move(copy);
  copy = other;
  other = std::move(moved);
  assert(copy.attribute_num() == 0 && other.attribute_num() == 2 && &other.context() == &ctx);
  assert(other.attribute("b").name() == "b");
  tiledb_filter_t* filter = nullptr;
  assert(tiledb_filter_alloc(ctx.ptr().get(), TILEDB_FILTER_GZIP, &filter) == TILEDB_OK);
  names.free(filter);
}

void names() {
  assert(ArraySchema::to_str(TILEDB_DENSE) == "DENSE" && ArraySchema::to_str(TILEDB_SPARSE) == "SPARSE");
  assert(ArraySchema::to_str(TILEDB_ROW_MAJOR) == "ROW-MAJOR" && ArraySchema::to_str(TILEDB_COL_MAJOR) == "COL-MAJOR");
  assert(ArraySchema::to_str(TILEDB_GLOBAL_ORDER) == "GLOBAL" && ArraySchema::to_str(TILEDB_UNORDERED) == "UNORDERED");
  assert(ArraySchema::to_str(TILEDB_HILBERT) == "HILBERT");
  assert(ArraySchema::to_str(static_cast<tiledb_layout_t>(7)).empty());
}

}  // namespace

int main() {
  const Context ctx;
  properties(ctx);
  attributes(ctx);
  sharing(ctx);
  base(ctx);
  names();
  return 0;
}
