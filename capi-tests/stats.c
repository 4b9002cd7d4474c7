/* Statistics: the switch, the dumps and their release. */
#include "common.h"

static void expect_enabled(uint8_t expected) {
  uint8_t enabled = 7;
  assert(tiledb_stats_is_enabled(&enabled) == TILEDB_OK && enabled == expected);
}

/* The number behind a name in a text; 0 where the name is not there. */
static uint64_t counter(const char* text, const char* name) {
  const char* entry = strstr(text, name);
  return entry == NULL ? 0 : strtoull(entry + strlen(name), NULL, 10);
}

/* Gives a group a value, which goes to storage. */
static void put(tiledb_ctx_t* ctx, tiledb_group_t* group) {
  int32_t value = 7;
  assert(tiledb_group_open(ctx, group, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_group_put_metadata(ctx, group, "key", TILEDB_INT32, 1, &value) == TILEDB_OK);
  assert(tiledb_group_close(ctx, group) == TILEDB_OK);
}

int main(void) {
  char* text = NULL;
  tiledb_ctx_t* ctx = NULL;
  expect_enabled(0);
  assert(tiledb_stats_enable() == TILEDB_OK);
  expect_enabled(1);

  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  assert(tiledb_ctx_get_stats(ctx, &text) == TILEDB_OK && text != NULL);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK && text == NULL);

  /* A JSON array, here without contexts that counted anything. */
  assert(tiledb_stats_reset() == TILEDB_OK);
  assert(tiledb_stats_dump_str(&text) == TILEDB_OK);
  assert(strcmp(text, "[\n\n]\n") == 0);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK && text == NULL);
  assert(tiledb_stats_raw_dump_str(&text) == TILEDB_OK);
  assert(strcmp(text, "[\n\n]\n") == 0);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK);

  FILE* file = tmpfile();
  char line[16] = "";
  assert(file != NULL && tiledb_stats_dump(file) == TILEDB_OK && tiledb_stats_raw_dump(file) == TILEDB_OK);
  rewind(file);
  assert(fgets(line, sizeof(line), file) != NULL && strcmp(line, "[\n") == 0);
  fclose(file);

  /* What a context does is counted, in its own statistics and those of all. */
  assert(tiledb_group_create(ctx, "g") == TILEDB_OK);
  tiledb_group_t* group = NULL;
  assert(tiledb_group_alloc(ctx, "g", &group) == TILEDB_OK);
  put(ctx, group);
  assert(tiledb_ctx_get_stats(ctx, &text) == TILEDB_OK);
  uint64_t written = counter(text, "\"Context.VFS.write_byte_num\": ");
  assert(written > 0 && counter(text, "\"Context.VFS.write_ops_num\": ") > 0);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK);
  assert(tiledb_stats_dump_str(&text) == TILEDB_OK);
  assert(counter(text, "\"Context.VFS.write_byte_num\": ") == written);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK);

  assert(tiledb_stats_disable() == TILEDB_OK);
  expect_enabled(0);
  /* The switch is a flag to be asked for: counting goes on. */
  put(ctx, group);
  assert(tiledb_ctx_get_stats(ctx, &text) == TILEDB_OK);
  assert(counter(text, "\"Context.VFS.write_byte_num\": ") > written);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK);
  assert(tiledb_stats_reset() == TILEDB_OK && tiledb_ctx_get_stats(ctx, &text) == TILEDB_OK);
  assert(counter(text, "\"Context.VFS.write_byte_num\": ") == 0);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK);
  tiledb_group_free(&group);
  assert(tiledb_stats_is_enabled(NULL) == TILEDB_ERR);
  assert(tiledb_stats_dump_str(NULL) == TILEDB_ERR);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK);
  assert(tiledb_stats_free_str(NULL) == TILEDB_OK);
  assert(tiledb_ctx_get_stats(ctx, NULL) == TILEDB_ERR);
  tiledb_ctx_free(&ctx);
  return 0;
}
