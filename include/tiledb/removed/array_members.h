/**
 * Members of `tiledb::Array` that libtiledb removed in 2.26. `array.h` includes this file inside of the class where
 * `TILEDB_RS_REMOVED_API` is defined.
 */
// The members are deprecated themselves; a program is warned where it calls them.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

/** Opens an encrypted array; replaced by the constructor with an `EncryptionAlgorithm`. */
TILEDB_DEPRECATED Array(const Context& ctx, const std::string& array_uri, tiledb_query_type_t query_type,
                        tiledb_encryption_type_t encryption_type, const std::string& encryption_key)
    : Array(ctx, array_uri, query_type, TemporalPolicy(), encryption(encryption_type, encryption_key)) {}

/** Opens an array as it was at a time, in milliseconds since 1970; replaced by `{TimeTravel, timestamp}`. */
TILEDB_DEPRECATED Array(const Context& ctx, const std::string& array_uri, tiledb_query_type_t query_type,
                        uint64_t timestamp)
    : Array(ctx, array_uri, query_type, TemporalPolicy(TimeTravel, timestamp)) {}

/** Opens an encrypted array as it was at a time. */
TILEDB_DEPRECATED Array(const Context& ctx, const std::string& array_uri, tiledb_query_type_t query_type,
                        tiledb_encryption_type_t encryption_type, const void* encryption_key, uint32_t key_length,
                        uint64_t timestamp)
    : Array(ctx, array_uri, query_type, TemporalPolicy(TimeTravel, timestamp),
            encryption(encryption_type, key_text(encryption_key, key_length))) {}

/** The same with the key in a string. */
TILEDB_DEPRECATED Array(const Context& ctx, const std::string& array_uri, tiledb_query_type_t query_type,
                        tiledb_encryption_type_t encryption_type, const std::string& encryption_key,
                        uint64_t timestamp)
    : Array(ctx, array_uri, query_type, TemporalPolicy(TimeTravel, timestamp),
            encryption(encryption_type, encryption_key)) {}

/** Removes the array, which is open with `TILEDB_MODIFY_EXCLUSIVE`, and closes it. */
TILEDB_DEPRECATED void delete_array(const std::string& uri) const {
  handle_.call(tiledb_array_delete_array, uri.c_str());
}

/** Removes the fragments between two times of the array, which is open with `TILEDB_MODIFY_EXCLUSIVE`. */
TILEDB_DEPRECATED void delete_fragments(const std::string& uri, uint64_t timestamp_start,
                                        uint64_t timestamp_end) const {
  handle_.call(tiledb_array_delete_fragments, uri.c_str(), timestamp_start, timestamp_end);
}

/** Opens it with an encryption and its key as it was at a time, in milliseconds since 1970. */
TILEDB_DEPRECATED void open(tiledb_query_type_t query_type, tiledb_encryption_type_t encryption_type,
                            const void* encryption_key, uint32_t key_length, uint64_t timestamp) {
  open(query_type, encryption_type, key_text(encryption_key, key_length), timestamp);
}

/** Consolidates an encrypted array. */
TILEDB_DEPRECATED static void consolidate(const Context& ctx, const std::string& uri,
                                          tiledb_encryption_type_t encryption_type, const void* encryption_key,
                                          uint32_t key_length, Config* const config = nullptr) {
  detail::call(ctx, tiledb_array_consolidate_with_key, uri.c_str(), encryption_type, encryption_key, key_length,
               detail::handle_of(config));
}

/** The same with the key in a string. */
TILEDB_DEPRECATED static void consolidate(const Context& ctx, const std::string& uri,
                                          tiledb_encryption_type_t encryption_type, const std::string& encryption_key,
                                          Config* const config = nullptr) {
  consolidate(ctx, uri, encryption_type, encryption_key.data(), static_cast<uint32_t>(encryption_key.size()), config);
}

/** The schema of an encrypted array. */
TILEDB_DEPRECATED static ArraySchema load_schema(const Context& ctx, const std::string& uri,
                                                 tiledb_encryption_type_t encryption_type, const void* encryption_key,
                                                 uint32_t key_length) {
  return ArraySchema(ctx, uri, encryption_type, encryption_key, key_length);
}

/** Makes an empty encrypted array. */
TILEDB_DEPRECATED static void create(const std::string& uri, const ArraySchema& schema,
                                     tiledb_encryption_type_t encryption_type, const void* encryption_key,
                                     uint32_t key_length) {
  detail::call(schema.context(), tiledb_array_schema_check, schema.ptr().get());
  detail::call(schema.context(), tiledb_array_create_with_key, uri.c_str(), schema.ptr().get(), encryption_type,
               encryption_key, key_length);
}

/** The same with the key in a string. */
TILEDB_DEPRECATED static void create(const std::string& uri, const ArraySchema& schema,
                                     tiledb_encryption_type_t encryption_type, const std::string& encryption_key) {
  create(uri, schema, encryption_type, encryption_key.data(), static_cast<uint32_t>(encryption_key.size()));
}

/** Consolidates the metadata of an encrypted array. */
TILEDB_DEPRECATED static void consolidate_metadata(const Context& ctx, const std::string& uri,
                                                   tiledb_encryption_type_t encryption_type,
                                                   const void* encryption_key, uint32_t key_length,
                                                   Config* const config = nullptr) {
  Config own = config == nullptr ? ctx.config() : *config;
  own["sm.consolidation.mode"] = "array_meta";
  consolidate(ctx, uri, encryption_type, encryption_key, key_length, &own);
}

/** The same with the key in a string. */
TILEDB_DEPRECATED static void consolidate_metadata(const Context& ctx, const std::string& uri,
                                                   tiledb_encryption_type_t encryption_type,
                                                   const std::string& encryption_key, Config* const config = nullptr) {
  consolidate_metadata(ctx, uri, encryption_type, encryption_key.data(), static_cast<uint32_t>(encryption_key.size()),
                       config);
}

private:
/** The bytes of a key as a string. */
static std::string key_text(const void* encryption_key, uint32_t key_length) {
  return encryption_key == nullptr ? std::string() : std::string(static_cast<const char*>(encryption_key), key_length);
}

static EncryptionAlgorithm encryption(tiledb_encryption_type_t type, const std::string& key) {
  return EncryptionAlgorithm(type, key.c_str());
}

public:

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
