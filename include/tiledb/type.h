/**
 * How C++ types and TileDB's datatypes belong together.
 *
 * `type_to_tiledb` and `tiledb_to_type` are tables from one to the other. `TypeHandler` tells for values, strings,
 * vectors and arrays which datatype they are kept as, how many values of it make one cell, and where their bytes lie.
 */
#ifndef TILEDB_CPP_TYPE_H
#define TILEDB_CPP_TYPE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core_interface.h"
#include "tiledb.h"

namespace tiledb::detail {

/** Copies `size` bytes to `dest` if these are as many as are expected. */
inline void copy_exactly(void* dest, size_t expected, const void* bytes, size_t size) {
  if (size != expected)
    throw std::runtime_error("A value of " + std::to_string(expected) + " bytes cannot be set from " +
                             std::to_string(size) + " bytes");
  if (size != 0)
    std::memcpy(dest, bytes, size);
}

/** How many values of `value_size` bytes there are in `size` bytes. */
inline size_t count_exactly(size_t value_size, size_t size) {
  if (size % value_size != 0)
    throw std::runtime_error("Values of " + std::to_string(value_size) + " bytes cannot be set from " +
                             std::to_string(size) + " bytes");
  return size / value_size;
}

}  // namespace tiledb::detail

namespace tiledb::impl {

/** False, but only once `T` is known: for assertions in templates. */
template <typename T>
struct defer_assert : std::false_type {};

/** Whether a type is a `std::array`: no. */
template <typename T>
struct is_std_array : std::false_type {};

/** Whether a type is a `std::array`: yes. */
template <typename T, std::size_t N>
struct is_std_array<std::array<T, N>> : std::true_type {};

/** Names a type if `T` can be kept as a plain value: it is copied by its bytes, and is no pointer and no array. */
template <typename T>
using enable_trivial = typename std::enable_if<std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                                               !std::is_array_v<T> && !is_std_array<T>::value>::type;

/** The datatype that a C++ type is kept as. Types that are not listed are kept as the characters they consist of. */
template <typename T>
struct type_to_tiledb {
  static_assert(std::is_trivially_copyable_v<T>, "Only types that are copied by their bytes can be kept in arrays.");
  using type = char;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_STRING_ASCII;
  static constexpr const char* name = "Trivially Copyable (CHAR)";
};

/** Bytes are kept as blobs. */
template <>
struct type_to_tiledb<std::byte> {
  using type = std::byte;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_BLOB;
  static constexpr const char* name = "BLOB";
};

/** `bool` is kept as `TILEDB_BOOL`. */
template <>
struct type_to_tiledb<bool> {
  using type = bool;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_BOOL;
  static constexpr const char* name = "BOOL";
};

/** `int8_t` is kept as `TILEDB_INT8`. */
template <>
struct type_to_tiledb<int8_t> {
  using type = int8_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_INT8;
  static constexpr const char* name = "INT8";
};

/** `uint8_t` is kept as `TILEDB_UINT8`. */
template <>
struct type_to_tiledb<uint8_t> {
  using type = uint8_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_UINT8;
  static constexpr const char* name = "UINT8";
};

/** `int16_t` is kept as `TILEDB_INT16`. */
template <>
struct type_to_tiledb<int16_t> {
  using type = int16_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_INT16;
  static constexpr const char* name = "INT16";
};

/** `uint16_t` is kept as `TILEDB_UINT16`. */
template <>
struct type_to_tiledb<uint16_t> {
  using type = uint16_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_UINT16;
  static constexpr const char* name = "UINT16";
};

/** `int32_t` is kept as `TILEDB_INT32`. */
template <>
struct type_to_tiledb<int32_t> {
  using type = int32_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_INT32;
  static constexpr const char* name = "INT32";
};

/** `uint32_t` is kept as `TILEDB_UINT32`. */
template <>
struct type_to_tiledb<uint32_t> {
  using type = uint32_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_UINT32;
  static constexpr const char* name = "UINT32";
};

/** `int64_t` is kept as `TILEDB_INT64`. */
template <>
struct type_to_tiledb<int64_t> {
  using type = int64_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_INT64;
  static constexpr const char* name = "INT64";
};

/** `uint64_t` is kept as `TILEDB_UINT64`. */
template <>
struct type_to_tiledb<uint64_t> {
  using type = uint64_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_UINT64;
  static constexpr const char* name = "UINT64";
};

/** `float` is kept as `TILEDB_FLOAT32`. */
template <>
struct type_to_tiledb<float> {
  using type = float;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_FLOAT32;
  static constexpr const char* name = "FLOAT32";
};

/** `double` is kept as `TILEDB_FLOAT64`. */
template <>
struct type_to_tiledb<double> {
  using type = double;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_FLOAT64;
  static constexpr const char* name = "FLOAT64";
};

/** The C++ type that values of a datatype are read as. `TILEDB_STRING_*`, `_DATETIME_*`, `_TIME_*` have none. */
template <tiledb_datatype_t T>
struct tiledb_to_type;

/** `TILEDB_CHAR` is read as `char`. */
template <>
struct tiledb_to_type<TILEDB_CHAR> {
  using type = char;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_CHAR;
  static constexpr const char* name = "CHAR";
};

/** `TILEDB_BLOB` is read as bytes. */
template <>
struct tiledb_to_type<TILEDB_BLOB> {
  using type = std::byte;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_BLOB;
  static constexpr const char* name = "BLOB";
};

/** `TILEDB_GEOM_WKB` is read as bytes. */
template <>
struct tiledb_to_type<TILEDB_GEOM_WKB> {
  using type = std::byte;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_GEOM_WKB;
  static constexpr const char* name = "GEOM_WKB";
};

/** `TILEDB_GEOM_WKT` is read as bytes. */
template <>
struct tiledb_to_type<TILEDB_GEOM_WKT> {
  using type = std::byte;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_GEOM_WKT;
  static constexpr const char* name = "GEOM_WKT";
};

/** `TILEDB_BOOL` is read as `uint8_t`. */
template <>
struct tiledb_to_type<TILEDB_BOOL> {
  using type = uint8_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_BOOL;
  static constexpr const char* name = "BOOL";
};

/** `TILEDB_INT8` is read as `int8_t`. */
template <>
struct tiledb_to_type<TILEDB_INT8> {
  using type = int8_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_INT8;
  static constexpr const char* name = "INT8";
};

/** `TILEDB_UINT8` is read as `uint8_t`. */
template <>
struct tiledb_to_type<TILEDB_UINT8> {
  using type = uint8_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_UINT8;
  static constexpr const char* name = "UINT8";
};

/** `TILEDB_INT16` is read as `int16_t`. */
template <>
struct tiledb_to_type<TILEDB_INT16> {
  using type = int16_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_INT16;
  static constexpr const char* name = "INT16";
};

/** `TILEDB_UINT16` is read as `uint16_t`. */
template <>
struct tiledb_to_type<TILEDB_UINT16> {
  using type = uint16_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_UINT16;
  static constexpr const char* name = "UINT16";
};

/** `TILEDB_INT32` is read as `int32_t`. */
template <>
struct tiledb_to_type<TILEDB_INT32> {
  using type = int32_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_INT32;
  static constexpr const char* name = "INT32";
};

/** `TILEDB_UINT32` is read as `uint32_t`. */
template <>
struct tiledb_to_type<TILEDB_UINT32> {
  using type = uint32_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_UINT32;
  static constexpr const char* name = "UINT32";
};

/** `TILEDB_INT64` is read as `int64_t`. */
template <>
struct tiledb_to_type<TILEDB_INT64> {
  using type = int64_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_INT64;
  static constexpr const char* name = "INT64";
};

/** `TILEDB_UINT64` is read as `uint64_t`. */
template <>
struct tiledb_to_type<TILEDB_UINT64> {
  using type = uint64_t;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_UINT64;
  static constexpr const char* name = "UINT64";
};

/** `TILEDB_FLOAT32` is read as `float`. */
template <>
struct tiledb_to_type<TILEDB_FLOAT32> {
  using type = float;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_FLOAT32;
  static constexpr const char* name = "FLOAT32";
};

/** `TILEDB_FLOAT64` is read as `double`. */
template <>
struct tiledb_to_type<TILEDB_FLOAT64> {
  using type = double;
  static constexpr tiledb_datatype_t tiledb_type = TILEDB_FLOAT64;
  static constexpr const char* name = "FLOAT64";
};

/** The name of a datatype, as `INT32`; empty for a value that is no datatype. */
inline std::string type_to_str(tiledb_datatype_t type) {
  return to_str(type);
}

/** Whether a datatype is a text: ASCII, UTF or UCS. */
inline bool tiledb_string_type(tiledb_datatype_t type) {
  switch (type) {
    case TILEDB_STRING_ASCII:
    case TILEDB_STRING_UTF8:
    case TILEDB_STRING_UTF16:
    case TILEDB_STRING_UTF32:
    case TILEDB_STRING_UCS2:
    case TILEDB_STRING_UCS4:
      return true;
    default:
      return false;
  }
}

/** Whether the values of a datatype are plain bytes: blobs and geometries. */
inline bool tiledb_byte_type(tiledb_datatype_t type) {
  return type == TILEDB_BLOB || type == TILEDB_GEOM_WKB || type == TILEDB_GEOM_WKT;
}

/** Whether a datatype is a date, counted in years to attoseconds since 1970. */
inline bool tiledb_datetime_type(tiledb_datatype_t type) {
  return type >= TILEDB_DATETIME_YEAR && type <= TILEDB_DATETIME_AS;
}

/** Whether a datatype is a time of day, counted in hours to attoseconds. */
inline bool tiledb_time_type(tiledb_datatype_t type) {
  return type >= TILEDB_TIME_HR && type <= TILEDB_TIME_AS;
}

/**
 * How values of `T` are kept in an array. A handler has
 *
 * - `value_type`: what a cell consists of,
 * - `tiledb_type`: the datatype,
 * - `tiledb_num`: how many values of the datatype make a cell; the greatest `unsigned` if that varies,
 * - `size(v)`: how many `value_type` there are in `v`,
 * - `data(v)`: where they lie,
 * - `set(v, bytes, size)`: takes `v` from `size` bytes; throws `std::runtime_error` if `v` needs another number.
 */
template <typename T, typename Enable = void>
struct TypeHandler;

/** Plain values: numbers, and types that are copied by their bytes. */
template <typename T>
struct TypeHandler<T, enable_trivial<T>> {
  using value_type = T;
  static constexpr tiledb_datatype_t tiledb_type = type_to_tiledb<T>::tiledb_type;
  static constexpr unsigned tiledb_num = sizeof(T) / sizeof(typename type_to_tiledb<T>::type);

