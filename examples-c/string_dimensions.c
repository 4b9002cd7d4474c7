/* Words as coordinates: a sparse array is a sorted table that finds ranges of words. */
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

static void add_dimension(tiledb_domain_t* domain, const char* name) {
    tiledb_dimension_t* dimension;
    /* Strings have neither a domain nor tiles. */
    check(tiledb_dimension_alloc(ctx, name, TILEDB_STRING_ASCII, NULL, NULL, &dimension));
    check(tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_dimension_free(&dimension);
}

static void create(const char* uri) {
    tiledb_domain_t* domain;
    tiledb_attribute_t* height;
    tiledb_array_schema_t* schema;
    check(tiledb_domain_alloc(ctx, &domain));
    add_dimension(domain, "country");
    add_dimension(domain, "mountain");
    check(tiledb_attribute_alloc(ctx, "height", TILEDB_INT32, &height));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, height));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&height);
    tiledb_domain_free(&domain);
}

/* Words in the form of the library: letters without ends, and where each word begins. */
typedef struct {
    char letters[256];
    uint64_t starts[16], letters_bytes, starts_bytes;
} words_t;

static void set_words(tiledb_query_t* query, const char* dimension, words_t* words) {
    check(tiledb_query_set_data_buffer(ctx, query, dimension, words->letters, &words->letters_bytes));
    check(tiledb_query_set_offsets_buffer(ctx, query, dimension, words->starts, &words->starts_bytes));
}

static void append(words_t* words, const char* word) {
    memcpy(words->letters + words->letters_bytes, word, strlen(word));
    words->starts[words->starts_bytes / sizeof(uint64_t)] = words->letters_bytes;
    words->starts_bytes += sizeof(uint64_t);
    words->letters_bytes += strlen(word);
}

static void print_word(const words_t* words, uint64_t i) {
    int last = (i + 1) * sizeof(uint64_t) == words->starts_bytes;
    uint64_t end = last ? words->letters_bytes : words->starts[i + 1];
    printf("  %-11.*s", (int)(end - words->starts[i]), words->letters + words->starts[i]);
}

static void write_mountains(const char* uri) {
    static const struct {
        const char *country, *mountain;
        int32_t height;
    } known[] = {
        {"Nepal", "Everest", 8849},      {"Tanzania", "Kilimanjaro", 5895}, {"Italy", "Etna", 3357},
        {"France", "Mont Blanc", 4806},  {"Italy", "Gran Sasso", 2912},     {"Japan", "Fuji", 3776},
        {"Germany", "Zugspitze", 2962},  {"Nepal", "Annapurna", 8091},      {"Kenya", "Batian", 5199},
    };
    enum { COUNT = sizeof known / sizeof *known };
    words_t countries = {.starts_bytes = 0}, mountains = {.starts_bytes = 0};
    int32_t heights[COUNT];
    uint64_t heights_bytes = sizeof heights;
    for (int i = 0; i < COUNT; i++) {
        append(&countries, known[i].country);
        append(&mountains, known[i].mountain);
        heights[i] = known[i].height;
    }
    tiledb_array_t* array;
    tiledb_query_t* query;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    set_words(query, "country", &countries);
    set_words(query, "mountain", &mountains);
    check(tiledb_query_set_data_buffer(ctx, query, "height", heights, &heights_bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Prints the cells with first <= dimension <= last, in the order of both words. */
static void show(const char* uri, const char* dimension, const char* first, const char* last) {
    words_t countries = {.letters_bytes = sizeof countries.letters, .starts_bytes = sizeof countries.starts};
    words_t mountains = {.letters_bytes = sizeof mountains.letters, .starts_bytes = sizeof mountains.starts};
    int32_t heights[16];
    uint64_t heights_bytes = sizeof heights;
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range_var_by_name(
        ctx, subarray, dimension, first, strlen(first), last, strlen(last)));
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    set_words(query, "country", &countries);
    set_words(query, "mountain", &mountains);
    check(tiledb_query_set_data_buffer(ctx, query, "height", heights, &heights_bytes));
    check(tiledb_query_submit(ctx, query));
    printf("%s from \"%s\" to \"%s\":\n", dimension, first, last);
    for (uint64_t i = 0; i < heights_bytes / sizeof *heights; i++) {
        print_word(&countries, i);
        print_word(&mountains, i);
        printf("  %d m\n", heights[i]);
    }
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("mountains");
    write_mountains("mountains");
    show("mountains", "country", "A", "Z");
    show("mountains", "country", "Italy", "Italy");
    show("mountains", "mountain", "E", "G");
    tiledb_ctx_free(&ctx);
    return 0;
}
