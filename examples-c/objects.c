/* Arrays and groups in folders: finding them, telling what they are, moving and removing them. */
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

static void create_array(const char* uri) {
    int32_t range[] = {1, 10}, extent = 10;
    tiledb_dimension_t* x;
    tiledb_domain_t* domain;
    tiledb_attribute_t* a;
    tiledb_array_schema_t* schema;
    check(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, range, &extent, &x));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, x));
    check(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, a));
    check(tiledb_array_create(ctx, uri, schema));
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&a);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&x);
}

static const char* name_of(tiledb_object_t type) {
    const char* name = "nothing";
    if (type != TILEDB_INVALID)
        check(tiledb_object_type_to_str(type, &name));
    return name;
}

/* Prints a path from the project's folder on; called for each object. */
static int32_t print(const char* path, tiledb_object_t type, void* data) {
    (void)data;
    printf("  %-28s %s\n", strstr(path, "project"), name_of(type));
    return 1;
}

static void print_type(const char* path) {
    tiledb_object_t type;
    check(tiledb_object_type(ctx, path, &type));
    printf("%s is %s\n", path, name_of(type));
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    check(tiledb_group_create(ctx, "project"));
    check(tiledb_group_create(ctx, "project/images"));
    create_array("project/images/left");
    create_array("project/images/right");
    create_array("project/index");

    printf("all objects, parents first:\n");
    check(tiledb_object_walk(ctx, "project", TILEDB_PREORDER, print, NULL));
    printf("all objects, parents last:\n");
    check(tiledb_object_walk(ctx, "project", TILEDB_POSTORDER, print, NULL));
    printf("directly in the project:\n");
    check(tiledb_object_ls(ctx, "project", print, NULL));

    print_type("project");
    print_type("project/index");
    print_type("project/elsewhere");
    check(tiledb_object_move(ctx, "project/index", "project/elsewhere"));
    print_type("project/elsewhere");
    check(tiledb_object_remove(ctx, "project/images"));
    printf("after moving the index and removing the images:\n");
    check(tiledb_object_walk(ctx, "project", TILEDB_PREORDER, print, NULL));
    tiledb_ctx_free(&ctx);
    return 0;
}
