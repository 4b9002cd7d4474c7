/**
 * Going over the arrays and groups in a folder.
 */
#ifndef TILEDB_CPP_OBJECT_ITER_H
#define TILEDB_CPP_OBJECT_ITER_H

#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "context.h"
#include "handle.h"
#include "object.h"
#include "tiledb.h"

namespace tiledb {

/** The arrays and groups in a folder, or in all folders below it. The context must outlive it. */
class ObjectIter {
 public:
  /** What `obj_getter` is handed: where objects go, and which are wanted. */
  struct ObjGetterData {
    /** Objects are appended to a list. */
    ObjGetterData(std::vector<Object>& objs, bool array, bool group) : objs_(objs), array_(array), group_(group) {}

    /** Where objects go. */
    std::reference_wrapper<std::vector<Object>> objs_;
    /** Whether arrays are wanted. */
    bool array_;
    /** Whether groups are wanted. */
    bool group_;
  };

  /** The arrays and groups that lie directly in a folder. */
  explicit ObjectIter(Context& ctx, const std::string& root = ".") : ctx_(ctx), root_(root) {}

  /** Says whether groups, and whether arrays are wanted; both unless it is said. */
  void set_iter_policy(bool group, bool array) {
    group_ = group;
    array_ = array;
  }

  /** Says that all that lies below the folder is wanted, a group before or after what it holds. */
  void set_recursive(tiledb_walk_order_t walk_order = TILEDB_PREORDER) {
    recursive_ = true;
    walk_order_ = walk_order;
  }

  /** Says that only what lies directly in the folder is wanted. */
  void set_non_recursive() {
    recursive_ = false;
  }

  /** Stands at one of the objects, or behind the last. Copies are independent. */
  class iterator {
   public:
    /** An iterator that can be gone over again. */
    using iterator_category = std::forward_iterator_tag;
    /** An object. */
    using value_type = const Object;
    /** The distance of two iterators. */
    using difference_type = std::ptrdiff_t;
    /** A pointer to an object. */
    using pointer = value_type*;
    /** A reference to an object. */
    using reference = value_type&;

    /** An iterator behind the last object. */
    iterator() : iterator(std::vector<Object>()) {}

    /** An iterator at the first of some objects. */
    explicit iterator(std::vector<Object> objs)
        : objects_(std::make_shared<const std::vector<Object>>(std::move(objs))) {}

    /** At the same object. */
    iterator(const iterator&) = default;

    /** At the same object. */
    iterator(iterator&&) = default;

    /** Goes to the object of another iterator. */
    iterator& operator=(const iterator&) = default;

    /** Goes to the object of another iterator. */
    iterator& operator=(iterator&&) = default;

    /** Whether both are behind the last object, or at the same one of the same list. */
    bool operator==(const iterator& o) const {
      return is_end() || o.is_end() ? is_end() == o.is_end() : objects_ == o.objects_ && at_ == o.at_;
    }

    /** Whether they are at different objects. */
    bool operator!=(const iterator& o) const {
      return !(*this == o);
    }

    /**
     * The object.
     *
     * @throws std::out_of_range behind the last.
     */
    const Object& operator*() const {
      if (is_end())
        throw std::out_of_range("There is no object behind the last");
      return (*objects_)[at_];
    }

    /** The object, by its reference. */
    const Object& operator->() const {
      return **this;
    }

    /** Goes to the next object; behind the last it stays. */
    iterator& operator++() {
      at_ += is_end() ? 0 : 1;
      return *this;
    }

    /** An iterator behind the last object. */
    iterator end() {
      return {};
    }

   private:
    bool is_end() const {
      return objects_ == nullptr || at_ >= objects_->size();
    }

    std::shared_ptr<const std::vector<Object>> objects_;
    size_t at_ = 0;
  };

  /**
   * Lists the objects; an iterator at the first.
   *
   * @throws TileDBError if the folder cannot be listed.
   */
  iterator begin() {
    std::vector<Object> objects;
    ObjGetterData data(objects, array_, group_);
    if (recursive_)
      detail::call(ctx_, tiledb_object_walk, root_.c_str(), walk_order_, obj_getter, &data);
    else
      detail::call(ctx_, tiledb_object_ls, root_.c_str(), obj_getter, &data);
    return iterator(std::move(objects));
  }

  /** An iterator behind the last object. */
  iterator end() const {
    return {};
  }

  /**
   * Appends an object to a list if it is wanted: the callback of the C interface.
   *
   * @param path Where it lies.
   * @param type What it is.
   * @param data An `ObjGetterData`.
   * @return 1 to go on, -1 if there is no memory for it.
   */
  static int obj_getter(const char* path, tiledb_object_t type, void* data) {
    try {
      auto* wanted = static_cast<ObjGetterData*>(data);
      if ((type == TILEDB_ARRAY && wanted->array_) || (type == TILEDB_GROUP && wanted->group_))
        wanted->objs_.get().emplace_back(type, path);
      return 1;
    } catch (const std::exception&) {
      return -1;
    }
  }

 private:
  std::reference_wrapper<Context> ctx_;
  std::string root_;
  bool array_ = true;
  bool group_ = true;
  bool recursive_ = false;
  tiledb_walk_order_t walk_order_ = TILEDB_PREORDER;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_OBJECT_ITER_H
