/**
 * Configurations: parameters by name.
 */
#ifndef TILEDB_CPP_CONFIG_H
#define TILEDB_CPP_CONFIG_H

#include <cstddef>
#include <iterator>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tiledb.h"
#include "utils.h"

namespace tiledb {

class Config;

namespace impl {

/**
 * Goes over the parameters of a configuration, in the order of their names. What it goes over are the parameters as
 * they were when the iterator was made; copies of an iterator are independent.
 */
class ConfigIter {
 public:
  /** An iterator that can be gone over again. */
  using iterator_category = std::forward_iterator_tag;
  /** A name and a value. */
  using value_type = const std::pair<std::string, std::string>;
  /** The distance of two iterators. */
  using difference_type = std::ptrdiff_t;
  /** A pointer to a name and a value. */
  using pointer = value_type*;
  /** A reference to a name and a value. */
  using reference = value_type&;

  /**
   * An iterator at the first parameter.
   *
   * @param config The configuration.
   * @param prefix Only parameters whose names begin with it are gone over; the names are given without it.
   * @param done Whether the iterator stands behind the last parameter.
   * @throws TileDBError if the configuration cannot be listed.
   */
  ConfigIter(const Config& config, std::string prefix, bool done = false);

  /** An iterator at the same parameter. */
  ConfigIter(const ConfigIter&) = default;

  /** An iterator at the same parameter. */
  ConfigIter(ConfigIter&&) = default;

  /** Goes to the parameter of another iterator. */
  ConfigIter& operator=(const ConfigIter&) = default;

  /** Goes to the parameter of another iterator. */
  ConfigIter& operator=(ConfigIter&&) = default;

  /** Whether both are at a parameter of the same name, or both are done. */
  bool operator==(const ConfigIter& o) const {
    return done() || o.done() ? done() == o.done() : (**this).first == (*o).first;
  }

  /** Whether they are at different parameters. */
  bool operator!=(const ConfigIter& o) const {
    return !(*this == o);
  }

  /**
   * The name and the value.
   *
   * @throws std::out_of_range behind the last parameter.
   */
  const std::pair<std::string, std::string>& operator*() const {
    if (done())
      throw std::out_of_range("The iterator stands behind the last parameter");
    return (*parameters_)[at_];
  }

  /** The name and the value, with the same rule. */
  const std::pair<std::string, std::string>* operator->() const {
    return &**this;
  }

  /** Goes to the next parameter; an iterator that is done stays so. */
  ConfigIter& operator++() {
    at_ += done() ? 0 : 1;
    return *this;
  }

  /** Frees an iterator of the C interface. */
  static void free(tiledb_config_iter_t* config_iter) {
    if (config_iter != nullptr)
      tiledb_config_iter_free(&config_iter);
  }

 private:
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  bool done() const {
    return parameters_ == nullptr || at_ >= parameters_->size();
  }

  static std::shared_ptr<const Parameters> list(tiledb_config_t* config, const std::string& prefix);

  std::shared_ptr<const Parameters> parameters_;
  size_t at_ = 0;
};

/** A parameter of a configuration, as `config["sm.tile_cache_size"]` gives it: it can be set and read. */
struct ConfigProxy {
  /** The parameter of this name. */
  ConfigProxy(Config& conf, std::string param);

  /**
   * Sets the parameter to the text that a value is printed as: `true` and `false`, numbers with all their digits.
   *
   * @throws TileDBError if the parameter does not take the value.
   */
  template <typename T>
  ConfigProxy& operator=(const T& val);

  /** Sets the parameter. */
  ConfigProxy& operator=(const char* val);

  /** Sets the parameter. */
  ConfigProxy& operator=(const std::string& val);

  /** The parameter whose name is this one's with `append` at the end. */
  ConfigProxy operator[](const std::string& append) {
    return ConfigProxy(conf, param + append);
  }

  /**
   * The value.
   *
   * @throws TileDBError if there is no such parameter.
   */
  operator std::string();

  /** The configuration. */
  Config& conf;
  /** The name of the parameter. */
  const std::string param;
};

}  // namespace impl

/**
 * The parameters of contexts, arrays, queries, groups and file systems. Copies share the parameters.
 *
 * What is not set has its default. Errors are `TileDBError`s.
 */
class Config {
 public:
  /** Goes over the parameters. */
  using iterator = impl::ConfigIter;

  /** All parameters with their defaults. */
  Config() {
    tiledb_config_t* config = nullptr;
    tiledb_error_t* error = nullptr;
    tiledb_config_alloc(&config, &error);
    config_ = std::shared_ptr<tiledb_config_t>(config, Config::free);
    impl::check_config_error(error);
  }

  /** The parameters that a file lists: a name and a value on each line. */
  explicit Config(const std::string& filename) : Config() {
    tiledb_error_t* error = nullptr;
    tiledb_config_load_from_file(config_.get(), filename.c_str(), &error);
    impl::check_config_error(error);
  }

  /** Takes a configuration of the C interface over and sets the caller's handle to null. */
  explicit Config(tiledb_config_t** config) {
    if (config != nullptr)
      config_ = std::shared_ptr<tiledb_config_t>(std::exchange(*config, nullptr), Config::free);
  }

  /** These parameters. */
  explicit Config(const std::map<std::string, std::string>& config) : Config() {
    for (const auto& [param, value] : config)
      set(param, value);
  }

  /** These parameters. */
  explicit Config(const std::unordered_map<std::string, std::string>& config) : Config() {
    for (const auto& [param, value] : config)
      set(param, value);
  }

