/*
 * Dimension labels: an array read by what its coordinates mean.
 *
 * Temperatures were measured at times that are not evenly spaced, by stations that have names. Both are labels of the
 * dimensions; a label has an array of its own, which is written and read with the cells.
 */
#include <cstdint>
#include <iostream>
#include <string>
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>
#include <vector>

using namespace tiledb;

static const std::string uri = "temperatures";

static void create(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(Domain(ctx).add_dimensions(Dimension::create<int32_t>(ctx, "row", {{1, 5}}, 5),
                                               Dimension::create<int32_t>(ctx, "column", {{1, 3}}, 3)));
  schema.add_attribute(Attribute::create<double>(ctx, "celsius"));
  ArraySchemaExperimental::add_dimension_label(ctx, schema, 0, "minute", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  ArraySchemaExperimental::add_dimension_label(ctx, schema, 1, "station", TILEDB_INCREASING_DATA, TILEDB_STRING_ASCII);
  Array::create(uri, schema);
}

/* Cells and labels are written by one query. */
static void write(const Context& ctx) {
  std::vector<double> celsius{10.0, 11.0, 12.0, 10.5, 11.5, 12.5, 11.0, 12.0, 13.0, 11.5, 12.5, 13.5, 12.0, 13.0, 14.0};
  std::vector<double> minutes{0.0, 0.5, 2.0, 7.5, 30.0};
  auto [offsets, stations] = ungroup_var_buffer(std::vector<std::string>{"airport", "harbour", "old town"});
  Array array(ctx, uri, TILEDB_WRITE);
  Query query(ctx, array);
  query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("celsius", celsius);
  QueryExperimental::set_data_buffer(query, "minute", minutes);
  QueryExperimental::set_data_buffer(query, "station", stations);
  query.set_offsets_buffer("station", offsets).submit();
}

/* Reads the cells of a range of minutes and of stations, and the labels they have. */
static void read(const Context& ctx, double from, double to, const std::string& first, const std::string& last) {
  const Array array(ctx, uri, TILEDB_READ);
  Subarray subarray(ctx, array);
  SubarrayExperimental::add_label_range(ctx, subarray, "minute", from, to);
  SubarrayExperimental::add_label_range(ctx, subarray, "station", first, last);

  std::vector<double> celsius(15), minutes(5);
  std::vector<uint64_t> offsets(3);
  std::string stations(100, '\0');
  Query query(ctx, array);
  query.set_subarray(subarray).set_layout(TILEDB_ROW_MAJOR).set_data_buffer("celsius", celsius);
  QueryExperimental::set_data_buffer(query, "minute", minutes);
  QueryExperimental::set_data_buffer(query, "station", stations);
  query.set_offsets_buffer("station", offsets).submit();

  auto sizes = QueryExperimental::result_buffer_elements_labels(query);
  const std::vector<char> letters(stations.begin(), stations.end());
  const auto names =
      group_by_cell<char, std::string>(offsets, letters, sizes["station"].first, sizes["station"].second);
  minutes.resize(sizes["minute"].second);

  std::cout << "From minute " << from << " to " << to << ", from " << first << " to " << last << ":\n  minute";
  for (const std::string& name : names)
    std::cout << '\t' << name;
  std::cout << '\n';
  for (size_t row = 0; row < minutes.size(); row++) {
    std::cout << "  " << minutes[row];
    for (size_t column = 0; column < names.size(); column++)
      std::cout << '\t' << celsius[row * names.size() + column];
    std::cout << '\n';
  }
}

int main() {
  Context ctx;
  create(ctx);
  write(ctx);

  const ArraySchema schema(ctx, uri);
  for (const char* name : {"minute", "station"}) {
    const auto label = ArraySchemaExperimental::dimension_label(ctx, schema, name);
    std::cout << label.name() << ": " << impl::to_str(label.label_type()) << " for dimension "
              << schema.domain().dimension(label.dimension_index()).name() << '\n';
  }
  read(ctx, 0.0, 30.0, "a", "z");
  read(ctx, 0.2, 10.0, "harbour", "old town");
  return 0;
}
