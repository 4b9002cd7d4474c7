/**
 * The buffers of queries as arrays of the Arrow C data interface, and the other way round.
 *
 * What Arrow lays out as TileDB does is not copied. Where it does not (validity and booleans are bits there, not bytes;
 * there is one more offset, and they count elements) there are converted copies: those that are exported belong to the
 * Arrow array, those that are imported to the query.
 */
#ifndef TILEDB_CPP_ARROW_IO_IMPL_H
#define TILEDB_CPP_ARROW_IO_IMPL_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "array.h"
#include "array_schema.h"
#include "attribute.h"
#include "config.h"
#include "context.h"
#include "core_interface.h"
#include "dimension.h"
#include "domain.h"
#include "exception.h"
#include "query.h"
#include "tiledb.h"

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

/** The exception that is thrown here. */
using _TileDBError = tiledb::TileDBError;

namespace tiledb::arrow {

/** A type in Arrow's notation. */
struct ArrowInfo {
  /** A type, and that of the elements of a list. */
  ArrowInfo(std::string fmt, const std::string& rep = std::string()) : fmt_(std::move(fmt)), rep_(rep) {}

  /** The type. */
  std::string fmt_;
  /** The type of the elements if it is a list; otherwise empty. */
  std::string rep_;
};

/** A type in TileDB's notation. */
struct TypeInfo {
  /** The datatype. */
  tiledb_datatype_t type = TILEDB_ANY;
  /** The size of a value in bytes. */
  uint64_t elem_size = 0;
  /** How many values a cell has; `TILEDB_VAR_NUM` if that varies. */
  uint32_t cell_val_num = 1;
  /** Whether Arrow's offsets have 64 bits, where there are any. */
  bool arrow_large = false;
  /** Whether cells may be null. */
  bool nullable = false;
};

/** The buffers of a field of a query. */
struct BufferInfo {
  /** The type of the field. */
  TypeInfo tdbtype;
  /** Whether the number of values in a cell varies. */
  bool is_var = false;
  /** Whether cells may be null. */
  bool is_nullable = false;
  /** How many values there are. */
  uint64_t data_num = 0;
  /** The values. */
  void* data = nullptr;
  /** The size of a value in bytes. */
  uint64_t data_elem_size = 0;
  /** How many offsets there are: one for each cell. */
  uint64_t offsets_num = 0;
  /** The offsets. */
  void* offsets = nullptr;
  /** The size of an offset in bytes. */
  size_t offsets_elem_size = 0;
  /** One byte for each cell: 1, or 0 for null. */
  uint8_t* validity = nullptr;
};

namespace detail {

/** How a datatype is written in Arrow's notation; the first for a type is the one that is exported. */
struct Format {
  tiledb_datatype_t type;
  const char* format;
};

/** The datatypes of which a value is laid out as in Arrow. Booleans are bits there. */
inline constexpr Format formats[] = {
    {TILEDB_INT8, "c"},           {TILEDB_UINT8, "C"},           {TILEDB_INT16, "s"},
    {TILEDB_UINT16, "S"},         {TILEDB_INT32, "i"},           {TILEDB_UINT32, "I"},
    {TILEDB_INT64, "l"},          {TILEDB_UINT64, "L"},          {TILEDB_FLOAT32, "f"},
    {TILEDB_FLOAT64, "g"},        {TILEDB_BOOL, "b"},            {TILEDB_DATETIME_SEC, "tss:"},
    {TILEDB_DATETIME_MS, "tsm:"}, {TILEDB_DATETIME_US, "tsu:"},  {TILEDB_DATETIME_NS, "tsn:"},
    {TILEDB_DATETIME_MS, "tdm"},  {TILEDB_TIME_US, "ttu"},       {TILEDB_TIME_NS, "ttn"},
};

/** Whether a datatype is of characters, for Arrow's `utf8`. */
inline bool is_text(tiledb_datatype_t type) {
  return type == TILEDB_STRING_ASCII || type == TILEDB_STRING_UTF8 || type == TILEDB_GEOM_WKT;
}

/** Whether a datatype is of bytes, for Arrow's `binary`. */
inline bool is_bytes(tiledb_datatype_t type) {
  return type == TILEDB_CHAR || type == TILEDB_BLOB || type == TILEDB_GEOM_WKB;
}

/** The query's settings for offsets. */
struct Offsets {
  explicit Offsets(const Query& query) {
    const Config config = query.config();
    size = config.get("sm.var_offsets.bitsize") == "32" ? 4 : 8;
    in_elements = config.get("sm.var_offsets.mode") == "elements";
    has_end = config.get("sm.var_offsets.extra_element") == "true";
  }

