/* Aggregates: what all cells of a query add up to, computed where they lie instead of reading them. */
#include <inttypes.h>
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

static void add_attribute(tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, uint32_t values,
                          uint8_t nullable) {
    tiledb_attribute_t* attribute;
    check(tiledb_attribute_alloc(ctx, name, type, &attribute));
    check(tiledb_attribute_set_cell_val_num(ctx, attribute, values));
    check(tiledb_attribute_set_nullable(ctx, attribute, nullable));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
}

/* Readings of a rain gauge by day: millimetres, null where the gauge failed, and the observer. */
static void create(const char* uri) {
    int32_t range[] = {1, 365}, extent = 30;
    tiledb_dimension_t* day;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "day", TILEDB_INT32, range, &extent, &day));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, day));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    add_attribute(schema, "rain", TILEDB_INT32, 1, 1);
    add_attribute(schema, "observer", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 0);
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&day);
}

static tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type) {
    tiledb_array_t* array;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    return array;
}

static void write_readings(const char* uri) {
    int32_t day[] = {3, 11, 12, 40, 41, 77}, rain[] = {12, 3, 0, 30, 8, 21};
    uint8_t worked[] = {1, 1, 0, 1, 1, 1};
    char observer[] = "noraidaidalarsnoraida";
    uint64_t starts[] = {0, 4, 7, 10, 14, 18};
    uint64_t sizes[] = {sizeof day, sizeof rain, sizeof worked, sizeof observer - 1, sizeof starts};
    tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "day", day, &sizes[0]));
    check(tiledb_query_set_data_buffer(ctx, query, "rain", rain, &sizes[1]));
    check(tiledb_query_set_validity_buffer(ctx, query, "rain", worked, &sizes[2]));
    check(tiledb_query_set_data_buffer(ctx, query, "observer", observer, &sizes[3]));
    check(tiledb_query_set_offsets_buffer(ctx, query, "observer", starts, &sizes[4]));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Asks the query for an operator of a field, under a name of its own. */
static void apply(tiledb_query_t* query, tiledb_query_channel_t* channel, const tiledb_channel_operator_t* operator,
                  const char* field, const char* name) {
    tiledb_channel_operation_t* operation;
    check(tiledb_create_unary_aggregate(ctx, query, operator, field, &operation));
    check(tiledb_channel_apply_aggregate(ctx, channel, name, operation));
    check(tiledb_aggregate_free(ctx, &operation));
}

static void show(const char* uri, int32_t from, int32_t to) {
    tiledb_array_t* array = open_array(uri, TILEDB_READ);
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    tiledb_query_channel_t* channel;
    const tiledb_channel_operation_t* count;
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &from, &to, NULL));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    tiledb_subarray_free(&subarray);

    check(tiledb_query_get_default_channel(ctx, query, &channel));
    check(tiledb_aggregate_count_get(ctx, &count));
    check(tiledb_channel_apply_aggregate(ctx, channel, "readings", count));
    apply(query, channel, tiledb_channel_operator_null_count, "rain", "failures");
    apply(query, channel, tiledb_channel_operator_sum, "rain", "total");
    apply(query, channel, tiledb_channel_operator_max, "rain", "most");
    apply(query, channel, tiledb_channel_operator_mean, "rain", "mean");
    apply(query, channel, tiledb_channel_operator_min, "observer", "first");
    check(tiledb_query_channel_free(ctx, &channel));

    /* Every result is one cell. Those of a field with nulls may be null: where there is nothing to compute. */
    uint64_t readings, failures, sizes[] = {8, 8, 8, 4, 8}, valid_sizes[] = {1, 1, 1};
    int64_t total;
    int32_t most;
    double mean;
    uint8_t has_total, has_most, has_mean;
    char first[16];
    uint64_t first_size = sizeof first, start, start_size = sizeof start;
    check(tiledb_query_set_data_buffer(ctx, query, "readings", &readings, &sizes[0]));
    check(tiledb_query_set_data_buffer(ctx, query, "failures", &failures, &sizes[1]));
    check(tiledb_query_set_data_buffer(ctx, query, "total", &total, &sizes[2]));
    check(tiledb_query_set_validity_buffer(ctx, query, "total", &has_total, &valid_sizes[0]));
    check(tiledb_query_set_data_buffer(ctx, query, "most", &most, &sizes[3]));
    check(tiledb_query_set_validity_buffer(ctx, query, "most", &has_most, &valid_sizes[1]));
    check(tiledb_query_set_data_buffer(ctx, query, "mean", &mean, &sizes[4]));
    check(tiledb_query_set_validity_buffer(ctx, query, "mean", &has_mean, &valid_sizes[2]));
    check(tiledb_query_set_data_buffer(ctx, query, "first", first, &first_size));
    check(tiledb_query_set_offsets_buffer(ctx, query, "first", &start, &start_size));
    check(tiledb_query_submit(ctx, query));

    printf("Days %" PRId32 " to %" PRId32 ": %" PRIu64 " readings, %" PRIu64 " failed\n", from, to, readings, failures);
    if (has_total && has_most && has_mean)
        printf("  %" PRId64 " mm in all, at most %" PRId32 ", %.2f on average\n", total, most, mean);
    else
        printf("  no rain known\n");
    printf("  first observer by name: %.*s\n", (int)first_size, first);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(int argc, char** argv) {
    const char* uri = argc > 1 ? argv[1] : "aggregates_array";
    check(tiledb_ctx_alloc(NULL, &ctx));
    create(uri);
    write_readings(uri);
    show(uri, 1, 365);
    show(uri, 11, 40);
    show(uri, 12, 12);
    tiledb_ctx_free(&ctx);
    return 0;
}
