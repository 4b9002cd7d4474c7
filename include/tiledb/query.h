/**
 * Queries: reading, writing and deleting cells.
 */
#ifndef TILEDB_CPP_QUERY_H
#define TILEDB_CPP_QUERY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array.h"
#include "config.h"
#include "context.h"
#include "handle.h"
#include "query_condition.h"
#include "subarray.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "tiledb_rs_next.h"
#include "type.h"

namespace tiledb {

namespace arrow {
class ArrowImporter;
}

/**
 * A query on an array that is open for the same purpose.
 *
 * Buffers belong to the caller, who keeps them until the query is done; how much of them was filled is told by
 * `result_buffer_elements`. Sizes are counted in values of the field's type, not in bytes. Copies of a query share all
 * of it. Context and array must outlive it.
 */
class Query {
 public:
  /** How far a query has come. */
  enum class Status {
    /** It failed. */
    FAILED = 0,
    /** It is done. */
    COMPLETE = 1,
    /** It is being processed. */
    INPROGRESS = 2,
    /** The buffers are full; the next `submit` gives more. */
    INCOMPLETE = 3,
    /** It was not submitted. */
    UNINITIALIZED = 4,
    /** It was checked and can be processed. */
    INITIALIZED = 5
  };

  /**
   * A query.
   *
   * @param ctx The context.
   * @param array The array, which is open for this type of query.
   * @param type The type.
   */
  Query(const Context& ctx, const Array& array, tiledb_query_type_t type)
      : array_(array),
        buffers_(std::make_shared<Buffers>()),
        handle_(ctx, alloc(ctx, array, type, buffers_)) {}

  /** A query of the type that the array is open for. */
  Query(const Context& ctx, const Array& array) : Query(ctx, array, array.query_type()) {}

  /** A query of the type that the array is open for, in the context of the array. */
  Query(const Array& array) : Query(array.context(), array) {}

  /** Shares the handle and what is known of the buffers. */
  Query(const Query&) = default;

  /** Takes the handle. */
  Query(Query&&) = default;

  /** Shares the handle and what is known of the buffers. */
  Query& operator=(const Query&) = default;

  /** Takes the handle. */
  Query& operator=(Query&&) = default;

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_query_t> ptr() const {
    return handle_.ptr();
  }

  /** Its type. */
  tiledb_query_type_t query_type() const {
    return handle_.get<tiledb_query_type_t>(tiledb_query_get_type);
  }

  /** Sets in which order cells are given or taken. */
  Query& set_layout(tiledb_layout_t layout) {
    handle_.call(tiledb_query_set_layout, layout);
    return *this;
  }

  /** In which order cells are given or taken. */
  tiledb_layout_t query_layout() const {
    return handle_.get<tiledb_layout_t>(tiledb_query_get_layout);
  }

  /** Sets which cells are read or deleted; the query keeps a copy. */
  Query& set_condition(const QueryCondition& condition) {
    handle_.call(tiledb_query_set_condition, condition.ptr().get());
    return *this;
  }

  /** The array. */
  const Array& array() {
    return array_.get();
  }

  /** How far it has come. */
  Status query_status() const {
    return to_status(handle_.get<tiledb_query_status_t>(tiledb_query_get_status));
  }

  /** Whether a read has given cells; before it was submitted it has not. */
  bool has_results() const {
    return handle_.get<int32_t>(tiledb_query_has_results) != 0;
  }

  /** Processes it as far as the buffers go, and tells how far that was. */
  Status submit() {
    handle_.call(tiledb_query_submit);
    return query_status();
  }

  /** Ends a write in global order, which may be submitted many times before. */
  void finalize() {
    handle_.call(tiledb_query_finalize);
  }

  /** Submits the last part of a write in global order and ends it. */
  void submit_and_finalize() {
    handle_.call(tiledb_query_submit_and_finalize);
  }

  /**
   * How much the buffers of each field hold after `submit`: offsets, and values. Offsets are 0 for fields with a fixed
   * number of values in a cell.
   */
  std::unordered_map<std::string, std::pair<uint64_t, uint64_t>> result_buffer_elements() const {
    std::unordered_map<std::string, std::pair<uint64_t, uint64_t>> elements;
    for_each_field([&](const std::string& name, const Sizes& sizes) {
      elements[name] = {sizes.offset_num(), sizes.value_num()};
    });
    return elements;
  }

  /** The same, and thirdly how many cells the validity buffer holds; 0 for fields that have none. */
  std::unordered_map<std::string, std::tuple<uint64_t, uint64_t, uint64_t>> result_buffer_elements_nullable() const {
    std::unordered_map<std::string, std::tuple<uint64_t, uint64_t, uint64_t>> elements;
    for_each_field([&](const std::string& name, const Sizes& sizes) {
      elements[name] = {sizes.offset_num(), sizes.value_num(), sizes.validity};
    });
    return elements;
  }

