/* Threads share a context and an open array; each has its own query and reads its part. */
#include <pthread.h>
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

enum { SIDE = 1000, THREADS = 4 };

static void create(const char* uri) {
    int32_t range[] = {0, SIDE - 1}, extent = 100;
    tiledb_dimension_t *rows, *cols;
    tiledb_domain_t* domain;
    tiledb_attribute_t* a;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "row", TILEDB_INT32, range, &extent, &rows));
    check(tiledb_dimension_alloc(ctx, "col", TILEDB_INT32, range, &extent, &cols));
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

/* A thread's rows, and what it finds in them. */
typedef struct {
    tiledb_array_t* array;
    tiledb_query_type_t type;
    int32_t rows[2];
    int32_t* cells;
    int64_t sum;
} part_t;

static void* transfer(void* data) {
    part_t* part = data;
    uint64_t count = (uint64_t)(part->rows[1] - part->rows[0] + 1) * SIDE, bytes = count * sizeof(int32_t);
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    check(tiledb_subarray_alloc(ctx, part->array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &part->rows[0], &part->rows[1], NULL));
    check(tiledb_query_alloc(ctx, part->array, part->type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "a", part->cells, &bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    for (uint64_t i = 0; i < count; i++)
        part->sum += part->cells[i];
    return NULL;
}

/* Lets every thread write or read a quarter of the rows; prints the sums of their cells. */
static void run(const char* uri, tiledb_query_type_t type, int32_t* cells) {
    pthread_t threads[THREADS];
    part_t parts[THREADS];
    int64_t total = 0;
    tiledb_array_t* array;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    for (int i = 0; i < THREADS; i++) {
        int32_t first = i * SIDE / THREADS, last = (i + 1) * SIDE / THREADS - 1;
        parts[i] = (part_t){array, type, {first, last}, cells + first * SIDE, 0};
        if (pthread_create(&threads[i], NULL, transfer, &parts[i]) != 0)
            exit(1);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        printf("thread %d %s rows %3d to %3d, sum %lld\n", i, type == TILEDB_WRITE ? "wrote" : "read", parts[i].rows[0],
               parts[i].rows[1], (long long)parts[i].sum);
        total += parts[i].sum;
    }
    printf("all: %lld\n", (long long)total);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    static int32_t written[SIDE * SIDE], read[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        written[i] = i % 1000 + i / 1000;
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("threads");
    run("threads", TILEDB_WRITE, written);
    run("threads", TILEDB_READ, read);
    tiledb_ctx_free(&ctx);
    return 0;
}
