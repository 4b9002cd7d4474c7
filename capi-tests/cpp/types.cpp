/* How C++ types and datatypes belong together, and the check of static types. */
#include "common.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <tiledb/tiledb>
#include <type_traits>
#include <vector>

using namespace tiledb;

namespace {

struct Point {
  int32_t x, y;
  double value;
};

constexpr unsigned var = std::numeric_limits<unsigned>::max();

/* A row of one of the tables between types and datatypes. */
template <typename T, typename Row>
void row(Row, tiledb_datatype_t type, const char* name) {
  static_assert(std::is_same_v<typename Row::type, T>);
  const tiledb_datatype_t& actual = Row::tiledb_type;
  assert(actual == type && std::string(Row::name) == name);
}

void tables() {
  row<std::byte>(impl::type_to_tiledb<std::byte>(), TILEDB_BLOB, "BLOB");
  row<bool>(impl::type_to_tiledb<bool>(), TILEDB_BOOL, "BOOL");
  row<int8_t>(impl::type_to_tiledb<int8_t>(), TILEDB_INT8, "INT8");
  row<uint8_t>(impl::type_to_tiledb<uint8_t>(), TILEDB_UINT8, "UINT8");
  row<int16_t>(impl::type_to_tiledb<int16_t>(), TILEDB_INT16, "INT16");
  row<uint16_t>(impl::type_to_tiledb<uint16_t>(), TILEDB_UINT16, "UINT16");
  row<int32_t>(impl::type_to_tiledb<int32_t>(), TILEDB_INT32, "INT32");
  row<uint32_t>(impl::type_to_tiledb<uint32_t>(), TILEDB_UINT32, "UINT32");
  row<int64_t>(impl::type_to_tiledb<int64_t>(), TILEDB_INT64, "INT64");
  row<uint64_t>(impl::type_to_tiledb<uint64_t>(), TILEDB_UINT64, "UINT64");
  row<float>(impl::type_to_tiledb<float>(), TILEDB_FLOAT32, "FLOAT32");
  row<double>(impl::type_to_tiledb<double>(), TILEDB_FLOAT64, "FLOAT64");
  row<char>(impl::type_to_tiledb<char>(), TILEDB_STRING_ASCII, "Trivially Copyable (CHAR)");
  row<char>(impl::type_to_tiledb<Point>(), TILEDB_STRING_ASCII, "Trivially Copyable (CHAR)");

  row<char>(impl::tiledb_to_type<TILEDB_CHAR>(), TILEDB_CHAR, "CHAR");
  row<std::byte>(impl::tiledb_to_type<TILEDB_BLOB>(), TILEDB_BLOB, "BLOB");
  row<std::byte>(impl::tiledb_to_type<TILEDB_GEOM_WKB>(), TILEDB_GEOM_WKB, "GEOM_WKB");
  row<std::byte>(impl::tiledb_to_type<TILEDB_GEOM_WKT>(), TILEDB_GEOM_WKT, "GEOM_WKT");
  row<uint8_t>(impl::tiledb_to_type<TILEDB_BOOL>(), TILEDB_BOOL, "BOOL");
  row<int8_t>(impl::tiledb_to_type<TILEDB_INT8>(), TILEDB_INT8, "INT8");
  row<uint8_t>(impl::tiledb_to_type<TILEDB_UINT8>(), TILEDB_UINT8, "UINT8");
  row<int16_t>(impl::tiledb_to_type<TILEDB_INT16>(), TILEDB_INT16, "INT16");
  row<uint16_t>(impl::tiledb_to_type<TILEDB_UINT16>(), TILEDB_UINT16, "UINT16");
  row<int32_t>(impl::tiledb_to_type<TILEDB_INT32>(), TILEDB_INT32, "INT32");
  row<uint32_t>(impl::tiledb_to_type<TILEDB_UINT32>(), TILEDB_UINT32, "UINT32");
  row<int64_t>(impl::tiledb_to_type<TILEDB_INT64>(), TILEDB_INT64, "INT64");
  row<uint64_t>(impl::tiledb_to_type<TILEDB_UINT64>(), TILEDB_UINT64, "UINT64");
  row<float>(impl::tiledb_to_type<TILEDB_FLOAT32>(), TILEDB_FLOAT32, "FLOAT32");
  row<double>(impl::tiledb_to_type<TILEDB_FLOAT64>(), TILEDB_FLOAT64, "FLOAT64");
}

template <typename T, typename = void>
struct IsTrivial : std::false_type {};

template <typename T>
struct IsTrivial<T, std::void_t<impl::enable_trivial<T>>> : std::true_type {};

void traits() {
  static_assert(!impl::defer_assert<int>::value);
  static_assert(!impl::is_std_array<int[3]>::value && impl::is_std_array<std::array<int, 3>>::value);
  static_assert(std::is_base_of_v<std::true_type, impl::is_std_array<std::array<Point, 1>>>);
  static_assert(IsTrivial<int>::value && IsTrivial<Point>::value);
  static_assert(!IsTrivial<std::string>::value && !IsTrivial<int*>::value);
  static_assert(!IsTrivial<int[2]>::value && !IsTrivial<std::array<int, 2>>::value);
}

/* What a handler says of a value: the datatype, how many values a cell has, how many there are and where they lie. */
template <typename T, typename Value>
void handler(T& value, tiledb_datatype_t type, unsigned num, size_t size) {
  using Handler = impl::TypeHandler<T>;
  static_assert(std::is_same_v<typename Handler::value_type, Value>);
  assert(Handler::tiledb_type == type && Handler::tiledb_num == num && Handler::size(value) == size);
  const T& constant = value;
  assert(Handler::data(value) == Handler::data(constant));
}

void handlers() {
  int32_t number = 7;
  handler<int32_t, int32_t>(number, TILEDB_INT32, 1, 1);
  const int32_t eight = 8;
  impl::TypeHandler<int32_t>::set(number, &eight, sizeof eight);
  assert(number == 8 && *impl::TypeHandler<int32_t>::data(number) == 8);
  expect_throw<std::runtime_error>([&] { impl::TypeHandler<int32_t>::set(number, &eight, 3); }, "4 bytes");

  Point point{1, 2, 0.5};
  handler<Point, Point>(point, TILEDB_STRING_ASCII, sizeof(Point), 1);

  std::string text = "abc";
  handler<std::string, char>(text, TILEDB_STRING_ASCII, var, 3);
  impl::TypeHandler<std::string>::set(text, "hello", 5);
  assert(text == "hello");
  impl::TypeHandler<std::string>::set(text, nullptr, 0);
  assert(text.empty());
  std::u16string wide = u"ab";
  handler<std::u16string, char16_t>(wide, TILEDB_STRING_ASCII, var, 2);
  expect_throw<std::runtime_error>([&] { impl::TypeHandler<std::u16string>::set(wide, "abc", 3); });
  static_assert(std::is_same_v<impl::TypeHandler<std::string>::element_th, impl::TypeHandler<char>>);

  using Text = impl::TypeHandler<const char *>;
  const char* characters = "wxyz";
  static_assert(std::is_same_v<Text::value_type, char> && std::is_same_v<Text::element_th, impl::TypeHandler<char>>);
  assert(Text::tiledb_type == TILEDB_STRING_ASCII && Text::tiledb_num == var);
  assert(Text::size(characters) == 4 && Text::data(characters) == characters);

  std::vector<double> numbers{1.5, 2.5};
  handler<std::vector<double>, double>(numbers, TILEDB_FLOAT64, var, 2);
  const double three[] = {1.0, 2.0, 3.0};
  impl::TypeHandler<std::vector<double>>::set(numbers, three, sizeof three);
  assert(numbers.size() == 3 && numbers[2] == 3.0);
  expect_throw<std::runtime_error>([&] { impl::TypeHandler<std::vector<double>>::set(numbers, three, 9); });
  static_assert(std::is_same_v<impl::TypeHandler<std::vector<double>>::element_th, impl::TypeHandler<double>>);

  std::array<uint16_t, 3> few{1, 2, 3};
  handler<std::array<uint16_t, 3>, uint16_t>(few, TILEDB_UINT16, 3, 3);
  const uint16_t others[] = {4, 5, 6};
  impl::TypeHandler<std::array<uint16_t, 3>>::set(few, others, sizeof others);
  assert(few[2] == 6);
  expect_throw<std::runtime_error>([&] { impl::TypeHandler<std::array<uint16_t, 3>>::set(few, others, 4); });
  using FewHandler = impl::TypeHandler<std::array<uint16_t, 3>>;
  static_assert(std::is_same_v<FewHandler::element_th, impl::TypeHandler<uint16_t>>);

  using Plain = impl::TypeHandler<int8_t[2]>;
  int8_t pair[2] = {1, 2};
  const int8_t constant[2] = {3, 4};
  static_assert(std::is_same_v<Plain::value_type, int8_t>);
  static_assert(std::is_same_v<Plain::element_th, impl::TypeHandler<int8_t>>);
  assert(Plain::tiledb_type == TILEDB_INT8 && Plain::tiledb_num == 2 && Plain::size(pair) == 2);
  assert(Plain::data(pair) == pair && Plain::data(constant) == constant);
  Plain::set(pair[0], constant, 2);
  assert(pair[0] == 3 && pair[1] == 4);
  expect_throw<std::runtime_error>([&] { Plain::set(pair[0], constant, 1); });
  static_assert(impl::TypeHandler<Point[2]>::tiledb_num == 2 * sizeof(Point));
}

void datatypes() {
  assert(impl::type_size(TILEDB_INT32) == 4 && impl::type_size(TILEDB_DATETIME_NS) == 8);
  assert(impl::to_str(TILEDB_STRING_UTF8) == "STRING_UTF8" && impl::type_to_str(TILEDB_INT32) == "INT32");
  assert(impl::type_to_str(static_cast<tiledb_datatype_t>(50)).empty());
  for (int value = 0; value < 44; value++) {
    const auto type = static_cast<tiledb_datatype_t>(value);
    const std::string name = impl::type_to_str(type);
    assert(impl::tiledb_string_type(type) == (name.rfind("STRING_", 0) == 0));
    assert(impl::tiledb_datetime_type(type) == (name.rfind("DATETIME_", 0) == 0));
    assert(impl::tiledb_time_type(type) == (name.rfind("TIME_", 0) == 0));
    assert(impl::tiledb_byte_type(type) == (name == "BLOB" || name.rfind("GEOM_", 0) == 0));
  }
}

void checks() {
  assert(impl::identity(5) == 5);
  const std::string text = "same";
  assert(&impl::identity(text) == &text);

  impl::type_check<int32_t>(TILEDB_INT32);
  impl::type_check<int32_t>(TILEDB_INT32, 1);
  impl::type_check<std::array<float, 2>>(TILEDB_FLOAT32, 2);
  impl::type_check<std::string>(TILEDB_STRING_UTF8, TILEDB_VAR_NUM);
  impl::type_check<Point>(TILEDB_CHAR);
  impl::type_check<char16_t>(TILEDB_STRING_UTF16);
  impl::type_check<std::byte>(TILEDB_GEOM_WKB);
  impl::type_check<int64_t>(TILEDB_DATETIME_DAY);
  impl::type_check<int64_t>(TILEDB_TIME_NS);
  impl::type_check<bool>(TILEDB_BOOL);
  expect_throw<TypeError>([] { impl::type_check<uint32_t>(TILEDB_INT32); }, "UINT32");
  expect_throw<TypeError>([] { impl::type_check<int32_t>(TILEDB_INT32, 2); }, "Expected num of 2, static type has num of 1");
  /* Any number of values fits any other. */
  impl::type_check<char[10]>(TILEDB_STRING_ASCII, TILEDB_VAR_NUM);
  impl::type_check<char[10]>(TILEDB_CHAR, 10);
  impl::type_check<std::string>(TILEDB_STRING_ASCII, 1);
  impl::type_check<std::vector<int32_t>>(TILEDB_INT32, 3);
  expect_throw<TypeError>([] { impl::type_check<char[10]>(TILEDB_CHAR, 5); }, "Expected num of 5");
  expect_throw<TypeError>([] { impl::type_check<int32_t>(TILEDB_TIME_HR); }, "int64_t for tiledb time type");
  expect_throw<TypeError>([] { impl::type_check<uint8_t>(TILEDB_BLOB); }, "std::byte for tiledb byte type");
  expect_throw<TypeError>([] { impl::type_check<std::byte>(TILEDB_CHAR); });
  expect_throw<TypeError>([] { impl::type_check<char>(TILEDB_BLOB); });
  expect_throw<TypeError>([] { impl::type_check<uint64_t>(TILEDB_DATETIME_DAY); });
  expect_throw<TypeError>([] { impl::type_check<int32_t>(TILEDB_TIME_SEC); });
  expect_throw<TypeError>([] { impl::type_check<uint8_t>(TILEDB_BOOL); });
}

template <typename E>
void exception() {
  static_assert(std::is_base_of_v<TileDBError, E> && std::is_base_of_v<std::runtime_error, E>);
  expect_throw<E>([] { throw E("a text"); }, "a text");
}

}  // namespace

int main() {
  tables();
  traits();
  handlers();
  datatypes();
  checks();
  exception<TileDBError>();
  exception<TypeError>();
  exception<SchemaMismatch>();
  exception<AttributeError>();
  return 0;
}
