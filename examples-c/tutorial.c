/* The program of docs/tutorial.md: temperatures on a grid and events by place and time, from the first cell to the vacuum. */
#include <inttypes.h>
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

/* Opens an array as of a day. Without this time stamp it is opened as of now. */
static tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type, uint64_t day) {
    tiledb_array_t* array;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_set_open_timestamp_end(ctx, array, day));
    check(tiledb_array_open(ctx, array, type));
    return array;
}

static void close_array(tiledb_array_t* array) {
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* A dense array: every cell of the grid exists. */

static void create_grid(void) {
    int32_t rows[] = {1, 6}, columns[] = {1, 8}, height = 3, width = 4;
    tiledb_dimension_t *row, *column;
    tiledb_domain_t* domain;
    tiledb_attribute_t* celsius;
    tiledb_filter_list_t* filters;
    tiledb_filter_t* zstd;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "row", TILEDB_INT32, rows, &height, &row));
    check(tiledb_dimension_alloc(ctx, "column", TILEDB_INT32, columns, &width, &column));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, row));
    check(tiledb_domain_add_dimension(ctx, domain, column));

    check(tiledb_attribute_alloc(ctx, "celsius", TILEDB_FLOAT32, &celsius));
    check(tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &zstd));
    check(tiledb_filter_list_alloc(ctx, &filters));
    check(tiledb_filter_list_add_filter(ctx, filters, zstd));
    check(tiledb_attribute_set_filter_list(ctx, celsius, filters));

    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, celsius));
    check(tiledb_array_create(ctx, "grid", schema));

    tiledb_array_schema_free(&schema);
    tiledb_filter_list_free(&filters);
    tiledb_filter_free(&zstd);
    tiledb_attribute_free(&celsius);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&column);
    tiledb_dimension_free(&row);
}

/* Writes or reads the box rows[0]..rows[1] x columns[0]..columns[1] as of a day. */
static void transfer_grid(
    tiledb_query_type_t type, uint64_t day, const int32_t* rows, const int32_t* columns, float* celsius) {
    uint64_t bytes = (uint64_t)(rows[1] - rows[0] + 1) * (uint64_t)(columns[1] - columns[0] + 1) * sizeof *celsius;
    tiledb_array_t* array = open_array("grid", type, day);
    tiledb_subarray_t* box;
    tiledb_query_t* query;
    check(tiledb_subarray_alloc(ctx, array, &box));
    check(tiledb_subarray_add_range(ctx, box, 0, &rows[0], &rows[1], NULL));
    check(tiledb_subarray_add_range(ctx, box, 1, &columns[0], &columns[1], NULL));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, box));
    check(tiledb_query_set_data_buffer(ctx, query, "celsius", celsius, &bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    tiledb_subarray_free(&box);
    close_array(array);
}

static void write_grid(void) {
    float whole[6 * 8], front[2 * 3] = {9.5F, 9.0F, 8.5F, 9.0F, 8.5F, 8.0F};
    int32_t all_rows[] = {1, 6}, all_columns[] = {1, 8}, some_rows[] = {2, 3}, some_columns[] = {3, 5};
    for (int cell = 0; cell < 6 * 8; cell++)
        whole[cell] = 20.0F + (float)(cell / 8) - 0.5F * (float)(cell % 8);
    transfer_grid(TILEDB_WRITE, 1, all_rows, all_columns, whole);
    transfer_grid(TILEDB_WRITE, 2, some_rows, some_columns, front);
}

static void show_grid(uint64_t day) {
    int32_t rows[] = {2, 4}, columns[] = {2, 6};
    float celsius[3 * 5];
    transfer_grid(TILEDB_READ, day, rows, columns, celsius);
    printf("grid, rows 2 to 4, columns 2 to 6, as of day %" PRIu64 ":\n", day);
    for (int cell = 0; cell < 3 * 5; cell++)
        printf("%6.1f%s", celsius[cell], cell % 5 == 4 ? "\n" : "");
}

/* A sparse array: a cell exists where somebody wrote one. */

static void add_attribute(
    tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, uint32_t values, uint8_t nullable) {
    tiledb_attribute_t* attribute;
    check(tiledb_attribute_alloc(ctx, name, type, &attribute));
    check(tiledb_attribute_set_cell_val_num(ctx, attribute, values));
    check(tiledb_attribute_set_nullable(ctx, attribute, nullable));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
}

static void create_events(void) {
    uint32_t minutes[] = {0, 24 * 60 - 1}, hour = 60;
    tiledb_dimension_t *place, *minute;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "place", TILEDB_STRING_ASCII, NULL, NULL, &place));
    check(tiledb_dimension_alloc(ctx, "minute", TILEDB_UINT32, minutes, &hour, &minute));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, place));
    check(tiledb_domain_add_dimension(ctx, domain, minute));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_set_allows_dups(ctx, schema, 1));
    add_attribute(schema, "what", TILEDB_STRING_UTF8, TILEDB_VAR_NUM, 0);
    add_attribute(schema, "cost", TILEDB_INT32, 1, 1);
    check(tiledb_array_create(ctx, "events", schema));
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&minute);
    tiledb_dimension_free(&place);
}

