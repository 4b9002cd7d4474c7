/* Hilbert order: cells are stored along a curve that visits every place and keeps neighbours together. */
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

enum { SIDE = 8 };

static void create(const char* uri) {
    int32_t range[] = {0, SIDE - 1};
    tiledb_dimension_t *x, *y;
    tiledb_domain_t* domain;
    tiledb_attribute_t* id;
    tiledb_array_schema_t* schema;
    /* The curve needs no tiles of space: the extent stays away. */
    check(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, range, NULL, &x));
    check(tiledb_dimension_alloc(ctx, "y", TILEDB_INT32, range, NULL, &y));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, x));
    check(tiledb_domain_add_dimension(ctx, domain, y));
    check(tiledb_attribute_alloc(ctx, "id", TILEDB_INT32, &id));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, id));
    check(tiledb_array_schema_set_cell_order(ctx, schema, TILEDB_HILBERT));
    check(tiledb_array_schema_set_capacity(ctx, schema, 8));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&id);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&y);
    tiledb_dimension_free(&x);
}

/* Writes or reads all cells; they come back in the order in which they are stored. */
static void transfer(const char* uri, tiledb_query_type_t type, int32_t* x, int32_t* y, int32_t* id) {
    uint64_t x_bytes = SIDE * SIDE * sizeof *x, y_bytes = x_bytes, id_bytes = x_bytes;
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, type == TILEDB_WRITE ? TILEDB_UNORDERED : TILEDB_GLOBAL_ORDER));
    check(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "y", y, &y_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "id", id, &id_bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Draws the path from cell to cell. */
static void draw(const int32_t* x, const int32_t* y) {
    char lines[2 * SIDE - 1][2 * SIDE];
    for (int line = 0; line < 2 * SIDE - 1; line++)
        for (int place = 0; place < 2 * SIDE; place++)
            lines[line][place] = place == 2 * SIDE - 1 ? '\0' : line % 2 == 0 && place % 2 == 0 ? 'o' : ' ';
    for (int i = 1; i < SIDE * SIDE; i++) {
        int line = y[i - 1] + y[i], place = x[i - 1] + x[i];
        lines[line][place] = y[i - 1] == y[i] ? '-' : '|';
    }
    for (int line = 0; line < 2 * SIDE - 1; line++)
        printf("  %s\n", lines[line]);
}

int main(void) {
    int32_t x[SIDE * SIDE], y[SIDE * SIDE], id[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        x[i] = i % SIDE;
        y[i] = i / SIDE;
        id[i] = i;
    }
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("hilbert");
    transfer("hilbert", TILEDB_WRITE, x, y, id);
    transfer("hilbert", TILEDB_READ, x, y, id);
    printf("The first tile of eight cells (x, y):\n ");
    for (int i = 0; i < 8; i++)
        printf(" (%d, %d)", x[i], y[i]);
    printf("\nThe way through all %d cells:\n", SIDE * SIDE);
    draw(x, y);
    tiledb_ctx_free(&ctx);
    return 0;
}
