/* Queries: aggregates, dimension labels, updates, Arrow record batches. */
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <string>
#include <utility>
#include <vector>

#include "common.hpp"

using namespace tiledb;

/* Ten cells in two fragments: the cells' numbers, every third null. */
static void create_numbers(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_SPARSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "d", {{0, 99}}, 10));
  Attribute number = Attribute::create<int32_t>(ctx, "number");
  number.set_nullable(true);
  schema.set_domain(domain).add_attribute(number);
  Array::create(ctx, "numbers", schema);
  for (int32_t half = 0; half < 2; ++half) {
    Array array(ctx, "numbers", TILEDB_WRITE, {TimeTravel, static_cast<uint64_t>(half) + 1});
    std::vector<int32_t> numbers;
    std::vector<uint8_t> validity;
    for (int32_t i = 5 * half; i < 5 * half + 5; ++i) {
      numbers.push_back(i);
      validity.push_back(i % 3 == 0 ? 0 : 1);
    }
    Query query(array);
    query.set_layout(TILEDB_UNORDERED).set_data_buffer("d", numbers).set_data_buffer("number", numbers);
    query.set_validity_buffer("number", validity).submit();
  }
}

static void aggregates(Context& ctx) {
  Array array(ctx, "numbers", TILEDB_READ);
  Query query(array);
  query.set_layout(TILEDB_UNORDERED);
  QueryChannel channel = QueryExperimental::get_default_channel(query);
  channel.apply_aggregate("count", CountOperation());
  channel.apply_aggregate("sum", QueryExperimental::create_unary_aggregate<SumOperator>(query, "number"));
  channel.apply_aggregate("min", QueryExperimental::create_unary_aggregate<MinOperator>(query, "number"));
  channel.apply_aggregate("max", QueryExperimental::create_unary_aggregate<MaxOperator>(query, "number"));
  channel.apply_aggregate("mean", QueryExperimental::create_unary_aggregate<MeanOperator>(query, "number"));
  channel.apply_aggregate("nulls", QueryExperimental::create_unary_aggregate<NullCountOperator>(query, "number"));
  uint64_t count = 0, nulls = 0;
  int64_t sum = 0;
  int32_t min = 0, max = 0;
  double mean = 0;
  uint8_t valid[4] = {};
  query.set_data_buffer("count", &count, 1).set_data_buffer("nulls", &nulls, 1);
  query.set_data_buffer("sum", &sum, 1).set_validity_buffer("sum", &valid[0], 1);
  query.set_data_buffer("min", &min, 1).set_validity_buffer("min", &valid[1], 1);
  query.set_data_buffer("max", &max, 1).set_validity_buffer("max", &valid[2], 1);
  query.set_data_buffer("mean", &mean, 1).set_validity_buffer("mean", &valid[3], 1);
  assert(query.submit() == Query::Status::COMPLETE);
  assert(count == 10 && nulls == 4 && sum == 27 && min == 1 && max == 8 && mean == 4.5 && valid[3] == 1);
  assert(query.result_buffer_elements()["count"].second == 1);
  expect_throw<TypeError>([&] { query.set_data_buffer("sum", &min, 1); });
  assert(QueryExperimental::get_relevant_fragment_num(ctx, query) == 2);

  const tiledb_channel_operator_t* operators[] = {SumOperator::ptr(), MinOperator::ptr(), MaxOperator::ptr(),
                                                  MeanOperator::ptr(), NullCountOperator::ptr()};
  for (const auto* one : operators)
    assert(one != nullptr);
}

