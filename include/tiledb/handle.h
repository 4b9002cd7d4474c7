/**
 * What all classes that wrap a handle of the C interface have in common. The one header that is not part of the
 * interface: programs don't use `tiledb::detail`.
 *
 * A class is a list of its members, each with the C function it calls:
 *
 *     class FilterList {
 *      public:
 *       // From a C function whose last argument gives the handle.
 *       FilterList(const Context& ctx) : handle_(Handle::make(ctx, tiledb_filter_list_alloc)) {}
 *       // From a handle that the caller gives away.
 *       FilterList(const Context& ctx, tiledb_filter_list_t* filter_list) : handle_(ctx, filter_list) {}
 *
 *       std::shared_ptr<tiledb_filter_list_t> ptr() const {
 *         return handle_.ptr();
 *       }
 *
 *       // A call: context and handle come first by themselves.
 *       FilterList& set_max_chunk_size(uint32_t max_chunk_size) {
 *         handle_.call(tiledb_filter_list_set_max_chunk_size, max_chunk_size);
 *         return *this;
 *       }
 *
 *       // A call whose last argument gives a number: get<TYPE>; a const char*: text; a tiledb_string_t*: string;
 *       // a handle: raw<HANDLE>, given away to the class that wraps it.
 *       uint32_t nfilters() const {
 *         return handle_.get<uint32_t>(tiledb_filter_list_get_nfilters);
 *       }
 *
 *       Filter filter(uint32_t filter_index) const {
 *         return Filter(
 *             handle_.context(), handle_.raw<tiledb_filter_t>(tiledb_filter_list_get_filter_from_index, filter_index));
 *       }
 *
 *      private:
 *       using Handle = detail::Handle<tiledb_filter_list_t>;
 *       Handle handle_;
 *     };
 *
 * Where there is no handle, the functions `detail::call`, `get`, `text`, `string` and `raw` take the context and all
 * further arguments. Every call is judged by `Context::handle_error`. If the error handler of the context returns, what
 * a call should have given is 0, empty or null; a null handle is refused by the C interface: nothing is undefined.
 */
#ifndef TILEDB_CPP_HANDLE_H
#define TILEDB_CPP_HANDLE_H

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "capi_string.h"
#include "config.h"
#include "context.h"
#include "deleter.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb::detail {

/** Calls a C function with a context and further arguments; an error goes to the handler of the context. */
template <typename F, typename... Args>
void call(const Context& ctx, F function, Args... args) {
  ctx.handle_error(function(ctx.ptr().get(), args...));
}

/** Calls a C function whose last argument gives a value. */
template <typename Out, typename F, typename... Args>
Out get(const Context& ctx, F function, Args... args) {
  Out out{};
  detail::call(ctx, function, args..., &out);
  return out;
}

/** Calls a C function whose last argument gives a text that stays the library's; a copy of it. */
template <typename F, typename... Args>
std::string text(const Context& ctx, F function, Args... args) {
  const char* out = detail::get<const char*>(ctx, function, args...);
  return out == nullptr ? std::string() : std::string(out);
}

/** Calls a C function whose last argument gives a string that the caller owns; its text. */
template <typename F, typename... Args>
std::string string(const Context& ctx, F function, Args... args) {
  tiledb_string_t* out = detail::get<tiledb_string_t*>(ctx, function, args...);
  return impl::convert_to_string(&out).value_or(std::string());
}

/** Calls a C function whose last argument gives a handle, which the caller then owns. */
template <typename H, typename F, typename... Args>
H* raw(const Context& ctx, F function, Args... args) {
  return detail::get<H*>(ctx, function, args...);
}

/** The handle of a configuration that may be left out. */
inline tiledb_config_t* handle_of(const Config* config) {
  return config == nullptr ? nullptr : config->ptr().get();
}

/** Prints a text to a stream; to the standard output if there is none. */
inline void print(FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream == nullptr ? stdout : stream);
}

/** A handle of the C interface and the context it belongs to. Copies share the handle. */
template <typename H>
class Handle {
 public:
  /** Takes a handle over. */
  Handle(const Context& ctx, H* owned) : Handle(ctx, std::shared_ptr<H>(owned, impl::Deleter(&ctx))) {}

  /** A handle with a way of its own to be freed. */
  Handle(const Context& ctx, std::shared_ptr<H> shared) : ctx_(ctx), ptr_(std::move(shared)) {}

  /** A handle that a C function gives in its last argument. */
  template <typename F, typename... Args>
  static Handle make(const Context& ctx, F function, Args... args) {
    return Handle(ctx, detail::raw<H>(ctx, function, args...));
  }

  /** The context. */
  const Context& context() const {
    return ctx_.get();
  }

  /** The handle. */
  const std::shared_ptr<H>& ptr() const {
    return ptr_;
  }

  /** Calls a C function with the context, the handle and further arguments. */
  template <typename F, typename... Args>
  void call(F function, Args... args) const {
    detail::call(context(), function, ptr_.get(), args...);
  }

  /** The same, for a value that the last argument gives. */
  template <typename Out, typename F, typename... Args>
  Out get(F function, Args... args) const {
    return detail::get<Out>(context(), function, ptr_.get(), args...);
  }

  /** The same, for a text that stays the library's. */
  template <typename F, typename... Args>
  std::string text(F function, Args... args) const {
    return detail::text(context(), function, ptr_.get(), args...);
  }

  /** The same, for a string that the caller owns. */
  template <typename F, typename... Args>
  std::string string(F function, Args... args) const {
    return detail::string(context(), function, ptr_.get(), args...);
  }

  /** The same, for a handle that the caller owns. */
  template <typename Other, typename F, typename... Args>
  Other* raw(F function, Args... args) const {
    return detail::raw<Other>(context(), function, ptr_.get(), args...);
  }

  /** The same, for a range of strings: a function gives both sizes, another both strings. */
  template <typename F, typename G, typename... Args>
  std::pair<std::string, std::string> range(F sizes, G strings, Args... args) const {
    uint64_t low = 0, high = 0;
    call(sizes, args..., &low, &high);
    std::pair<std::string, std::string> both(std::string(low, '\0'), std::string(high, '\0'));
    call(strings, args..., both.first.data(), both.second.data());
    return both;
  }

  /** Closes what is open where an exception is impossible: an error goes to the log. */
  template <typename F, typename G>
  void close_quietly(F is_open, G close) const noexcept {
    tiledb_ctx_t* ctx = context().ptr().get();
    int32_t open = 0;
    if (ptr_ == nullptr || is_open(ctx, ptr_.get(), &open) != TILEDB_OK || open == 0)
      return;
    if (close(ctx, ptr_.get()) != TILEDB_OK)
      tiledb_log_warn(ctx, context().get_last_error_message().c_str());
  }

 private:
  std::reference_wrapper<const Context> ctx_;
  std::shared_ptr<H> ptr_;
};

}  // namespace tiledb::detail

#endif  // TILEDB_CPP_HANDLE_H
