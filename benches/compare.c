/* Measures everyday work through the C interface: the same program runs on either library, whichever the loader finds as
 * libtiledb.so.2.30. It prints one line per case: its name, and milliseconds of processor time of the best repetition.
 *
 * usage: compare FOLDER REPETITIONS      FOLDER is empty; tools/compare.sh runs both libraries in turn */
#include "common.h"

enum { SIDE = 2000, TILE = 250, CELLS = SIDE * SIDE, SPARSE = 500000, KEYS = 2000 };

static int32_t numbers[CELLS], back[CELLS];
static int32_t xs[SPARSE], ys[SPARSE], values[SPARSE];

/* A two-dimensional array of integers `a`, compressed by Zstandard where a level is given. */
static void create(const char* name, tiledb_array_type_t type, int32_t level) {
    int32_t range[] = {0, SIDE - 1}, extent = TILE;
    tiledb_domain_t* domain;
    check(tiledb_domain_alloc(ctx, &domain));
    add_dimension(domain, "y", TILEDB_INT32, range, &extent, NULL);
    add_dimension(domain, "x", TILEDB_INT32, range, &extent, NULL);
    create_array(name, type, domain, TILEDB_INT32, zstd(level));
}

/* Reads a square box of the open array, or writes it from its buffers. */
static void box(tiledb_array_t* array, tiledb_query_type_t type, tiledb_layout_t layout, int32_t y, int32_t x, int32_t side) {
    int32_t end_y = y + side - 1, end_x = x + side - 1;
    uint64_t size = (uint64_t)side * (uint64_t)side * sizeof(int32_t);
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &y, &end_y, NULL));
    check(tiledb_subarray_add_range(ctx, subarray, 1, &x, &end_x, NULL));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, layout));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "a", type == TILEDB_WRITE ? numbers : back, &size));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
}

static tiledb_array_t* opened;

static void write_dense(const char* name) {
    tiledb_array_t* array = open_array(name, TILEDB_WRITE);
    box(array, TILEDB_WRITE, TILEDB_ROW_MAJOR, 0, 0, SIDE);
    close_array(array);
}
static void write_raw(void) { write_dense("raw"); }
static void write_zstd(void) { write_dense("zstd"); }
static void read_all(void) { box(opened, TILEDB_READ, TILEDB_ROW_MAJOR, 0, 0, SIDE); }
static void read_boxes(void) {
    for (int i = 0; i < 200; i++)
        box(opened, TILEDB_READ, TILEDB_ROW_MAJOR, (int32_t)(random_number() % (SIDE - 16)), (int32_t)(random_number() % (SIDE - 16)), 16);
}
static void read_sparse_boxes(void) {
    for (int i = 0; i < 100; i++)
        box(opened, TILEDB_READ, TILEDB_UNORDERED, (int32_t)(random_number() % (SIDE - 100)), (int32_t)(random_number() % (SIDE - 100)), 100);
}

static void write_sparse(void) {
    tiledb_array_t* array = open_array("sparse", TILEDB_WRITE);
    uint64_t sizes[] = {sizeof ys, sizeof xs, sizeof values};
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "y", ys, &sizes[0]));
    check(tiledb_query_set_data_buffer(ctx, query, "x", xs, &sizes[1]));
    check(tiledb_query_set_data_buffer(ctx, query, "a", values, &sizes[2]));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
}

static void put_metadata(void) {
    tiledb_array_t* array = open_array("raw", TILEDB_WRITE);
    for (int i = 0; i < KEYS; i++) {
        char key[32];
        snprintf(key, sizeof key, "key %d", i);
        check(tiledb_array_put_metadata(ctx, array, key, TILEDB_INT32, 1, &i));
    }
    close_array(array);
}

static void many_contexts(void) {
    for (int i = 0; i < 100; i++) {
        tiledb_ctx_t* one;
        if (tiledb_ctx_alloc(NULL, &one) != TILEDB_OK)
            exit(1);
        tiledb_ctx_free(&one);
    }
}

static void measure(const char* name, int repetitions, void (*work)(void)) {
    double best = 1e300;
    for (int i = 0; i < repetitions; i++) {
        double start = seconds(CLOCK_PROCESS_CPUTIME_ID) * 1e3;
        work();
        double took = seconds(CLOCK_PROCESS_CPUTIME_ID) * 1e3 - start;
        best = took < best ? took : best;
    }
    printf("%s\t%.3f\n", name, best);
    fflush(stdout);
}

int main(int count, char** arguments) {
    if (count != 3)
        return 2;
    folder = arguments[1];
    int repetitions = atoi(arguments[2]);
    for (int i = 0; i < CELLS; i++)
        numbers[i] = (int32_t)(i / 7 + (int)(random_number() % 16));
    /* Cells at different places in random order: a walk over all places by a step without a common divisor. */
    for (uint64_t i = 0; i < SPARSE; i++) {
        uint64_t place = i * 2654435761u % CELLS;
        ys[i] = (int32_t)(place / SIDE);
        xs[i] = (int32_t)(place % SIDE);
        values[i] = (int32_t)i;
    }
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("raw", TILEDB_DENSE, 0);
    create("zstd", TILEDB_DENSE, 3);
    create("sparse", TILEDB_SPARSE, 3);

    measure("write 16 MB, dense", repetitions, write_raw);
    measure("write 16 MB, dense, zstd", repetitions, write_zstd);
    measure("write 500,000 sparse cells in random order", repetitions, write_sparse);
    opened = open_array("raw", TILEDB_READ);
    measure("read 16 MB, dense", repetitions, read_all);
    measure("read 200 boxes of 16 x 16, dense", repetitions, read_boxes);
    close_array(opened);
    opened = open_array("zstd", TILEDB_READ);
    measure("read 16 MB, dense, zstd", repetitions, read_all);
    measure("read 200 boxes of 16 x 16, dense, zstd", repetitions, read_boxes);
    close_array(opened);
    opened = open_array("sparse", TILEDB_READ);
    measure("read 100 boxes of 100 x 100, sparse", repetitions, read_sparse_boxes);
    close_array(opened);
    measure("put 2,000 metadata keys", repetitions, put_metadata);
    measure("make and free 100 contexts", repetitions, many_contexts);
    tiledb_ctx_free(&ctx);
    return 0;
}
