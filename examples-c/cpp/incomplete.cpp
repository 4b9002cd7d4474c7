/* Reading more than fits in memory: the query fills the buffers again and again until it is complete. */
#include <tiledb/tiledb>

#include <iostream>
#include <numeric>
#include <vector>

int main() {
  const tiledb::Context ctx;

  tiledb::Domain domain(ctx);
  domain.add_dimension(tiledb::Dimension::create<uint32_t>(ctx, "day", {{1, 365}}, 30));
  tiledb::ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).add_attribute(tiledb::Attribute::create<double>(ctx, "rain"));
  tiledb::Array::create("weather", schema);
  {
    std::vector<uint32_t> days(365);
    std::iota(days.begin(), days.end(), 1);
    std::vector<double> rain;
    for (const auto day : days)
      rain.push_back(day % 7 == 0 ? 3.5 : 0.25);
    tiledb::Array array(ctx, "weather", TILEDB_WRITE);
    tiledb::Query query(array);
    query.set_layout(TILEDB_UNORDERED).set_data_buffer("day", days).set_data_buffer("rain", rain).submit();
  }

  // Room for 100 days only.
  std::vector<uint32_t> days(100);
  std::vector<double> rain(100);
  tiledb::Array array(ctx, "weather", TILEDB_READ);
  tiledb::Query query(array);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("day", days).set_data_buffer("rain", rain);
  double total = 0;
  tiledb::Query::Status status;
  do {
    status = query.submit();
    const auto count = query.result_buffer_elements()["rain"].second;
    // A buffer that cannot hold one cell gives none: then it must grow.
    if (status == tiledb::Query::Status::INCOMPLETE && count == 0) {
      days.resize(2 * days.size());
      rain.resize(2 * rain.size());
      query.set_data_buffer("day", days).set_data_buffer("rain", rain);
      continue;
    }
    total = std::accumulate(rain.begin(), rain.begin() + static_cast<std::ptrdiff_t>(count), total);
    std::cout << status << ": " << count << " days, from day " << days[0] << " on\n";
  } while (status == tiledb::Query::Status::INCOMPLETE);
  std::cout << "rain of the year: " << total << " mm\n";
}
