/* Conditions choose cells by their values: only those that meet them are read, and a condition can delete. */
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

static void add_attribute(tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, uint32_t values) {
    tiledb_attribute_t* attribute;
    check(tiledb_attribute_alloc(ctx, name, type, &attribute));
    check(tiledb_attribute_set_cell_val_num(ctx, attribute, values));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
}

/* Peaks by number, with their height in metres and their country. */
static void create(const char* uri) {
    uint32_t range[] = {1, 1000}, extent = 100;
    tiledb_dimension_t* peak;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "peak", TILEDB_UINT32, range, &extent, &peak));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, peak));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    add_attribute(schema, "height", TILEDB_INT32, 1);
    add_attribute(schema, "country", TILEDB_STRING_ASCII, 2);
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&peak);
}

static tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type) {
    tiledb_array_t* array;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    return array;
}

static void write_peaks(const char* uri) {
    uint32_t peak[] = {1, 2, 3, 4, 5, 6};
    int32_t height[] = {4809, 4634, 4478, 3798, 2962, 2864};
    char country[] = "FRCHITATDESI";
    uint64_t peak_bytes = sizeof peak, height_bytes = sizeof height, country_bytes = 12;
    tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "peak", peak, &peak_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "height", height, &height_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "country", country, &country_bytes));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static tiledb_query_condition_t* compare(const char* field, const void* value, uint64_t bytes,
                                         tiledb_query_condition_op_t op) {
    tiledb_query_condition_t* condition;
    check(tiledb_query_condition_alloc(ctx, &condition));
    check(tiledb_query_condition_init(ctx, condition, field, value, bytes, op));
    return condition;
}

/* Prints the peaks that meet a condition; all of them without one. */
static void show(const char* uri, const char* title, const tiledb_query_condition_t* condition) {
    uint32_t peak[8];
    int32_t height[8];
    char country[16];
    uint64_t peak_bytes = sizeof peak, height_bytes = sizeof height, country_bytes = sizeof country;
    tiledb_array_t* array = open_array(uri, TILEDB_READ);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    if (condition != NULL)
        check(tiledb_query_set_condition(ctx, query, condition));
    check(tiledb_query_set_data_buffer(ctx, query, "peak", peak, &peak_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "height", height, &height_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "country", country, &country_bytes));
    check(tiledb_query_submit(ctx, query));
    printf("%s\n", title);
    for (uint64_t i = 0; i < peak_bytes / sizeof *peak; i++)
        printf("  %" PRIu32 ": %" PRId32 " m, %.2s\n", peak[i], height[i], country + 2 * i);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void delete_peaks(const char* uri, const tiledb_query_condition_t* condition) {
    tiledb_array_t* array = open_array(uri, TILEDB_DELETE);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_DELETE, &query));
    check(tiledb_query_set_condition(ctx, query, condition));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(int argc, char** argv) {
    const char* uri = argc > 1 ? argv[1] : "query_condition_array";
    int32_t four = 4000;
    uint64_t starts[] = {0, 2};
    tiledb_query_condition_t *high, *alpine, *both, *others;
    check(tiledb_ctx_alloc(NULL, &ctx));
    create(uri);
    write_peaks(uri);

    high = compare("height", &four, sizeof four, TILEDB_GE);
    check(tiledb_query_condition_alloc_set_membership(ctx, "country", "CHAT", 4, starts, sizeof starts, TILEDB_IN,
                                                      &alpine));
    check(tiledb_query_condition_combine(ctx, high, alpine, TILEDB_AND, &both));
    check(tiledb_query_condition_negate(ctx, both, &others));
    show(uri, "All:", NULL);
    show(uri, "From 4000 m:", high);
    show(uri, "From 4000 m, in CH or AT:", both);
    show(uri, "All but those:", others);
    delete_peaks(uri, high);
    show(uri, "After those from 4000 m are deleted:", NULL);

    tiledb_query_condition_free(&others);
    tiledb_query_condition_free(&both);
    tiledb_query_condition_free(&alpine);
    tiledb_query_condition_free(&high);
    tiledb_ctx_free(&ctx);
    return 0;
}
