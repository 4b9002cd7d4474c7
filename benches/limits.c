/* What the machine can do at best, and how near the library comes to it: each work through the C interface, and in the same
 * minute what it cannot do without (system calls, the codec on the same chunks, a sort), without anything around it. Both
 * work in one thread: two at a time wait for one memory, and the same work takes each of them longer. It prints a line per
 * case: its name, milliseconds of processor time of the limit and of the library, and the share.
 *
 * usage: limits FOLDER REPETITIONS      FOLDER is empty, best in memory; needs libzstd */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <tiledb/tiledb_rs.h>
#include <zstd.h>
#include "common.h"

enum { SIDE = 4096, TILE = 512, CELLS = SIDE * SIDE, CHUNK = 65536, SLOT = CHUNK + 1024, LEVEL = 3, PIECE = 1 << 20, SLICES = 300 };
enum { SPARSE = 2000000, SPAN = 100000, SPARSE_TILE = 1000, COLUMNS = 3, COLUMN = SPARSE * 8 / CHUNK + 1 };

static double *numbers, *back;
static uint8_t* packed;
static size_t sizes[CELLS * sizeof(double) / CHUNK];
static int64_t *ys, *xs;
static tiledb_config_t* alone;

static void need(int is_fine, const char* what) {
    if (!is_fine) {
        perror(what);
        exit(1);
    }
}

/* Aligned to pages, since some processors copy to other places at half the speed. */
static void* memory(size_t bytes) {
    void* given = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    need(given != NULL, "memory");
    memset(given, 0, bytes);
    return given;
}

/* --- the limits --- */

static void write_file(const void* bytes, size_t count) {
    int file = open(at("file"), O_CREAT | O_TRUNC | O_WRONLY, 0644);
    need(file >= 0, "file");
    for (size_t i = 0; i < count; i += PIECE) {
        size_t piece = count - i < PIECE ? count - i : PIECE;
        need(write(file, (const char*)bytes + i, piece) == (ssize_t)piece, "write");
    }
    need(close(file) == 0, "close");
}

static void read_file(void* bytes, size_t count) {
    int file = open(at("file"), O_RDONLY);
    need(file >= 0, "file");
    for (size_t i = 0; i < count; i += PIECE) {
        size_t piece = count - i < PIECE ? count - i : PIECE;
        need(pread(file, (char*)bytes + i, piece, (off_t)i) == (ssize_t)piece, "read");
    }
    close(file);
}

/* Packs chunks into slots, from the slot `chunk` on; gives the bytes. */
static size_t compress(const void* bytes, size_t count, size_t chunk) {
    static ZSTD_CCtx* codec;
    size_t sum = 0;
    codec = codec != NULL ? codec : ZSTD_createCCtx();
    for (size_t i = 0; i < count; i += CHUNK, chunk++) {
        size_t length = count - i < CHUNK ? count - i : CHUNK;
        sum += sizes[chunk] = ZSTD_compressCCtx(codec, packed + chunk * SLOT, SLOT, (const char*)bytes + i, length, LEVEL);
    }
    return sum;
}

static void decompress(void* bytes, size_t count, size_t chunk) {
    static ZSTD_DCtx* codec;
    codec = codec != NULL ? codec : ZSTD_createDCtx();
    for (size_t i = 0; i < count; i += CHUNK, chunk++)
        ZSTD_decompressDCtx(codec, (char*)bytes + i, CHUNK, packed + chunk * SLOT, sizes[chunk]);
}

static void limit_raw_write(void) { write_file(numbers, CELLS * sizeof *numbers); }
static void limit_raw_read(void) { read_file(back, CELLS * sizeof *back); }
static void limit_zstd_write(void) { write_file(packed, compress(numbers, CELLS * sizeof *numbers, 0)); }
static void limit_zstd_read(void) { decompress(back, CELLS * sizeof *back, 0); }

/* The chunk that holds the first row of the slice, and the one that holds the last, if that is another. */
static void limit_slices(void) {
    ZSTD_DCtx* codec = ZSTD_createDCtx();
    for (int i = 0; i < SLICES; i++)
        ZSTD_decompressDCtx(codec, back, CHUNK, packed + (size_t)i * 5 * SLOT, sizes[i * 5]);
    ZSTD_freeDCtx(codec);
}

/* Keys and places sorted by radix, all columns gathered and packed. */
typedef struct {
    uint64_t key;
    uint32_t place;
} Key;

