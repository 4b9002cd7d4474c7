/* What the programs that measure share: a context and a folder, arrays with an attribute `a`, numbers by chance. */
#ifndef BENCHES_COMMON_H
#define BENCHES_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tiledb/tiledb.h>

static tiledb_ctx_t* ctx;
static const char* folder;

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

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const char* at(const char* name) {
    static char uri[4096];
    snprintf(uri, sizeof uri, "%s/%s", folder, name);
    return uri;
}

/* A random number that is the same everywhere. */
static uint64_t random_number(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717u;
}

/* Zstandard of a level; no filter where it is 0. */
static tiledb_filter_list_t* zstd(int32_t level) {
    tiledb_filter_list_t* filters;
    check(tiledb_filter_list_alloc(ctx, &filters));
    if (level > 0) {
        tiledb_filter_t* filter;
        check(tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &filter));
        check(tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level));
        check(tiledb_filter_list_add_filter(ctx, filters, filter));
        tiledb_filter_free(&filter);
    }
    return filters;
}

static void add_dimension(tiledb_domain_t* domain, const char* name, tiledb_datatype_t type, const void* range, const void* extent,
                          tiledb_filter_list_t* filters) {
    tiledb_dimension_t* dimension;
    check(tiledb_dimension_alloc(ctx, name, type, range, extent, &dimension));
    if (filters != NULL)
        check(tiledb_dimension_set_filter_list(ctx, dimension, filters));
    check(tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_dimension_free(&dimension);
}

/* Makes an array with one attribute, and frees what it was made of. */
static void create_array(const char* name, tiledb_array_type_t type, tiledb_domain_t* domain, tiledb_datatype_t values,
                         tiledb_filter_list_t* filters) {
    tiledb_attribute_t* a;
    tiledb_array_schema_t* schema;
    check(tiledb_attribute_alloc(ctx, "a", values, &a));
    check(tiledb_attribute_set_filter_list(ctx, a, filters));
    check(tiledb_array_schema_alloc(ctx, type, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, a));
    check(tiledb_array_create(ctx, at(name), schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&a);
    tiledb_filter_list_free(&filters);
    tiledb_domain_free(&domain);
}

static tiledb_array_t* open_array(const char* name, tiledb_query_type_t type) {
    tiledb_array_t* array;
    check(tiledb_array_alloc(ctx, at(name), &array));
    check(tiledb_array_open(ctx, array, type));
    return array;
}

static void close_array(tiledb_array_t* array) {
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

#endif