  /** The size of an offset in bytes. */
  size_t size;
  /** Whether they count elements, not bytes. */
  bool in_elements;
  /** Whether there is one more, for the end of the last cell. */
  bool has_end;
};

/** The offset at an index. */
inline uint64_t offset_at(const void* offsets, size_t size, uint64_t index) {
  uint64_t wide = 0;
  uint32_t narrow = 0;
  const char* at = static_cast<const char*>(offsets) + index * size;
  if (size == sizeof wide) {
    std::memcpy(&wide, at, size);
    return wide;
  }
  std::memcpy(&narrow, at, sizeof narrow);
  return narrow;
}

/** Sets the offset at an index. */
inline void set_offset(void* offsets, size_t size, uint64_t index, uint64_t offset) {
  if (size == sizeof(uint32_t) && offset > static_cast<uint64_t>(std::numeric_limits<int32_t>::max()))
    throw TileDBError("An offset of " + std::to_string(offset) + " does not fit in 32 bits");
  const auto narrow = static_cast<uint32_t>(offset);
  const void* from = size == sizeof narrow ? static_cast<const void*>(&narrow) : &offset;
  std::memcpy(static_cast<char*>(offsets) + index * size, from, size);
}

/** Memory that is shared. */
using Memory = std::shared_ptr<std::vector<uint8_t>>;

inline Memory allocate(uint64_t bytes) {
  return std::make_shared<std::vector<uint8_t>>(static_cast<size_t>(bytes));
}

}  // namespace detail

/**
 * The type of the buffers in Arrow's notation.
 *
 * @param bufferinfo The buffers.
 * @param use_list Whether cells of several values are lists; otherwise the type is that of a value.
 * @throws TileDBError if Arrow has no such type.
 */
inline ArrowInfo tiledb_buffer_arrow_fmt(BufferInfo bufferinfo, bool use_list = true) {
  const TypeInfo& info = bufferinfo.tdbtype;
  const bool is_large = bufferinfo.offsets_elem_size != sizeof(uint32_t);
  if (detail::is_text(info.type) || detail::is_bytes(info.type)) {
    if (!bufferinfo.is_var)
      return "w:" + std::to_string(info.cell_val_num);
    return std::string(detail::is_text(info.type) ? (is_large ? "U" : "u") : (is_large ? "Z" : "z"));
  }
  for (const auto& [type, format] : detail::formats) {
    if (type != info.type)
      continue;
    if (use_list && bufferinfo.is_var)
      return {is_large ? "+L" : "+l", format};
    if (use_list && info.cell_val_num > 1)
      return {"+w:" + std::to_string(info.cell_val_num), format};
    return std::string(format);
  }
  throw TileDBError("[TileDB-Arrow] Values of datatype " + impl::to_str(info.type) + " are not laid out as in Arrow");
}

/**
 * Checks that a type in Arrow's notation can be read.
 *
 * @throws TileDBError if it is missing, was released, or lacks what its kind must have.
 */
inline void check_arrow_schema(const ArrowSchema* arw_schema) {
  if (arw_schema == nullptr || arw_schema->release == nullptr)
    throw TileDBError("[TileDB-Arrow] The Arrow schema is missing or was released");
  if (arw_schema->format == nullptr)
    throw TileDBError("[TileDB-Arrow] The Arrow schema has no format");
  const std::string format = arw_schema->format;
  const bool is_list = format == "+l" || format == "+L" || format.rfind("+w:", 0) == 0;
  if (is_list != (arw_schema->n_children == 1) || (is_list && arw_schema->children == nullptr))
    throw TileDBError("[TileDB-Arrow] An Arrow schema of format " + format + " has " +
                      std::to_string(arw_schema->n_children) + " children; only lists have one, and nothing more");
  if (is_list)
    check_arrow_schema(arw_schema->children[0]);
}

/**
 * A type in TileDB's notation.
 *
 * @throws TileDBError if TileDB has no such type.
 */
inline TypeInfo arrow_type_to_tiledb(ArrowSchema* arw_schema) {
  check_arrow_schema(arw_schema);
  const std::string format = arw_schema->format;
  const bool nullable = (arw_schema->flags & ARROW_FLAG_NULLABLE) != 0;
  if (format == "u" || format == "U")
    return {TILEDB_STRING_UTF8, 1, TILEDB_VAR_NUM, format == "U", nullable};
  if (format == "z" || format == "Z")
    return {TILEDB_BLOB, 1, TILEDB_VAR_NUM, format == "Z", nullable};
  const auto number = [&](size_t from) {
    const std::string digits = format.substr(from);
    const bool is_number = !digits.empty() && digits.size() < 10 &&
                           digits.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || std::stoul(digits) == 0)
      throw TileDBError("[TileDB-Arrow] The Arrow format " + format + " has no length above 0");
    return static_cast<uint32_t>(std::stoul(digits));
  };
  if (format.rfind("w:", 0) == 0)
    return {TILEDB_BLOB, 1, number(2), false, nullable};
  if (format[0] == '+') {
    const TypeInfo value = arrow_type_to_tiledb(arw_schema->children[0]);
    if (value.cell_val_num != 1)
      throw TileDBError("[TileDB-Arrow] Lists of lists, or of strings, have no TileDB datatype");
    const uint32_t num = format[1] == 'w' ? number(3) : TILEDB_VAR_NUM;
    return {value.type, value.elem_size, num, format[1] == 'L', nullable};
  }
  for (const auto& [type, name] : detail::formats) {
    // The time zone that may follow says nothing of the values.
    const bool is_timestamp = std::string(name).back() == ':';
    if (is_timestamp ? format.rfind(name, 0) == 0 : format == name)
      return {type, impl::type_size(type), 1, false, nullable};
  }
  throw TileDBError("[TileDB-Arrow] The Arrow format " + format + " has no TileDB datatype");
}

