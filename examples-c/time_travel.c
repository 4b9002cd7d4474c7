/* Every write is kept with its time: read the array as it was at any time, or what came in between. */
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
    int64_t range[] = {0, 7}, extent = 4;
    int32_t unset = -1;
    tiledb_dimension_t* cell;
    tiledb_domain_t* domain;
    tiledb_attribute_t* stock;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "shelf", TILEDB_INT64, range, &extent, &cell));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, cell));
    check(tiledb_attribute_alloc(ctx, "stock", TILEDB_INT32, &stock));
    check(tiledb_attribute_set_fill_value(ctx, stock, &unset, sizeof unset));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, stock));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&stock);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&cell);
}

/* Writes or reads shelves first..last; the array is opened in the time window start..end. */
static void transfer(
    tiledb_query_type_t type, uint64_t start, uint64_t end, int64_t first, int64_t last, int32_t* stock) {
    uint64_t bytes = (uint64_t)(last - first + 1) * sizeof *stock;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, "time_travel", &array));
    check(tiledb_array_set_open_timestamp_start(ctx, array, start));
    check(tiledb_array_set_open_timestamp_end(ctx, array, end));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &first, &last, NULL));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "stock", stock, &bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void show(const char* when, uint64_t start, uint64_t end) {
    int32_t stock[8];
    transfer(TILEDB_READ, start, end, 0, 7, stock);
    printf("%-28s", when);
    for (int i = 0; i < 8; i++)
        printf(" %3d", stock[i]);
    printf("\n");
}

int main(void) {
    int32_t monday[] = {10, 11, 12, 13, 14, 15, 16, 17}, tuesday[] = {20, 21, 22}, friday[] = {50, 51, 52, 53};
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("time_travel");
    transfer(TILEDB_WRITE, 0, 1, 0, 7, monday);
    transfer(TILEDB_WRITE, 0, 2, 2, 4, tuesday);
    transfer(TILEDB_WRITE, 0, 5, 4, 7, friday);
    show("on Monday", 0, 1);
    show("on Wednesday", 0, 3);
    show("on Sunday", 0, 7);
    show("what came after Monday", 2, 7);
    tiledb_ctx_free(&ctx);
    return 0;
}
