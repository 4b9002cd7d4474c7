/**
 * Groups: arrays and groups by names, with metadata.
 */
#ifndef TILEDB_CPP_GROUP_H
#define TILEDB_CPP_GROUP_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "capi_string.h"
#include "config.h"
#include "context.h"
#include "handle.h"
#include "object.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/**
 * A group. It is open from its construction; it is closed with `close`, or when the object ends. Changes of members and
 * metadata are stored when it is closed.
 *
 * Copies share the handle: when one of them ends the group is closed for all. The context must outlive them.
 */
class Group {
 public:
  /**
   * Opens a group.
   *
   * @param ctx The context.
   * @param group_uri Where it lies.
   * @param query_type What it is opened for: `TILEDB_READ`, `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
   * @throws TileDBError if there is no such group.
   */
  Group(const Context& ctx, const std::string& group_uri, tiledb_query_type_t query_type)
      : Group(ctx, group_uri, query_type, nullptr) {}

  /** Opens a group with a configuration, whose `sm.group.timestamp_start` and `_end` are times to open it at. */
  Group(const Context& ctx, const std::string& group_uri, tiledb_query_type_t query_type, const Config& config)
      : Group(ctx, group_uri, query_type, config.ptr().get()) {}

  /** Shares the handle. */
  Group(const Group&) = default;

  /** Takes the handle; the other is then good for nothing but assignment. */
  Group(Group&&) = default;

  /** Shares the handle. */
  Group& operator=(const Group&) = default;

  /** Takes the handle. */
  Group& operator=(Group&&) = default;

  /** Closes the group if it is open. Errors go to the log. */
  ~Group() {
    close(false);
  }

  /** Opens it, after it was closed. */
  void open(tiledb_query_type_t query_type) {
    handle_.call(tiledb_group_open, query_type);
  }

  /** Sets the configuration; the group must be closed. */
  void set_config(const Config& config) const {
    handle_.call(tiledb_group_set_config, config.ptr().get());
  }

  /** A copy of its configuration. */
  Config config() const {
    tiledb_config_t* config = handle_.raw<tiledb_config_t>(tiledb_group_get_config);
    return Config(&config);
  }

  /**
   * Stores what was changed, and closes it.
   *
   * @param should_throw Whether an error is thrown; otherwise it goes to the log.
   */
  void close(bool should_throw = true) {
    if (should_throw)
      handle_.call(tiledb_group_close);
    else
      handle_.close_quietly(tiledb_group_is_open, tiledb_group_close);
  }

  /** Makes an empty group. */
  static void create(const tiledb::Context& ctx, const std::string& uri) {
    detail::call(ctx, tiledb_group_create, uri.c_str());
  }

  /** Whether it is open. */
  bool is_open() const {
    return handle_.get<int32_t>(tiledb_group_is_open) != 0;
  }

  /** Where it lies. */
  std::string uri() const {
    return handle_.text(tiledb_group_get_uri);
  }

  /** What it was opened for. */
  tiledb_query_type_t query_type() const {
    return handle_.get<tiledb_query_type_t>(tiledb_group_get_query_type);
  }

  /**
   * Puts a value to the metadata; it is stored on `close`.
   *
   * @param key The name.
   * @param value_type The datatype of the value.
   * @param value_num How many values of that type there are.
   * @param value The values; they are copied.
   */
  void put_metadata(const std::string& key, tiledb_datatype_t value_type, uint32_t value_num, const void* value) {
    handle_.call(tiledb_group_put_metadata, key.c_str(), value_type, value_num, value);
  }

  /**
   * Removes a group; this must be open in mode `TILEDB_MODIFY_EXCLUSIVE`.
   *
   * @param uri The group.
   * @param recursive Whether its members are removed too.
   */
  void delete_group(const std::string& uri, bool recursive = false) {
    handle_.call(tiledb_group_delete_group, uri.c_str(), byte(recursive));
  }

  /** Removes a value from the metadata; that it is not there is no error. */
  void delete_metadata(const std::string& key) {
    handle_.call(tiledb_group_delete_metadata, key.c_str());
  }

  /**
   * A value of the metadata.
   *
   * @param key Its name.
   * @param value_type Its datatype.
   * @param value_num How many values of that type there are.
   * @param value The values, which stay the group's; null if there is nothing of that name.
   */
  void get_metadata(const std::string& key, tiledb_datatype_t* value_type, uint32_t* value_num, const void** value) {
    handle_.call(tiledb_group_get_metadata, key.c_str(), value_type, value_num, value);
  }