  static size_t size(const T&) {
    return 1;
  }

  static value_type* data(T& v) {
    return &v;
  }

  static value_type const* data(T const& v) {
    return &v;
  }

  static void set(T& dest, const void* d, size_t size) {
    detail::copy_exactly(&dest, sizeof(T), d, size);
  }
};

/** Strings, as cells of any number of characters. */
template <typename T>
struct TypeHandler<std::basic_string<T>, enable_trivial<T>> {
  using element_th = TypeHandler<T>;
  using value_type = typename element_th::value_type;
  static constexpr tiledb_datatype_t tiledb_type = element_th::tiledb_type;
  static constexpr unsigned tiledb_num = std::numeric_limits<unsigned>::max();

  static size_t size(const std::basic_string<T>& v) {
    return v.size();
  }

  static value_type* data(std::basic_string<T>& v) {
    return v.data();
  }

  static value_type const* data(std::basic_string<T> const& v) {
    return v.data();
  }

  static void set(std::basic_string<T>& dest, const void* d, size_t size) {
    dest.resize(detail::count_exactly(sizeof(value_type), size));
    detail::copy_exactly(dest.data(), size, d, size);
  }
};

/** Strings that end with a zero, which is not kept. */
template <>
struct TypeHandler<const char*> {
  using element_th = TypeHandler<char>;
  using value_type = typename element_th::value_type;
  static constexpr tiledb_datatype_t tiledb_type = element_th::tiledb_type;
  static constexpr unsigned tiledb_num = std::numeric_limits<unsigned>::max();

