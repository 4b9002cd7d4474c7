/* What removed.c and removed_queries.c share: arrays, calls that are printed, sections in processes of their own. */
#ifndef REMOVED_H
#define REMOVED_H

#undef NDEBUG
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define TILEDB_RS_REMOVED_API
#define TILEDB_NO_API_DEPRECATION_WARNINGS
#include <assert.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>
#include <unistd.h>

#define OK(call) assert((call) == TILEDB_OK)
#define SHOW(call) show(#call, call)

static tiledb_ctx_t* ctx;
static char directory[4096];

static inline int has(const char* function) {
  return dlsym(RTLD_DEFAULT, function) != NULL;
}

/* Prints a text with <DIR> for the working directory, and # for runs of more than eight hexadecimal digits. */
static inline void print(const char* text) {
  const size_t length = strlen(directory);
  while (*text != 0) {
    const size_t digits = strspn(text, "0123456789abcdef");
    if (strncmp(text, directory, length) == 0) {
      printf("<DIR>");
      text += length;
    } else if (digits > 8) {
      putchar('#');
      text += digits;
    } else {
      const size_t count = digits > 0 ? digits : 1;
      printf("%.*s", (int)count, text);
      text += count;
    }
  }
}

/* Prints a call with its code and the text of its error. */
static inline void show(const char* call, int32_t code) {
  tiledb_error_t* error = NULL;
  const char* message = NULL;
  printf("%s: %d", call, code);
  if (code == TILEDB_ERR && tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL) {
    OK(tiledb_error_message(error, &message));
    printf(" ");
    print(message);
    tiledb_error_free(&error);
  }
  printf("\n");
}

static inline tiledb_dimension_t* dimension(const char* name, tiledb_datatype_t type, const void* ends, const void* extent) {
  tiledb_dimension_t* made = NULL;
  OK(tiledb_dimension_alloc(ctx, name, type, ends, extent, &made));
  return made;
}

static inline tiledb_domain_t* domain(tiledb_dimension_t* first, tiledb_dimension_t* second) {
  tiledb_domain_t* made = NULL;
  OK(tiledb_domain_alloc(ctx, &made));
  OK(tiledb_domain_add_dimension(ctx, made, first));
  OK(tiledb_domain_add_dimension(ctx, made, second));
  tiledb_dimension_free(&first);
  tiledb_dimension_free(&second);
  return made;
}

static inline tiledb_array_schema_t* schema(tiledb_array_type_t type, tiledb_domain_t* with) {
  tiledb_array_schema_t* made = NULL;
  tiledb_attribute_t* attribute = NULL;
  OK(tiledb_array_schema_alloc(ctx, type, &made));
  OK(tiledb_array_schema_set_domain(ctx, made, with));
  OK(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute));
  OK(tiledb_array_schema_add_attribute(ctx, made, attribute));
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&with);
  return made;
}

/* "rows" and "columns" are 1 to 4 and 1 to 100, in tiles of 2 and 10. */
static inline tiledb_array_schema_t* grid(tiledb_array_type_t type) {
  const int32_t rows[] = {1, 4}, columns[] = {1, 100}, extents[] = {2, 10};
  return schema(type, domain(dimension("rows", TILEDB_INT32, rows, &extents[0]),
                             dimension("columns", TILEDB_INT32, columns, &extents[1])));
}

/* "name" are strings, "x" is 0 to 9. */
static inline tiledb_array_schema_t* names(void) {
  const uint64_t ends[] = {0, 9}, extent = 5;
  return schema(TILEDB_SPARSE, domain(dimension("name", TILEDB_STRING_ASCII, NULL, NULL),
                                      dimension("x", TILEDB_UINT64, ends, &extent)));
}

static inline void create(const char* uri, tiledb_array_schema_t* from) {
  OK(tiledb_array_create(ctx, uri, from));
  tiledb_array_schema_free(&from);
}

