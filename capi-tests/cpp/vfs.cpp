/* Files, folders and streams. */
#define TILEDB_NO_API_DEPRECATION_WARNINGS
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common.hpp"

using namespace tiledb;

static void write(const VFS& vfs, const std::string& uri, const std::string& text) {
  VFS::filebuf buffer(vfs);
  assert(buffer.open(uri, std::ios::out) == &buffer);
  std::ostream stream(&buffer);
  stream << text;
  assert(stream.good() && buffer.close() == &buffer);
}

// What could not be opened is not open, and can be used for another file.
static void refused(const VFS& vfs, const std::string& uri) {
  for (const auto mode : {std::ios::in | std::ios::out, std::ios::out | std::ios::app, std::ios::openmode{}}) {
    VFS::filebuf buffer(vfs);
    assert(buffer.open(uri, mode) == nullptr && !buffer.is_open());
    assert(buffer.open(uri) == &buffer && buffer.close() == &buffer);
  }
}

static std::string read(const VFS& vfs, const std::string& uri) {
  VFS::filebuf buffer(vfs);
  assert(buffer.open(uri) == &buffer);
  std::istream stream(&buffer);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

static void handles(const Context& ctx) {
  const VFS vfs(ctx);
  assert(&vfs.context() == &ctx && vfs.ptr() != nullptr);
  Config config;
  config["vfs.min_parallel_size"] = "77";
  const VFS configured(ctx, config);
  assert(configured.config().get("vfs.min_parallel_size") == "77");
  VFS copy(vfs);
  assert(copy.ptr() == vfs.ptr());
  VFS moved(std::move(copy));
  assert(moved.ptr() == vfs.ptr());
  copy = configured;
  assert(copy.ptr() == configured.ptr());
  copy = std::move(moved);
  assert(copy.ptr() == vfs.ptr());
  const VFS borrowed(ctx, vfs.ptr().get(), false);
  assert(borrowed.ptr().get() == vfs.ptr().get());
  tiledb_vfs_t* raw = nullptr;
  assert(tiledb_vfs_alloc(ctx.ptr().get(), nullptr, &raw) == TILEDB_OK);
  const VFS owned(ctx, raw);
  assert(owned.ptr().get() == raw);
  expect_throw<TileDBError>([&] { VFS(ctx, static_cast<tiledb_vfs_t*>(nullptr)); }, "null");
}

static void files(const Context& ctx) {
  const VFS vfs(ctx);
  vfs.create_dir("dir");
  vfs.create_dir("dir/sub");
  assert(vfs.is_dir("dir") && !vfs.is_dir("nothing") && !vfs.is_file("dir"));
  vfs.touch("dir/empty");
  assert(vfs.is_file("dir/empty") && vfs.file_size("dir/empty") == 0);
  write(vfs, "dir/file", "hello");
  refused(vfs, "dir/file");
  write(vfs, "dir/sub/other", "world!");
  assert(vfs.file_size("dir/file") == 5 && vfs.dir_size("dir") == 11);
  const auto listed = vfs.ls("dir");
  assert(listed.size() == 3 && listed[0].find("dir/empty") != std::string::npos);
  std::vector<std::string> paths;
  assert(VFS::ls_getter("path", &paths) == 1 && paths == std::vector<std::string>{"path"});

  vfs.copy_file("dir/file", "dir/copy");
  assert(read(vfs, "dir/copy") == "hello");
  vfs.move_file("dir/copy", "dir/moved");
  assert(!vfs.is_file("dir/copy") && read(vfs, "dir/moved") == "hello");
  vfs.remove_file("dir/moved");
  assert(!vfs.is_file("dir/moved"));
  vfs.copy_dir("dir", "second");
  assert(read(vfs, "second/sub/other") == "world!");
  vfs.move_dir("second", "third");
  assert(!vfs.is_dir("second") && vfs.is_dir("third"));
  vfs.remove_dir("third");
  assert(!vfs.is_dir("third"));
  expect_throw<TileDBError>([&] { vfs.remove_file("nothing"); });
  expect_throw<TileDBError>([&] { (void)vfs.file_size("nothing"); });
}

/* Buckets are of object stores; for a folder the library refuses to speak of them. */
static void buckets(const Context& ctx) {
  const VFS vfs(ctx);
  for (auto call : {&VFS::create_bucket, &VFS::remove_bucket, &VFS::empty_bucket})
    expect_throw<TileDBError>([&] { (vfs.*call)("s3x://bucket"); });
  for (auto call : {&VFS::is_bucket, &VFS::is_empty_bucket})
    expect_throw<TileDBError>([&] { (void)(vfs.*call)("s3x://bucket"); });
}

static void streams(const Context& ctx) {
  const VFS vfs(ctx);
  impl::VFSFilebuf buffer(vfs);
  assert(!buffer.is_open() && buffer.get_uri().empty() && buffer.close() == nullptr);
  assert(buffer.open("lines", std::ios::in) == nullptr && "there is no such file");
  assert(buffer.open("lines", std::ios::in | std::ios::out) == nullptr);
  assert(buffer.open("lines", std::ios::out | std::ios::app) == nullptr);

  assert(buffer.open("lines", std::ios::out) == &buffer && buffer.is_open() && buffer.get_uri() == "lines");
  std::ostream out(&buffer);
  out << "one " << 2 << '\n';
  out.put('3');
  assert(out.good() && out.tellp() == std::streampos(7));
  // What is written cannot be sought in, nor read.
  assert(buffer.pubseekoff(0, std::ios::beg) == std::streampos(-1));
  assert(buffer.sgetc() == EOF && buffer.in_avail() == -1);
  assert(buffer.close() == &buffer && !buffer.is_open());

  assert(buffer.open("lines", std::ios::app) == &buffer);
  out << " four";
  assert(out.tellp() == std::streampos(12));
  assert(buffer.close(false) == &buffer);

  assert(buffer.open("lines") == &buffer);
  std::istream in(&buffer);
  std::string word, line;
  int number = 0;
  in >> word >> number;
  assert(word == "one" && number == 2 && in.get() == '\n');
  assert(in.tellg() == std::streampos(6) && buffer.in_avail() == 6);
  std::getline(in, line);
  assert(line == "3 four" && in.eof() && buffer.in_avail() == -1);
  in.clear();
  in.seekg(4);
  assert(in.get() == '2');
  in.seekg(-4, std::ios::end);
  in >> word;
  assert(word == "four");
  in.clear();
  in.seekg(-1, std::ios::cur);
  assert(in.get() == 'r');
  assert(buffer.pubseekpos(0) == std::streampos(0));
  assert(buffer.pubseekpos(13) == std::streampos(-1) && buffer.pubseekoff(-1, std::ios::beg) == std::streampos(-1));
  // It was opened for reading.
  assert(buffer.sputn("x", 1) == 0 && buffer.sputc('x') == EOF);

  // Copies share the file, each at a position of its own.
  impl::VFSFilebuf copy(buffer);
  assert(copy.sbumpc() == 'o' && copy.sgetc() == 'n' && buffer.sgetc() == 'o');
  impl::VFSFilebuf moved(std::move(copy));
  assert(moved.sgetc() == 'n');
  copy = buffer;
  assert(copy.sgetc() == 'o');
  copy = std::move(moved);
  assert(copy.sgetc() == 'n');

  // Larger than what is read at once.
  std::string large(300000, ' ');
  for (size_t i = 0; i < large.size(); ++i)
    large[i] = static_cast<char>('a' + i % 23);
  write(vfs, "large", large);
  assert(read(vfs, "large") == large);
  assert(buffer.open("large") == &buffer);
  std::string part(200000, ' ');
  assert(buffer.sgetc() == 'a' && buffer.sgetn(part.data(), 200000) == 200000 && part == large.substr(0, 200000));
  assert(buffer.sgetn(part.data(), 200000) == 100000 && part.substr(0, 100000) == large.substr(200000));

  // Without a close the file is closed with its last owner.
  {
    impl::VFSFilebuf forgotten(vfs);
    forgotten.open("forgotten", std::ios::out);
    assert(forgotten.sputn("kept", 4) == 4);
  }
  assert(read(vfs, "forgotten") == "kept");
}

static void recursive(const Context& ctx) {
  const VFS vfs(ctx);
  vfs.create_dir("tree/a/b");
  write(vfs, "tree/a/one", "1");
  write(vfs, "tree/a/b/two", "22");
  const auto ends = [](std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  };

  VFSExperimental::LsObjects all;
  VFSExperimental::ls_recursive_v2(ctx, vfs, "tree", [&](std::string_view path, uint64_t size, bool is_dir) {
    assert(is_dir == (ends(path, "/a") || ends(path, "/b")));
    all.emplace_back(path, size);
    return true;
  });
  assert(all.size() == 4);
  const VFSExperimental::LsIncludeV2 only_files = [](std::string_view, uint64_t, bool is_dir) { return !is_dir; };
  assert(VFSExperimental::ls_recursive_filter_v2(ctx, vfs, "tree", only_files).size() == 2);
  assert(VFSExperimental::ls_recursive_filter_v2(ctx, vfs, "tree") == all);
  assert(VFSExperimental::sweep_uploads(ctx, vfs, "tree") == 0);

  uint64_t calls = 0;
  const VFSExperimental::LsCallback first = [&](std::string_view, uint64_t) { return ++calls < 1; };
  VFSExperimental::ls_recursive(ctx, vfs, "tree", first);
  assert(calls == 1);
  const VFSExperimental::LsInclude large = [](std::string_view, uint64_t size) { return size == 2; };
  const auto large_files = VFSExperimental::ls_recursive_filter(ctx, vfs, "tree", large);
  assert(large_files.size() == 1 && ends(large_files[0].first, "/two") && large_files[0].second == 2);

  // An exception of the callback becomes an error.
  expect_throw<TileDBError>(
      [&] {
        VFSExperimental::ls_recursive_v2(ctx, vfs, "tree", [](std::string_view, uint64_t, bool) -> bool {
          throw std::runtime_error("thrown by the callback");
        });
      },
      "thrown by the callback");
  expect_throw<std::logic_error>([&] { VFSExperimental::ls_recursive_v2(ctx, vfs, "tree", nullptr); });

  using Wrapper = VFSExperimental::CallbackWrapperCPP;
  static_assert(!std::is_default_constructible_v<VFSExperimental::CallbackWrapperCPP>);
  Wrapper plain(VFSExperimental::LsCallback([](std::string_view path, uint64_t size) { return path.size() == size; }));
  assert(plain("four", 4) && !plain("four", 5, true));
  const VFSExperimental::LsCallbackV2 dirs = [](std::string_view, uint64_t, bool is_dir) { return is_dir; };
  Wrapper with_dirs(dirs);
  assert(with_dirs("x", 1, true) && !with_dirs("x", 1));
  expect_throw<std::logic_error>([] { Wrapper wrapper{VFSExperimental::LsCallback()}; });
  expect_throw<std::logic_error>([] { Wrapper wrapper{VFSExperimental::LsCallbackV2()}; });
}

int main() {
  Context ctx;
  handles(ctx);
  files(ctx);
  buckets(ctx);
  streams(ctx);
  recursive(ctx);
  return 0;
}