static void handles(const Context& ctx) {
  Array array(ctx, "numbers", TILEDB_READ);
  Query query(array);
  QueryChannel channel = QueryExperimental::get_default_channel(query);
  const ChannelOperation sum = QueryExperimental::create_unary_aggregate<SumOperator>(query, "number");
  ChannelOperation none, copy(sum);
  expect_throw<TileDBError>([&] { channel.apply_aggregate("none", none); });
  ChannelOperation moved(std::move(copy));
  none = moved;
  copy = std::move(moved);
  channel.apply_aggregate("sum", none);
  expect_throw<TileDBError>([&] { channel.apply_aggregate("sum", copy); });
  expect_throw<TileDBError>([&] { QueryExperimental::create_unary_aggregate<SumOperator>(query, "nothing"); });
  tiledb_channel_operation_t* operation = nullptr;
  assert(tiledb_create_unary_aggregate(ctx.ptr().get(), query.ptr().get(), MaxOperator::ptr(), "number",
                                       &operation) == TILEDB_OK);
  tiledb_query_channel_t* raw = nullptr;
  assert(tiledb_query_get_default_channel(ctx.ptr().get(), query.ptr().get(), &raw) == TILEDB_OK);
  QueryChannel owned(ctx, raw);
  owned.apply_aggregate("max", ChannelOperation(ctx, operation));

  static_assert(!std::is_default_constructible_v<QueryChannel>);
  static_assert(std::is_base_of_v<ChannelOperator, MinOperator> && std::is_base_of_v<ChannelOperation, CountOperation>);
  QueryChannel second(channel), third(std::move(second));
  second = third;
  third = std::move(second);
  third.apply_aggregate("count", CountOperation());
}

/* Two dimensions with labels; the cell in row r and column c is 10 r + c. */
static void labels(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_DENSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "row", {{1, 3}}, 3));
  domain.add_dimension(Dimension::create<int32_t>(ctx, "column", {{1, 2}}, 2));
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  ArraySchemaExperimental::add_dimension_label(ctx, schema, 0, "height", TILEDB_INCREASING_DATA, TILEDB_FLOAT64);
  ArraySchemaExperimental::add_dimension_label(ctx, schema, 1, "name", TILEDB_INCREASING_DATA, TILEDB_STRING_ASCII);
  Array::create(ctx, "labels", schema);
  std::vector<int32_t> cells = {11, 12, 21, 22, 31, 32};
  std::vector<double> heights = {0.5, 1.5, 2.5};
  std::string names = "leftright";
  std::vector<uint64_t> offsets = {0, 4};
  {
    Array array(ctx, "labels", TILEDB_WRITE);
    Query query(array);
    query.set_layout(TILEDB_ROW_MAJOR);
    QueryExperimental::set_data_buffer(query, "a", cells);
    QueryExperimental::set_data_buffer(query, "height", heights.data(), 3);
    QueryExperimental::set_data_buffer(query, "name", names).set_offsets_buffer("name", offsets);
    query.submit();
  }
  Array array(ctx, "labels", TILEDB_READ);
  Subarray subarray(ctx, array);
  SubarrayExperimental::add_label_range(ctx, subarray, "height", 1.0, 3.0);
  Query query(array);
  query.set_layout(TILEDB_ROW_MAJOR).set_subarray(subarray);
  std::vector<double> read_heights(3);
  QueryExperimental::set_data_buffer(query, "a", static_cast<void*>(cells.data()), 6);
  QueryExperimental::set_data_buffer(query, "height", read_heights);
  query.submit();
  auto elements = QueryExperimental::result_buffer_elements_labels(query);
  assert(elements["a"].second == 4 && elements["height"].second == 2);
  assert(std::get<1>(QueryExperimental::result_buffer_elements_nullable_labels(query)["height"]) == 2);
  assert(cells[0] == 21 && cells[3] == 32 && read_heights[0] == 1.5 && read_heights[1] == 2.5);
  expect_throw<TypeError>([&] { QueryExperimental::set_data_buffer(query, "height", cells); });
  expect_throw<TileDBError>([&] { QueryExperimental::set_data_buffer(query, "width", cells); });
}

/* Updates can be prepared, not submitted. */
static void updates() {
  Config config;
  config["sm.allow_updates_experimental"] = "true";
  Context ctx(config);
  Array array(ctx, "numbers", TILEDB_UPDATE);
  Query query(array);
  const int32_t value = 1;
  QueryExperimental::add_update_value_to_query(ctx, query, "number", &value, sizeof value);
  expect_throw<TileDBError>([&] {
    QueryExperimental::add_update_value_to_query(ctx, query, "number", &value, sizeof value);
  });
  expect_throw<TileDBError>([&] { query.submit(); });
}