  /** An upper bound, in bytes, of what a field of fixed size gives. */
  uint64_t est_result_size(const std::string& attr_name) const {
    return handle_.get<uint64_t>(tiledb_query_get_est_result_size, attr_name.c_str());
  }

  /** Upper bounds, in bytes, for the offsets and the values of a field of variable size. */
  std::array<uint64_t, 2> est_result_size_var(const std::string& attr_name) const {
    std::array<uint64_t, 2> sizes{};
    handle_.call(tiledb_query_get_est_result_size_var, attr_name.c_str(), &sizes[0], &sizes[1]);
    return sizes;
  }

  /** Upper bounds, in bytes, for the values and the validity of a nullable field of fixed size. */
  std::array<uint64_t, 2> est_result_size_nullable(const std::string& attr_name) const {
    std::array<uint64_t, 2> sizes{};
    handle_.call(tiledb_query_get_est_result_size_nullable, attr_name.c_str(), &sizes[0], &sizes[1]);
    return sizes;
  }

  /** Upper bounds, in bytes, for offsets, values and validity of a nullable field of variable size. */
  std::array<uint64_t, 3> est_result_size_var_nullable(const std::string& attr_name) const {
    std::array<uint64_t, 3> sizes{};
    handle_.call(tiledb_query_get_est_result_size_var_nullable, attr_name.c_str(), &sizes[0], &sizes[1], &sizes[2]);
    return sizes;
  }

  /** How many fragments a write has made. */
  uint32_t fragment_num() const {
    return handle_.get<uint32_t>(tiledb_query_get_fragment_num);
  }

  /** Where a fragment lies that a write has made. */
  std::string fragment_uri(uint32_t idx) const {
    return handle_.text(tiledb_query_get_fragment_uri, idx);
  }

  /** The times, in milliseconds since 1970, of a fragment that a write has made. */
  std::pair<uint64_t, uint64_t> fragment_timestamp_range(uint32_t idx) const {
    std::pair<uint64_t, uint64_t> range;
    handle_.call(tiledb_query_get_fragment_timestamp_range, idx, &range.first, &range.second);
    return range;
  }

  /** Sets which part of the array is read or written; the query keeps a copy. */
  Query& set_subarray(const Subarray& subarray) {
    handle_.call(tiledb_query_set_subarray_t, subarray.ptr().get());
    return *this;
  }

  /** Sets the configuration, before the first `submit`. */
  Query& set_config(const Config& config) {
    handle_.call(tiledb_query_set_config, config.ptr().get());
    return *this;
  }

  /** A copy of its configuration. */
  Config config() const {
    tiledb_config_t* config = handle_.raw<tiledb_config_t>(tiledb_query_get_config);
    return Config(&config);
  }

  /**
   * Sets the buffer for the values of a field.
   *
   * @tparam T The type of the field, or one that holds all values of a cell.
   * @param name An attribute, a dimension or an aggregate.
   * @param buff The buffer.
   * @param nelements How many `T` it holds.
   * @throws TypeError if the field has another type.
   */
  template <typename T>
  Query& set_data_buffer(const std::string& name, T* buff, uint64_t nelements) {
    impl::type_check<std::remove_cv_t<T>>(field_type(name));
    return set_values(name, const_cast<std::remove_cv_t<T>*>(buff), nelements, sizeof(T));
  }

  /** The same with a vector, whose size is that of the buffer. */
  template <typename T>
  Query& set_data_buffer(const std::string& name, std::vector<T>& buf) {
    return set_data_buffer(name, buf.data(), static_cast<uint64_t>(buf.size()));
  }

  /** The same without a check of types; the elements are values of the field's datatype. */
  Query& set_data_buffer(const std::string& name, void* buff, uint64_t nelements) {
    return set_values(name, buff, nelements, impl::type_size(field_type(name)));
  }

  /** The same for a field of characters with a string, whose size is that of the buffer. */
  Query& set_data_buffer(const std::string& name, std::string& data) {
    return set_data_buffer(name, data.data(), static_cast<uint64_t>(data.size()));
  }

  /**
   * Sets the buffer for the offsets of a field of variable size: where in its data buffer each cell begins, in bytes
   * unless `sm.var_offsets.mode` says otherwise.
   *
   * @param attr The field.
   * @param offsets The buffer.
   * @param offset_nelements How many offsets it holds.
   */
  Query& set_offsets_buffer(const std::string& attr, uint64_t* offsets, uint64_t offset_nelements) {
    return attach_buffer(tiledb_query_set_offsets_buffer, attr, offsets, &Sizes::offsets,
                         offset_nelements * sizeof(uint64_t));
  }

