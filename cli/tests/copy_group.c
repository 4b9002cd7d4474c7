/* Makes a group with members of each kind: copy_group GROUP ELSEWHERE. */
#include <stdio.h>
#include <stdlib.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>

static tiledb_ctx_t* ctx;

static void check(int code) {
  if (code != TILEDB_OK) {
    tiledb_error_t* error = NULL;
    const char* message = "";
    tiledb_ctx_get_last_error(ctx, &error);
    tiledb_error_message(error, &message);
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
}

static void add(const char* group, const char* uri, uint8_t relative, const char* name) {
  tiledb_group_t* open = NULL;
  check(tiledb_group_alloc(ctx, group, &open));
  check(tiledb_group_open(ctx, open, TILEDB_WRITE));
  check(tiledb_group_add_member(ctx, open, uri, relative, name));
  check(tiledb_group_close(ctx, open));
  tiledb_group_free(&open);
}

int main(int count, char** arguments) {
  char inner[4096], deep[4096];
  if (count != 3) return 2;
  check(tiledb_ctx_alloc(NULL, &ctx));
  snprintf(inner, sizeof inner, "%s/inner", arguments[1]);
  snprintf(deep, sizeof deep, "%s/inner/deep", arguments[1]);
  check(tiledb_group_create(ctx, arguments[1]));
  check(tiledb_group_create(ctx, inner));
  check(tiledb_group_create(ctx, deep));
  check(tiledb_group_create(ctx, arguments[2]));
  add(inner, "deep", 1, "child");
  add(arguments[1], inner, 0, "within");
  add(arguments[1], deep, 0, NULL);
  add(deep, inner, 0, "above");
  add(arguments[1], arguments[2], 0, "elsewhere");
  tiledb_ctx_free(&ctx);
  return 0;
}
