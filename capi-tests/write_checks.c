/* Values that would be stored as others are errors: what a float scale cannot take, coordinates that are no numbers, offsets amid a
   value. Differences that overflow are stored as they are. */
#include <math.h>

#include "common.h"

static const char* uri = "mem://write_checks";
static const int32_t one_to_ten[] = {1, 10}, three = 3;

static void remove_array(void) {
  tiledb_object_t type = TILEDB_INVALID;
  assert(tiledb_object_type(ctx, uri, &type) == TILEDB_OK);
  if (type == TILEDB_ARRAY)
    assert(tiledb_object_remove(ctx, uri) == TILEDB_OK);
}

/* An array over one dimension "d" with an attribute "a", which has a filter perhaps. */
static void make_array(
    tiledb_array_type_t array_type, tiledb_datatype_t dimension_type, const void* domain, const void* extent,
    tiledb_datatype_t type, uint32_t values, uint8_t nullable, tiledb_filter_t* filter) {
  tiledb_dimension_t* dimension = NULL;
  tiledb_domain_t* dom = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_array_schema_t* schema = NULL;
  remove_array();
  assert(tiledb_dimension_alloc(ctx, "d", dimension_type, domain, extent, &dimension) == TILEDB_OK);
  assert(tiledb_domain_alloc(ctx, &dom) == TILEDB_OK);
  assert(tiledb_domain_add_dimension(ctx, dom, dimension) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "a", type, &attribute) == TILEDB_OK);
  assert(tiledb_attribute_set_cell_val_num(ctx, attribute, values) == TILEDB_OK);
  assert(tiledb_attribute_set_nullable(ctx, attribute, nullable) == TILEDB_OK);
  if (filter != NULL) {
    tiledb_filter_list_t* list = NULL;
    assert(tiledb_filter_list_alloc(ctx, &list) == TILEDB_OK);
    assert(tiledb_filter_list_add_filter(ctx, list, filter) == TILEDB_OK);
    assert(tiledb_attribute_set_filter_list(ctx, attribute, list) == TILEDB_OK);
    tiledb_filter_list_free(&list);
  }
  assert(tiledb_array_schema_alloc(ctx, array_type, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_set_domain(ctx, schema, dom) == TILEDB_OK);
  assert(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
  assert(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&attribute);
  tiledb_domain_free(&dom);
  tiledb_dimension_free(&dimension);
}

typedef struct {
  const void* data;
  uint64_t size;
} bytes_t;

static const bytes_t none = {NULL, 0};

/* Writes cells at 1, 2, ... of a dense array, or at coordinates. */
static int32_t put(bytes_t d, bytes_t a, bytes_t offsets, bytes_t validity, const char* name, const char* value) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  if (name != NULL) {
    tiledb_config_t* config = NULL;
    tiledb_error_t* error = NULL;
    assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
    assert(tiledb_config_set(config, name, value, &error) == TILEDB_OK);
    assert(tiledb_query_set_config(ctx, query, config) == TILEDB_OK);
    tiledb_config_free(&config);
  }
  if (d.data != NULL) {
    assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
    assert(tiledb_query_set_data_buffer(ctx, query, "d", (void*)d.data, &d.size) == TILEDB_OK);
  } else {
    int32_t range[] = {1, (int32_t)d.size};
    tiledb_subarray_t* subarray = NULL;
    assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
    assert(tiledb_subarray_set_subarray(ctx, subarray, range) == TILEDB_OK);
    assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
    tiledb_subarray_free(&subarray);
  }
  assert(tiledb_query_set_data_buffer(ctx, query, "a", (void*)a.data, &a.size) == TILEDB_OK);
  if (offsets.data != NULL)
    assert(tiledb_query_set_offsets_buffer(ctx, query, "a", (uint64_t*)offsets.data, &offsets.size) == TILEDB_OK);
  if (validity.data != NULL)
    assert(tiledb_query_set_validity_buffer(ctx, query, "a", (uint8_t*)validity.data, &validity.size) == TILEDB_OK);
  int32_t done = tiledb_query_submit(ctx, query);
  tiledb_query_free(&query);
  tiledb_array_free(&array);
  return done;
}

