/**
 * Strings that the C interface hands over.
 */
#ifndef TILEDB_CPP_CAPI_STRING_H
#define TILEDB_CPP_CAPI_STRING_H

#include <cassert>
#include <optional>
#include <stdexcept>
#include <string>

#include "exception.h"
#include "log.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb::impl {

/** Owns a `tiledb_string_t`. */
class CAPIString {
 public:
  /**
   * Takes the string over and sets the caller's handle to null.
   *
   * @throws std::invalid_argument if there is no string.
   */
  CAPIString(tiledb_string_t** handle) : string_(handle == nullptr ? nullptr : *handle) {
    if (string_ == nullptr)
      throw std::invalid_argument("There is no string: the handle is null");
    *handle = nullptr;
  }

  /** Frees the string. */
  ~CAPIString() {
    tiledb_string_free(&string_);
  }

  /** A string has one owner. */
  CAPIString(const CAPIString&) = delete;

  /** A string has one owner. */
  CAPIString operator=(const CAPIString&) = delete;

  /** A string stays where it is. */
  CAPIString(const CAPIString&&) = delete;

  /** A string stays where it is. */
  CAPIString operator=(const CAPIString&&) = delete;

  /** A copy of the text. */
  std::string str() const {
    const char* data = nullptr;
    size_t length = 0;
    if (tiledb_string_view(string_, &data, &length) != TILEDB_OK || data == nullptr)
      return {};
    return {data, length};
  }

 private:
  tiledb_string_t* string_;
};

/**
 * Copies a string out, frees it and sets the handle to null.
 *
 * @param handle The string.
 * @return The text; nothing if there is no string.
 */
inline std::optional<std::string> convert_to_string(tiledb_string_t** handle) {
  if (handle == nullptr || *handle == nullptr)
    return std::nullopt;
  return CAPIString(handle).str();
}

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_CAPI_STRING_H
