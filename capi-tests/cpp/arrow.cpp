/* Buffers of queries as arrays of the Arrow C data interface. */
#include <tiledb/arrowio>
#include <tiledb/tiledb>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"

using namespace tiledb;
using namespace tiledb::arrow;

using Children = std::vector<std::shared_ptr<CPPArrowArray>>;

static ArrowInfo format(tiledb_datatype_t type, uint32_t num, size_t offset_size = 8, bool use_list = true) {
  BufferInfo info;
  info.tdbtype = TypeInfo{type, 0, num, true, false};
  info.is_var = num == TILEDB_VAR_NUM;
  info.offsets_elem_size = offset_size;
  return tiledb_buffer_arrow_fmt(info, use_list);
}

static void formats() {
  assert(format(TILEDB_INT32, 1).fmt_ == "i" && format(TILEDB_INT32, 1).rep_.empty());
  assert(format(TILEDB_BOOL, 1).fmt_ == "b" && format(TILEDB_DATETIME_NS, 1).fmt_ == "tsn:");
  assert(format(TILEDB_STRING_ASCII, TILEDB_VAR_NUM).fmt_ == "U");
  assert(format(TILEDB_STRING_UTF8, TILEDB_VAR_NUM, 4).fmt_ == "u");
  assert(format(TILEDB_BLOB, TILEDB_VAR_NUM).fmt_ == "Z" && format(TILEDB_CHAR, TILEDB_VAR_NUM, 4).fmt_ == "z");
  assert(format(TILEDB_CHAR, 5).fmt_ == "w:5");
  assert(format(TILEDB_FLOAT64, 3).fmt_ == "+w:3" && format(TILEDB_FLOAT64, 3).rep_ == "g");
  assert(format(TILEDB_UINT8, TILEDB_VAR_NUM).fmt_ == "+L" && format(TILEDB_UINT8, TILEDB_VAR_NUM, 4).fmt_ == "+l");
  assert(format(TILEDB_UINT8, TILEDB_VAR_NUM, 8, false).fmt_ == "C");
  expect_throw<_TileDBError>([] { format(TILEDB_STRING_UTF16, 1); }, "STRING_UTF16");
  const ArrowInfo list("+L", "i");
  assert(list.fmt_ == "+L" && list.rep_ == "i");
}

/* What TileDB makes of a format. */
static TypeInfo type(const char* format, const char* of = nullptr) {
  CPPArrowSchema child("item", of == nullptr ? "n" : of, std::nullopt, 0, {}, nullptr);
  std::vector<ArrowSchema*> children;
  if (of != nullptr)
    children.push_back(child.mutable_ptr());
  const CPPArrowSchema schema("field", format, std::nullopt, ARROW_FLAG_NULLABLE, children, nullptr);
  return arrow_type_to_tiledb(schema.ptr());
}

static void types(const Context& ctx) {
  const TypeInfo number = type("i");
  assert(number.type == TILEDB_INT32 && number.elem_size == 4 && number.cell_val_num == 1 && number.nullable);
  assert(type("U").type == TILEDB_STRING_UTF8 && type("U").cell_val_num == TILEDB_VAR_NUM && type("U").arrow_large);
  assert(type("z").type == TILEDB_BLOB && !type("z").arrow_large && type("w:7").cell_val_num == 7);
  assert(type("tsm:Europe/Paris").type == TILEDB_DATETIME_MS && type("tdm").type == TILEDB_DATETIME_MS);
  assert(type("+l", "g").type == TILEDB_FLOAT64 && type("+l", "g").cell_val_num == TILEDB_VAR_NUM);
  assert(type("+w:3", "s").cell_val_num == 3);
  for (const char* unknown : {"tdD", "e", "w:", "w:0", "w:x", "", "d:19,10", "+s", "+ud:"})
    expect_throw<TileDBError>([&] { type(unknown); });
  expect_throw<TileDBError>([] { type("+l"); }, "children");
  expect_throw<TileDBError>([] { type("i", "i"); }, "children");
  expect_throw<TileDBError>([] { type("+l", "u"); });
  expect_throw<TileDBError>([] { check_arrow_schema(nullptr); });

  ArraySchema schema(ctx, TILEDB_DENSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int64_t>(ctx, "d", {{0, 3}}, 4));
  Attribute text = Attribute::create<std::string>(ctx, "text");
  text.set_nullable(true);
  schema.set_domain(domain).add_attribute(text);
  const TypeInfo of_text = tiledb_dt_info(schema, "text"), of_d = tiledb_dt_info(schema, "d");
  assert(of_text.type == TILEDB_STRING_ASCII && of_text.cell_val_num == TILEDB_VAR_NUM && of_text.nullable);
  assert(of_d.type == TILEDB_INT64 && of_d.elem_size == 8 && !of_d.nullable);
  expect_throw<TileDBError>([&] { tiledb_dt_info(schema, "e"); }, "'e'");
}

