/**
 * Types in TileDB's notation and in Arrow's.
 */
#ifndef TILEDB_CPP_ARROW_TYPES_H
#define TILEDB_CPP_ARROW_TYPES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "array_schema.h"
#include "arrow_c_data.h"
#include "attribute.h"
#include "core_interface.h"
#include "dimension.h"
#include "domain.h"
#include "exception.h"
#include "tiledb.h"

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

/** Whether a type is that of lists with elements of another. */
inline bool is_list(const std::string& format) {
  return format == "+l" || format == "+L" || format.rfind("+w:", 0) == 0;
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
  const bool is_list = detail::is_list(format);
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
  if (detail::is_list(format)) {
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

}  // namespace tiledb::arrow

#endif  // TILEDB_CPP_ARROW_TYPES_H
