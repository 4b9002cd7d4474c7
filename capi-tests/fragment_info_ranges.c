/* Ranges of fragments and of their boxes, by index and by name, in dimensions of numbers and of strings. */
#include "arrays.h"

#define ARRAY "boxed"

/* The boxes are x 3..5 with "ant".."bee", and x 70..71 with "cat".."zebra". */
static void write_four(void) {
  int32_t x[] = {3, 5, 70, 71}, a[] = {1, 2, 3, 4};
  char s[] = "beeantcatzebra";
  uint64_t starts[] = {0, 3, 6, 9}, x_size = sizeof x, a_size = sizeof a, s_size = 14, starts_size = sizeof starts;
  tiledb_array_t* array = open_array(ARRAY, TILEDB_WRITE, 0);
  tiledb_query_t* query = NULL;
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "s", s, &s_size) == TILEDB_OK);
  assert(tiledb_query_set_offsets_buffer(ctx, query, "s", starts, &starts_size) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
}

static void whole(tiledb_fragment_info_t* info) {
  int32_t x[2] = {77, 77};
  uint64_t low_size = 77, high_size = 77;
  char low[8] = "", high[8] = "";
  assert(tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 0, 0, x) == TILEDB_OK);
  assert(x[0] == 3 && x[1] == 71);
  assert(tiledb_fragment_info_get_non_empty_domain_from_name(ctx, info, 0, "x", x) == TILEDB_OK);
  assert(x[0] == 3 && x[1] == 71);
  assert(
      tiledb_fragment_info_get_non_empty_domain_var_size_from_index(ctx, info, 0, 1, &low_size, &high_size) ==
      TILEDB_OK);
  assert(low_size == 3 && high_size == 5);
  assert(tiledb_fragment_info_get_non_empty_domain_var_from_name(ctx, info, 0, "s", low, high) == TILEDB_OK);
  assert(strcmp(low, "ant") == 0 && strcmp(high, "zebra") == 0);
  assert(tiledb_fragment_info_get_non_empty_domain_var_from_name(ctx, info, 0, "x", low, high) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get non-empty domain var; Dimension is fixed-sized");
  assert(
      tiledb_fragment_info_get_non_empty_domain_var_size_from_index(ctx, info, 0, 0, &low_size, &high_size) ==
      TILEDB_ERR);
  expect("FragmentInfo: Cannot get non-empty domain var size; Dimension is fixed sized");
}

static void boxes(tiledb_fragment_info_t* info) {
  int32_t x[2] = {77, 77};
  uint64_t count = 77, low_size = 77, high_size = 77;
  char low[8] = "", high[8] = "";
  assert(tiledb_fragment_info_get_mbr_num(ctx, info, 0, &count) == TILEDB_OK && count == 2);
  assert(tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, 0, 0, x) == TILEDB_OK && x[0] == 3 && x[1] == 5);
  assert(tiledb_fragment_info_get_mbr_from_name(ctx, info, 0, 1, "x", x) == TILEDB_OK && x[0] == 70 && x[1] == 71);
  assert(tiledb_fragment_info_get_mbr_var_size_from_name(ctx, info, 0, 1, "s", &low_size, &high_size) == TILEDB_OK);
  assert(low_size == 3 && high_size == 5);
  assert(tiledb_fragment_info_get_mbr_var_from_index(ctx, info, 0, 1, 1, low, high) == TILEDB_OK);
  assert(strcmp(low, "cat") == 0 && strcmp(high, "zebra") == 0);
  assert(tiledb_fragment_info_get_mbr_var_from_index(ctx, info, 0, 1, 0, low, high) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get MBR var; Dimension is fixed-sized");
  assert(tiledb_fragment_info_get_mbr_var_from_index(ctx, info, 0, 2, 1, low, high) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get MBR var; Invalid mbr index");
  assert(tiledb_fragment_info_get_mbr_var_size_from_name(ctx, info, 1, 0, "s", &low_size, &high_size) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get MBR var size; Invalid fragment index: 1 is not below 1");
  assert(tiledb_fragment_info_get_mbr_var_size_from_name(ctx, info, 0, 0, "zz", &low_size, &high_size) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get MBR var size; Invalid dimension name 'zz'");
}

int main(void) {
  tiledb_fragment_info_t* info = NULL;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_string_array(ARRAY);
  write_four();
  assert(tiledb_fragment_info_alloc(ctx, ARRAY, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  whole(info);
  boxes(info);
  tiledb_fragment_info_free(&info);
  tiledb_ctx_free(&ctx);
  return 0;
}
