/**
 * Files and folders, local or in object stores.
 */
#ifndef TILEDB_CPP_VFS_H
#define TILEDB_CPP_VFS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <ios>
#include <memory>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <vector>

#include "config.h"
#include "context.h"
#include "exception.h"
#include "handle.h"
#include "tiledb.h"

namespace tiledb {

namespace impl {
class VFSFilebuf;
}

/**
 * Files and folders wherever their URIs say: on local disks, in memory, in object stores. Copies share the handle; the
 * context must outlive them.
 *
 * A file is read and written through a `VFS::filebuf` that a `std::istream` or `std::ostream` is made of.
 */
class VFS {
 public:
  /** A stream buffer for a file. */
  using filebuf = impl::VFSFilebuf;

  /**
   * Files by the configuration of the context.
   *
   * @throws std::runtime_error if it cannot be made.
   */
  explicit VFS(const Context& ctx) : VFS(ctx, alloc(ctx, nullptr)) {}

  /**
   * Files by a configuration.
   *
   * @throws std::runtime_error if a parameter is wrong.
   */
  VFS(const Context& ctx, const Config& config) : VFS(ctx, alloc(ctx, config.ptr().get())) {}

  /**
   * A VFS of the C interface.
   *
   * @param ctx The context.
   * @param vfs The VFS.
   * @param own Whether it is freed with the last copy of this object.
   * @throws TileDBError if it is null.
   */
  VFS(const Context& ctx, tiledb_vfs_t* vfs, bool own = true)
      : handle_(ctx, own ? std::shared_ptr<tiledb_vfs_t>(given(vfs), impl::Deleter(&ctx))
                         : std::shared_ptr<tiledb_vfs_t>(given(vfs), leave)) {}

  /** Shares the handle. */
  VFS(const VFS&) = default;

  /** Takes the handle. */
  VFS(VFS&&) = default;

  /** Shares the handle. */
  VFS& operator=(const VFS&) = default;

  /** Takes the handle. */
  VFS& operator=(VFS&&) = default;

  /** Makes a bucket of an object store. */
  void create_bucket(const std::string& uri) const {
    handle_.call(tiledb_vfs_create_bucket, uri.c_str());
  }

  /** Removes a bucket of an object store. */
  void remove_bucket(const std::string& uri) const {
    handle_.call(tiledb_vfs_remove_bucket, uri.c_str());
  }

  /** Whether there is a bucket. */
  bool is_bucket(const std::string& uri) const {
    return handle_.get<int32_t>(tiledb_vfs_is_bucket, uri.c_str()) != 0;
  }

  /** Removes all objects of a bucket. */
  void empty_bucket(const std::string& bucket) const {
    handle_.call(tiledb_vfs_empty_bucket, bucket.c_str());
  }

  /** Whether a bucket has no objects. */
  bool is_empty_bucket(const std::string& bucket) const {
    return handle_.get<int32_t>(tiledb_vfs_is_empty_bucket, bucket.c_str()) != 0;
  }

  /** Makes a folder; that there is one is no error. */
  void create_dir(const std::string& uri) const {
    handle_.call(tiledb_vfs_create_dir, uri.c_str());
  }

  /** Whether there is a folder. */
  bool is_dir(const std::string& uri) const {
    return handle_.get<int32_t>(tiledb_vfs_is_dir, uri.c_str()) != 0;
  }

  /** Removes a folder with all that lies in it. */
  void remove_dir(const std::string& uri) const {
    handle_.call(tiledb_vfs_remove_dir, uri.c_str());
  }

  /** Whether there is a file. */
  bool is_file(const std::string& uri) const {
    return handle_.get<int32_t>(tiledb_vfs_is_file, uri.c_str()) != 0;
  }

  /** Removes a file. */
  void remove_file(const std::string& uri) const {
    handle_.call(tiledb_vfs_remove_file, uri.c_str());
  }

