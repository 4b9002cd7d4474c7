/**
 * Contexts: what all work with arrays begins with.
 */
#ifndef TILEDB_CPP_CONTEXT_H
#define TILEDB_CPP_CONTEXT_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "config.h"
#include "exception.h"
#include "tiledb.h"

namespace tiledb {

/**
 * Threads, caches, a configuration and what to do with errors.
 *
 * Nearly all classes keep a reference to the context they were made with: it has to outlive them. A copy of a context
 * shares the threads and caches, but has an error handler of its own.
 */
class Context {
 public:
  /**
   * A context with the default configuration.
   *
   * @throws TileDBError if it cannot be made.
   */
  Context() : Context(alloc(nullptr), true) {}

  /**
   * A context with a configuration.
   *
   * @throws TileDBError if a parameter is wrong.
   */
  explicit Context(const Config& config) : Context(alloc(config.ptr().get()), true) {}

  /**
   * A context of the C interface.
   *
   * @param ctx The context.
   * @param own Whether it is freed with the last copy of this object.
   * @throws TileDBError if it is null.
   */
  Context(tiledb_ctx_t* ctx, bool own = true) {
    if (ctx == nullptr)
      throw TileDBError("[TileDB::C++API] Error: A context cannot be made from a null pointer");
    ctx_ = std::shared_ptr<tiledb_ctx_t>(ctx, own ? Context::free : Context::leave);
    set_tag("x-tiledb-api-language", "c++");
  }

  /**
   * Judges what a function of the C interface returned.
   *
   * @param rc The code: for all but `TILEDB_OK` the error handler is called with the text of the last error. If the
   * handler returns, so does this, and what the function should have given keeps its initial value.
   * @throws TileDBError unless there is another handler.
   */
  void handle_error(int rc) const {
    if (rc == TILEDB_OK)
      return;
    const std::string message = get_last_error_message();
    if (error_handler_)
      error_handler_(message);
    else
      default_error_handler(message);
  }

  /** The text of the last error in this context; it stays until the next one. */
  std::string get_last_error_message() const noexcept {
    tiledb_error_t* error = nullptr;
    if (tiledb_ctx_get_last_error(ctx_.get(), &error) != TILEDB_OK)
      return "[TileDB::C++API] Error: Non-retrievable error occurred";
    const char* message = nullptr;
    if (error != nullptr)
      tiledb_error_message(error, &message);
    const std::string text = message == nullptr ? "" : message;
    tiledb_error_free(&error);
    return text;
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_ctx_t> ptr() const {
    return ctx_;
  }

  /** Sets what is called with the texts of errors; an empty function is the default handler. */
  Context& set_error_handler(const std::function<void(const std::string&)>& fn) {
    error_handler_ = fn;
    return *this;
  }

  /** A copy of the configuration. */
  Config config() const {
    tiledb_config_t* config = nullptr;
    handle_error(tiledb_ctx_get_config(ctx_.get(), &config));
    return Config(&config);
  }

  /** Whether a kind of storage can be used. */
  bool is_supported_fs(tiledb_filesystem_t fs) const {
    int32_t is_supported = 0;
    handle_error(tiledb_ctx_is_supported_fs(ctx_.get(), fs, &is_supported));
    return is_supported != 0;
  }

  /** Lets queries that run in this context fail, and waits until they did. */
  void cancel_tasks() const {
    handle_error(tiledb_ctx_cancel_tasks(ctx_.get()));
  }

  /** Sets a tag, which is sent with requests to servers. */
  void set_tag(const std::string& key, const std::string& value) {
    handle_error(tiledb_ctx_set_tag(ctx_.get(), key.c_str(), value.c_str()));
  }

  /** How arrays are talked to. */
  enum class DataProtocol : uint8_t {
    /** Arrays as URIs of their own. */
    v2 = 0,
    /** Arrays as relative members of groups. */
    v3 = 1
  };

  /** How the arrays behind a URI are talked to. */
  DataProtocol data_protocol(const std::string& uri) const {
    tiledb_data_protocol_t protocol = TILEDB_DATA_PROTOCOL_v2;
    handle_error(tiledb_ctx_get_data_protocol(ctx_.get(), uri.c_str(), &protocol));
    return static_cast<DataProtocol>(protocol);
  }

  /** What happened in this context, counted and timed, as JSON. */
  std::string stats() {
    char* json = nullptr;
    handle_error(tiledb_ctx_get_stats(ctx_.get(), &json));
    const std::string text = json == nullptr ? "" : json;
    tiledb_stats_free_str(&json);
    return text;
  }

  /** Throws a `TileDBError` with a text. */
  static void default_error_handler(const std::string& msg) {
    throw TileDBError(msg);
  }

 private:
  static tiledb_ctx_t* alloc(tiledb_config_t* config) {
    tiledb_ctx_t* ctx = nullptr;
    tiledb_error_t* error = nullptr;
    if (tiledb_ctx_alloc_with_error(config, &ctx, &error) == TILEDB_OK)
      return ctx;
    const char* message = nullptr;
    if (error != nullptr)
      tiledb_error_message(error, &message);
    const std::string text = message == nullptr ? "unknown" : message;
    tiledb_error_free(&error);
    throw TileDBError("[TileDB::C++API] Error: Failed to create context: " + text);
  }

  static void free(tiledb_ctx_t* ctx) {
    tiledb_ctx_free(&ctx);
  }

  static void leave(tiledb_ctx_t*) {}

  std::shared_ptr<tiledb_ctx_t> ctx_;
  /** The default handler if empty. */
  std::function<void(const std::string&)> error_handler_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_CONTEXT_H
