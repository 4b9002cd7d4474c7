/*
 * Current domains: an array that grows.
 *
 * The domain of an array never changes, so it is made as large as it may ever have to be. The current domain is the
 * part of it that is in use: it can be asked for, cells outside are refused, and it can grow.
 */
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>
#include <vector>

using namespace tiledb;

static const std::string uri = "readings";

static CurrentDomain up_to(const Context& ctx, const Domain& domain, int64_t last_id, const std::string& last_name) {
  NDRectangle rectangle(ctx, domain);
  rectangle.set_range<int64_t>("id", 0, last_id).set_range("station", "a", last_name);
  return CurrentDomain(ctx).set_ndrectangle(rectangle);
}

static void create(const Context& ctx) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max() - 10000;
  Domain domain(ctx);
  domain.add_dimensions(Dimension::create<int64_t>(ctx, "id", {{0, most}}, 1000),
                        Dimension::create(ctx, "station", TILEDB_STRING_ASCII, nullptr, nullptr));
  ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).add_attribute(Attribute::create<double>(ctx, "celsius"));
  ArraySchemaExperimental::set_current_domain(ctx, schema, up_to(ctx, domain, 99, "m"));
  Array::create(uri, schema);
}

static void show(const Context& ctx) {
  const auto current = ArraySchemaExperimental::current_domain(ctx, ArraySchema(ctx, uri));
  NDRectangle rectangle = current.ndrectangle();
  const auto ids = rectangle.range<int64_t>("id");
  const auto stations = rectangle.range<std::string>("station");
  std::cout << "Readings " << ids[0] << " to " << ids[1];
  std::cout << ", stations " << stations[0] << " to " << stations[1] << '\n';
}

static void write(const Context& ctx, int64_t id, std::string station, double celsius) {
  std::vector<int64_t> ids{id};
  std::vector<uint64_t> offsets{0};
  std::vector<double> cells{celsius};
  std::cout << "  reading " << id << " of " << station << ": ";
  try {
    Array array(ctx, uri, TILEDB_WRITE);
    Query query(ctx, array);
    query.set_layout(TILEDB_UNORDERED).set_data_buffer("id", ids).set_data_buffer("celsius", cells);
    query.set_offsets_buffer("station", offsets).set_data_buffer("station", station).submit();
    std::cout << "written\n";
  } catch (const TileDBError&) {
    std::cout << "refused, it lies outside\n";
  }
}

int main() {
  Context ctx;
  create(ctx);
  show(ctx);
  write(ctx, 42, "gotland", 17.5);
  write(ctx, 100, "gotland", 17.0);
  write(ctx, 43, "zealand", 18.5);

  const Domain domain = ArraySchema(ctx, uri).domain();
  ArraySchemaEvolution(ctx).expand_current_domain(up_to(ctx, domain, 999, "zz")).array_evolve(uri);
  show(ctx);
  write(ctx, 100, "gotland", 17.0);
  write(ctx, 43, "zealand", 18.5);

  // It never shrinks.
  try {
    ArraySchemaEvolution(ctx).expand_current_domain(up_to(ctx, domain, 9, "zz")).array_evolve(uri);
  } catch (const TileDBError& error) {
    std::cout << "Shrinking: " << error.what() << '\n';
  }
  return 0;
}
