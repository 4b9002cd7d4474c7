/* Members of the C++ interface of libtiledb 2.15 to 2.29 that 2.30 lacks, as programs of these releases call them. */
#define TILEDB_RS_REMOVED_API
#define TILEDB_NO_API_DEPRECATION_WARNINGS
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "common.hpp"

using namespace tiledb;

static const std::string key = "0123456789abcdeF0123456789abcdeF";

/* Rows and columns 1 to 4 in tiles of 2 by 2, an attribute of one number. */
static ArraySchema grid(const Context& ctx, tiledb_array_type_t type) {
  Domain domain(ctx);
  domain.add_dimensions(Dimension::create<int>(ctx, "rows", {{1, 4}}, 2),
                        Dimension::create<int>(ctx, "columns", {{1, 4}}, 2));
  ArraySchema schema(ctx, type);
  schema.set_domain(domain).add_attribute(Attribute::create<int>(ctx, "a"));
  return schema;
}

static std::vector<int> read_dense(const Context& ctx, Array& array) {
  std::vector<int> a(16);
  Query query(ctx, array);
  query.set_subarray({1, 4, 1, 4}).set_layout(TILEDB_ROW_MAJOR).set_buffer("a", a);
  assert(query.submit() == Query::Status::COMPLETE);
  return a;
}

/* Each form of `set_subarray`, and buffers as pointers, vectors and untyped memory. */
static void dense(const Context& ctx) {
  Array::create("dense", grid(ctx, TILEDB_DENSE));
  std::vector<int> values = {1, 2, 3, 4, 5, 6, 7, 8};
  {
    Array array(ctx, "dense", TILEDB_WRITE, uint64_t{1});
    Query query(ctx, array);
    const std::vector<int> rows = {1, 2, 1, 4};
    query.set_layout(TILEDB_ROW_MAJOR).set_subarray(rows).set_buffer("a", values.data(), values.size());
    assert(query.submit() == Query::Status::COMPLETE);
  }
  {
    Array array(ctx, "dense", TILEDB_WRITE, uint64_t{2});
    Query query(ctx, array);
    const std::vector<std::array<int, 2>> pairs = {{{3, 4}}, {{1, 4}}};
    query.set_layout(TILEDB_ROW_MAJOR).set_subarray(pairs).set_buffer("a", static_cast<void*>(values.data()), 8);
    assert(query.submit() == Query::Status::COMPLETE);
  }
  Array array(ctx, "dense", TILEDB_READ);
  assert(read_dense(ctx, array) == (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}));

  Query query(ctx, array);
  const int box[] = {2, 3, 4, 4};
  std::vector<int> column(2);
  query.set_subarray(box, 4).set_buffer("a", column);
  assert(query.submit() == Query::Status::COMPLETE && column == (std::vector<int>{8, 4}));
  void* data = nullptr;
  uint64_t count = 0, size = 0;
  query.get_buffer("a", &data, &count, &size);
  assert(data == column.data() && count == 2 && size == sizeof(int));

  expect_throw<SchemaMismatch>([&] { query.set_subarray(std::vector<int>{1, 2}); }, "2 values");
  expect_throw<TypeError>([&] { query.set_subarray(std::vector<double>{1, 2, 3, 4}); });
  expect_throw<TypeError>([&] { query.set_buffer("a", static_cast<double*>(data), 1); });
  expect_throw<TileDBError>([&] { query.set_buffer("b", column.data(), 2); });

  Array old(ctx, "dense", TILEDB_READ, uint64_t{1});
  assert(read_dense(ctx, old)[8] == std::numeric_limits<int>::min());
}

