/*
 * Functions that libtiledb 2.18 to 2.29 exported and 2.30 does not: dumps, keys, deletes, fragments, groups. Prints what they
 * return, which tests/capi compares with what those releases printed (capi-tests/removed/); tools/removed_reference.sh
 * records that. Functions that a library lacks are skipped. Each section runs in a process of its own, so that a release
 * that crashes in one runs the others.
 */
#include "removed.h"

static const char key[] = "0123456789abcdef0123456789abcdef", other_key[] = "0123456789abcdef0123456789abcdeF";

/* What is dumped: a schema with strings, filters, fill values, null cells and an enumeration. */
static tiledb_array_schema_t* varied(void) {
  const double ends[] = {-1.5, 2.5}, extent = 0.5;
  const char values[] = "redgreenblue";
  const uint64_t offsets[] = {0, 3, 8};
  const int32_t level = 5;
  const uint8_t fill = 7;
  tiledb_array_schema_t* made = NULL;
  tiledb_attribute_t* attribute = NULL;
  tiledb_filter_list_t* filters = NULL;
  tiledb_filter_t* filter = NULL;
  tiledb_enumeration_t* colors = NULL;
  tiledb_domain_t* both = domain(dimension("name", TILEDB_STRING_ASCII, NULL, NULL),
                                 dimension("weight", TILEDB_FLOAT64, ends, &extent));
  OK(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &made));
  OK(tiledb_array_schema_set_domain(ctx, made, both));
  OK(tiledb_array_schema_set_capacity(ctx, made, 1000));
  OK(tiledb_array_schema_set_allows_dups(ctx, made, 1));
  OK(tiledb_enumeration_alloc(
      ctx, "colors", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 1, values, sizeof values - 1, offsets, sizeof offsets, &colors));
  OK(tiledb_array_schema_add_enumeration(ctx, made, colors));
  OK(tiledb_attribute_alloc(ctx, "color", TILEDB_UINT8, &attribute));
  OK(tiledb_attribute_set_fill_value(ctx, attribute, &fill, sizeof fill));
  OK(tiledb_attribute_set_enumeration_name(ctx, attribute, "colors"));
  OK(tiledb_array_schema_add_attribute(ctx, made, attribute));
  tiledb_attribute_free(&attribute);
  OK(tiledb_filter_list_alloc(ctx, &filters));
  OK(tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &filter));
  OK(tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level));
  OK(tiledb_filter_list_add_filter(ctx, filters, filter));
  OK(tiledb_attribute_alloc(ctx, "text", TILEDB_STRING_UTF8, &attribute));
  OK(tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
  OK(tiledb_attribute_set_nullable(ctx, attribute, 1));
  OK(tiledb_attribute_set_filter_list(ctx, attribute, filters));
  OK(tiledb_array_schema_add_attribute(ctx, made, attribute));
  tiledb_attribute_free(&attribute);
  tiledb_filter_free(&filter);
  tiledb_filter_list_free(&filters);
  tiledb_enumeration_free(&colors);
  tiledb_domain_free(&both);
  return made;
}

/* Prints what a function wrote to a stream. */
static void print_file(FILE* file) {
  char text[8192];
  rewind(file);
  const size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = 0;
  print(text);
  fclose(file);
}

