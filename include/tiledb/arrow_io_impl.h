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
#include "arrow_c_data.h"
#include "arrow_types.h"
#include "config.h"
#include "context.h"
#include "core_interface.h"
#include "exception.h"
#include "query.h"
#include "tiledb.h"
#include "type.h"

/** The exception that is thrown here. */
using _TileDBError = tiledb::TileDBError;

namespace tiledb::arrow {

namespace detail {

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

/** Memory of so many bytes, which are 0. */
inline Memory allocate(uint64_t bytes) {
  return std::make_shared<std::vector<uint8_t>>(static_cast<size_t>(bytes));
}

}  // namespace detail

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
    const bool is_list = detail::is_list(schema->format);
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
    // Eight bytes count for each offset, also where it has four.
    query_->attach_buffer(tiledb_query_set_offsets_buffer, name, static_cast<uint64_t*>(const_cast<void*>(offsets)),
                          &Query::Sizes::offsets, num * sizeof(uint64_t));
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
