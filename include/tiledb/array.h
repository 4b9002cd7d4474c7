/**
 * Arrays: opening and closing them, what is known of them, metadata, and their upkeep.
 */
#ifndef TILEDB_CPP_ARRAY_H
#define TILEDB_CPP_ARRAY_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "array_schema.h"
#include "config.h"
#include "context.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "type.h"

namespace tiledb {

/** The type of `TimeTravel`. */
class TimeTravelMarker {};

/** Says that an array is opened as it was at a time. */
static constexpr TimeTravelMarker TimeTravel{};

/** The type of `TimestampStartEnd`. */
class TimestampStartEndMarker {};

/** Says that an array is opened with what was written between two times. */
static constexpr TimestampStartEndMarker TimestampStartEnd{};

/** Which of the writes to an array are seen, by their times in milliseconds since 1970 (UTC). */
class TemporalPolicy {
 public:
  /** All writes up to now; for writing, now. */
  TemporalPolicy() {}

  /** All writes up to a time, which is included; for writing, that time. */
  TemporalPolicy(const TimeTravelMarker&, uint64_t timestamp) : end_(timestamp) {}

  /** The writes between two times, which are included. */
  TemporalPolicy(const TimestampStartEndMarker&, uint64_t timestamp_start, uint64_t timestamp_end)
      : start_(timestamp_start), end_(timestamp_end) {}

 private:
  friend class Array;

  std::optional<uint64_t> start_;
  std::optional<uint64_t> end_;
};

/** The type of `AESGCM`. */
class AESGCMEncryptionTypeMarker {};

/** Says that an array is encrypted with AES-256-GCM. */
static constexpr AESGCMEncryptionTypeMarker AESGCM{};

/** How an array is encrypted, and the key. */
class EncryptionAlgorithm {
 public:
  /** What the configuration of the context says. */
  EncryptionAlgorithm() {}

  /** An encryption and its key; for AES-256-GCM a key of 32 bytes. */
  EncryptionAlgorithm(tiledb_encryption_type_t type, const char* key) : type_(type), key_(key == nullptr ? "" : key) {}

  /** AES-256-GCM with a key of 32 bytes. */
  EncryptionAlgorithm(const AESGCMEncryptionTypeMarker&, const char* key)
      : EncryptionAlgorithm(TILEDB_AES_256_GCM, key) {}

 private:
  friend class Array;

  tiledb_encryption_type_t type_ = TILEDB_NO_ENCRYPTION;
  std::string key_;
};

/**
 * An array. It is open from its construction; it is closed with `close`, or when the object ends.
 *
 * Copies share the handle: when one of them ends the array is closed for all. The context must outlive them.
 */
class Array {
 public:
  /**
   * Opens an array.
   *
   * @param ctx The context.
   * @param array_uri Where it lies.
   * @param query_type What it is opened for.
   * @param temporal_policy Which writes are seen.
   * @param encryption_algorithm How it is encrypted.
   * @throws TileDBError if there is no such array.
   */
  Array(const Context& ctx, const std::string& array_uri, tiledb_query_type_t query_type,
        const TemporalPolicy temporal_policy = {}, const EncryptionAlgorithm encryption_algorithm = {})
      : handle_(Handle::make(ctx, tiledb_array_alloc, array_uri.c_str())) {
    if (temporal_policy.start_)
      set_open_timestamp_start(*temporal_policy.start_);
    if (temporal_policy.end_)
      set_open_timestamp_end(*temporal_policy.end_);
    if (encryption_algorithm.type_ != TILEDB_NO_ENCRYPTION)
      set_encryption(encryption_algorithm.type_, encryption_algorithm.key_);
    open(query_type);
  }

  /**
   * Sets the configuration of an array of the C interface, which stays its owner's, and refers to it.
   *
   * @throws TileDBError if there is no array.
   */
  Array(const Context& ctx, tiledb_array_t* carray, tiledb_config_t* config) : Array(ctx, carray, false) {
    handle_.call(tiledb_array_set_config, config);
  }

  /**
   * An array of the C interface.
   *
   * @param ctx The context.
   * @param carray The array.
   * @param own Whether it is closed and freed with this object.
   * @throws TileDBError if there is no array.
   */
  Array(const Context& ctx, tiledb_array_t* carray, bool own = true)
      : handle_(ctx, std::shared_ptr<tiledb_array_t>(given(carray), Free{own})), owns_(own) {}

  /** Shares the handle. */
  Array(const Array&) = default;

  /** Takes the handle; the other is then good for nothing but assignment. */
  Array(Array&&) = default;

  /** Shares the handle. */
  Array& operator=(const Array&) = default;