  /** Whether the metadata has a value of that name; its datatype, if so. */
  bool has_metadata(const std::string& key, tiledb_datatype_t* value_type) {
    return handle_.get<int32_t>(tiledb_group_has_metadata_key, key.c_str(), value_type) != 0;
  }

  /** How many values the metadata has. */
  uint64_t metadata_num() const {
    return handle_.get<uint64_t>(tiledb_group_get_metadata_num);
  }

  /** A value of the metadata by its index, with its name; see `get_metadata`. */
  void get_metadata_from_index(uint64_t index, std::string* key, tiledb_datatype_t* value_type, uint32_t* value_num,
                               const void** value) {
    const char* name = nullptr;
    uint32_t length = 0;
    handle_.call(tiledb_group_get_metadata_from_index, index, &name, &length, value_type, value_num, value);
    key->assign(name == nullptr ? "" : name, length);
  }

  /**
   * Adds an array or a group.
   *
   * @param uri Where it lies.
   * @param relative Whether that is relative to the group.
   * @param name A name for it in the group.
   * @param type What it is; looked up if it is left out.
   */
  void add_member(const std::string& uri, const bool& relative, std::optional<std::string> name = std::nullopt,
                  std::optional<tiledb_object_t> type = std::nullopt) {
    const char* known_as = name ? name->c_str() : nullptr;
    if (type)
      handle_.call(tiledb_group_add_member_with_type, uri.c_str(), byte(relative), known_as, *type);
    else
      handle_.call(tiledb_group_add_member, uri.c_str(), byte(relative), known_as);
  }

  /** Takes a member out of the group, by its name or, if it has none, its URI. It is not removed itself. */
  void remove_member(const std::string& name_or_uri) {
    handle_.call(tiledb_group_remove_member, name_or_uri.c_str());
  }

  /** How many members there are. */
  uint64_t member_count() const {
    return handle_.get<uint64_t>(tiledb_group_get_member_count);
  }

  /** A member by its index. */
  tiledb::Object member(uint64_t index) const {
    tiledb_string_t *uri = nullptr, *name = nullptr;
    tiledb_object_t type = TILEDB_INVALID;
    handle_.call(tiledb_group_get_member_by_index_v2, index, &uri, &type, &name);
    const auto known_as = impl::convert_to_string(&name);
    return Object(type, impl::convert_to_string(&uri).value_or(""), known_as);
  }

  /** A member by its name. */
  tiledb::Object member(std::string name) const {
    tiledb_string_t* uri = nullptr;
    tiledb_object_t type = TILEDB_INVALID;
    handle_.call(tiledb_group_get_member_by_name_v2, name.c_str(), &uri, &type);
    return Object(type, impl::convert_to_string(&uri).value_or(""), name);
  }

  /** Whether the URI of a member is relative to the group, by its name. */
  bool is_relative(std::string name) const {
    return handle_.get<uint8_t>(tiledb_group_get_is_relative_uri_by_name, name.c_str()) != 0;
  }

  /**
   * The members as a text for people.
   *
   * @param recursive Whether also the members of groups in it are told.
   */
  std::string dump(const bool recursive) const {
    tiledb_string_t* text = nullptr;
    handle_.call(tiledb_group_dump_str_v2, &text, byte(recursive));
    return impl::convert_to_string(&text).value_or("");
  }

  /**
   * Consolidates the metadata into one file.
   *
   * @param ctx The context.
   * @param uri The group.
   * @param config The configuration; null for that of the context.
   */
  static void consolidate_metadata(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    detail::call(ctx, tiledb_group_consolidate_metadata, uri.c_str(), detail::handle_of(config));
  }

  /** Removes the metadata that was consolidated. */
  static void vacuum_metadata(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    detail::call(ctx, tiledb_group_vacuum_metadata, uri.c_str(), detail::handle_of(config));
  }

 private:
  using Handle = detail::Handle<tiledb_group_t>;

  Group(const Context& ctx, const std::string& uri, tiledb_query_type_t type, tiledb_config_t* config)
      : handle_(Handle::make(ctx, tiledb_group_alloc, uri.c_str())) {
    if (config != nullptr)
      handle_.call(tiledb_group_set_config, config);
    open(type);
  }

  /** A truth as the C interface takes it. */
  static uint8_t byte(bool is_true) {
    return is_true ? 1 : 0;
  }

  Handle handle_;
};

/** Makes an empty group. */
inline void create_group(const Context& ctx, const std::string& group) {
  Group::create(ctx, group);
}

}  // namespace tiledb

#endif  // TILEDB_CPP_GROUP_H
