/**
 * The structs of the Arrow C data interface, and who owns them.
 */
#ifndef TILEDB_CPP_ARROW_C_DATA_H
#define TILEDB_CPP_ARROW_C_DATA_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exception.h"

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/** The type of an array, as the Arrow C data interface defines it. */
struct ArrowSchema {
  /** The type. */
  const char* format;
  /** The name of the field. */
  const char* name;
  /** Keys and values, encoded. */
  const char* metadata;
  /** A combination of the flags above. */
  int64_t flags;
  /** How many children there are. */
  int64_t n_children;
  /** The types of the children. */
  struct ArrowSchema** children;
  /** The type of the dictionary's values. */
  struct ArrowSchema* dictionary;
  /** Frees all of it; null when it was freed or moved. */
  void (*release)(struct ArrowSchema*);
  /** The producer's. */
  void* private_data;
};

/** An array, as the Arrow C data interface defines it. */
struct ArrowArray {
  /** How many elements there are. */
  int64_t length;
  /** How many of them are null; -1 if that is not known. */
  int64_t null_count;
  /** How many elements of the buffers come before the first. */
  int64_t offset;
  /** How many buffers there are. */
  int64_t n_buffers;
  /** How many children there are. */
  int64_t n_children;
  /** The buffers. */
  const void** buffers;
  /** The children. */
  struct ArrowArray** children;
  /** The dictionary's values. */
  struct ArrowArray* dictionary;
  /** Frees all of it; null when it was freed or moved. */
  void (*release)(struct ArrowArray*);
  /** The producer's. */
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

namespace tiledb::arrow {

namespace detail {

/** Memory that is shared. */
using Memory = std::shared_ptr<std::vector<uint8_t>>;

}  // namespace detail

/** Owns a type of the Arrow C data interface until it is exported. */
struct CPPArrowSchema {
 public:
  /**
   * A type.
   *
   * @param name The name of the field.
   * @param format The type.
   * @param metadata Keys and values, encoded; or nothing.
   * @param flags Flags, as `ARROW_FLAG_NULLABLE`.
   * @param children The types of children; what they hold is moved, so that they are left released.
   * @param dictionary The type of a dictionary's values, or null.
   */
  CPPArrowSchema(std::string name, std::string format, std::optional<std::string> metadata, int64_t flags,
                 std::vector<ArrowSchema*> children, std::shared_ptr<CPPArrowSchema> dictionary)
      : schema_(std::make_unique<ArrowSchema>()) {
    auto own = std::make_unique<Private>();
    own->name = std::move(name);
    own->format = std::move(format);
    own->metadata = std::move(metadata);
    own->dictionary = std::move(dictionary);
    own->moved.resize(children.size());
    for (size_t i = 0; i < children.size(); ++i) {
      own->moved[i] = *children[i];
      children[i]->release = nullptr;
      own->children.push_back(&own->moved[i]);
    }
    *schema_ = ArrowSchema{own->format.c_str(),
                           own->name.c_str(),
                           own->metadata ? own->metadata->c_str() : nullptr,
                           flags,
                           static_cast<int64_t>(own->children.size()),
                           own->children.empty() ? nullptr : own->children.data(),
                           own->dictionary ? own->dictionary->mutable_ptr() : nullptr,
                           release,
                           own.get()};
    own.release();
  }

  CPPArrowSchema(const CPPArrowSchema&) = delete;
  CPPArrowSchema& operator=(const CPPArrowSchema&) = delete;

  /** Frees it unless it was exported. */
  ~CPPArrowSchema() {
    if (schema_->release != nullptr)
      schema_->release(schema_.get());
  }

  /**
   * Moves it to a struct of the C data interface, whose owner releases it.
   *
   * @throws TileDBError if it was exported before.
   */
  void export_ptr(ArrowSchema* out_schema) {
    if (out_schema == nullptr || schema_->release == nullptr)
      throw TileDBError("[TileDB-Arrow] The Arrow schema was exported before, or there is nowhere to export it to");
    *out_schema = *schema_;
    schema_->release = nullptr;
  }

