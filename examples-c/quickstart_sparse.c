/* A 4 x 4 sparse array: only three cells exist. Write them in any order, read a box of them back in row-major order. */
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
    check(tiledb_attribute_alloc(ctx, "a", TILEDB_FLOAT64, &a));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, a));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&a);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&cols);
    tiledb_dimension_free(&rows);
}

static void write_cells(const char* uri) {
    int32_t rows[] = {2, 1, 2}, cols[] = {4, 1, 3};
    double values[] = {2.4, 1.1, 2.3};
    uint64_t rows_bytes = sizeof rows, cols_bytes = sizeof cols, values_bytes = sizeof values;
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "rows", rows, &rows_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "cols", cols, &cols_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "a", values, &values_bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void read_box(const char* uri, int32_t row_low, int32_t row_high, int32_t col_low, int32_t col_high) {
    int32_t rows[16], cols[16];
    double values[16];
    uint64_t rows_bytes = sizeof rows, cols_bytes = sizeof cols, values_bytes = sizeof values;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &row_low, &row_high, NULL));
    check(tiledb_subarray_add_range(ctx, subarray, 1, &col_low, &col_high, NULL));
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "rows", rows, &rows_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "cols", cols, &cols_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "a", values, &values_bytes));
    check(tiledb_query_submit(ctx, query));
    printf("rows %d to %d, columns %d to %d:\n", row_low, row_high, col_low, col_high);
    for (uint64_t i = 0; i < values_bytes / sizeof *values; i++)
        printf("  (%d, %d) = %.1f\n", rows[i], cols[i], values[i]);
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("quickstart_sparse");
    write_cells("quickstart_sparse");
    read_box("quickstart_sparse", 1, 4, 1, 4);
    read_box("quickstart_sparse", 2, 4, 2, 3);
    tiledb_ctx_free(&ctx);
    return 0;
}