/* Reads all cells of a field; how many bytes there are. */
static uint64_t get(const char* field, void* data, uint64_t size, uint8_t* valid, uint64_t valid_size) {
  tiledb_array_t* array = NULL;
  tiledb_query_t* query = NULL;
  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_query_alloc(ctx, array, TILEDB_READ, &query) == TILEDB_OK);
  tiledb_subarray_t* subarray = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_array_type_t type = TILEDB_SPARSE;
  assert(tiledb_array_get_schema(ctx, array, &schema) == TILEDB_OK);
  assert(tiledb_array_schema_get_array_type(ctx, schema, &type) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
  assert(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
  if (type == TILEDB_DENSE)
    assert(tiledb_subarray_add_range(ctx, subarray, 0, &one_to_ten[0], &one_to_ten[1], NULL) == TILEDB_OK);
  assert(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
  tiledb_subarray_free(&subarray);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, field, data, &size) == TILEDB_OK);
  if (valid != NULL)
    assert(tiledb_query_set_validity_buffer(ctx, query, field, valid, &valid_size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  tiledb_array_free(&array);
  return size;
}

static tiledb_filter_t* make_scale(double scale, double offset, uint64_t width) {
  tiledb_filter_t* filter = NULL;
  assert(tiledb_filter_alloc(ctx, TILEDB_FILTER_SCALE_FLOAT, &filter) == TILEDB_OK);
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_FACTOR, &scale) == TILEDB_OK);
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_OFFSET, &offset) == TILEDB_OK);
  assert(tiledb_filter_set_option(ctx, filter, TILEDB_SCALE_FLOAT_BYTEWIDTH, &width) == TILEDB_OK);
  return filter;
}

static void check_float_scale(void) {
  const struct {
    uint64_t width;
    double scale, value;
    const char* refusal;
  } cases[] = {
      {4, 0.001, 4514810.67, "value 4514810.67 cannot be stored with scale 0.001, offset 0 and byte width 4"},
      {2, 0.01, 330.05, "value 330.05 cannot be stored with scale 0.01, offset 0 and byte width 2"},
      {1, 1, 300, "byte width 1"},
      {1, 1, -129, "byte width 1"},
      {1, 1, -128, NULL},
      {4, 1, (double)NAN, "value NaN cannot be stored with scale 1, offset 0 and byte width 4"},
      {8, 1, (double)INFINITY, "value inf cannot"},
      {8, 0.001, 4514810.67, NULL},
      {8, 1, -0.0, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int dense = 0; dense < 2; dense++) {
      tiledb_filter_t* filter = make_scale(cases[i].scale, 0, cases[i].width);
      make_array(
          dense ? TILEDB_DENSE : TILEDB_SPARSE, TILEDB_INT32, one_to_ten, &three, TILEDB_FLOAT64, 1, 0, filter);
      tiledb_filter_free(&filter);
      int32_t d = 1;
      bytes_t place = {dense ? NULL : &d, dense ? 1 : sizeof d}, value = {&cases[i].value, sizeof(double)};
      int32_t done = put(place, value, none, none, NULL, NULL);
      assert(done == (cases[i].refusal == NULL ? TILEDB_OK : TILEDB_ERR));
      double read[12];
      if (cases[i].refusal != NULL) {
        expect_within(cases[i].refusal);
        if (!dense)
          assert(get("a", read, sizeof read, NULL, 0) == 0);
      } else {
        assert(get("a", read, sizeof read, NULL, 0) >= sizeof(double));
        assert(fabs(read[0] - cases[i].value) <= cases[i].scale);
      }
    }
}

/* Nobody reads what lies under nulls, nor around the cells of a dense tile: whether the filter takes it does not matter. */
static void check_unread_cells(void) {
  double a[] = {1000, (double)NAN, 1001, 1e300};
  uint8_t valid[] = {1, 0, 1, 0}, read_valid[12];
  uint64_t offsets[] = {0, 8, 16, 24};
  for (int var = 0; var < 2; var++)
    for (int dense = 0; dense < 2; dense++) {
      tiledb_filter_t* filter = make_scale(1, 1000, 1);
      uint32_t values = var ? TILEDB_VAR_NUM : 1;
      make_array(dense ? TILEDB_DENSE : TILEDB_SPARSE, TILEDB_INT32, one_to_ten, &three, TILEDB_FLOAT64, values, 1, filter);
      tiledb_filter_free(&filter);
      int32_t d[] = {1, 2, 3, 4};
      bytes_t place = {dense ? NULL : d, dense ? 4 : sizeof d}, data = {a, sizeof a}, validity = {valid, sizeof valid};
      bytes_t starts = {var ? offsets : NULL, sizeof offsets};
      assert(put(place, data, starts, validity, NULL, NULL) == TILEDB_OK);
      if (!var) {
        double read[12];
        assert(get("a", read, sizeof read, read_valid, sizeof read_valid) >= sizeof a);
        assert(read[0] == 1000 && read[2] == 1001 && memcmp(read_valid, valid, 4) == 0);
      }
    }
}

/* Cells that nobody reads do not hinder a consolidation: those beyond what was written, and beyond the domain. */
static void check_consolidation(void) {
  double a[10], read[12];
  for (int i = 0; i < 10; i++)
    a[i] = 1000 + i;
  for (uint64_t count = 2; count <= 10; count++) {
    tiledb_filter_t* filter = make_scale(1, 1000, 1);
    make_array(TILEDB_DENSE, TILEDB_INT32, one_to_ten, &three, TILEDB_FLOAT64, 1, 0, filter);
    tiledb_filter_free(&filter);
    bytes_t data = {a, count * sizeof *a}, some = {a, 2 * sizeof *a};
    assert(put((bytes_t){NULL, count}, data, none, none, NULL, NULL) == TILEDB_OK);
    assert(put((bytes_t){NULL, 2}, some, none, none, NULL, NULL) == TILEDB_OK);
    assert(tiledb_array_consolidate(ctx, uri, NULL) == TILEDB_OK);
    assert(tiledb_array_vacuum(ctx, uri, NULL) == TILEDB_OK);
    assert(get("a", read, sizeof read, NULL, 0) == 10 * sizeof *read);
    assert(memcmp(read, a, count * sizeof *a) == 0);
    for (uint64_t i = count; i < 10; i++)
      assert(isnan(read[i]));
  }
}

/* Coordinates outside the domain are refused; a global-order write goes on with others, or ends with those before. */
static void check_global_order(void) {
  for (int corrected = 0; corrected < 2; corrected++) {
    make_array(TILEDB_SPARSE, TILEDB_INT32, one_to_ten, &three, TILEDB_INT32, 1, 0, NULL);
    int32_t d[] = {1, 2}, a[] = {10, 20}, read[4];
    uint64_t d_size = sizeof d, a_size = sizeof a;
    tiledb_array_t* array = NULL;
    tiledb_query_t* query = NULL;
    tiledb_query_status_t status = TILEDB_COMPLETED;
    assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
    assert(tiledb_array_open(ctx, array, TILEDB_WRITE) == TILEDB_OK);
    assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
    assert(tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER) == TILEDB_OK);
    const int32_t submits[][2] = {{3, 11}, {1, 2}, {3, 11}, {3, 4}};
    for (int i = 0; i < 3 + corrected; i++) {
      memcpy(d, submits[i], sizeof d);
      assert(tiledb_query_set_data_buffer(ctx, query, "d", d, &d_size) == TILEDB_OK);
      assert(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size) == TILEDB_OK);
      assert(tiledb_query_submit(ctx, query) == (i % 2 == 0 ? TILEDB_ERR : TILEDB_OK));
      assert(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK);
      assert(status == (i % 2 == 0 ? TILEDB_FAILED : TILEDB_COMPLETED));
      if (i % 2 == 0)
        expect_within("Coordinate 11 is out of domain bounds [1, 10] on dimension 'd'");
    }
    assert(tiledb_query_finalize(ctx, query) == TILEDB_OK);
    tiledb_query_free(&query);
    tiledb_array_free(&array);
    assert(get("a", read, sizeof read, NULL, 0) == (corrected ? 4 : 2) * sizeof *a);
    assert(read[0] == 10 && read[1] == 20 && (!corrected || (read[2] == 10 && read[3] == 20)));
  }
}