  /** Takes the handle. */
  Array& operator=(Array&&) = default;

  /** Closes the array if it is open, unless it belongs to somebody else. Errors go to the log. */
  ~Array() {
    if (owns_)
      handle_.close_quietly(tiledb_array_is_open, tiledb_array_close);
  }

  /** Whether it is open. */
  bool is_open() const {
    return handle_.get<int32_t>(tiledb_array_is_open) != 0;
  }

  /** Where it lies. */
  std::string uri() const {
    return handle_.text(tiledb_array_get_uri);
  }

  /** Its context. */
  const Context& context() const {
    return handle_.context();
  }

  /** Its schema; the array must be open. */
  ArraySchema schema() const {
    return ArraySchema(context(), handle_.raw<tiledb_array_schema_t>(tiledb_array_get_schema));
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_array_t> ptr() const {
    return handle_.ptr();
  }

  /** Removes an array with all its data. */
  static void delete_array(const Context& ctx, const std::string& uri) {
    detail::call(ctx, tiledb_array_delete, uri.c_str());
  }

  /** Removes the fragments that were written between two times, which are included. */
  static void delete_fragments(const Context& ctx, const std::string& uri, uint64_t timestamp_start,
                               uint64_t timestamp_end) {
    detail::call(ctx, tiledb_array_delete_fragments_v2, uri.c_str(), timestamp_start, timestamp_end);
  }

  /** Removes fragments by their URIs. */
  static void delete_fragments_list(const Context& ctx, const std::string& uri, const char* fragment_uris[],
                                    const size_t num_fragments) {
    detail::call(ctx, tiledb_array_delete_fragments_list, uri.c_str(), fragment_uris, num_fragments);
  }

  /** Opens it, after it was closed, at the times that were set. */
  void open(tiledb_query_type_t query_type) {
    handle_.call(tiledb_array_open, query_type);
  }

  /** Opens it as it was at a time, in milliseconds since 1970. */
  void open(tiledb_query_type_t query_type, uint64_t timestamp) {
    set_open_timestamp_end(timestamp);
    open(query_type);
  }

  /** Opens it with an encryption and its key. */
  void open(tiledb_query_type_t query_type, tiledb_encryption_type_t encryption_type,
            const std::string& encryption_key) {
    set_encryption(encryption_type, encryption_key);
    open(query_type);
  }

  /** Opens it with an encryption and its key as it was at a time, in milliseconds since 1970. */
  void open(tiledb_query_type_t query_type, tiledb_encryption_type_t encryption_type,
            const std::string& encryption_key, uint64_t timestamp) {
    set_encryption(encryption_type, encryption_key);
    open(query_type, timestamp);
  }

  /** Shows an array that is open for reading as it is now, or at the time that was set since. */
  void reopen() {
    handle_.call(tiledb_array_reopen);
  }

  /** Sets from which time on writes are seen, in milliseconds since 1970; for the next `open` or `reopen`. */
  void set_open_timestamp_start(uint64_t timestamp_start) const {
    handle_.call(tiledb_array_set_open_timestamp_start, timestamp_start);
  }

  /** Sets up to which time writes are seen, in milliseconds since 1970; for the next `open` or `reopen`. */
  void set_open_timestamp_end(uint64_t timestamp_end) const {
    handle_.call(tiledb_array_set_open_timestamp_end, timestamp_end);
  }

  /** From which time on writes are seen. */
  uint64_t open_timestamp_start() const {
    return handle_.get<uint64_t>(tiledb_array_get_open_timestamp_start);
  }

  /** Up to which time writes are seen: the time of opening unless another was set. */
  uint64_t open_timestamp_end() const {
    return handle_.get<uint64_t>(tiledb_array_get_open_timestamp_end);
  }

  /** Sets the configuration; the array must be closed. */
  void set_config(const Config& config) const {
    handle_.call(tiledb_array_set_config, config.ptr().get());
  }

  /** A copy of its configuration. */
  Config config() const {
    tiledb_config_t* config = handle_.raw<tiledb_config_t>(tiledb_array_get_config);
    return Config(&config);
  }

  /** Closes it. Metadata put to an array that is open for writing is stored now. */
  void close() {
    handle_.call(tiledb_array_close);
  }

  /**
   * Consolidates fragments, or what `sm.consolidation.mode` says, into fewer.
   *
   * @param ctx The context.
   * @param uri The array.
   * @param config The configuration; null for that of the context.
   */
  static void consolidate(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    detail::call(ctx, tiledb_array_consolidate, uri.c_str(), detail::handle_of(config));
  }

  /** Consolidates the fragments with these names into one. */
  static void consolidate(const Context& ctx, const std::string& array_uri, const char* fragment_uris[],
                          const size_t num_fragments, Config* const config = nullptr) {
    detail::call(ctx, tiledb_array_consolidate_fragments, array_uri.c_str(), fragment_uris, num_fragments,
                 detail::handle_of(config));
  }

  /** Removes what was consolidated: fragments, or what `sm.vacuum.mode` says. */
  static void vacuum(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    detail::call(ctx, tiledb_array_vacuum, uri.c_str(), detail::handle_of(config));
  }

  /**
   * Makes an empty array.
   *
   * @throws TileDBError if the schema is wrong, or there is an array already.
   */
  static void create(const Context& ctx, const std::string& uri, const ArraySchema& schema) {
    detail::call(ctx, tiledb_array_schema_check, schema.ptr().get());
    detail::call(ctx, tiledb_array_create, uri.c_str(), schema.ptr().get());
  }

  /** Makes an empty array in the context of its schema. */
  static void create(const std::string& uri, const ArraySchema& schema) {
    create(schema.context(), uri, schema);
  }

  /** The schema of an array, without opening it. */
  static ArraySchema load_schema(const Context& ctx, const std::string& uri) {
    return ArraySchema(ctx, detail::raw<tiledb_array_schema_t>(ctx, tiledb_array_schema_load, uri.c_str()));
  }

  /** The same with a configuration, which changes nothing for arrays in files: the key is the context's. */
  static ArraySchema load_schema_with_config(const Context& ctx, const Config& config, const std::string& uri) {
    return ArraySchema(ctx, detail::raw<tiledb_array_schema_t>(ctx, tiledb_array_schema_load_with_config,
                                                              config.ptr().get(), uri.c_str()));
  }

  /** How an array is encrypted. */
  static tiledb_encryption_type_t encryption_type(const Context& ctx, const std::string& array_uri) {
    return detail::get<tiledb_encryption_type_t>(ctx, tiledb_array_encryption_type, array_uri.c_str());
  }

  /**
   * The smallest box that holds all cells: for each dimension its name, and the lowest and highest coordinate.
   *
   * @tparam T The type of all dimensions.
   * @return Nothing if the array is empty.
   * @throws TypeError if the dimensions have another type.
   */
  template <typename T>
  std::vector<std::pair<std::string, std::pair<T, T>>> non_empty_domain() {
    const auto dimensions = schema().domain().dimensions();
    for (const auto& dimension : dimensions)
      impl::type_check<T>(dimension.type());
    std::vector<T> box(2 * dimensions.size());
    const auto is_empty = handle_.get<int32_t>(tiledb_array_get_non_empty_domain, box.data());
    std::vector<std::pair<std::string, std::pair<T, T>>> domain;
    for (size_t i = 0; i < dimensions.size() && is_empty == 0; ++i)
      domain.emplace_back(dimensions[i].name(), std::make_pair(box[2 * i], box[2 * i + 1]));
    return domain;
  }

  /** The lowest and highest coordinate in a dimension by its index; zeros if the array is empty. */
  template <typename T>
  std::pair<T, T> non_empty_domain(unsigned idx) {
    impl::type_check<T>(schema().domain().dimension(idx).type());
    return non_empty_range<T>(tiledb_array_get_non_empty_domain_from_index, idx);
  }

  /** The lowest and highest coordinate in a dimension by its name; zeros if the array is empty. */
  template <typename T>
  std::pair<T, T> non_empty_domain(const std::string& name) {
    impl::type_check<T>(schema().domain().dimension(name).type());
    return non_empty_range<T>(tiledb_array_get_non_empty_domain_from_name, name.c_str());
  }

  /** The lowest and highest coordinate in a dimension of strings by its index; empty if the array is. */
  std::pair<std::string, std::string> non_empty_domain_var(unsigned idx) {
    impl::type_check<char>(schema().domain().dimension(idx).type());
    return non_empty_texts(tiledb_array_get_non_empty_domain_var_size_from_index,
                           tiledb_array_get_non_empty_domain_var_from_index, idx);
  }

  /** The lowest and highest coordinate in a dimension of strings by its name; empty if the array is. */
  std::pair<std::string, std::string> non_empty_domain_var(const std::string& name) {
    impl::type_check<char>(schema().domain().dimension(name).type());
    return non_empty_texts(tiledb_array_get_non_empty_domain_var_size_from_name,
                           tiledb_array_get_non_empty_domain_var_from_name, name.c_str());
  }

  /** What it was opened for. */
  tiledb_query_type_t query_type() const {
    return handle_.get<tiledb_query_type_t>(tiledb_array_get_query_type);
  }

  /**
   * Consolidates the metadata into one file.
   *
   * @param ctx The context.
   * @param uri The array.
   * @param config The configuration, whose `sm.consolidation.mode` is set; null for that of the context.
   */
  static void consolidate_metadata(const Context& ctx, const std::string& uri, Config* const config = nullptr) {
    Config own = config == nullptr ? ctx.config() : *config;
    own["sm.consolidation.mode"] = "array_meta";
    consolidate(ctx, uri, &own);
  }

  /** Gives the schema of an array the newest format version. */
  static void upgrade_version(const Context& ctx, const std::string& array_uri, Config* const config = nullptr) {
    detail::call(ctx, tiledb_array_upgrade_version, array_uri.c_str(), detail::handle_of(config));
  }

  /**
   * Puts a value to the metadata of an array that is open for writing; it is stored on `close`.
   *
   * @param key The name.
   * @param value_type The datatype of the value.
   * @param value_num How many values of that type there are.
   * @param value The values; they are copied.
   */
  void put_metadata(const std::string& key, tiledb_datatype_t value_type, uint32_t value_num, const void* value) {
    handle_.call(tiledb_array_put_metadata, key.c_str(), value_type, value_num, value);
  }

  /** Removes a value from the metadata; that it is not there is no error. */
  void delete_metadata(const std::string& key) {
    handle_.call(tiledb_array_delete_metadata, key.c_str());
  }

  /**
   * A value of the metadata.
   *
   * @param key Its name.
   * @param value_type Its datatype.
   * @param value_num How many values of that type there are.
   * @param value The values, which stay the array's; null if there is nothing of that name.
   */
  void get_metadata(const std::string& key, tiledb_datatype_t* value_type, uint32_t* value_num, const void** value) {
    handle_.call(tiledb_array_get_metadata, key.c_str(), value_type, value_num, value);
  }

  /** Whether the metadata has a value of that name; its datatype, if so. */
  bool has_metadata(const std::string& key, tiledb_datatype_t* value_type) {
    return handle_.get<int32_t>(tiledb_array_has_metadata_key, key.c_str(), value_type) != 0;
  }

  /** How many values the metadata has. */
  uint64_t metadata_num() const {
    return handle_.get<uint64_t>(tiledb_array_get_metadata_num);
  }

  /** A value of the metadata by its index, with its name; see `get_metadata`. */
  void get_metadata_from_index(uint64_t index, std::string* key, tiledb_datatype_t* value_type, uint32_t* value_num,
                               const void** value) {
    const char* name = nullptr;
    uint32_t length = 0;
    handle_.call(tiledb_array_get_metadata_from_index, index, &name, &length, value_type, value_num, value);
    key->assign(name == nullptr ? "" : name, length);
  }

#ifdef TILEDB_RS_REMOVED_API
#include "removed/array_members.h"
#endif

 private:
  using Handle = detail::Handle<tiledb_array_t>;

  /** Frees an array, or leaves it to its owner. */
  struct Free {
    bool own;

    void operator()(tiledb_array_t* array) const {
      if (own)
        impl::Deleter()(array);
    }
  };

  static tiledb_array_t* given(tiledb_array_t* array) {
    if (array == nullptr)
      throw TileDBError("[TileDB::C++API] Error: An array cannot be made from a null pointer");
    return array;
  }

  void set_encryption(tiledb_encryption_type_t type, const std::string& key) {
    const char* name = nullptr;
    context().handle_error(tiledb_encryption_type_to_str(type, &name));
    Config own = config();
    own["sm.encryption_type"] = name == nullptr ? "" : name;
    own["sm.encryption_key"] = key;
    set_config(own);
  }

  template <typename T, typename F, typename D>
  std::pair<T, T> non_empty_range(F function, D dimension) const {
    T range[2] = {};
    const auto is_empty = handle_.get<int32_t>(function, dimension, static_cast<void*>(range));
    return is_empty != 0 ? std::pair<T, T>() : std::make_pair(range[0], range[1]);
  }

  template <typename F, typename G, typename D>
  std::pair<std::string, std::string> non_empty_texts(F sizes, G values, D dimension) const {
    uint64_t low = 0, high = 0;
    if (handle_.get<int32_t>(sizes, dimension, &low, &high) != 0)
      return {};
    std::pair<std::string, std::string> range(std::string(low, '\0'), std::string(high, '\0'));
    handle_.get<int32_t>(values, dimension, range.first.data(), range.second.data());
    return range;
  }

  Handle handle_;
  bool owns_ = true;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_ARRAY_H
