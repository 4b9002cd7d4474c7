/*
 * Layouts: the same cells of a dense array in three orders. Rows and columns are orders of the whole range that is read;
 * the global order goes tile by tile, as the cells lie on disk, and is the fastest for much data.
 */
#include <stdint.h>
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

static const char* const uri = "layouts_array";

enum { CELLS = 16 };

/* 4 x 4 cells in tiles of 2 x 2. */
static void create(void) {
    int32_t range[] = {1, 4}, extent = 2;
    const char* names[] = {"row", "col"};
    tiledb_domain_t* domain;
    tiledb_attribute_t* a;
    tiledb_array_schema_t* schema;
    check(tiledb_domain_alloc(ctx, &domain));
    for (int i = 0; i < 2; i++) {
        tiledb_dimension_t* dimension;
        check(tiledb_dimension_alloc(ctx, names[i], TILEDB_INT32, range, &extent, &dimension));
        check(tiledb_domain_add_dimension(ctx, domain, dimension));
        tiledb_dimension_free(&dimension);
    }
    check(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, a));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&a);
    tiledb_domain_free(&domain);
}

/* Writes or reads all cells in a layout. */
static void transfer(tiledb_query_type_t type, tiledb_layout_t layout, int32_t* a) {
    int32_t whole[] = {1, 4, 1, 4};
    uint64_t size = CELLS * sizeof *a;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_set_subarray(ctx, subarray, whole));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, layout));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "a", a, &size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void print(tiledb_layout_t layout) {
    int32_t a[CELLS];
    const char* name;
    check(tiledb_layout_to_str(layout, &name));
    transfer(TILEDB_READ, layout, a);
    printf("%-12s", name);
    for (int i = 0; i < CELLS; i++)
        printf(" %d", a[i]);
    printf("\n");
}

int main(void) {
    int32_t by_rows[CELLS];
    for (int i = 0; i < CELLS; i++)
        by_rows[i] = 10 * (i / 4 + 1) + i % 4 + 1;
    check(tiledb_ctx_alloc(NULL, &ctx));
    create();
    transfer(TILEDB_WRITE, TILEDB_ROW_MAJOR, by_rows);
    printf("cell 23 is the one in row 2, column 3\n");
    print(TILEDB_ROW_MAJOR);
    print(TILEDB_COL_MAJOR);
    print(TILEDB_GLOBAL_ORDER);
    tiledb_ctx_free(&ctx);
    return 0;
}