static void limit_sparse_write(void) {
    static Key *from, *to;
    static uint32_t counts[3][4097];
    from = from != NULL ? from : memory(SPARSE * sizeof *from);
    to = to != NULL ? to : memory(SPARSE * sizeof *to);
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < SPARSE; i++) {
        uint64_t y = (uint64_t)ys[i], x = (uint64_t)xs[i], tiles = SPAN / SPARSE_TILE;
        from[i].key = (y / SPARSE_TILE * tiles + x / SPARSE_TILE) * SPARSE_TILE * SPARSE_TILE + y % SPARSE_TILE * SPARSE_TILE + x % SPARSE_TILE;
        from[i].place = i;
        for (int pass = 0; pass < 3; pass++)
            counts[pass][(from[i].key >> 12 * pass & 4095) + 1]++;
    }
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < 4096; i++)
            counts[pass][i + 1] += counts[pass][i];
        for (uint32_t i = 0; i < SPARSE; i++)
            to[counts[pass][from[i].key >> 12 * pass & 4095]++] = from[i];
        Key* other = from;
        from = to, to = other;
    }
    const void* columns[COLUMNS] = {ys, xs, numbers};
    for (int column = 0; column < COLUMNS; column++) {
        uint64_t* gathered = (uint64_t*)back;
        for (uint32_t i = 0; i < SPARSE; i++)
            gathered[i] = ((const uint64_t*)columns[column])[from[i].place];
        write_file(packed, compress(gathered, SPARSE * sizeof *gathered, (size_t)column * COLUMN));
    }
}

static void limit_sparse_read(void) {
    for (int column = 0; column < COLUMNS; column++)
        decompress(back, SPARSE * sizeof *back, (size_t)column * COLUMN);
}

/* --- the library --- */

static void create(const char* name, tiledb_array_type_t type, int64_t side, int64_t tile, int is_packed) {
    tiledb_domain_t* domain;
    tiledb_filter_list_t* filters = zstd(is_packed ? LEVEL : 0);
    int64_t range[] = {0, side - 1};
    tiledb_object_t there;
    check(tiledb_domain_alloc(ctx, &domain));
    add_dimension(domain, "y", TILEDB_INT64, range, &tile, filters);
    add_dimension(domain, "x", TILEDB_INT64, range, &tile, filters);
    check(tiledb_object_type(ctx, at(name), &there));
    if (there == TILEDB_ARRAY)
        check(tiledb_array_delete(ctx, at(name)));
    create_array(name, type, domain, TILEDB_FLOAT64, filters);
}

/* Writes or reads `a` of a box; coordinates too where they are given. */
static void submit(tiledb_array_t* array, tiledb_query_type_t type, tiledb_layout_t layout, const int64_t box[4], double* cells,
                   uint64_t count, int64_t* y, int64_t* x) {
    tiledb_query_t* query;
    uint64_t bytes = count * 8;
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, layout));
    if (box != NULL) {
        tiledb_subarray_t* subarray;
        check(tiledb_subarray_alloc(ctx, array, &subarray));
        check(tiledb_subarray_set_subarray(ctx, subarray, box));
        check(tiledb_query_set_subarray_t(ctx, query, subarray));
        tiledb_subarray_free(&subarray);
    }
    check(tiledb_query_set_data_buffer(ctx, query, "a", cells, &bytes));
    if (y != NULL) {
        check(tiledb_query_set_data_buffer(ctx, query, "y", y, &bytes));
        check(tiledb_query_set_data_buffer(ctx, query, "x", x, &bytes));
    }
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
}

static const int64_t all[] = {0, SIDE - 1, 0, SIDE - 1};

static void write_dense(const char* name, int is_packed) {
    create(name, TILEDB_DENSE, SIDE, TILE, is_packed);
    tiledb_array_t* array = open_array(name, TILEDB_WRITE);
    submit(array, TILEDB_WRITE, TILEDB_ROW_MAJOR, all, numbers, CELLS, NULL, NULL);
    close_array(array);
}

static void read_dense(const char* name) {
    tiledb_array_t* array = open_array(name, TILEDB_READ);
    submit(array, TILEDB_READ, TILEDB_ROW_MAJOR, all, back, CELLS, NULL, NULL);
    close_array(array);
}

static void raw_write(void) { write_dense("raw", 0); }
static void raw_read(void) { read_dense("raw"); }
static void zstd_write(void) { write_dense("zstd", 1); }
static void zstd_read(void) { read_dense("zstd"); }

/* One slice in each tile row of each tile, none in a chunk of another; a context of its own keeps nothing from before. */
static void slices(void) {
    tiledb_ctx_t* usual = ctx;
    check(tiledb_ctx_alloc(alone, &ctx));
    tiledb_array_t* array = open_array("zstd", TILEDB_READ);
    for (int i = 0; i < SLICES; i++) {
        int64_t chunk = i * 5 % 2048, tile = chunk / 32, y = tile / 8 * TILE + chunk % 32 * 16, x = tile % 8 * TILE + 100;
        int64_t box[] = {y, y + 15, x, x + 15};
        submit(array, TILEDB_READ, TILEDB_ROW_MAJOR, box, back, 256, NULL, NULL);
    }
    close_array(array);
    tiledb_ctx_free(&ctx);
    ctx = usual;
}

