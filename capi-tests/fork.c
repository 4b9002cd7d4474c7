/* A process that used the library forks, also while other threads are at work; parent and child both go on using it. */
#define _DEFAULT_SOURCE /* usleep */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_rs.h>
#include <unistd.h>

#define CELLS 1000000 /* enough for the pool's threads to start */
#define FEW 5000       /* little work, many calls */

#define CHECK(condition)                                                                                                   \
    do {                                                                                                                   \
        if (!(condition))                                                                                                  \
            return __LINE__;                                                                                               \
    } while (0)

static int create(tiledb_ctx_t* ctx, const char* uri) {
    int64_t range[] = {0, CELLS - 1}, extent = 50000;
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
    return 0;
}

static int transfer(tiledb_ctx_t* ctx, const char* uri, tiledb_query_type_t type, int64_t* values, int64_t cells) {
    int64_t range[] = {0, cells - 1};
    uint64_t bytes = (uint64_t)cells * sizeof *values;
    tiledb_array_t* array;
    tiledb_subarray_t* subarray;
    tiledb_query_t* query;
    tiledb_query_status_t status;
    CHECK(tiledb_array_alloc(ctx, uri, &array) == TILEDB_OK);
    CHECK(tiledb_array_open(ctx, array, type) == TILEDB_OK);
    CHECK(tiledb_subarray_alloc(ctx, array, &subarray) == TILEDB_OK);
    CHECK(tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL) == TILEDB_OK);
    CHECK(tiledb_query_alloc(ctx, array, type, &query) == TILEDB_OK);
    CHECK(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR) == TILEDB_OK);
    CHECK(tiledb_query_set_subarray_t(ctx, query, subarray) == TILEDB_OK);
    CHECK(tiledb_query_set_data_buffer(ctx, query, "a", values, &bytes) == TILEDB_OK);
    CHECK(tiledb_query_submit(ctx, query) == TILEDB_OK);
    CHECK(tiledb_query_get_status(ctx, query, &status) == TILEDB_OK);
    CHECK(status == TILEDB_COMPLETED);
    CHECK(tiledb_query_finalize(ctx, query) == TILEDB_OK);
    tiledb_query_free(&query);
    tiledb_subarray_free(&subarray);
    CHECK(tiledb_array_close(ctx, array) == TILEDB_OK);
    tiledb_array_free(&array);
    return 0;
}

static int read_back(tiledb_ctx_t* ctx, const char* uri, const int64_t* expected, int64_t* values, int64_t cells) {
    memset(values, 0, (size_t)cells * sizeof *values);
    int line = transfer(ctx, uri, TILEDB_READ, values, cells);
    CHECK(line == 0);
    CHECK(memcmp(values, expected, (size_t)cells * sizeof *values) == 0);
    return 0;
}

#define THREADS 4
/* Under sanitizers a child may inherit a lock of the sanitizer's own allocator from a thread that does not exist there,
 * and wait for it without end (seen with LLVM 14): nothing forks beside threads at work then. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHILDREN 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CHILDREN 0
#endif
#endif
#ifndef CHILDREN
#define CHILDREN 30
#endif

static tiledb_ctx_t* shared;
static int64_t* written;
static int stop, failed;

/* Reads, writes, consolidates and fails, with the context that all threads share. */
static int work(intptr_t number) {
    char uri[32];
    snprintf(uri, sizeof uri, "thread%d", (int)number);
    int64_t* values = malloc(FEW * sizeof *values);
    CHECK(values != NULL);
    CHECK(create(shared, uri) == 0);
    for (int round = 0; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE); round++) {
        if (round % 8 == 0)
            CHECK(transfer(shared, uri, TILEDB_WRITE, written, FEW) == 0);
        if (round % 8 == 7)
            CHECK(tiledb_array_consolidate(shared, uri, NULL) == TILEDB_OK &&
                  tiledb_array_vacuum(shared, uri, NULL) == TILEDB_OK);
        CHECK(read_back(shared, uri, written, values, FEW) == 0);
        tiledb_array_t* none;
        CHECK(tiledb_array_alloc(shared, "none", &none) == TILEDB_OK);
        CHECK(tiledb_array_open(shared, none, TILEDB_READ) == TILEDB_ERR);
        tiledb_array_free(&none);
    }
    free(values);
    return 0;
}

