/*
 * Filters: the same measurements stored through different pipelines, and what each takes on disk.
 *
 * A sensor counts upwards with small steps. Filters that know this save much more than a compressor that does not.
 */
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>
#include <tiledb/tiledb>
#include <utility>
#include <vector>

using namespace tiledb;

static constexpr int32_t cells = 10000;

/* Pipelines by the name of the attribute that goes through them. */
static std::vector<std::pair<std::string, FilterList>> pipelines(const Context& ctx) {
  std::vector<std::pair<std::string, FilterList>> all;
  all.emplace_back("nothing", FilterList(ctx));

  // An option belongs to a filter and has a type: a value of another type is refused.
  Filter window(ctx, TILEDB_FILTER_BIT_WIDTH_REDUCTION);
  window.set_option(TILEDB_BIT_WIDTH_MAX_WINDOW, uint32_t{512});
  all.emplace_back("fewer bits", FilterList(ctx).add_filter(window));

  const Filter delta(ctx, TILEDB_FILTER_DOUBLE_DELTA);
  all.emplace_back("differences", FilterList(ctx).add_filter(delta));

  // A list is gone through first to last when cells are written, and backwards when they are read.
  FilterList checked(ctx);
  checked.add_filter(delta).add_filter(Filter(ctx, TILEDB_FILTER_CHECKSUM_SHA256)).set_max_chunk_size(16384);
  all.emplace_back("differences, checked", checked);
  return all;
}

int main() {
  Context ctx;
  const auto all = pipelines(ctx);
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(Domain(ctx).add_dimension(Dimension::create<int32_t>(ctx, "second", {{1, cells}}, cells)));
  for (const auto& [name, filters] : all)
    schema.add_attribute(Attribute::create<int64_t>(ctx, name, filters));
  Array::create("sensor", schema);

  std::vector<int64_t> counts;
  for (int64_t second = 0; second < cells; second++)
    counts.push_back(1000000 + 20 * second + second % 7);
  {
    Array array(ctx, "sensor", TILEDB_WRITE);
    Query query(ctx, array);
    query.set_layout(TILEDB_ROW_MAJOR);
    for (const auto& pipeline : all)
      query.set_data_buffer(pipeline.first, counts);
    query.submit();
  }

  // Every attribute is a file of the fragment, in the order of the schema.
  std::cout << cells << " cells of 8 bytes through\n";
  const VFS vfs(ctx);
  const std::string fragment = vfs.ls("sensor/__fragments").at(0);
  for (size_t i = 0; i < all.size(); i++) {
    const auto& [name, filters] = all[i];
    std::cout << "  " << std::left << std::setw(22) << name << std::right << std::setw(6)
              << vfs.file_size(fragment + "/a" + std::to_string(i) + ".tdb") << " bytes  " << filters << '\n';
  }

  // Whatever the filters did, what is read is what was written.
  const Array array(ctx, "sensor", TILEDB_READ);
  const ArraySchema stored = array.schema();
  for (const auto& [name, filters] : all) {
    std::vector<int64_t> read(cells);
    Query query(ctx, array);
    query.set_subarray(Subarray(ctx, array).add_range(0, 1, cells)).set_data_buffer(name, read);
    query.submit();
    if (read != counts || stored.attribute(name).filter_list().nfilters() != filters.nfilters())
      std::cout << name << " was not read as it was written\n";
  }

  Filter gzip(ctx, TILEDB_FILTER_GZIP);
  gzip.set_option(TILEDB_COMPRESSION_LEVEL, 9);
  std::cout << "\nThe level of " << gzip << " is " << gzip.get_option<int32_t>(TILEDB_COMPRESSION_LEVEL) << '\n';
  try {
    gzip.set_option(TILEDB_COMPRESSION_LEVEL, 9.5);
  } catch (const TypeError& error) {
    std::cout << "9.5 is none: " << error.what() << '\n';
  }
  return 0;
}
