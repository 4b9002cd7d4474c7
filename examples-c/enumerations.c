/*
 * Enumerations: an attribute holds small numbers that stand for names. Cells stay small, readers see the names, and
 * conditions are written with names. Later more names are added, without touching a cell.
 */
#include <stdint.h>
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

static const char* const uri = "enumerations_array";

static void create(void) {
    const char names[] = "orderedpaidsent";
    const uint64_t starts[] = {0, 7, 11};
    int32_t range[] = {1, 1000}, extent = 100;
    tiledb_enumeration_t* states;
    tiledb_dimension_t* order;
    tiledb_domain_t* domain;
    tiledb_attribute_t* state;
    tiledb_array_schema_t* schema;
    check(tiledb_enumeration_alloc(
        ctx, "states", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, 1, names, strlen(names), starts, sizeof starts, &states));
    check(tiledb_dimension_alloc(ctx, "order", TILEDB_INT32, range, &extent, &order));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, order));
    check(tiledb_attribute_alloc(ctx, "state", TILEDB_UINT8, &state));
    check(tiledb_attribute_set_enumeration_name(ctx, state, "states"));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_enumeration(ctx, schema, states));
    check(tiledb_array_schema_add_attribute(ctx, schema, state));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&state);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&order);
    tiledb_enumeration_free(&states);
}

/* A cell holds the place of its name in the enumeration. */
static void store(int32_t* orders, uint8_t* states, uint64_t count) {
    uint64_t orders_size = count * sizeof *orders, states_size = count;
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "order", orders, &orders_size));
    check(tiledb_query_set_data_buffer(ctx, query, "state", states, &states_size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Adds a name behind the others: a change of the schema alone. */
static void add_name(const char* name) {
    uint64_t start = 0;
    tiledb_array_t* array;
    tiledb_enumeration_t *states, *more;
    tiledb_array_schema_evolution_t* evolution;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_array_get_enumeration(ctx, array, "states", &states));
    check(tiledb_enumeration_extend(ctx, states, name, strlen(name), &start, sizeof start, &more));
    check(tiledb_array_schema_evolution_alloc(ctx, &evolution));
    check(tiledb_array_schema_evolution_extend_enumeration(ctx, evolution, more));
    check(tiledb_array_evolve(ctx, uri, evolution));
    tiledb_array_schema_evolution_free(&evolution);
    tiledb_enumeration_free(&more);
    tiledb_enumeration_free(&states);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Prints the orders with their states, or only those in one state. */
static void print(const char* wanted) {
    int32_t orders[10];
    uint8_t numbers[10];
    uint64_t orders_size = sizeof orders, numbers_size = sizeof numbers, names_size, starts_size;
    const void *names, *starts;
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_query_condition_t* condition = NULL;
    tiledb_enumeration_t* states;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_array_get_enumeration(ctx, array, "states", &states));
    check(tiledb_enumeration_get_data(ctx, states, &names, &names_size));
    check(tiledb_enumeration_get_offsets(ctx, states, &starts, &starts_size));
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    if (wanted != NULL) {
        check(tiledb_query_condition_alloc(ctx, &condition));
        check(tiledb_query_condition_init(ctx, condition, "state", wanted, strlen(wanted), TILEDB_EQ));
        check(tiledb_query_set_condition(ctx, query, condition));
    }
    check(tiledb_query_set_data_buffer(ctx, query, "order", orders, &orders_size));
    check(tiledb_query_set_data_buffer(ctx, query, "state", numbers, &numbers_size));
    check(tiledb_query_submit(ctx, query));

    const uint64_t* ends = starts;
    uint64_t known = starts_size / sizeof *ends;
    for (uint64_t i = 0; i < numbers_size; i++) {
        uint8_t state = numbers[i];
        uint64_t end = (uint64_t)state + 1 < known ? ends[state + 1] : names_size;
        printf("  order %d: %.*s\n", orders[i], (int)(end - ends[state]), (const char*)names + ends[state]);
    }
    tiledb_query_condition_free(&condition);
    tiledb_query_free(&query);
    tiledb_enumeration_free(&states);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create();
    store((int32_t[]){101, 102, 103, 104}, (uint8_t[]){2, 0, 1, 0}, 4);
    printf("all orders\n");
    print(NULL);
    printf("orders that are not paid\n");
    print("ordered");
    add_name("returned");
    store((int32_t[]){101}, (uint8_t[]){3}, 1);
    printf("all orders, after one came back\n");
    print(NULL);
    tiledb_ctx_free(&ctx);
    return 0;
}
