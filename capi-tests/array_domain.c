/* The box around all cells of an array: by index and name, in dimensions of numbers and of strings, at times. */
#include "arrays.h"

#define ARRAY "extent"

static void write_cell(uint64_t time, int32_t x, char* s) {
  int32_t a = 1;
  uint64_t start = 0, x_size = sizeof x, a_size = sizeof a, s_size = strlen(s), start_size = sizeof start;
  tiledb_array_t* array = open_array(ARRAY, TILEDB_WRITE, time);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", &x, &x_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "s", s, &s_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", &start, &start_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", &a, &a_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

/* The box as of a time. */
static void is(uint64_t time, int32_t first, int32_t last, const char* low, const char* high) {
  tiledb_array_t* array = open_array(ARRAY, TILEDB_READ, time);
  int32_t x[2] = {77, 77}, empty = 77;
  uint64_t sizes[2] = {77, 77};
  char from[8] = "", to[8] = "";
  assert(tiledb_array_get_non_empty_domain_from_index(ctx, array, 0, x, &empty) == TILEDB_OK);
  assert(empty == 0 && x[0] == first && x[1] == last);
  assert(tiledb_array_get_non_empty_domain_from_name(ctx, array, "x", x, &empty) == TILEDB_OK);
  assert(empty == 0 && x[0] == first && x[1] == last);
  assert(
      tiledb_array_get_non_empty_domain_var_size_from_index(ctx, array, 1, &sizes[0], &sizes[1], &empty) == TILEDB_OK);
  assert(empty == 0 && sizes[0] == strlen(low) && sizes[1] == strlen(high));
  assert(
      tiledb_array_get_non_empty_domain_var_size_from_name(ctx, array, "s", &sizes[0], &sizes[1], &empty) == TILEDB_OK);
  assert(empty == 0 && sizes[0] == strlen(low) && sizes[1] == strlen(high));
  assert(tiledb_array_get_non_empty_domain_var_from_index(ctx, array, 1, from, to, &empty) == TILEDB_OK);
  assert(empty == 0 && strcmp(from, low) == 0 && strcmp(to, high) == 0);
  memset(from, 0, sizeof from);
  memset(to, 0, sizeof to);
  assert(tiledb_array_get_non_empty_domain_var_from_name(ctx, array, "s", from, to, &empty) == TILEDB_OK);
  assert(empty == 0 && strcmp(from, low) == 0 && strcmp(to, high) == 0);
  close_array(&array);
}

static void refused(void) {
  tiledb_array_t* array = open_array(ARRAY, TILEDB_READ, 0);
  int32_t x[2], empty = 77;
  uint64_t sizes[2];
  char from[8], to[8];
  assert(tiledb_array_get_non_empty_domain_from_name(ctx, array, "s", x, &empty) == TILEDB_ERR);
  expect("Array: Cannot get non-empty domain; Dimension 's' is variable-sized");
  assert(tiledb_array_get_non_empty_domain_var_from_index(ctx, array, 0, from, to, &empty) == TILEDB_ERR);
  expect("Array: Cannot get non-empty domain; Dimension 'x' is fixed-sized");
  assert(tiledb_array_get_non_empty_domain_var_from_name(ctx, array, "zz", from, to, &empty) == TILEDB_ERR);
  expect_begin("Array: Cannot get non-empty domain; Dimension name 'zz' does not exist");
  assert(
      tiledb_array_get_non_empty_domain_var_size_from_name(ctx, array, "x", &sizes[0], &sizes[1], &empty) ==
      TILEDB_ERR);
  expect("Array: Cannot get non-empty domain; Dimension 'x' is fixed-sized");
  close_array(&array);
}

static void empty(void) {
  tiledb_array_t* array = open_array(ARRAY, TILEDB_READ, 0);
  int32_t x[2] = {5, 6}, is_empty = 77;
  char from[8] = "f", to[8] = "t";
  assert(tiledb_array_get_non_empty_domain_from_index(ctx, array, 0, x, &is_empty) == TILEDB_OK);
  assert(is_empty == 1 && x[0] == 5 && x[1] == 6);
  assert(tiledb_array_get_non_empty_domain_var_from_name(ctx, array, "s", from, to, &is_empty) == TILEDB_OK);
  assert(is_empty == 1 && from[0] == 'f' && to[0] == 't');
  close_array(&array);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_string_array(ARRAY);
  empty();
  write_cell(10, 7, "dog");
  write_cell(20, 3, "zebra");
  write_cell(30, 50, "ant");
  is(10, 7, 7, "dog", "dog");
  is(20, 3, 7, "dog", "zebra");
  is(0, 3, 50, "ant", "zebra");
  refused();
  tiledb_ctx_free(&ctx);
  return 0;
}