/* A section that dumps `object`: to a file, to standard output, to a stream that cannot be written, and a null handle. */
#define DUMP_SECTIONS(type, ...)                                                                    \
  static void dump_##type(void) {                                                                   \
    tiledb_array_schema_t* from = varied();                                                         \
    tiledb_##type##_t* object = NULL;                                                               \
    FILE* file = tmpfile();                                                                         \
    OK(__VA_ARGS__);                                                                                \
    SHOW(tiledb_##type##_dump(ctx, object, file));                                                  \
    print_file(file);                                                                               \
    SHOW(tiledb_##type##_dump(ctx, NULL, stdout));                                                  \
    tiledb_##type##_free(&object);                                                                  \
    tiledb_array_schema_free(&from);                                                                \
  }                                                                                                 \
  static void dump_##type##_null(void) {                                                            \
    tiledb_array_schema_t* from = varied();                                                         \
    tiledb_##type##_t* object = NULL;                                                               \
    OK(__VA_ARGS__);                                                                                \
    SHOW(tiledb_##type##_dump(ctx, object, NULL));                                                  \
    tiledb_##type##_free(&object);                                                                  \
    tiledb_array_schema_free(&from);                                                                \
  }                                                                                                 \
  static void dump_##type##_unwritable(void) {                                                      \
    tiledb_array_schema_t* from = varied();                                                         \
    tiledb_##type##_t* object = NULL;                                                               \
    FILE* file = fopen("/dev/null", "r");                                                           \
    OK(__VA_ARGS__);                                                                                \
    SHOW(tiledb_##type##_dump(ctx, object, file));                                                  \
    fclose(file);                                                                                   \
    tiledb_##type##_free(&object);                                                                  \
    tiledb_array_schema_free(&from);                                                                \
  }

static int32_t dimension_of(tiledb_array_schema_t* from, tiledb_dimension_t** object) {
  tiledb_domain_t* both = NULL;
  OK(tiledb_array_schema_get_domain(ctx, from, &both));
  OK(tiledb_domain_get_dimension_from_index(ctx, both, 1, object));
  tiledb_domain_free(&both);
  return TILEDB_OK;
}

/* A schema of its own: the macro frees one already. */
static int32_t schema_of(tiledb_array_schema_t** object) {
  *object = varied();
  return TILEDB_OK;
}

static int32_t enumeration_of(tiledb_enumeration_t** object) {
  const int32_t values[] = {-1, 0, 20};
  return tiledb_enumeration_alloc(ctx, "numbers", TILEDB_INT32, 1, 0, values, sizeof values, NULL, 0, object);
}

DUMP_SECTIONS(array_schema, schema_of(&object))
DUMP_SECTIONS(attribute, tiledb_array_schema_get_attribute_from_name(ctx, from, "text", &object))
DUMP_SECTIONS(dimension, dimension_of(from, &object))
DUMP_SECTIONS(domain, tiledb_array_schema_get_domain(ctx, from, &object))
DUMP_SECTIONS(enumeration, enumeration_of(&object))

static void create_with_key(void) {
  tiledb_array_schema_t *from = grid(TILEDB_DENSE), *none = NULL;
  tiledb_encryption_type_t type = TILEDB_NO_ENCRYPTION;
  SHOW(tiledb_array_create_with_key(ctx, "short", from, TILEDB_AES_256_GCM, key, 31));
  SHOW(tiledb_array_create_with_key(ctx, "plain", from, TILEDB_NO_ENCRYPTION, key, 32));
  SHOW(tiledb_array_create_with_key(ctx, "plain", from, TILEDB_NO_ENCRYPTION, NULL, 0));
  SHOW(tiledb_array_create_with_key(ctx, "secret", from, TILEDB_AES_256_GCM, key, 32));
  SHOW(tiledb_array_create_with_key(ctx, "secret", from, TILEDB_AES_256_GCM, key, 32));
  SHOW(tiledb_array_create_with_key(ctx, "none", none, TILEDB_AES_256_GCM, key, 32));
  OK(tiledb_array_encryption_type(ctx, "secret", &type));
  printf("secret: %d\n", (int)type);
  OK(tiledb_array_encryption_type(ctx, "plain", &type));
  printf("plain: %d\n", (int)type);
  tiledb_array_schema_free(&from);
}

static void load_with_key(void) {
  const uint8_t bytes[32] = {0, 255, 128, 0};
  tiledb_array_schema_t *from = grid(TILEDB_DENSE), *loaded = NULL;
  uint32_t count = 0;
  OK(tiledb_array_create_with_key(ctx, "secret", from, TILEDB_AES_256_GCM, bytes, 32));
  OK(tiledb_array_create(ctx, "plain", from));
  tiledb_array_schema_free(&from);
  SHOW(tiledb_array_schema_load_with_key(ctx, "secret", TILEDB_AES_256_GCM, bytes, 32, &loaded));
  OK(tiledb_array_schema_get_attribute_num(ctx, loaded, &count));
  printf("attributes: %u\n", (unsigned)count);
  tiledb_array_schema_free(&loaded);
  SHOW(tiledb_array_schema_load_with_key(ctx, "plain", TILEDB_NO_ENCRYPTION, NULL, 0, &loaded));
  tiledb_array_schema_free(&loaded);
  SHOW(tiledb_array_schema_load_with_key(ctx, "secret", TILEDB_NO_ENCRYPTION, NULL, 0, &loaded));
  SHOW(tiledb_array_schema_load_with_key(ctx, "secret", TILEDB_AES_256_GCM, bytes, 16, &loaded));
  SHOW(tiledb_array_schema_load_with_key(ctx, "plain", TILEDB_AES_256_GCM, bytes, 32, &loaded));
  SHOW(tiledb_array_schema_load_with_key(ctx, "missing", TILEDB_AES_256_GCM, bytes, 32, &loaded));
  printf("schema: %s\n", loaded == NULL ? "null" : "set");
}

static void load_with_wrong_key(void) {
  tiledb_array_schema_t *from = grid(TILEDB_DENSE), *loaded = NULL;
  OK(tiledb_array_create_with_key(ctx, "secret", from, TILEDB_AES_256_GCM, key, 32));
  SHOW(tiledb_array_schema_load_with_key(ctx, "secret", TILEDB_AES_256_GCM, other_key, 32, &loaded));
  tiledb_array_schema_free(&from);
}

/* A context whose configuration has a key. */
static void use_key(const char* bytes) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  OK(tiledb_config_alloc(&config, &error));
  OK(tiledb_config_set(config, "sm.encryption_type", "AES_256_GCM", &error));
  OK(tiledb_config_set(config, "sm.encryption_key", bytes, &error));
  tiledb_ctx_free(&ctx);
  OK(tiledb_ctx_alloc(config, &ctx));
  tiledb_config_free(&config);
}

