/* A 4 x 4 dense array: create it, write every cell, read two rows back. */
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
    int32_t range[] = {1, 4}, extent = 2;
    tiledb_dimension_t *rows, *cols;
    tiledb_domain_t* domain;
    tiledb_attribute_t* a;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "rows", TILEDB_INT32, range, &extent, &rows));
    check(tiledb_dimension_alloc(ctx, "cols", TILEDB_INT32, range, &extent, &cols));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, rows));
    check(tiledb_domain_add_dimension(ctx, domain, cols));
    check(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, a));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&a);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&cols);
    tiledb_dimension_free(&rows);
}

/* Writes or reads the rows first..last of all columns, in row-major order. */
static void transfer(const char* uri, tiledb_query_type_t type, int32_t first, int32_t last, int32_t* data) {
    int32_t cols[] = {1, 4};
    uint64_t bytes = (uint64_t)(last - first + 1) * 4 * sizeof *data;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &first, &last, NULL));
    check(tiledb_subarray_add_range(ctx, subarray, 1, &cols[0], &cols[1], NULL));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "a", data, &bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    int32_t written[16], read[8];
    for (int i = 0; i < 16; i++)
        written[i] = i + 1;
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("quickstart_dense");
    transfer("quickstart_dense", TILEDB_WRITE, 1, 4, written);
    transfer("quickstart_dense", TILEDB_READ, 2, 3, read);
    for (int row = 0; row < 2; row++) {
        const int32_t* cells = read + 4 * row;
        printf("row %d: %2d %2d %2d %2d\n", row + 2, cells[0], cells[1], cells[2], cells[3]);
    }
    tiledb_ctx_free(&ctx);
    return 0;
}