  /** Writes the parameters that have a value to a file, except those that are secret. */
  void save_to_file(const std::string filename) {
    tiledb_error_t* error = nullptr;
    tiledb_config_save_to_file(config_.get(), filename.c_str(), &error);
    impl::check_config_error(error);
  }

  /**
   * Whether both have the same values.
   *
   * @throws std::runtime_error if they cannot be compared.
   */
  bool operator==(const Config& rhs) const {
    uint8_t equal = 0;
    if (tiledb_config_compare(config_.get(), rhs.config_.get(), &equal) != TILEDB_OK)
      throw std::runtime_error("Config Error: The configurations cannot be compared");
    return equal == 1;
  }

  /** Whether a value differs. */
  bool operator!=(const Config& rhs) const {
    return !(*this == rhs);
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_config_t> ptr() const {
    return config_;
  }

  /** Sets a parameter; a name that the library does not know is kept too. */
  Config& set(const std::string& param, const std::string& value) {
    tiledb_error_t* error = nullptr;
    tiledb_config_set(config_.get(), param.c_str(), value.c_str(), &error);
    impl::check_config_error(error);
    return *this;
  }

  /** The value of a parameter, which must be one that the library knows or that was set. */
  std::string get(const std::string& param) const {
    tiledb_error_t* error = nullptr;
    const char* value = nullptr;
    tiledb_config_get(config_.get(), param.c_str(), &value, &error);
    impl::check_config_error(error);
    if (value == nullptr)
      throw TileDBError("Config Error: Invalid parameter '" + param + "'");
    return value;
  }

  /** Whether a parameter has a value. */
  bool contains(const std::string_view& param) const {
    tiledb_error_t* error = nullptr;
    const char* value = nullptr;
    tiledb_config_get(config_.get(), std::string(param).c_str(), &value, &error);
    tiledb_error_free(&error);
    return value != nullptr;
  }

  /** A parameter, to be set or read. */
  impl::ConfigProxy operator[](const std::string& param) {
    return impl::ConfigProxy(*this, param);
  }

  /** Gives a parameter its default again. */
  Config& unset(const std::string& param) {
    tiledb_error_t* error = nullptr;
    tiledb_config_unset(config_.get(), param.c_str(), &error);
    impl::check_config_error(error);
    return *this;
  }

  /** The first parameter whose name begins with a prefix; the names are given without it. */
  iterator begin(const std::string& prefix) {
    return iterator(*this, prefix);
  }

  /** The first parameter. */
  iterator begin() {
    return iterator(*this, "");
  }

  /** Behind the last parameter. */
  iterator end() {
    return iterator(*this, "", true);
  }

  /** Frees a configuration of the C interface. */
  static void free(tiledb_config_t* config) {
    if (config != nullptr)
      tiledb_config_free(&config);
  }

 private:
  std::shared_ptr<tiledb_config_t> config_;
};

namespace detail {

/** A value as text, numbers with at most so many digits. */
template <typename T>
std::string printed(const T& value, int digits) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(digits);
  text << std::boolalpha << value;
  return text.str();
}

/** The text that a parameter is set to for a value: the shortest that keeps a number. */
template <typename T>
std::string parameter_text(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    std::string text = printed(value, std::numeric_limits<T>::digits10);
    std::istringstream read(text);
    read.imbue(std::locale::classic());
    T again{};
    return read >> again && !(again < value) && !(value < again) ? text
                                                                 : printed(value, std::numeric_limits<T>::max_digits10);
  } else {
    return printed(value, 6);
  }
}

}  // namespace detail

namespace impl {

inline ConfigIter::ConfigIter(const Config& config, std::string prefix, bool done)
    : parameters_(done ? nullptr : list(config.ptr().get(), prefix)) {}

inline std::shared_ptr<const ConfigIter::Parameters> ConfigIter::list(tiledb_config_t* config,
                                                                      const std::string& prefix) {
  tiledb_error_t* error = nullptr;
  tiledb_config_iter_t* handle = nullptr;
  tiledb_config_iter_alloc(config, prefix.empty() ? nullptr : prefix.c_str(), &handle, &error);
  const std::unique_ptr<tiledb_config_iter_t, void (*)(tiledb_config_iter_t*)> iter(handle, ConfigIter::free);
  check_config_error(error);
  auto parameters = std::make_shared<Parameters>();
  int32_t done = 1;
  for (tiledb_config_iter_done(handle, &done, &error); error == nullptr && done == 0;) {
    const char *param = nullptr, *value = nullptr;
    tiledb_config_iter_here(handle, &param, &value, &error);
    check_config_error(error);
    parameters->emplace_back(param == nullptr ? "" : param, value == nullptr ? "" : value);
    tiledb_config_iter_next(handle, &error);
    check_config_error(error);
    tiledb_config_iter_done(handle, &done, &error);
  }
  check_config_error(error);
  return parameters;
}

inline ConfigProxy::ConfigProxy(Config& of, std::string name) : conf(of), param(std::move(name)) {}

template <typename T>
ConfigProxy& ConfigProxy::operator=(const T& val) {
  conf.set(param, detail::parameter_text(val));
  return *this;
}

inline ConfigProxy& ConfigProxy::operator=(const char* val) {
  conf.set(param, val == nullptr ? "" : val);
  return *this;
}

inline ConfigProxy& ConfigProxy::operator=(const std::string& val) {
  conf.set(param, val);
  return *this;
}

inline ConfigProxy::operator std::string() {
  return conf.get(param);
}

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_CPP_CONFIG_H
