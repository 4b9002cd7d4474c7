/*
 * Logging: the library is silent unless the configuration asks for lines of a level, here warnings and errors. A program
 * adds lines of its own. The lines have times and process numbers, so this program counts them instead of printing them.
 */
#define _GNU_SOURCE /* fdopen */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>
#include <unistd.h>

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

/* Makes a context whose log has lines up to a level: 0 none, 1 errors, 2 warnings, 3 what is done, 4 and 5 details. */
static void use_level(const char* level) {
    tiledb_config_t* config;
    tiledb_error_t* error;
    if (tiledb_config_alloc(&config, &error) != TILEDB_OK ||
        tiledb_config_set(config, "config.logging_level", level, &error) != TILEDB_OK ||
        tiledb_ctx_alloc(config, &ctx) != TILEDB_OK)
        exit(1);
    tiledb_config_free(&config);
}

/* Lets the log go to a file, and the program's own lines to where they went before. */
static FILE* redirect(const char* path) {
    FILE* output = fdopen(dup(STDOUT_FILENO), "w");
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (output == NULL || file < 0)
        exit(1);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
    return output;
}

/* How many lines of a file have both words. */
static int count(const char* path, const char* level, const char* text) {
    char line[1000];
    int found = 0;
    FILE* file = fopen(path, "r");
    if (file == NULL)
        exit(1);
    while (fgets(line, sizeof line, file) != NULL)
        found += strstr(line, level) != NULL && strstr(line, text) != NULL;
    fclose(file);
    return found;
}

int main(void) {
    tiledb_array_t* array;
    FILE* output = redirect("log.txt");
    use_level("2");
    check(tiledb_log_warn(ctx, "the disk is nearly full"));
    check(tiledb_array_alloc(ctx, "no_such_array", &array));
    if (tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_OK)
        exit(1);
    tiledb_array_free(&array);
    tiledb_ctx_free(&ctx);

    fflush(stdout);
    fprintf(output, "own warnings in the log: %d\n", count("log.txt", "[warning]", "the disk is nearly full"));
    fprintf(output, "errors about the array: %s\n", count("log.txt", "[error]", "does not exist") > 0 ? "yes" : "no");
    fclose(output);
    return 0;
}