  static size_t size(const char* v) {
    return std::strlen(v);
  }

  static value_type const* data(const char* v) {
    return v;
  }
};

/** Vectors, as cells of any number of values. */
template <typename T>
struct TypeHandler<std::vector<T>, enable_trivial<T>> {
  using element_th = TypeHandler<T>;
  using value_type = typename element_th::value_type;
  static constexpr tiledb_datatype_t tiledb_type = element_th::tiledb_type;
  static constexpr unsigned tiledb_num = std::numeric_limits<unsigned>::max();

  static size_t size(const std::vector<T>& v) {
    return v.size();
  }

  static value_type* data(std::vector<T>& v) {
    return v.data();
  }

  static value_type const* data(std::vector<T> const& v) {
    return v.data();
  }

  static void set(std::vector<T>& dest, const void* d, size_t size) {
    dest.resize(detail::count_exactly(sizeof(value_type), size));
    detail::copy_exactly(dest.data(), size, d, size);
  }
};

/** Arrays, as cells of `N` values. */
template <typename T, std::size_t N>
struct TypeHandler<std::array<T, N>, enable_trivial<T>> {
  using element_th = TypeHandler<T>;
  using value_type = typename element_th::value_type;
  static constexpr tiledb_datatype_t tiledb_type = element_th::tiledb_type;
  static constexpr unsigned tiledb_num = static_cast<unsigned>(N) * element_th::tiledb_num;

  static size_t size(const std::array<T, N>& a) {
    return a.size();
  }

  static value_type* data(std::array<T, N>& a) {
    return a.data();
  }

  static value_type const* data(std::array<T, N> const& a) {
    return a.data();
  }

  static void set(std::array<T, N>& dest, const void* d, size_t size) {
    detail::copy_exactly(dest.data(), sizeof(T) * N, d, size);
  }
};

/** C arrays, as cells of `N` values. */
template <typename T, unsigned N>
struct TypeHandler<T[N], enable_trivial<T>> {
  using element_th = TypeHandler<T>;
  using value_type = typename element_th::value_type;
  static constexpr tiledb_datatype_t tiledb_type = element_th::tiledb_type;
  static constexpr unsigned tiledb_num = N * element_th::tiledb_num;

  static size_t size(T const[N]) {
    return N;
  }

  static value_type* data(T v[N]) {
    return v;
  }

  static value_type const* data(T const v[N]) {
    return v;
  }

  /** Sets the `N` values that begin with `dest`. */
  static void set(T& dest, const void* d, size_t size) {
    detail::copy_exactly(&dest, sizeof(T) * N, d, size);
  }
};

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_TYPE_H
