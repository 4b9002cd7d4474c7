/* The plan of a query: what it will read and how, before it is submitted. */
#define _GNU_SOURCE /* memmem */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>

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

static void create(const char* uri, tiledb_array_type_t type) {
    int32_t range[] = {1, 100}, extent = 10;
    const char* names[] = {"pressure", "wind"};
    tiledb_dimension_t* x;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, range, &extent, &x));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, x));
    check(tiledb_array_schema_alloc(ctx, type, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    for (int i = 0; i < 2; i++) {
        tiledb_attribute_t* attribute;
        check(tiledb_attribute_alloc(ctx, names[i], TILEDB_FLOAT32, &attribute));
        check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
        tiledb_attribute_free(&attribute);
    }
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&x);
}

/* Prints the lines of a plan, but for the array's absolute path. */
static void print(const char* text, size_t length) {
    const char* end = text + length;
    while (text < end) {
        const char* next = memchr(text, '\n', (size_t)(end - text));
        int line = (int)((next != NULL ? next : end) - text);
        if (line > 0 && memmem(text, (size_t)line, "Array.URI", 9) == NULL)
            printf("%.*s\n", line, text);
        text += line + 1;
    }
}

static void explain(const char* uri, tiledb_layout_t layout) {
    float wind[100];
    int32_t whole[] = {1, 100};
    uint64_t size = sizeof wind;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    tiledb_string_t* plan;
    const char* text;
    size_t length;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_set_subarray(ctx, subarray, whole));
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, layout));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "wind", wind, &size));
    check(tiledb_query_get_plan(ctx, query, &plan));
    check(tiledb_string_view(plan, &text, &length));
    print(text, length);
    check(tiledb_string_free(&plan));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("dense_array", TILEDB_DENSE);
    create("sparse_array", TILEDB_SPARSE);
    explain("dense_array", TILEDB_ROW_MAJOR);
    explain("sparse_array", TILEDB_UNORDERED);
    tiledb_ctx_free(&ctx);
    return 0;
}