static inline tiledb_array_t* open(const char* uri, tiledb_query_type_t type) {
  tiledb_array_t* array = NULL;
  OK(tiledb_array_alloc(ctx, uri, &array));
  OK(tiledb_array_open(ctx, array, type));
  return array;
}

static inline tiledb_query_t* query(tiledb_array_t* array, tiledb_query_type_t type) {
  tiledb_query_t* made = NULL;
  OK(tiledb_query_alloc(ctx, array, type, &made));
  return made;
}

static inline void release(tiledb_query_t* made, tiledb_array_t* array) {
  tiledb_query_free(&made);
  tiledb_array_free(&array);
}

static inline void show_status(tiledb_query_t* of) {
  tiledb_query_status_t status = TILEDB_FAILED;
  const char* text = NULL;
  OK(tiledb_query_get_status(ctx, of, &status));
  OK(tiledb_query_status_to_str(status, &text));
  printf("status: %s\n", text);
}

/* Writes row 1 to 2 of a dense grid at a time: the values are the numbers of the cells. */
static inline void write_grid(const char* uri, uint64_t time) {
  const int32_t box[] = {1, 2, 1, 100};
  int32_t values[200];
  uint64_t size = sizeof values;
  tiledb_array_t* array = NULL;
  OK(tiledb_array_alloc(ctx, uri, &array));
  OK(tiledb_array_set_open_timestamp_end(ctx, array, time));
  OK(tiledb_array_open(ctx, array, TILEDB_WRITE));
  tiledb_query_t* write = query(array, TILEDB_WRITE);
  tiledb_subarray_t* subarray = NULL;
  for (int32_t i = 0; i < 200; i++)
    values[i] = i;
  OK(tiledb_subarray_alloc(ctx, array, &subarray));
  OK(tiledb_subarray_set_subarray(ctx, subarray, box));
  OK(tiledb_query_set_subarray_t(ctx, write, subarray));
  OK(tiledb_query_set_layout(ctx, write, TILEDB_ROW_MAJOR));
  OK(tiledb_query_set_data_buffer(ctx, write, "a", values, &size));
  OK(tiledb_query_submit(ctx, write));
  tiledb_subarray_free(&subarray);
  release(write, array);
}

static inline void show_fragments(const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  uint32_t count = 0;
  OK(tiledb_fragment_info_alloc(ctx, uri, &info));
  OK(tiledb_fragment_info_load(ctx, info));
  OK(tiledb_fragment_info_get_fragment_num(ctx, info, &count));
  printf("fragments: %u\n", (unsigned)count);
  tiledb_fragment_info_free(&info);
}

/* A part of the output: of one function. */
typedef struct {
  const char *function, *title;
  void (*run)(void);
} section_t;

/* Runs a section in an empty folder, in a child that this process waits for. */
static inline void run_section(const section_t* section) {
  char name[] = "sectionXXXXXX";
  int status = 0;
  printf("== %s%s\n", section->function, section->title);
  fflush(stdout);
  assert(mkdtemp(name) != NULL);
  const pid_t child = fork();
  if (child == 0) {
    alarm(100);
    assert(chdir(name) == 0 && getcwd(directory, sizeof directory) != NULL);
    OK(tiledb_ctx_alloc(NULL, &ctx));
    section->run();
    tiledb_ctx_free(&ctx);
    uint64_t (*live_handles)(void) = NULL;
    *(void**)&live_handles = dlsym(RTLD_DEFAULT, "tiledb_rs_live_handles");
    assert(live_handles == NULL || live_handles() == 0);
    exit(0);
  }
  assert(child > 0 && waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status))
    printf("\n(signal %d)\n", WTERMSIG(status));
  assert(!has("tiledb_rs_live_handles") || status == 0);
}

/* Runs the sections whose functions the library has. */
static inline int run_sections(const section_t* sections, size_t count) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < count; i++)
    if (has(sections[i].function))
      run_section(&sections[i]);
  return 0;
}

#endif