  /** The same with a vector, whose size is that of the buffer. */
  Query& set_offsets_buffer(const std::string& name, std::vector<uint64_t>& offsets) {
    return set_offsets_buffer(name, offsets.data(), static_cast<uint64_t>(offsets.size()));
  }

  /**
   * Sets the buffer that says for each cell of a nullable field whether it has a value: 1, or 0 for null.
   *
   * @param attr The field.
   * @param validity_bytemap The buffer.
   * @param validity_bytemap_nelements How many cells it holds.
   */
  Query& set_validity_buffer(const std::string& attr, uint8_t* validity_bytemap, uint64_t validity_bytemap_nelements) {
    return attach_buffer(tiledb_query_set_validity_buffer, attr, validity_bytemap, &Sizes::validity,
                         validity_bytemap_nelements);
  }

  /** The same with a vector, whose size is that of the buffer. */
  Query& set_validity_buffer(const std::string& name, std::vector<uint8_t>& validity_bytemap) {
    return set_validity_buffer(name, validity_bytemap.data(), static_cast<uint64_t>(validity_bytemap.size()));
  }

  /**
   * Unsets all buffers: they are not used any more, so that their memory may be freed. A member of libtiledb 2.31's
   * interface; libtiledb 2.30 lacks the C function.
   *
   * @throws TileDBError if the query is empty or was moved.
   */
  void unset_buffers() {
    if (tiledb_query_unset_buffers(handle_.ptr().get()) != TILEDB_OK)
      throw TileDBError("[TileDB::C++API] Error: Cannot unset the buffers of an invalid query");
    if (buffers_ != nullptr)
      buffers_->clear();
  }

  /**
   * The buffer that was set for the values of a field.
   *
   * @param name The field.
   * @param data The buffer.
   * @param data_nelements How many values it holds.
   * @param element_size The size of a value in bytes.
   * @throws TileDBError if no buffer was set.
   */
  Query& get_data_buffer(const std::string& name, void** data, uint64_t* data_nelements, uint64_t* element_size) {
    if (!sizes_of(name).is_set)
      throw TileDBError("[TileDB::C++API] Error: No buffer set for attribute '" + name + "'!");
    uint64_t* size = nullptr;
    handle_.call(tiledb_query_get_data_buffer, name.c_str(), data, &size);
    *element_size = sizes_of(name).element;
    *data_nelements = size == nullptr || *element_size == 0 ? 0 : *size / *element_size;
    return *this;
  }

  /** The buffer that was set for the offsets of a field, and how many it holds; null if there is none. */
  Query& get_offsets_buffer(const std::string& name, uint64_t** offsets, uint64_t* offsets_nelements) {
    uint64_t* size = nullptr;
    handle_.call(tiledb_query_get_offsets_buffer, name.c_str(), offsets, &size);
    *offsets_nelements = size == nullptr ? 0 : *size / sizeof(uint64_t);
    return *this;
  }

  /** The buffer that was set for the validity of a field, and how many cells it holds; null if there is none. */
  Query& get_validity_buffer(const std::string& name, uint8_t** validity_bytemap,
                             uint64_t* validity_bytemap_nelements) {
    uint64_t* size = nullptr;
    handle_.call(tiledb_query_get_validity_buffer, name.c_str(), validity_bytemap, &size);
    *validity_bytemap_nelements = size == nullptr ? 0 : *size;
    return *this;
  }

  /** What happened in this query, counted and timed, as JSON. */
  std::string stats() {
    char* json = handle_.get<char*>(tiledb_query_get_stats);
    const std::string text = json == nullptr ? "" : json;
    tiledb_stats_free_str(&json);
    return text;
  }

  /** Makes a subarray a copy of this query's. */
  Query& update_subarray_from_query(Subarray* subarray) {
    subarray->replace_subarray_data(handle_.raw<tiledb_subarray_t>(tiledb_query_get_subarray_t));
    return *this;
  }

  /** A status of the C interface as one of this. */
  static Status to_status(const tiledb_query_status_t& status) {
    switch (status) {
      case TILEDB_COMPLETED:
        return Status::COMPLETE;
      case TILEDB_INPROGRESS:
        return Status::INPROGRESS;
      case TILEDB_INCOMPLETE:
        return Status::INCOMPLETE;
      case TILEDB_UNINITIALIZED:
        return Status::UNINITIALIZED;
      case TILEDB_INITIALIZED:
        return Status::INITIALIZED;
      default:
        return Status::FAILED;
    }
  }

