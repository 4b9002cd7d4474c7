/* Cells that may be missing: next to its value each has a byte that tells whether there is one. */
#include <inttypes.h>
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

static void add_attribute(tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, uint32_t values) {
    tiledb_attribute_t* attribute;
    check(tiledb_attribute_alloc(ctx, name, type, &attribute));
    check(tiledb_attribute_set_cell_val_num(ctx, attribute, values));
    check(tiledb_attribute_set_nullable(ctx, attribute, 1));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
}

/* Guests by number, each with an age and a name, if they told. */
static void create(const char* uri) {
    uint32_t range[] = {1, 1000}, extent = 100;
    tiledb_dimension_t* guest;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "guest", TILEDB_UINT32, range, &extent, &guest));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, guest));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    add_attribute(schema, "age", TILEDB_UINT8, 1);
    add_attribute(schema, "name", TILEDB_STRING_UTF8, TILEDB_VAR_NUM);
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&guest);
}

/* The buffers of a query, and the bytes used of each. */
typedef struct {
    uint32_t guest[8];
    uint8_t age[8], age_valid[8], name_valid[8];
    char name[64];
    uint64_t name_offsets[8];
    uint64_t guest_bytes, age_bytes, age_valid_bytes, name_bytes, name_offsets_bytes, name_valid_bytes;
} guests_t;

static void transfer(const char* uri, tiledb_query_type_t type, guests_t* g) {
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "guest", g->guest, &g->guest_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "age", g->age, &g->age_bytes));
    check(tiledb_query_set_validity_buffer(ctx, query, "age", g->age_valid, &g->age_valid_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "name", g->name, &g->name_bytes));
    check(tiledb_query_set_offsets_buffer(ctx, query, "name", g->name_offsets, &g->name_offsets_bytes));
    check(tiledb_query_set_validity_buffer(ctx, query, "name", g->name_valid, &g->name_valid_bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

static void write_guests(const char* uri) {
    /* The value of a missing cell does not matter, but it must be there; a missing text is empty. */
    guests_t g = {
        .guest = {7, 12, 300, 301},
        .age = {34, 0, 61, 0},
        .age_valid = {1, 0, 1, 0},
        .name = "Ada" "Grace",
        .name_offsets = {0, 3, 8, 8},
        .name_valid = {1, 1, 0, 0},
        .guest_bytes = 4 * sizeof(uint32_t),
        .age_bytes = 4,
        .age_valid_bytes = 4,
        .name_bytes = 8,
        .name_offsets_bytes = 4 * sizeof(uint64_t),
        .name_valid_bytes = 4,
    };
    transfer(uri, TILEDB_WRITE, &g);
}

static void show_guests(const char* uri) {
    guests_t g = {
        .guest_bytes = sizeof g.guest,
        .age_bytes = sizeof g.age,
        .age_valid_bytes = sizeof g.age_valid,
        .name_bytes = sizeof g.name,
        .name_offsets_bytes = sizeof g.name_offsets,
        .name_valid_bytes = sizeof g.name_valid,
    };
    int ages = 0, sum = 0;
    transfer(uri, TILEDB_READ, &g);
    uint64_t count = g.guest_bytes / sizeof(uint32_t);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t start = g.name_offsets[i], end = i + 1 < count ? g.name_offsets[i + 1] : g.name_bytes;
        printf("guest %3" PRIu32 ": ", g.guest[i]);
        if (g.name_valid[i])
            printf("%.*s, ", (int)(end - start), g.name + start);
        else
            printf("no name, ");
        if (g.age_valid[i])
            printf("%d years\n", g.age[i]);
        else
            printf("age unknown\n");
        ages += g.age_valid[i];
        sum += g.age_valid[i] ? g.age[i] : 0;
    }
    printf("mean of the %d known ages: %.1f\n", ages, (double)sum / ages);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("nullable");
    write_guests("nullable");
    show_guests("nullable");
    tiledb_ctx_free(&ctx);
    return 0;
}