/* Coordinates of all dimensions in one buffer, and ranges of the query. */
static void sparse(const Context& ctx) {
  Array::create("sparse", grid(ctx, TILEDB_SPARSE));
  {
    std::vector<int> coordinates = {1, 1, 2, 3, 4, 4}, values = {10, 20, 30};
    Array array(ctx, "sparse", TILEDB_WRITE);
    Query query(ctx, array);
    query.set_layout(TILEDB_UNORDERED).set_coordinates(coordinates).set_buffer("a", values);
    assert(query.submit() == Query::Status::COMPLETE);
  }
  Array array(ctx, "sparse", TILEDB_READ);
  std::vector<int> coordinates(6), values(3);
  Query query(ctx, array);
  query.add_range(0, 1, 2).add_range("rows", 4, 4).add_range("columns", 3, 4);
  assert(query.range_num(0) == 2 && query.range_num("columns") == 1);
  assert((query.range<int>(0, 1) == std::array<int, 3>{4, 4, 0}));
  assert((query.range<int>("columns", 0) == std::array<int, 3>{3, 4, 0}));
  expect_throw<TypeError>([&] { query.add_range(0, 1.0, 2.0); });
  expect_throw<TypeError>([&] { query.range<int64_t>(0, 0); });
  query.set_layout(TILEDB_ROW_MAJOR).set_coordinates(coordinates.data(), coordinates.size()).set_buffer("a", values);
  assert(query.submit() == Query::Status::COMPLETE);
  assert(query.result_buffer_elements()["__coords"].second == 4 && query.result_buffer_elements()["a"].second == 2);
  coordinates.resize(4);
  values.resize(2);
  assert(coordinates == (std::vector<int>{2, 3, 4, 4}) && values == (std::vector<int>{20, 30}));
  std::vector<double> wrong(6);
  expect_throw<TypeError>([&] { query.set_coordinates(wrong); });
}

