/* Objects as messages, in both forms: configurations, schemas, evolutions, arrays with metadata and domains, fragment infos,
   groups; the requests of clients; and what is wrong with a message. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "arrays.h"

#include <tiledb/tiledb_serialization.h>

static const tiledb_serialization_type_t FORMS[] = {TILEDB_CAPNP, TILEDB_JSON};

/* The bytes of a buffer. */
static uint64_t size_of(tiledb_buffer_t* buffer, void** data) {
  uint64_t size = 0;
  assert(tiledb_buffer_get_data(ctx, buffer, data, &size) == TILEDB_OK && size > 0);
  return size;
}

/* Both messages hold the same bytes; the second is freed. */
static void same(tiledb_buffer_t* one, tiledb_buffer_t* other) {
  void *a = NULL, *b = NULL;
  uint64_t size = size_of(one, &a);
  assert(size_of(other, &b) == size && memcmp(a, b, size) == 0);
  tiledb_buffer_free(&other);
}

/* A buffer with a text. */
static tiledb_buffer_t* message(const char* text) {
  tiledb_buffer_t* buffer = NULL;
  assert(tiledb_buffer_alloc(ctx, &buffer) == TILEDB_OK);
  assert(tiledb_buffer_set_data(ctx, buffer, (void*)text, strlen(text)) == TILEDB_OK);
  return buffer;
}

/* The text of a message has this in it. */
static void holds(tiledb_buffer_t* buffer, const char* part) {
  void* data = NULL;
  uint64_t size = size_of(buffer, &data);
  char* text = calloc(size + 1, 1);
  memcpy(text, data, size);
  if (strstr(text, part) == NULL)
    fprintf(stderr, "expected: %s\nfound:    %s\n", part, text);
  assert(strstr(text, part) != NULL);
  free(text);
}

static void forms(void) {
  const char* text = NULL;
  tiledb_serialization_type_t form = TILEDB_CAPNP;
  assert(tiledb_serialization_type_to_str(TILEDB_JSON, &text) == TILEDB_OK && strcmp(text, "JSON") == 0);
  assert(tiledb_serialization_type_from_str("JSON", &form) == TILEDB_OK && form == TILEDB_JSON);
}

static void configs(tiledb_serialization_type_t form) {
  tiledb_config_t *config = NULL, *again = NULL;
  tiledb_error_t* error = NULL;
  tiledb_buffer_t *buffer = NULL, *other = NULL;
  uint8_t equal = 0;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "sm.mem.total_budget", "12345678", &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "my.own", "x", &error) == TILEDB_OK);
  assert(tiledb_serialize_config(ctx, config, form, 1, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_config(ctx, buffer, form, 0, &again) == TILEDB_OK);
  assert(tiledb_config_compare(config, again, &equal) == TILEDB_OK && equal == 1);
  assert(tiledb_serialize_config(ctx, again, form, 1, &other) == TILEDB_OK);
  same(buffer, other);
  tiledb_buffer_free(&buffer);
  tiledb_config_free(&again);
  tiledb_config_free(&config);

  /* Values are checked. */
  buffer = message("{\"entries\":[{\"key\":\"sm.dedup_coords\",\"value\":\"much\"}]}");
  assert(tiledb_deserialize_config(ctx, buffer, TILEDB_JSON, 0, &again) == TILEDB_ERR && again == NULL);
  expect_within("[TileDB::Serialization] Error: Error deserializing config; KV.value: ");
  tiledb_buffer_free(&buffer);
}

