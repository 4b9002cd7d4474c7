/* Measures what a cell, a slice, a box, a key, a fragment and a member cost in arrays and groups of a size. The same program
 * runs on either library, whichever the loader finds as libtiledb.so.2.30. It prints a line per case: its name, the size,
 * and nanoseconds of processor time and of waiting for each unit.
 *
 * usage: growth WHAT SIZE FOLDER      WHAT: dense, sparse, strings, fragments, members, keys; FOLDER is empty;
 *                                      tools/growth.py runs all of it and draws it */
#include <inttypes.h>
#include <string.h>
#include "common.h"

enum { TILE = 512, SIDE = 16, LOOKS = 200, LOOKED = 1 << 16, CAPACITY = 10000, STEP = 1 << 22, KEY = 12 };

static uint64_t size;

static void* memory(size_t bytes) {
    void* given = malloc(bytes > 0 ? bytes : 1);
    if (given == NULL) {
        fprintf(stderr, "growth: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return given;
}

/* --- time --- */

typedef struct {
    double processor, wall;
} Moment;

static Moment now(void) { return (Moment){seconds(CLOCK_PROCESS_CPUTIME_ID), seconds(CLOCK_MONOTONIC)}; }

/* Tells what each of so many units took since a moment. */
static void tell(const char* name, Moment since, double units) {
    Moment end = now();
    printf("%s\t%" PRIu64 "\t%.2f\t%.2f\n", name, size, (end.processor - since.processor) / units * 1e9,
           (end.wall - since.wall) / units * 1e9);
}

/* --- arrays --- */

/* An array with an attribute `a` of reals; dimensions of integers below `side` in tiles of `tile`, or one of strings. */
static void create(const char* name, tiledb_array_type_t type, int dimensions, int64_t side, int64_t tile) {
    tiledb_domain_t* domain;
    tiledb_filter_list_t* filters = zstd(3);
    int64_t range[] = {0, side - 1};
    check(tiledb_domain_alloc(ctx, &domain));
    for (int i = 0; i < dimensions; i++) {
        if (side > 0)
            add_dimension(domain, i == 0 ? "y" : "x", TILEDB_INT64, range, &tile, filters);
        else
            add_dimension(domain, "key", TILEDB_STRING_ASCII, NULL, NULL, filters);
    }
    create_array(name, type, domain, TILEDB_FLOAT64, filters);
}

/* Values that look measured: slow waves in steps of a hundredth, so that they can be compressed about as real ones can. */
static void fill(double* values, uint64_t from, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        values[i] = (double)((from + i) / 7 % 1000 + random_number() % 64) / 100;
}

/* What a read is given: a range of integers for each dimension, or of strings. */
typedef struct {
    int64_t low[2], high[2];
    const char* key;
} Box;

static uint64_t cells_of(uint64_t bytes) { return bytes / sizeof(double); }

/* Reads `a` of a box, or of all, in pieces of STEP cells; gives how many cells there are. */
static uint64_t read_box(tiledb_array_t* array, tiledb_layout_t layout, int dimensions, const Box* box, double* into, uint64_t room) {
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    tiledb_query_status_t status = TILEDB_INCOMPLETE;
    uint64_t cells = 0;
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, layout));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    for (int i = 0; box != NULL && i < dimensions; i++) {
        if (box->key != NULL)
            check(tiledb_subarray_add_range_var(ctx, subarray, 0, box->key, KEY, box->key, KEY));
        else
            check(tiledb_subarray_add_range(ctx, subarray, (uint32_t)i, &box->low[i], &box->high[i], NULL));
    }
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    while (status == TILEDB_INCOMPLETE) {
        uint64_t bytes = room * sizeof(double);
        check(tiledb_query_set_data_buffer(ctx, query, "a", into, &bytes));
        check(tiledb_query_submit(ctx, query));
        check(tiledb_query_get_status(ctx, query, &status));
        cells += cells_of(bytes);
    }
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    return cells;
}

static void new_context(void) {
    tiledb_ctx_free(&ctx);
    check(tiledb_ctx_alloc(NULL, &ctx));
}

/* Opens the array in a new context, where all is ready for reading but the cells. */
static tiledb_array_t* open_cold(const char* name, tiledb_layout_t layout, int dimensions, const Box* nothing, double* into) {
    new_context();
    tiledb_array_t* array = open_array(name, TILEDB_READ);
    read_box(array, layout, dimensions, nothing, into, LOOKED);
    return array;
}