/* Attributes of variable size and nullable ones, in every form, and a dimension of strings. */
static void texts(const Context& ctx) {
  Domain domain(ctx);
  domain.add_dimension(Dimension::create(ctx, "name", TILEDB_STRING_ASCII, nullptr, nullptr));
  ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain).add_attribute(Attribute::create<std::string>(ctx, "text"));
  Attribute numbers = Attribute::create<std::vector<int>>(ctx, "numbers");
  Attribute maybe = Attribute::create<int>(ctx, "maybe").set_nullable(true);
  Attribute note = Attribute::create<std::string>(ctx, "note").set_nullable(true);
  schema.add_attribute(numbers).add_attribute(maybe).add_attribute(note);
  Array::create("texts", schema);

  std::string names = "abbccc", text = "xyyzzz";
  std::vector<uint64_t> offsets = {0, 1, 3}, number_offsets = {0, 4, 8};
  std::vector<int> number = {1, 2, 3}, maybes = {7, 8, 9};
  std::vector<uint8_t> validity = {1, 0, 1};
  std::vector<char> letters = {'x', 'y', 'y', 'z', 'z', 'z'};
  for (int form = 0; form < 4; form++) {
    Array array(ctx, "texts", TILEDB_WRITE, static_cast<uint64_t>(form + 1));
    Query query(ctx, array);
    query.set_layout(TILEDB_UNORDERED).set_buffer("name", offsets, names);
    auto values = std::make_pair(number_offsets, number);
    auto notes = std::make_tuple(offsets, letters, validity);
    switch (form) {
      case 0:
        query.set_buffer("text", offsets, text).set_buffer("numbers", values);
        query.set_buffer_nullable("maybe", maybes, validity).set_buffer_nullable("note", offsets, text, validity);
        break;
      case 1:
        query.set_buffer("text", offsets, letters).set_buffer("numbers", number_offsets, number);
        query.set_buffer_nullable("maybe", maybes.data(), 3, validity.data(), 3).set_buffer_nullable("note", notes);
        break;
      case 2:
        query.set_buffer("text", offsets.data(), 3, text.data(), 6);
        query.set_buffer("numbers", number_offsets.data(), 3, number.data(), 3);
        query.set_buffer_nullable("maybe", static_cast<void*>(maybes.data()), 3, validity.data(), 3);
        query.set_buffer_nullable("note", offsets, letters, validity);
        break;
      default:
        query.set_buffer("text", offsets.data(), 3, static_cast<void*>(text.data()), 6);
        query.set_buffer("numbers", number_offsets.data(), 3, static_cast<void*>(number.data()), 3);
        query.set_buffer_nullable("maybe", maybes, validity);
        query.set_buffer_nullable("note", offsets.data(), 3, static_cast<void*>(text.data()), 6, validity.data(), 3);
    }
    assert(query.submit() == Query::Status::COMPLETE);
  }

  for (uint64_t at = 1; at <= 4; at++) {
    Array array(ctx, "texts", TILEDB_READ, {TimestampStartEnd, at, at});
    Query query(ctx, array);
    query.add_range("name", std::string("bb"), std::string("ccc"));
    assert(query.range_num("name") == 1);
    assert((query.range(0, 0) == std::array<std::string, 2>{"bb", "ccc"}) && query.range("name", 0) == query.range(0, 0));
    std::string read_text(6, ' '), read_note(6, ' ');
    std::vector<uint64_t> text_offsets(3), note_offsets(3), read_offsets(3);
    std::vector<int> read_numbers(3), read_maybes(3);
    std::vector<uint8_t> maybe_validity(3), note_validity(3);
    query.set_buffer("text", text_offsets, read_text).set_buffer("numbers", read_offsets, read_numbers);
    query.set_buffer_nullable("maybe", read_maybes, maybe_validity);
    query.set_buffer_nullable("note", note_offsets, read_note, note_validity);
    assert(query.submit() == Query::Status::COMPLETE);
    assert(read_text.substr(0, 5) == "yyzzz" && text_offsets[1] == 2 && read_numbers[0] == 2 && read_numbers[1] == 3);
    assert(maybe_validity[0] == 0 && maybe_validity[1] == 1 && read_maybes[1] == 9);
    assert(note_validity[1] == 1 && read_note.substr(note_offsets[1], 3) == "zzz");

    uint64_t *where = nullptr, wheres = 0, count = 0, size = 0, valids = 0;
    uint8_t* valid = nullptr;
    void* data = nullptr;
    query.get_buffer("text", &where, &wheres, &data, &count, &size);
    assert(where == text_offsets.data() && wheres == 2 && data == read_text.data() && count == 5 && size == 1);
    query.get_buffer_nullable("maybe", &data, &count, &size, &valid, &valids);
    assert(data == read_maybes.data() && count == 2 && valid == maybe_validity.data() && valids == 2);
    query.get_buffer_nullable("note", &where, &wheres, &data, &count, &size, &valid, &valids);
    assert(where == note_offsets.data() && wheres == 2 && data == read_note.data() && valid == note_validity.data());
  }
  Array array(ctx, "texts", TILEDB_READ);
  Query query(ctx, array);
  expect_throw<TypeError>([&] { query.set_buffer("numbers", offsets, text); });
  query.add_range(0, std::string("a"), std::string("b"));
  assert(query.range_num(0) == 1);
  expect_throw<TileDBError>([&] { query.range("name", 5); });
}