  /** How many bytes the files below a folder have together. */
  uint64_t dir_size(const std::string& uri) const {
    return handle_.get<uint64_t>(tiledb_vfs_dir_size, uri.c_str());
  }

  /** The URIs of the files and folders in a folder. */
  std::vector<std::string> ls(const std::string& uri) const {
    std::vector<std::string> paths;
    handle_.call(tiledb_vfs_ls, uri.c_str(), ls_getter, &paths);
    return paths;
  }

  /** How many bytes a file has. */
  uint64_t file_size(const std::string& uri) const {
    return handle_.get<uint64_t>(tiledb_vfs_file_size, uri.c_str());
  }

  /** Moves a file, over one that may be there. */
  void move_file(const std::string& old_uri, const std::string& new_uri) const {
    handle_.call(tiledb_vfs_move_file, old_uri.c_str(), new_uri.c_str());
  }

  /** Moves a folder with all that lies in it. */
  void move_dir(const std::string& old_uri, const std::string& new_uri) const {
    handle_.call(tiledb_vfs_move_dir, old_uri.c_str(), new_uri.c_str());
  }

  /** Copies a file, over one that may be there. */
  void copy_file(const std::string& old_uri, const std::string& new_uri) const {
    handle_.call(tiledb_vfs_copy_file, old_uri.c_str(), new_uri.c_str());
  }

  /** Copies a folder with all that lies in it. */
  void copy_dir(const std::string& old_uri, const std::string& new_uri) const {
    handle_.call(tiledb_vfs_copy_dir, old_uri.c_str(), new_uri.c_str());
  }

  /** Makes an empty file unless there is one. */
  void touch(const std::string& uri) const {
    handle_.call(tiledb_vfs_touch, uri.c_str());
  }

  /** The context. */
  const Context& context() const {
    return handle_.context();
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_vfs_t> ptr() const {
    return handle_.ptr();
  }

  /** A copy of its configuration. */
  Config config() const {
    tiledb_config_t* config = handle_.raw<tiledb_config_t>(tiledb_vfs_get_config);
    return Config(&config);
  }

  /**
   * Appends a path to a list: the callback of `ls`.
   *
   * @param path The path.
   * @param data A `std::vector<std::string>`.
   * @return 1 to go on, -1 if there is no memory for it.
   */
  static int ls_getter(const char* path, void* data) {
    try {
      static_cast<std::vector<std::string>*>(data)->emplace_back(path);
      return 1;
    } catch (const std::exception&) {
      return -1;
    }
  }

 private:
  static tiledb_vfs_t* alloc(const Context& ctx, tiledb_config_t* config) {
    tiledb_vfs_t* vfs = nullptr;
    if (tiledb_vfs_alloc(ctx.ptr().get(), config, &vfs) != TILEDB_OK)
      throw std::runtime_error("[TileDB::C++API] Error: Failed to create VFS object: " + ctx.get_last_error_message());
    return vfs;
  }

  static tiledb_vfs_t* given(tiledb_vfs_t* vfs) {
    if (vfs == nullptr)
      throw TileDBError("[TileDB::C++API] Error: A VFS cannot be made from a null pointer");
    return vfs;
  }

  static void leave(tiledb_vfs_t*) {}

  detail::Handle<tiledb_vfs_t> handle_;
};

namespace impl {

/**
 * A stream buffer for a file of a VFS. It reads, or writes, or appends, as it was opened.
 *
 * Failures show as by streams: `open` gives null, reading the end of the file, writing less than asked for. Copies
 * share the open file, each with a position of its own. A file that was written should be closed with `close`, which
 * tells whether all of it was stored; otherwise it is closed with the last copy, and errors are lost.
 */
class VFSFilebuf : public std::streambuf {
 public:
  /** A buffer for files of a VFS; none is open. */
  explicit VFSFilebuf(const VFS& vfs) : vfs_(vfs) {}

