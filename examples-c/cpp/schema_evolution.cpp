/*
 * Schema evolution: attributes come and go while the cells stay.
 *
 * What was written before an attribute was added reads as its fill value, what was dropped is no longer read; and an
 * array opened as of an earlier time still has the schema it had then.
 */
#include <cstdint>
#include <iostream>
#include <string>
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>
#include <vector>

using namespace tiledb;

static const std::string uri = "staff";

static void create(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(Domain(ctx).add_dimension(Dimension::create<int32_t>(ctx, "person", {{1, 4}}, 4)));
  schema.add_attributes(Attribute::create<int32_t>(ctx, "age"), Attribute::create<int32_t>(ctx, "room"));
  Array::create(uri, schema);
}

/* Writes an int32_t for every attribute of two people. */
static void write(const Context& ctx, int32_t first, const std::vector<std::string>& names, uint64_t time,
                  std::vector<std::vector<int32_t>> cells) {
  Array array(ctx, uri, TILEDB_WRITE, TemporalPolicy(TimeTravel, time));
  Query query(ctx, array);
  query.set_subarray(Subarray(ctx, array).add_range(0, first, first + 1)).set_layout(TILEDB_ROW_MAJOR);
  for (size_t i = 0; i < names.size(); i++)
    query.set_data_buffer(names[i], cells[i]);
  query.submit();
}

/* Prints all that can be read. */
static void read(const Context& ctx, const std::string& title, const TemporalPolicy& when = {}) {
  const Array array(ctx, uri, TILEDB_READ, when);
  const ArraySchema schema = array.schema();
  std::cout << title << '\n';
  for (unsigned i = 0; i < schema.attribute_num(); i++) {
    const std::string name = schema.attribute(i).name();
    std::vector<int32_t> cells(4);
    Query query(ctx, array);
    query.set_subarray(Subarray(ctx, array).add_range(0, 1, 4)).set_data_buffer(name, cells).submit();
    std::cout << "  " << name << ':';
    for (const int32_t cell : cells)
      if (cell == INT32_MIN)
        std::cout << "    -";
      else
        std::cout << "  " << cell;
    std::cout << '\n';
  }
}

int main() {
  Context ctx;
  create(ctx);

  // The time of the schema is that of the clock; the times of the changes follow it.
  const uint64_t made = ArraySchema(ctx, uri).timestamp_range().first;
  write(ctx, 1, {"age", "room"}, made + 1, {{31, 42}, {101, 102}});
  read(ctx, "Two people are written, two are not:");

  auto salary = Attribute::create<int32_t>(ctx, "salary");
  const int32_t usual = 3000;
  salary.set_fill_value(&usual, sizeof usual);
  ArraySchemaEvolution evolution(ctx);
  evolution.add_attribute(salary).drop_attribute("room");
  evolution.set_timestamp_range({made + 2, made + 2});
  evolution.array_evolve(uri);
  read(ctx, "Rooms were dropped, salaries added:", TemporalPolicy(TimeTravel, made + 2));

  write(ctx, 3, {"age", "salary"}, made + 3, {{27, 58}, {2500, 4500}});
  read(ctx, "Two more people are written:", TemporalPolicy(TimeTravel, made + 3));
  read(ctx, "As of the beginning:", TemporalPolicy(TimeTravel, made + 1));

  // A change that cannot be made changes nothing.
  try {
    ArraySchemaEvolution(ctx).drop_attribute("room").array_evolve(uri);
  } catch (const TileDBError& error) {
    std::cout << "Dropping rooms again: " << error.what() << '\n';
  }
  return 0;
}
