/**
 * Profiles: parameters that are kept in a file under a name.
 */
#ifndef TILEDB_CPP_PROFILE_EXPERIMENTAL_H
#define TILEDB_CPP_PROFILE_EXPERIMENTAL_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "capi_string.h"
#include "context.h"
#include "deleter.h"
#include "exception.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** What a profile could not do. */
class ProfileException : public TileDBError {
 public:
  /** An error with this text. */
  explicit ProfileException(const std::string& msg) : TileDBError("[TileDB::C++ API][Profile]: " + msg) {}
};

/**
 * A named set of parameters, kept in a file; configurations use it by the parameters `profile_name` and `profile_dir`.
 * Copies share the profile. Errors are `ProfileException`s.
 */
class Profile {
 public:
  /**
   * A profile without parameters; what is stored is not read, see `load`.
   *
   * @param name The name; without it that of the default profile.
   * @param dir The folder of the file; without it the user's.
   */
  explicit Profile(std::optional<std::string> name = std::nullopt, std::optional<std::string> dir = std::nullopt) {
    tiledb_profile_t* profile = nullptr;
    check([&](tiledb_error_t** error) { return tiledb_profile_alloc(text(name), text(dir), &profile, error); });
    profile_ = std::shared_ptr<tiledb_profile_t>(profile, Profile::free);
  }

  /** Shares the profile. */
  Profile(const Profile&) = default;

  /** Takes the profile over. */
  Profile(Profile&&) = default;

  /** Shares the profile. */
  Profile& operator=(const Profile&) = default;

  /** Takes the profile over. */
  Profile& operator=(Profile&&) = default;

  /** Lets the profile go. */
  ~Profile() = default;

  /** The stored profile of this name. */
  static Profile load(std::optional<std::string> name = std::nullopt, std::optional<std::string> dir = std::nullopt) {
    const Profile profile(name, dir);
    check([&](tiledb_error_t** error) { return tiledb_profile_load(profile.profile_.get(), error); });
    return profile;
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_profile_t> ptr() const {
    return profile_;
  }

  /** The name. */
  std::string name() const {
    return string(tiledb_profile_get_name).value_or("");
  }

  /** The folder of the file. */
  std::string dir() const {
    return string(tiledb_profile_get_dir).value_or("");
  }

  /** Sets a parameter; it is stored by `save`. */
  void set_param(const std::string& param, const std::string& value) {
    check([&](tiledb_error_t** error) {
      return tiledb_profile_set_param(profile_.get(), param.c_str(), value.c_str(), error);
    });
  }

  /** The value of a parameter; nothing if it is not set. */
  std::optional<std::string> get_param(const std::string& param) const {
    return string([&](tiledb_profile_t* profile, tiledb_string_t** value, tiledb_error_t** error) {
      return tiledb_profile_get_param(profile, param.c_str(), value, error);
    });
  }

  /** Stores the profile; one of the same name is replaced only with `overwrite`. */
  void save(bool overwrite = false) {
    check([&](tiledb_error_t** error) { return tiledb_profile_save(profile_.get(), overwrite ? 1 : 0, error); });
  }

  /** Removes the stored profile of this name. */
  static void remove(std::optional<std::string> name = std::nullopt, std::optional<std::string> dir = std::nullopt) {
    check([&](tiledb_error_t** error) { return tiledb_profile_remove(text(name), text(dir), error); });
  }

  /** The profile as JSON. */
  std::string dump() const {
    return string(tiledb_profile_dump_str).value_or("");
  }

 private:
  static const char* text(const std::optional<std::string>& string) {
    return string.has_value() ? string->c_str() : nullptr;
  }

  /** Throws what a function told. */
  template <typename F>
  static void check(F function) {
    tiledb_error_t* error = nullptr;
    const int rc = function(&error);
    if (rc == TILEDB_OK)
      return;
    const char* message = nullptr;
    if (error != nullptr)
      tiledb_error_message(error, &message);
    const std::string text = message == nullptr ? "The profile failed" : message;
    tiledb_error_free(&error);
    throw ProfileException(text);
  }

  /** The string that a function gives. */
  template <typename F>
  std::optional<std::string> string(F function) const {
    tiledb_string_t* out = nullptr;
    check([&](tiledb_error_t** error) { return function(profile_.get(), &out, error); });
    return impl::convert_to_string(&out);
  }

  static void free(tiledb_profile_t* profile) {
    if (profile != nullptr)
      tiledb_profile_free(&profile);
  }

  std::shared_ptr<tiledb_profile_t> profile_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_PROFILE_EXPERIMENTAL_H