/**
 * The type of an attribute or a dimension.
 *
 * @throws TileDBError if there is neither of that name.
 */
inline TypeInfo tiledb_dt_info(const ArraySchema& schema, const std::string& name) {
  const auto info = [](tiledb_datatype_t type, uint32_t cell_val_num, bool nullable) {
    return TypeInfo{type, impl::type_size(type), cell_val_num, cell_val_num == TILEDB_VAR_NUM, nullable};
  };
  if (schema.has_attribute(name)) {
    const Attribute attribute = schema.attribute(name);
    return info(attribute.type(), attribute.cell_val_num(), attribute.nullable());
  }
  const Domain domain = schema.domain();
  if (!domain.has_dimension(name))
    throw TileDBError("[TileDB-Arrow] The array has no attribute and no dimension '" + name + "'");
  const Dimension dimension = domain.dimension(name);
  return info(dimension.type(), dimension.cell_val_num(), false);
}

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

/** The bit at an index, lowest first: 0 or 1. */
static inline int8_t bitmap_get(const uint8_t* bits, int64_t i) {
  return static_cast<int8_t>((bits[i / 8] >> (i % 8)) & 1);
}

/**
 * Turns bits into bytes in place.
 *
 * @param bitmap The bits, in memory for as many bytes.
 * @param n How many there are.
 */
