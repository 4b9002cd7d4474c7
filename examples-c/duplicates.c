/* Cells written twice at one place: the later one replaces the earlier, unless the schema keeps both. */
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

static void create(const char* uri, int keep_both) {
    int32_t range[] = {1, 10}, extent = 10;
    tiledb_dimension_t* table;
    tiledb_domain_t* domain;
    tiledb_attribute_t* guests;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "table", TILEDB_INT32, range, &extent, &table));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, table));
    check(tiledb_attribute_alloc(ctx, "guests", TILEDB_INT32, &guests));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, guests));
    check(tiledb_array_schema_set_allows_dups(ctx, schema, keep_both));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&guests);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&table);
}

/* Writes three cells, or reads at most eight; the number of cells. A write at a later time counts as later. */
static uint64_t transfer(const char* uri, tiledb_query_type_t type, uint64_t time, int32_t* tables, int32_t* guests) {
    uint64_t cells = type == TILEDB_WRITE ? 3 : 8;
    uint64_t tables_bytes = cells * sizeof *tables, guests_bytes = cells * sizeof *guests;
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_set_open_timestamp_end(ctx, array, time));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, type == TILEDB_WRITE ? TILEDB_UNORDERED : TILEDB_ROW_MAJOR));
    check(tiledb_query_set_data_buffer(ctx, query, "table", tables, &tables_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "guests", guests, &guests_bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
    return tables_bytes / sizeof *tables;
}

static void evening(const char* uri, int keep_both) {
    int32_t early_tables[] = {2, 5, 7}, early_guests[] = {4, 2, 6};
    int32_t late_tables[] = {5, 7, 9}, late_guests[] = {3, 1, 8};
    int32_t tables[8], guests[8];
    create(uri, keep_both);
    transfer(uri, TILEDB_WRITE, 18, early_tables, early_guests);
    transfer(uri, TILEDB_WRITE, 21, late_tables, late_guests);
    uint64_t cells = transfer(uri, TILEDB_READ, 24, tables, guests);
    int sum = 0;
    printf("%s:\n", uri);
    for (uint64_t i = 0; i < cells;) {
        /* The cells of one place lie side by side, in no order of their own. */
        int32_t table = tables[i], visits = 0, here = 0;
        for (; i < cells && tables[i] == table; i++) {
            visits++;
            here += guests[i];
        }
        printf("  table %d: %d cell%s, %d guests\n", table, visits, visits == 1 ? "" : "s", here);
        sum += here;
    }
    printf("  %d in all\n", sum);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    evening("the last guests at each table", 0);
    evening("all guests of the evening", 1);
    tiledb_ctx_free(&ctx);
    return 0;
}