/* Queries on a thread of the library. */
static void async(const Context& ctx) {
  Array array(ctx, "dense", TILEDB_READ);
  std::atomic<int> calls{0};
  std::vector<int> a(16);
  Query query(ctx, array);
  query.set_subarray({1, 4, 1, 4}).set_buffer("a", a);
  query.submit_async([&calls] { calls++; });
  for (int i = 0; i < 30000 && query.query_status() == Query::Status::INPROGRESS; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  assert(query.query_status() == Query::Status::COMPLETE && calls == 1 && a[15] == 8);

  Query plain(ctx, array);
  plain.set_subarray({1, 1, 1, 4}).set_buffer("a", a);
  plain.submit_async();
  for (int i = 0; i < 30000 && plain.query_status() == Query::Status::INPROGRESS; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  assert(plain.query_status() == Query::Status::COMPLETE);

  Query moved(std::move(plain));
  expect_throw<TileDBError>([&] { plain.submit_async([] {}); }, "moved");
}

/* Keys as arguments. */
static void encrypted(const Context& ctx) {
  const auto length = static_cast<uint32_t>(key.size());
  Array::create("secret", grid(ctx, TILEDB_DENSE), TILEDB_AES_256_GCM, key);
  Array::create("secret2", grid(ctx, TILEDB_DENSE), TILEDB_AES_256_GCM, key.data(), length);
  expect_throw<TileDBError>([&] { Array::load_schema(ctx, "secret"); });
  assert(Array::load_schema(ctx, "secret", TILEDB_AES_256_GCM, key.data(), length).attribute_num() == 1);
  assert(ArraySchema(ctx, "secret2", TILEDB_AES_256_GCM, key).domain().ndim() == 2);
  for (uint64_t at = 1; at <= 2; at++) {
    Array array(ctx, "secret", TILEDB_WRITE, TILEDB_AES_256_GCM, key, at);
    std::vector<int> values(16, static_cast<int>(at));
    Query query(ctx, array);
    query.set_layout(TILEDB_ROW_MAJOR).set_subarray({1, 4, 1, 4}).set_buffer("a", values);
    assert(query.submit() == Query::Status::COMPLETE);
    array.put_metadata("at", TILEDB_UINT64, 1, &at);
    array.close();
  }
  Config config;
  Array::consolidate_metadata(ctx, "secret", TILEDB_AES_256_GCM, key);
  Array::consolidate_metadata(ctx, "secret", TILEDB_AES_256_GCM, key.data(), length, &config);
  Array::consolidate(ctx, "secret", TILEDB_AES_256_GCM, key);
  Array::consolidate(ctx, "secret", TILEDB_AES_256_GCM, key.data(), length, &config);
  Array now(ctx, "secret", TILEDB_READ, TILEDB_AES_256_GCM, key);
  assert(read_dense(ctx, now)[0] == 2);
  now.close();
  now.open(TILEDB_READ, TILEDB_AES_256_GCM, key.data(), length, 1);
  assert(read_dense(ctx, now)[0] == 1);
  Array then(ctx, "secret", TILEDB_READ, TILEDB_AES_256_GCM, key.data(), length, 1);
  assert(read_dense(ctx, then)[0] == 1);
}

static void deletion(const Context& ctx) {
  Array exclusive(ctx, "dense", TILEDB_MODIFY_EXCLUSIVE);
  exclusive.delete_fragments("dense", 2, 2);
  exclusive.close();
  {
    Array array(ctx, "dense", TILEDB_READ);
    assert(read_dense(ctx, array)[8] == std::numeric_limits<int>::min());
  }
  exclusive.open(TILEDB_MODIFY_EXCLUSIVE);
  exclusive.delete_array("dense");
  assert(Object::object(ctx, "dense").type() == Object::Type::Invalid);
}

/* Each `dump` writes what `operator<<` prints, which is shorter for dimensions. */
static void dumps(const Context& ctx) {
  const ArraySchema schema = grid(ctx, TILEDB_DENSE);
  std::vector<std::string> names = {"red", "blue"};
  const Enumeration colours = Enumeration::create(ctx, "colours", names);
  const auto written = [](const auto& object) {
    FILE* file = std::tmpfile();
    assert(file != nullptr);
    object.dump(file);
    std::rewind(file);
    std::string text(1 << 16, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text;
  };
  const auto printed = [](const auto& object) {
    std::ostringstream stream;
    stream << object;
    return stream.str();
  };
  const auto compare = [&](const auto& object) {
    assert(!printed(object).empty() && written(object) == printed(object));
  };
  compare(schema);
  compare(schema.domain());
  assert(written(schema.domain().dimension(0)).find("rows") != std::string::npos);
  compare(schema.attribute(0));
  compare(colours);
}

int main() {
  const Context ctx;
  dense(ctx);
  sparse(ctx);
  texts(ctx);
  async(ctx);
  encrypted(ctx);
  deletion(ctx);
  dumps(ctx);
}