static void consolidate_with_key(void) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  use_key(key);
  create("secret", grid(TILEDB_DENSE));
  write_grid("secret", 1);
  write_grid("secret", 2);
  show_fragments("secret");
  OK(tiledb_config_alloc(&config, &error));
  OK(tiledb_config_set(config, "sm.consolidation.mode", "fragment_meta", &error));
  use_key(other_key);
  SHOW(tiledb_array_consolidate_with_key(ctx, "secret", TILEDB_AES_256_GCM, other_key, 32, NULL));
  SHOW(tiledb_array_consolidate_with_key(ctx, "secret", TILEDB_AES_256_GCM, key, 12, NULL));
  SHOW(tiledb_array_consolidate_with_key(ctx, "missing", TILEDB_AES_256_GCM, key, 32, NULL));
  SHOW(tiledb_array_consolidate_with_key(ctx, "secret", TILEDB_AES_256_GCM, key, 32, config));
  SHOW(tiledb_array_consolidate_with_key(ctx, "secret", TILEDB_AES_256_GCM, key, 32, NULL));
  use_key(key);
  show_fragments("secret");
  tiledb_config_free(&config);
}

static void show_open(tiledb_array_t* array) {
  int32_t is_open = -1;
  OK(tiledb_array_is_open(ctx, array, &is_open));
  printf("open: %d\n", (int)is_open);
}

static void delete_array(void) {
  tiledb_object_t type = TILEDB_INVALID;
  tiledb_array_t* array = NULL;
  create("grid", grid(TILEDB_DENSE));
  write_grid("grid", 1);
  SHOW(tiledb_array_delete_array(ctx, NULL, "grid"));
  OK(tiledb_array_alloc(ctx, "grid", &array));
  SHOW(tiledb_array_delete_array(ctx, array, "grid"));
  OK(tiledb_array_open(ctx, array, TILEDB_READ));
  SHOW(tiledb_array_delete_array(ctx, array, "grid"));
  OK(tiledb_array_close(ctx, array));
  OK(tiledb_array_open(ctx, array, TILEDB_MODIFY_EXCLUSIVE));
  SHOW(tiledb_array_delete_array(ctx, array, "grid"));
  show_open(array);
  OK(tiledb_object_type(ctx, "grid", &type));
  printf("type: %d\n", (int)type);
  tiledb_array_free(&array);
}

