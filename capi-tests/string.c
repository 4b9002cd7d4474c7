/* Strings that the library gives away. */
#include "common.h"

int main(void) {
  tiledb_string_t *string = NULL, *other = NULL;
  const char* data = NULL;
  size_t length = 0;
  assert(tiledb_as_built_dump(&string) == TILEDB_OK && string != NULL);
  assert(tiledb_as_built_dump(&other) == TILEDB_OK && other != string);
  assert(tiledb_string_view(string, &data, &length) == TILEDB_OK);
  assert(data != NULL && length > 2 && data[0] == '{' && data[length - 1] == '}');
  assert(strstr(data, "\"storage_backends\"") != NULL);

  /* Freeing one leaves the other alone. */
  assert(tiledb_string_free(&other) == TILEDB_OK && other == NULL);
  assert(data[0] == '{');

  assert(tiledb_string_view(string, NULL, &length) == TILEDB_ERR);
  assert(tiledb_string_view(string, &data, NULL) == TILEDB_ERR);
  assert(tiledb_string_view(NULL, &data, &length) == TILEDB_ERR);
  assert(tiledb_as_built_dump(NULL) == TILEDB_ERR);

  assert(tiledb_string_free(&string) == TILEDB_OK && string == NULL);
  assert(tiledb_string_free(&string) == TILEDB_ERR);
  assert(tiledb_string_free(NULL) == TILEDB_ERR);
  return 0;
}
