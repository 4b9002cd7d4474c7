/* Encryption: everything an array keeps on disk is sealed with a key, and opens with no other. */
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

/* A context that seals and opens arrays with a key of 32 characters; without one it knows no key. */
static tiledb_ctx_t* context_with(const char* key) {
    tiledb_error_t* error;
    tiledb_config_t* config;
    tiledb_ctx_t* made;
    check(tiledb_config_alloc(&config, &error));
    if (key != NULL) {
        check(tiledb_config_set(config, "sm.encryption_type", "AES_256_GCM", &error));
        check(tiledb_config_set(config, "sm.encryption_key", key, &error));
    }
    check(tiledb_ctx_alloc(config, &made));
    tiledb_config_free(&config);
    return made;
}

static void create(const char* uri) {
    int32_t range[] = {0, 31}, extent = 32;
    tiledb_dimension_t* dimension;
    tiledb_domain_t* domain;
    tiledb_attribute_t* letter;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "place", TILEDB_INT32, range, &extent, &dimension));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, dimension));
    check(tiledb_attribute_alloc(ctx, "letter", TILEDB_CHAR, &letter));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, letter));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&letter);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&dimension);
}

/* Writes or reads the 32 letters; false if the array does not open. */
static int transfer(const char* uri, tiledb_query_type_t type, char letters[32]) {
    uint64_t bytes = 32;
    tiledb_array_t* array;
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    check(tiledb_array_alloc(ctx, uri, &array));
    if (tiledb_array_open(ctx, array, type) != TILEDB_OK) {
        tiledb_array_free(&array);
        return 0;
    }
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_set_subarray(ctx, subarray, (int32_t[]){0, 31}));
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "letter", letters, &bytes));
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
    return 1;
}

static void try_to_read(const char* uri, const char* who, const char* key) {
    char letters[32];
    ctx = context_with(key);
    if (transfer(uri, TILEDB_READ, letters))
        printf("  %s reads: %.32s\n", who, letters);
    else
        printf("  %s cannot open it\n", who);
    tiledb_ctx_free(&ctx);
}

/* What is searched, and what came of it. */
typedef struct {
    tiledb_vfs_t* vfs;
    const char* word;
    int found;
} search_t;

/* Called for every file: counts how often it holds the word. */
static int32_t search(const char* path, size_t path_len, uint64_t size, uint8_t is_folder, void* data) {
    search_t* s = data;
    char uri[4096], content[4096];
    tiledb_vfs_fh_t* file;
    if (is_folder || size == 0 || size > sizeof content)
        return 1;
    snprintf(uri, sizeof uri, "%.*s", (int)path_len, path);
    check(tiledb_vfs_open(ctx, s->vfs, uri, TILEDB_VFS_READ, &file));
    check(tiledb_vfs_read(ctx, file, 0, content, size));
    check(tiledb_vfs_close(ctx, file));
    tiledb_vfs_fh_free(&file);
    for (size_t i = 0; i + strlen(s->word) <= size; i++)
        s->found += memcmp(content + i, s->word, strlen(s->word)) == 0;
    return 1;
}

static void write_and_search(const char* uri, const char* key) {
    char letters[] = "we meet at noon by the old mill.";
    search_t s = {NULL, "meet", 0};
    ctx = context_with(key);
    create(uri);
    transfer(uri, TILEDB_WRITE, letters);
    check(tiledb_vfs_alloc(ctx, NULL, &s.vfs));
    check(tiledb_vfs_ls_recursive_v2(ctx, s.vfs, uri, search, &s));
    printf("%s: the word \"%s\" %s in its files\n", uri, s.word, s.found > 0 ? "stands" : "is nowhere");
    tiledb_vfs_free(&s.vfs);
    tiledb_ctx_free(&ctx);
}

int main(void) {
    const char* key = "0123456789abcdeF0123456789abcdeF";
    write_and_search("plain", NULL);
    try_to_read("plain", "everyone", NULL);
    write_and_search("sealed", key);
    try_to_read("sealed", "the owner", key);
    try_to_read("sealed", "who guesses", "0000000000000000000000000000000F");
    try_to_read("sealed", "who has no key", NULL);
    return 0;
}
