/* Several ranges per dimension: the result is every row asked for with every column asked for. */
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

/* A multiplication table of 10 x 10. */
static void create(const char* uri) {
    int32_t range[] = {1, 10}, extent = 5;
    tiledb_dimension_t *rows, *cols;
    tiledb_domain_t* domain;
    tiledb_attribute_t* product;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "row", TILEDB_INT32, range, &extent, &rows));
    check(tiledb_dimension_alloc(ctx, "col", TILEDB_INT32, range, &extent, &cols));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, rows));
    check(tiledb_domain_add_dimension(ctx, domain, cols));
    check(tiledb_attribute_alloc(ctx, "product", TILEDB_INT32, &product));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, product));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&product);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&cols);
    tiledb_dimension_free(&rows);
}

static void write_table(const char* uri) {
    int32_t products[10][10], whole[] = {1, 10, 1, 10};
    uint64_t bytes = sizeof products;
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    for (int row = 0; row < 10; row++)
        for (int col = 0; col < 10; col++)
            products[row][col] = (row + 1) * (col + 1);
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_set_subarray(ctx, subarray, whole));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "product", products, &bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void add_range(tiledb_subarray_t* subarray, const char* dimension, int32_t first, int32_t last) {
    check(tiledb_subarray_add_range_by_name(ctx, subarray, dimension, &first, &last, NULL));
}

/* How many lines of the table the ranges of a dimension take. */
static int lines(tiledb_subarray_t* subarray, const char* dimension) {
    uint64_t ranges;
    int count = 0;
    check(tiledb_subarray_get_range_num_from_name(ctx, subarray, dimension, &ranges));
    printf("  %s", dimension);
    for (uint64_t i = 0; i < ranges; i++) {
        const void *first, *last, *stride;
        check(tiledb_subarray_get_range_from_name(ctx, subarray, dimension, i, &first, &last, &stride));
        int32_t low = *(const int32_t*)first, high = *(const int32_t*)last;
        printf(low == high ? " %d" : " %d-%d", low, high);
        count += high - low + 1;
    }
    printf("\n");
    return count;
}

static void read_pieces(const char* uri) {
    int32_t products[100];
    uint64_t bytes = sizeof products;
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    add_range(subarray, "row", 9, 9); /* the result has the ranges in the order in which they were added */
    add_range(subarray, "row", 2, 3);
    add_range(subarray, "col", 1, 2);
    add_range(subarray, "col", 5, 5);
    add_range(subarray, "col", 9, 10);
    printf("ranges:\n");
    int rows = lines(subarray, "row"), cols = lines(subarray, "col");
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "product", products, &bytes));
    check(tiledb_query_submit(ctx, query));
    printf("%" PRIu64 " cells:\n", bytes / sizeof *products);
    for (int row = 0; row < rows; row++) {
        for (int col = 0; col < cols; col++)
            printf(" %4d", products[row * cols + col]);
        printf("\n");
    }
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("multi_range");
    write_table("multi_range");
    read_pieces("multi_range");
    tiledb_ctx_free(&ctx);
    return 0;
}