  /** The name of a type, as `READ`; empty for a number that is none. */
  static std::string to_str(tiledb_query_type_t type) {
    const char* name = nullptr;
    return tiledb_query_type_to_str(type, &name) == TILEDB_OK && name != nullptr ? name : std::string();
  }

  /** The context. */
  const Context& ctx() const {
    return handle_.context();
  }

  /** The array. */
  const Array& array() const {
    return array_.get();
  }

#ifdef TILEDB_RS_REMOVED_API
#include "removed/query_members.h"
#endif

 private:
  friend class QueryExperimental;
  friend class arrow::ArrowImporter;

  /** How many bytes of the buffers of a field are filled, and the size of a value. */
  struct Sizes {
    uint64_t values = 0;
    uint64_t offsets = 0;
    uint64_t validity = 0;
    uint64_t element = 0;
    bool is_set = false;
    /** Buffers that are not the caller's, for values, offsets and validity. */
    std::array<std::shared_ptr<void>, 3> kept;

    uint64_t value_num() const {
      return element == 0 ? 0 : values / element;
    }

    uint64_t offset_num() const {
      return offsets / sizeof(uint64_t);
    }
  };

  /** The sizes by field. The query of the C interface refers to them: an entry must not move. */
  struct Buffers : std::unordered_map<std::string, Sizes> {
    /** What `submit_async` calls. */
    std::shared_ptr<std::function<void()>> callback;
  };

  using Handle = detail::Handle<tiledb_query_t>;

  /** A query of the C interface; the sizes of its buffers live as long as it. */
  static std::shared_ptr<tiledb_query_t> alloc(const Context& ctx, const Array& array, tiledb_query_type_t type,
                                               std::shared_ptr<Buffers> buffers) {
    auto* query = detail::raw<tiledb_query_t>(ctx, tiledb_query_alloc, array.ptr().get(), type);
    return {query, [buffers = std::move(buffers)](tiledb_query_t* p) { impl::Deleter()(p); }};
  }

  /** The datatype of a field. */
  tiledb_datatype_t field_type(const std::string& name) const {
    auto* field = handle_.raw<tiledb_query_field_t>(tiledb_query_get_field, name.c_str());
    tiledb_datatype_t type = TILEDB_ANY;
    const auto rc = tiledb_field_datatype(ctx().ptr().get(), field, &type);
    tiledb_query_field_free(ctx().ptr().get(), &field);
    ctx().handle_error(rc);
    return type;
  }

  /** The sizes of the buffers of a field. */
  Sizes& sizes_of(const std::string& name) {
    if (buffers_ == nullptr)
      throw TileDBError("[TileDB::C++API] Error: The query was moved to another object");
    return (*buffers_)[name];
  }

  /** Calls a function for each field that has a buffer. */
  template <typename F>
  void for_each_field(F function) const {
    if (buffers_ == nullptr)
      return;
    for (const auto& [name, sizes] : *buffers_) {
      if (sizes.is_set)
        function(name, sizes);
    }
  }

  /** Sets the buffer for the values of a field. */
  Query& set_values(const std::string& name, void* buffer, uint64_t nelements, uint64_t element_size) {
    attach_buffer(tiledb_query_set_data_buffer, name, buffer, &Sizes::values, nelements * element_size);
    sizes_of(name).element = element_size;
    return *this;
  }

  /** Sets a buffer. What the C interface knows of the one before must stay true if it refuses this one. */
  template <typename F, typename B>
  Query& attach_buffer(F function, const std::string& name, B* buffer, uint64_t Sizes::*which, uint64_t bytes) {
    Sizes& sizes = sizes_of(name);
    uint64_t& size = sizes.*which;
    const uint64_t before = std::exchange(size, bytes);
    const auto rc = function(ctx().ptr().get(), handle_.ptr().get(), name.c_str(), buffer, &size);
    if (rc != TILEDB_OK)
      size = before;
    ctx().handle_error(rc);
    sizes.is_set = true;
    return *this;
  }

  std::reference_wrapper<const Array> array_;
  std::shared_ptr<Buffers> buffers_;
  Handle handle_;
};

/** Prints the name of a status. */
inline std::ostream& operator<<(std::ostream& os, const Query::Status& stat) {
  switch (stat) {
    case Query::Status::COMPLETE:
      return os << "COMPLETE";
    case Query::Status::INPROGRESS:
      return os << "INPROGRESS";
    case Query::Status::INCOMPLETE:
      return os << "INCOMPLETE";
    case Query::Status::UNINITIALIZED:
      return os << "UNINITIALIZED";
    case Query::Status::INITIALIZED:
      return os << "INITIALIZED";
    default:
      return os << "FAILED";
  }
}

}  // namespace tiledb

#endif  // TILEDB_CPP_QUERY_H