static inline void bitmap_to_bytemap(void* bitmap, int64_t n) {
  auto* bytes = static_cast<uint8_t*>(bitmap);
  // From the end, so that no bit is overwritten before it is read.
  for (int64_t i = n - 1; i >= 0; --i)
    bytes[i] = static_cast<uint8_t>(bitmap_get(bytes, i));
}

/**
 * Turns bytes into bits in place.
 *
 * @param bytemap The bytes, 0 or not.
 * @param num How many there are.
 * @return How many are 0.
 */
inline int64_t bytemap_to_bitmap(uint8_t* bytemap, int64_t num) {
  int64_t zeros = 0;
  for (int64_t i = 0; i < num; i += 8) {
    uint8_t bits = 0;
    for (int64_t j = i; j < num && j < i + 8; ++j) {
      zeros += bytemap[j] == 0 ? 1 : 0;
      bits = static_cast<uint8_t>(bits | (bytemap[j] == 0 ? 0 : 1) << (j - i));
    }
    bytemap[i / 8] = bits;
  }
  return zeros;
}

/** The flags of a field with such buffers. */
inline int64_t flags_for_buffer(BufferInfo binfo) {
  return binfo.is_nullable ? ARROW_FLAG_NULLABLE : 0;
}

/** Sets Arrow arrays as buffers of a query that writes. */
class ArrowImporter {
 public:
  /** An importer for a query, which has to outlive it. */
  ArrowImporter(Query* const query) : query_(query) {
    if (query == nullptr)
      throw TileDBError("[TileDB-Arrow] There is no query");
  }

  /** What was imported stays with the query. */
  ~ArrowImporter() = default;

  /**
   * Sets an Arrow array as the buffers of a field. The array stays the caller's, and has to live until the query is
   * done; where it is not laid out as TileDB's buffers are, the query keeps a converted copy.
   *
   * @param name An attribute or a dimension.
   * @param array The array.
   * @param schema Its type.
   * @throws TypeError if the field has another type.
   * @throws TileDBError if the array is not well formed, or has nulls where the field has none.
   */
  void import_(std::string name, ArrowArray* array, ArrowSchema* schema) {
    const TypeInfo found = arrow_type_to_tiledb(schema);
    const TypeInfo field = tiledb_dt_info(query_->array().schema(), name);
    check(name, found, field);
    const bool is_list = schema->format[0] == '+';
    const bool is_var = found.cell_val_num == TILEDB_VAR_NUM;
    const uint64_t num_buffers = is_var && !is_list ? 3 : is_var || !is_list ? 2 : 1;
    if (array == nullptr || array->release == nullptr || array->length < 0 || array->offset < 0 ||
        array->n_buffers < 0 || static_cast<uint64_t>(array->n_buffers) != num_buffers ||
        array->n_children != (is_list ? 1 : 0))
      throw TileDBError("[TileDB-Arrow] The Arrow array for '" + name + "' does not fit its format " + schema->format);

    const auto length = static_cast<uint64_t>(array->length), first = static_cast<uint64_t>(array->offset);
    Values values{is_list ? array->children[0] : array, 0, found.elem_size};
    if (is_list && (values.array->release == nullptr || values.array->n_buffers != 2 || values.array->offset < 0))
      throw TileDBError("[TileDB-Arrow] The elements of the Arrow list for '" + name + "' are missing");
    if (is_list)
      values.begin = static_cast<uint64_t>(values.array->offset);
    if (is_var) {
      const size_t size = found.arrow_large ? sizeof(uint64_t) : sizeof(uint32_t);
      const void* offsets = array->buffers[1];
      const uint64_t begin = offsets == nullptr ? 0 : detail::offset_at(offsets, size, first);
      const uint64_t end = offsets == nullptr ? 0 : detail::offset_at(offsets, size, first + length);
      if (end < begin || (offsets == nullptr && length != 0))
        throw TileDBError("[TileDB-Arrow] The offsets of the Arrow array for '" + name + "' are missing or descend");
      set_offsets(name, offsets, size, first, length, field.elem_size);
      values.begin += begin;
      values.num = end - begin;
      set_values(name, values, array->buffers[is_list ? 1 : 2], is_list, field.type);
    } else {
      values.begin += first * found.cell_val_num;
      values.num = length * found.cell_val_num;
      set_values(name, values, is_list ? nullptr : array->buffers[1], is_list, field.type);
    }
    set_validity(name, *array, field.nullable);
  }

