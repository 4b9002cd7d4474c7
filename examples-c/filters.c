/* Filters: the same numbers stored through different pipelines, and the bytes each takes on disk. */
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

enum { CELLS = 10000 };

/* One attribute per pipeline: its name tells what it does, at most three filters do it. */
static const struct {
    const char* name;
    tiledb_filter_type_t filters[3];
    int count;
} pipelines[] = {
    {"no filter", {TILEDB_FILTER_NONE}, 0},
    {"checksum", {TILEDB_FILTER_CHECKSUM_SHA256}, 1},
    {"bit width reduction", {TILEDB_FILTER_BIT_WIDTH_REDUCTION}, 1},
    {"delta, bit width reduction", {TILEDB_FILTER_DELTA, TILEDB_FILTER_BIT_WIDTH_REDUCTION}, 2},
    {"double delta", {TILEDB_FILTER_DOUBLE_DELTA}, 1},
    {"zstd", {TILEDB_FILTER_ZSTD}, 1},
    {"byteshuffle, zstd", {TILEDB_FILTER_BYTESHUFFLE, TILEDB_FILTER_ZSTD}, 2},
    {"delta, byteshuffle, zstd", {TILEDB_FILTER_DELTA, TILEDB_FILTER_BYTESHUFFLE, TILEDB_FILTER_ZSTD}, 3},
};
enum { PIPELINES = sizeof pipelines / sizeof *pipelines };

static tiledb_filter_list_t* filter_list(int pipeline) {
    tiledb_filter_list_t* list;
    check(tiledb_filter_list_alloc(ctx, &list));
    for (int i = 0; i < pipelines[pipeline].count; i++) {
        tiledb_filter_type_t type = pipelines[pipeline].filters[i];
        tiledb_filter_t* filter;
        check(tiledb_filter_alloc(ctx, type, &filter));
        if (type == TILEDB_FILTER_ZSTD) {
            int32_t level = 5;
            check(tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level));
        }
        check(tiledb_filter_list_add_filter(ctx, list, filter));
        tiledb_filter_free(&filter);
    }
    return list;
}

static void create(const char* uri) {
    int32_t range[] = {0, CELLS - 1}, extent = CELLS;
    tiledb_dimension_t* dimension;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "i", TILEDB_INT32, range, &extent, &dimension));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, dimension));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    for (int i = 0; i < PIPELINES; i++) {
        tiledb_attribute_t* attribute;
        tiledb_filter_list_t* filters = filter_list(i);
        check(tiledb_attribute_alloc(ctx, pipelines[i].name, TILEDB_INT64, &attribute));
        check(tiledb_attribute_set_filter_list(ctx, attribute, filters));
        check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
        tiledb_attribute_free(&attribute);
        tiledb_filter_list_free(&filters);
    }
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&dimension);
}

/* Writes or reads all attributes; each has CELLS values at its place in `values`. */
static void transfer(const char* uri, tiledb_query_type_t type, int64_t values[PIPELINES][CELLS]) {
    uint64_t bytes[PIPELINES];
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_set_subarray(ctx, subarray, (int32_t[]){0, CELLS - 1}));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    for (int i = 0; i < PIPELINES; i++) {
        bytes[i] = sizeof values[i];
        check(tiledb_query_set_data_buffer(ctx, query, pipelines[i].name, values[i], &bytes[i]));
    }
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Called for every file: the values of the first attribute lie in a0.tdb, of the second in a1.tdb, ... */
static int32_t note_size(const char* path, size_t path_len, uint64_t size, uint8_t is_folder, void* sizes) {
    const char* name = path + path_len;
    while (name > path && name[-1] != '/')
        name--;
    int attribute;
    if (!is_folder && sscanf(name, "a%d.tdb", &attribute) == 1 && attribute < PIPELINES)
        ((uint64_t*)sizes)[attribute] = size;
    return 1;
}

int main(void) {
    const char* uri = "filters";
    static int64_t written[PIPELINES][CELLS], read[PIPELINES][CELLS];
    check(tiledb_ctx_alloc(NULL, &ctx));
    create(uri);

    /* A clock: a tick about every 1000 microseconds, never quite. */
    int64_t time = 1700000000000000;
    uint32_t random = 1;
    for (int i = 0; i < CELLS; i++) {
        random = random * 1103515245 + 12345;
        time += 990 + random / 65536 % 20;
        for (int p = 0; p < PIPELINES; p++)
            written[p][i] = time;
    }
    transfer(uri, TILEDB_WRITE, written);
    transfer(uri, TILEDB_READ, read);
    const char* how = memcmp(written, read, sizeof read) == 0 ? "as written" : "damaged";
    printf("%d values came back %s\n", PIPELINES * CELLS, how);

    uint64_t sizes[PIPELINES] = {0};
    tiledb_vfs_t* vfs;
    check(tiledb_vfs_alloc(ctx, NULL, &vfs));
    check(tiledb_vfs_ls_recursive_v2(ctx, vfs, uri, note_size, sizes));
    tiledb_vfs_free(&vfs);
    printf("Of the %d bytes of a column, its file takes\n", (int)sizeof *written);
    for (int i = 0; i < PIPELINES; i++)
        printf("  %5.1f %%  %s\n", 100.0 * (double)sizes[i] / sizeof *written, pipelines[i].name);
    tiledb_ctx_free(&ctx);
    return 0;
}
