/*
 * Schemas: what an array looks like, made step by step, stored and read back.
 *
 * A dense array of satellite images and a sparse array of ships show between them all that a schema consists of:
 * dimensions, attributes of every kind, the order of cells, fill values, nulls and filters.
 */
#include <cstdint>
#include <iostream>
#include <string>
#include <tiledb/tiledb>
#include <vector>

using namespace tiledb;

/* A pixel is kept as its bytes, three characters to TileDB. */
struct Colour {
  uint8_t red, green, blue;
};

/* A plane of 1000 x 2000 pixels, in tiles of 100 x 100, each with a colour, a temperature and a note. */
static ArraySchema images(const Context& ctx) {
  Domain domain(ctx);
  domain.add_dimensions(Dimension::create<uint32_t>(ctx, "row", {{0, 999}}, 100),
                        Dimension::create<uint32_t>(ctx, "column", {{0, 1999}}, 100));

  // Pixels that nobody wrote are black and of no known temperature.
  const Colour black{0, 0, 0};
  auto colour = Attribute::create<Colour>(ctx, "colour");
  colour.set_fill_value(&black, sizeof black);
  auto celsius = Attribute::create<float>(ctx, "celsius");
  celsius.set_nullable(true);

  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).set_order({{TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR}});
  schema.add_attributes(colour, celsius, Attribute::create<std::string>(ctx, "note"));
  schema.check();
  return schema;
}

/* Ships have a position that is a pair of numbers and a day; there can be several at one place. */
static ArraySchema ships(const Context& ctx) {
  const int64_t days[] = {0, 36500}, week = 7;
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<double>(ctx, "longitude", {{-180, 180}}, 10))
      .add_dimension(Dimension::create<double>(ctx, "latitude", {{-90, 90}}, 10))
      .add_dimension(Dimension::create(ctx, "day", TILEDB_DATETIME_DAY, days, &week));

  FilterList zstd(ctx);
  zstd.add_filter(Filter(ctx, TILEDB_FILTER_ZSTD));
  ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).set_cell_order(TILEDB_HILBERT).set_capacity(1000).set_allows_dups(true);
  schema.set_offsets_filter_list(zstd).set_coords_filter_list(zstd);
  schema.add_attributes(Attribute::create<std::string>(ctx, "name"),
                        Attribute::create<std::vector<int32_t>>(ctx, "crew"));
  schema.check();
  return schema;
}

/* Everything a program can find out about an array it did not make. */
static void describe(const std::string& uri, const ArraySchema& schema) {
  std::cout << uri << ": " << ArraySchema::to_str(schema.array_type());
  std::cout << ", tiles " << ArraySchema::to_str(schema.tile_order());
  std::cout << ", cells " << ArraySchema::to_str(schema.cell_order()) << '\n';
  const Domain domain = schema.domain();
  for (const Dimension& dimension : domain.dimensions())
    std::cout << "  dimension " << dimension.name() << ", " << impl::to_str(dimension.type()) << ' '
              << dimension.domain_to_str() << ", tile extent " << dimension.tile_extent_to_str() << '\n';
  for (unsigned i = 0; i < schema.attribute_num(); i++) {
    const Attribute attribute = schema.attribute(i);
    std::cout << "  attribute " << attribute.name() << ", " << impl::to_str(attribute.type()) << ", ";
    if (attribute.variable_sized())
      std::cout << "any number of values";
    else
      std::cout << attribute.cell_val_num() << " per cell, " << attribute.cell_size() << " bytes";
    std::cout << (attribute.nullable() ? ", can be null\n" : "\n");
  }
}

int main() {
  Context ctx;
  Array::create("images", images(ctx));
  Array::create("ships", ships(ctx));

  const ArraySchema stored(ctx, "images");
  describe("images", stored);
  std::cout << "  room for " << stored.domain().cell_num() << " cells\n";
  const ArraySchema others(ctx, "ships");
  describe("ships", others);
  std::cout << "  tiles of " << others.capacity() << " cells, coordinates through " << others.coords_filter_list()
            << (others.allows_dups() ? ", several cells at one place\n" : "\n");

  std::cout << "\nThe attribute celsius, in full:\n" << stored.attribute("celsius") << '\n';

  // What is missing or wrong is said before anything is stored.
  ArraySchema wrong(ctx, TILEDB_DENSE);
  try {
    wrong.set_domain(others.domain());
  } catch (const TileDBError& error) {
    std::cout << "A dense array of ships: " << error.what() << '\n';
  }
  try {
    wrong.set_domain(stored.domain()).check();
  } catch (const TileDBError& error) {
    std::cout << "Images without attributes: " << error.what() << '\n';
  }
  return 0;
}