 private:
  /** Where the values of an array are, and which. */
  struct Values {
    const ArrowArray* array;
    uint64_t begin;
    uint64_t size;
    uint64_t num = 0;
  };

  static void check(const std::string& name, const TypeInfo& found, const TypeInfo& field) {
    const auto is_characters = [](tiledb_datatype_t type) { return detail::is_text(type) || detail::is_bytes(type); };
    const auto is_time = [](tiledb_datatype_t type) {
      return impl::tiledb_datetime_type(type) || impl::tiledb_time_type(type);
    };
    const bool fits = found.type == field.type || (is_characters(found.type) && is_characters(field.type)) ||
                      (found.type == TILEDB_INT64 && is_time(field.type));
    if (!fits || found.cell_val_num != field.cell_val_num)
      throw TypeError("[TileDB-Arrow] The Arrow array has another type than '" + name + "', which is of datatype " +
                      impl::to_str(field.type));
  }

  /** Sets the values of a field: the part of a buffer, or bytes made of bits. */
  void set_values(const std::string& name, const Values& values, const void* buffer, bool is_list,
                  tiledb_datatype_t type) {
    const void* from = is_list ? values.array->buffers[1] : buffer;
    detail::Memory memory;
    const uint8_t* first = static_cast<const uint8_t*>(from);
    if (from == nullptr && values.num != 0)
      throw TileDBError("[TileDB-Arrow] The Arrow array for '" + name + "' has no values");
    if (from == nullptr || type == TILEDB_BOOL) {
      memory = detail::allocate(values.num + 1);
      for (uint64_t i = 0; i < values.num; ++i)
        (*memory)[i] = static_cast<uint8_t>(bitmap_get(first, static_cast<int64_t>(values.begin + i)));
      first = memory->data();
    } else {
      first += values.begin * values.size;
    }
    query_->set_values(name, const_cast<uint8_t*>(first), values.num, values.size);
    query_->sizes_of(name).kept[0] = std::move(memory);
  }

  /** Sets the offsets of a field as the query's settings want them, counted from its first value. */
  void set_offsets(const std::string& name, const void* from, size_t size, uint64_t first, uint64_t length,
                   uint64_t value_size) {
    const detail::Offsets wanted(*query_);
    const uint64_t num = length + (wanted.has_end ? 1 : 0);
    const uint64_t scale = wanted.in_elements ? 1 : value_size;
    const uint64_t begin = from == nullptr ? 0 : detail::offset_at(from, size, first);
    detail::Memory memory;
    const void* offsets = from;
    if (from == nullptr || size != wanted.size || scale != 1 || begin != 0 || first != 0) {
      memory = detail::allocate((length + 1) * wanted.size);
      for (uint64_t i = 0; i < num && from != nullptr; ++i) {
        const uint64_t offset = (detail::offset_at(from, size, first + i) - begin) * scale;
        detail::set_offset(memory->data(), wanted.size, i, offset);
      }
      offsets = memory->data();
    }
    query_->set_buffer(tiledb_query_set_offsets_buffer, name, static_cast<uint64_t*>(const_cast<void*>(offsets)),
                       &Query::Sizes::offsets, num * wanted.size);
    query_->sizes_of(name).kept[1] = std::move(memory);
  }