/* The buffers of a query over events, and the bytes used of each. */
typedef struct {
    char place[256], what[256];
    uint64_t place_starts[16], what_starts[16];
    uint32_t minute[16];
    int32_t cost[16];
    uint8_t cost_known[16];
    uint64_t place_bytes, place_starts_bytes, what_bytes, what_starts_bytes, minute_bytes, cost_bytes, cost_known_bytes;
} events_t;

static void set_buffers(tiledb_query_t* query, events_t* e) {
    check(tiledb_query_set_data_buffer(ctx, query, "place", e->place, &e->place_bytes));
    check(tiledb_query_set_offsets_buffer(ctx, query, "place", e->place_starts, &e->place_starts_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "minute", e->minute, &e->minute_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "what", e->what, &e->what_bytes));
    check(tiledb_query_set_offsets_buffer(ctx, query, "what", e->what_starts, &e->what_starts_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "cost", e->cost, &e->cost_bytes));
    check(tiledb_query_set_validity_buffer(ctx, query, "cost", e->cost_known, &e->cost_known_bytes));
}

/* Adds an event to buffers that are going to be written; a negative cost means that nobody knows it. */
static void add(events_t* e, const char* place, uint32_t minute, const char* what, int32_t cost) {
    uint64_t n = e->minute_bytes / sizeof *e->minute;
    e->place_starts[n] = e->place_bytes;
    memcpy(e->place + e->place_bytes, place, strlen(place));
    e->place_bytes += strlen(place);
    e->what_starts[n] = e->what_bytes;
    memcpy(e->what + e->what_bytes, what, strlen(what));
    e->what_bytes += strlen(what);
    e->minute[n] = minute;
    e->cost[n] = cost < 0 ? 0 : cost;
    e->cost_known[n] = cost >= 0;
    e->place_starts_bytes = e->what_starts_bytes = (n + 1) * sizeof(uint64_t);
    e->minute_bytes = e->cost_bytes = (n + 1) * sizeof(uint32_t);
    e->cost_known_bytes = n + 1;
}

static void store_events(uint64_t day, events_t* e) {
    tiledb_array_t* array = open_array("events", TILEDB_WRITE, day);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    set_buffers(query, e);
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
}

static void write_events(void) {
    events_t first = {.minute_bytes = 0}, second = {.minute_bytes = 0};
    add(&first, "Oslo", 95, "slipped on ice", 1200);
    add(&first, "Bergen", 610, "umbrella lost", -1);
    add(&first, "Oslo", 480, "tram broke down", 30000);
    store_events(1, &first);
    add(&second, "Bergen", 615, "umbrella found", 0);
    add(&second, "Tromso", 1380, "reindeer on the road", 2500);
    store_events(2, &second);
}