static void check_coordinates(void) {
  double domain[] = {-100, 100}, extent = 10, read[6];
  float small_domain[] = {-100, 100}, small_extent = 10;
  int32_t a[] = {0, 1, 2};
  double d[] = {1, (double)NAN, 2};
  float small_d[] = {1, -NAN, 2};
  bytes_t values = {a, sizeof a};
  make_array(TILEDB_SPARSE, TILEDB_FLOAT64, domain, &extent, TILEDB_INT32, 1, 0, NULL);
  d[1] = (double)INFINITY;
  assert(put((bytes_t){d, sizeof d}, values, none, none, NULL, NULL) == TILEDB_ERR);
  assert(get("d", read, sizeof read, NULL, 0) == 0);
  d[1] = -0.0;
  assert(put((bytes_t){d, sizeof d}, values, none, none, NULL, NULL) == TILEDB_OK);
  assert(get("d", read, sizeof read, NULL, 0) == sizeof d && read[0] == 0);
  /* NaN is neither below nor above the domain. */
  d[0] = 3, d[1] = (double)NAN, d[2] = 4;
  assert(put((bytes_t){d, sizeof d}, values, none, none, NULL, NULL) == TILEDB_OK);
  assert(get("d", read, sizeof read, NULL, 0) == sizeof read && isnan(read[5]));
  make_array(TILEDB_SPARSE, TILEDB_FLOAT32, small_domain, &small_extent, TILEDB_INT32, 1, 0, NULL);
  assert(put((bytes_t){small_d, sizeof small_d}, values, none, none, NULL, NULL) == TILEDB_OK);
}

