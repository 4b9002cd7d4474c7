/*
 * The current domain: an array's domain is as wide as it may ever become; its current domain is the part in use, which
 * only grows. Cells beyond it are refused, so that a table has a definite number of rows.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

static const char* const uri = "current_domain_array";

/* The rows 0 to last of a domain. */
static tiledb_current_domain_t* rows_to(tiledb_domain_t* domain, uint64_t last) {
    uint64_t first = 0;
    tiledb_range_t range = {&first, sizeof first, &last, sizeof last};
    tiledb_ndrectangle_t* rectangle;
    tiledb_current_domain_t* rows;
    check(tiledb_ndrectangle_alloc(ctx, domain, &rectangle));
    check(tiledb_ndrectangle_set_range_for_name(ctx, rectangle, "row", &range));
    check(tiledb_current_domain_create(ctx, &rows));
    check(tiledb_current_domain_set_ndrectangle(ctx, rows, rectangle));
    check(tiledb_ndrectangle_free(&rectangle));
    return rows;
}

static void create(uint64_t last) {
    uint64_t range[] = {0, UINT64_MAX - 1000}, extent = 1000;
    tiledb_dimension_t* row;
    tiledb_domain_t* domain;
    tiledb_attribute_t* value;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "row", TILEDB_UINT64, range, &extent, &row));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, row));
    check(tiledb_attribute_alloc(ctx, "value", TILEDB_FLOAT64, &value));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, value));
    tiledb_current_domain_t* rows = rows_to(domain, last);
    check(tiledb_array_schema_set_current_domain(ctx, schema, rows));
    check(tiledb_array_create(ctx, uri, schema));
    check(tiledb_current_domain_free(&rows));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&value);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&row);
}

static void print_rows(void) {
    tiledb_array_schema_t* schema;
    tiledb_current_domain_t* rows;
    tiledb_ndrectangle_t* rectangle;
    tiledb_range_t range;
    check(tiledb_array_schema_load(ctx, uri, &schema));
    check(tiledb_array_schema_get_current_domain(ctx, schema, &rows));
    check(tiledb_current_domain_get_ndrectangle(ctx, rows, &rectangle));
    check(tiledb_ndrectangle_get_range_from_name(ctx, rectangle, "row", &range));
    printf("rows %llu to %llu\n", *(const unsigned long long*)range.min, *(const unsigned long long*)range.max);
    check(tiledb_ndrectangle_free(&rectangle));
    check(tiledb_current_domain_free(&rows));
    tiledb_array_schema_free(&schema);
}

/* Writes one cell; tells whether the array took it. */
static void write_row(uint64_t row, double value) {
    uint64_t row_size = sizeof row, value_size = sizeof value;
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "row", &row, &row_size));
    check(tiledb_query_set_data_buffer(ctx, query, "value", &value, &value_size));
    int stored = tiledb_query_submit(ctx, query) == TILEDB_OK;
    printf("  row %llu: %s\n", (unsigned long long)row, stored ? "stored" : "refused, it lies beyond the rows in use");
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Makes the array longer: a change of the schema alone, whatever the array holds. */
static void grow(uint64_t last) {
    tiledb_array_schema_t* schema;
    tiledb_domain_t* domain;
    tiledb_array_schema_evolution_t* evolution;
    check(tiledb_array_schema_load(ctx, uri, &schema));
    check(tiledb_array_schema_get_domain(ctx, schema, &domain));
    tiledb_current_domain_t* rows = rows_to(domain, last);
    check(tiledb_array_schema_evolution_alloc(ctx, &evolution));
    check(tiledb_array_schema_evolution_expand_current_domain(ctx, evolution, rows));
    check(tiledb_array_evolve(ctx, uri, evolution));
    tiledb_array_schema_evolution_free(&evolution);
    check(tiledb_current_domain_free(&rows));
    tiledb_domain_free(&domain);
    tiledb_array_schema_free(&schema);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create(99);
    print_rows();
    write_row(99, 0.5);
    write_row(100, 1.5);
    grow(199);
    print_rows();
    write_row(100, 1.5);
    tiledb_ctx_free(&ctx);
    return 0;
}
