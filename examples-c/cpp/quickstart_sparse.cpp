/* A sparse array from C++: cells with strings at float coordinates, written in any order, read from a box. */
#include <tiledb/tiledb>

#include <iostream>
#include <string>
#include <vector>

int main() {
  const tiledb::Context ctx;

  tiledb::Domain domain(ctx);
  domain.add_dimension(tiledb::Dimension::create<double>(ctx, "longitude", {{-180, 180}}, 10))
      .add_dimension(tiledb::Dimension::create<double>(ctx, "latitude", {{-90, 90}}, 10));
  tiledb::ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain)
      .add_attribute(tiledb::Attribute::create<std::string>(ctx, "city"))
      .add_attribute(tiledb::Attribute::create<float>(ctx, "millions"));
  tiledb::Array::create("cities", schema);

  {
    std::vector<double> longitude = {2.35, -3.70, 18.42, 151.21, 13.40};
    std::vector<double> latitude = {48.86, 40.42, -33.92, -33.87, 52.52};
    std::vector<float> millions = {2.1F, 3.3F, 4.8F, 5.5F, 3.8F};
    // Strings lie one behind the other; the offsets say where each begins.
    auto [offsets, names] =
        tiledb::ungroup_var_buffer<std::string>({"Paris", "Madrid", "Cape Town", "Sydney", "Berlin"});
    tiledb::Array array(ctx, "cities", TILEDB_WRITE);
    tiledb::Query query(array);
    query.set_layout(TILEDB_UNORDERED)
        .set_data_buffer("longitude", longitude)
        .set_data_buffer("latitude", latitude)
        .set_data_buffer("city", names)
        .set_offsets_buffer("city", offsets)
        .set_data_buffer("millions", millions)
        .submit();
  }

  // The cities of Europe.
  tiledb::Array array(ctx, "cities", TILEDB_READ);
  tiledb::Subarray subarray(ctx, array);
  subarray.add_range("longitude", -10.0, 40.0).add_range("latitude", 35.0, 70.0);
  std::vector<double> longitude(10), latitude(10);
  std::vector<float> millions(10);
  std::vector<char> names(100);
  std::vector<uint64_t> offsets(10);
  tiledb::Query query(array);
  query.set_subarray(subarray)
      .set_layout(TILEDB_ROW_MAJOR)
      .set_data_buffer("longitude", longitude)
      .set_data_buffer("latitude", latitude)
      .set_data_buffer("city", names)
      .set_offsets_buffer("city", offsets)
      .set_data_buffer("millions", millions)
      .submit();
  const auto [cells, characters] = query.result_buffer_elements()["city"];
  const auto cities = tiledb::group_by_cell<char, std::string>(offsets, names, cells, characters);
  for (size_t i = 0; i < cities.size(); ++i)
    std::cout << cities[i] << ": " << millions[i] << " million at (" << longitude[i] << ", " << latitude[i] << ")\n";

  const auto box = array.non_empty_domain<double>();
  std::cout << "all cities lie between longitudes " << box[0].second.first << " and " << box[0].second.second << "\n";
}
