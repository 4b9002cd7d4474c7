/* Metadata: values under keys that travel with an array, each version kept under its time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

static void create(const char* uri) {
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

static tiledb_array_t* open_at(const char* uri, tiledb_query_type_t purpose, uint64_t time) {
    tiledb_array_t* array;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_set_open_timestamp_end(ctx, array, time));
    check(tiledb_array_open(ctx, array, purpose));
    return array;
}

static void print_all(const char* uri, uint64_t time) {
    tiledb_array_t* array = open_at(uri, TILEDB_READ, time);
    uint64_t num;
    check(tiledb_array_get_metadata_num(ctx, array, &num));
    printf("at time %" PRIu64 " there are %" PRIu64 " values\n", time, num);
    for (uint64_t i = 0; i < num; i++) {
        const char* key;
        uint32_t key_len, count;
        tiledb_datatype_t type;
        const void* value; /* valid until the array is closed */
        check(tiledb_array_get_metadata_from_index(ctx, array, i, &key, &key_len, &type, &count, &value));
        printf("  %.*s:", (int)key_len, key);
        if (value == NULL)
            printf(" nothing");
        else if (type == TILEDB_STRING_UTF8)
            printf(" %.*s", (int)count, (const char*)value);
        else if (type == TILEDB_FLOAT64)
            for (uint32_t cell = 0; cell < count; cell++)
                printf(" %g", ((const double*)value)[cell]);
        printf("\n");
    }
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    const char* uri = "weather";
    const double range[] = {-40, 60};
    check(tiledb_ctx_alloc(NULL, &ctx));
    create(uri);

    /* Metadata are written when the array is closed. */
    tiledb_array_t* array = open_at(uri, TILEDB_WRITE, 10);
    check(tiledb_array_put_metadata(ctx, array, "range", TILEDB_FLOAT64, 2, range));
    check(tiledb_array_put_metadata(ctx, array, "station", TILEDB_STRING_UTF8, 4, "Bern"));
    check(tiledb_array_put_metadata(ctx, array, "remarks", TILEDB_STRING_UTF8, 0, NULL));
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);

    array = open_at(uri, TILEDB_WRITE, 20);
    check(tiledb_array_put_metadata(ctx, array, "station", TILEDB_STRING_UTF8, 7, "Z\xc3\xbcrich"));
    check(tiledb_array_delete_metadata(ctx, array, "remarks"));
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);

    print_all(uri, 10);
    print_all(uri, 20);
    tiledb_ctx_free(&ctx);
    return 0;
}
