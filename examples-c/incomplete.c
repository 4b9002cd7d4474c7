/* A result larger than its buffers: the query gives what fits, and goes on from there when it is submitted again. */
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

static const char* const words[] = {"A",      "result", "may", "be",   "larger", "than", "all", "the",
                                    "memory", "there",  "is:", "read", "it",     "in",   "pieces."};
enum { WORDS = sizeof words / sizeof *words };

static void create(const char* uri) {
    int32_t range[] = {1, WORDS}, extent = WORDS;
    tiledb_dimension_t* number;
    tiledb_domain_t* domain;
    tiledb_attribute_t* word;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "number", TILEDB_INT32, range, &extent, &number));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, number));
    check(tiledb_attribute_alloc(ctx, "word", TILEDB_STRING_ASCII, &word));
    check(tiledb_attribute_set_cell_val_num(ctx, word, TILEDB_VAR_NUM));
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, word));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&word);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&number);
}

static void write_words(const char* uri) {
    char letters[256];
    int32_t numbers[WORDS];
    uint64_t offsets[WORDS], used = 0, numbers_bytes = sizeof numbers, offsets_bytes = sizeof offsets;
    tiledb_array_t* array;
    tiledb_query_t* query;
    for (int i = 0; i < WORDS; i++) {
        numbers[i] = i + 1;
        offsets[i] = used;
        memcpy(letters + used, words[i], strlen(words[i]));
        used += strlen(words[i]);
    }
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    check(tiledb_query_set_data_buffer(ctx, query, "number", numbers, &numbers_bytes));
    check(tiledb_query_set_data_buffer(ctx, query, "word", letters, &used));
    check(tiledb_query_set_offsets_buffer(ctx, query, "word", offsets, &offsets_bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Reads all words through buffers for `letters_room` letters and `words_room` words. */
static void read_words(const char* uri, uint64_t letters_room, uint64_t words_room) {
    char letters[64];
    uint64_t offsets[64], letters_bytes = letters_room, offsets_bytes = words_room * sizeof *offsets;
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_query_status_t status;
    printf("room for %d letters and %d words:\n", (int)letters_room, (int)words_room);
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER));
    check(tiledb_query_set_data_buffer(ctx, query, "word", letters, &letters_bytes));
    check(tiledb_query_set_offsets_buffer(ctx, query, "word", offsets, &offsets_bytes));
    do {
        /* The sizes are those of the result; the next submit uses the whole buffers again. */
        check(tiledb_query_submit(ctx, query));
        check(tiledb_query_get_status(ctx, query, &status));
        uint64_t count = offsets_bytes / sizeof *offsets;
        if (count == 0 && status == TILEDB_INCOMPLETE) {
            printf("  not even one word fits: take larger buffers\n");
            break;
        }
        printf(" ");
        for (uint64_t i = 0; i < count; i++) {
            uint64_t end = i + 1 < count ? offsets[i + 1] : letters_bytes;
            printf(" %.*s", (int)(end - offsets[i]), letters + offsets[i]);
        }
        printf(status == TILEDB_INCOMPLETE ? " ...\n" : "\n");
    } while (status == TILEDB_INCOMPLETE);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    create("incomplete");
    write_words("incomplete");
    read_words("incomplete", 64, 64);
    read_words("incomplete", 64, 4);
    read_words("incomplete", 12, 64);
    read_words("incomplete", 4, 64);
    tiledb_ctx_free(&ctx);
    return 0;
}
