/* Lines of the log: silent unless asked for, by level, as text and as JSON. */
#include "common.h"

static void use(const char* level, const char* format) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "config.logging_level", level, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "config.logging_format", format, &error) == TILEDB_OK);
  tiledb_ctx_free(&ctx);
  assert(tiledb_ctx_alloc(config, &ctx) == TILEDB_OK);
  tiledb_config_free(&config);
}

/* What the library wrote to standard error since the last time. */
static const char* written(void) {
  static char text[2000];
  static off_t seen;
  ssize_t length;
  length = pread(STDERR_FILENO, text, sizeof text - 1, seen);
  assert(length >= 0);
  text[length] = 0;
  seen += length;
  return text;
}

static void warn(const char* level, const char* format) {
  use(level, format);
  assert(tiledb_log_warn(ctx, "beware of the dog") == TILEDB_OK);
}

int main(void) {
  const char* text = NULL;
  tiledb_object_t type = TILEDB_INVALID;
  assert(freopen("log", "w+", stderr) != NULL);
  warn("0", "DEFAULT");
  assert(tiledb_object_type(ctx, NULL, &type) == TILEDB_ERR);
  assert(strcmp(written(), "") == 0);
  warn("1", "DEFAULT");
  assert(strcmp(written(), "") == 0);

  warn("2", "DEFAULT");
  text = written();
  assert(text[0] == '[' && strstr(text, "[warning]") != NULL && strstr(text, "beware of the dog\n") != NULL);

  /* Errors are more than warnings; they stand in the log as in the context. */
  assert(tiledb_log_warn(ctx, NULL) == TILEDB_ERR);
  expect("C API: argument `message` may not be nullptr");
  text = written();
  assert(strstr(text, "[error]") != NULL && strstr(text, "C API: argument `message` may not be nullptr\n") != NULL);

  warn("5", "JSON");
  text = written();
  assert(text[0] == '{' && strstr(text, "\"severity\":\"warning\"") != NULL);
  assert(strstr(text, "\"message\":\"beware of the dog\"") != NULL);
  tiledb_ctx_free(&ctx);
  return 0;
}
