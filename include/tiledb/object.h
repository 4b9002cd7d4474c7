/**
 * Objects: what lies at a URI, an array or a group.
 */
#ifndef TILEDB_CPP_OBJECT_H
#define TILEDB_CPP_OBJECT_H

#include <optional>
#include <ostream>
#include <string>

#include "context.h"
#include "handle.h"
#include "tiledb.h"

namespace tiledb {

/** What lies at a URI: its type, its URI and, for a member of a group, its name there. */
class Object {
 public:
  /** What an object is. */
  enum class Type {
    /** An array. */
    Array = 0,
    /** A group. */
    Group = 1,
    /** Neither. */
    Invalid = 2
  };

  /** An object of a type, with its URI and, if it has one, its name. */
  explicit Object(
      const Type& type, const std::string& uri = "", const std::optional<std::string>& name = std::nullopt)
      : type_(type), uri_(uri), name_(name) {}

  /** The same from a type of the C interface; what is neither an array nor a group is `Type::Invalid`. */
  explicit Object(
      tiledb_object_t type, const std::string& uri = "", const std::optional<std::string>& name = std::nullopt)
      : type_(to_type(type)), uri_(uri), name_(name) {}

  /** An object of `Type::Invalid`, without a URI. */
  Object() = default;

  /** A copy. */
  Object(const Object&) = default;

  /** Takes the texts of another object. */
  Object(Object&&) = default;

  /** Becomes a copy. */
  Object& operator=(const Object&) = default;

  /** Takes the texts of another object. */
  Object& operator=(Object&&) = default;

  /** Type, name and URI in one line, as `Obj<ARRAY "name" "uri">`. */
  std::string to_str() const {
    const char* type = type_ == Type::Array ? "ARRAY" : type_ == Type::Group ? "GROUP" : "INVALID";
    const std::string name = name_ ? " \"" + *name_ + "\"" : std::string();
    return "Obj<" + std::string(type) + name + " \"" + uri_ + "\">";
  }

  /** What it is. */
  Type type() const {
    return type_;
  }

  /** Where it lies. */
  std::string uri() const {
    return uri_;
  }

  /** Its name in a group; nothing if it has none there. */
  std::optional<std::string> name() const {
    return name_;
  }

  /** Whether type, URI and name are the same. */
  bool operator==(const Object& rhs) const {
    return type_ == rhs.type_ && uri_ == rhs.uri_ && name_ == rhs.name_;
  }

  /** Whether type, URI or name differ. */
  bool operator!=(const Object& rhs) const {
    return !(*this == rhs);
  }

  /** What lies at a URI; `Type::Invalid` if it is neither an array nor a group. */
  static Object object(const Context& ctx, const std::string& uri) {
    return Object(detail::get<tiledb_object_t>(ctx, tiledb_object_type, uri.c_str()), uri);
  }

  /**
   * Removes an array or a group with all that lies in it.
   *
   * @throws TileDBError if there is neither.
   */
  static void remove(const Context& ctx, const std::string& uri) {
    detail::call(ctx, tiledb_object_remove, uri.c_str());
  }

  /**
   * Moves an array or a group.
   *
   * @throws TileDBError if there is none at the old URI, or something at the new one.
   */
  static void move(const Context& ctx, const std::string& old_uri, const std::string& new_uri) {
    detail::call(ctx, tiledb_object_move, old_uri.c_str(), new_uri.c_str());
  }

 private:
  static Type to_type(tiledb_object_t type) {
    return type == TILEDB_ARRAY ? Type::Array : type == TILEDB_GROUP ? Type::Group : Type::Invalid;
  }

  Type type_ = Type::Invalid;
  std::string uri_;
  std::optional<std::string> name_;
};

/** Prints `Object::to_str`. */
inline std::ostream& operator<<(std::ostream& os, const Object& obj) {
  return os << obj.to_str();
}

}  // namespace tiledb

#endif  // TILEDB_CPP_OBJECT_H
