/* Callbacks that throw: the exception ends the call, and its text is the error's. */
#undef NDEBUG
#include <cassert>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>
#include <tiledb/tiledb_rs.h>

struct Other {
  virtual ~Other() = default;
  long words[3] = {1, 2, 3};
};
struct Both : Other, std::runtime_error {
  Both() : std::runtime_error("two bases") {}
};
static int destroyed = 0;
struct Counted : std::logic_error {
  explicit Counted(const char* text) : std::logic_error(text) {}
  Counted(const Counted&) = default;
  ~Counted() override { destroyed++; }
};

/* Throws what the number at `data` says. */
static void throw_one(void* data) {
  switch (*static_cast<int*>(data)) {
    case 0: throw std::runtime_error("one base");
    case 1: throw Both();
    case 2: throw 7;
    case 3: throw Counted("counted");
    case 4: std::rethrow_exception(std::make_exception_ptr(std::invalid_argument("held by a pointer")));
    default: break;
  }
}

static int32_t on_object(const char*, tiledb_object_t, void* data) {
  throw_one(data);
  return 1;
}
static int32_t on_path(const char*, void* data) {
  throw_one(data);
  return 1;
}
static int32_t on_entry(const char*, size_t, uint64_t, uint8_t, void* data) {
  throw_one(data);
  return 1;
}

static void expect(tiledb_ctx_t* ctx, const std::string& expected) {
  tiledb_error_t* error = nullptr;
  const char* text = nullptr;
  assert(tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK);
  assert(tiledb_error_message(error, &text) == TILEDB_OK);
  assert(expected == text);
  tiledb_error_free(&error);
}

int main() {
  tiledb_ctx_t* ctx = nullptr;
  tiledb_vfs_t* vfs = nullptr;
  assert(tiledb_ctx_alloc(nullptr, &ctx) == TILEDB_OK);
  assert(tiledb_vfs_alloc(ctx, nullptr, &vfs) == TILEDB_OK);
  assert(tiledb_group_create(ctx, "exceptions") == TILEDB_OK);
  assert(tiledb_group_create(ctx, "exceptions/inner") == TILEDB_OK);
  const char* texts[] = {"one base", "two bases", "unknown exception", "counted", "held by a pointer"};
  for (int number = 0; number < 5; number++) {
    const std::string expected = std::string("TileDB internal: ") + texts[number];
    assert(tiledb_object_ls(ctx, "exceptions", on_object, &number) == TILEDB_ERR);
    expect(ctx, expected);
    assert(tiledb_object_walk(ctx, "exceptions", TILEDB_PREORDER, on_object, &number) == TILEDB_ERR);
    expect(ctx, expected);
    assert(tiledb_vfs_ls(ctx, vfs, "exceptions", on_path, &number) == TILEDB_ERR);
    expect(ctx, expected);
    assert(tiledb_vfs_ls_recursive_v2(ctx, vfs, "exceptions", on_entry, &number) == TILEDB_ERR);
    expect(ctx, expected);
    assert(std::uncaught_exceptions() == 0);
  }
  assert(destroyed == 4);
  int nothing = 9;
  assert(tiledb_object_ls(ctx, "exceptions", on_object, &nothing) == TILEDB_OK);
  assert(tiledb_vfs_ls_recursive_v2(ctx, vfs, "exceptions", on_entry, &nothing) == TILEDB_OK);
  tiledb_vfs_free(&vfs);
  tiledb_ctx_free(&ctx);
  assert(tiledb_rs_live_handles() == 0);
  return 0;
}