/* Looks at LOOKS boxes, each of which lies in another one of so many tiles: in tiles that nobody has looked at, and at the
 * same boxes again. */
static void look(const char* cold, const char* warm, const char* name, tiledb_layout_t layout, int dimensions, const Box* boxes,
                 uint64_t tiles) {
    double* into = memory(LOOKED * sizeof *into);
    Box nothing = boxes[0];
    if (nothing.key != NULL)
        nothing.key = "~~~~~~~~~~~~";
    tiledb_array_t* array = open_cold(name, layout, dimensions, &nothing, into);
    Moment since = now();
    for (int i = 0; i < LOOKS; i++) {
        if (i > 0 && (uint64_t)i % tiles == 0) {
            Moment pause = now();
            close_array(array);
            array = open_cold(name, layout, dimensions, &nothing, into);
            Moment end = now();
            since.processor += end.processor - pause.processor;
            since.wall += end.wall - pause.wall;
        }
        read_box(array, layout, dimensions, &boxes[i], into, LOOKED);
    }
    tell(cold, since, LOOKS);
    for (int again = 0; again < 2; again++) {
        since = now();
        for (int i = 0; i < LOOKS; i++)
            read_box(array, layout, dimensions, &boxes[i], into, LOOKED);
    }
    tell(warm, since, LOOKS);
    close_array(array);
    free(into);
}

/* Looks at squares of a dense or sparse array whose tiles are squares, too: each somewhere in another tile. */
static void look_at_squares(const char* cold, const char* warm, const char* name, tiledb_layout_t layout, int64_t square, int64_t side,
                            int64_t tile) {
    static Box boxes[LOOKS];
    uint64_t row = (uint64_t)(side / tile), tiles = row * row, first = random_number() % tiles;
    uint64_t room = (uint64_t)(tile > square ? tile - square : 0) + 1, step = tiles > LOOKS ? tiles / LOOKS : 1;
    for (int i = 0; i < LOOKS; i++) {
        uint64_t number = (first + (uint64_t)i * step) % tiles;
        int64_t corner[] = {(int64_t)(number / row) * tile, (int64_t)(number % row) * tile};
        for (int d = 0; d < 2; d++) {
            boxes[i].low[d] = corner[d] + (int64_t)(random_number() % room);
            boxes[i].high[d] = boxes[i].low[d] + square - 1 < side ? boxes[i].low[d] + square - 1 : side - 1;
        }
    }
    look(cold, warm, name, layout, 2, boxes, tiles);
}

/* Reads all cells, or those of a box, as a new process would. */
static void read_all(const char* case_name, const char* name, tiledb_layout_t layout, const Box* box) {
    new_context();
    double* into = memory(STEP * sizeof *into);
    memset(into, 0, STEP * sizeof *into);
    Moment since = now();
    tiledb_array_t* array = open_array(name, TILEDB_READ);
    uint64_t cells = read_box(array, layout, 2, box, into, STEP);
    close_array(array);
    tell(case_name, since, (double)cells);
    free(into);
    new_context();
}

/* --- cells --- */

static int64_t root(uint64_t cells) {
    int64_t side = 1;
    while ((uint64_t)((side + 1) * (side + 1)) <= cells)
        side++;
    return side;
}

static void dense(void) {
    int64_t side = root(size), tile = side < TILE ? side : TILE;
    uint64_t tiles = (uint64_t)((side + tile - 1) / tile), cells = tiles * tiles * (uint64_t)(tile * tile), done = 0;
    create("dense", TILEDB_DENSE, 2, (int64_t)tiles * tile, tile);
    uint64_t step = (uint64_t)(tile * tile) * 16;
    double* values = memory(step * sizeof *values);
    fill(values, 0, step);
    Moment since = now();
    tiledb_array_t* array = open_array("dense", TILEDB_WRITE);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER));
    while (done < cells) {
        uint64_t now_cells = cells - done < step ? cells - done : step, bytes = now_cells * sizeof *values;
        check(tiledb_query_set_data_buffer(ctx, query, "a", values, &bytes));
        check(tiledb_query_submit(ctx, query));
        done += now_cells;
    }
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
    tell("dense write, a cell", since, (double)cells);
    free(values);
    int64_t last = (int64_t)tiles * tile - 1;
    read_all("dense read, a cell", "dense", TILEDB_ROW_MAJOR, &(Box){.high = {last, last}});
    look_at_squares("16 x 16 slice, first", "16 x 16 slice, again", "dense", TILEDB_ROW_MAJOR, SIDE, last + 1, tile);
}

