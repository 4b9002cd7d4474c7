/* Buffers of the right size: the library estimates how large a result will be before anything is read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static const char* const uri = "result_sizes_array";

/* The words of a text, by their places. */
static void create(void) {
    int32_t range[] = {1, 1000}, extent = 10;
    tiledb_dimension_t* place;
    tiledb_domain_t* domain;
    tiledb_attribute_t* word;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "place", TILEDB_INT32, range, &extent, &place));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, place));
    check(tiledb_attribute_alloc(ctx, "word", TILEDB_STRING_UTF8, &word));
    check(tiledb_attribute_set_cell_val_num(ctx, word, TILEDB_VAR_NUM));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, word));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&word);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&place);
}

static void store(void) {
    char text[] = "thelibrarymeasuresbeforeitreads";
    uint64_t starts[] = {0, 3, 10, 18, 24, 26};
    int32_t places[] = {1, 2, 3, 4, 5, 6};
    uint64_t text_size = strlen(text), starts_size = sizeof starts, places_size = sizeof places;
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "place", places, &places_size));
    check(tiledb_query_set_data_buffer(ctx, query, "word", text, &text_size));
    check(tiledb_query_set_offsets_buffer(ctx, query, "word", starts, &starts_size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_query_status_t status;
    uint64_t starts_size, text_size;
    check(tiledb_ctx_alloc(NULL, &ctx));
    create();
    store();
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));

    check(tiledb_query_get_est_result_size_var(ctx, query, "word", &starts_size, &text_size));
    printf("estimated: %d words in %d bytes\n", (int)(starts_size / sizeof(uint64_t)), (int)text_size);
    uint64_t* starts = malloc(starts_size);
    char* text = malloc(text_size);
    check(tiledb_query_set_data_buffer(ctx, query, "word", text, &text_size));
    check(tiledb_query_set_offsets_buffer(ctx, query, "word", starts, &starts_size));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_get_status(ctx, query, &status));
    printf("read %s:", status == TILEDB_COMPLETED ? "at once" : "in part");
    uint64_t words = starts_size / sizeof *starts;
    for (uint64_t i = 0; i < words; i++) {
        uint64_t end = i + 1 < words ? starts[i + 1] : text_size;
        printf(" %.*s", (int)(end - starts[i]), text + starts[i]);
    }
    printf("\n");

    free(text);
    free(starts);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
    tiledb_ctx_free(&ctx);
    return 0;
}