static void* work_until_stopped(void* number) {
    int line = work((intptr_t)number);
    if (line != 0) {
        fprintf(stderr, "a thread failed at line %d\n", line);
        __atomic_store_n(&failed, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* In a child: the array of the parent and one of its own, with a context; then the process ends as others do. */
static int live(tiledb_ctx_t* ctx, const char* own, int64_t* values) {
    CHECK(read_back(ctx, "forked", written, values, CELLS) == 0);
    CHECK(create(ctx, own) == 0);
    CHECK(transfer(ctx, own, TILEDB_WRITE, written, FEW) == 0);
    CHECK(read_back(ctx, own, written, values, FEW) == 0);
    return 0;
}

static int fork_while_others_work(int64_t* values) {
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work_until_stopped, (void*)i) == 0);
    for (int number = 0; number < CHILDREN; number++) {
        char own[32];
        snprintf(own, sizeof own, "child%d", number);
        usleep(1000 * (number % 7));
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(30);
            tiledb_ctx_t* fresh = NULL;
            int line = 0;
            if (number % 2 == 0)
                line = live(shared, own, values);
            else if (tiledb_ctx_alloc(NULL, &fresh) != TILEDB_OK)
                line = __LINE__;
            else
                line = live(fresh, own, values);
            tiledb_ctx_free(&fresh);
            if (line != 0)
                fprintf(stderr, "child %d failed at line %d\n", number, line);
            exit(line != 0);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fprintf(stderr, "child %d ended with %d\n", number, status);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(!failed);
    return 0;
}

/* The stack of this thread, which did not use the library, is the only one of the child. */
static void* fork_on_small_stack(void* uri) {
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        tiledb_ctx_t* ctx;
        tiledb_object_t type = TILEDB_INVALID;
        if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK || tiledb_object_type(ctx, uri, &type) != TILEDB_OK)
            _exit(1);
        _exit(type == TILEDB_ARRAY ? 0 : 2);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fprintf(stderr, "a child of a thread with a small stack ended with %d\n", status);
    __atomic_store_n(&failed, !WIFEXITED(status) || WEXITSTATUS(status) != 0, __ATOMIC_RELEASE);
    return NULL;
}

/* As large as musl gives threads, unless more is asked for. */
static int fork_from_small_stack(char* uri) {
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, 128 << 10) == 0);
    CHECK(pthread_create(&thread, &attributes, fork_on_small_stack, uri) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
    CHECK(!failed);
    return 0;
}

int main(void) {
    tiledb_ctx_t* ctx;
    written = malloc(CELLS * sizeof *written);
    int64_t* values = malloc(CELLS * sizeof *values);
    CHECK(written != NULL && values != NULL);
    for (int64_t i = 0; i < CELLS; i++)
        written[i] = i * i;
    CHECK(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
    CHECK(create(ctx, "forked") == 0);
    CHECK(transfer(ctx, "forked", TILEDB_WRITE, written, CELLS) == 0);
    CHECK(read_back(ctx, "forked", written, values, CELLS) == 0);

    for (int round = 0; round < 3; round++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            /* The parent's context and a new one both work; a hang ends by the alarm. */
            alarm(30);
            if (read_back(ctx, "forked", written, values, CELLS) != 0)
                _exit(1);
            tiledb_ctx_t* fresh;
            if (tiledb_ctx_alloc(NULL, &fresh) != TILEDB_OK || read_back(fresh, "forked", written, values, CELLS) != 0)
                _exit(2);
            if (round == 1 && transfer(fresh, "forked", TILEDB_WRITE, written, CELLS) != 0)
                _exit(3);
            tiledb_ctx_free(&fresh);
            _exit(0);
        }
        CHECK(read_back(ctx, "forked", written, values, CELLS) == 0);
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    shared = ctx;
    char forked[] = "forked";
    int line = fork_from_small_stack(forked);
    if (line == 0)
        line = fork_while_others_work(values);
    if (line != 0) {
        fprintf(stderr, "line %d\n", line);
        return 1;
    }
    tiledb_ctx_free(&ctx);
    CHECK(tiledb_rs_live_handles() == 0);
    free(written);
    free(values);
    return 0;
}
