/* Measures appends to a sparse array and its maintenance: appends of 100 to 10,000 cells, then one read of all cells. The same
 * program runs on either library, whichever the loader finds as libtiledb.so.2.30. It prints seconds of processor time and of
 * waiting for the appends with the maintenance, and for the read; then the greatest number of fragments.
 *
 * usage: appends APPENDS HOW FOLDER [NAME=VALUE...]    FOLDER is empty; the rest are parameters of the context; HOW is 0, or
 *                                       after how many appends tiledb_array_consolidate and tiledb_array_vacuum are called */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "common.h"

enum { MOST = 10000 };

static void append(int64_t first, uint64_t count) {
    static int64_t times[MOST];
    static double values[MOST];
    for (uint64_t i = 0; i < count; i++) {
        times[i] = first + (int64_t)i;
        values[i] = (double)(times[i] / 7 % 1000 + (int64_t)(random_number() % 64)) / 100;
    }
    uint64_t bytes[] = {count * sizeof *times, count * sizeof *values};
    tiledb_array_t* array = open_array("appends", TILEDB_WRITE);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "time", times, &bytes[0]));
    check(tiledb_query_set_data_buffer(ctx, query, "a", values, &bytes[1]));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
}

static uint32_t fragments(void) {
    tiledb_fragment_info_t* info;
    uint32_t count;
    check(tiledb_fragment_info_alloc(ctx, at("appends"), &info));
    check(tiledb_fragment_info_load(ctx, info));
    check(tiledb_fragment_info_get_fragment_num(ctx, info, &count));
    tiledb_fragment_info_free(&info);
    return count;
}

/* The number of cells, read in pieces. */
static uint64_t read_all(void) {
    static double values[1 << 20];
    uint64_t cells = 0;
    tiledb_array_t* array = open_array("appends", TILEDB_READ);
    tiledb_query_t* query;
    tiledb_query_status_t status;
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    do {
        uint64_t bytes = sizeof values;
        check(tiledb_query_set_data_buffer(ctx, query, "a", values, &bytes));
        check(tiledb_query_submit(ctx, query));
        check(tiledb_query_get_status(ctx, query, &status));
        cells += bytes / sizeof *values;
    } while (status == TILEDB_INCOMPLETE);
    tiledb_query_free(&query);
    close_array(array);
    return cells;
}

int main(int count, char** words) {
    if (count < 4) {
        fputs("usage: appends APPENDS HOW FOLDER [NAME=VALUE...]\n", stderr);
        return 2;
    }
    int appends = atoi(words[1]), every = atoi(words[2]);
    folder = words[3];
    tiledb_config_t* config;
    tiledb_error_t* error = NULL;
    if (tiledb_config_alloc(&config, &error) != TILEDB_OK)
        return 1;
    for (int i = 4; i < count; i++) {
        char* value = strchr(words[i], '=');
        if (value == NULL)
            return 2;
        *value = 0;
        if (tiledb_config_set(config, words[i], value + 1, &error) != TILEDB_OK)
            return 2;
    }
    check(tiledb_ctx_alloc(config, &ctx));
    int64_t range[] = {0, INT64_C(1) << 40}, tile = 1 << 20, next = 0;
    tiledb_domain_t* domain;
    check(tiledb_domain_alloc(ctx, &domain));
    add_dimension(domain, "time", TILEDB_INT64, range, &tile, NULL);
    create_array("appends", TILEDB_SPARSE, domain, TILEDB_FLOAT64, zstd(3));
    double processor = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    uint32_t most = 0;
    for (int i = 0; i < appends; i++) {
        uint64_t cells = (uint64_t)(100 * pow(100, (double)(random_number() % 1000) / 1000));
        append(next, cells);
        next += (int64_t)cells;
        if (every > 0 && (i + 1) % every == 0) {
            check(tiledb_array_consolidate(ctx, at("appends"), NULL));
            check(tiledb_array_vacuum(ctx, at("appends"), NULL));
        }
        if (i % 10 == 8) {
            uint32_t now = fragments();
            most = now > most ? now : most;
        }
    }
    processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - processor, wall = seconds(CLOCK_MONOTONIC) - wall;
    double read_processor = seconds(CLOCK_PROCESS_CPUTIME_ID), read_wall = seconds(CLOCK_MONOTONIC);
    uint64_t cells = read_all();
    read_processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - read_processor, read_wall = seconds(CLOCK_MONOTONIC) - read_wall;
    if (cells != (uint64_t)next) {
        fprintf(stderr, "appends: %" PRIu64 " cells instead of %" PRId64 "\n", cells, next);
        return 1;
    }
    printf("appends %.2f %.2f\tread %.4f %.4f\tfragments %u\n", processor, wall, read_processor, read_wall, most);
    tiledb_config_free(&config);
    tiledb_ctx_free(&ctx);
    return 0;
}
