/**
 * Files and folders: listing all that lies below a folder, and giving up uploads.
 */
#ifndef TILEDB_CPP_VFS_EXPERIMENTAL_H
#define TILEDB_CPP_VFS_EXPERIMENTAL_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "context.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "tiledb_rs.h"
#include "vfs.h"

namespace tiledb {

/** What a VFS can do that is not yet stable in the C interface. */
class VFSExperimental {
 public:
  /** Is told a path and a size; gives true to go on, false to stop. */
  using LsCallback = std::function<bool(std::string_view, uint64_t)>;

  /** Is told a path, a size and whether it is a folder; gives true to go on, false to stop. */
  using LsCallbackV2 = std::function<bool(std::string_view, uint64_t, bool)>;

  /** Is told a path and a size; says whether they are wanted. */
  using LsInclude = std::function<bool(std::string_view, uint64_t)>;

  /** Is told a path, a size and whether it is a folder; says whether they are wanted. */
  using LsIncludeV2 = std::function<bool(std::string_view, uint64_t, bool)>;

  /** Paths and sizes. */
  using LsObjects = std::vector<std::pair<std::string, uint64_t>>;

  /** A callback of either kind, as the C interface is handed it. */
  class CallbackWrapperCPP {
   public:
    /** There must be a callback. */
    CallbackWrapperCPP() = delete;

    /**
     * A callback for paths and sizes.
     *
     * @throws std::logic_error if it is empty.
     */
    CallbackWrapperCPP(LsCallback cb) : cb_(std::move(cb)) {
      require(cb_ != nullptr);
    }

    /**
     * A callback that is also told folders.
     *
     * @throws std::logic_error if it is empty.
     */
    CallbackWrapperCPP(LsCallbackV2 cb) : cb_v2_(std::move(cb)) {
      require(cb_v2_ != nullptr);
    }

    /** Calls the callback; one that is told folders, as for a file. */
    bool operator()(std::string_view path, uint64_t size) {
      return cb_ ? cb_(path, size) : cb_v2_(path, size, false);
    }

    /** Calls the callback; one for paths and sizes is not told whether it is a folder. */
    bool operator()(std::string_view path, uint64_t size, bool is_dir) {
      return cb_v2_ ? cb_v2_(path, size, is_dir) : cb_(path, size);
    }

   private:
    static void require(bool is_given) {
      if (!is_given)
        throw std::logic_error("VFS: The callback for listing recursively is empty");
    }

    LsCallback cb_;
    LsCallbackV2 cb_v2_;
  };

#ifndef TILEDB_REMOVE_DEPRECATIONS
  /**
   * Calls a function for each file below a folder, until it returns false. An exception that it throws ends the listing
   * with an error.
   *
   * @param ctx The context.
   * @param vfs The VFS.
   * @param uri The folder.
   * @param cb The function.
   * @throws std::logic_error if the function is empty.
   */
  TILEDB_DEPRECATED static void ls_recursive(const Context& ctx, const VFS& vfs, const std::string& uri,
                                             LsCallback cb) {
    list(ctx, vfs, uri, std::move(cb));
  }

  /**
   * Lists the files below a folder.
   *
   * @param ctx The context.
   * @param vfs The VFS.
   * @param uri The folder.
   * @param include Which files are listed; all if it is left out.
   */
  TILEDB_DEPRECATED static LsObjects ls_recursive_filter(const Context& ctx, const VFS& vfs, const std::string& uri,
                                                         std::optional<LsInclude> include = std::nullopt) {
    LsObjects objects;
    list(ctx, vfs, uri, LsCallback([&](std::string_view path, uint64_t size) {
           if (!include || (*include)(path, size))
             objects.emplace_back(path, size);
           return true;
         }));
    return objects;
  }
#endif

  /**
   * Calls a function for each file and folder below a folder, until it returns false. An exception that it throws ends
   * the listing with an error.
   *
   * @param ctx The context.
   * @param vfs The VFS.
   * @param uri The folder.
   * @param cb The function.
   * @throws std::logic_error if the function is empty.
   */
  static void ls_recursive_v2(const Context& ctx, const VFS& vfs, const std::string& uri, LsCallbackV2 cb) {
    CallbackWrapperCPP wrapper(std::move(cb));
    detail::call(ctx, tiledb_vfs_ls_recursive_v2, vfs.ptr().get(), uri.c_str(), call_v2, &wrapper);
  }

  /**
   * Lists the files and folders below a folder.
   *
   * @param ctx The context.
   * @param vfs The VFS.
   * @param uri The folder.
   * @param include Which are listed; all if it is left out.
   */
  static LsObjects ls_recursive_filter_v2(const Context& ctx, const VFS& vfs, const std::string& uri,
                                          std::optional<LsIncludeV2> include = std::nullopt) {
    LsObjects objects;
    ls_recursive_v2(ctx, vfs, uri, [&](std::string_view path, uint64_t size, bool is_dir) {
      if (!include || (*include)(path, size, is_dir))
        objects.emplace_back(path, size);
      return true;
    });
    return objects;
  }

  /**
   * Gives up the uploads to an S3 store below a folder that were begun and not completed. No writer may be at work there.
   *
   * @param ctx The context.
   * @param vfs The VFS.
   * @param uri The folder.
   * @return How many there were.
   */
  static uint64_t sweep_uploads(const Context& ctx, const VFS& vfs, const std::string& uri) {
    uint64_t count = 0;
    detail::call(ctx, tiledb_rs_vfs_sweep_uploads, vfs.ptr().get(), uri.c_str(), &count);
    return count;
  }

 private:
#ifndef TILEDB_REMOVE_DEPRECATIONS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  static void list(const Context& ctx, const VFS& vfs, const std::string& uri, LsCallback cb) {
    CallbackWrapperCPP wrapper(std::move(cb));
    detail::call(ctx, tiledb_vfs_ls_recursive, vfs.ptr().get(), uri.c_str(), call, &wrapper);
  }
#pragma GCC diagnostic pop
#endif

  /** What the C interface calls. It makes errors of exceptions. */
  static int32_t call(const char* path, size_t length, uint64_t size, void* wrapper) {
    return (*static_cast<CallbackWrapperCPP*>(wrapper))({path, length}, size) ? 1 : 0;
  }

  /** The same for files and folders. */
  static int32_t call_v2(const char* path, size_t length, uint64_t size, uint8_t is_dir, void* wrapper) {
    return (*static_cast<CallbackWrapperCPP*>(wrapper))({path, length}, size, is_dir != 0) ? 1 : 0;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_VFS_EXPERIMENTAL_H
