/* Filestores: files and buffers into arrays and out again, and what is told of them. */
#define TILEDB_NO_API_DEPRECATION_WARNINGS
#include "common.h"

static void create(const char* array, const char* file) {
  tiledb_array_schema_t* schema = NULL;
  assert(tiledb_filestore_schema_create(ctx, file, &schema) == TILEDB_OK);
  assert(tiledb_array_create(ctx, array, schema) == TILEDB_OK);
  tiledb_array_schema_free(&schema);
}

static void put(const char* path, const char* bytes, size_t size) {
  FILE* file = fopen(path, "wb");
  assert(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void is_file(const char* path, const char* bytes, size_t size) {
  char* contents = malloc(size + 1);
  FILE* file = fopen(path, "rb");
  assert(contents != NULL && file != NULL && fread(contents, 1, size + 1, file) == size && fclose(file) == 0);
  assert(memcmp(contents, bytes, size) == 0);
  free(contents);
}

static void is_metadata(const char* array, const char* key, const char* text) {
  tiledb_array_t* opened = NULL;
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t number = 77;
  const void* value = NULL;
  assert(tiledb_array_alloc(ctx, array, &opened) == TILEDB_OK);
  assert(tiledb_array_open(ctx, opened, TILEDB_READ) == TILEDB_OK);
  assert(tiledb_array_get_metadata(ctx, opened, key, &type, &number, &value) == TILEDB_OK);
  assert(type == TILEDB_STRING_UTF8 && (value == NULL ? *text == 0 : number == strlen(text)));
  assert(value == NULL || memcmp(value, text, number) == 0);
  assert(tiledb_array_close(ctx, opened) == TILEDB_OK);
  tiledb_array_free(&opened);
}

static void files(void) {
  size_t sizes[] = {1, 11, 1024, 5000, 3000000}, size = 77;
  char* bytes = malloc(3000000);
  assert(bytes != NULL);
  for (size_t i = 0; i < 3000000; i++)
    bytes[i] = (char)(i * i / 3);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char array[40], part[100] = {0};
    snprintf(array, sizeof array, i % 2 == 0 ? "array%zu" : "mem://array%zu", i);
    put("some.data.bin", bytes, sizes[i]);
    create(array, "some.data.bin");
    assert(tiledb_filestore_uri_import(ctx, array, "some.data.bin", TILEDB_MIME_PDF) == TILEDB_OK);
    assert(tiledb_filestore_size(ctx, array, &size) == TILEDB_OK && size == sizes[i]);
    put("copy", "something longer than that before", 33);
    assert(tiledb_filestore_uri_export(ctx, "copy", array) == TILEDB_OK);
    is_file("copy", bytes, sizes[i]);
    size_t count = sizes[i] < 99 ? sizes[i] : 99;
    assert(tiledb_filestore_buffer_export(ctx, array, sizes[i] - count, part, count) == TILEDB_OK);
    assert(memcmp(part, bytes + sizes[i] - count, count) == 0 && part[count] == 0);
    assert(tiledb_filestore_buffer_export(ctx, array, 1, part, sizes[i]) == TILEDB_ERR);
    is_metadata(array, "mime_type", "application/pdf");
    is_metadata(array, "mime_encoding", "binary");
    is_metadata(array, "original_file_name", "some.data");
    is_metadata(array, "file_extension", "bin");
    /* What comes later counts, also if it is shorter. */
    assert(tiledb_filestore_buffer_import(ctx, array, "text", 4, TILEDB_MIME_AUTODETECT) == TILEDB_OK);
    assert(tiledb_filestore_size(ctx, array, &size) == TILEDB_OK && size == 4);
    assert(tiledb_filestore_buffer_export(ctx, array, 0, part, 4) == TILEDB_OK && memcmp(part, "text", 4) == 0);
    is_metadata(array, "mime_type", "application/octet-stream");
    is_metadata(array, "original_file_name", "");
  }
  free(bytes);
}

static void refused(void) {
  tiledb_array_schema_t* schema = NULL;
  size_t size = 77;
  char byte = 0;
  create("empty", NULL);
  assert(tiledb_filestore_size(ctx, "empty", &size) == TILEDB_ERR && size == 77);
  assert(tiledb_filestore_uri_export(ctx, "out", "empty") == TILEDB_ERR);
  assert(access("out", F_OK) != 0);
  assert(tiledb_filestore_buffer_export(ctx, "empty", 0, &byte, 1) == TILEDB_ERR);
  assert(tiledb_filestore_buffer_import(ctx, "empty", &byte, 1, (tiledb_mime_type_t)3) == TILEDB_ERR);
  expect("C API: Invalid mime type");
  assert(tiledb_filestore_buffer_import(ctx, "empty", NULL, 0, TILEDB_MIME_TIFF) == TILEDB_ERR);
  expect("C API: Invalid pointer");
  assert(tiledb_filestore_uri_import(ctx, NULL, "x", TILEDB_MIME_TIFF) == TILEDB_ERR);
  expect("C API: Invalid uri pointer");
  assert(tiledb_filestore_size(ctx, "empty", NULL) == TILEDB_ERR);
  expect("C API: Invalid pointer");
  assert(tiledb_filestore_uri_import(ctx, "none", "some.data.bin", TILEDB_MIME_TIFF) == TILEDB_ERR);
  expect_begin("[TileDB::Array] Error: Cannot open array; Array does not exist. There is no array at 'file:///");
  assert(tiledb_filestore_uri_import(ctx, "empty", "missing", TILEDB_MIME_TIFF) == TILEDB_ERR);
  assert(tiledb_filestore_schema_create(ctx, "missing", &schema) == TILEDB_ERR && schema == NULL);
  assert(tiledb_filestore_buffer_import(ctx, "empty", &byte, 0, TILEDB_MIME_TIFF) == TILEDB_OK);
  assert(tiledb_filestore_size(ctx, "empty", &size) == TILEDB_ERR);
}

static void mime_types(void) {
  tiledb_mime_type_t type = TILEDB_MIME_AUTODETECT;
  const char* text = NULL;
  assert(tiledb_mime_type_to_str(TILEDB_MIME_TIFF, &text) == TILEDB_OK && strcmp(text, "image/tiff") == 0);
  assert(tiledb_mime_type_from_str("application/pdf", &type) == TILEDB_OK && type == TILEDB_MIME_PDF);
  assert(tiledb_mime_type_from_str("text/none", &type) == TILEDB_ERR);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  files();
  refused();
  mime_types();
  tiledb_ctx_free(&ctx);
  return 0;
}
