/* Configurations: parameters, files, iteration, errors. */
#include "common.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tiledb/tiledb>
#include <type_traits>
#include <unordered_map>
#include <utility>

using namespace tiledb;

namespace {

void parameters() {
  Config config;
  assert(config.ptr() != nullptr && config.get("sm.dedup_coords") == "false");
  assert(config.set("sm.dedup_coords", "true").get("sm.dedup_coords") == "true");
  assert(config.unset("sm.dedup_coords").get("sm.dedup_coords") == "false");
  assert(config.contains("sm.dedup_coords") && !config.contains("no.such"));
  assert(config.set("my.own", "1").contains("my.own"));
  expect_throw<TileDBError>([&] { config.get("no.such"); }, "Config Error: Invalid parameter 'no.such'");
  expect_throw<TileDBError>([&] { config.set("sm.dedup_coords", "perhaps"); }, "Value not 'true' or 'false'");

  Config shares = config, other;
  shares.set("my.own", "2");
  assert(config.get("my.own") == "2" && config == shares && config != other);
  assert(other.ptr() != config.ptr() && shares.ptr() == config.ptr());
}

void sources() {
  const Config ordered(std::map<std::string, std::string>{{"sm.dedup_coords", "true"}, {"a.b", "c"}});
  assert(ordered.get("sm.dedup_coords") == "true" && ordered.get("a.b") == "c");
  const Config unordered(std::unordered_map<std::string, std::string>{{"sm.dedup_coords", "true"}, {"a.b", "c"}});
  assert(ordered == unordered);
  expect_throw<TileDBError>([] { Config(std::map<std::string, std::string>{{"sm.dedup_coords", "c"}}); });

  tiledb_config_t* handle = nullptr;
  tiledb_error_t* error = nullptr;
  assert(tiledb_config_alloc(&handle, &error) == TILEDB_OK);
  tiledb_config_t* const same = handle;
  const Config taken(&handle);
  assert(handle == nullptr && taken.ptr().get() == same);
  const Config nothing(static_cast<tiledb_config_t**>(nullptr));
  assert(nothing.ptr() == nullptr);
  expect_throw<TileDBError>([&] { nothing.get("sm.dedup_coords"); }, "Config Error: ");
  expect_throw<std::runtime_error>([&] { static_cast<void>(nothing == taken); }, "cannot be compared");
  assert(tiledb_config_alloc(&handle, &error) == TILEDB_OK);
  Config::free(handle);
  Config::free(nullptr);
}

void files() {
  Config config;
  config["sm.tile_upper"] = 5;
  config.set("sm.dedup_coords", "true");
  config.save_to_file("parameters.txt");
  const Config read(std::string("parameters.txt"));
  assert(read == config && read.get("sm.tile_upper") == "5");
  expect_throw<TileDBError>([] { Config(std::string("absent.txt")); }, "Config Error: ");
  expect_throw<TileDBError>([&] { config.save_to_file("no/such/folder/parameters.txt"); }, "Config Error: ");
}

void proxies() {
  Config config;
  config["sm."]["dedup_coords"] = true;
  assert(config.get("sm.dedup_coords") == "true");
  config["my.text"] = "characters";
  assert(static_cast<std::string>(config["my.text"]) == "characters");
  config["my.text"] = std::string("string");
  const std::string text = config["my.text"];
  assert(text == "string");
  config["my.text"] = static_cast<const char*>(nullptr);
  assert(config.contains("my.text") && config.get("my.text").empty());
  config["my.number"] = 18446744073709551615u;
  assert(config.get("my.number") == "18446744073709551615");
  config["my.number"] = 0.1;
  assert(config.get("my.number") == "0.1");
  config["my.number"] = 1.0 / 3;
  assert(std::stod(config["my.number"]) == 1.0 / 3);
  config["my.number"] = 2.5f;
  assert(config.get("my.number") == "2.5");
  impl::ConfigProxy proxy(config, "my.other");
  proxy = -3;
  assert(&proxy.conf == &config && proxy.param == "my.other" && config.get("my.other") == "-3");
  expect_throw<TileDBError>([&] { static_cast<void>(text.compare(config["no.such"])); }, "no.such");
  expect_throw<TileDBError>([&] { config["sm.dedup_coords"] = 1; });
}

void iteration() {
  using Iterator = Config::iterator;
  static_assert(std::is_same_v<Iterator, impl::ConfigIter>);
  static_assert(std::is_same_v<Iterator::iterator_category, std::forward_iterator_tag>);
  static_assert(std::is_same_v<Iterator::value_type, const std::pair<std::string, std::string>>);
  static_assert(std::is_same_v<Iterator::pointer, Iterator::value_type*>);
  static_assert(std::is_same_v<Iterator::reference, Iterator::value_type&>);
  static_assert(std::is_same_v<Iterator::difference_type, std::ptrdiff_t>);

  Config config(std::map<std::string, std::string>{{"a.x", "1"}, {"a.y", "2"}, {"b.z", "3"}});
  std::map<std::string, std::string> parameters;
  for (const auto& [param, value] : config)
    parameters[param] = value;
  assert(parameters.size() > 100 && parameters["a.x"] == "1" && parameters["b.z"] == "3" && parameters["sm.dedup_coords"] == "false");
  assert(static_cast<size_t>(std::distance(config.begin(), config.end())) == parameters.size());

  Iterator at = config.begin("a.");
  assert(at->first == "x" && (*at).second == "1");
  // Copies go their own way.
  Iterator behind = at;
  assert(at == behind && ++at != behind);
  assert(at->first == "y" && behind->first == "x");
  Iterator moved = std::move(behind);
  behind = at;
  assert(behind == at && moved->first == "x");
  moved = std::move(behind);
  assert(moved == at);
  assert(++at == config.end() && ++at == config.end());
  assert(config.begin("no such prefix") == config.end());
  assert(impl::ConfigIter(config, "a.", true) == config.end());
  expect_throw<std::out_of_range>([&] { static_cast<void>(*config.end()); });

  tiledb_config_iter_t* handle = nullptr;
  tiledb_error_t* error = nullptr;
  assert(tiledb_config_iter_alloc(config.ptr().get(), nullptr, &handle, &error) == TILEDB_OK);
  impl::ConfigIter::free(handle);
  impl::ConfigIter::free(nullptr);
}

void errors() {
  impl::check_config_error(nullptr);
  tiledb_error_t* error = nullptr;
  const char* value = nullptr;
  assert(tiledb_config_get(nullptr, "a", &value, &error) != TILEDB_OK && error != nullptr);
  // The error is freed with the exception.
  expect_throw<TileDBError>([&] { impl::check_config_error(error); }, "Config Error: ");
}

}  // namespace

int main() {
  parameters();
  sources();
  files();
  proxies();
  iteration();
  errors();
  return 0;
}
