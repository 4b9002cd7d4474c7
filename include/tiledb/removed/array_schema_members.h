/**
 * Members of `tiledb::ArraySchema` that libtiledb removed in 2.26 and 2.30. `array_schema.h` includes this file inside of
 * the class where `TILEDB_RS_REMOVED_API` is defined.
 */
// The members are deprecated themselves; a program is warned where it calls them.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

/** The newest schema of an encrypted array. */
TILEDB_DEPRECATED ArraySchema(const Context& ctx, const std::string& uri, tiledb_encryption_type_t encryption_type,
                              const void* encryption_key, uint32_t key_length)
    : Schema(ctx),
      handle_(Handle::make(ctx, tiledb_array_schema_load_with_key, uri.c_str(), encryption_type, encryption_key,
                           key_length)) {}

/** The same with the key in a string. */
TILEDB_DEPRECATED ArraySchema(const Context& ctx, const std::string& uri, tiledb_encryption_type_t encryption_type,
                              const std::string& encryption_key)
    : ArraySchema(ctx, uri, encryption_type, encryption_key.data(), static_cast<uint32_t>(encryption_key.size())) {}

/** Prints the schema to a stream; replaced by `operator<<`. */
TILEDB_DEPRECATED void dump(FILE* out = stdout) const {
  detail::print(out, handle_.string(tiledb_array_schema_dump_str));
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
