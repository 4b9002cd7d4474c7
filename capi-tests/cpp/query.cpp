/* Queries: buffers, statuses, results, estimates, fragments. */
#include <tiledb/tiledb>

#include <array>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common.hpp"

using namespace tiledb;

/* A sparse array with attributes of every shape: fixed, pairs, strings, nullable. */
static void create(const Context& ctx, const std::string& uri) {
  ArraySchema schema(ctx, TILEDB_SPARSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int64_t>(ctx, "d", {{0, 99}}, 10));
  schema.set_domain(domain).set_capacity(4);
  schema.add_attribute(Attribute::create<float>(ctx, "fixed"));
  schema.add_attribute(Attribute::create<std::array<int16_t, 2>>(ctx, "pair"));
  schema.add_attribute(Attribute::create<std::string>(ctx, "text"));
  Attribute maybe = Attribute::create<int32_t>(ctx, "maybe");
  maybe.set_nullable(true);
  Attribute note = Attribute::create<std::vector<uint8_t>>(ctx, "note");
  note.set_nullable(true);
  schema.add_attributes(maybe, note);
  Array::create(ctx, uri, schema);
}

/* Ten cells. */
struct Cells {
  std::vector<int64_t> d = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<float> fixed = std::vector<float>(10, 0.5F);
  std::vector<std::array<int16_t, 2>> pair = std::vector<std::array<int16_t, 2>>(10, {1, 2});
  std::string text = "abbcccddddeeeee12345";
  std::vector<uint64_t> text_offsets = {0, 1, 3, 6, 10, 15, 16, 17, 18, 19};
  std::vector<int32_t> maybe = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<uint8_t> maybe_validity = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  std::vector<uint8_t> note = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<uint64_t> note_offsets = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<uint8_t> note_validity = std::vector<uint8_t>(10, 1);

  void set(Query& query) {
    query.set_data_buffer("d", d).set_data_buffer("fixed", fixed).set_data_buffer("pair", pair);
    query.set_data_buffer("text", text).set_offsets_buffer("text", text_offsets);
    query.set_data_buffer("maybe", maybe).set_validity_buffer("maybe", maybe_validity);
    query.set_data_buffer("note", note).set_offsets_buffer("note", note_offsets);
    query.set_validity_buffer("note", note_validity);
  }
};

static void write(const Context& ctx) {
  Array array(ctx, "cells", TILEDB_WRITE, {TimeTravel, 7});
  Query query(ctx, array);
  assert(query.query_type() == TILEDB_WRITE && query.query_status() == Query::Status::UNINITIALIZED);
  assert(&query.ctx() == &ctx && &query.array() == &array && &std::as_const(query).array() == &array);
  assert(query.set_layout(TILEDB_UNORDERED).query_layout() == TILEDB_UNORDERED);
  Cells cells;
  cells.set(query);
  assert(query.submit() == Query::Status::COMPLETE);
  assert(query.fragment_num() == 1 && query.fragment_uri(0).find("cells") != std::string::npos);
  assert(query.fragment_timestamp_range(0) == std::make_pair(uint64_t{7}, uint64_t{7}));
  expect_throw<TileDBError>([&] { query.fragment_uri(1); });
}