static void bits() {
  uint8_t map[12] = {1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0};
  const std::vector<uint8_t> bytes(map, map + 12);
  assert(bytemap_to_bitmap(map, 12) == 7 && map[0] == 0x0D && map[1] == 0x06);
  assert(bitmap_get(map, 0) == 1 && bitmap_get(map, 1) == 0 && bitmap_get(map, 9) == 1);
  bitmap_to_bytemap(map, 12);
  assert(std::equal(bytes.begin(), bytes.end(), map));
  BufferInfo info;
  assert(flags_for_buffer(info) == 0);
  info.is_nullable = true;
  assert(flags_for_buffer(info) == ARROW_FLAG_NULLABLE);
}

/* Who owns what. */
static void owners() {
  auto dictionary = std::make_shared<CPPArrowSchema>("d", "u", std::nullopt, 0, std::vector<ArrowSchema*>(), nullptr);
  CPPArrowSchema schema("name", "i", "metadata", ARROW_FLAG_DICTIONARY_ORDERED, {}, dictionary);
  assert(schema.mutable_ptr() == schema.ptr() && schema.ptr()->metadata == std::string("metadata"));
  ArrowSchema out;
  schema.export_ptr(&out);
  assert(schema.ptr()->release == nullptr && out.format == std::string("i") && out.name == std::string("name"));
  assert(out.flags == 1 && out.n_children == 0 && out.children == nullptr && out.private_data != nullptr);
  assert(out.dictionary->format == std::string("u"));
  expect_throw<TileDBError>([&] { schema.export_ptr(&out); });
  out.release(&out);
  assert(out.release == nullptr);

  int32_t values[] = {1, 2, 3};
  auto child = std::make_shared<CPPArrowArray>(3, 0, 0, Children(), std::vector<void*>{nullptr, values});
  CPPArrowArray array(1, 0, 0, {child}, {nullptr});
  assert(array.mutable_ptr() == array.ptr() && array.ptr()->n_children == 1);
  ArrowArray moved;
  array.export_ptr(&moved);
  child.reset();
  assert(array.ptr()->release == nullptr && moved.length == 1 && moved.null_count == 0 && moved.offset == 0);
  assert(moved.n_buffers == 1 && moved.dictionary == nullptr && moved.private_data != nullptr);
  assert(moved.children[0]->buffers[1] == values);
  expect_throw<TileDBError>([&] { array.export_ptr(&moved); });
  moved.release(&moved);
}

/* Attributes of all shapes. */
static void create(const Context& ctx, const std::string& uri) {
  ArraySchema schema(ctx, TILEDB_SPARSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int64_t>(ctx, "d", {{0, 99}}, 10));
  schema.set_domain(domain);
  Attribute maybe = Attribute::create<float>(ctx, "maybe"), text = Attribute::create<std::string>(ctx, "text");
  maybe.set_nullable(true);
  text.set_nullable(true);
  schema.add_attributes(maybe, text);
  schema.add_attribute(Attribute::create<bool>(ctx, "truth"));
  schema.add_attribute(Attribute::create<std::array<int16_t, 2>>(ctx, "pair"));
  schema.add_attribute(Attribute::create<std::vector<uint16_t>>(ctx, "list"));
  Array::create(ctx, uri, schema);
}

/* An Arrow array as another library would give it. */
struct ArrowColumn {
  ArrowColumn(const char* format, int64_t length, int64_t offset, std::vector<void*> buffers, const char* of = nullptr,
        std::shared_ptr<CPPArrowArray> elements = nullptr)
      : element("item", of == nullptr ? "n" : of, std::nullopt, 0, {}, nullptr),
        schema("", format, std::nullopt, ARROW_FLAG_NULLABLE,
               of == nullptr ? std::vector<ArrowSchema*>() : std::vector<ArrowSchema*>{element.mutable_ptr()}, nullptr),
        array(length, -1, offset, elements ? Children{elements} : Children(), buffers) {}

  CPPArrowSchema element, schema;
  CPPArrowArray array;
};

