/*
 * Consolidation and vacuum: every write is a fragment of its own. Many small ones make reading slow, so they are merged
 * into one from time to time, and what was merged is then removed. Cells keep the times of their writes, so the array can
 * still be read as it was.
 */
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

static const char* const uri = "consolidation_array";

enum { DAYS = 5 };

static void create(void) {
    int32_t range[] = {1, DAYS}, extent = DAYS;
    tiledb_dimension_t* day;
    tiledb_domain_t* domain;
    tiledb_attribute_t* visitors;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "day", TILEDB_INT32, range, &extent, &day));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, day));
    check(tiledb_attribute_alloc(ctx, "visitors", TILEDB_INT32, &visitors));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, visitors));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&visitors);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&day);
}

/* Opens the array as of a day. */
static tiledb_array_t* open_at(int32_t day, tiledb_query_type_t type) {
    tiledb_array_t* array;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_set_open_timestamp_end(ctx, array, (uint64_t)day));
    check(tiledb_array_open(ctx, array, type));
    return array;
}

static void store(int32_t day, int32_t visitors) {
    uint64_t day_size = sizeof day, visitors_size = sizeof visitors;
    tiledb_array_t* array = open_at(day, TILEDB_WRITE);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "day", &day, &day_size));
    check(tiledb_query_set_data_buffer(ctx, query, "visitors", &visitors, &visitors_size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void print(int32_t day) {
    int32_t visitors[DAYS];
    uint64_t size = sizeof visitors;
    tiledb_array_t* array = open_at(day, TILEDB_READ);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_data_buffer(ctx, query, "visitors", visitors, &size));
    check(tiledb_query_submit(ctx, query));
    printf("  as of day %d:", day);
    for (uint64_t i = 0; i < size / sizeof *visitors; i++)
        printf(" %d", visitors[i]);
    printf("%s\n", size == 0 ? " nothing" : "");
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Prints what the array consists of, and what it holds at two times. */
static void describe(const char* when) {
    uint32_t fragments, merged;
    tiledb_fragment_info_t* info;
    check(tiledb_fragment_info_alloc(ctx, uri, &info));
    check(tiledb_fragment_info_load(ctx, info));
    check(tiledb_fragment_info_get_fragment_num(ctx, info, &fragments));
    check(tiledb_fragment_info_get_to_vacuum_num(ctx, info, &merged));
    printf("%s: %u fragments, %u waiting to be removed\n", when, fragments, merged);
    tiledb_fragment_info_free(&info);
    print(2);
    print(DAYS);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create();
    for (int32_t day = 1; day <= DAYS; day++)
        store(day, 100 * day);
    describe("written day by day");
    check(tiledb_array_consolidate(ctx, uri, NULL));
    describe("consolidated");
    check(tiledb_array_vacuum(ctx, uri, NULL));
    describe("vacuumed");
    tiledb_ctx_free(&ctx);
    return 0;
}
