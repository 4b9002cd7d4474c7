/* What the C programs share: assertions that are always on, a context, the texts of errors, handles that must be freed. */
#ifndef COMMON_H
#define COMMON_H

#undef NDEBUG
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>
#include <tiledb/tiledb_rs.h>
#include <unistd.h>

static tiledb_ctx_t* ctx;

/* The error has this text; it is freed. */
static inline void expect_error(tiledb_error_t* error, const char* text) {
  const char* message = NULL;
  assert(error != NULL && tiledb_error_message(error, &message) == TILEDB_OK);
  if (strcmp(message, text) != 0)
    fprintf(stderr, "expected: %s\nfound:    %s\n", text, message);
  assert(strcmp(message, text) == 0);
  tiledb_error_free(&error);
  assert(error == NULL);
}

/* The last error of the context has this text. */
static inline void expect(const char* text) {
  tiledb_error_t* error = NULL;
  assert(tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK);
  expect_error(error, text);
}

/* The text of the last error of the context begins with this. */
static inline void expect_begin(const char* start) {
  tiledb_error_t* error = NULL;
  const char* message = NULL;
  assert(tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL);
  assert(tiledb_error_message(error, &message) == TILEDB_OK);
  if (strncmp(message, start, strlen(start)) != 0)
    fprintf(stderr, "expected: %s...\nfound:    %s\n", start, message);
  assert(strncmp(message, start, strlen(start)) == 0);
  tiledb_error_free(&error);
}

/* The last error of the context has this in its text. */
static inline void expect_within(const char* part) {
  tiledb_error_t* error = NULL;
  const char* message = NULL;
  assert(tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL);
  assert(tiledb_error_message(error, &message) == TILEDB_OK);
  if (strstr(message, part) == NULL)
    fprintf(stderr, "expected: %s\nfound:    %s\n", part, message);
  assert(strstr(message, part) != NULL);
  tiledb_error_free(&error);
}

/* The string is this text; it is freed. */
static inline void expect_string(tiledb_string_t* string, const char* text) {
  const char* data = NULL;
  size_t length = 0;
  assert(tiledb_string_view(string, &data, &length) == TILEDB_OK);
  if (length != strlen(text) || memcmp(data, text, length) != 0)
    fprintf(stderr, "expected: %s\nfound:    %.*s\n", text, (int)length, data);
  assert(length == strlen(text) && memcmp(data, text, length) == 0);
  assert(tiledb_string_free(&string) == TILEDB_OK && string == NULL);
}

/* When a program ends, no handle of any type lives. */
__attribute__((destructor)) static void no_handle_is_left(void) {
  assert(tiledb_rs_live_handles() == 0);
}

#endif