static void check_offsets(void) {
  int32_t d[] = {1, 2, 3}, a[] = {1, 10, 100, 2, 20, 200, 3, 30, 300};
  bytes_t place = {d, sizeof d}, values = {a, sizeof a};
  const char* mode = "sm.var_offsets.mode";
  for (int dense = 0; dense < 2; dense++) {
    if (dense)
      place = (bytes_t){NULL, 3};
    make_array(
        dense ? TILEDB_DENSE : TILEDB_SPARSE, TILEDB_INT32, one_to_ten, &three, TILEDB_INT32, TILEDB_VAR_NUM, 0, NULL);
    uint64_t wrong[] = {0, 3, 6}, bytes[] = {0, 12, 24}, last[] = {0, 4, 35};
    assert(put(place, values, (bytes_t){wrong, sizeof wrong}, none, NULL, NULL) == TILEDB_ERR);
    expect_within("offset 3 specified at index 1 is not a multiple of the 4 bytes of a value");
    assert(put(place, values, (bytes_t){last, sizeof last}, none, NULL, NULL) == TILEDB_ERR);
    expect_within("offset 35 specified at index 2");
    assert(put(place, (bytes_t){a, 34}, (bytes_t){bytes, sizeof bytes}, none, NULL, NULL) == TILEDB_ERR);
    expect_within("the size of the data buffer, 34, is not a multiple of the 4 bytes of a value");
    assert(put(place, values, (bytes_t){wrong, sizeof wrong}, none, mode, "elements") == TILEDB_OK);
    assert(put(place, values, (bytes_t){bytes, sizeof bytes}, none, mode, "bytes") == TILEDB_OK);
    /* The size is that of as many offsets of 64 bits. */
    uint32_t narrow[] = {0, 12, 22};
    assert(put(place, values, (bytes_t){narrow, 2 * sizeof narrow}, none, "sm.var_offsets.bitsize", "32") == TILEDB_ERR);
    expect_within("offset 22 specified at index 2");
    /* Or, in unordered writes, that of the offsets. */
    narrow[2] = 24;
    assert(put(place, values, (bytes_t){narrow, sizeof narrow}, none, "sm.var_offsets.bitsize", "32") ==
           (dense ? TILEDB_ERR : TILEDB_OK));
    uint64_t extra[] = {0, 12, 26, 36};
    assert(put(place, values, (bytes_t){extra, sizeof extra}, none, "sm.var_offsets.extra_element", "true") == TILEDB_ERR);
    expect_within("offset 26 specified at index 2");
  }
}

static void check_enumerations(void) {
  int32_t values[] = {1, 10, 100, 2, 20, 200};
  uint64_t starts[] = {0, 3}, bytes[] = {0, 12};
  tiledb_enumeration_t* enumeration = NULL;
  assert(
      tiledb_enumeration_alloc(
          ctx, "E", TILEDB_INT32, TILEDB_VAR_NUM, 0, values, sizeof values, starts, sizeof starts, &enumeration) ==
      TILEDB_ERR);
  expect_within("Offset 3 of enumeration 'E' is not a multiple of the 4 bytes of a value");
  assert(
      tiledb_enumeration_alloc(
          ctx, "E", TILEDB_INT32, TILEDB_VAR_NUM, 0, values, sizeof values, bytes, sizeof bytes, &enumeration) ==
      TILEDB_OK);
  tiledb_enumeration_free(&enumeration);
}

static void check_deltas(void) {
  int64_t a[] = {INT64_MIN, INT64_MAX, 0, INT64_MIN, -1, INT64_MAX, INT64_MIN, 1, 2, 3}, read[10];
  tiledb_filter_type_t filters[] = {TILEDB_FILTER_DOUBLE_DELTA, TILEDB_FILTER_DELTA};
  tiledb_datatype_t types[] = {TILEDB_INT64, TILEDB_UINT64, TILEDB_DATETIME_NS};
  for (int f = 0; f < 2; f++)
    for (int t = 0; t < 3; t++) {
      tiledb_filter_t* filter = NULL;
      assert(tiledb_filter_alloc(ctx, filters[f], &filter) == TILEDB_OK);
      make_array(TILEDB_DENSE, TILEDB_INT32, one_to_ten, &one_to_ten[1], types[t], 1, 0, filter);
      tiledb_filter_free(&filter);
      assert(put((bytes_t){NULL, 10}, (bytes_t){a, sizeof a}, none, none, NULL, NULL) == TILEDB_OK);
      assert(get("a", read, sizeof read, NULL, 0) == sizeof a && memcmp(read, a, sizeof a) == 0);
    }
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  check_float_scale();
  check_unread_cells();
  check_consolidation();
  check_global_order();
  check_coordinates();
  check_offsets();
  check_enumerations();
  check_deltas();
  remove_array();
  tiledb_ctx_free(&ctx);
  return 0;
}