static void delete_array_elsewhere(void) {
  tiledb_array_t* array = NULL;
  create("grid", grid(TILEDB_DENSE));
  array = open("grid", TILEDB_MODIFY_EXCLUSIVE);
  SHOW(tiledb_array_delete_array(ctx, array, "missing"));
  show_open(array);
  tiledb_array_free(&array);
}

static void delete_fragments(void) {
  tiledb_array_t* array = NULL;
  create("grid", grid(TILEDB_DENSE));
  for (uint64_t time = 1; time <= 4; time++)
    write_grid("grid", time);
  SHOW(tiledb_array_delete_fragments(ctx, NULL, "grid", 0, UINT64_MAX));
  OK(tiledb_array_alloc(ctx, "grid", &array));
  SHOW(tiledb_array_delete_fragments(ctx, array, "grid", 0, UINT64_MAX));
  OK(tiledb_array_open(ctx, array, TILEDB_READ));
  SHOW(tiledb_array_delete_fragments(ctx, array, "grid", 0, UINT64_MAX));
  OK(tiledb_array_close(ctx, array));
  OK(tiledb_array_open(ctx, array, TILEDB_MODIFY_EXCLUSIVE));
  SHOW(tiledb_array_delete_fragments(ctx, array, "grid", 2, 3));
  show_open(array);
  show_fragments("grid");
  SHOW(tiledb_array_delete_fragments(ctx, array, "grid", 0, UINT64_MAX));
  show_fragments("grid");
  tiledb_array_free(&array);
}

static void delete_fragments_elsewhere(void) {
  tiledb_array_t* array = NULL;
  create("grid", grid(TILEDB_DENSE));
  array = open("grid", TILEDB_MODIFY_EXCLUSIVE);
  SHOW(tiledb_array_delete_fragments(ctx, array, "missing", 0, UINT64_MAX));
  tiledb_array_free(&array);
}

static void fragment_name(void) {
  tiledb_fragment_info_t* info = NULL;
  const char* name = NULL;
  const char* uri = NULL;
  create("grid", grid(TILEDB_DENSE));
  write_grid("grid", 1);
  OK(tiledb_fragment_info_alloc(ctx, "grid", &info));
  SHOW(tiledb_fragment_info_get_fragment_name(ctx, info, 0, &name));
  OK(tiledb_fragment_info_load(ctx, info));
  SHOW(tiledb_fragment_info_get_fragment_name(ctx, info, 0, &name));
  OK(tiledb_fragment_info_get_fragment_uri(ctx, info, 0, &uri));
  printf("last component: %d\n", strcmp(name, strrchr(uri, '/') + 1) == 0);
  SHOW(tiledb_fragment_info_get_fragment_name(ctx, info, 1, &name));
  SHOW(tiledb_fragment_info_get_fragment_name(ctx, NULL, 0, &name));
  tiledb_fragment_info_free(&info);
}

/* Prints a text that the library hands over, and releases it. */
static void take(char** text) {
  if (*text == NULL) {
    printf("null\n");
    return;
  }
  print(*text);
  printf("\n");
  free(*text);
  *text = NULL;
}

static tiledb_group_t* open_group(tiledb_query_type_t type) {
  tiledb_group_t* group = NULL;
  OK(tiledb_group_alloc(ctx, "group", &group));
  OK(tiledb_group_open(ctx, group, type));
  return group;
}

