/* Profiles, and how the library was built. */
#include "common.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <tiledb/tiledb_experimental>
#include <type_traits>
#include <utility>

using namespace tiledb;

int main() {
  const std::string dir = std::filesystem::current_path().string();
  Profile profile("mine", dir);
  assert(profile.ptr() != nullptr && profile.name() == "mine" && profile.dir() == dir + "/");
  profile.set_param("rest.username", "u");
  profile.set_param("rest.password", "p");
  profile.set_param("my.own", "1");
  assert(profile.get_param("my.own") == "1" && !profile.get_param("no.such").has_value());
  assert(profile.dump().find("\"my.own\": \"1\"") != std::string::npos);

  expect_throw<ProfileException>([&] { Profile::load("mine", dir); }, "Failed to load profile");
  profile.save();
  assert(Profile::load("mine", dir).get_param("my.own") == "1");
  profile.set_param("my.own", "2");
  expect_throw<ProfileException>([&] { profile.save(); }, "already exists");
  profile.save(true);
  assert(Profile::load("mine", dir).get_param("my.own") == "2");

  // Copies share the profile.
  Profile copy = profile, other("other", dir);
  other = copy;
  other.set_param("my.own", "3");
  assert(profile.get_param("my.own") == "3" && other.ptr() == profile.ptr());
  Profile moved = std::move(copy);
  copy = std::move(other);
  assert(copy.ptr() == moved.ptr());
  assert(!Profile().name().empty());

  /* Without a directory the environment tells where profiles are. */
  setenv("TILEDB_PROFILE_DIR", "/some/where", 1);
  assert(Profile().dir() == "/some/where/" && Profile("mine", "").dir() == "/some/where/");
  assert(Profile("mine", dir).dir() == dir + "/");
  setenv("TILEDB_PROFILE_DIR", "", 1);
  assert(Profile().dir().empty());
  unsetenv("TILEDB_PROFILE_DIR");

  Profile::remove("mine", dir);
  expect_throw<ProfileException>([&] { Profile::remove("mine", dir); }, "does not exist");
  expect_throw<ProfileException>([] { throw ProfileException("[TileDB::C++ API][Profile]: a text"); }, "a text");
  static_assert(std::is_base_of_v<TileDBError, ProfileException>);

  assert(AsBuilt::dump().front() == '{');
  return 0;
}