  /** Shares the file. */
  VFSFilebuf(const VFSFilebuf&) = default;

  /** Takes the file. */
  VFSFilebuf(VFSFilebuf&&) = default;

  /** Shares the file of another. */
  VFSFilebuf& operator=(const VFSFilebuf&) = default;

  /** Takes the file of another. */
  VFSFilebuf& operator=(VFSFilebuf&&) = default;

  /** Closes the file with its last owner. */
  ~VFSFilebuf() override = default;

  /**
   * Opens a file. One that was open is closed.
   *
   * @param uri The file.
   * @param openmode `std::ios::in` to read it, `out` to write it anew, `app` to append to it; nothing else.
   * @return This; null if there is no such file to read, or it cannot be opened. Then nothing is open (libtiledb's buffer
   *     takes itself for open, and throws when it is closed or used for another file).
   * @throws TileDBError if it is impossible to tell whether there is a file, or to close the one that was open.
   */
  VFSFilebuf* open(const std::string& uri, std::ios::openmode openmode = std::ios::in) {
    if (is_open())
      close();
    const bool reads = openmode == std::ios::in;
    if (!reads && openmode != std::ios::out && openmode != std::ios::app)
      return nullptr;
    const bool exists = openmode != std::ios::out && vfs_.is_file(uri);
    if (reads && !exists)
      return nullptr;
    const auto mode = reads ? TILEDB_VFS_READ : openmode == std::ios::out ? TILEDB_VFS_WRITE : TILEDB_VFS_APPEND;
    tiledb_vfs_fh_t* file = nullptr;
    if (tiledb_vfs_open(ctx(), vfs_.ptr().get(), uri.c_str(), mode, &file) != TILEDB_OK)
      return nullptr;
    file_ = std::shared_ptr<tiledb_vfs_fh_t>(file, Close{vfs_.context().ptr()});
    uri_ = uri;
    reads_ = reads;
    size_ = exists ? vfs_.file_size(uri) : 0;
    at_ = reads ? 0 : size_;
    cache_.clear();
    return this;
  }

  /** Whether a file is open. */
  bool is_open() const {
    return file_ != nullptr;
  }

  /**
   * Closes the file.
   *
   * @param should_throw Whether an error is thrown; otherwise null tells of it.
   * @return This; null if no file was open.
   * @throws TileDBError if what was written cannot be stored.
   */
  VFSFilebuf* close(bool should_throw = true) {
    if (!is_open())
      return nullptr;
    const auto rc = tiledb_vfs_close(ctx(), file_.get());
    file_.reset();
    uri_.clear();
    if (should_throw)
      vfs_.context().handle_error(rc);
    return rc == TILEDB_OK ? this : nullptr;
  }

  /** The URI of the open file; empty if none is. */
  const std::string& get_uri() const {
    return uri_;
  }

 protected:
  /**
   * Moves the position of a file that is read; tells that of one that is written, which only grows.
   *
   * @return The new position; -1 if it lies outside of the file.
   */
  std::streambuf::pos_type seekoff(off_type offset, std::ios::seekdir seekdir, std::ios::openmode openmode) override {
    (void)openmode;
    const uint64_t from = seekdir == std::ios::beg ? 0 : seekdir == std::ios::cur ? at_ : size_;
    const uint64_t distance = offset < 0 ? uint64_t{0} - static_cast<uint64_t>(offset) : static_cast<uint64_t>(offset);
    const bool inside = offset < 0 ? distance <= from : distance <= size_ - from;
    const uint64_t target = offset < 0 ? from - distance : from + distance;
    if (!is_open() || !inside || (!reads_ && target != at_))
      return pos_type(off_type(-1));
    at_ = target;
    return pos_type(static_cast<off_type>(at_));
  }

  /** Moves to a position from the beginning. */
  pos_type seekpos(pos_type pos, std::ios::openmode openmode) override {
    return seekoff(off_type(pos), std::ios::beg, openmode);
  }

