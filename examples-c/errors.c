/* The three ways in which functions tell what went wrong. */
#include <stdio.h>
#include <tiledb/tiledb.h>

/* Functions with a context: the code tells that it failed, the context why. */
static void print_last_error(tiledb_ctx_t* ctx) {
    tiledb_error_t* error = NULL;
    const char* message = NULL;
    tiledb_ctx_get_last_error(ctx, &error);
    if (error == NULL) {
        puts("  nothing failed yet");
        return;
    }
    tiledb_error_message(error, &message);
    printf("  %s\n", message);
    tiledb_error_free(&error);
}

static const char* name_of(int code) {
    switch (code) {
        case TILEDB_OK:
            return "TILEDB_OK";
        case TILEDB_ERR:
            return "TILEDB_ERR";
        case TILEDB_INVALID_CONTEXT:
            return "TILEDB_INVALID_CONTEXT";
        default:
            return "another code";
    }
}

int main(void) {
    tiledb_ctx_t* ctx = NULL;
    if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) {
        fprintf(stderr, "no context\n");
        return 1;
    }

    puts("A new context:");
    print_last_error(ctx);

    puts("A wrong argument:");
    int code = tiledb_ctx_set_tag(ctx, NULL, "value");
    printf("  %s\n", name_of(code));
    print_last_error(ctx);

    puts("A success does not clear the last error:");
    code = tiledb_ctx_set_tag(ctx, "key", "value");
    printf("  %s\n", name_of(code));
    print_last_error(ctx);

    puts("Without a context:");
    code = tiledb_ctx_set_tag(NULL, "key", "value");
    printf("  %s\n", name_of(code));

    puts("Functions without a context give the error out:");
    tiledb_config_t* config = NULL;
    tiledb_error_t* error = NULL;
    const char* message = NULL;
    if (tiledb_config_alloc(&config, &error) != TILEDB_OK)
        return 1;
    code = tiledb_config_set(config, "sm.memory_budget", "lots", &error);
    tiledb_error_message(error, &message);
    printf("  %s\n  %s\n", name_of(code), message);
    tiledb_error_free(&error);

    puts("Some only give the code:");
    tiledb_datatype_t datatype;
    code = tiledb_datatype_from_str("no type", &datatype);
    printf("  %s\n", name_of(code));

    tiledb_config_free(&config);
    tiledb_ctx_free(&ctx);
    return 0;
}
