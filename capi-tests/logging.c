/* Lines of the log: silent unless asked for, by level, as text and as JSON, to a function of the program. */
#include "arrays.h"

#include <tiledb/tiledb_rs.h>

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
  static off_t offset;
  ssize_t length;
  length = pread(STDERR_FILENO, text, sizeof text - 1, offset);
  assert(length >= 0);
  text[length] = 0;
  offset += length;
  return text;
}

static void warn(const char* level, const char* format) {
  use(level, format);
  assert(tiledb_log_warn(ctx, "beware of the dog") == TILEDB_OK);
}

/* The lines that the callback received. */
typedef struct {
  int count;
  int32_t level;
  char lines[8][300];
} Lines;

static void receive(int32_t level, const char* message, void* data) {
  Lines* lines = data;
  assert(lines->count < 8);
  lines->level = level;
  snprintf(lines->lines[lines->count++], sizeof lines->lines[0], "%s", message);
}

/* Operations, to a callback. */
static void check_callback(void) {
  static Lines lines;
  int32_t x = 0;
  uint64_t x_size = sizeof x;
  use("3", "DEFAULT");
  assert(tiledb_rs_set_log_callback(receive, &lines) == TILEDB_OK);
  make_array("mem://logged", TILEDB_SPARSE);
  for (int32_t cell = 1; cell <= 2; cell++) {
    int32_t a = cell;
    uint64_t a_size = sizeof a;
    tiledb_array_t* array = open_array("mem://logged", TILEDB_WRITE, (uint64_t)cell);
    tiledb_query_t* query = make_write(array, TILEDB_SPARSE, cell, cell, &x, &x_size);
    assert(tiledb_query_set_data_buffer(ctx, query, "a", &a, &a_size) == TILEDB_OK);
    assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
    tiledb_query_free(&query);
    close_array(&array);
  }
  assert(lines.count == 4 && lines.level == 3);
  assert(strcmp(lines.lines[0], "Submit of a WRITE query on 'mem://logged' begins") == 0);
  assert(strstr(lines.lines[1], "Submit of a WRITE query on 'mem://logged' ends after ") == lines.lines[1]);
  assert(strstr(lines.lines[1], " s; fragments: 1, bytes: 8") != NULL);
  lines.count = 0;
  assert(tiledb_array_consolidate(ctx, "mem://logged", NULL) == TILEDB_OK);
  assert(lines.count == 4 && lines.level == 3);
  assert(strcmp(lines.lines[0], "Consolidation of 'mem://logged' in mode 'fragments' begins") == 0);
  assert(strstr(lines.lines[1], "Merge of 2 fragments of 'mem://logged', written from 1 to 2, begins") == lines.lines[1]);
  assert(strstr(lines.lines[2], " s, into '__1_2_") != NULL);
  assert(strstr(lines.lines[2], "; fragments: 2, bytes: ") != NULL);
  assert(strstr(lines.lines[3], "Consolidation of 'mem://logged' in mode 'fragments' ends after ") == lines.lines[3]);
  lines.count = 0;
  assert(tiledb_array_vacuum(ctx, "mem://logged", NULL) == TILEDB_OK);
  assert(lines.count == 2 && strstr(lines.lines[1], " s; removed files: ") != NULL);
  lines.count = 0;
  assert(tiledb_array_vacuum(ctx, "mem://missing", NULL) == TILEDB_ERR);
  assert(lines.count == 3 && lines.level == 1 && strstr(lines.lines[1], " fails after ") != NULL);
  assert(strcmp(written(), "") == 0);
  lines.count = 0;
  assert(tiledb_rs_set_log_callback(NULL, NULL) == TILEDB_OK);
  assert(tiledb_log_warn(ctx, "to standard error") == TILEDB_OK);
  assert(lines.count == 0 && strstr(written(), "to standard error\n") != NULL);
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
  check_callback();
  tiledb_ctx_free(&ctx);
  return 0;
}
