/**
 * Enumerations: the values that the cells of an attribute are indices of.
 */
#ifndef TILEDB_CPP_ENUMERATION_EXPERIMENTAL_H
#define TILEDB_CPP_ENUMERATION_EXPERIMENTAL_H

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "context.h"
#include "exception.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "type.h"

namespace tiledb {

/** A name and a list of different values. It never changes: to extend it is to make another. Copies share it. */
class Enumeration {
 public:
  /** Takes an enumeration of the C interface over. */
  Enumeration(const Context& ctx, tiledb_enumeration_t* enmr) : handle_(ctx, enmr) {}

  /** Shares the enumeration. */
  Enumeration(const Enumeration&) = default;

  /** Takes the enumeration over. */
  Enumeration(Enumeration&&) = default;

  /** Shares the enumeration. */
  Enumeration& operator=(const Enumeration&) = default;

  /** Takes the enumeration over. */
  Enumeration& operator=(Enumeration&&) = default;

  /** Lets the enumeration go. */
  ~Enumeration() = default;

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_enumeration_t> ptr() const {
    return handle_.ptr();
  }

#ifdef TILEDB_RS_REMOVED_API
  /** Prints the enumeration to a stream; libtiledb removed it in 2.30, `operator<<` replaces it. */
  TILEDB_DEPRECATED void dump(FILE* out = stdout) const {
    detail::print(out, handle_.string(tiledb_enumeration_dump_str));
  }
#endif

  /** An enumeration of the same name with values of one size behind these. */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  Enumeration extend(std::vector<T> values) {
    if (values.empty())
      throw TileDBError("Unable to extend an enumeration with an empty vector.");
    if (cell_val_num() == TILEDB_VAR_NUM)
      throw TileDBError("Error extending var sized enumeration with fixed size data.");
    const Fixed<T> fixed(values);
    return extend(fixed.data(), fixed.size(), nullptr, 0);
  }

  /** An enumeration of the same name with strings behind these. */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  Enumeration extend(std::vector<std::basic_string<T>>& values) {
    if (values.empty())
      throw TileDBError("Unable to extend an enumeration with an empty vector.");
    if (cell_val_num() != TILEDB_VAR_NUM)
      throw TileDBError("Error extending fixed sized enumeration with var size data.");
    const Strings<T> strings(values);
    return extend(strings.data(), strings.size(), strings.offsets(), strings.offsets_size());
  }

  /**
   * An enumeration of the same name with values behind these.
   *
   * @param data The values, one after the other.
   * @param data_size Their size in bytes.
   * @param offsets Where each begins, in bytes, as `uint64_t`; null for values of one size.
   * @param offsets_size The size of the offsets in bytes.
   */
  Enumeration extend(const void* data, uint64_t data_size, const void* offsets, uint64_t offsets_size) {
    return Enumeration(handle_.context(), handle_.raw<tiledb_enumeration_t>(tiledb_enumeration_extend, data, data_size,
                                                                            offsets, offsets_size));
  }

  /** The name. */
  std::string name() const {
    return handle_.string(tiledb_enumeration_get_name);
  }

  /** The place of a value, counted from 0; nothing if it is not among the values. */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  std::optional<uint64_t> index_of(T value) {
    return index_of_bytes(&value, sizeof(T));
  }

  /** The place of a string, counted from 0; nothing if it is not among the values. */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  std::optional<uint64_t> index_of(std::basic_string_view<T> value) {
    return index_of_bytes(value.data(), value.size() * sizeof(T));
  }

  /** A copy of the context. */
  Context context() const {
    return handle_.context();
  }

  /** The datatype of the values. */
  tiledb_datatype_t type() const {
    return handle_.get<tiledb_datatype_t>(tiledb_enumeration_get_type);
  }

  /** How many values of the datatype make a value; `TILEDB_VAR_NUM` if that varies. */
  uint32_t cell_val_num() const {
    return handle_.get<uint32_t>(tiledb_enumeration_get_cell_val_num);
  }

  /** Whether the order of the values means something: conditions compare by it. */
  bool ordered() const {
    return handle_.get<int>(tiledb_enumeration_get_ordered) != 0;
  }

  /**
   * The values, if they have one size.
   *
   * @tparam T What a value is.
   * @throws TileDBError if they are not as large as a `T`.
   */
  template <typename T>
  std::vector<typename std::enable_if_t<std::is_trivially_copyable_v<T>, T>> as_vector() {
    const auto [data, size] = part(tiledb_enumeration_get_data);
    if (size % sizeof(T) != 0)
      throw TileDBError("[TileDB::C++API::Enumeration] The values of '" + name() + "' don't have " +
                        std::to_string(sizeof(T)) + " bytes each");
    std::vector<T> values(static_cast<size_t>(size / sizeof(T)));
    for (size_t i = 0; i < values.size(); i++)
      values[i] = value_at<T>(data, i);
    return values;
  }

  /**
   * The values, if they are strings; none if they have one size.
   */
  template <typename T>
  std::vector<typename std::enable_if_t<std::is_same_v<std::string, T>, T>> as_vector() {
    const auto [data, size] = part(tiledb_enumeration_get_data);
    const auto [offsets, offsets_size] = part(tiledb_enumeration_get_offsets);
    std::vector<std::string> values(static_cast<size_t>(offsets_size / sizeof(uint64_t)));
    for (size_t i = 0; i < values.size(); i++) {
      const auto from = value_at<uint64_t>(offsets, i);
      const uint64_t to = i + 1 < values.size() ? value_at<uint64_t>(offsets, i + 1) : size;
      if (from < to)
        values[i].assign(static_cast<const char*>(data) + from, static_cast<size_t>(to - from));
    }
    return values;
  }

