/* The smallest user: the header's version is the library's, and a context can be made. */
#include <stdio.h>
#include <tiledb/tiledb.h>

int main(void) {
    int32_t major = 0, minor = 0, patch = 0;
    tiledb_version(&major, &minor, &patch);
    if (major != TILEDB_VERSION_MAJOR || minor != TILEDB_VERSION_MINOR || patch != TILEDB_VERSION_PATCH)
        return 1;
    tiledb_ctx_t* ctx = NULL;
    if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK)
        return 2;
    tiledb_ctx_free(&ctx);
    printf("version %d.%d.%d\n", major, minor, patch);
    return ctx == NULL ? 0 : 3;
}
