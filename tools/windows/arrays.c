/*
 * Random arrays, and digests of the cells of any arrays: the same program is compiled for Windows and for the machine of the test,
 * and run with either library, to compare what one wrote and the other reads. tools/test_windows.sh runs it.
 *
 *   arrays write FOLDER FROM TO    makes the random arrays FOLDER/a<seed> of these seeds, by writes, deletes, consolidations, vacuums
 *   arrays digest FILE             prints a line for each array that is named in a line of the file
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>

static tiledb_ctx_t* ctx;

static void ok(int32_t result, const char* what) {
  if (result == TILEDB_OK)
    return;
  tiledb_error_t* error = NULL;
  const char* text = "";
  tiledb_ctx_get_last_error(ctx, &error);
  if (error != NULL)
    tiledb_error_message(error, &text);
  fprintf(stderr, "%s: %s\n", what, text);
  exit(1);
}
#define OK(call) ok(call, #call)

static uint64_t state;
static uint32_t below(uint32_t limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)((state >> 20) % limit);
}

/* ---- Digests ---- */

enum { FIELDS = 40, MOST = 64 << 20, MANY = 1 << 22 };
typedef struct {
  char name[256];
  int variable, nullable;
  uint64_t width, data_size, offsets_size, validity_size, digest;
  uint8_t* data;
  uint64_t* offsets;
  uint8_t* validity;
} field_t;
static field_t fields[FIELDS];
static int field_count;

static void add(uint64_t* digest, const void* bytes, uint64_t size) {
  const uint8_t* at = bytes;
  for (uint64_t n = 0; n < size; n++)
    *digest = (*digest ^ at[n]) * 1099511628211u;
}

static int add_field(const char* name, tiledb_datatype_t type, uint32_t number, uint8_t nullable) {
  if (field_count == FIELDS)
    return -1;
  field_t* field = &fields[field_count++];
  memset(field, 0, sizeof *field);
  snprintf(field->name, sizeof field->name, "%s", name);
  field->variable = number == TILEDB_VAR_NUM;
  field->nullable = nullable;
  field->width = tiledb_datatype_size(type) * (field->variable ? 1 : number);
  field->digest = 14695981039346656037u;
  return 0;
}

static int describe(tiledb_array_t* array, tiledb_array_schema_t* schema, int sparse) {
  tiledb_domain_t* domain = NULL;
  uint32_t dimensions = 0, attributes = 0, number = 1;
  tiledb_datatype_t type = TILEDB_ANY;
  const char* name = NULL;
  int result = 0;
  (void)array;
  field_count = 0;
  OK(tiledb_array_schema_get_domain(ctx, schema, &domain));
  OK(tiledb_domain_get_ndim(ctx, domain, &dimensions));
  for (uint32_t n = 0; n < dimensions && sparse; n++) {
    tiledb_dimension_t* dimension = NULL;
    OK(tiledb_domain_get_dimension_from_index(ctx, domain, n, &dimension));
    OK(tiledb_dimension_get_name(ctx, dimension, &name));
    OK(tiledb_dimension_get_type(ctx, dimension, &type));
    OK(tiledb_dimension_get_cell_val_num(ctx, dimension, &number));
    result |= add_field(name, type, number, 0);
    tiledb_dimension_free(&dimension);
  }
  OK(tiledb_array_schema_get_attribute_num(ctx, schema, &attributes));
  for (uint32_t n = 0; n < attributes; n++) {
    tiledb_attribute_t* attribute = NULL;
    uint8_t nullable = 0;
    OK(tiledb_array_schema_get_attribute_from_index(ctx, schema, n, &attribute));
    OK(tiledb_attribute_get_name(ctx, attribute, &name));
    OK(tiledb_attribute_get_type(ctx, attribute, &type));
    OK(tiledb_attribute_get_cell_val_num(ctx, attribute, &number));
    OK(tiledb_attribute_get_nullable(ctx, attribute, &nullable));
    result |= add_field(name, type, number, nullable);
    tiledb_attribute_free(&attribute);
  }
  tiledb_domain_free(&domain);
  return result;
}

/* Buffers of this many bytes for each field. */
static int set_buffers(tiledb_query_t* query, uint64_t size) {
  for (field_t* field = fields; field < fields + field_count; field++) {
    free(field->data), free(field->offsets), free(field->validity);
    field->data = malloc(size), field->offsets = malloc(size), field->validity = malloc(size);
    field->data_size = field->variable ? size : size / field->width * field->width;
    field->offsets_size = field->validity_size = size;
    if (tiledb_query_set_data_buffer(ctx, query, field->name, field->data, &field->data_size) != TILEDB_OK)
      return -1;
    if (field->variable &&
        tiledb_query_set_offsets_buffer(ctx, query, field->name, field->offsets, &field->offsets_size) != TILEDB_OK)
      return -1;
    if (field->nullable &&
        tiledb_query_set_validity_buffer(ctx, query, field->name, field->validity, &field->validity_size) != TILEDB_OK)
      return -1;
  }
  return 0;
}

