/* Creates a dense array of temperatures, writes all of its cells, and reads a slice of two days. */
#include <stdio.h>
#include <stdlib.h>
#include <tiledb/tiledb.h>

static tiledb_ctx_t* ctx;

/* Prints the error message of a failed call and ends the program. */
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

/* Creates an array with the dimensions "day" (1 to 4) and "station" (1 to 3) and the attribute "celsius". */
static void create_array(const char* uri) {
    int32_t days[] = {1, 4}, stations[] = {1, 3}, day_extent = 2, station_extent = 3;
    tiledb_dimension_t *day, *station;
    tiledb_domain_t* domain;
    tiledb_attribute_t* celsius;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "day", TILEDB_INT32, days, &day_extent, &day));
    check(tiledb_dimension_alloc(ctx, "station", TILEDB_INT32, stations, &station_extent, &station));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, day));
    check(tiledb_domain_add_dimension(ctx, domain, station));
    check(tiledb_attribute_alloc(ctx, "celsius", TILEDB_FLOAT32, &celsius));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, celsius));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&celsius);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&station);
    tiledb_dimension_free(&day);
}

/* Writes (TILEDB_WRITE) or reads (TILEDB_READ) the cells of some days, all stations, in row-major order. */
static void submit(tiledb_query_type_t type, const char* uri, int32_t first_day, int32_t last_day, float* cells) {
    int32_t stations[] = {1, 3};
    uint64_t bytes = (uint64_t)(last_day - first_day + 1) * 3 * sizeof *cells; /* in: buffer size, out: bytes read */
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &first_day, &last_day, NULL));
    check(tiledb_subarray_add_range(ctx, subarray, 1, &stations[0], &stations[1], NULL));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "celsius", cells, &bytes));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    const char* uri = "temperatures"; /* a folder; or s3://bucket/temperatures, mem://temperatures, ... */
    float written[] = {20.5f, 18.0f, 15.5f, 21.0f, 17.5f, 16.0f, 19.5f, 17.0f, 14.5f, 22.0f, 19.0f, 16.5f};
    float read[6];
    tiledb_object_t object;
    check(tiledb_ctx_alloc(NULL, &ctx));
    check(tiledb_object_type(ctx, uri, &object));
    if (object == TILEDB_INVALID) /* nothing there yet */
        create_array(uri);
    submit(TILEDB_WRITE, uri, 1, 4, written);
    submit(TILEDB_READ, uri, 2, 3, read);
    for (int day = 0; day < 2; day++)
        printf("day %d: %.1f %.1f %.1f\n", day + 2, read[3 * day], read[3 * day + 1], read[3 * day + 2]);
    tiledb_ctx_free(&ctx);
    return 0;
}