  /** Sets the validity of a field that has one: bytes made of bits. */
  void set_validity(const std::string& name, const ArrowArray& array, bool is_nullable) {
    const auto* bits = static_cast<const uint8_t*>(array.buffers[0]);
    auto memory = detail::allocate(static_cast<uint64_t>(array.length) + 1);
    bool has_nulls = false;
    for (int64_t i = 0; i < array.length; ++i) {
      const bool is_valid = bits == nullptr || bitmap_get(bits, array.offset + i) != 0;
      (*memory)[static_cast<size_t>(i)] = is_valid ? 1 : 0;
      has_nulls = has_nulls || !is_valid;
    }
    if (is_nullable) {
      query_->set_validity_buffer(name, memory->data(), static_cast<uint64_t>(array.length));
      query_->sizes_of(name).kept[2] = std::move(memory);
    } else if (has_nulls) {
      throw TileDBError("[TileDB-Arrow] The Arrow array for '" + name + "' has nulls; the field is not nullable");
    }
  }

  Query* query_;
};

/** Gives the results of a query as Arrow arrays. */
class ArrowExporter {
 public:
  /** An exporter for a query, which has to outlive it. */
  ArrowExporter(Context* const ctx, Query* const query) : ctx_(ctx), query_(query) {
    if (ctx == nullptr || query == nullptr)
      throw TileDBError("[TileDB-Arrow] There is no context or no query");
  }

  /**
   * Gives what the buffers of a field hold as an Arrow array. Its values are those in the buffer, which has to live as
   * long as the array.
   *
   * @param name An attribute or a dimension.
   * @param array Where the array goes.
   * @param schema Where its type goes.
   * @throws TileDBError if the field has no buffers, or Arrow has no such type.
   */
  void export_(const std::string& name, ArrowArray* array, ArrowSchema* schema) {
    if (array == nullptr || schema == nullptr)
      throw TileDBError("[TileDB-Arrow] There is nowhere to export '" + name + "' to");
    const BufferInfo info = buffer_info(name);
    const ArrowInfo format = tiledb_buffer_arrow_fmt(info);
    const bool is_list = !format.rep_.empty();

    std::vector<ArrowSchema*> element_types;
    CPPArrowSchema element("item", is_list ? format.rep_ : "n", std::nullopt, 0, {}, nullptr);
    if (is_list)
      element_types.push_back(element.mutable_ptr());
    CPPArrowSchema type(name, format.fmt_, std::nullopt, flags_for_buffer(info), element_types, nullptr);

    std::vector<detail::Memory> memory;
    const uint64_t cells = info.is_var ? info.offsets_num : info.data_num / info.tdbtype.cell_val_num;
    int64_t nulls = 0;
    std::vector<void*> buffers = {validity(name, info, cells, nulls, memory)};
    if (info.is_var)
      buffers.push_back(offsets(info, memory));
    std::vector<std::shared_ptr<CPPArrowArray>> elements;
    void* data = values(info, memory);
    if (is_list)
      elements.push_back(std::make_shared<CPPArrowArray>(static_cast<int64_t>(info.data_num), 0, 0,
                                                         std::vector<std::shared_ptr<CPPArrowArray>>(),
                                                         std::vector<void*>{nullptr, data}));
    else
      buffers.push_back(data);
    CPPArrowArray all(static_cast<int64_t>(cells), nulls, 0, std::move(elements), std::move(buffers));
    all.keep(std::move(memory));
    type.export_ptr(schema);
    all.export_ptr(array);
  }

  /** The buffers of a field, and how much they hold. */
  BufferInfo buffer_info(const std::string& name) {
    BufferInfo info;
    info.tdbtype = tiledb_dt_info(query_->array().schema(), name);
    info.is_var = info.tdbtype.cell_val_num == TILEDB_VAR_NUM;
    info.is_nullable = info.tdbtype.nullable;
    info.data_elem_size = info.tdbtype.elem_size;
    uint64_t* bytes = nullptr;
    query(tiledb_query_get_data_buffer, name, &info.data, &bytes);
    if (bytes == nullptr)
      throw TileDBError("[TileDB-Arrow] The query has no buffer for '" + name + "'");
    info.data_num = *bytes / info.data_elem_size;
    if (info.is_var) {
      const detail::Offsets settings(*query_);
      uint64_t* offsets = nullptr;
      query(tiledb_query_get_offsets_buffer, name, &offsets, &bytes);
      info.offsets = offsets;
      info.offsets_elem_size = settings.size;
      info.offsets_num = bytes == nullptr ? 0 : *bytes / settings.size;
      if (settings.has_end && info.offsets_num > 0)
        --info.offsets_num;
    }
    if (info.is_nullable) {
      uint64_t num = 0;
      query_->get_validity_buffer(name, &info.validity, &num);
    }
    return info;
  }