/* Prints the events of these places as of a day; where there is a condition, only those that meet it. */
static void show_events(
    const char* title, uint64_t day, const char* from, const char* to, const tiledb_query_condition_t* condition) {
    events_t e = {
        .place_bytes = sizeof e.place,
        .place_starts_bytes = sizeof e.place_starts,
        .what_bytes = sizeof e.what,
        .what_starts_bytes = sizeof e.what_starts,
        .minute_bytes = sizeof e.minute,
        .cost_bytes = sizeof e.cost,
        .cost_known_bytes = sizeof e.cost_known,
    };
    tiledb_array_t* array = open_array("events", TILEDB_READ, day);
    tiledb_subarray_t* places;
    tiledb_query_t* query;
    check(tiledb_subarray_alloc(ctx, array, &places));
    check(tiledb_subarray_add_range_var(ctx, places, 0, from, strlen(from), to, strlen(to)));
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, places));
    if (condition != NULL)
        check(tiledb_query_set_condition(ctx, query, condition));
    set_buffers(query, &e);
    check(tiledb_query_submit(ctx, query));

    printf("%s:\n", title);
    uint64_t count = e.minute_bytes / sizeof *e.minute;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place_end = i + 1 < count ? e.place_starts[i + 1] : e.place_bytes;
        uint64_t what_end = i + 1 < count ? e.what_starts[i + 1] : e.what_bytes;
        printf("  %.*s, %02" PRIu32 ":%02" PRIu32 ": %.*s, ", (int)(place_end - e.place_starts[i]),
            e.place + e.place_starts[i], e.minute[i] / 60, e.minute[i] % 60, (int)(what_end - e.what_starts[i]),
            e.what + e.what_starts[i]);
        if (e.cost_known[i])
            printf("%" PRId32 "\n", e.cost[i]);
        else
            printf("cost unknown\n");
    }
    tiledb_query_free(&query);
    tiledb_subarray_free(&places);
    close_array(array);
}

static void show_expensive(void) {
    int32_t limit = 2000;
    tiledb_query_condition_t* expensive;
    check(tiledb_query_condition_alloc(ctx, &expensive));
    check(tiledb_query_condition_init(ctx, expensive, "cost", &limit, sizeof limit, TILEDB_GE));
    show_events("events that cost 2000 or more", 2, "", "~", expensive);
    tiledb_query_condition_free(&expensive);
}

/* The life of an array: fragments come with every write, and are merged from time to time. */

static void show_fragments(const char* when) {
    uint32_t fragments, merged;
    tiledb_fragment_info_t* info;
    check(tiledb_fragment_info_alloc(ctx, "events", &info));
    check(tiledb_fragment_info_load(ctx, info));
    check(tiledb_fragment_info_get_fragment_num(ctx, info, &fragments));
    check(tiledb_fragment_info_get_to_vacuum_num(ctx, info, &merged));
    printf("%s: fragments: %" PRIu32 ", merged and to be removed: %" PRIu32 "\n", when, fragments, merged);
    tiledb_fragment_info_free(&info);
}

static void merge_events(void) {
    show_fragments("after two writes");
    check(tiledb_array_consolidate(ctx, "events", NULL));
    show_fragments("consolidated");
    check(tiledb_array_vacuum(ctx, "events", NULL));
    show_fragments("vacuumed");
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create_grid();
    write_grid();
    show_grid(2);
    show_grid(1);
    create_events();
    write_events();
    show_events("all events", 2, "", "~", NULL);
    show_events("events in Oslo", 2, "Oslo", "Oslo", NULL);
    show_expensive();
    show_events("events as of day 1", 1, "", "~", NULL);
    merge_events();
    show_events("events as of day 1, after all that", 1, "", "~", NULL);
    tiledb_ctx_free(&ctx);
    return 0;
}
