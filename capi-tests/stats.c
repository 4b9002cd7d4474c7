/* Statistics: the switch, the dumps and their release. */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <tiledb/tiledb.h>

static void expect_enabled(uint8_t expected) {
  uint8_t enabled = 7;
  assert(tiledb_stats_is_enabled(&enabled) == TILEDB_OK && enabled == expected);
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

  assert(tiledb_stats_disable() == TILEDB_OK);
  expect_enabled(0);
  assert(tiledb_stats_is_enabled(NULL) == TILEDB_ERR);
  assert(tiledb_stats_dump_str(NULL) == TILEDB_ERR);
  assert(tiledb_stats_free_str(&text) == TILEDB_OK);
  assert(tiledb_stats_free_str(NULL) == TILEDB_OK);
  assert(tiledb_ctx_get_stats(ctx, NULL) == TILEDB_ERR);
  tiledb_ctx_free(&ctx);
  return 0;
}