static void sparse_write(void) {
    create("sparse", TILEDB_SPARSE, SPAN, SPARSE_TILE, 1);
    tiledb_array_t* array = open_array("sparse", TILEDB_WRITE);
    submit(array, TILEDB_WRITE, TILEDB_UNORDERED, NULL, numbers, SPARSE, ys, xs);
    close_array(array);
}

static void sparse_read(void) {
    tiledb_array_t* array = open_array("sparse", TILEDB_READ);
    submit(array, TILEDB_READ, TILEDB_UNORDERED, NULL, back, SPARSE, (int64_t*)back + SPARSE, (int64_t*)back + 2 * SPARSE);
    close_array(array);
}

static void verify(const char* name) {
    tiledb_rs_verified_t verified;
    check(tiledb_rs_array_verify(ctx, at(name), NULL, NULL, NULL, NULL, &verified));
    if (verified.warnings + verified.errors > 0) {
        fprintf(stderr, "limits: %s is not whole\n", name);
        exit(1);
    }
}

static void verify_raw(void) { verify("raw"); }
static void verify_zstd(void) { verify("zstd"); }
static void verify_sparse(void) { verify("sparse"); }

/* --- the comparison --- */

static double once(void (*work)(void)) {
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID) * 1e3;
    work();
    return seconds(CLOCK_PROCESS_CPUTIME_ID) * 1e3 - start;
}

/* The best of both, taken in turn. */
static void compare(const char* name, int repetitions, void (*limit)(void), void (*ours)(void)) {
    double least = 1e18, taken = 1e18;
    for (int i = 0; i < repetitions; i++) {
        double now = once(limit);
        least = now < least ? now : least;
        now = once(ours);
        taken = now < taken ? now : taken;
    }
    printf("%s\t%.2f\t%.2f\t%.0f %%\n", name, least, taken, least / taken * 100);
    fflush(stdout);
}

int main(int count, char** arguments) {
    int repetitions = count == 3 ? atoi(arguments[2]) : 0;
    if (repetitions < 1) {
        fprintf(stderr, "usage: limits FOLDER REPETITIONS\n");
        return 2;
    }
    folder = arguments[1];
    numbers = memory(CELLS * sizeof *numbers), back = memory(CELLS * sizeof *back);
    packed = memory((size_t)CELLS * sizeof *numbers / CHUNK * SLOT);
    ys = memory(SPARSE * sizeof *ys), xs = memory(SPARSE * sizeof *xs);
    for (size_t i = 0; i < CELLS; i++)
        numbers[i] = (double)(i / 7 % 1000 + random_number() % 64) / 100;
    for (uint64_t i = 0; i < SPARSE; i++) {
        /* An odd factor that is not a multiple of 5: no two places are equal. */
        uint64_t place = i * 7198231357u % ((uint64_t)SPAN * SPAN);
        ys[i] = (int64_t)(place / SPAN), xs[i] = (int64_t)(place % SPAN);
    }
    tiledb_error_t* error = NULL;
    need(tiledb_config_alloc(&alone, &error) == TILEDB_OK, "configuration");
    need(tiledb_config_set(alone, "sm.compute_concurrency_level", "1", &error) == TILEDB_OK, "configuration");
    need(tiledb_config_set(alone, "sm.io_concurrency_level", "1", &error) == TILEDB_OK, "configuration");
    check(tiledb_ctx_alloc(alone, &ctx));
    printf("case\tlimit\tlibrary\tshare\n");
    compare("write reals: the same bytes into a file", repetitions, limit_raw_write, raw_write);
    limit_raw_write();
    compare("read reals: the same bytes out of a file", repetitions, limit_raw_read, raw_read);
    compare("write reals with Zstandard: the codec on the same chunks, and the file", repetitions, limit_zstd_write, zstd_write);
    compare("read reals with Zstandard: the codec", repetitions, limit_zstd_read, zstd_read);
    compare("300 slices of 16 x 16, for the first time: a chunk each", repetitions, limit_slices, slices);
    compare("write cells in any order: radix sort, gather, codec, files", repetitions, limit_sparse_write, sparse_write);
    limit_sparse_write();
    compare("read cells: the codec", repetitions, limit_sparse_read, sparse_read);
    compare("verify reals: a read of them", repetitions, raw_read, verify_raw);
    compare("verify reals with Zstandard: a read of them", repetitions, zstd_read, verify_zstd);
    compare("verify cells: a read of them", repetitions, sparse_read, verify_sparse);
    tiledb_ctx_free(&ctx);
    tiledb_config_free(&alone);
    return 0;
}