  /** An enumeration without values, to be extended. */
  static Enumeration create_empty(const Context& ctx, const std::string& name, tiledb_datatype_t type,
                                  uint32_t cell_val_num, bool ordered = false) {
    return create(ctx, name, type, cell_val_num, ordered, nullptr, 0, nullptr, 0);
  }

  /**
   * An enumeration of values of one size.
   *
   * @param ctx The context.
   * @param name The name.
   * @param values The values; no two may be equal.
   * @param ordered Whether their order means something.
   * @param type The datatype of the values, if it is not that of `T`.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static Enumeration create(const Context& ctx, const std::string& name, std::vector<T>& values, bool ordered = false,
                            std::optional<tiledb_datatype_t> type = std::nullopt) {
    const Fixed<T> fixed(values);
    return create(ctx, name, type.value_or(impl::TypeHandler<T>::tiledb_type), impl::TypeHandler<T>::tiledb_num,
                  ordered, fixed.data(), fixed.size(), nullptr, 0);
  }

  /**
   * An enumeration of strings.
   *
   * @param ctx The context.
   * @param name The name.
   * @param values The strings; no two may be equal.
   * @param ordered Whether their order means something.
   * @param type The datatype of the strings, if it is not that of `T`: as `TILEDB_STRING_UTF8`.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static Enumeration create(const Context& ctx, const std::string& name, std::vector<std::basic_string<T>>& values,
                            bool ordered = false, std::optional<tiledb_datatype_t> type = std::nullopt) {
    const Strings<T> strings(values);
    return create(ctx, name, type.value_or(impl::TypeHandler<T>::tiledb_type), TILEDB_VAR_NUM, ordered, strings.data(),
                  strings.size(), strings.offsets(), strings.offsets_size());
  }

  /**
   * An enumeration of any datatype.
   *
   * @param ctx The context.
   * @param name The name.
   * @param type The datatype.
   * @param cell_val_num How many values of the datatype make a value; `TILEDB_VAR_NUM` if that varies.
   * @param ordered Whether the order of the values means something.
   * @param data The values, one after the other.
   * @param data_size Their size in bytes.
   * @param offsets Where each begins, in bytes, as `uint64_t`; null for values of one size.
   * @param offsets_size The size of the offsets in bytes.
   */
  static Enumeration create(const Context& ctx, const std::string& name, tiledb_datatype_t type, uint32_t cell_val_num,
                            bool ordered, const void* data, uint64_t data_size, const void* offsets,
                            uint64_t offsets_size) {
    return Enumeration(
        ctx, detail::raw<tiledb_enumeration_t>(ctx, tiledb_enumeration_alloc, name.c_str(), type, cell_val_num,
                                               ordered ? 1 : 0, data, data_size, offsets, offsets_size));
  }

 private:
  using Handle = detail::Handle<tiledb_enumeration_t>;

  /** Values of one size as the C interface takes them. */
  template <typename T>
  class Fixed {
   public:
    explicit Fixed(const std::vector<T>& values) : values_(values.begin(), values.end()) {}

    const void* data() const {
      return values_.empty() ? nullptr : values_.data();
    }

    uint64_t size() const {
      return values_.size() * sizeof(T);
    }

   private:
    /** A vector of `bool` has no bytes to point to. */
    std::vector<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>> values_;
  };

  /** Strings as the C interface takes them. */
  template <typename T>
  class Strings {
   public:
    explicit Strings(const std::vector<std::basic_string<T>>& values) {
      for (const auto& value : values) {
        offsets_.push_back(data_.size() * sizeof(T));
        data_ += value;
      }
    }

    const void* data() const {
      return data_.empty() ? nullptr : data_.data();
    }

    uint64_t size() const {
      return data_.size() * sizeof(T);
    }

    const void* offsets() const {
      return offsets_.empty() ? nullptr : offsets_.data();
    }

    uint64_t offsets_size() const {
      return offsets_.size() * sizeof(uint64_t);
    }

   private:
    std::basic_string<T> data_;
    std::vector<uint64_t> offsets_;
  };

  template <typename T>
  static T value_at(const void* values, size_t index) {
    T value{};
    std::memcpy(&value, static_cast<const char*>(values) + index * sizeof(T), sizeof(T));
    return value;
  }

  /** The data or the offsets, and their size in bytes. */
  template <typename F>
  std::pair<const void*, uint64_t> part(F function) const {
    std::pair<const void*, uint64_t> part{};
    handle_.call(function, &part.first, &part.second);
    return part.first == nullptr ? std::pair<const void*, uint64_t>{} : part;
  }

  std::optional<uint64_t> index_of_bytes(const void* value, uint64_t size) const {
    int exist = 0;
    uint64_t index = 0;
    handle_.call(tiledb_enumeration_get_value_index, value, size, &exist, &index);
    return exist != 0 ? std::optional<uint64_t>(index) : std::nullopt;
  }

  Handle handle_;
};

/** Prints name, datatype and values. */
inline std::ostream& operator<<(std::ostream& os, const Enumeration& enumeration) {
  const Context ctx = enumeration.context();
  return os << detail::string(ctx, tiledb_enumeration_dump_str, enumeration.ptr().get());
}

}  // namespace tiledb

#endif  // TILEDB_CPP_ENUMERATION_EXPERIMENTAL_H