/* A group with a named array and a subgroup without a name. */
static tiledb_group_t* filled_group(void) {
  OK(tiledb_group_create(ctx, "group"));
  OK(tiledb_group_create(ctx, "group/part"));
  create("group/grid", grid(TILEDB_DENSE));
  tiledb_group_t* group = open_group(TILEDB_WRITE);
  OK(tiledb_group_add_member(ctx, group, "grid", 1, "first"));
  OK(tiledb_group_add_member(ctx, group, "part", 1, NULL));
  OK(tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
  return open_group(TILEDB_READ);
}

static void group_dump(void) {
  tiledb_group_t* group = filled_group();
  char* text = NULL;
  SHOW(tiledb_group_dump_str(ctx, group, &text, 0));
  /* Releases before 2.30 list members in no order. */
  for (char* line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
    if (strstr(line, "part") == NULL)
      print(line), printf("\n");
  free(text);
  SHOW(tiledb_group_dump_str(ctx, group, &text, 1));
  printf("describes all: %d\n", strstr(text, "part") != NULL && strstr(text, "first") != NULL);
  free(text);
  SHOW(tiledb_group_dump_str(ctx, NULL, &text, 0));
  tiledb_group_free(&group);
}

static void group_dump_closed(void) {
  tiledb_group_t* group = NULL;
  char* text = NULL;
  OK(tiledb_group_create(ctx, "group"));
  OK(tiledb_group_alloc(ctx, "group", &group));
  SHOW(tiledb_group_dump_str(ctx, group, &text, 0));
  free(text);
  tiledb_group_free(&group);
}

static void group_member_by_index(void) {
  tiledb_group_t *group = filled_group(), *closed = NULL;
  char *uri = NULL, *name = NULL;
  tiledb_object_t type = TILEDB_INVALID;
  for (int expected = TILEDB_GROUP; expected <= TILEDB_ARRAY; expected++)
    for (uint64_t index = 0; index < 2; index++) {
      OK(tiledb_group_get_member_by_index(ctx, group, index, &uri, &type, &name));
      if ((int)type == expected) {
        printf("type %d\n", (int)type);
        take(&uri);
        take(&name);
      }
      free(uri);
      free(name);
      uri = name = NULL;
    }
  SHOW(tiledb_group_get_member_by_index(ctx, group, 2, &uri, &type, &name));
  SHOW(tiledb_group_get_member_by_index(ctx, NULL, 0, &uri, &type, &name));
  OK(tiledb_group_alloc(ctx, "group", &closed));
  SHOW(tiledb_group_get_member_by_index(ctx, closed, 0, &uri, &type, &name));
  tiledb_group_free(&closed);
  OK(tiledb_group_close(ctx, group));
  OK(tiledb_group_open(ctx, group, TILEDB_WRITE));
  SHOW(tiledb_group_get_member_by_index(ctx, group, 0, &uri, &type, &name));
  tiledb_group_free(&group);
}

static void group_member_by_name(void) {
  tiledb_group_t* group = filled_group();
  char* uri = NULL;
  tiledb_object_t type = TILEDB_INVALID;
  SHOW(tiledb_group_get_member_by_name(ctx, group, "first", &uri, &type));
  printf("type %d\n", (int)type);
  take(&uri);
  SHOW(tiledb_group_get_member_by_name(ctx, group, "second", &uri, &type));
  SHOW(tiledb_group_get_member_by_name(ctx, group, NULL, &uri, &type));
  SHOW(tiledb_group_get_member_by_name(ctx, NULL, "first", &uri, &type));
  tiledb_group_free(&group);
}

static const section_t sections[] = {
#define DUMPS(type)                                                        \
  {"tiledb_" #type "_dump", "", dump_##type},                              \
  {"tiledb_" #type "_dump", ", null stream", dump_##type##_null},          \
  {"tiledb_" #type "_dump", ", stream for reading", dump_##type##_unwritable}
    DUMPS(array_schema),
    DUMPS(attribute),
    DUMPS(dimension),
    DUMPS(domain),
    DUMPS(enumeration),
    {"tiledb_array_create_with_key", "", create_with_key},
    {"tiledb_array_schema_load_with_key", "", load_with_key},
    {"tiledb_array_schema_load_with_key", ", wrong key", load_with_wrong_key},
    {"tiledb_array_consolidate_with_key", "", consolidate_with_key},
    {"tiledb_array_delete_array", "", delete_array},
    {"tiledb_array_delete_array", ", other URI", delete_array_elsewhere},
    {"tiledb_array_delete_fragments", "", delete_fragments},
    {"tiledb_array_delete_fragments", ", other URI", delete_fragments_elsewhere},
    {"tiledb_fragment_info_get_fragment_name", "", fragment_name},
    {"tiledb_group_dump_str", "", group_dump},
    {"tiledb_group_dump_str", ", not open", group_dump_closed},
    {"tiledb_group_get_member_by_index", "", group_member_by_index},
    {"tiledb_group_get_member_by_name", "", group_member_by_name},
};

int main(void) {
  return run_sections(sections, sizeof sections / sizeof *sections);
}
