/* Every write makes a fragment. Reading at an earlier time, looking at fragments, making one of many. */
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <iostream>
#include <vector>

static void print_fragments(const tiledb::Context& ctx) {
  tiledb::FragmentInfo info(ctx, "stock");
  info.load();
  std::cout << info.fragment_num() << (info.fragment_num() == 1 ? " fragment, " : " fragments, ")
            << info.to_vacuum_num() << " to be removed\n";
  for (uint32_t i = 0; i < info.fragment_num(); ++i) {
    int32_t range[2];
    info.get_non_empty_domain(i, "item", range);
    const auto [first, last] = info.timestamp_range(i);
    std::cout << "  written at " << first;
    if (last != first)
      std::cout << " to " << last;
    std::cout << ": items " << range[0] << " to " << range[1] << ", " << info.cell_num(i) << " cells\n";
  }
}

static void print_cells(const tiledb::Context& ctx, uint64_t time) {
  tiledb::Array array(ctx, "stock", TILEDB_READ, tiledb::TemporalPolicy(tiledb::TimeTravel, time));
  std::vector<int32_t> items(10), counts(10);
  tiledb::Query query(array);
  query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("item", items).set_data_buffer("count", counts).submit();
  std::cout << "at time " << time << ":";
  for (uint64_t i = 0; i < query.result_buffer_elements()["item"].second; ++i)
    std::cout << "  item " << items[i] << ": " << counts[i];
  std::cout << "\n";
}

static void write(const tiledb::Context& ctx, uint64_t time, std::vector<int32_t> items, std::vector<int32_t> counts) {
  tiledb::Array array(ctx, "stock", TILEDB_WRITE, tiledb::TemporalPolicy(tiledb::TimeTravel, time));
  tiledb::Query query(array);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("item", items).set_data_buffer("count", counts).submit();
}

int main() {
  const tiledb::Context ctx;
  tiledb::Domain domain(ctx);
  domain.add_dimension(tiledb::Dimension::create<int32_t>(ctx, "item", {{1, 100}}, 10));
  tiledb::ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).add_attribute(tiledb::Attribute::create<int32_t>(ctx, "count"));
  tiledb::Array::create("stock", schema);

  write(ctx, 10, {1, 2, 3}, {50, 50, 50});
  write(ctx, 20, {2, 4}, {45, 80});
  write(ctx, 30, {1, 2}, {49, 44});

  // A later write hides earlier ones; opened at an earlier time, the array shows what was there then.
  for (uint64_t time = 10; time <= 30; time += 10)
    print_cells(ctx, time);
  print_fragments(ctx);

  {
    const tiledb::Array array(ctx, "stock", TILEDB_READ);
    const tiledb::ConsolidationPlan plan(ctx, array, 1 << 20);
    std::cout << "the plan: " << plan.num_nodes() << " step with " << plan.num_fragments(0) << " fragments\n";
  }
  // The consolidated fragment remembers the times; the old ones are removed by a vacuum.
  tiledb::Array::consolidate(ctx, "stock");
  print_fragments(ctx);
  tiledb::Array::vacuum(ctx, "stock");
  print_fragments(ctx);
  print_cells(ctx, 30);
}
