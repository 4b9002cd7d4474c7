/* Arrays and groups in directories: what lies where, walks, moving, removing. */
#include "common.h"

/* `a` and `g/z` are arrays, `g` and `g/s` are groups, `p` is a directory that hides an array. */
static void make_tree(void) {
  static const char* const directories[] = {"a/__schema", "g/__group", "g/s/__group", "g/s/b/__schema",
                                            "g/p",        "p",         "p/h/__schema", "old"};
  tiledb_vfs_t* vfs = NULL;
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
    assert(tiledb_vfs_create_dir(ctx, vfs, directories[i]) == TILEDB_OK);
  assert(tiledb_vfs_touch(ctx, vfs, "old/__array_schema.tdb") == TILEDB_OK);
  assert(tiledb_vfs_touch(ctx, vfs, "file") == TILEDB_OK);
  tiledb_vfs_free(&vfs);
}

static int type_of(const char* path) {
  tiledb_object_t type = (tiledb_object_t)77;
  assert(tiledb_object_type(ctx, path, &type) == TILEDB_OK);
  return (int)type;
}

static void test_types(void) {
  assert(type_of("a") == TILEDB_ARRAY && type_of("a/") == TILEDB_ARRAY && type_of("old") == TILEDB_ARRAY);
  assert(type_of("g") == TILEDB_GROUP && type_of("g/s") == TILEDB_GROUP);
  assert(type_of("p") == TILEDB_INVALID && type_of("file") == TILEDB_INVALID && type_of("none") == TILEDB_INVALID);
  assert(type_of("mem://none") == TILEDB_INVALID);
  tiledb_object_t type = TILEDB_INVALID;
  assert(tiledb_object_type(ctx, "foo://x", &type) == TILEDB_ERR);
  expect("Filesystem: Unsupported URI scheme: 'foo://x'; pass a path, or SCHEME://PATH of a supported storage");
  assert(tiledb_object_type(ctx, "a", NULL) == TILEDB_ERR);
  assert(tiledb_object_type(NULL, "a", &type) == TILEDB_INVALID_CONTEXT);
}

struct listing {
  char names[1000];
  int calls;
  int stop_after;
  int answer;
};

static int32_t see(const char* uri, tiledb_object_t type, void* data) {
  struct listing* listing = data;
  strcat(listing->names, strrchr(uri, '/') + 1);
  strcat(listing->names, type == TILEDB_ARRAY ? "[] " : type == TILEDB_GROUP ? "{} " : "? ");
  /* A callback may use everything, a walk too. */
  assert(type_of(uri) == (int)type);
  return ++listing->calls == listing->stop_after ? listing->answer : 1;
}

static void test_walks(void) {
  struct listing before = {0}, after = {0}, direct = {0}, two = {0}, failed = {0}, none = {0};
  assert(tiledb_object_walk(ctx, ".", TILEDB_PREORDER, see, &before) == TILEDB_OK);
  assert(strcmp(before.names, "a[] g{} s{} b[] old[] ") == 0);
  assert(tiledb_object_walk(ctx, ".", TILEDB_POSTORDER, see, &after) == TILEDB_OK);
  assert(strcmp(after.names, "a[] b[] s{} g{} old[] ") == 0);
  assert(tiledb_object_ls(ctx, "g", see, &direct) == TILEDB_OK);
  assert(strcmp(direct.names, "s{} ") == 0);
  two.stop_after = 2;
  assert(tiledb_object_walk(ctx, ".", TILEDB_PREORDER, see, &two) == TILEDB_OK && two.calls == 2);
  failed.stop_after = 1, failed.answer = -1;
  assert(tiledb_object_ls(ctx, ".", see, &failed) == TILEDB_ERR && failed.calls == 1);
  assert(tiledb_object_walk(ctx, "none", TILEDB_PREORDER, see, &none) == TILEDB_OK);
  assert(tiledb_object_ls(ctx, "file", see, &none) == TILEDB_OK && none.calls == 0);

  assert(tiledb_object_walk(ctx, ".", TILEDB_PREORDER, NULL, NULL) == TILEDB_ERR);
  expect("Error: Cannot initiate walk; Invalid callback function");
  assert(tiledb_object_ls(ctx, ".", NULL, NULL) == TILEDB_ERR);
  expect("Error: Cannot initiate object ls; Invalid callback function");
  assert(tiledb_object_walk(ctx, "foo://x", TILEDB_PREORDER, see, &none) == TILEDB_ERR);
  expect("ObjectIter: Cannot create object iterator; Invalid input path");
}

static void test_changes(void) {
  assert(tiledb_object_move(ctx, "a", "new/place/a") == TILEDB_OK);
  assert(type_of("a") == TILEDB_INVALID && type_of("new/place/a") == TILEDB_ARRAY);
  assert(tiledb_object_move(ctx, "new/place/a", "g") == TILEDB_ERR);
  expect("IO Error: Cannot move path: Directory not empty");
  assert(tiledb_object_move(ctx, "none", "x") == TILEDB_ERR);
  expect_begin("Object: Cannot move object 'none'; Invalid TileDB object");
  assert(tiledb_object_move(ctx, "g", "foo://x") == TILEDB_ERR);
  expect("Object: Cannot move object to 'foo://x'; Invalid URI");
  assert(tiledb_object_move(ctx, NULL, "x") == TILEDB_ERR);

  assert(tiledb_object_remove(ctx, "g") == TILEDB_OK);
  assert(access("g", F_OK) != 0);
  assert(tiledb_object_remove(ctx, "p") == TILEDB_ERR);
  expect_begin("Object: Cannot remove object 'p'; Invalid TileDB object");
  assert(access("p", F_OK) == 0);
  assert(tiledb_object_remove(ctx, "none") == TILEDB_ERR);
  expect_begin("Object: Cannot remove object 'none'; Invalid TileDB object");
  assert(tiledb_object_remove(ctx, "foo://x") == TILEDB_ERR);
  expect("Object: Cannot remove object 'foo://x'; Invalid URI");
  assert(tiledb_object_remove(ctx, NULL) == TILEDB_ERR);
}

int main(void) {
  char name[] = "object-XXXXXX", path[500];
  assert(mkdtemp(name) != NULL && chdir(name) == 0 && getcwd(path, sizeof path) != NULL);
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_tree();
  test_types();
  test_walks();
  test_changes();

  tiledb_vfs_t* vfs = NULL;
  assert(tiledb_vfs_alloc(ctx, NULL, &vfs) == TILEDB_OK);
  assert(tiledb_vfs_remove_dir(ctx, vfs, path) == TILEDB_OK);
  tiledb_vfs_free(&vfs);
  tiledb_ctx_free(&ctx);
  return 0;
}
