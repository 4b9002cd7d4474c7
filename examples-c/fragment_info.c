/* Every write makes a fragment: what the fragments of an array are, without reading a cell. */
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

static void create(const char* uri) {
    int32_t range[] = {0, 999}, extent = 100;
    tiledb_dimension_t* x;
    tiledb_domain_t* domain;
    tiledb_attribute_t* a;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, range, &extent, &x));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, x));
    check(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, a));
    check(tiledb_array_schema_set_capacity(ctx, schema, 4));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&a);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&x);
}

/* Writes `count` cells at first, first + step, ... */
static void write_cells(const char* uri, uint64_t time, int32_t first, int32_t step, int count) {
    int32_t x[16], a[16];
    uint64_t bytes[] = {(uint64_t)count * sizeof *x, (uint64_t)count * sizeof *a};
    tiledb_array_t* array;
    tiledb_query_t* query;
    for (int i = 0; i < count; i++)
        x[i] = a[i] = first + i * step;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_set_open_timestamp_end(ctx, array, time));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "x", x, &bytes[0]));
    check(tiledb_query_set_data_buffer(ctx, query, "a", a, &bytes[1]));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void show_fragment(tiledb_fragment_info_t* info, uint32_t i) {
    uint64_t start, end, cells, boxes;
    int32_t sparse, range[2];
    uint32_t version;
    check(tiledb_fragment_info_get_timestamp_range(ctx, info, i, &start, &end));
    check(tiledb_fragment_info_get_sparse(ctx, info, i, &sparse));
    check(tiledb_fragment_info_get_cell_num(ctx, info, i, &cells));
    check(tiledb_fragment_info_get_version(ctx, info, i, &version));
    check(tiledb_fragment_info_get_non_empty_domain_from_name(ctx, info, i, "x", range));
    check(tiledb_fragment_info_get_mbr_num(ctx, info, i, &boxes));
    printf("fragment %" PRIu32 ": %s, time %" PRIu64 ", format %" PRIu32 ", %" PRIu64 " cells from x = %d to %d\n", i,
           sparse ? "sparse" : "dense", start, version, cells, range[0], range[1]);
    for (uint32_t box = 0; box < boxes; box++) {
        check(tiledb_fragment_info_get_mbr_from_name(ctx, info, i, box, "x", range));
        printf("  tile %" PRIu32 " spans %d to %d\n", box, range[0], range[1]);
    }
}

int main(void) {
    const char* uri = "fragment_info";
    uint32_t fragments;
    uint64_t cells;
    tiledb_fragment_info_t* info;
    check(tiledb_ctx_alloc(NULL, &ctx));
    create(uri);
    write_cells(uri, 100, 0, 10, 10);
    write_cells(uri, 200, 500, 1, 4);
    write_cells(uri, 300, 0, 300, 3);

    check(tiledb_fragment_info_alloc(ctx, uri, &info));
    check(tiledb_fragment_info_load(ctx, info));
    check(tiledb_fragment_info_get_fragment_num(ctx, info, &fragments));
    check(tiledb_fragment_info_get_total_cell_num(ctx, info, &cells));
    printf("%" PRIu32 " fragments, %" PRIu64 " cells\n", fragments, cells);
    for (uint32_t i = 0; i < fragments; i++)
        show_fragment(info, i);
    tiledb_fragment_info_free(&info);
    tiledb_ctx_free(&ctx);
    return 0;
}
