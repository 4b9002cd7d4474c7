/* Statistics: what a program reads and writes is counted and timed where that is switched on; here of one query. */
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

static const char* const uri = "statistics_array";

enum { CELLS = 1000 };

static void create(void) {
    int32_t range[] = {1, CELLS}, extent = 100;
    tiledb_dimension_t* x;
    tiledb_domain_t* domain;
    tiledb_attribute_t* a;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, range, &extent, &x));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, x));
    check(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, a));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&a);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&x);
}

/* Writes or reads all cells; prints how often the query went through its work. */
static void transfer(tiledb_query_type_t type, int32_t* a) {
    int32_t whole[] = {1, CELLS};
    uint64_t size = CELLS * sizeof *a;
    char* text;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_set_subarray(ctx, subarray, whole));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "a", a, &size));
    check(tiledb_query_submit(ctx, query));

    /* A JSON object of "timers" and "counters". */
    check(tiledb_query_get_stats(ctx, query, &text));
    const char* loops = strstr(text, "\"Context.Query.Reader.loop_num\": ");
    const char* attributes = strstr(text, "\"Context.Query.Writer.attr_num\": ");
    if (loops != NULL)
        printf("the reader's loop ran %d time\n", atoi(strchr(loops, ':') + 1));
    if (attributes != NULL)
        printf("the writer wrote %d attribute\n", atoi(strchr(attributes, ':') + 1));
    check(tiledb_stats_free_str(&text));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    int32_t a[CELLS] = {0};
    char* text;
    check(tiledb_ctx_alloc(NULL, &ctx));
    create();
    check(tiledb_stats_enable());
    transfer(TILEDB_WRITE, a);
    transfer(TILEDB_READ, a);

    /* The numbers of the context are the sums of those of its queries, and of its files. */
    check(tiledb_ctx_get_stats(ctx, &text));
    const char* read = strstr(text, "\"Context.VFS.read_byte_num\": ");
    printf("bytes were read: %s\n", read != NULL && atoi(strchr(read, ':') + 1) > 0 ? "yes" : "no");
    check(tiledb_stats_free_str(&text));

    check(tiledb_stats_disable());
    check(tiledb_stats_reset());
    tiledb_ctx_free(&ctx);
    return 0;
}
