/* A schema that changes: an attribute is added and one is dropped. Old cells read the new attribute's fill value. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

static const char* const uri = "schema_evolution_array";

enum { CELLS = 4 };

static void create(void) {
    int32_t range[] = {1, CELLS}, extent = CELLS;
    const char* names[] = {"celsius", "battery"};
    tiledb_dimension_t* hour;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "hour", TILEDB_INT32, range, &extent, &hour));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, hour));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    for (int i = 0; i < 2; i++) {
        tiledb_attribute_t* attribute;
        check(tiledb_attribute_alloc(ctx, names[i], TILEDB_INT32, &attribute));
        check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
        tiledb_attribute_free(&attribute);
    }
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&hour);
}

/* Writes or reads two attributes of the hours from one to another. */
static void transfer(
    tiledb_query_type_t type, int32_t first, int32_t last, int32_t* celsius, const char* name, int32_t* other) {
    uint64_t celsius_size = (uint64_t)(last - first + 1) * sizeof *celsius, other_size = celsius_size;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &first, &last, NULL));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "celsius", celsius, &celsius_size));
    check(tiledb_query_set_data_buffer(ctx, query, name, other, &other_size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* The battery is no longer measured; the wind is. */
static void evolve(void) {
    int32_t calm = 0;
    tiledb_attribute_t* wind;
    tiledb_array_schema_evolution_t* evolution;
    check(tiledb_attribute_alloc(ctx, "wind", TILEDB_INT32, &wind));
    check(tiledb_attribute_set_fill_value(ctx, wind, &calm, sizeof calm));
    check(tiledb_array_schema_evolution_alloc(ctx, &evolution));
    check(tiledb_array_schema_evolution_add_attribute(ctx, evolution, wind));
    check(tiledb_array_schema_evolution_drop_attribute(ctx, evolution, "battery"));
    check(tiledb_array_evolve(ctx, uri, evolution));
    tiledb_array_schema_evolution_free(&evolution);
    tiledb_attribute_free(&wind);
}

static void print(const char* name) {
    int32_t celsius[CELLS], other[CELLS];
    transfer(TILEDB_READ, 1, CELLS, celsius, name, other);
    printf("hour  celsius  %s\n", name);
    for (int i = 0; i < CELLS; i++)
        printf("%4d  %7d  %7d\n", i + 1, celsius[i], other[i]);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create();
    transfer(TILEDB_WRITE, 1, 4, (int32_t[]){11, 12, 14, 13}, "battery", (int32_t[]){99, 98, 96, 95});
    print("battery");
    evolve();
    transfer(TILEDB_WRITE, 3, 4, (int32_t[]){15, 16}, "wind", (int32_t[]){7, 5});
    print("wind");
    tiledb_ctx_free(&ctx);
    return 0;
}
