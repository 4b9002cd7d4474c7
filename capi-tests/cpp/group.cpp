/* Groups, their members and metadata. */
#include <tiledb/tiledb>

#include <utility>

#include "common.hpp"

using namespace tiledb;

static void put(Group& group, const std::string& key, int32_t value) {
  group.put_metadata(key, TILEDB_INT32, 1, &value);
}

static int32_t metadata(Group& group, const std::string& key) {
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t num = 0;
  const void* value = nullptr;
  group.get_metadata(key, &type, &num, &value);
  assert(type == TILEDB_INT32 && num == 1 && value != nullptr);
  return *static_cast<const int32_t*>(value);
}

static void members(const Context& ctx) {
  Group::create(ctx, "top");
  create_group(ctx, "top/inner");
  create_group(ctx, "top/named");
  create_group(ctx, "aside");
  expect_throw<TileDBError>([&] { Group::create(ctx, "top"); });
  expect_throw<TileDBError>([&] { Group(ctx, "nothing", TILEDB_READ); });

  Group group(ctx, "top", TILEDB_WRITE);
  assert(group.is_open() && group.query_type() == TILEDB_WRITE);
  assert(group.uri().find("top") != std::string::npos);
  group.add_member("inner", true);
  group.add_member("named", true, "by name");
  group.add_member(Object::object(ctx, "aside").uri(), false, "aside", TILEDB_GROUP);
  group.close();
  assert(!group.is_open());

  group.open(TILEDB_READ);
  assert(group.member_count() == 3);
  const Object named = group.member("by name");
  assert(named.type() == Object::Type::Group && named.name() == "by name");
  assert(named.uri().find("top/named") != std::string::npos);
  assert(group.is_relative("by name") && !group.is_relative("aside"));
  size_t with_names = 0;
  for (uint64_t i = 0; i < group.member_count(); ++i) {
    const Object member = group.member(i);
    assert(member.type() == Object::Type::Group && !member.uri().empty());
    with_names += member.name() ? 1 : 0;
  }
  assert(with_names == 2);
  expect_throw<TileDBError>([&] { group.member(3); });
  expect_throw<TileDBError>([&] { group.member("nobody"); });
  assert(group.dump(true).find("by name") != std::string::npos && !group.dump(false).empty());
  group.close();

  group.open(TILEDB_WRITE);
  group.remove_member("by name");
  group.close();
  group.open(TILEDB_READ);
  assert(group.member_count() == 2);
  group.close();

  group.open(TILEDB_MODIFY_EXCLUSIVE);
  group.delete_group(group.uri(), true);
  group.close();
  assert(Object::object(ctx, "top").type() == Object::Type::Invalid);
}

static void values(const Context& ctx) {
  Group::create(ctx, "meta");
  Group group(ctx, "meta", TILEDB_WRITE);
  put(group, "one", 1);
  put(group, "two", 2);
  group.close();
  group.open(TILEDB_WRITE);
  group.delete_metadata("two");
  put(group, "three", 3);
  group.close();
  Group::consolidate_metadata(ctx, "meta");
  Config config;
  Group::vacuum_metadata(ctx, "meta", &config);

  group.open(TILEDB_READ);
  tiledb_datatype_t type = TILEDB_ANY;
  assert(group.metadata_num() == 2 && metadata(group, "one") == 1 && metadata(group, "three") == 3);
  assert(group.has_metadata("one", &type) && type == TILEDB_INT32);
  assert(!group.has_metadata("two", &type));
  std::string key;
  uint32_t num = 0;
  const void* value = nullptr;
  group.get_metadata_from_index(1, &key, &type, &num, &value);
  assert(key == "three" && num == 1 && *static_cast<const int32_t*>(value) == 3);
  expect_throw<TileDBError>([&] { group.get_metadata_from_index(2, &key, &type, &num, &value); });
}

static void handles(const Context& ctx) {
  Group::create(ctx, "shared");
  Config config;
  config["sm.group.timestamp_end"] = "10";
  Group group(ctx, "shared", TILEDB_WRITE, config);
  assert(group.config().get("sm.group.timestamp_end") == "10");
  put(group, "old", 1);
  group.close();
  config["sm.group.timestamp_end"] = "5";
  group.set_config(config);
  group.open(TILEDB_READ);
  assert(group.metadata_num() == 0 && "the group is as it was at time 5");
  expect_throw<TileDBError>([&] { group.set_config(config); });

  // Copies share the handle: the first that ends closes the group.
  {
    Group copy(group);
    assert(copy.is_open());
  }
  assert(!group.is_open());
  group.open(TILEDB_READ);
  // What was moved from is good for assignment, and ends quietly.
  Group moved(std::move(group));
  assert(moved.is_open());
  group = moved;
  assert(group.is_open());
  moved = Group(ctx, "shared", TILEDB_WRITE);
  put(moved, "kept", 1);
  // Leaving the scope stores it without a close.
}

int main() {
  Context ctx;
  members(ctx);
  values(ctx);
  handles(ctx);
  Group group(ctx, "shared", TILEDB_READ);
  assert(group.metadata_num() == 2);
  group.close(false);
  assert(!group.is_open());
  group.close(false);
  return 0;
}
