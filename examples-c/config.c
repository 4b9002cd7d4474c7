/* Sets, reads, lists, saves and loads parameters, and makes a context with them. */
#include <stdio.h>
#include <stdlib.h>
#include <tiledb/tiledb.h>

/* Ends the program with the error's text. */
static void fail(tiledb_error_t* error) {
    const char* message = "unknown error";
    tiledb_error_message(error, &message);
    fprintf(stderr, "%s\n", message);
    exit(1);
}

static void set(tiledb_config_t* config, const char* name, const char* value) {
    tiledb_error_t* error = NULL;
    if (tiledb_config_set(config, name, value, &error) != TILEDB_OK)
        fail(error);
}

static void print(tiledb_config_t* config, const char* name) {
    tiledb_error_t* error = NULL;
    const char* value = NULL;
    if (tiledb_config_get(config, name, &value, &error) != TILEDB_OK)
        fail(error);
    printf("%s = %s\n", name, value != NULL ? value : "(not set)");
}

int main(void) {
    tiledb_error_t* error = NULL;
    tiledb_config_t* config = NULL;
    if (tiledb_config_alloc(&config, &error) != TILEDB_OK)
        fail(error);

    puts("Defaults");
    print(config, "sm.check_coord_dups");
    print(config, "sm.mem.total_budget");

    puts("\nAfter setting them");
    set(config, "sm.check_coord_dups", "false");
    set(config, "sm.mem.total_budget", "1000000000");
    set(config, "my.application.colour", "blue"); /* names of your own are kept, too */
    print(config, "sm.check_coord_dups");
    print(config, "sm.mem.total_budget");
    print(config, "my.application.colour");

    puts("\nA wrong value is refused");
    if (tiledb_config_set(config, "sm.check_coord_dups", "maybe", &error) != TILEDB_OK) {
        const char* message = NULL;
        tiledb_error_message(error, &message);
        printf("%s\n", message);
        tiledb_error_free(&error);
    }
    print(config, "sm.check_coord_dups");

    puts("\nAll parameters that begin with sm.mem.consolidation.");
    tiledb_config_iter_t* iter = NULL;
    int done = 0;
    if (tiledb_config_iter_alloc(config, "sm.mem.consolidation.", &iter, &error) != TILEDB_OK)
        fail(error);
    while (tiledb_config_iter_done(iter, &done, &error) == TILEDB_OK && !done) {
        const char *name = NULL, *value = NULL;
        tiledb_config_iter_here(iter, &name, &value, &error);
        printf("%s = %s\n", name, value);
        tiledb_config_iter_next(iter, &error);
    }
    tiledb_config_iter_free(&iter);

    puts("\nSaved to a file and loaded from it");
    const char* path = "example.config";
    tiledb_config_t* loaded = NULL;
    if (tiledb_config_save_to_file(config, path, &error) != TILEDB_OK)
        fail(error);
    if (tiledb_config_alloc(&loaded, &error) != TILEDB_OK)
        fail(error);
    if (tiledb_config_load_from_file(loaded, path, &error) != TILEDB_OK)
        fail(error);
    remove(path);
    print(loaded, "my.application.colour");

    puts("\nBack to the default");
    tiledb_config_unset(loaded, "sm.check_coord_dups", &error);
    print(loaded, "sm.check_coord_dups");

    /* A context copies the configuration, which may be freed at once. */
    tiledb_ctx_t* ctx = NULL;
    if (tiledb_ctx_alloc_with_error(config, &ctx, &error) != TILEDB_OK)
        fail(error);
    tiledb_config_free(&config);
    tiledb_config_free(&loaded);

    puts("\nFrom the context");
    tiledb_ctx_get_config(ctx, &config);
    print(config, "sm.mem.total_budget");
    tiledb_config_free(&config);
    tiledb_ctx_free(&ctx);
    return 0;
}
