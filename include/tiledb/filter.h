/**
 * Filters: what happens to cells between memory and storage.
 */
#ifndef TILEDB_CPP_FILTER_H
#define TILEDB_CPP_FILTER_H

#include <cstdint>
#include <iostream>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "context.h"
#include "exception.h"
#include "handle.h"
#include "tiledb.h"
#include "type.h"

namespace tiledb {

/**
 * The value of a filter's option has another type than the option.
 *
 * @tparam Expected The type of the option.
 * @tparam Actual The type of the value.
 */
template <typename Expected, typename Actual>
class FilterOptionTypeError : public TypeError {
 public:
  /** An error about an option. */
  FilterOptionTypeError(tiledb_filter_option_t option) : TypeError(text(option, "")) {}

  /** An error about an option that can be given as another type too, whose name follows. */
  FilterOptionTypeError(tiledb_filter_option_t option, const std::string& alternate_type)
      : TypeError(text(option, "'" + alternate_type + "' or ")) {}

 private:
  static std::string text(tiledb_filter_option_t option, const std::string& other) {
    const char* name = nullptr;
    tiledb_filter_option_to_str(option, &name);
    return "Cannot set filter option '" + (name == nullptr ? std::to_string(option) : std::string(name)) +
           "' with type '" + impl::type_to_tiledb<Actual>::name + "'; Option value must be " + other + "'" +
           impl::type_to_tiledb<Expected>::name + "'.";
  }
};

namespace detail {

/** Throws unless `T` is the type of an option, or the enumeration its values come from. */
template <typename Expected, typename T, typename Enumeration = Expected>
void check_option_type(tiledb_filter_option_t option, const char* enumeration = nullptr) {
  if constexpr (!std::is_same_v<T, Expected> && !std::is_same_v<T, Enumeration>) {
    if (enumeration != nullptr)
      throw FilterOptionTypeError<Expected, T>(option, enumeration);
    throw FilterOptionTypeError<Expected, T>(option);
  }
}

/** Throws unless an option of a filter has values of type `T`. */
template <typename T>
void check_option(tiledb_filter_option_t option) {
  switch (option) {
    case TILEDB_COMPRESSION_LEVEL:
      return check_option_type<int32_t, T>(option);
    case TILEDB_BIT_WIDTH_MAX_WINDOW:
    case TILEDB_POSITIVE_DELTA_MAX_WINDOW:
      return check_option_type<uint32_t, T>(option);
    case TILEDB_SCALE_FLOAT_BYTEWIDTH:
      return check_option_type<uint64_t, T>(option);
    case TILEDB_SCALE_FLOAT_FACTOR:
    case TILEDB_SCALE_FLOAT_OFFSET:
      return check_option_type<double, T>(option);
    case TILEDB_WEBP_QUALITY:
      return check_option_type<float, T>(option);
    case TILEDB_WEBP_INPUT_FORMAT:
      return check_option_type<uint8_t, T, tiledb_filter_webp_format_t>(option, "tiledb_filter_webp_format_t");
    case TILEDB_WEBP_LOSSLESS:
      return check_option_type<uint8_t, T>(option);
    case TILEDB_COMPRESSION_REINTERPRET_DATATYPE:
      return check_option_type<uint8_t, T, tiledb_datatype_t>(option, "tiledb_datatype_t");
    default:
      throw std::invalid_argument("There is no filter option " + std::to_string(option));
  }
}

/** The type in which values of `T` pass the C interface: enumerations do as one byte. */
template <typename T>
using OptionValue = std::conditional_t<std::is_enum_v<T>, uint8_t, T>;

}  // namespace detail

/** A filter and its options. Copies share the filter. */
class Filter {
 public:
  /** A filter with its default options. */
  Filter(const Context& ctx, tiledb_filter_type_t filter_type)
      : handle_(Handle::make(ctx, tiledb_filter_alloc, filter_type)) {}

  /** Takes a filter of the C interface over. */
  Filter(const Context& ctx, tiledb_filter_t* filter) : handle_(ctx, filter) {}

  /** A filter has a type. */
  Filter() = delete;

  /** Shares the filter. */
  Filter(const Filter&) = default;

  /** Takes the filter over. */
  Filter(Filter&&) = default;

  /** Shares the filter. */
  Filter& operator=(const Filter&) = default;

  /** Takes the filter over. */
  Filter& operator=(Filter&&) = default;

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_filter_t> ptr() const {
    return handle_.ptr();
  }