 private:
  template <typename F, typename... Args>
  void query(F function, const std::string& name, Args... args) const {
    ctx_->handle_error(function(ctx_->ptr().get(), query_->ptr().get(), name.c_str(), args...));
  }

  /** The bits that say which cells are not null; null if all are. */
  void* validity(const std::string& name, const BufferInfo& info, uint64_t cells, int64_t& nulls,
                 std::vector<detail::Memory>& memory) {
    if (info.validity == nullptr)
      return nullptr;
    uint8_t* bytes = nullptr;
    uint64_t num = 0;
    query_->get_validity_buffer(name, &bytes, &num);
    if (num < cells)
      throw TileDBError("[TileDB-Arrow] The validity buffer of '" + name + "' has " + std::to_string(num) +
                        " cells, not " + std::to_string(cells));
    memory.push_back(std::make_shared<std::vector<uint8_t>>(info.validity, info.validity + cells));
    nulls = bytemap_to_bitmap(memory.back()->data(), static_cast<int64_t>(cells));
    return memory.back()->data();
  }

  /** The offsets as Arrow has them: counted in elements, and with the end of the last cell. */
  void* offsets(const BufferInfo& info, std::vector<detail::Memory>& memory) const {
    const detail::Offsets settings(*query_);
    const uint64_t scale = settings.in_elements ? 1 : info.data_elem_size;
    const size_t size = info.offsets_elem_size;
    memory.push_back(detail::allocate((info.offsets_num + 1) * size));
    for (uint64_t i = 0; i < info.offsets_num; ++i)
      detail::set_offset(memory.back()->data(), size, i, detail::offset_at(info.offsets, size, i) / scale);
    detail::set_offset(memory.back()->data(), size, info.offsets_num, info.data_num);
    return memory.back()->data();
  }

  /** The values as Arrow has them: booleans as bits. */
  static void* values(const BufferInfo& info, std::vector<detail::Memory>& memory) {
    if (info.tdbtype.type != TILEDB_BOOL)
      return info.data;
    const auto* bytes = static_cast<const uint8_t*>(info.data);
    memory.push_back(std::make_shared<std::vector<uint8_t>>(bytes, bytes + info.data_num));
    bytemap_to_bitmap(memory.back()->data(), static_cast<int64_t>(info.data_num));
    return memory.back()->data();
  }

  Context* ctx_;
  Query* query_;
};

/** Gives what the buffers of a field hold as an `ArrowArray` and an `ArrowSchema`; see `ArrowExporter::export_`. */
inline void query_get_buffer_arrow_array(Context* const ctx, Query* const query, std::string name, void* v_arw_array,
                                         void* v_arw_schema) {
  ArrowExporter(ctx, query)
      .export_(name, static_cast<ArrowArray*>(v_arw_array), static_cast<ArrowSchema*>(v_arw_schema));
}

/** Sets an `ArrowArray` of an `ArrowSchema` as the buffers of a field; see `ArrowImporter::import_`. */
inline void query_set_buffer_arrow_array(Query* const query, std::string name, void* v_arw_array, void* v_arw_schema) {
  ArrowImporter(query).import_(std::move(name), static_cast<ArrowArray*>(v_arw_array),
                               static_cast<ArrowSchema*>(v_arw_schema));
}

}  // namespace tiledb::arrow

#endif  // TILEDB_CPP_ARROW_IO_IMPL_H
