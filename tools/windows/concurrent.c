/*
 * Processes that write, read, consolidate and vacuum one array at the same time; tools/test_windows.sh starts them.
 *
 *   concurrent create ARRAY
 *   concurrent write ARRAY SECONDS WRITER       writes of CELLS cells; the file ARRAY.WRITER has a byte for each that is complete
 *   concurrent read ARRAY SECONDS               each read sees every write entirely or not at all, and all that were complete
 *   concurrent consolidate ARRAY SECONDS
 *   concurrent vacuum ARRAY SECONDS
 *   concurrent check ARRAY                      all writes are there, and nothing else
 *
 * An operation that fails since a file has been vacuumed is repeated and counted, and so is a vacuum that fails since another process
 * reads a file, which keeps the file's name and its directory on systems without deletion as on Unix. Any other failure ends the
 * process.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tiledb/tiledb.h>

enum { WRITERS = 2, CELLS = 20, MOST_WRITES = 20000, MOST_CELLS = WRITERS * MOST_WRITES * CELLS };
/* What the system says of a file that another process removed. */
static const char* const REMOVED[] = {"(os error 2)", "No such file", "cannot find", "not found", "does not exist"};
/* What it says of a directory with such a file. */
static const char IN_USE[] = "not empty";

static tiledb_ctx_t* ctx;
static const char *role, *uri;
static time_t end;
static unsigned done, repeated;

static void fail(const char* what, const char* why) {
  printf("FAILED: %s: %s\n", what, why);
  exit(1);
}

/* Whether a call succeeded; ends the process unless the reason is a removed file. */
static int ok(int32_t result, const char* what) {
  static char text[2000];
  tiledb_error_t* error = NULL;
  const char* message = "no message";
  if (result == TILEDB_OK)
    return 1;
  if (tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL)
    tiledb_error_message(error, &message);
  snprintf(text, sizeof text, "%s", message);
  tiledb_error_free(&error);
  for (size_t n = 0; n < sizeof REMOVED / sizeof *REMOVED; n++)
    if (strstr(text, REMOVED[n]) != NULL)
      return 0;
  if (strcmp(role, "vacuum") == 0 && strstr(text, IN_USE) != NULL)
    return 0;
  fail(what, text);
  return 0;
}
#define TRY(call) ok(call, #call)
static void must(int32_t result, const char* what) {
  if (!ok(result, what))
    fail(what, "a file was removed");
}
#define OK(call) must(call, #call)

static int64_t value_of(int32_t writer, int64_t cell) {
  return cell * 1000003 + writer;
}

static FILE* progress(int32_t writer, const char* mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", uri, writer);
  return fopen(path, mode);
}

static int64_t complete_writes(int32_t writer) {
  FILE* file = progress(writer, "rb");
  if (file == NULL)
    return 0;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  return size;
}