/* Adds what a step of the query delivered; the number of cells. */
static uint64_t gather(void) {
  uint64_t cells = 0;
  for (field_t* field = fields; field < fields + field_count; field++) {
    cells = field->variable ? field->offsets_size / 8 : field->data_size / field->width;
    for (uint64_t n = 0; field->variable && n < cells; n++) {
      uint64_t end = n + 1 < cells ? field->offsets[n + 1] : field->data_size, length = end - field->offsets[n];
      add(&field->digest, &length, 8);
    }
    add(&field->digest, field->data, field->data_size);
    if (field->nullable)
      add(&field->digest, field->validity, field->validity_size);
  }
  return cells;
}

/* Reads all cells, or MANY, whose digests depend on where the library stopped; -1 after an error. */
static int64_t read_all(tiledb_array_t* array, int sparse) {
  tiledb_query_t* query = NULL;
  int64_t cells = 0;
  uint64_t size = 1 << 20;
  if (tiledb_query_alloc(ctx, array, TILEDB_READ, &query) != TILEDB_OK)
    return -1;
  tiledb_query_set_layout(ctx, query, sparse ? TILEDB_GLOBAL_ORDER : TILEDB_ROW_MAJOR);
  if (!sparse) {
    uint8_t bounds[32 * 16];
    int32_t empty = 0;
    tiledb_subarray_t* subarray = NULL;
    if (tiledb_array_get_non_empty_domain(ctx, array, bounds, &empty) != TILEDB_OK || empty)
      return empty ? 0 : -1;
    OK(tiledb_subarray_alloc(ctx, array, &subarray));
    if (tiledb_subarray_set_subarray(ctx, subarray, bounds) != TILEDB_OK ||
        tiledb_query_set_subarray_t(ctx, query, subarray) != TILEDB_OK)
      return -1;
    tiledb_subarray_free(&subarray);
  }
  tiledb_query_status_t status = TILEDB_INCOMPLETE;
  if (set_buffers(query, size) != 0)
    cells = -1;
  while (cells >= 0 && cells < MANY && status == TILEDB_INCOMPLETE) {
    if (tiledb_query_submit(ctx, query) != TILEDB_OK || tiledb_query_get_status(ctx, query, &status) != TILEDB_OK) {
      cells = -1;
      break;
    }
    uint64_t found = gather();
    cells += (int64_t)found;
    if (found == 0 && status == TILEDB_INCOMPLETE)
      size *= 2;
    if (size > MOST || (status == TILEDB_INCOMPLETE && set_buffers(query, size) != 0))
      cells = -1;
  }
  tiledb_query_free(&query);
  return cells < MANY ? cells : MANY;
}

static void digest(const char* uri) {
  tiledb_array_t* array = NULL;
  tiledb_array_schema_t* schema = NULL;
  tiledb_array_type_t type = TILEDB_DENSE;
  uint64_t metadata = 0;
  int64_t cells = -1;
  OK(tiledb_array_alloc(ctx, uri, &array));
  if (tiledb_array_open(ctx, array, TILEDB_READ) != TILEDB_OK) {
    printf("%s cannot be opened\n", uri);
    tiledb_array_free(&array);
    return;
  }
  OK(tiledb_array_get_schema(ctx, array, &schema));
  OK(tiledb_array_schema_get_array_type(ctx, schema, &type));
  if (describe(array, schema, type == TILEDB_SPARSE) == 0)
    cells = read_all(array, type == TILEDB_SPARSE);
  if (tiledb_array_get_metadata_num(ctx, array, &metadata) != TILEDB_OK)
    metadata = UINT64_MAX;
  printf("%s %lld cells, %llu metadata", uri, (long long)cells, (unsigned long long)metadata);
  for (field_t* field = fields; field < fields + field_count && cells >= 0 && cells < MANY; field++)
    printf(" %s=%016llx", field->name, (unsigned long long)field->digest);
  printf("\n");
  tiledb_array_schema_free(&schema);
  tiledb_array_close(ctx, array);
  tiledb_array_free(&array);
}

static int digest_all(const char* path) {
  char line[4096];
  FILE* file = fopen(path, "r");
  if (file == NULL)
    return 1;
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\r\n")] = 0;
    digest(line);
    fflush(stdout);
  }
  fclose(file);
  return 0;
}

/* ---- Random arrays: dimensions i and j, attributes a (int32_t), b (double, nullable), c (text) ---- */