static void write_cells(const char* name, tiledb_layout_t layout, uint64_t cells, int64_t* y, int64_t* x, char* keys, uint64_t* starts,
                        double* values) {
    tiledb_array_t* array = open_array(name, TILEDB_WRITE);
    tiledb_query_t* query;
    uint64_t bytes = cells * 8, key_bytes = cells * KEY;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, layout));
    check(tiledb_query_set_data_buffer(ctx, query, "a", values, &bytes));
    if (keys != NULL) {
        check(tiledb_query_set_data_buffer(ctx, query, "key", keys, &key_bytes));
        check(tiledb_query_set_offsets_buffer(ctx, query, "key", starts, &bytes));
    } else {
        check(tiledb_query_set_data_buffer(ctx, query, "y", y, &bytes));
        if (x != NULL)
            check(tiledb_query_set_data_buffer(ctx, query, "x", x, &bytes));
    }
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
}

/* One cell in every hundred places, whatever the size. */
static void sparse(void) {
    int64_t side = root(size * 100) + 1, tile = side < 1000 ? side : 1000;
    side = (side + tile - 1) / tile * tile;
    create("sparse", TILEDB_SPARSE, 2, side, tile);
    int64_t *y = memory(size * 8), *x = memory(size * 8);
    double* values = memory(size * 8);
    fill(values, 0, size);
    /* No two cells lie at one place: rows are taken one after the other. */
    for (uint64_t i = 0; i < size; i++) {
        uint64_t place = i * 100 + random_number() % 100;
        y[i] = (int64_t)(place / (uint64_t)side);
        x[i] = (int64_t)(place % (uint64_t)side);
    }
    for (uint64_t i = size - 1; i > 0; i--) {
        uint64_t other = random_number() % (i + 1);
        int64_t a = y[i], b = x[i];
        y[i] = y[other], x[i] = x[other], y[other] = a, x[other] = b;
    }
    Moment since = now();
    write_cells("sparse", TILEDB_UNORDERED, size, y, x, NULL, NULL, values);
    tell("sparse write, a cell", since, (double)size);
    free(y), free(x), free(values);
    read_all("sparse read, a cell", "sparse", TILEDB_UNORDERED, NULL);
    look_at_squares("box of 100 cells, first", "box of 100 cells, again", "sparse", TILEDB_UNORDERED, 100, side, tile);
}

static void strings(void) {
    create("strings", TILEDB_SPARSE, 1, 0, 0);
    char* keys = memory(size * KEY + 1);
    uint64_t* starts = memory(size * 8);
    double* values = memory(size * 8);
    fill(values, 0, size);
    for (uint64_t i = 0; i < size; i++) {
        starts[i] = i * KEY;
        /* An odd factor makes of each number below 2^36 another one: no two keys are equal. */
        snprintf(keys + i * KEY, KEY + 1, "k%011" PRIu64, (uint64_t)(i * 618033988749u % (UINT64_C(1) << 36)));
    }
    Moment since = now();
    write_cells("strings", TILEDB_UNORDERED, size, NULL, NULL, keys, starts, values);
    tell("strings write, a cell", since, (double)size);
    free(starts), free(values);
    read_all("strings read, a cell", "strings", TILEDB_UNORDERED, NULL);
    /* Keys lie evenly, so that their numbers tell the tile. */
    Box* boxes = memory(LOOKS * sizeof *boxes);
    uint64_t tiles = (size + CAPACITY - 1) / CAPACITY;
    for (uint64_t i = 0; i < LOOKS; i++) {
        uint64_t tile;
        do {
            boxes[i].key = keys + random_number() % size * KEY;
            tile = (strtoull(boxes[i].key + 1, NULL, 10) >> 11) * tiles >> 25;
        } while (tile != i * (tiles > LOOKS ? tiles / LOOKS : 1) % tiles);
    }
    look("key, first", "key, again", "strings", TILEDB_UNORDERED, 1, boxes, tiles);
    free(boxes), free(keys);
}

/* --- fragments, members, metadata --- */