static void create(void) {
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_dimension_t *writer = NULL, *cell = NULL;
  tiledb_attribute_t* attribute = NULL;
  int32_t writers[] = {0, WRITERS - 1}, one = 1;
  int64_t cells[] = {0, MOST_CELLS - 1}, extent = 1000;
  OK(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
  OK(tiledb_domain_alloc(ctx, &domain));
  OK(tiledb_dimension_alloc(ctx, "writer", TILEDB_INT32, writers, &one, &writer));
  OK(tiledb_dimension_alloc(ctx, "cell", TILEDB_INT64, cells, &extent, &cell));
  OK(tiledb_domain_add_dimension(ctx, domain, writer));
  OK(tiledb_domain_add_dimension(ctx, domain, cell));
  OK(tiledb_array_schema_set_domain(ctx, schema, domain));
  OK(tiledb_attribute_alloc(ctx, "value", TILEDB_INT64, &attribute));
  OK(tiledb_array_schema_add_attribute(ctx, schema, attribute));
  OK(tiledb_array_create(ctx, uri, schema));
}

static void write_cells(int32_t writer, int64_t first) {
  int32_t writers[CELLS];
  int64_t cells[CELLS], values[CELLS];
  uint64_t short_size = sizeof writers, size = sizeof cells;
  for (int n = 0; n < CELLS; n++)
    writers[n] = writer, cells[n] = first + n, values[n] = value_of(writer, first + n);
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  OK(tiledb_array_alloc(ctx, uri, &array));
  OK(tiledb_array_open(ctx, array, TILEDB_WRITE));
  OK(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  OK(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
  OK(tiledb_query_set_data_buffer(ctx, query, "writer", writers, &short_size));
  OK(tiledb_query_set_data_buffer(ctx, query, "cell", cells, &size));
  OK(tiledb_query_set_data_buffer(ctx, query, "value", values, &size));
  OK(tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  OK(tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
}

/* Reads all cells in the order of the writers, and returns their number, or -1 if a file was removed meanwhile. */
static int64_t read_cells(int32_t* writers, int64_t* cells, int64_t* values) {
  uint64_t sizes[] = {MOST_CELLS * sizeof *writers, MOST_CELLS * sizeof *cells, MOST_CELLS * sizeof *values};
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  int64_t found = -1;
  OK(tiledb_array_alloc(ctx, uri, &array));
  if (TRY(tiledb_array_open(ctx, array, TILEDB_READ))) {
    OK(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    OK(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    OK(tiledb_query_set_data_buffer(ctx, query, "writer", writers, &sizes[0]));
    OK(tiledb_query_set_data_buffer(ctx, query, "cell", cells, &sizes[1]));
    OK(tiledb_query_set_data_buffer(ctx, query, "value", values, &sizes[2]));
    if (TRY(tiledb_query_submit(ctx, query))) {
      OK(tiledb_query_get_status(ctx, query, &status));
      if (status != TILEDB_COMPLETED)
        fail("read", "incomplete");
      found = (int64_t)(sizes[0] / sizeof *writers);
    }
    tiledb_query_free(&query);
    OK(tiledb_array_close(ctx, array));
  }
  tiledb_array_free(&array);
  return found;
}

/* Reads and verifies all cells; `exactly` if no writer is left. */
static int verify(int exactly) {
  static int32_t writers[MOST_CELLS];
  static int64_t cells[MOST_CELLS], values[MOST_CELLS];
  int64_t complete[WRITERS], seen[WRITERS] = {0};
  for (int32_t writer = 0; writer < WRITERS; writer++)
    complete[writer] = complete_writes(writer);
  int64_t found = read_cells(writers, cells, values);
  if (found < 0)
    return 0;
  /* A writer's cells are numbered without gaps in the order of its writes. */
  for (int64_t n = 0; n < found; n++) {
    if (cells[n] != seen[writers[n]]++)
      fail("read", "a write is missing or partial");
    if (values[n] != value_of(writers[n], cells[n]))
      fail("read", "a value is wrong");
  }
  for (int32_t writer = 0; writer < WRITERS; writer++) {
    if (seen[writer] % CELLS != 0)
      fail("read", "a write is partial");
    if (seen[writer] < complete[writer] * CELLS || (exactly && seen[writer] > complete[writer] * CELLS))
      fail("read", "a complete write is missing");
  }
  return 1;
}

static int maintain(const char* parameter, const char* mode, int32_t (*call)(tiledb_ctx_t*, const char*, tiledb_config_t*)) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  if (tiledb_config_alloc(&config, &error) != TILEDB_OK ||
      tiledb_config_set(config, parameter, mode, &error) != TILEDB_OK)
    fail("config", parameter);
  int succeeded = ok(call(ctx, uri, config), parameter);
  tiledb_config_free(&config);
  return succeeded;
}

static int32_t consolidate(tiledb_ctx_t* context, const char* array, tiledb_config_t* config) {
  return tiledb_array_consolidate(context, array, config);
}

static int32_t vacuum(tiledb_ctx_t* context, const char* array, tiledb_config_t* config) {
  return tiledb_array_vacuum(context, array, config);
}

int main(int argc, char** argv) {
  static const char* const MODES[] = {"fragments", "commits", "fragment_meta"};
  if (argc < 3 || tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK)
    return 2;
  role = argv[1];
  uri = argv[2];
  end = time(NULL) + (argc > 3 ? atoi(argv[3]) : 0);
  int32_t writer = argc > 4 ? atoi(argv[4]) : 0;
  if (strcmp(role, "create") == 0) {
    create();
    return 0;
  }
  if (strcmp(role, "check") == 0) {
    if (!verify(1))
      fail("check", "a file is missing");
    printf("%lld and %lld writes are there\n", (long long)complete_writes(0), (long long)complete_writes(1));
    return 0;
  }
  while (time(NULL) < end) {
    const char* mode = MODES[done % 3];
    int succeeded;
    if (strcmp(role, "write") == 0) {
      if (done == MOST_WRITES)
        break;
      write_cells(writer, (int64_t)done * CELLS);
      FILE* file = progress(writer, "ab");
      succeeded = file != NULL && fputc('.', file) == '.' && fclose(file) == 0;
      if (!succeeded)
        fail("write", "progress");
    } else if (strcmp(role, "read") == 0)
      succeeded = verify(0);
    else if (strcmp(role, "consolidate") == 0)
      succeeded = maintain("sm.consolidation.mode", mode, consolidate);
    else if (strcmp(role, "vacuum") == 0)
      succeeded = maintain("sm.vacuum.mode", mode, vacuum);
    else
      return 2;
    if (succeeded)
      done++;
    else
      repeated++;
  }
  printf("%s: %u, %u repeated\n", role, done, repeated);
  return done > 0 ? 0 : 1;
}