/* From one array into another as Arrow record batches, whole and stopped. */
static void arrow_batches(const Context& ctx) {
  Array from(ctx, "numbers", TILEDB_READ);
  Array::create(ctx, "copy", from.schema());
  for (const bool goes_on : {false, true}) {
    Query read(from);
    read.set_layout(TILEDB_UNORDERED);
    void* stream[5];
    QueryExperimental::query_to_arrow(read, stream, {"number", "d"}, 1);
    Array copy(ctx, "copy", TILEDB_WRITE);
    Query write(copy);
    write.set_layout(TILEDB_UNORDERED);
    if (!goes_on) {
      expect_throw<TileDBError>([&] {
        QueryExperimental::query_from_arrow(write, stream, [](uint64_t) { return false; });
      });
      continue;
    }
    assert(QueryExperimental::query_from_arrow(write, stream) == 10);
    assert(stream[3] == nullptr);
  }
  Array copy(ctx, "copy", TILEDB_READ);
  Query query(copy);
  std::vector<int32_t> numbers(20), cells(20);
  std::vector<uint8_t> validity(20);
  query.set_data_buffer("d", cells).set_data_buffer("number", numbers).set_validity_buffer("number", validity);
  assert(query.set_layout(TILEDB_ROW_MAJOR).submit() == Query::Status::COMPLETE);
  assert(query.result_buffer_elements()["d"].second == 10);
  for (int32_t i = 0; i < 10; ++i) {
    const auto at = static_cast<size_t>(i);
    assert(cells[at] == i && validity[at] == (i % 3 == 0 ? 0 : 1) && (!validity[at] || numbers[at] == i));
  }
}

/* A read tells how far it has come; an exception stops it, and it can be submitted again. */
static void watched_read(const Context& ctx) {
  Array array(ctx, "numbers", TILEDB_READ);
  Query query(array);
  std::vector<int32_t> cells(10);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("d", cells);
  bool was_stopped = false;
  for (int attempt = 0; attempt < 1000 && !was_stopped; ++attempt) {
    Query stopped(array);
    stopped.set_layout(TILEDB_UNORDERED).set_data_buffer("d", cells);
    try {
      QueryExperimental::submit(stopped, [](uint64_t, uint64_t) -> bool { throw std::runtime_error("enough"); });
    } catch (const TileDBError& error) {
      was_stopped = std::string(error.what()).find("enough") != std::string::npos;
      assert(was_stopped && QueryExperimental::submit(stopped, [](uint64_t, uint64_t) { return true; }) ==
                                Query::Status::COMPLETE);
      assert(stopped.result_buffer_elements()["d"].second == 10);
    }
  }
  assert(was_stopped);
  uint64_t done = 0, total = 0;
  const auto tell = [&](uint64_t now, uint64_t of) {
    done = now;
    total = of;
    return true;
  };
  assert(QueryExperimental::submit(query, tell) == Query::Status::COMPLETE && done == total && total > 0);
  assert(query.result_buffer_elements()["d"].second == 10);
}

/* Parts of a subarray have its cells, as many each. */
static void parts_of_a_subarray(const Context& ctx) {
  Array array(ctx, "numbers", TILEDB_READ);
  Subarray all(ctx, array);
  all.add_range<int32_t>(0, 0, 9);
  uint64_t tiles = 0;
  SubarrayExperimental::tiles(ctx, array, all, [&](const std::string& fragment, uint64_t, int verdict) {
    assert(fragment.find("__fragments") != std::string::npos && verdict == 2);
    return ++tiles > 0;
  });
  assert(tiles > 0);
  assert(SubarrayExperimental::part_count(ctx, array, all, 20, {"d"}) == 2);
  uint64_t timestamp = 0;
  const auto parts = SubarrayExperimental::partition(ctx, array, all, 2, nullptr, &timestamp);
  assert(timestamp == array.open_timestamp_end());
  assert(parts.size() == 2 && parts[0].cells + parts[1].cells == 10);
  uint64_t cells_read = 0;
  for (const auto& part : parts) {
    std::vector<int32_t> cells(10);
    Query query(array);
    query.set_layout(TILEDB_UNORDERED).set_subarray(part.subarray).set_data_buffer("d", cells);
    assert(query.submit() == Query::Status::COMPLETE);
    cells_read += query.result_buffer_elements()["d"].second;
  }
  assert(cells_read == 10);
}

int main() {
  Context ctx;
  create_numbers(ctx);
  aggregates(ctx);
  handles(ctx);
  labels(ctx);
  updates();
  arrow_batches(ctx);
  watched_read(ctx);
  parts_of_a_subarray(ctx);
  return 0;
}