/* Three cells: 32-bit offsets, slices, bits. */
static void import(Context& ctx) {
  Array array(ctx, "first", TILEDB_WRITE);
  Query query(array);
  query.set_layout(TILEDB_UNORDERED);
  int64_t d[] = {99, 1, 2, 3};
  ArrowColumn dimension("l", 3, 1, {nullptr, d});
  float maybe[] = {0.5F, 1.5F, 2.5F};
  uint8_t second_null = 0x05, none_null = 0xFF, truth_bits = 0x06, first_null = 0x0E;
  ArrowColumn floats("f", 3, 0, {&second_null, maybe});
  // A slice: the first of four strings is left out, and its bit.
  char text[] = "leftoutabbccc";
  int32_t offsets[] = {0, 7, 8, 10, 13};
  ArrowColumn strings("u", 3, 1, {&first_null, offsets, text});
  ArrowColumn truth("b", 3, 0, {&none_null, &truth_bits});
  int16_t pairs[] = {0, 0, 1, 2, 3, 4, 5, 6};
  auto numbers = std::make_shared<CPPArrowArray>(8, 0, 0, Children(), std::vector<void*>{nullptr, pairs});
  ArrowColumn pair("+w:2", 3, 1, {nullptr}, "s", numbers);
  uint16_t elements[] = {10, 20, 21, 30, 31, 32};
  int64_t ends[] = {0, 1, 3, 6};
  auto lists = std::make_shared<CPPArrowArray>(6, 0, 0, Children(), std::vector<void*>{nullptr, elements});
  ArrowColumn list("+L", 3, 0, {nullptr, ends}, "S", lists);
  {
    ArrowAdapter adapter(&ctx, &query);
    adapter.import_buffer("d", dimension.array.ptr(), dimension.schema.ptr());
    adapter.import_buffer("maybe", floats.array.ptr(), floats.schema.ptr());
    adapter.import_buffer("text", strings.array.ptr(), strings.schema.ptr());
    adapter.import_buffer("truth", truth.array.ptr(), truth.schema.ptr());
    expect_throw<TypeError>([&] { adapter.import_buffer("d", floats.array.ptr(), floats.schema.ptr()); });
    expect_throw<TileDBError>([&] { adapter.import_buffer("d", nullptr, dimension.schema.ptr()); });
    ArrowColumn nulls("l", 3, 0, {&second_null, d});
    expect_throw<TileDBError>([&] { adapter.import_buffer("d", nulls.array.ptr(), nulls.schema.ptr()); }, "nulls");
    adapter.import_buffer("d", dimension.array.ptr(), dimension.schema.ptr());
  }
  ArrowImporter(&query).import_("pair", pair.array.ptr(), pair.schema.ptr());
  // The converted buffers stay with the query.
  query_set_buffer_arrow_array(&query, "list", list.array.mutable_ptr(), list.schema.mutable_ptr());
  assert(query.submit() == Query::Status::COMPLETE);
  expect_throw<TileDBError>([] { ArrowImporter importer(nullptr); });
}

/* Buffers for a read. */
struct Buffers {
  std::vector<int64_t> d = std::vector<int64_t>(8);
  std::vector<float> maybe = std::vector<float>(8);
  std::vector<uint8_t> maybe_validity = std::vector<uint8_t>(8), text_validity = std::vector<uint8_t>(8);
  std::string text = std::string(40, ' ');
  std::vector<uint64_t> text_offsets = std::vector<uint64_t>(8), list_offsets = std::vector<uint64_t>(8);
  bool truth[8] = {};
  std::vector<int16_t> pair = std::vector<int16_t>(16);
  std::vector<uint16_t> list = std::vector<uint16_t>(20);

  void set(Query& query) {
    query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("d", d);
    query.set_data_buffer("maybe", maybe).set_validity_buffer("maybe", maybe_validity);
    query.set_data_buffer("text", text).set_offsets_buffer("text", text_offsets);
    query.set_validity_buffer("text", text_validity).set_data_buffer("truth", truth, 8);
    query.set_data_buffer("pair", static_cast<void*>(pair.data()), 16);
    query.set_data_buffer("list", list).set_offsets_buffer("list", list_offsets).submit();
  }

  void check() const {
    assert(d[0] == 1 && d[2] == 3 && maybe[0] == 0.5F && maybe[2] == 2.5F);
    assert(maybe_validity[0] == 1 && maybe_validity[1] == 0 && text_validity[0] == 1 && text_validity[2] == 1);
    assert(text.substr(0, 6) == "abbccc" && text_offsets[1] == 1 && text_offsets[2] == 3);
    assert(!truth[0] && truth[1] && truth[2] && pair[0] == 1 && pair[5] == 6);
    assert(list[0] == 10 && list[5] == 32 && list_offsets[1] == 2 && list_offsets[2] == 6);
  }
};

