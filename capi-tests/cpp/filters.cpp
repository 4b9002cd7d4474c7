/* Filters, their options and lists of them. */
#include "common.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <tiledb/tiledb>
#include <type_traits>
#include <utility>

using namespace tiledb;

namespace {

template <typename T>
std::string printed(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

/* An option of a type, set and read in all ways. */
template <typename T>
void option(Filter filter, tiledb_filter_option_t name, T one, T two) {
  assert(&filter.set_option(name, one) == &filter && filter.get_option<T>(name) == one);
  filter.set_option(name, static_cast<const void*>(&two));
  T value{};
  filter.get_option(name, &value);
  assert(value == two);
  value = one;
  filter.get_option(name, static_cast<void*>(&value));
  assert(value == two);
}

void options(const Context& ctx) {
  option<int32_t>(Filter(ctx, TILEDB_FILTER_GZIP), TILEDB_COMPRESSION_LEVEL, 5, -1);
  option<uint32_t>(Filter(ctx, TILEDB_FILTER_BIT_WIDTH_REDUCTION), TILEDB_BIT_WIDTH_MAX_WINDOW, 256, 512);
  option<uint32_t>(Filter(ctx, TILEDB_FILTER_POSITIVE_DELTA), TILEDB_POSITIVE_DELTA_MAX_WINDOW, 256, 512);
  option<uint64_t>(Filter(ctx, TILEDB_FILTER_SCALE_FLOAT), TILEDB_SCALE_FLOAT_BYTEWIDTH, 4, 2);
  option<double>(Filter(ctx, TILEDB_FILTER_SCALE_FLOAT), TILEDB_SCALE_FLOAT_FACTOR, 0.5, 0.25);
  option<double>(Filter(ctx, TILEDB_FILTER_SCALE_FLOAT), TILEDB_SCALE_FLOAT_OFFSET, 1.5, -1.5);
  option<float>(Filter(ctx, TILEDB_FILTER_WEBP), TILEDB_WEBP_QUALITY, 50.0f, 75.0f);
  option<uint8_t>(Filter(ctx, TILEDB_FILTER_WEBP), TILEDB_WEBP_LOSSLESS, 1, 0);
  option<uint8_t>(Filter(ctx, TILEDB_FILTER_WEBP), TILEDB_WEBP_INPUT_FORMAT, TILEDB_WEBP_RGB, TILEDB_WEBP_BGRA);

  // Options whose values are those of an enumeration take its type too.
  Filter webp(ctx, TILEDB_FILTER_WEBP);
  webp.set_option(TILEDB_WEBP_INPUT_FORMAT, TILEDB_WEBP_RGBA);
  assert(webp.get_option<tiledb_filter_webp_format_t>(TILEDB_WEBP_INPUT_FORMAT) == TILEDB_WEBP_RGBA);
  Filter delta(ctx, TILEDB_FILTER_DELTA);
  delta.set_option(TILEDB_COMPRESSION_REINTERPRET_DATATYPE, TILEDB_UINT16);
  assert(delta.get_option<tiledb_datatype_t>(TILEDB_COMPRESSION_REINTERPRET_DATATYPE) == TILEDB_UINT16);
  assert(delta.get_option<uint8_t>(TILEDB_COMPRESSION_REINTERPRET_DATATYPE) == TILEDB_UINT16);
}

void mistakes(const Context& ctx) {
  Filter gzip(ctx, TILEDB_FILTER_GZIP);
  using LevelError = FilterOptionTypeError<int32_t, double>;
  static_assert(std::is_base_of_v<TypeError, LevelError>);
  expect_throw<LevelError>([&] { gzip.set_option(TILEDB_COMPRESSION_LEVEL, 5.0); }, "'COMPRESSION_LEVEL' with type 'FLOAT64'; Option value must be 'INT32'.");
  expect_throw<LevelError>([&] { gzip.get_option<double>(TILEDB_COMPRESSION_LEVEL); });
  double number = 0;
  expect_throw<LevelError>([&] { gzip.get_option(TILEDB_COMPRESSION_LEVEL, &number); });
  using DatatypeError = FilterOptionTypeError<uint8_t, uint32_t>;
  expect_throw<DatatypeError>([&] { gzip.set_option(TILEDB_COMPRESSION_REINTERPRET_DATATYPE, 5u); },
                              "Option value must be 'tiledb_datatype_t' or 'UINT8'.");
  const auto unknown = static_cast<tiledb_filter_option_t>(15);
  expect_throw<std::invalid_argument>([&] { gzip.set_option(unknown, 1); }, "15");
  expect_throw<TileDBError>([&] { gzip.set_option(TILEDB_SCALE_FLOAT_FACTOR, 0.5); }, "unknown option");
  expect_throw<TileDBError>([&] { Filter filter(ctx, static_cast<tiledb_filter_type_t>(31)); });
}

void names(const Context& ctx) {
  assert(printed(Filter(ctx, TILEDB_FILTER_GZIP)) == "Filter<GZIP>");
  const std::pair<tiledb_filter_type_t, const char*> kinds[] = {
      {TILEDB_FILTER_NONE, "NOOP"},
      {TILEDB_FILTER_GZIP, "GZIP"},
      {TILEDB_FILTER_ZSTD, "ZSTD"},
      {TILEDB_FILTER_LZ4, "LZ4"},
      {TILEDB_FILTER_RLE, "RLE"},
      {TILEDB_FILTER_BZIP2, "BZIP2"},
      {TILEDB_FILTER_DOUBLE_DELTA, "DOUBLE_DELTA"},
      {TILEDB_FILTER_BIT_WIDTH_REDUCTION, "BIT_WIDTH_REDUCTION"},
      {TILEDB_FILTER_BITSHUFFLE, "BITSHUFFLE"},
      {TILEDB_FILTER_BYTESHUFFLE, "BYTESHUFFLE"},
      {TILEDB_FILTER_POSITIVE_DELTA, "POSITIVE_DELTA"},
      {TILEDB_FILTER_CHECKSUM_MD5, "CHECKSUM_MD5"},
      {TILEDB_FILTER_CHECKSUM_SHA256, "CHECKSUM_SHA256"},
      {TILEDB_FILTER_DICTIONARY, "DICTIONARY_ENCODING"},
      {TILEDB_FILTER_SCALE_FLOAT, "SCALE_FLOAT"},
      {TILEDB_FILTER_XOR, "XOR"},
      {TILEDB_FILTER_WEBP, "WEBP"},
      {TILEDB_FILTER_DELTA, "DELTA"},
      {static_cast<tiledb_filter_type_t>(31), ""}};
  for (const auto& [kind, name] : kinds)
    assert(Filter::to_str(kind) == name);
}

void sharing(const Context& ctx) {
  Filter filter(ctx, TILEDB_FILTER_ZSTD), other(ctx, TILEDB_FILTER_LZ4);
  Filter copy = filter;
  copy.set_option(TILEDB_COMPRESSION_LEVEL, 9);
  assert(filter.get_option<int32_t>(TILEDB_COMPRESSION_LEVEL) == 9 && filter.ptr() == copy.ptr());
  Filter moved = std::move(copy);
  copy = other;
  other = std::move(moved);
  assert(copy.filter_type() == TILEDB_FILTER_LZ4 && other.filter_type() == TILEDB_FILTER_ZSTD);
  // What was moved from is refused by the C interface.
  expect_throw<TileDBError>([&] { moved.filter_type(); });
  static_assert(!std::is_default_constructible_v<Filter> && !std::is_default_constructible_v<FilterList>);

  tiledb_filter_t* handle = nullptr;
  assert(tiledb_filter_alloc(ctx.ptr().get(), TILEDB_FILTER_RLE, &handle) == TILEDB_OK);
  assert(Filter(ctx, handle).filter_type() == TILEDB_FILTER_RLE);
}

void lists(const Context& ctx) {
  FilterList list(ctx);
  assert(list.nfilters() == 0 && list.max_chunk_size() == 65536 && printed(list) == "FilterList<>");
  assert(&list.add_filter(Filter(ctx, TILEDB_FILTER_DELTA)).add_filter(Filter(ctx, TILEDB_FILTER_ZSTD)) == &list);
  assert(list.nfilters() == 2 && list.filter(1).filter_type() == TILEDB_FILTER_ZSTD);
  assert(list.set_max_chunk_size(1000).max_chunk_size() == 1000);
  assert(printed(list) == "FilterList<Filter<DELTA>, Filter<ZSTD>>");
  expect_throw<TileDBError>([&] { list.filter(2); });

  FilterList copy = list, other(ctx);
  assert(copy.ptr() == list.ptr());
  FilterList moved = std::move(copy);
  copy = other;
  other = std::move(moved);
  assert(copy.nfilters() == 0 && other.nfilters() == 2);
  tiledb_filter_list_t* handle = nullptr;
  assert(tiledb_filter_list_alloc(ctx.ptr().get(), &handle) == TILEDB_OK);
  assert(FilterList(ctx, handle).ptr().get() == handle);
}

}  // namespace

int main() {
  const Context ctx;
  options(ctx);
  mistakes(ctx);
  names(ctx);
  sharing(ctx);
  lists(ctx);
  return 0;
}
