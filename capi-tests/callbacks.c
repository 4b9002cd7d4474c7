/* Calls from inside callbacks: the library holds no lock there, and what is freed there lives until the call ends. */
#include "common.h"

typedef struct {
  tiledb_ctx_t* ctx;
  tiledb_vfs_t* vfs;
  int calls;
} state_t;

static state_t start(void) {
  state_t state = {NULL, NULL, 0};
  assert(tiledb_ctx_alloc(NULL, &state.ctx) == TILEDB_OK);
  assert(tiledb_vfs_alloc(state.ctx, NULL, &state.vfs) == TILEDB_OK);
  return state;
}

static void end(state_t* state) {
  tiledb_vfs_free(&state->vfs);
  tiledb_ctx_free(&state->ctx);
  assert(tiledb_rs_live_handles() == 0);
}

static int32_t count(const char* path, void* data) {
  assert(path != NULL);
  ((state_t*)data)->calls++;
  return 1;
}

/* Uses the same context and file system, fails, and lists again. */
static int32_t use(const char* path, void* data) {
  state_t* state = data;
  int32_t is_dir = 7;
  assert(tiledb_vfs_is_dir(state->ctx, state->vfs, path, &is_dir) == TILEDB_OK);
  assert(is_dir == 0);
  assert(tiledb_vfs_is_dir(state->ctx, state->vfs, path, NULL) == TILEDB_ERR);
  tiledb_error_t* error = NULL;
  assert(tiledb_ctx_get_last_error(state->ctx, &error) == TILEDB_OK && error != NULL);
  tiledb_error_free(&error);
  assert(tiledb_ctx_cancel_tasks(state->ctx) == TILEDB_OK);
  return tiledb_vfs_ls(state->ctx, state->vfs, "folder", count, state) == TILEDB_OK ? 1 : -1;
}

/* Frees what the running call was given. */
static int32_t free_all(const char* path, void* data) {
  (void)path;
  state_t* state = data;
  state->calls++;
  tiledb_vfs_free(&state->vfs);
  tiledb_ctx_free(&state->ctx);
  return 1;
}

static int32_t fail(const char* path, void* data) {
  (void)path;
  ((state_t*)data)->calls++;
  return -1;
}

static int32_t walk(const char* path, tiledb_object_t type, void* data) {
  state_t* state = data;
  tiledb_object_t again = TILEDB_INVALID;
  assert(tiledb_object_type(state->ctx, path, &again) == TILEDB_OK && again == type);
  state->calls++;
  return 1;
}

int main(void) {
  state_t state = start();
  assert(tiledb_vfs_create_dir(state.ctx, state.vfs, "folder") == TILEDB_OK);
  assert(tiledb_vfs_touch(state.ctx, state.vfs, "folder/a") == TILEDB_OK);
  assert(tiledb_vfs_touch(state.ctx, state.vfs, "folder/b") == TILEDB_OK);

  assert(tiledb_vfs_ls(state.ctx, state.vfs, "folder", use, &state) == TILEDB_OK);
  assert(state.calls == 4);

  state.calls = 0;
  tiledb_vfs_ls(state.ctx, state.vfs, "folder", fail, &state);
  assert(state.calls == 1);

  state.calls = 0;
  assert(tiledb_object_walk(state.ctx, "folder", TILEDB_PREORDER, walk, &state) == TILEDB_OK);
  assert(state.calls == 0);

  assert(tiledb_vfs_ls(state.ctx, state.vfs, "folder", free_all, &state) == TILEDB_OK);
  assert(state.calls == 2 && state.ctx == NULL && state.vfs == NULL);
  end(&state);
  return 0;
}