  /** The struct of the C data interface, which stays this object's. */
  ArrowSchema* mutable_ptr() {
    return schema_.get();
  }

  /** The struct of the C data interface, which stays this object's. */
  ArrowSchema* ptr() const {
    return schema_.get();
  }

 private:
  struct Private {
    std::string name;
    std::string format;
    std::optional<std::string> metadata;
    std::vector<ArrowSchema> moved;
    std::vector<ArrowSchema*> children;
    std::shared_ptr<CPPArrowSchema> dictionary;
  };

  static void release(ArrowSchema* schema) {
    const std::unique_ptr<Private> own(static_cast<Private*>(schema->private_data));
    for (ArrowSchema* child : own->children) {
      if (child->release != nullptr)
        child->release(child);
    }
    schema->release = nullptr;
  }

  std::unique_ptr<ArrowSchema> schema_;
};

/** Owns an array of the Arrow C data interface until it is exported; not its buffers. */
struct CPPArrowArray {
 public:
  /**
   * An array.
   *
   * @param elem_num How many elements there are.
   * @param null_num How many of them are null.
   * @param offset How many elements of the buffers come before the first.
   * @param children The children; they are kept as long as the array.
   * @param buffers The buffers, which have to live as long.
   */
  CPPArrowArray(int64_t elem_num, int64_t null_num, int64_t offset,
                std::vector<std::shared_ptr<CPPArrowArray>> children, std::vector<void*> buffers)
      : array_(std::make_unique<ArrowArray>()) {
    auto own = std::make_unique<Private>();
    own->buffers.assign(buffers.begin(), buffers.end());
    own->kept = std::move(children);
    for (const auto& child : own->kept)
      own->children.push_back(child->ptr());
    *array_ = ArrowArray{elem_num,
                         null_num,
                         offset,
                         static_cast<int64_t>(own->buffers.size()),
                         static_cast<int64_t>(own->children.size()),
                         own->buffers.data(),
                         own->children.empty() ? nullptr : own->children.data(),
                         nullptr,
                         release,
                         own.get()};
    own.release();
  }

  CPPArrowArray(const CPPArrowArray&) = delete;
  CPPArrowArray& operator=(const CPPArrowArray&) = delete;

  /** Frees it unless it was exported. */
  ~CPPArrowArray() {
    if (array_->release != nullptr)
      array_->release(array_.get());
  }

  /**
   * Moves it to a struct of the C data interface, whose owner releases it.
   *
   * @throws TileDBError if it was exported before.
   */
  void export_ptr(ArrowArray* out_array) {
    if (out_array == nullptr || array_->release == nullptr)
      throw TileDBError("[TileDB-Arrow] The Arrow array was exported before, or there is nowhere to export it to");
    *out_array = *array_;
    array_->release = nullptr;
  }

  /** The struct of the C data interface, which stays this object's. */
  ArrowArray* ptr() const {
    return array_.get();
  }

  /** The struct of the C data interface, which stays this object's. */
  ArrowArray* mutable_ptr() {
    return array_.get();
  }

 private:
  friend class ArrowExporter;

  struct Private {
    std::vector<const void*> buffers;
    std::vector<ArrowArray*> children;
    std::vector<std::shared_ptr<CPPArrowArray>> kept;
    std::vector<detail::Memory> memory;
  };

  /** Has the array keep the memory of some of its buffers. */
  void keep(std::vector<detail::Memory> memory) {
    static_cast<Private*>(array_->private_data)->memory = std::move(memory);
  }

  static void release(ArrowArray* array) {
    const std::unique_ptr<Private> own(static_cast<Private*>(array->private_data));
    for (ArrowArray* child : own->children) {
      if (child->release != nullptr)
        child->release(child);
    }
    array->release = nullptr;
  }

  std::unique_ptr<ArrowArray> array_;
};

}  // namespace tiledb::arrow

#endif  // TILEDB_CPP_ARROW_C_DATA_H