static void schemas(tiledb_serialization_type_t form) {
  tiledb_array_schema_t *schema = make_schema(TILEDB_SPARSE), *again = NULL;
  tiledb_buffer_t *buffer = NULL, *other = NULL;
  tiledb_array_schema_evolution_t *evolution = NULL, *changes = NULL;
  tiledb_attribute_t* attribute = NULL;
  uint64_t capacity = 0;
  assert(tiledb_serialize_array_schema(ctx, schema, form, 1, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_array_schema(ctx, buffer, form, 0, &again) == TILEDB_OK);
  assert(tiledb_array_schema_get_capacity(ctx, again, &capacity) == TILEDB_OK && capacity == 2);
  assert(tiledb_serialize_array_schema(ctx, again, form, 1, &other) == TILEDB_OK);
  same(buffer, other);
  tiledb_buffer_free(&buffer);
  tiledb_array_schema_free(&again);
  tiledb_array_schema_free(&schema);

  assert(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
  assert(tiledb_serialize_array_schema(ctx, schema, form, 0, &buffer) == TILEDB_ERR && buffer == NULL);
  expect("[TileDB::Serialization] Error: Error serializing array schema; the array schema has no domain");
  tiledb_array_schema_free(&schema);

  assert(tiledb_array_schema_evolution_alloc(ctx, &evolution) == TILEDB_OK);
  assert(tiledb_attribute_alloc(ctx, "b", TILEDB_FLOAT64, &attribute) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_add_attribute(ctx, evolution, attribute) == TILEDB_OK);
  assert(tiledb_array_schema_evolution_drop_attribute(ctx, evolution, "a") == TILEDB_OK);
  assert(tiledb_serialize_array_schema_evolution(ctx, evolution, form, 1, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_array_schema_evolution(ctx, buffer, form, 0, &changes) == TILEDB_OK);
  assert(tiledb_serialize_array_schema_evolution(ctx, changes, form, 1, &other) == TILEDB_OK);
  same(buffer, other);
  tiledb_buffer_free(&buffer);
  tiledb_attribute_free(&attribute);
  tiledb_array_schema_evolution_free(&changes);
  tiledb_array_schema_evolution_free(&evolution);
}

/* A request to create an array holds a schema and a place. */
static void creation(void) {
  tiledb_array_schema_t *schema = make_schema(TILEDB_DENSE), *again = NULL;
  tiledb_string_t* uri = NULL;
  tiledb_buffer_t *buffer = NULL, *request = NULL;
  void* data = NULL;
  assert(tiledb_serialize_array_schema(ctx, schema, TILEDB_JSON, 1, &buffer) == TILEDB_OK);
  uint64_t size = size_of(buffer, &data);
  char* text = malloc(size + 100);
  int length = sprintf(text, "{\"uri\":\"s3://bucket/array\",\"schema\":%.*s}", (int)size, (char*)data);
  assert(length > 0);
  request = message(text);
  assert(tiledb_deserialize_array_create(ctx, request, TILEDB_JSON, 0, &uri, &again) == TILEDB_OK);
  expect_string(uri, "s3://bucket/array");
  assert(tiledb_array_schema_check(ctx, again) == TILEDB_OK);
  tiledb_array_schema_free(&again);
  tiledb_array_schema_free(&schema);
  tiledb_buffer_free(&request);
  tiledb_buffer_free(&buffer);
  free(text);
}

static void arrays(tiledb_serialization_type_t form) {
  const char* uri = "mem://serialization/array";
  tiledb_array_t *array = open_array(uri, TILEDB_READ, 0), *again = NULL;
  tiledb_buffer_t *buffer = NULL, *other = NULL;
  tiledb_query_type_t type = TILEDB_WRITE;
  int32_t open = 0, domain[2] = {0}, empty = 7, none[2] = {1, 2};

  assert(tiledb_serialize_array(ctx, array, form, 1, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_array(ctx, buffer, form, 1, uri, &again) == TILEDB_OK);
  assert(tiledb_array_is_open(ctx, again, &open) == TILEDB_OK && open == 1);
  assert(tiledb_array_get_non_empty_domain(ctx, again, domain, &empty) == TILEDB_OK);
  assert(empty == 0 && domain[0] == 3 && domain[1] == 5);
  assert(tiledb_serialize_array(ctx, again, form, 1, &other) == TILEDB_OK);
  same(buffer, other);
  tiledb_buffer_free(&buffer);

  /* Cells are read where the array is. */
  int32_t cells[3] = {0};
  uint64_t size = sizeof cells;
  tiledb_query_t* query = make_query(again, TILEDB_READ, 1, 100);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", cells, &size) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  assert(size == sizeof cells && cells[0] == 30 && cells[2] == 50);
  tiledb_query_free(&query);
  close_array(&again);

  assert(tiledb_serialize_array_open(ctx, array, form, 1, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_array_open(ctx, buffer, form, 0, &again) == TILEDB_OK);
  assert(tiledb_array_is_open(ctx, again, &open) == TILEDB_OK && open == 0);
  assert(tiledb_array_get_query_type(ctx, again, &type) == TILEDB_OK && type == TILEDB_READ);
  tiledb_array_free(&again);
  tiledb_buffer_free(&buffer);

  assert(tiledb_serialize_array_non_empty_domain_all_dimensions(ctx, array, form, 0, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_array_non_empty_domain_all_dimensions(ctx, array, buffer, form, 1) == TILEDB_OK);
  tiledb_buffer_free(&buffer);
  assert(tiledb_serialize_array_nonempty_domain(ctx, array, domain, 0, form, 0, &buffer) == TILEDB_OK);
  domain[0] = domain[1] = 0;
  assert(tiledb_deserialize_array_nonempty_domain(ctx, array, buffer, form, 1, domain, &empty) == TILEDB_OK);
  assert(empty == 0 && domain[0] == 3 && domain[1] == 5);
  tiledb_buffer_free(&buffer);
  assert(tiledb_serialize_array_nonempty_domain(ctx, array, NULL, 1, form, 0, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_array_nonempty_domain(ctx, array, buffer, form, 1, none, &empty) == TILEDB_OK);
  assert(empty == 1 && none[0] == 1 && none[1] == 2);
  tiledb_buffer_free(&buffer);
  assert(tiledb_serialize_array_nonempty_domain(ctx, array, NULL, 0, form, 0, &buffer) == TILEDB_ERR && buffer == NULL);
  expect("[TileDB::Serialization] Error: Error serializing nonempty domain; nonempty domain is null.");
  assert(tiledb_serialize_array_max_buffer_sizes(ctx, array, domain, form, &buffer) == TILEDB_ERR && buffer == NULL);
  close_array(&array);

  assert(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
  assert(tiledb_serialize_array(ctx, array, form, 1, &buffer) == TILEDB_ERR && buffer == NULL);
  tiledb_array_free(&array);
}

static void metadata(tiledb_serialization_type_t form) {
  const char* uri = "mem://serialization/array";
  tiledb_array_t* array = open_array(uri, TILEDB_WRITE, 0);
  tiledb_buffer_t *buffer = NULL, *other = NULL;
  const int32_t value = 7;
  assert(tiledb_array_put_metadata(ctx, array, "k", TILEDB_INT32, 1, &value) == TILEDB_OK);
  assert(tiledb_array_delete_metadata(ctx, array, "gone") == TILEDB_OK);
  assert(tiledb_serialize_array_metadata(ctx, array, form, &buffer) == TILEDB_OK);
  close_array(&array);
  array = open_array(uri, TILEDB_WRITE, 0);
  assert(tiledb_deserialize_array_metadata(ctx, array, form, buffer) == TILEDB_OK);
  assert(tiledb_serialize_array_metadata(ctx, array, form, &other) == TILEDB_OK);
  same(buffer, other);
  close_array(&array);
  tiledb_buffer_free(&buffer);
}

static void fragment_infos(tiledb_serialization_type_t form) {
  const char* uri = "mem://serialization/array";
  tiledb_fragment_info_t *info = NULL, *again = NULL;
  tiledb_buffer_t *buffer = NULL, *other = NULL;
  uint32_t count = 0;
  int32_t box[2] = {0};
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK);
  assert(tiledb_fragment_info_alloc(ctx, uri, &again) == TILEDB_OK);
  assert(tiledb_serialize_fragment_info(ctx, info, form, 0, &buffer) == TILEDB_ERR && buffer == NULL);
  assert(tiledb_serialize_fragment_info_request(ctx, info, form, 1, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_fragment_info_request(ctx, buffer, form, 0, again) == TILEDB_OK);
  tiledb_buffer_free(&buffer);
  assert(tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  assert(tiledb_serialize_fragment_info(ctx, info, form, 0, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_fragment_info(ctx, buffer, form, uri, 1, again) == TILEDB_OK);
  assert(tiledb_fragment_info_get_fragment_num(ctx, again, &count) == TILEDB_OK && count == 1);
  assert(tiledb_fragment_info_get_mbr_from_index(ctx, again, 0, 1, 0, box) == TILEDB_OK && box[0] == 5 && box[1] == 5);
  assert(tiledb_serialize_fragment_info(ctx, again, TILEDB_JSON, 0, &other) == TILEDB_OK);
  holds(other, "\"sparseTileNum\":\"2\"");
  tiledb_buffer_free(&other);
  tiledb_buffer_free(&buffer);
  tiledb_fragment_info_free(&again);
  tiledb_fragment_info_free(&info);
}

static void groups(tiledb_serialization_type_t form) {
  const char *first = form == TILEDB_CAPNP ? "mem://serialization/first" : "mem://serialization/one",
             *second = form == TILEDB_CAPNP ? "mem://serialization/second" : "mem://serialization/two";
  tiledb_group_t *group = NULL, *copy = NULL;
  tiledb_buffer_t *buffer = NULL, *pairs = NULL;
  const int32_t value = 7;
  const void* metadata = NULL;
  uint64_t count = 0;
  uint32_t number = 0;
  tiledb_datatype_t type = TILEDB_ANY;
  assert(tiledb_group_create(ctx, first) == TILEDB_OK && tiledb_group_create(ctx, second) == TILEDB_OK);
  assert(tiledb_group_alloc(ctx, first, &group) == TILEDB_OK && tiledb_group_alloc(ctx, second, &copy) == TILEDB_OK);
  assert(tiledb_group_open(ctx, group, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_group_add_member(ctx, group, "mem://serialization/array", 0, "the array") == TILEDB_OK);
  assert(tiledb_group_put_metadata(ctx, group, "k", TILEDB_INT32, 1, &value) == TILEDB_OK);
  assert(tiledb_serialize_group_metadata(ctx, group, form, &pairs) == TILEDB_OK);
  assert(tiledb_group_close(ctx, group) == TILEDB_OK);

  /* What a group that is open for writing is told, it stores when it is closed. */
  assert(tiledb_serialize_group(ctx, group, form, 1, &buffer) == TILEDB_ERR && buffer == NULL);
  assert(tiledb_group_open(ctx, group, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_serialize_group(ctx, group, form, 1, &buffer) == TILEDB_OK);
  assert(tiledb_deserialize_group_metadata(ctx, group, form, pairs) == TILEDB_ERR);
  assert(tiledb_group_open(ctx, copy, TILEDB_WRITE) == TILEDB_OK);
  assert(tiledb_deserialize_group(ctx, buffer, form, 1, copy) == TILEDB_OK);
  assert(tiledb_deserialize_group_metadata(ctx, copy, form, pairs) == TILEDB_OK);
  assert(tiledb_group_close(ctx, copy) == TILEDB_OK);
  assert(tiledb_group_open(ctx, copy, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_group_get_member_count(ctx, copy, &count) == TILEDB_OK && count == 1);
  assert(tiledb_group_get_metadata(ctx, copy, "k", &type, &number, &metadata) == TILEDB_OK);
  assert(type == TILEDB_INT32 && number == 1 && *(const int32_t*)metadata == 7);
  assert(tiledb_group_close(ctx, copy) == TILEDB_OK && tiledb_group_close(ctx, group) == TILEDB_OK);
  tiledb_group_free(&copy);
  tiledb_group_free(&group);
  tiledb_buffer_free(&pairs);
  tiledb_buffer_free(&buffer);
}

/* What a server answers. */
static void requests(void) {
  const char* uri = "mem://serialization/array";
  tiledb_array_t* array = open_array(uri, TILEDB_READ, 0);
  tiledb_buffer_t *request = message("{}"), *answer = NULL;
  uint32_t count = 0;
  tiledb_fragment_info_t* info = NULL;
  assert(tiledb_buffer_alloc(ctx, &answer) == TILEDB_OK);
  assert(tiledb_handle_load_array_schema_request(ctx, array, TILEDB_JSON, request, answer) == TILEDB_OK);
  holds(answer, "\"arraySchemasAll\"");
  assert(tiledb_handle_load_enumerations_request(ctx, array, TILEDB_JSON, request, answer) == TILEDB_OK);
  holds(answer, "{\"enumerations\":[]}");
  assert(tiledb_handle_consolidation_plan_request(ctx, array, TILEDB_JSON, request, answer) == TILEDB_OK);
  tiledb_buffer_free(&request);
  request = message("{\"query\":{\"attributeBufferHeaders\":[{\"name\":\"a\",\"fixedLenBufferSizeInBytes\":\"40\"}],"
                    "\"layout\":\"unordered\",\"status\":\"UNINITIALIZED\",\"type\":\"READ\",\"readerIndex\":{\"layout\":\"unordered\","
                    "\"subarray\":{\"layout\":\"unordered\",\"ranges\":[{\"type\":\"INT32\",\"hasDefaultRange\":true,"
                    "\"buffer\":[1,0,0,0,100,0,0,0],\"bufferSizes\":[\"8\"],\"bufferStartSizes\":[\"0\"]}]}}}}");
  assert(tiledb_handle_query_plan_request(ctx, array, TILEDB_JSON, request, answer) == TILEDB_OK);
  holds(answer, "\"attributeNames\":[\"a\"]");
  tiledb_buffer_free(&request);
  request = message("{\"enumerations\":[\"none\"]}");
  assert(tiledb_handle_load_enumerations_request(ctx, array, TILEDB_JSON, request, answer) == TILEDB_ERR);
  tiledb_buffer_free(&request);

  request = message("{\"startTimestamp\":\"0\",\"endTimestamp\":\"1000\"}");
  assert(tiledb_handle_array_delete_fragments_timestamps_request(ctx, array, TILEDB_JSON, request) == TILEDB_ERR);
  close_array(&array);
  array = open_array(uri, TILEDB_MODIFY_EXCLUSIVE, 0);
  assert(tiledb_handle_array_delete_fragments_timestamps_request(ctx, array, TILEDB_JSON, request) == TILEDB_OK);
  tiledb_buffer_free(&request);
  request = message("{\"entries\":[\"__fragments/__1_1_00000000000000000000000000000000_22\"]}");
  assert(tiledb_handle_array_delete_fragments_list_request(ctx, array, TILEDB_JSON, request) == TILEDB_ERR);
  tiledb_buffer_free(&request);
  close_array(&array);
  assert(tiledb_fragment_info_alloc(ctx, uri, &info) == TILEDB_OK && tiledb_fragment_info_load(ctx, info) == TILEDB_OK);
  assert(tiledb_fragment_info_get_fragment_num(ctx, info, &count) == TILEDB_OK && count == 0);
  tiledb_fragment_info_free(&info);
  tiledb_buffer_free(&answer);
}

static void misuse(void) {
  tiledb_buffer_t* buffer = message("garbage");
  tiledb_array_schema_t* schema = NULL;
  tiledb_config_t* config = NULL;
  assert(tiledb_deserialize_array_schema(ctx, buffer, TILEDB_CAPNP, 0, &schema) == TILEDB_ERR && schema == NULL);
  expect_within("[TileDB::Serialization] Error: Error deserializing array schema; ");
  assert(tiledb_deserialize_array_schema(ctx, buffer, TILEDB_JSON, 0, &schema) == TILEDB_ERR && schema == NULL);
  assert(tiledb_deserialize_config(ctx, buffer, (tiledb_serialization_type_t)99, 0, &config) == TILEDB_ERR);
  expect("[TileDB::Serialization] Error: Error deserializing config; Unknown serialization type passed");
  assert(tiledb_deserialize_config(ctx, NULL, TILEDB_JSON, 0, &config) == TILEDB_ERR && config == NULL);
  expect("C API: Invalid TileDB buffer object");
  tiledb_buffer_free(&buffer);
  /* A message of another kind: the error names what was expected, and what was found. */
  buffer = message("{\"entries\":[]}");
  assert(tiledb_deserialize_array_schema(ctx, buffer, TILEDB_JSON, 0, &schema) == TILEDB_ERR && schema == NULL);
  expect_within("ArraySchema");
  tiledb_buffer_free(&buffer);
}

int main(void) {
  const int32_t cells[] = {30, 40, 50}, x[] = {3, 4, 5};
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  make_array("mem://serialization/array", TILEDB_SPARSE);
  tiledb_array_t* array = open_array("mem://serialization/array", TILEDB_WRITE, 10);
  tiledb_query_t* query = NULL;
  uint64_t sizes[] = {sizeof cells, sizeof x};
  assert(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query) == TILEDB_OK);
  assert(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "a", (void*)cells, &sizes[0]) == TILEDB_OK);
  assert(tiledb_query_set_data_buffer(ctx, query, "x", (void*)x, &sizes[1]) == TILEDB_OK);
  assert(tiledb_query_submit(ctx, query) == TILEDB_OK);
  tiledb_query_free(&query);
  close_array(&array);
  forms();
  for (int i = 0; i < 2; i++) {
    configs(FORMS[i]);
    schemas(FORMS[i]);
    metadata(FORMS[i]);
    arrays(FORMS[i]);
    fragment_infos(FORMS[i]);
    groups(FORMS[i]);
  }
  creation();
  misuse();
  requests();
  tiledb_ctx_free(&ctx);
  return 0;
}