static void exported(Context& ctx, Query& query, const Buffers& buffers) {
  ArrowExporter exporter(&ctx, &query);
  const BufferInfo info = exporter.buffer_info("text");
  assert(info.tdbtype.type == TILEDB_STRING_ASCII && info.is_var && info.is_nullable && info.data_num == 6);
  assert(info.data == buffers.text.data() && info.data_elem_size == 1 && info.offsets_num == 3);
  assert(info.offsets == buffers.text_offsets.data() && info.offsets_elem_size == 8);
  assert(info.validity == buffers.text_validity.data());

  ArrowArray array;
  ArrowSchema schema;
  exporter.export_("maybe", &array, &schema);
  assert(schema.format == std::string("f") && schema.name == std::string("maybe") && schema.flags == 2);
  assert(array.length == 3 && array.null_count == 1 && array.n_buffers == 2);
  assert(array.buffers[1] == buffers.maybe.data());
  assert(*static_cast<const uint8_t*>(array.buffers[0]) == 0x05);
  array.release(&array);
  schema.release(&schema);
  query_get_buffer_arrow_array(&ctx, &query, "list", &array, &schema);
  assert(schema.format == std::string("+L") && schema.children[0]->format == std::string("S") && schema.flags == 0);
  const auto* ends = static_cast<const int64_t*>(array.buffers[1]);
  assert(array.length == 3 && array.n_buffers == 2 && ends[0] == 0 && ends[1] == 1 && ends[2] == 3 && ends[3] == 6);
  assert(array.children[0]->length == 6 && array.children[0]->buffers[1] == buffers.list.data());
  // A child may be moved out and outlive its parent.
  ArrowArray child = *array.children[0];
  array.children[0]->release = nullptr;
  array.release(&array);
  schema.release(&schema);
  child.release(&child);
  expect_throw<TileDBError>([&] { exporter.export_("nothing", &array, &schema); });
  expect_throw<TileDBError>([&] { exporter.export_("d", nullptr, &schema); });
  expect_throw<TileDBError>([&] { ArrowExporter none(&ctx, nullptr); });
}

/* Out of one array and into another, by every setting of offsets. */
static void copied(Context& ctx, const char* bitsize, const char* mode, const char* extra) {
  const std::string uri = std::string("copy") + bitsize + mode + extra;
  create(ctx, uri);
  Array from(ctx, "first", TILEDB_READ), to(ctx, uri, TILEDB_WRITE);
  Query reads(from), writes(to);
  Buffers buffers;
  buffers.set(reads);
  Config config;
  config["sm.var_offsets.bitsize"] = bitsize;
  config["sm.var_offsets.mode"] = mode;
  config["sm.var_offsets.extra_element"] = extra;
  writes.set_config(config).set_layout(TILEDB_UNORDERED);
  ArrowAdapter source(&ctx, &reads), target(&ctx, &writes);
  const char* names[] = {"d", "maybe", "text", "truth", "pair", "list"};
  ArrowArray arrays[6];
  ArrowSchema schemas[6];
  for (int i = 0; i < 6; ++i) {
    source.export_buffer(names[i], &arrays[i], &schemas[i]);
    target.import_buffer(names[i], &arrays[i], &schemas[i]);
  }
  assert(writes.submit() == Query::Status::COMPLETE);
  for (int i = 0; i < 6; ++i) {
    arrays[i].release(&arrays[i]);
    schemas[i].release(&schemas[i]);
  }
  to.close();
  to.open(TILEDB_READ);
  Query again(to);
  Buffers read;
  read.set(again);
  read.check();

  // Read with these settings, offsets are told as Arrow wants them.
  Query other(to);
  std::vector<uint64_t> offsets(4);
  std::vector<uint16_t> list(6);
  other.set_config(config).set_layout(TILEDB_ROW_MAJOR).set_data_buffer("list", list);
  other.set_offsets_buffer("list", offsets).submit();
  ArrowArray array;
  ArrowSchema schema;
  ArrowAdapter(&ctx, &other).export_buffer("list", &array, &schema);
  const bool is_large = schema.format == std::string("+L");
  assert(is_large == (std::string(bitsize) == "64") && array.length == 3);
  const auto* ends = array.buffers[1];
  assert((is_large ? static_cast<const int64_t*>(ends)[3] : static_cast<const int32_t*>(ends)[3]) == 6);
  assert((is_large ? static_cast<const int64_t*>(ends)[2] : static_cast<const int32_t*>(ends)[2]) == 3);
  array.release(&array);
  schema.release(&schema);
}

int main() {
  Context ctx;
  formats();
  types(ctx);
  bits();
  owners();
  create(ctx, "first");
  import(ctx);
  Array array(ctx, "first", TILEDB_READ);
  Query query(array);
  Buffers buffers;
  buffers.set(query);
  buffers.check();
  exported(ctx, query, buffers);
  for (const char* bitsize : {"64", "32"})
    for (const char* mode : {"bytes", "elements"})
      for (const char* extra : {"false", "true"})
        copied(ctx, bitsize, mode, extra);
  return 0;
}
