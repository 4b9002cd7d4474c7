/* Backup: an array is a folder of files that never change once written, so a copy of the folder is a copy of the array. */
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

enum { CELLS = 5 };

static void create(const char* uri) {
    int32_t range[] = {1, CELLS}, extent = CELLS;
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

/* Writes or reads all cells. */
static void transfer(const char* uri, tiledb_query_type_t type, int32_t* a) {
    int32_t whole[] = {1, CELLS};
    uint64_t size = CELLS * sizeof *a;
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
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void print(const char* uri) {
    int32_t a[CELLS];
    transfer(uri, TILEDB_READ, a);
    printf("%-18s", uri);
    for (int i = 0; i < CELLS; i++)
        printf(" %d", a[i]);
    printf("\n");
}

int main(void) {
    tiledb_vfs_t* vfs;
    check(tiledb_ctx_alloc(NULL, &ctx));
    check(tiledb_vfs_alloc(ctx, NULL, &vfs));
    create("original");
    transfer("original", TILEDB_WRITE, (int32_t[]){1, 2, 3, 4, 5});

    /* Copied while nobody vacuums it; who writes meanwhile does no harm. */
    check(tiledb_vfs_copy_dir(ctx, vfs, "original", "backup"));
    transfer("original", TILEDB_WRITE, (int32_t[]){9, 9, 9, 9, 9});
    print("original");
    print("backup");

    /* The backup takes the place of the original. */
    check(tiledb_object_remove(ctx, "original"));
    check(tiledb_object_move(ctx, "backup", "original"));
    printf("restored:\n");
    print("original");
    tiledb_vfs_free(&vfs);
    tiledb_ctx_free(&ctx);
    return 0;
}
