/* Many threads: contexts and arrays shared, handles freed beside running calls, submits cancelled and watched. */
#define _DEFAULT_SOURCE /* usleep */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_rs.h>
#include <unistd.h>

#define THREADS 8
#define CELLS 200000
#define ROUNDS 40

#define CHECK(condition)                                                                                                   \
    do {                                                                                                                   \
        if (!(condition)) {                                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                \
            _exit(1);                                                                                                      \
        }                                                                                                                  \
    } while (0)

typedef void* work_t(void*);

static tiledb_ctx_t* ctx;
/* What some threads use while another one frees it and makes it anew. */
static tiledb_array_t* shared_array;
static tiledb_query_t* shared_query;
static int stop;

static int64_t value_of(int64_t cell) {
    return 3 * cell + 1;
}

static void create(const char* uri) {
    int64_t range[] = {0, CELLS - 1}, extent = 1000;
    tiledb_dimension_t* dimension;
    tiledb_domain_t* domain;
    tiledb_attribute_t* attribute;
    tiledb_array_schema_t* schema;
    CHECK(tiledb_domain_alloc(ctx, &domain) == TILEDB_OK);
    CHECK(tiledb_dimension_alloc(ctx, "d", TILEDB_INT64, range, &extent, &dimension) == TILEDB_OK);
    CHECK(tiledb_domain_add_dimension(ctx, domain, dimension) == TILEDB_OK);
    CHECK(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema) == TILEDB_OK);
    CHECK(tiledb_array_schema_set_domain(ctx, schema, domain) == TILEDB_OK);
    CHECK(tiledb_attribute_alloc(ctx, "a", TILEDB_INT64, &attribute) == TILEDB_OK);
    CHECK(tiledb_array_schema_add_attribute(ctx, schema, attribute) == TILEDB_OK);
    CHECK(tiledb_array_create(ctx, uri, schema) == TILEDB_OK);
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&attribute);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&dimension);
}

static tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type) {
    tiledb_array_t* array;
    CHECK(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
    CHECK(tiledb_array_open(ctx, array, type) == TILEDB_OK);
    return array;
}

/* A query about the cells from first to last. */
static tiledb_query_t* prepare(
    tiledb_array_t* array, tiledb_query_type_t type, int64_t first, int64_t last, int64_t* values, uint64_t* bytes) {
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    CHECK(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
    CHECK(tiledb_subarray_add_range(ctx, subarray, 0, &first, &last, NULL) == TILEDB_OK);
    CHECK(tiledb_query_alloc(ctx, array, type, &query) == TILEDB_OK);
    CHECK(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
    CHECK(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
    *bytes = (uint64_t)(last - first + 1) * sizeof *values;
    CHECK(tiledb_query_set_data_buffer(ctx, query, "a", values, bytes) == TILEDB_OK);
    tiledb_subarray_free(&subarray);
    return query;
}

static void write_all(const char* uri) {
    int64_t* values = malloc(CELLS * sizeof *values);
    uint64_t bytes;
    CHECK(values != NULL);
    for (int64_t cell = 0; cell < CELLS; cell++)
        values[cell] = value_of(cell);
    tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
    tiledb_query_t* query = prepare(array, TILEDB_WRITE, 0, CELLS - 1, values, &bytes);
    CHECK(tiledb_query_submit(ctx, query) == TILEDB_OK);
    tiledb_query_free(&query);
    tiledb_array_free(&array);
    free(values);
}

static void check_read(tiledb_array_t* array, int64_t first, int64_t last) {
    int64_t* values = calloc((size_t)(last - first + 1), sizeof *values);
    uint64_t bytes;
    CHECK(values != NULL);
    tiledb_query_t* query = prepare(array, TILEDB_READ, first, last, values, &bytes);
    CHECK(tiledb_query_submit(ctx, query) == TILEDB_OK);
    tiledb_query_status_t status;
    CHECK(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK && status == TILEDB_COMPLETED);
    for (int64_t cell = first; cell <= last; cell++)
        CHECK(values[cell - first] == value_of(cell));
    tiledb_query_free(&query);
    free(values);
}

/* Runs the same work in all threads; each gets its number. */
static void everywhere(work_t* work) {
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void*)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void* write_and_read_own_array(void* number) {
    char uri[32];
    snprintf(uri, sizeof uri, "own%d", (int)(intptr_t)number);
    create(uri);
    write_all(uri);
    tiledb_array_t* array = open_array(uri, TILEDB_READ);
    for (int64_t i = 0; i < 5; i++)
        check_read(array, i * 100, CELLS - 1 - i * 999);
    tiledb_array_free(&array);
    return NULL;
}

static void* read_shared_array(void* number) {
    for (int64_t i = 0; i < 10; i++)
        check_read(shared_array, (intptr_t)number * 1000 + i, CELLS - 1 - i);
    return NULL;
}

/* Every call may find the handle freed; then it says so, and nothing else happens. */
static void* use_what_is_freed(void* number) {
    (void)number;
    static int64_t discarded[THREADS][1000];
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        tiledb_array_t* array = __atomic_load_n(&shared_array, __ATOMIC_ACQUIRE);
        tiledb_query_t* query = __atomic_load_n(&shared_query, __ATOMIC_ACQUIRE);
        tiledb_query_status_t status;
        tiledb_array_schema_t* schema = NULL;
        tiledb_query_t* own = NULL;
        uint64_t bytes = sizeof discarded[0];
        int32_t is_open;
        tiledb_array_is_open(ctx, array, &is_open);
        if (tiledb_array_get_schema(ctx, array, &schema) == TILEDB_OK)
            tiledb_array_schema_free(&schema);
        if (tiledb_query_alloc(ctx, array, TILEDB_READ, &own) == TILEDB_OK) {
            tiledb_query_set_data_buffer(ctx, own, "a", discarded[(intptr_t)number], &bytes);
            tiledb_query_submit(ctx, own);
            tiledb_query_free(&own);
        }
        CHECK(own == NULL);
        tiledb_query_get_status(ctx, query, &status);
        tiledb_query_submit(ctx, query);
    }
    return NULL;
}

static void* free_what_is_used(void* unused) {
    (void)unused;
    /* Each query has buffers of its own, which outlive it: others may still submit the query of an earlier round. */
    static int64_t values[ROUNDS][CELLS];
    static uint64_t bytes[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        tiledb_array_t* array = open_array("shared", TILEDB_READ);
        tiledb_query_t* query = prepare(array, TILEDB_READ, 0, CELLS - 1, values[round], &bytes[round]);
        tiledb_array_t* old_array = __atomic_exchange_n(&shared_array, array, __ATOMIC_ACQ_REL);
        tiledb_query_t* old_query = __atomic_exchange_n(&shared_query, query, __ATOMIC_ACQ_REL);
        usleep(500);
        if (round % 2 == 0)
            tiledb_array_close(ctx, old_array);
        tiledb_array_free(&old_array);
        tiledb_query_free(&old_query);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void* free_or_use(void* number) {
    return (intptr_t)number == 0 ? free_what_is_used(number) : use_what_is_freed(number);
}

/* A submit while others cancel it and ask how it stands: it completes, or says that it was cancelled. */
static void* submit_again_and_again(void* unused) {
    (void)unused;
    static int64_t values[CELLS];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t bytes;
        tiledb_query_t* query = prepare(shared_array, TILEDB_READ, 0, CELLS - 1, values, &bytes);
        __atomic_store_n(&shared_query, query, __ATOMIC_RELEASE);
        if (tiledb_query_submit(ctx, query) == TILEDB_OK) {
            CHECK(bytes == sizeof values && values[CELLS - 1] == value_of(CELLS - 1));
        } else {
            tiledb_error_t* error = NULL;
            const char* message = "";
            CHECK(tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL);
            CHECK(tiledb_error_message(error, &message) == TILEDB_OK);
            CHECK(strstr(message, "ancel") != NULL);
            tiledb_error_free(&error);
        }
        __atomic_store_n(&shared_query, NULL, __ATOMIC_RELEASE);
        tiledb_query_free(&query);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void* watch_or_cancel(void* number) {
    if ((intptr_t)number == 0)
        return submit_again_and_again(number);
    /* Errors of a context are its last one's, so those who fail on purpose have a context of their own. */
    tiledb_ctx_t* own;
    CHECK(tiledb_ctx_alloc(NULL, &own) == TILEDB_OK);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        tiledb_query_t* query = __atomic_load_n(&shared_query, __ATOMIC_ACQUIRE);
        tiledb_query_status_t status = TILEDB_UNINITIALIZED;
        if (query != NULL && tiledb_query_get_status(own, query, &status) == TILEDB_OK)
            CHECK(status != TILEDB_INCOMPLETE && status != TILEDB_INITIALIZED);
        if ((intptr_t)number <= 2)
            CHECK(tiledb_ctx_cancel_tasks(ctx) == TILEDB_OK);
    }
    tiledb_ctx_free(&own);
    return NULL;
}

static void* contexts_come_and_go(void* unused) {
    (void)unused;
    for (int round = 0; round < 10; round++) {
        tiledb_ctx_t* own;
        tiledb_array_t* array;
        CHECK(tiledb_ctx_alloc(NULL, &own) == TILEDB_OK);
        CHECK(tiledb_array_alloc(own, "shared", &array) == TILEDB_OK);
        CHECK(tiledb_array_open(own, array, TILEDB_READ) == TILEDB_OK);
        tiledb_ctx_free(&own);
        /* The array outlives the context it was opened with. */
        check_read(array, 10, 2000);
        tiledb_array_free(&array);
    }
    return NULL;
}

static void maintain(const char* uri, const char* mode, const char* value, int vacuum) {
    tiledb_config_t* config;
    tiledb_error_t* error = NULL;
    CHECK(tiledb_config_alloc(&config, &error) == TILEDB_OK);
    CHECK(tiledb_config_set(config, mode, value, &error) == TILEDB_OK);
    if (vacuum)
        CHECK(tiledb_array_vacuum(ctx, uri, config) == TILEDB_OK);
    else
        CHECK(tiledb_array_consolidate(ctx, uri, config) == TILEDB_OK);
    tiledb_config_free(&config);
}

/* Each thread writes, reads, consolidates and vacuums an array of its own, and one that all write, read and consolidate;
 * all with one context. What is written is always the same. */
static void* all_at_once(void* number) {
    char uri[32];
    snprintf(uri, sizeof uri, "mixed%d", (int)(intptr_t)number);
    create(uri);
    for (int round = 0; round < 4; round++) {
        write_all(uri);
        if ((intptr_t)number % 4 == 0)
            write_all("common");
        if ((intptr_t)number == 1)
            maintain("common", "sm.consolidation.mode", "fragments", 0);
        if ((intptr_t)number == 2)
            maintain("common", "sm.consolidation.mode", "commits", 0);
        tiledb_array_t* array = open_array("common", TILEDB_READ);
        check_read(array, round * 1000, CELLS - 1);
        tiledb_array_free(&array);
        if (round % 2 == 1) {
            maintain(uri, "sm.consolidation.mode", "fragments", 0);
            maintain(uri, "sm.vacuum.mode", "fragments", 1);
        }
        array = open_array(uri, TILEDB_READ);
        check_read(array, 0, CELLS - 1);
        tiledb_array_free(&array);
    }
    return NULL;
}

int main(void) {
    CHECK(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
    everywhere(write_and_read_own_array);
    create("common");
    write_all("common");
    everywhere(all_at_once);

    create("shared");
    write_all("shared");
    shared_array = open_array("shared", TILEDB_READ);
    everywhere(read_shared_array);
    everywhere(contexts_come_and_go);

    everywhere(free_or_use);
    tiledb_query_free(&shared_query);

    stop = 0;
    everywhere(watch_or_cancel);
    check_read(shared_array, 0, CELLS - 1);

    tiledb_array_free(&shared_array);
    tiledb_ctx_free(&ctx);
    CHECK(tiledb_rs_live_handles() == 0);
    return 0;
}