static void fragments(void) {
    create("fragments", TILEDB_SPARSE, 1, 10 * (int64_t)size, size < 100 ? 10 : 1000);
    int64_t x[10];
    double values[10];
    fill(values, 0, 10);
    Moment since = now();
    for (uint64_t i = 0; i < size; i++) {
        for (int j = 0; j < 10; j++)
            x[j] = (int64_t)(i * 10) + j;
        write_cells("fragments", TILEDB_UNORDERED, 10, x, NULL, NULL, NULL, values);
    }
    tell("write of 10 cells", since, (double)size);
    new_context();
    since = now();
    close_array(open_array("fragments", TILEDB_READ));
    tell("opening, a fragment", since, (double)size);
    new_context();
    double* into = memory(size * 10 * sizeof *into);
    memset(into, 0, size * 10 * sizeof *into);
    since = now();
    tiledb_array_t* array = open_array("fragments", TILEDB_READ);
    read_box(array, TILEDB_UNORDERED, 0, NULL, into, size * 10);
    close_array(array);
    tell("opening and reading, a fragment", since, (double)size);
    free(into);
    since = now();
    check(tiledb_array_consolidate(ctx, at("fragments"), NULL));
    check(tiledb_array_vacuum(ctx, at("fragments"), NULL));
    tell("consolidation and vacuum, a fragment", since, (double)size);
}

static tiledb_group_t* open_group(tiledb_query_type_t type) {
    tiledb_group_t* group;
    check(tiledb_group_alloc(ctx, at("group"), &group));
    check(tiledb_group_open(ctx, group, type));
    return group;
}

static void close_group(tiledb_group_t* group) {
    check(tiledb_group_close(ctx, group));
    tiledb_group_free(&group);
}

static void members(void) {
    char name[32], uri[4200];
    check(tiledb_group_create(ctx, at("group")));
    for (uint64_t i = 0; i < size; i++) {
        snprintf(uri, sizeof uri, "%s/group/m%" PRIu64, folder, i);
        check(tiledb_group_create(ctx, uri));
    }
    new_context();
    Moment since = now();
    tiledb_group_t* group = open_group(TILEDB_WRITE);
    for (uint64_t i = 0; i < size; i++) {
        snprintf(name, sizeof name, "m%" PRIu64, i);
        check(tiledb_group_add_member(ctx, group, name, 1, name));
    }
    close_group(group);
    tell("adding a member", since, (double)size);
    new_context();
    since = now();
    group = open_group(TILEDB_READ);
    for (uint64_t i = 0; i < size; i++) {
        tiledb_string_t *at_uri, *its_name;
        tiledb_object_t type;
        check(tiledb_group_get_member_by_index_v2(ctx, group, i, &at_uri, &type, &its_name));
        tiledb_string_free(&at_uri);
        if (its_name != NULL)
            tiledb_string_free(&its_name);
    }
    close_group(group);
    tell("reading a member", since, (double)size);
}

static void metadata(void) {
    char name[32];
    create("keys", TILEDB_SPARSE, 1, 1000, 100);
    Moment since = now();
    tiledb_array_t* array = open_array("keys", TILEDB_WRITE);
    for (uint64_t i = 0; i < size; i++) {
        snprintf(name, sizeof name, "key %" PRIu64, i);
        check(tiledb_array_put_metadata(ctx, array, name, TILEDB_UINT64, 1, &i));
    }
    close_array(array);
    tell("writing metadata, a key", since, (double)size);
    new_context();
    since = now();
    array = open_array("keys", TILEDB_READ);
    for (uint64_t i = 0; i < size; i++) {
        tiledb_datatype_t type;
        uint32_t count;
        const void* value;
        snprintf(name, sizeof name, "key %" PRIu64, i);
        check(tiledb_array_get_metadata(ctx, array, name, &type, &count, &value));
    }
    close_array(array);
    tell("reading metadata, a key", since, (double)size);
}

int main(int count, char** arguments) {
    static const struct {
        const char* name;
        void (*work)(void);
    } works[] = {{"dense", dense},         {"sparse", sparse},   {"strings", strings},
                 {"fragments", fragments}, {"members", members}, {"keys", metadata}};
    if (count != 4) {
        fprintf(stderr, "usage: growth WHAT SIZE FOLDER\n");
        return 2;
    }
    size = strtoull(arguments[2], NULL, 10);
    folder = arguments[3];
    check(tiledb_ctx_alloc(NULL, &ctx));
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (size > 0 && strcmp(works[i].name, arguments[1]) == 0) {
            works[i].work();
            tiledb_ctx_free(&ctx);
            return 0;
        }
    fprintf(stderr, "growth: there is no '%s' of the size '%s'\n", arguments[1], arguments[2]);
    return 2;
}
