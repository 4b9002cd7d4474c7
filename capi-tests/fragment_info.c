/* Fragment info of a sparse array with a number and a string dimension and of a dense one, and the errors. */
#include "common.h"

static void create(const char* uri, tiledb_array_type_t type) {
  int32_t ends[] = {0, 99}, extent = 10;
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* domain = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
  assert(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, ends, &extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
  tiledb_dimension_free(&dimension);
  if (type == TILEDB_SPARSE) {
    assert(tiledb_dimension_alloc(ctx, "s", TILEDB_STRING_ASCII, NULL, NULL, &dimension) == TILEDB_OK);
    assert(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
    tiledb_dimension_free(&dimension);
  }
  assert(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_alloc(ctx, type, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_schema_set_capacity(ctx, schema, 2) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&domain);
}

/* Writes cells 0..2: x = 1, 2, 3 with "a", "bb", "ccc". */
static void write_cells(const char* uri, tiledb_array_type_t type, uint64_t time) {
  int32_t a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, x[] = {1, 2, 3}, region[] = {10, 19};
  uint64_t starts[] = {0, 1, 3}, a_size = 12, x_size = 12, starts_size = 24, s_size = 6;
  char s[] = "abbccc";
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  tiledb_subarray_t* subarray = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_set_open_timestamp_start(ctx, array, time / 2) == TILEDB_OK);
  assert(tiledb_array_set_open_timestamp_end(ctx, array, time) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  if (type == TILEDB_SPARSE) {
    assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
    assert(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size) == TILEDB_OK);
    assert(tiledb_query_set_data_buffer(ctx, query, "s", s, &s_size) == TILEDB_OK);
    assert(tiledb_query_set_offsets_buffer(ctx, query, "s", starts, &starts_size) == TILEDB_OK);
  } else {
    a_size = 40;
    assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
    assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
    assert(tiledb_subarray_set_subarray(ctx, subarray, region) == TILEDB_OK);
    assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
    tiledb_subarray_free(&subarray);
  }
  assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(tiledb_query_finalize(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  assert(tiledb_array_close(ctx, array) == TILEDB_OK);
  tiledb_array_free(&array);
}

static tiledb_fragment_info_t* loaded(const char* uri) {
  tiledb_fragment_info_t* info = NULL;
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  return info;
}

static void sparse(const char* uri) {
  tiledb_fragment_info_t* info = loaded(uri);
  uint32_t num = 77, version = 0;
  uint64_t cells = 77, boxes = 77, size = 0, sizes[2], times[2];
  int32_t dense = 77, is_sparse = 77, has = 77, ends[2];
  char low[8] = "", high[8] = "";
  const char* text = NULL;
  tiledb_string_t* string = NULL;
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_fragment_info_get_fragment_num(ctx, info, &num) == TILEDB_OK && num == 2);
  assert(tiledb_fragment_info_get_total_cell_num(ctx, info, &cells) == TILEDB_OK && cells == 6);
  assert(tiledb_fragment_info_get_cell_num(ctx, info, 1, &cells) == TILEDB_OK && cells == 3);
  assert(tiledb_fragment_info_get_to_vacuum_num(ctx, info, &num) == TILEDB_OK && num == 0);
  assert(tiledb_fragment_info_get_unconsolidated_metadata_num(ctx, info, &num) == TILEDB_OK && num == 2);
  assert(tiledb_fragment_info_has_consolidated_metadata(ctx, info, 0, &has) == TILEDB_OK && has == 0);
  assert(tiledb_fragment_info_get_fragment_size(ctx, info, 0, &size) == TILEDB_OK && size > 100);
  assert(tiledb_fragment_info_get_dense(ctx, info, 0, &dense) == TILEDB_OK && dense == 0);
  assert(tiledb_fragment_info_get_sparse(ctx, info, 0, &is_sparse) == TILEDB_OK && is_sparse == 1);
  assert(tiledb_fragment_info_get_version(ctx, info, 0, &version) == TILEDB_OK && version == 22);
  /* A fragment written while a start and an end time are set has the end as both times. */
  assert(tiledb_fragment_info_get_timestamp_range(ctx, info, 1, &times[0], &times[1]) == TILEDB_OK);
  assert(times[0] == 20 && times[1] == 20);
  assert(tiledb_fragment_info_get_fragment_uri(ctx, info, 0, &text) == TILEDB_OK);
  assert(strncmp(text, "file:///", 8) == 0 && strstr(text, "/sparse/__fragments/__10_10_") != NULL);
  assert(tiledb_fragment_info_get_array_schema_name(ctx, info, 0, &text) == TILEDB_OK && strncmp(text, "__", 2) == 0);
  assert(tiledb_fragment_info_get_fragment_name_v2(ctx, info, 0, &string) == TILEDB_OK);
  size_t length = 0;
  assert(tiledb_string_view(string, &text, &length) == TILEDB_OK && strncmp(text, "__10_10_", 8) == 0);
  tiledb_string_free(&string);
  assert(tiledb_fragment_info_get_array_schema(ctx, info, 0, &schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);

  assert(tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 0, 0, ends) == TILEDB_OK);
  assert(ends[0] == 1 && ends[1] == 3);
  assert(tiledb_fragment_info_get_non_empty_domain_var_size_from_name(ctx, info, 0, "s", &sizes[0], &sizes[1]) == TILEDB_OK);
  assert(sizes[0] == 1 && sizes[1] == 3);
  assert(tiledb_fragment_info_get_non_empty_domain_var_from_index(ctx, info, 0, 1, low, high) == TILEDB_OK);
  assert(strcmp(low, "a") == 0 && strcmp(high, "ccc") == 0);
  assert(tiledb_fragment_info_get_mbr_num(ctx, info, 0, &boxes) == TILEDB_OK && boxes == 2);
  assert(tiledb_fragment_info_get_mbr_from_name(ctx, info, 0, 1, "x", ends) == TILEDB_OK && ends[0] == 3 && ends[1] == 3);
  memset(high, 0, sizeof high);
  assert(tiledb_fragment_info_get_mbr_var_size_from_index(ctx, info, 0, 0, 1, &sizes[0], &sizes[1]) == TILEDB_OK);
  assert(tiledb_fragment_info_get_mbr_var_from_name(ctx, info, 0, 0, "s", low, high) == TILEDB_OK);
  assert(sizes[0] == 1 && sizes[1] == 2 && strcmp(low, "a") == 0 && strcmp(high, "bb") == 0);

  assert(tiledb_fragment_info_get_fragment_size(ctx, info, 2, &size) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get fragment URI; Invalid fragment index: 2 is not below 2");
  assert(tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, 2, 0, ends) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get MBR; Invalid MBR index");
  assert(tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, 0, 1, ends) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get MBR; Dimension is variable-sized");
  assert(tiledb_fragment_info_get_non_empty_domain_from_name(ctx, info, 0, "zz", ends) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get non-empty domain; Invalid dimension name 'zz'");
  assert(tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, 0, 2, ends) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get non-empty domain; Invalid dimension index");
  assert(tiledb_fragment_info_get_non_empty_domain_from_name(ctx, info, 0, NULL, ends) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get non-empty domain; Dimension name argument cannot be null");
  assert(tiledb_fragment_info_get_fragment_uri(ctx, info, 0, NULL) == TILEDB_ERR);
  expect("C API: Invalid output pointer for object");
  assert(tiledb_fragment_info_get_to_vacuum_uri(ctx, info, 0, &text) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get URI of fragment to vacuum; Invalid fragment index: 0 is not below 0");
  tiledb_fragment_info_free(&info);
  assert(info == NULL);
}

static void dense(const char* uri) {
  tiledb_fragment_info_t* info = loaded(uri);
  uint64_t boxes = 77;
  int32_t ends[2];
  tiledb_string_t* string = NULL;
  const char* text = NULL;
  size_t length = 0;
  assert(tiledb_fragment_info_get_mbr_num(ctx, info, 0, &boxes) == TILEDB_OK && boxes == 0);
  assert(tiledb_fragment_info_get_mbr_from_index(ctx, info, 0, 0, 0, ends) == TILEDB_ERR);
  expect("FragmentInfo: Cannot get MBR; Fragment is not sparse");
  assert(tiledb_fragment_info_dump_str(ctx, info, &string) == TILEDB_OK);
  assert(tiledb_string_view(string, &text, &length) == TILEDB_OK);
  assert(strncmp(text, "- Fragment num: 1\n- Unconsolidated metadata num: 1\n- To vacuum num: 0\n- Fragment #1:\n", 82) == 0);
  assert(strstr(text, "  > Type: dense\n  > Non-empty domain: [10, 19]\n") != NULL);
  assert(strstr(text, "  > Cell num: 10\n  > Timestamp range: [30, 30]\n  > Format version: 22\n") != NULL);

  /* The same text goes into a file. */
  FILE* file = tmpfile();
  char written[2000] = "";
  assert(file != NULL && tiledb_fragment_info_dump(ctx, info, file) == TILEDB_OK);
  rewind(file);
  assert(fread(written, 1, sizeof written, file) == length && memcmp(written, text, length) == 0);
  fclose(file);
  tiledb_string_free(&string);
  tiledb_fragment_info_free(&info);
}

static void before_loading(void) {
  tiledb_fragment_info_t* info = NULL;
  tiledb_config_t* config = NULL;
  uint32_t num = 99;
  assert(tiledb_fragment_info_alloc(ctx, "", &info) == TILEDB_ERR && info == NULL);
  expect("C API: Failed to create TileDB fragment info object; Invalid URI: ''; pass a path, or SCHEME://PATH of a supported storage");
  assert(tiledb_fragment_info_alloc(ctx, "nowhere", &info) == TILEDB_OK);
  assert(tiledb_fragment_info_get_fragment_num(ctx, info, &num) == TILEDB_ERR && num == 99);
  expect("FragmentInfo: Fragment info has not been loaded. Call tiledb_fragment_info_load first");
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_ERR);
  expect_begin("TileDB internal: Cannot open array; Array does not exist. There is no array at 'file:///");
  assert(tiledb_fragment_info_get_config(ctx, info, &config) == TILEDB_OK);
  assert(tiledb_fragment_info_set_config(ctx, info, config) == TILEDB_OK);
  tiledb_fragment_info_free(&info);
  info = loaded("dense");
  assert(tiledb_fragment_info_set_config(ctx, info, config) == TILEDB_ERR);
  expect("FragmentInfo: [set_config] Cannot set config after load: set it before tiledb_fragment_info_load");
  tiledb_config_free(&config);
  tiledb_fragment_info_free(&info);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  create("sparse", TILEDB_SPARSE);
  create("dense", TILEDB_DENSE);
  write_cells("sparse", TILEDB_SPARSE, 10);
  write_cells("sparse", TILEDB_SPARSE, 20);
  write_cells("dense", TILEDB_DENSE, 30);
  sparse("sparse");
  dense("dense");
  before_loading();
  tiledb_ctx_free(&ctx);
  return 0;
}
