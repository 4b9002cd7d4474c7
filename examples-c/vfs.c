/* Files through the library's virtual file system: the same calls work on every storage it knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>

static tiledb_ctx_t* ctx;
static tiledb_vfs_t* vfs;

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

static void write_text(const char* uri, tiledb_vfs_mode_t mode, const char* text) {
    tiledb_vfs_fh_t* file;
    check(tiledb_vfs_open(ctx, vfs, uri, mode, &file));
    check(tiledb_vfs_write(ctx, file, text, strlen(text)));
    check(tiledb_vfs_close(ctx, file));
    tiledb_vfs_fh_free(&file);
}

static void show(const char* uri) {
    char text[64] = "";
    uint64_t size;
    tiledb_vfs_fh_t* file;
    check(tiledb_vfs_file_size(ctx, vfs, uri, &size));
    check(tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_READ, &file));
    check(tiledb_vfs_read(ctx, file, 0, text, size < sizeof text ? size : sizeof text - 1));
    check(tiledb_vfs_close(ctx, file));
    tiledb_vfs_fh_free(&file);
    printf("  %s, %llu bytes: %s\n", strrchr(uri, '/') + 1, (unsigned long long)size, text);
}

/* Called once per entry; 1 asks for the next one. */
static int32_t print_entry(const char* path, void* count) {
    printf("  %s\n", strrchr(path, '/') + 1);
    ++*(int*)count;
    return 1;
}

static void tour(const char* folder) {
    char first[128], second[128];
    int32_t exists;
    uint64_t bytes;
    int entries = 0;
    snprintf(first, sizeof first, "%s/first.txt", folder);
    snprintf(second, sizeof second, "%s/second.txt", folder);

    check(tiledb_vfs_create_dir(ctx, vfs, folder));
    write_text(first, TILEDB_VFS_WRITE, "hello");
    write_text(second, TILEDB_VFS_WRITE, "hello again");
    show(first);
    show(second);
    check(tiledb_vfs_ls(ctx, vfs, folder, print_entry, &entries));
    check(tiledb_vfs_dir_size(ctx, vfs, folder, &bytes));
    printf("  %d entries, %llu bytes in all\n", entries, (unsigned long long)bytes);
    check(tiledb_vfs_move_file(ctx, vfs, second, first));
    show(first);
    check(tiledb_vfs_is_file(ctx, vfs, second, &exists));
    printf("  second.txt is %s\n", exists ? "still there" : "gone");
    check(tiledb_vfs_remove_dir(ctx, vfs, folder));
    check(tiledb_vfs_is_dir(ctx, vfs, folder, &exists));
    printf("  the folder is %s\n", exists ? "still there" : "gone");
}

int main(void) {
    check(tiledb_ctx_alloc(NULL, &ctx));
    check(tiledb_vfs_alloc(ctx, NULL, &vfs));
    printf("local files\n");
    tour("vfs_folder");
    printf("memory\n");
    tour("mem://vfs_folder");
    tiledb_vfs_free(&vfs);
    tiledb_ctx_free(&ctx);
    return 0;
}
