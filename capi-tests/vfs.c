/* File systems: files, directories, listings, file handles, on the local disk and in memory. */
#include "common.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static tiledb_vfs_t* vfs;

static int is_file(const char* uri) {
  int32_t yes = 77;
  assert(tiledb_vfs_is_file(ctx, vfs, uri, &yes) == TILEDB_OK);
  return yes;
}

static int is_dir(const char* uri) {
  int32_t yes = 77;
  assert(tiledb_vfs_is_dir(ctx, vfs, uri, &yes) == TILEDB_OK);
  return yes;
}

static uint64_t size_of(const char* uri) {
  uint64_t size = 77;
  assert(tiledb_vfs_file_size(ctx, vfs, uri, &size) == TILEDB_OK);
  return size;
}

static void write_file(const char* uri, tiledb_vfs_mode_t mode, const char* text) {
  tiledb_vfs_fh_t* file = NULL;
  assert(tiledb_vfs_open(ctx, vfs, uri, mode, &file) == TILEDB_OK);
  assert(tiledb_vfs_write(ctx, file, text, strlen(text)) == TILEDB_OK);
  assert(tiledb_vfs_close(ctx, file) == TILEDB_OK);
  tiledb_vfs_fh_free(&file);
  assert(file == NULL);
}

static void expect_content(const char* uri, const char* text) {
  tiledb_vfs_fh_t* file = NULL;
  char buffer[100];
  assert(size_of(uri) == strlen(text));
  assert(tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_READ, &file) == TILEDB_OK);
  assert(tiledb_vfs_read(ctx, file, 0, buffer, strlen(text)) == TILEDB_OK);
  assert(memcmp(buffer, text, strlen(text)) == 0);
  assert(tiledb_vfs_close(ctx, file) == TILEDB_OK);
  tiledb_vfs_fh_free(&file);
}

static void join(char* out, const char* root, const char* name) {
  snprintf(out, 1000, "%s/%s", root, name);
}

static void test_files(const char* root) {
  char f[1000], g[1000], sub[1000];
  join(f, root, "f");
  join(g, root, "sub/g");
  join(sub, root, "sub");
  assert(!is_file(f) && !is_dir(f));
  write_file(f, TILEDB_VFS_WRITE, "a long text");
  write_file(f, TILEDB_VFS_WRITE, "short");
  write_file(f, TILEDB_VFS_APPEND, " and more");
  expect_content(f, "short and more");
  assert(is_file(f) && !is_dir(f));

  assert(tiledb_vfs_touch(ctx, vfs, f) == TILEDB_OK);
  assert(size_of(f) == 14);
  assert(tiledb_vfs_create_dir(ctx, vfs, sub) == TILEDB_OK);
  assert(tiledb_vfs_touch(ctx, vfs, g) == TILEDB_OK);
  assert(size_of(g) == 0);
  assert(tiledb_vfs_remove_file(ctx, vfs, g) == TILEDB_OK);

  assert(tiledb_vfs_move_file(ctx, vfs, f, g) == TILEDB_OK);
  assert(!is_file(f));
  assert(tiledb_vfs_copy_file(ctx, vfs, g, f) == TILEDB_OK);
  expect_content(f, "short and more");
  expect_content(g, "short and more");
  assert(tiledb_vfs_remove_file(ctx, vfs, f) == TILEDB_OK);
  assert(tiledb_vfs_remove_dir(ctx, vfs, sub) == TILEDB_OK);
  assert(!is_file(g) && !is_dir(sub));
}

struct listing {
  tiledb_vfs_t* vfs;
  char names[2000];
  int calls;
  int stop_after;
  int answer;
  uint64_t bytes;
  int directories;
};

static int32_t see(const char* uri, void* data) {
  struct listing* listing = data;
  strcat(strcat(listing->names, strrchr(uri, '/')), " ");
  /* A callback may use everything, the same handle too. */
  int32_t yes = 0;
  assert(tiledb_vfs_is_dir(ctx, vfs, uri, &yes) == TILEDB_OK);
  return ++listing->calls == listing->stop_after ? listing->answer : 1;
}

static int32_t see_all(const char* uri, size_t length, uint64_t size, uint8_t directory, void* data) {
  struct listing* listing = data;
  assert(strlen(uri) == length);
  listing->bytes += size;
  listing->directories += directory;
  return see(uri, data);
}