  /**
   * Sets an option.
   *
   * @param option The option.
   * @param value Its value. The type must be the option's: `int32_t` for levels, `uint32_t` for windows, `uint64_t`
   * for the byte width, `double` for scale and offset, `float` for the WebP quality, `uint8_t` for its losslessness,
   * `uint8_t` or the enumeration for the WebP format and the reinterpreted datatype.
   * @throws FilterOptionTypeError if the type is another one.
   * @throws std::invalid_argument if there is no such option.
   */
  template <typename T, typename std::enable_if_t<!std::is_pointer_v<T>, int> = 0>
  Filter& set_option(tiledb_filter_option_t option, T value) {
    detail::check_option<T>(option);
    const auto passed = static_cast<detail::OptionValue<T>>(value);
    return set_option(option, static_cast<const void*>(&passed));
  }

  /** Sets an option from a pointer to a value, whose type is not checked. */
  Filter& set_option(tiledb_filter_option_t option, const void* value) {
    handle_.call(tiledb_filter_set_option, option, value);
    return *this;
  }

  /**
   * The value of an option.
   *
   * @tparam T The type of the option, see `set_option`.
   * @throws FilterOptionTypeError if the option has another type.
   * @throws std::invalid_argument if there is no such option.
   */
  template <typename T>
  T get_option(tiledb_filter_option_t option) {
    detail::check_option<T>(option);
    detail::OptionValue<T> value{};
    get_option(option, static_cast<void*>(&value));
    return static_cast<T>(value);
  }

  /** Gets the value of an option, with the checks of `get_option<T>`. */
  template <typename T, typename std::enable_if<std::is_arithmetic_v<T>>::type* = nullptr>
  void get_option(tiledb_filter_option_t option, T* value) {
    detail::check_option<T>(option);
    get_option(option, static_cast<void*>(value));
  }

  /** Gets the value of an option at a pointer, whose type is not checked. */
  void get_option(tiledb_filter_option_t option, void* value) {
    handle_.call(tiledb_filter_get_option, option, value);
  }

  /** What the filter does. */
  tiledb_filter_type_t filter_type() const {
    return handle_.get<tiledb_filter_type_t>(tiledb_filter_get_type);
  }

  /** The name of a kind of filter, as `GZIP`; empty for a value that is none. */
  static std::string to_str(tiledb_filter_type_t type) {
    switch (type) {
      case TILEDB_FILTER_NONE:
        return "NOOP";
      case TILEDB_FILTER_GZIP:
        return "GZIP";
      case TILEDB_FILTER_ZSTD:
        return "ZSTD";
      case TILEDB_FILTER_LZ4:
        return "LZ4";
      case TILEDB_FILTER_RLE:
        return "RLE";
      case TILEDB_FILTER_BZIP2:
        return "BZIP2";
      case TILEDB_FILTER_DOUBLE_DELTA:
        return "DOUBLE_DELTA";
      case TILEDB_FILTER_BIT_WIDTH_REDUCTION:
        return "BIT_WIDTH_REDUCTION";
      case TILEDB_FILTER_BITSHUFFLE:
        return "BITSHUFFLE";
      case TILEDB_FILTER_BYTESHUFFLE:
        return "BYTESHUFFLE";
      case TILEDB_FILTER_POSITIVE_DELTA:
        return "POSITIVE_DELTA";
      case TILEDB_FILTER_CHECKSUM_MD5:
        return "CHECKSUM_MD5";
      case TILEDB_FILTER_CHECKSUM_SHA256:
        return "CHECKSUM_SHA256";
      case TILEDB_FILTER_DICTIONARY:
        return "DICTIONARY_ENCODING";
      case TILEDB_FILTER_SCALE_FLOAT:
        return "SCALE_FLOAT";
      case TILEDB_FILTER_XOR:
        return "XOR";
      case TILEDB_FILTER_WEBP:
        return "WEBP";
      case TILEDB_FILTER_DELTA:
        return "DELTA";
      default:
        return "";
    }
  }

 private:
  using Handle = detail::Handle<tiledb_filter_t>;
  Handle handle_;
};

/** Prints what a filter does, as `Filter<GZIP>`. */
inline std::ostream& operator<<(std::ostream& os, const Filter& f) {
  return os << "Filter<" << Filter::to_str(f.filter_type()) << '>';
}

}  // namespace tiledb

#endif  // TILEDB_CPP_FILTER_H