enum { SIDE = 24 };

static void create(const char* uri, int sparse) {
  static const tiledb_filter_type_t TYPES[] = {TILEDB_FILTER_GZIP, TILEDB_FILTER_ZSTD, TILEDB_FILTER_LZ4,
      TILEDB_FILTER_BZIP2, TILEDB_FILTER_BYTESHUFFLE, TILEDB_FILTER_BITSHUFFLE,
      TILEDB_FILTER_CHECKSUM_MD5, TILEDB_FILTER_CHECKSUM_SHA256};
  tiledb_array_schema_t* schema = NULL;
  tiledb_domain_t* domain = NULL;
  int32_t bounds[] = {0, SIDE - 1}, extent = (int32_t)below(8) + 1;
  if (SIDE % extent != 0)
    extent = 6;
  OK(tiledb_array_schema_alloc(ctx, sparse ? TILEDB_SPARSE : TILEDB_DENSE, &schema));
  OK(tiledb_domain_alloc(ctx, &domain));
  for (const char* name = "i"; name != NULL; name = *name == 'i' ? "j" : NULL) {
    tiledb_dimension_t* dimension = NULL;
    OK(tiledb_dimension_alloc(ctx, name, TILEDB_INT32, bounds, &extent, &dimension));
    OK(tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_dimension_free(&dimension);
  }
  OK(tiledb_array_schema_set_domain(ctx, schema, domain));
  OK(tiledb_array_schema_set_capacity(ctx, schema, 1 + below(40)));
  OK(tiledb_array_schema_set_tile_order(ctx, schema, below(2) ? TILEDB_ROW_MAJOR : TILEDB_COL_MAJOR));
  OK(tiledb_array_schema_set_cell_order(ctx, schema, below(2) ? TILEDB_ROW_MAJOR : TILEDB_COL_MAJOR));
  const tiledb_datatype_t types[] = {TILEDB_INT32, TILEDB_FLOAT64, TILEDB_STRING_UTF8};
  for (int n = 0; n < 3; n++) {
    tiledb_attribute_t* attribute = NULL;
    tiledb_filter_list_t* list = NULL;
    char name[] = {(char)('a' + n), 0};
    OK(tiledb_attribute_alloc(ctx, name, types[n], &attribute));
    OK(tiledb_attribute_set_nullable(ctx, attribute, n == 1));
    if (n == 2)
      OK(tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
    OK(tiledb_filter_list_alloc(ctx, &list));
    for (uint32_t filters = below(3); filters > 0; filters--) {
      tiledb_filter_t* filter = NULL;
      OK(tiledb_filter_alloc(ctx, TYPES[below(sizeof TYPES / sizeof *TYPES)], &filter));
      OK(tiledb_filter_list_add_filter(ctx, list, filter));
      tiledb_filter_free(&filter);
    }
    OK(tiledb_attribute_set_filter_list(ctx, attribute, list));
    OK(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_filter_list_free(&list);
    tiledb_attribute_free(&attribute);
  }
  OK(tiledb_array_create(ctx, uri, schema));
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
}

static tiledb_array_t* open_at(const char* uri, tiledb_query_type_t type, uint64_t time) {
  tiledb_array_t* array = NULL;
  OK(tiledb_array_alloc(ctx, uri, &array));
  OK(tiledb_array_set_open_timestamp_end(ctx, array, time));
  OK(tiledb_array_open(ctx, array, type));
  return array;
}

static void finish(tiledb_array_t* array, tiledb_query_t* query) {
  tiledb_query_free(&query);
  OK(tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
}

static void write_cells(const char* uri, int sparse, uint64_t time) {
  static int32_t i[SIDE * SIDE], j[SIDE * SIDE], a[SIDE * SIDE];
  static double b[SIDE * SIDE];
  static uint8_t valid[SIDE * SIDE];
  static uint64_t offsets[SIDE * SIDE];
  static char c[SIDE * SIDE * 8];
  tiledb_array_t* array = open_at(uri, TILEDB_WRITE, time);
  tiledb_query_t* query = NULL;
  uint64_t cells = 0, text = 0;
  int32_t box[] = {0, 0, 0, 0};
  for (int n = 0; n < 4; n += 2) {
    box[n] = (int32_t)below(SIDE);
    box[n + 1] = box[n] + (int32_t)below((uint32_t)(SIDE - box[n]));
  }
  for (int32_t row = box[0]; row <= box[1]; row++)
    for (int32_t column = box[2]; column <= box[3]; column++) {
      if (sparse && below(3) == 0)
        continue;
      i[cells] = row, j[cells] = column;
      a[cells] = (int32_t)below(1000), b[cells] = below(100) / 8.0, valid[cells] = (uint8_t)below(2);
      offsets[cells] = text;
      for (uint32_t length = below(8); length > 0; length--)
        c[text++] = (char)('a' + below(26));
      cells++;
    }
  uint64_t sizes[] = {4 * cells, 8 * cells, cells, 8 * cells, text, 4 * cells, 4 * cells};
  OK(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  if (cells > 0) {
    OK(tiledb_query_set_layout(ctx, query, sparse ? TILEDB_UNORDERED : TILEDB_ROW_MAJOR));
    if (sparse) {
      OK(tiledb_query_set_data_buffer(ctx, query, "i", i, &sizes[5]));
      OK(tiledb_query_set_data_buffer(ctx, query, "j", j, &sizes[6]));
    } else {
      tiledb_subarray_t* subarray = NULL;
      OK(tiledb_subarray_alloc(ctx, array, &subarray));
      OK(tiledb_subarray_set_subarray(ctx, subarray, box));
      OK(tiledb_query_set_subarray_t(ctx, query, subarray));
      tiledb_subarray_free(&subarray);
    }
    OK(tiledb_query_set_data_buffer(ctx, query, "a", a, &sizes[0]));
    OK(tiledb_query_set_data_buffer(ctx, query, "b", b, &sizes[1]));
    OK(tiledb_query_set_validity_buffer(ctx, query, "b", valid, &sizes[2]));
    OK(tiledb_query_set_offsets_buffer(ctx, query, "c", offsets, &sizes[3]));
    OK(tiledb_query_set_data_buffer(ctx, query, "c", c, &sizes[4]));
    OK(tiledb_query_submit(ctx, query));
    OK(tiledb_query_finalize(ctx, query));
  }
  finish(array, query);
}

static void delete_cells(const char* uri, uint64_t time) {
  tiledb_array_t* array = open_at(uri, TILEDB_DELETE, time);
  tiledb_query_t* query = NULL;
  tiledb_query_condition_t* condition = NULL;
  int32_t limit = (int32_t)below(200);
  OK(tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
  OK(tiledb_query_condition_alloc(ctx, &condition));
  OK(tiledb_query_condition_init(ctx, condition, "a", &limit, sizeof limit, TILEDB_LT));
  OK(tiledb_query_set_condition(ctx, query, condition));
  OK(tiledb_query_submit(ctx, query));
  tiledb_query_condition_free(&condition);
  finish(array, query);
}

/* Consolidation and vacuum; the arrays that were open meanwhile stay readable. */
static void maintain(const char* uri) {
  static const char* const MODES[] = {"fragments", "fragment_meta", "commits", "array_meta"};
  const char* mode = MODES[below(4)];
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  if (tiledb_config_alloc(&config, &error) != TILEDB_OK ||
      tiledb_config_set(config, "sm.consolidation.mode", mode, &error) != TILEDB_OK ||
      tiledb_config_set(config, "sm.vacuum.mode", mode, &error) != TILEDB_OK)
    exit(1);
  OK(tiledb_array_consolidate(ctx, uri, config));
  if (below(2))
    OK(tiledb_array_vacuum(ctx, uri, config));
  tiledb_config_free(&config);
}

static void put_metadata(const char* uri, uint64_t time) {
  tiledb_array_t* array = open_at(uri, TILEDB_WRITE, time);
  char key[] = {'k', (char)('0' + below(5)), 0};
  int32_t value = (int32_t)below(100);
  OK(tiledb_array_put_metadata(ctx, array, key, TILEDB_INT32, 1, &value));
  finish(array, NULL);
}

static void live(const char* folder, uint32_t seed) {
  char uri[4096];
  snprintf(uri, sizeof uri, "%s/a%u", folder, seed);
  state = 88172645463325252u + seed * 2654435761u;
  for (int n = 0; n < 10; n++)
    below(2);
  int sparse = (int)below(2);
  create(uri, sparse);
  uint64_t time = 1;
  for (uint32_t steps = 3 + below(8); steps > 0; steps--, time++) {
    switch (below(8)) {
      case 0: maintain(uri); break;
      case 1: put_metadata(uri, time); break;
      case 2: if (sparse) { delete_cells(uri, time); break; } /* fall through */
      default: write_cells(uri, sparse, time);
    }
  }
}

int main(int argc, char** argv) {
  if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK)
    return 1;
  if (argc == 3 && strcmp(argv[1], "digest") == 0)
    return digest_all(argv[2]);
  if (argc != 5 || strcmp(argv[1], "write") != 0)
    return 2;
  for (uint32_t seed = (uint32_t)atoi(argv[3]); seed < (uint32_t)atoi(argv[4]); seed++)
    live(argv[2], seed);
  return 0;
}