static void read(const Context& ctx) {
  Array array(ctx, "cells", TILEDB_READ);
  Cells expected, cells;
  cells.text.assign(100, ' ');
  cells.note.assign(40, 0);
  cells.maybe_validity.assign(10, 7);
  Query query(ctx, array, TILEDB_READ);
  query.set_layout(TILEDB_ROW_MAJOR);
  assert(!query.has_results());
  cells.set(query);
  assert(query.submit() == Query::Status::COMPLETE && query.has_results());

  auto elements = query.result_buffer_elements();
  using Pair = std::pair<uint64_t, uint64_t>;
  assert(elements.size() == 6 && elements["d"] == Pair(0, 10) && elements["fixed"] == Pair(0, 10));
  assert(elements["pair"] == Pair(0, 10) && elements["text"] == Pair(10, 20) && elements["note"] == Pair(10, 10));
  auto nullable = query.result_buffer_elements_nullable();
  using Triple = std::tuple<uint64_t, uint64_t, uint64_t>;
  assert(nullable["maybe"] == Triple(0, 10, 10) && nullable["note"] == Triple(10, 10, 10));
  assert(nullable["fixed"] == Triple(0, 10, 0));
  assert(cells.pair == expected.pair && cells.text.substr(0, 20) == expected.text && cells.maybe == expected.maybe);
  assert(cells.text_offsets == expected.text_offsets && cells.maybe_validity == expected.maybe_validity);

  void* data = nullptr;
  uint64_t *offsets = nullptr, num = 0, size = 0;
  uint8_t* validity = nullptr;
  query.get_data_buffer("pair", &data, &num, &size);
  assert(data == cells.pair.data() && num == 10 && size == 4);
  query.get_offsets_buffer("text", &offsets, &num);
  assert(offsets == cells.text_offsets.data() && num == 10);
  query.get_validity_buffer("maybe", &validity, &num);
  assert(validity == cells.maybe_validity.data() && num == 10);

  // Counted in values of the datatype without a static type, and with a pointer to the first.
  std::vector<int16_t> numbers(20);
  Query plain(array);
  plain.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("pair", static_cast<void*>(numbers.data()), 20);
  plain.submit();
  assert(plain.result_buffer_elements()["pair"] == Pair(0, 20) && numbers[18] == 1 && numbers[19] == 2);
  uint64_t starts[10] = {};
  char text[64] = {};
  uint8_t valid[10] = {};
  Query pointers(array);
  pointers.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("text", text, 64).set_offsets_buffer("text", starts, 10);
  pointers.set_data_buffer("maybe", cells.maybe).set_validity_buffer("maybe", valid, 10).submit();
  assert(starts[9] == 19 && text[19] == '5' && valid[0] == 1 && valid[9] == 0);
  expect_throw<TileDBError>([&] { pointers.set_data_buffer("nothing", numbers); });
}

static void types(const Context& ctx) {
  Array array(ctx, "cells", TILEDB_READ);
  Query query(array);
  std::vector<int32_t> ints(10);
  std::vector<double> doubles(10);
  std::string text(10, ' ');
  expect_throw<TypeError>([&] { query.set_data_buffer("d", ints); });
  expect_throw<TypeError>([&] { query.set_data_buffer("fixed", doubles.data(), 10); });
  expect_throw<TypeError>([&] { query.set_data_buffer("maybe", text); });
  // What fails leaves the buffer that was set as it was.
  std::vector<float> fixed(10);
  query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("fixed", fixed);
  expect_throw<TileDBError>([&] { query.set_data_buffer("fixed", static_cast<float*>(nullptr), 1000); });
  assert(query.result_buffer_elements()["fixed"].second == 10);
  query.submit();
  assert(fixed[9] == 0.5F);
  // A field of which only the offsets are asked for has no values.
  std::vector<uint64_t> offsets(10);
  Query only(array);
  only.set_layout(TILEDB_ROW_MAJOR).set_offsets_buffer("text", offsets);
  assert((only.result_buffer_elements()["text"] == std::pair<uint64_t, uint64_t>(10, 0)));
}

static void parts(const Context& ctx) {
  Array array(ctx, "cells", TILEDB_READ);
  Query query(array);
  Subarray subarray(ctx, array);
  subarray.add_range<int64_t>(0, 2, 8);
  Config config;
  config["sm.var_offsets.extra_element"] = "true";
  query.set_config(config).set_subarray(subarray);
  assert(query.config().get("sm.var_offsets.extra_element") == "true");
  query.set_condition(QueryCondition::create(ctx, "d", int64_t{5}, TILEDB_NE)).set_layout(TILEDB_ROW_MAJOR);

  // Seven cells but one, three at a time.
  std::vector<int64_t> d(3), coordinates;
  query.set_data_buffer("d", d);
  Query::Status status = Query::Status::UNINITIALIZED;
  do {
    status = query.submit();
    coordinates.insert(coordinates.end(), d.begin(), d.begin() + static_cast<int64_t>(query.result_buffer_elements()["d"].second));
  } while (status == Query::Status::INCOMPLETE);
  assert(status == Query::Status::COMPLETE && coordinates == (std::vector<int64_t>{2, 3, 4, 6, 7, 8}));
  assert(query.stats().find("Context.Query") != std::string::npos);

  Subarray back(ctx, array);
  query.update_subarray_from_query(&back);
  assert((back.range<int64_t>(0, 0) == std::array<int64_t, 3>{2, 8, 0}));

  Query estimate(array);
  assert(estimate.est_result_size("d") >= 80 && estimate.est_result_size_var("text")[1] >= 20);
  assert(estimate.est_result_size_nullable("maybe")[1] >= 10);
  assert(estimate.est_result_size_var_nullable("note")[2] >= 10);
  expect_throw<TileDBError>([&] { (void)estimate.est_result_size("text"); });
}