static int32_t see_sizes(const char* uri, size_t length, uint64_t size, void* data) {
  return see_all(uri, length, size, 0, data);
}

static void test_listings(const char* root) {
  char name[1000];
  static const char* const files[] = {"l/b", "l/a", "l/d/x", "l/d/e/y"};
  static const char* const directories[] = {"l", "l/d", "l/d/e"};
  for (int i = 0; i < 3; i++) {
    join(name, root, directories[i]);
    assert(tiledb_vfs_create_dir(ctx, vfs, name) == TILEDB_OK);
  }
  for (int i = 0; i < 4; i++) {
    join(name, root, files[i]);
    write_file(name, TILEDB_VFS_WRITE, "123");
  }
  join(name, root, "l");
  struct listing all = {0}, two = {0}, failed = {0}, deep = {0}, sizes = {0};
  assert(tiledb_vfs_ls(ctx, vfs, name, see, &all) == TILEDB_OK);
  assert(strcmp(all.names, "/a /b /d ") == 0);
  two.stop_after = 2;
  assert(tiledb_vfs_ls(ctx, vfs, name, see, &two) == TILEDB_OK && two.calls == 2);
  failed.stop_after = 2, failed.answer = -1;
  assert(tiledb_vfs_ls(ctx, vfs, name, see, &failed) == TILEDB_ERR && failed.calls == 2);

  assert(tiledb_vfs_ls_recursive_v2(ctx, vfs, name, see_all, &deep) == TILEDB_OK);
  assert(deep.calls == 6 && deep.bytes == 12 && deep.directories == 2);
  assert(tiledb_vfs_ls_recursive(ctx, vfs, name, see_sizes, &sizes) == TILEDB_OK);
  assert(strcmp(sizes.names, deep.names) == 0 && sizes.bytes == 12);
  failed.calls = 0;
  assert(tiledb_vfs_ls_recursive(ctx, vfs, name, see_sizes, &failed) == TILEDB_ERR);
  expect("LsScan: Error in user callback");

  uint64_t size = 0;
  assert(tiledb_vfs_dir_size(ctx, vfs, name, &size) == TILEDB_OK && size == 12);
  char moved[1000], copied[1000], inner[1000];
  join(moved, root, "m");
  join(copied, root, "c");
  join(inner, root, "m/d/e/y");
  assert(tiledb_vfs_copy_dir(ctx, vfs, name, copied) == TILEDB_OK);
  assert(tiledb_vfs_move_dir(ctx, vfs, name, moved) == TILEDB_OK);
  assert(!is_dir(name) && is_file(inner));
  assert(tiledb_vfs_dir_size(ctx, vfs, copied, &size) == TILEDB_OK && size == 12);

  join(name, root, "none");
  struct listing none = {0};
  assert(tiledb_vfs_ls(ctx, vfs, name, see, &none) == TILEDB_OK && none.calls == 0);
  assert(tiledb_vfs_ls(ctx, vfs, name, NULL, NULL) == TILEDB_ERR);
  expect("C API: Invalid TileDB object: callback function");
  assert(tiledb_vfs_ls_recursive(ctx, vfs, name, NULL, NULL) == TILEDB_ERR);
  expect("C API: Invalid TileDB object: Callback function is null.");
}

