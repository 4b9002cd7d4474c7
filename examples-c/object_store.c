/* An array wherever there is room for it: on a disk, in memory, or in an object store. Only the URI tells which.
 *
 *     object_store                                       in memory
 *     object_store s3://BUCKET/array                     with the keys of ~/.aws, the environment or the machine
 *     object_store azure://CONTAINER/array gcs://BUCKET/array
 *
 * Where a store other than the usual ones runs, the environment can name it:
 *     TILEDB_VFS_S3_ENDPOINT_OVERRIDE=localhost:9000 TILEDB_VFS_S3_SCHEME=http TILEDB_VFS_S3_USE_VIRTUAL_ADDRESSING=false
 */
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

/* A grid of 4 x 4 cells in tiles of 2 x 2. */
static void create(const char* uri) {
    const int32_t ends[] = {1, 4}, extent = 2;
    const char* names[] = {"row", "column"};
    tiledb_domain_t* domain;
    tiledb_attribute_t* attribute;
    tiledb_array_schema_t* schema;
    check(tiledb_domain_alloc(ctx, &domain));
    for (int d = 0; d < 2; ++d) {
        tiledb_dimension_t* dimension;
        check(tiledb_dimension_alloc(ctx, names[d], TILEDB_INT32, ends, &extent, &dimension));
        check(tiledb_domain_add_dimension(ctx, domain, dimension));
        tiledb_dimension_free(&dimension);
    }
    check(tiledb_attribute_alloc(ctx, "value", TILEDB_INT32, &attribute));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&attribute);
    tiledb_domain_free(&domain);
}

/* Writes or reads the cells of a box. A write is a fragment of its own: nothing that is stored is ever changed. */
static void transfer(const char* uri, tiledb_query_type_t type, const int32_t box[4], int32_t* values, uint64_t count) {
    uint64_t size = count * sizeof *values;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    tiledb_query_status_t status;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_set_subarray(ctx, subarray, box));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "value", values, &size));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_get_status(ctx, query, &status));
    if (status != TILEDB_COMPLETED) {
        fprintf(stderr, "the query is not complete\n");
        exit(1);
    }
    check(tiledb_array_close(ctx, array));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    tiledb_array_free(&array);
}

static void tour(const char* uri) {
    const int32_t all[] = {1, 4, 1, 4}, middle[] = {2, 3, 2, 3};
    int32_t values[16], changed[] = {-1, -2, -3, -4};
    tiledb_object_t type;
    for (int cell = 0; cell < 16; ++cell)
        values[cell] = cell;

    create(uri);
    transfer(uri, TILEDB_WRITE, all, values, 16);
    transfer(uri, TILEDB_WRITE, middle, changed, 4);
    transfer(uri, TILEDB_READ, all, values, 16);
    for (int cell = 0; cell < 16; ++cell)
        printf("%4d%s", values[cell], cell % 4 == 3 ? "\n" : "");

    check(tiledb_object_remove(ctx, uri));
    check(tiledb_object_type(ctx, uri, &type));
    printf("  %s\n", type == TILEDB_INVALID ? "and gone" : "still there");
}

int main(int argc, char** argv) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    if (argc < 2)
        tour("mem://object_store");
    for (int number = 1; number < argc; ++number)
        tour(argv[number]);
    tiledb_ctx_free(&ctx);
    return 0;
}
