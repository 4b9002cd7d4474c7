/*
 * Files in arrays: a file of any kind is stored as an array, with its name and type, and read in whole or in part.
 * These functions are marked as deprecated since libtiledb 2.29; they work as before.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

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

static void make_file(const char* path) {
    FILE* file = fopen(path, "wb");
    if (file == NULL)
        exit(1);
    fputs("day,celsius\nMonday,11\nTuesday,14\nWednesday,9\n", file);
    fclose(file);
}

/* Prints a text that is stored as metadata of an array. */
static void print_metadata(tiledb_array_t* array, const char* key) {
    tiledb_datatype_t type;
    uint32_t length;
    const void* value;
    check(tiledb_array_get_metadata(ctx, array, key, &type, &length, &value));
    printf("%s: %.*s\n", key, (int)length, (const char*)value);
}

int main(void) {
    const char* uri = "filestore_array";
    char part[16];
    uint64_t size;
    tiledb_array_schema_t* schema;
    tiledb_array_t* array;
    check(tiledb_ctx_alloc(NULL, &ctx));

    /* The schema suits the file: its size, and whether it is compressed already. */
    make_file("weather.csv");
    check(tiledb_filestore_schema_create(ctx, "weather.csv", &schema));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    check(tiledb_filestore_uri_import(ctx, uri, "weather.csv", TILEDB_MIME_AUTODETECT));

    check(tiledb_filestore_size(ctx, uri, &size));
    printf("stored: %d bytes\n", (int)size);
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    print_metadata(array, "original_file_name");
    print_metadata(array, "file_extension");
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);

    /* A part of the file, without reading the rest. */
    check(tiledb_filestore_buffer_export(ctx, uri, 12, part, 9));
    printf("bytes 12 to 20: %.9s\n", part);

    check(tiledb_filestore_uri_export(ctx, "copy.csv", uri));
    FILE* copy = fopen("copy.csv", "rb");
    char line[64];
    printf("exported:\n");
    while (copy != NULL && fgets(line, sizeof line, copy) != NULL)
        printf("  %s", line);
    if (copy != NULL)
        fclose(copy);
    tiledb_ctx_free(&ctx);
    return 0;
}