  /** How many bytes there are to read; -1 at the end. */
  std::streamsize showmanyc() override {
    const uint64_t left = remaining();
    return left == 0 ? -1 : static_cast<std::streamsize>(left);
  }

  /** Reads so many bytes, or as many as there are; 0 if the file cannot be read. */
  std::streamsize xsgetn(char_type* s, std::streamsize n) override {
    const uint64_t wanted = n < 0 ? 0 : std::min(static_cast<uint64_t>(n), remaining());
    const bool is_large = wanted > cache_size;
    if (wanted == 0 || !(is_large ? read(s, wanted) : fill(wanted)))
      return 0;
    if (!is_large)
      std::copy_n(cache_.data() + (at_ - cache_at_), wanted, s);
    at_ += wanted;
    return static_cast<std::streamsize>(wanted);
  }

  /** The next byte, which is not consumed. */
  int_type underflow() override {
    if (remaining() == 0 || !fill(1))
      return traits_type::eof();
    return traits_type::to_int_type(cache_[static_cast<size_t>(at_ - cache_at_)]);
  }

  /** The next byte, which is consumed. */
  int_type uflow() override {
    const int_type next = underflow();
    at_ += traits_type::eq_int_type(next, traits_type::eof()) ? 0 : 1;
    return next;
  }

  /** Writes bytes; 0 if the file cannot be written. */
  std::streamsize xsputn(const char_type* s, std::streamsize n) override {
    if (!is_open() || reads_ || n <= 0)
      return 0;
    if (tiledb_vfs_write(ctx(), file_.get(), s, static_cast<uint64_t>(n)) != TILEDB_OK)
      return 0;
    at_ += static_cast<uint64_t>(n);
    size_ = at_;
    return n;
  }

  /** Writes one byte. */
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof()))
      return traits_type::not_eof(c);
    const char_type byte = traits_type::to_char_type(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }

 private:
  /** Closes a file that was not, and frees it. */
  struct Close {
    std::shared_ptr<tiledb_ctx_t> ctx;

    void operator()(tiledb_vfs_fh_t* file) const {
      int32_t is_closed = 0;
      if (tiledb_vfs_fh_is_closed(ctx.get(), file, &is_closed) == TILEDB_OK && is_closed == 0)
        tiledb_vfs_close(ctx.get(), file);
      tiledb_vfs_fh_free(&file);
    }
  };

  /** How much is read at once. */
  static constexpr uint64_t cache_size = 64 * 1024;

  tiledb_ctx_t* ctx() const {
    return vfs_.context().ptr().get();
  }

  /** How many bytes of an open file are not read yet. */
  uint64_t remaining() const {
    return is_open() && reads_ ? size_ - at_ : 0;
  }

  /** Reads bytes at the position. */
  bool read(char* to, uint64_t bytes) const {
    return tiledb_vfs_read(ctx(), file_.get(), at_, to, bytes) == TILEDB_OK;
  }

  /** Has so many bytes at the position in the cache; there must be as many in the file. */
  bool fill(uint64_t bytes) {
    if (at_ >= cache_at_ && at_ + bytes <= cache_at_ + cache_.size())
      return true;
    cache_.resize(static_cast<size_t>(std::min(cache_size, remaining())));
    cache_at_ = at_;
    const bool is_read = read(cache_.data(), cache_.size());
    if (!is_read)
      cache_.clear();
    return is_read;
  }

  VFS vfs_;
  std::shared_ptr<tiledb_vfs_fh_t> file_;
  std::string uri_;
  bool reads_ = false;
  /** The size of the file, and the position in it. */
  uint64_t size_ = 0, at_ = 0;
  /** A part of the file, and where it begins. */
  std::vector<char> cache_;
  uint64_t cache_at_ = 0;
};

}  // namespace impl
}  // namespace tiledb

#endif  // TILEDB_CPP_VFS_H
