/* One write in pieces: cells that come in the order of the array go straight to disk, and become visible together. */
#include <inttypes.h>
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

/* A log: messages by time, sparse, with many cells per tile. */
static void create(const char* uri) {
    int64_t range[] = {0, 999999}, extent = 1000;
    tiledb_dimension_t* time;
    tiledb_domain_t* domain;
    tiledb_attribute_t* level;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "time", TILEDB_INT64, range, &extent, &time));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, time));
    check(tiledb_attribute_alloc(ctx, "level", TILEDB_UINT8, &level));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, level));
    check(tiledb_array_schema_set_capacity(ctx, schema, 100));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&level);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&time);
}

/* The number of messages that a reader finds now. */
static uint64_t count(const char* uri) {
    static uint8_t levels[10000];
    uint64_t bytes = sizeof levels;
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "level", levels, &bytes));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
    return bytes / sizeof *levels;
}

int main(void) {
    const char* uri = "log";
    int64_t times[250], next = 0;
    uint8_t levels[250];
    uint64_t times_bytes = sizeof times, levels_bytes = sizeof levels;
    uint32_t fragments;
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_ctx_alloc(NULL, &ctx));
    create(uri);

    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER));
    check(tiledb_query_set_data_buffer(ctx, query, "time", times, &times_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "level", levels, &levels_bytes));
    /* The same buffers, filled anew for each piece. */
    for (int piece = 1; piece <= 4; piece++) {
        for (int i = 0; i < 250; i++) {
            times[i] = next;
            levels[i] = (uint8_t)(next % 5);
            next += 1 + next % 7;
        }
        check(tiledb_query_submit(ctx, query));
        printf("piece %d written, a reader sees %" PRIu64 " messages\n", piece, count(uri));
    }
    check(tiledb_query_finalize(ctx, query));
    check(tiledb_query_get_fragment_num(ctx, query, &fragments));
    printf("finalized: %" PRIu32 " fragment, a reader sees %" PRIu64 " messages\n", fragments, count(uri));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
    tiledb_ctx_free(&ctx);
    return 0;
}
