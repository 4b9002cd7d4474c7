/*
 * Dimension labels: reading an array by names and measured values instead of indexes.
 *
 * A grid of temperatures has rows for depths that are not evenly spaced, and columns for stations with names. Both are
 * labels: each has an array of its own that gives the indexes of a dimension other names, in increasing order.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>

enum { ROWS = 4, COLS = 3 };

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
    tiledb_array_schema_t* schema = NULL;
    tiledb_domain_t* domain = NULL;
    tiledb_dimension_t* dimension = NULL;
    tiledb_attribute_t* attribute = NULL;
    int32_t rows[] = {1, ROWS}, cols[] = {1, COLS}, extent = 2;

    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_dimension_alloc(ctx, "row", TILEDB_INT32, rows, &extent, &dimension));
    check(tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_dimension_free(&dimension);
    check(tiledb_dimension_alloc(ctx, "col", TILEDB_INT32, cols, &extent, &dimension));
    check(tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_dimension_free(&dimension);
    check(tiledb_attribute_alloc(ctx, "celsius", TILEDB_FLOAT32, &attribute));

    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    check(tiledb_array_schema_add_dimension_label(ctx, schema, 0, "depth", TILEDB_INCREASING_DATA, TILEDB_FLOAT64));
    check(tiledb_array_schema_add_dimension_label(ctx, schema, 1, "station", TILEDB_INCREASING_DATA, TILEDB_STRING_ASCII));
    check(tiledb_array_create(ctx, uri, schema));

    tiledb_attribute_free(&attribute);
    tiledb_domain_free(&domain);
    tiledb_array_schema_free(&schema);
}

/* Cells and labels are written together; the labels go to their own arrays. */
static void store(const char* uri) {
    tiledb_array_t* array = NULL;
    tiledb_query_t* query = NULL;
    float celsius[ROWS * COLS] = {14.1f, 14.9f, 13.2f, 12.0f, 12.5f, 11.8f, 8.4f, 8.8f, 8.1f, 4.2f, 4.3f, 4.1f};
    double depths[ROWS] = {0.5, 10, 50, 250};
    char stations[] = "BrestCorkFaro";
    uint64_t starts[COLS] = {0, 5, 9};
    uint64_t celsius_size = sizeof celsius, depths_size = sizeof depths;
    uint64_t stations_size = sizeof stations - 1, starts_size = sizeof starts;

    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_data_buffer(ctx, query, "celsius", celsius, &celsius_size));
    check(tiledb_query_set_data_buffer(ctx, query, "depth", depths, &depths_size));
    check(tiledb_query_set_data_buffer(ctx, query, "station", stations, &stations_size));
    check(tiledb_query_set_offsets_buffer(ctx, query, "station", starts, &starts_size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Prints the temperatures from one depth to another, at the stations from one name to another. */
static void print(const char* uri, double from, double to, const char* first, const char* last) {
    tiledb_array_t* array = NULL;
    tiledb_query_t* query = NULL;
    tiledb_subarray_t* subarray = NULL;
    float celsius[ROWS * COLS];
    double depths[ROWS];
    char stations[64];
    uint64_t starts[COLS];
    uint64_t celsius_size = sizeof celsius, depths_size = sizeof depths;
    uint64_t stations_size = sizeof stations, starts_size = sizeof starts;

    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_label_range(ctx, subarray, "depth", &from, &to, NULL));
    check(tiledb_subarray_add_label_range_var(ctx, subarray, "station", first, strlen(first), last, strlen(last)));

    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "celsius", celsius, &celsius_size));
    check(tiledb_query_set_data_buffer(ctx, query, "depth", depths, &depths_size));
    check(tiledb_query_set_data_buffer(ctx, query, "station", stations, &stations_size));
    check(tiledb_query_set_offsets_buffer(ctx, query, "station", starts, &starts_size));
    check(tiledb_query_submit(ctx, query));

    uint64_t rows = depths_size / sizeof *depths, cols = starts_size / sizeof *starts;
    printf("%8s", "depth");
    for (uint64_t col = 0; col < cols; col++) {
        uint64_t end = col + 1 < cols ? starts[col + 1] : stations_size;
        printf("  %.*s", (int)(end - starts[col]), stations + starts[col]);
    }
    printf("\n");
    for (uint64_t row = 0; row < rows; row++) {
        printf("%8.1f", depths[row]);
        for (uint64_t col = 0; col < cols; col++)
            printf("  %.1f", celsius[row * cols + col]);
        printf("\n");
    }

    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(int argc, char** argv) {
    const char* uri = argc > 1 ? argv[1] : "labels_array";
    if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK)
        return 1;
    create(uri);
    store(uri);
    printf("From 5 to 100 metres, from Cork on:\n");
    print(uri, 5, 100, "Cork", "Z");
    printf("At the surface, everywhere:\n");
    print(uri, 0, 1, "A", "Z");
    tiledb_ctx_free(&ctx);
    return 0;
}
