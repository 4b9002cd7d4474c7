/* Groups: a catalogue of arrays and other groups that can be moved with all it names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>

static tiledb_ctx_t* ctx;

/* Ends the program with the library's own words when a call fails. */
static void check(int32_t code) {
    if (code == TILEDB_OK)
        return;
    tiledb_error_t* error = NULL;
    const char* message = "unknown error";
    if (tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL)
        tiledb_error_message(error, &message);
    fprintf(stderr, "TileDB: %s\n", message);
    exit(1);
}

static void create_array(const char* uri) {
    int32_t ends[] = {1, 4}, extent = 2;
    tiledb_dimension_t* rows;
    tiledb_domain_t* domain;
    tiledb_attribute_t* attribute;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "rows", TILEDB_INT32, ends, &extent, &rows));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, rows));
    check(tiledb_attribute_alloc(ctx, "temperature", TILEDB_FLOAT64, &attribute));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&attribute);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&rows);
}

static tiledb_group_t* open_group(const char* uri, tiledb_query_type_t purpose) {
    tiledb_group_t* group;
    check(tiledb_group_alloc(ctx, uri, &group));
    check(tiledb_group_open(ctx, group, purpose));
    return group;
}

static void close_group(tiledb_group_t* group) {
    check(tiledb_group_close(ctx, group));
    tiledb_group_free(&group);
}

static void print_member(tiledb_group_t* group, const char* name) {
    tiledb_string_t* uri;
    tiledb_object_t type;
    uint8_t relative;
    const char *text, *kind;
    size_t length;
    check(tiledb_group_get_member_by_name_v2(ctx, group, name, &uri, &type));
    check(tiledb_group_get_is_relative_uri_by_name(ctx, group, name, &relative));
    check(tiledb_string_view(uri, &text, &length));
    check(tiledb_object_type_to_str(type, &kind));
    /* Only the end of the URI, as this program may run anywhere. */
    printf("  %s is the %s .../%s%s\n", name, kind, strrchr(text, '/') + 1, relative ? ", which moves with the group" : "");
    check(tiledb_string_free(&uri));
}

static void print_group(const char* uri) {
    tiledb_group_t* group = open_group(uri, TILEDB_READ);
    uint64_t members;
    tiledb_datatype_t type;
    uint32_t length;
    const void* value; /* valid until the group is closed */
    check(tiledb_group_get_member_count(ctx, group, &members));
    check(tiledb_group_get_metadata(ctx, group, "owner", &type, &length, &value));
    printf("%s has %" PRIu64 " members and belongs to %.*s\n", uri, members, (int)length, (const char*)value);
    print_member(group, "january");
    print_member(group, "more");
    close_group(group);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    check(tiledb_group_create(ctx, "weather"));
    create_array("weather/january");
    check(tiledb_group_create(ctx, "weather/archive"));

    /* Members are written when the group is closed. Relative URIs start at the folder of the group. */
    tiledb_group_t* group = open_group("weather", TILEDB_WRITE);
    check(tiledb_group_add_member(ctx, group, "january", 1, "january"));
    check(tiledb_group_add_member(ctx, group, "archive", 1, "more"));
    check(tiledb_group_put_metadata(ctx, group, "owner", TILEDB_STRING_UTF8, 6, "us all"));
    close_group(group);
    print_group("weather");

    /* A group is moved with what lies in it. */
    check(tiledb_object_move(ctx, "weather", "climate"));
    print_group("climate");

    group = open_group("climate", TILEDB_MODIFY_EXCLUSIVE);
    check(tiledb_group_delete_group(ctx, group, "climate", 1));
    tiledb_group_free(&group);
    tiledb_object_t type;
    check(tiledb_object_type(ctx, "climate/january", &type));
    printf("all of it is %s\n", type == TILEDB_INVALID ? "gone" : "still there");
    tiledb_ctx_free(&ctx);
    return 0;
}