static void global_order(const Context& ctx) {
  create(ctx, "global");
  Array array(ctx, "global", TILEDB_WRITE);
  Query query(array);
  query.set_layout(TILEDB_GLOBAL_ORDER);
  Cells cells;
  cells.set(query);
  query.submit();
  for (int64_t& d : cells.d)
    d += 10;
  query.submit();
  query.finalize();
  Query last(array);
  last.set_layout(TILEDB_GLOBAL_ORDER);
  for (int64_t& d : cells.d)
    d += 10;
  cells.set(last);
  last.submit_and_finalize();
  assert(last.query_status() == Query::Status::COMPLETE);
  FragmentInfo info(ctx, "global");
  info.load();
  assert(info.fragment_num() == 2 && info.total_cell_num() == 30);
}

static void handles(const Context& ctx) {
  Array array(ctx, "cells", TILEDB_READ);
  std::vector<float> fixed(10);
  Query query(array);
  query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("fixed", fixed);
  // Copies share all of it, the sizes of results too.
  Query copy(query);
  assert(copy.ptr() == query.ptr());
  copy.submit();
  assert(query.result_buffer_elements()["fixed"].second == 10 && copy.result_buffer_elements().size() == 1);
  Query moved(std::move(copy));
  assert(moved.query_status() == Query::Status::COMPLETE);
  // What was moved from holds nothing and can be assigned to.
  assert(copy.result_buffer_elements().empty() && copy.result_buffer_elements_nullable().empty());
  expect_throw<TileDBError>([&] { copy.submit(); });
  copy = query;
  assert(copy.ptr() == query.ptr());
  Query other(array);
  copy = std::move(other);
  assert(copy.ptr() != query.ptr());
  // The handle alone keeps the sizes of the buffers.
  std::shared_ptr<tiledb_query_t> handle;
  {
    Query brief(array);
    brief.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("fixed", fixed);
    handle = brief.ptr();
  }
  assert(tiledb_query_submit(ctx.ptr().get(), handle.get()) == TILEDB_OK);
}

/* A read goes on in other memory after its buffers were unset. */
static void unset(const Context& ctx) {
  Array array(ctx, "cells", TILEDB_READ);
  Query query(array), copy(query);
  query.set_layout(TILEDB_ROW_MAJOR);
  query.unset_buffers();
  int64_t next = 0;
  do {
    std::vector<int64_t> d(5);
    query.set_data_buffer("d", d).submit();
    const uint64_t cells = query.result_buffer_elements()["d"].second;
    assert(cells > 0 || query.query_status() == Query::Status::COMPLETE);
    for (uint64_t i = 0; i < cells; ++i)
      assert(d[i] == next++);
    copy.unset_buffers();
    assert(query.result_buffer_elements().empty());
    void* data = nullptr;
    uint64_t num = 0, size = 0;
    expect_throw<TileDBError>([&] { query.get_data_buffer("d", &data, &num, &size); });
  } while (query.query_status() == Query::Status::INCOMPLETE);
  assert(next == 10);
  Query moved(std::move(query));
  expect_throw<TileDBError>([&] { query.unset_buffers(); });
}

static void names() {
  const std::pair<tiledb_query_status_t, const char*> statuses[] = {
      {TILEDB_FAILED, "FAILED"},         {TILEDB_COMPLETED, "COMPLETE"},
      {TILEDB_INPROGRESS, "INPROGRESS"}, {TILEDB_INCOMPLETE, "INCOMPLETE"},
      {TILEDB_UNINITIALIZED, "UNINITIALIZED"}, {TILEDB_INITIALIZED, "INITIALIZED"}};
  int number = 0;
  for (const auto& [status, name] : statuses) {
    std::ostringstream printed;
    printed << Query::to_status(status);
    assert(printed.str() == name && static_cast<int>(Query::to_status(status)) == number++);
  }
  static_assert(static_cast<int>(Query::Status::FAILED) == 0 && static_cast<int>(Query::Status::INITIALIZED) == 5);
  static_assert(static_cast<int>(Query::Status::INPROGRESS) == 2);
  assert(Query::to_str(TILEDB_READ) == "READ" && Query::to_str(TILEDB_WRITE) == "WRITE");
}

int main() {
  Stats::enable();
  Context ctx;
  create(ctx, "cells");
  write(ctx);
  read(ctx);
  types(ctx);
  parts(ctx);
  global_order(ctx);
  handles(ctx);
  unset(ctx);
  names();
  return 0;
}
