/* What a dense array answers where nothing was written: a value of the datatype, or one of your own. */
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
    int32_t range[] = {1, 6}, extent = 3, none = -1;
    tiledb_dimension_t* day;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    tiledb_attribute_t *visits, *sales, *temperature, *weather;
    check(tiledb_dimension_alloc(ctx, "day", TILEDB_INT32, range, &extent, &day));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, day));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));

    check(tiledb_attribute_alloc(ctx, "visits", TILEDB_INT32, &visits)); /* the smallest number */
    check(tiledb_attribute_alloc(ctx, "sales", TILEDB_INT32, &sales));
    check(tiledb_attribute_set_fill_value(ctx, sales, &none, sizeof none));
    check(tiledb_attribute_alloc(ctx, "temperature", TILEDB_FLOAT32, &temperature)); /* a NaN */
    check(tiledb_attribute_alloc(ctx, "weather", TILEDB_STRING_ASCII, &weather));
    check(tiledb_attribute_set_cell_val_num(ctx, weather, TILEDB_VAR_NUM));
    check(tiledb_attribute_set_fill_value(ctx, weather, "not observed", 12));
    check(tiledb_array_schema_add_attribute(ctx, schema, visits));
    check(tiledb_array_schema_add_attribute(ctx, schema, sales));
    check(tiledb_array_schema_add_attribute(ctx, schema, temperature));
    check(tiledb_array_schema_add_attribute(ctx, schema, weather));

    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&weather);
    tiledb_attribute_free(&temperature);
    tiledb_attribute_free(&sales);
    tiledb_attribute_free(&visits);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&day);
}

typedef struct {
    int32_t visits[6], sales[6];
    float temperature[6];
    char weather[128];
    uint64_t offsets[6];
    uint64_t visits_bytes, sales_bytes, temperature_bytes, weather_bytes, offsets_bytes;
} days_t;

static void transfer(const char* uri, tiledb_query_type_t type, int32_t first, int32_t last, days_t* days) {
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &first, &last, NULL));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "visits", days->visits, &days->visits_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "sales", days->sales, &days->sales_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "temperature", days->temperature, &days->temperature_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "weather", days->weather, &days->weather_bytes));
    check(tiledb_query_set_offsets_buffer(ctx, query, "weather", days->offsets, &days->offsets_bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    const char* uri = "fill_values";
    days_t written = {
        .visits = {12, 40},
        .sales = {3, 9},
        .temperature = {18.5f, 21},
        .weather = "rain" "sun",
        .offsets = {0, 4},
        .visits_bytes = 8,
        .sales_bytes = 8,
        .temperature_bytes = 8,
        .weather_bytes = 7,
        .offsets_bytes = 16,
    };
    days_t read = {
        .visits_bytes = sizeof read.visits,
        .sales_bytes = sizeof read.sales,
        .temperature_bytes = sizeof read.temperature,
        .weather_bytes = sizeof read.weather,
        .offsets_bytes = sizeof read.offsets,
    };
    check(tiledb_ctx_alloc(NULL, &ctx));
    create(uri);
    transfer(uri, TILEDB_WRITE, 2, 3, &written);
    transfer(uri, TILEDB_READ, 1, 6, &read);
    printf("day       visits  sales  temperature  weather\n");
    for (int i = 0; i < 6; i++) {
        uint64_t end = i < 5 ? read.offsets[i + 1] : read.weather_bytes;
        printf("%3d  %11d  %5d  %11.1f  %.*s\n", i + 1, read.visits[i], read.sales[i], read.temperature[i],
               (int)(end - read.offsets[i]), read.weather + read.offsets[i]);
    }
    tiledb_ctx_free(&ctx);
    return 0;
}
