/**
 * The last error of a context as an object.
 */
#ifndef TILEDB_CPP_ERROR_H
#define TILEDB_CPP_ERROR_H

#include <memory>
#include <string>

#include "context.h"
#include "deleter.h"
#include "tiledb.h"

namespace tiledb {

/** The last error of a context, as it was when this object was made. */
class Error {
 public:
  /** The last error of a context. */
  Error(const Context& ctx) {
    tiledb_error_t* error = nullptr;
    tiledb_ctx_get_last_error(ctx.ptr().get(), &error);
    error_ = std::shared_ptr<tiledb_error_t>(error, impl::Deleter(&ctx));
  }

  /** The handle of the C interface; null if nothing failed so far. */
  std::shared_ptr<tiledb_error_t> ptr() const {
    return error_;
  }

  /** The text; empty if nothing failed so far. */
  const std::string error_message() {
    const char* message = nullptr;
    if (error_ != nullptr)
      tiledb_error_message(error_.get(), &message);
    return message == nullptr ? "" : message;
  }

 private:
  std::shared_ptr<tiledb_error_t> error_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_ERROR_H
