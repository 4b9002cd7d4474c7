/*
 * Deleting cells by a condition: a delete is stored with its time like a write, so the cells are gone for who opens the
 * array later, and still there for who opens it as it was before.
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

static const char* const uri = "deletes_array";

static void create(void) {
    int32_t range[] = {1, 1000}, extent = 100;
    tiledb_dimension_t* visitor;
    tiledb_domain_t* domain;
    tiledb_attribute_t* days;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "visitor", TILEDB_INT32, range, &extent, &visitor));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, visitor));
    check(tiledb_attribute_alloc(ctx, "days", TILEDB_INT32, &days));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, days));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&days);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&visitor);
}

/* Opens the array as of a time. */
static tiledb_array_t* open_at(uint64_t time, tiledb_query_type_t type) {
    tiledb_array_t* array;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_set_open_timestamp_end(ctx, array, time));
    check(tiledb_array_open(ctx, array, type));
    return array;
}

static void end(tiledb_query_t* query, tiledb_array_t* array) {
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void store(uint64_t time) {
    int32_t visitors[] = {11, 12, 13, 14, 15}, days[] = {3, 40, 12, 95, 31};
    uint64_t visitors_size = sizeof visitors, days_size = sizeof days;
    tiledb_query_t* query;
    tiledb_array_t* array = open_at(time, TILEDB_WRITE);
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "visitor", visitors, &visitors_size));
    check(tiledb_query_set_data_buffer(ctx, query, "days", days, &days_size));
    check(tiledb_query_submit(ctx, query));
    end(query, array);
}

/* Deletes who did not come for longer than so many days. */
static void forget(uint64_t time, int32_t days) {
    tiledb_query_t* query;
    tiledb_query_condition_t* long_ago;
    tiledb_array_t* array = open_at(time, TILEDB_DELETE);
    check(tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
    check(tiledb_query_condition_alloc(ctx, &long_ago));
    check(tiledb_query_condition_init(ctx, long_ago, "days", &days, sizeof days, TILEDB_GT));
    check(tiledb_query_set_condition(ctx, query, long_ago));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_condition_free(&long_ago);
    end(query, array);
}

static void print(uint64_t time) {
    int32_t visitors[10], days[10];
    uint64_t visitors_size = sizeof visitors, days_size = sizeof days;
    tiledb_query_t* query;
    tiledb_array_t* array = open_at(time, TILEDB_READ);
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_data_buffer(ctx, query, "visitor", visitors, &visitors_size));
    check(tiledb_query_set_data_buffer(ctx, query, "days", days, &days_size));
    check(tiledb_query_submit(ctx, query));
    printf("at time %d:", (int)time);
    for (uint64_t i = 0; i < visitors_size / sizeof *visitors; i++)
        printf("  %d (%d days ago)", visitors[i], days[i]);
    printf("\n");
    end(query, array);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create();
    store(1);
    forget(2, 30);
    print(1);
    print(2);
    tiledb_ctx_free(&ctx);
    return 0;
}