static void test_handles(const char* path) {
  char text[2000], uri[1000], buffer[8] = "unread";
  tiledb_vfs_fh_t* file = NULL;
  int32_t closed = 77;
  snprintf(uri, sizeof uri, "file://%s/x", path);
  assert(tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_READ, &file) == TILEDB_ERR && file == NULL);
  snprintf(text, sizeof text, "VFS: Cannot open file '%s'; File does not exist", uri);
  expect(text);

  assert(tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_WRITE, &file) == TILEDB_OK);
  assert(tiledb_vfs_read(ctx, file, 0, buffer, 1) == TILEDB_ERR);
  snprintf(text, sizeof text, "IO Error: Cannot get file size of '%s/x'; No such file or directory", path);
  expect(text);
  assert(tiledb_vfs_write(ctx, file, "hi", 2) == TILEDB_OK);
  assert(tiledb_vfs_sync(ctx, file) == TILEDB_OK);
  assert(size_of(uri) == 2);
  assert(tiledb_vfs_fh_is_closed(ctx, file, &closed) == TILEDB_OK && closed == 0);
  assert(tiledb_vfs_close(ctx, file) == TILEDB_OK);
  assert(tiledb_vfs_fh_is_closed(ctx, file, &closed) == TILEDB_OK && closed == 1);
  assert(tiledb_vfs_close(ctx, file) == TILEDB_ERR);
  assert(tiledb_vfs_write(ctx, file, "hi", 2) == TILEDB_ERR);
  snprintf(text, sizeof text, "[TileDB::VFSFileHandle] Error: Cannot write to file '%s'; File is not open", uri);
  expect(text);
  tiledb_vfs_fh_free(&file);

  assert(tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_READ, &file) == TILEDB_OK);
  assert(tiledb_vfs_read(ctx, file, 0, buffer, 8) == TILEDB_ERR);
  snprintf(text, sizeof text,
           "IO Error: Cannot read from file; Read exceeds file size: offset 0, nbytes 8, file_size 2, URI %s/x", path);
  expect(text);
  assert(tiledb_vfs_read(ctx, file, 0, buffer, UINT64_MAX) == TILEDB_ERR);
  assert(tiledb_vfs_read(ctx, file, UINT64_MAX, buffer, 2) == TILEDB_ERR);
  assert(tiledb_vfs_read(ctx, file, 0, NULL, 2) == TILEDB_ERR);
  assert(strcmp(buffer, "unread") == 0);
  assert(tiledb_vfs_read(ctx, file, 1, buffer, 1) == TILEDB_OK && buffer[0] == 'i');
  assert(tiledb_vfs_write(ctx, file, NULL, 3) == TILEDB_ERR);
  expect("TileDB internal: buffer must not be nullptr");
  /* The file stays open when the file systems are freed, and is closed with its handle. */
  tiledb_vfs_fh_free(&file);

  /* What was written is kept also where nobody closes the file. */
  assert(tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_WRITE, &file) == TILEDB_OK);
  assert(tiledb_vfs_write(ctx, file, "kept", 4) == TILEDB_OK);
  tiledb_vfs_fh_free(&file);
  expect_content(uri, "kept");
  assert(tiledb_vfs_close(ctx, NULL) == TILEDB_ERR);
  assert(tiledb_vfs_sync(ctx, (tiledb_vfs_fh_t*)vfs) == TILEDB_ERR);
}

static void test_errors(const char* path) {
  char text[2000], uri[1000];
  int32_t flag = 77;
  uint64_t size = 77;
  snprintf(uri, sizeof uri, "file://%s/none", path);
  assert(tiledb_vfs_file_size(ctx, vfs, uri, &size) == TILEDB_ERR && size == 77);
  snprintf(text, sizeof text, "IO Error: Cannot get file size of '%s/none'; No such file or directory", path);
  expect(text);
  assert(tiledb_vfs_remove_file(ctx, vfs, uri) == TILEDB_ERR);
  snprintf(text, sizeof text, "IO Error: Cannot delete file '%s/none'; No such file or directory", path);
  expect(text);
  assert(tiledb_vfs_remove_dir(ctx, vfs, uri) == TILEDB_ERR);
  snprintf(text, sizeof text, "IO Error: Failed to delete path '%s/none';  No such file or directory", path);
  expect(text);
  assert(tiledb_vfs_move_file(ctx, vfs, uri, "file:///none/x") == TILEDB_ERR);
  expect("IO Error: Cannot move path: No such file or directory");
  assert(tiledb_vfs_is_dir(ctx, vfs, "foo://x", &flag) == TILEDB_ERR && flag == 77);
  expect("Filesystem: Unsupported URI scheme: 'foo://x'; pass a path, or SCHEME://PATH of a supported storage");
  assert(tiledb_vfs_touch(ctx, vfs, NULL) == TILEDB_ERR);
  expect("Filesystem: Unsupported URI scheme: ''; pass a path, or SCHEME://PATH of a supported storage");
  assert(tiledb_vfs_is_file(ctx, vfs, uri, NULL) == TILEDB_ERR);
  expect("C API: Invalid output pointer for object");
  assert(tiledb_vfs_is_file(ctx, NULL, uri, &flag) == TILEDB_ERR);
  expect("C API: Invalid TileDB vfs object");
  assert(tiledb_vfs_is_file(NULL, vfs, uri, &flag) == TILEDB_INVALID_CONTEXT);
  assert(tiledb_vfs_create_bucket(ctx, vfs, uri) == TILEDB_ERR);
  expect("Filesystem: create_bucket is not supported on the given filesystem.");
  assert(tiledb_vfs_is_empty_bucket(ctx, vfs, uri, &flag) == TILEDB_ERR);
  expect("Filesystem: is_empty_bucket is not supported on the given filesystem.");
  assert(tiledb_vfs_is_bucket(ctx, vfs, uri, &flag) == TILEDB_ERR);
  expect("Filesystem: is_bucket is not supported on the given filesystem.");
  assert(tiledb_vfs_empty_bucket(ctx, vfs, uri) == TILEDB_ERR);
  expect("Filesystem: empty_bucket is not supported on the given filesystem.");
  assert(tiledb_vfs_remove_bucket(ctx, vfs, uri) == TILEDB_ERR);
  expect("Filesystem: remove_bucket is not supported on the given filesystem.");
}

