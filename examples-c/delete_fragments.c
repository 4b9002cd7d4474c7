/* Deleting whole writes: those of a span of time, or those that are named. What they covered shows again. */
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

static const char* const uri = "delete_fragments_array";

enum { CELLS = 6 };

static void create(void) {
    int32_t range[] = {1, CELLS}, extent = CELLS, fill = 0;
    tiledb_dimension_t* x;
    tiledb_domain_t* domain;
    tiledb_attribute_t* a;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, range, &extent, &x));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, x));
    check(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a));
    check(tiledb_attribute_set_fill_value(ctx, a, &fill, sizeof fill));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, a));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&a);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&x);
}

/* Writes or reads the cells from one to another, as of a time. */
static void transfer(tiledb_query_type_t type, uint64_t time, int32_t first, int32_t last, int32_t* a) {
    uint64_t size = (uint64_t)(last - first + 1) * sizeof *a;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_set_open_timestamp_end(ctx, array, time));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &first, &last, NULL));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "a", a, &size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void print(const char* when) {
    int32_t a[CELLS];
    transfer(TILEDB_READ, UINT64_MAX, 1, CELLS, a);
    printf("%-32s", when);
    for (int i = 0; i < CELLS; i++)
        printf(" %2d", a[i]);
    printf("\n");
}

/* Deletes the newest fragment by its name. */
static void delete_newest(void) {
    uint32_t count;
    const char* fragment;
    tiledb_fragment_info_t* info;
    check(tiledb_fragment_info_alloc(ctx, uri, &info));
    check(tiledb_fragment_info_load(ctx, info));
    check(tiledb_fragment_info_get_fragment_num(ctx, info, &count));
    check(tiledb_fragment_info_get_fragment_uri(ctx, info, count - 1, &fragment));
    check(tiledb_array_delete_fragments_list(ctx, uri, &fragment, 1));
    tiledb_fragment_info_free(&info);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create();
    transfer(TILEDB_WRITE, 10, 1, 6, (int32_t[]){1, 1, 1, 1, 1, 1});
    transfer(TILEDB_WRITE, 20, 2, 3, (int32_t[]){2, 2});
    transfer(TILEDB_WRITE, 30, 3, 4, (int32_t[]){3, 3});
    transfer(TILEDB_WRITE, 40, 4, 5, (int32_t[]){4, 4});
    print("four writes");
    check(tiledb_array_delete_fragments_v2(ctx, uri, 15, 35));
    print("without those of times 15 to 35");
    delete_newest();
    print("without the newest");
    tiledb_ctx_free(&ctx);
    return 0;
}
