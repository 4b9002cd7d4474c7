/* Cells of different lengths, texts and lists: values lie one behind the other, offsets tell where each cell begins. */
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

static void add_attribute(tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type) {
    tiledb_attribute_t* attribute;
    check(tiledb_attribute_alloc(ctx, name, type, &attribute));
    check(tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
}

/* Four years, each with a word and a list of numbers. */
static void create(const char* uri) {
    int32_t range[] = {2021, 2024}, extent = 2;
    tiledb_dimension_t* year;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "year", TILEDB_INT32, range, &extent, &year));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, year));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    add_attribute(schema, "harvest", TILEDB_STRING_UTF8);
    add_attribute(schema, "tons", TILEDB_INT32);
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&year);
}

/* The buffers of a query: values, and offsets in bytes of each cell's first value. */
typedef struct {
    char harvest[64];
    int32_t tons[16];
    uint64_t harvest_offsets[4], tons_offsets[4];
    uint64_t harvest_bytes, tons_bytes, harvest_offsets_bytes, tons_offsets_bytes;
} cells_t;

static void transfer(const char* uri, tiledb_query_type_t type, int32_t first, int32_t last, cells_t* cells) {
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &first, &last, NULL));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "harvest", cells->harvest, &cells->harvest_bytes));
    check(tiledb_query_set_offsets_buffer(
        ctx, query, "harvest", cells->harvest_offsets, &cells->harvest_offsets_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "tons", cells->tons, &cells->tons_bytes));
    check(tiledb_query_set_offsets_buffer(ctx, query, "tons", cells->tons_offsets, &cells->tons_offsets_bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void show(const char* uri, int32_t first, int32_t last) {
    cells_t cells = {.harvest_bytes = sizeof cells.harvest,
                     .tons_bytes = sizeof cells.tons,
                     .harvest_offsets_bytes = sizeof cells.harvest_offsets,
                     .tons_offsets_bytes = sizeof cells.tons_offsets};
    transfer(uri, TILEDB_READ, first, last, &cells);
    uint64_t count = cells.harvest_offsets_bytes / sizeof(uint64_t);
    printf("%d to %d:\n", first, last);
    for (uint64_t i = 0; i < count; i++) {
        /* A cell ends where the next begins, the last one with the values. */
        uint64_t text = cells.harvest_offsets[i];
        uint64_t text_end = i + 1 < count ? cells.harvest_offsets[i + 1] : cells.harvest_bytes;
        uint64_t list = cells.tons_offsets[i] / sizeof(int32_t);
        uint64_t list_end = (i + 1 < count ? cells.tons_offsets[i + 1] : cells.tons_bytes) / sizeof(int32_t);
        printf("  %d: \"%.*s\"", first + (int32_t)i, (int)(text_end - text), cells.harvest + text);
        for (uint64_t value = list; value < list_end; value++)
            printf(" %d", cells.tons[value]);
        printf(list == list_end ? " (no loads)\n" : " tons\n");
    }
}

int main(void) {
    const char* uri = "variable_length";
    cells_t cells = {
        .harvest = "good" "poor" "" "the best ever",
        .harvest_offsets = {0, 4, 8, 8},
        .harvest_bytes = 21,
        .harvest_offsets_bytes = 4 * sizeof(uint64_t),
        .tons = {12, 9, 3, 20, 18, 25, 17},
        .tons_offsets = {0, 2 * sizeof(int32_t), 3 * sizeof(int32_t), 3 * sizeof(int32_t)},
        .tons_bytes = 7 * sizeof(int32_t),
        .tons_offsets_bytes = 4 * sizeof(uint64_t),
    };
    check(tiledb_ctx_alloc(NULL, &ctx));
    create(uri);
    transfer(uri, TILEDB_WRITE, 2021, 2024, &cells);
    show(uri, 2021, 2024);
    show(uri, 2022, 2023);
    tiledb_ctx_free(&ctx);
    return 0;
}