static void test_configuration(void) {
  tiledb_config_t *config = NULL, *copy = NULL;
  tiledb_error_t* error = NULL;
  tiledb_vfs_t* other = NULL;
  const char* value = NULL;
  int32_t yes = 77;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "vfs.min_parallel_size", "7", &error) == TILEDB_OK);
  assert(tiledb_vfs_alloc(ctx, config, &other) == TILEDB_OK);
  assert(tiledb_vfs_get_config(ctx, other, &copy) == TILEDB_OK);
  assert(tiledb_config_get(copy, "vfs.min_parallel_size", &value, &error) == TILEDB_OK);
  assert(strcmp(value, "7") == 0);
  /* Files in memory belong to their file systems. */
  assert(tiledb_vfs_touch(ctx, other, "mem://only-there") == TILEDB_OK);
  assert(tiledb_vfs_is_file(ctx, other, "mem://only-there", &yes) == TILEDB_OK && yes == 1);
  assert(!is_file("mem://only-there"));
  tiledb_config_free(&copy);
  tiledb_config_free(&config);
  tiledb_vfs_free(&other);
  assert(other == NULL);
  tiledb_vfs_free(NULL);
}

static void test_paths(void) {
  char path[20];
  uint32_t length = sizeof path;
  assert(tiledb_uri_to_path(ctx, "file:///a/b", path, &length) == TILEDB_OK);
  assert(length == 4 && strcmp(path, "/a/b") == 0);
  length = 5;
  assert(tiledb_uri_to_path(ctx, "file:///a/b", path, &length) == TILEDB_OK && length == 4);
  length = 4;
  assert(tiledb_uri_to_path(ctx, "file:///a/b", path, &length) == TILEDB_ERR);
  length = sizeof path;
  assert(tiledb_uri_to_path(ctx, "s3://b/x", path, &length) == TILEDB_OK && strcmp(path, "s3://b/x") == 0);
  length = sizeof path;
  assert(tiledb_uri_to_path(ctx, "mem://x", path, &length) == TILEDB_OK && strcmp(path, "x") == 0);
  assert(tiledb_uri_to_path(ctx, "foo://x", path, &length) == TILEDB_ERR);
  assert(tiledb_uri_to_path(ctx, NULL, path, &length) == TILEDB_ERR);
  length = sizeof path;
  assert(tiledb_uri_to_path(ctx, "mem://x", NULL, &length) == TILEDB_ERR);
  assert(tiledb_uri_to_path(ctx, "mem://x", path, NULL) == TILEDB_ERR);
}

int main(void) {
  char name[] = "vfs-XXXXXX", path[500], root[600];
  assert(mkdtemp(name) != NULL && chdir(name) == 0 && getcwd(path, sizeof path) != NULL);
  snprintf(root, sizeof root, "file://%s", path);
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  assert(tiledb_vfs_create_dir(ctx, vfs, "mem://root") == TILEDB_OK);

  test_files(root);
  test_files("mem://root");
  test_listings(root);
  test_listings("mem://root");
  test_handles(path);
  test_errors(path);
  test_configuration();
  test_paths();

  assert(tiledb_vfs_remove_dir(ctx, vfs, root) == TILEDB_OK);
  tiledb_vfs_free(&vfs);
  tiledb_ctx_free(&ctx);
  return 0;
}
