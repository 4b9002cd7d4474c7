/* Errors: texts, lifetimes, null arguments. */
#include "common.h"

int main(void) {
  tiledb_config_t* config = NULL;
  tiledb_error_t *error = NULL, *other = NULL;
  const char* message = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK && error == NULL);

  /* A failure gives an error, the next success takes it from the variable. */
  assert(tiledb_config_set(config, "sm.dedup_coords", "x", &error) == TILEDB_ERR && error != NULL);
  other = error;
  assert(tiledb_config_set(config, "sm.dedup_coords", "true", &error) == TILEDB_OK && error == NULL);

  /* The text lives as long as the error, whatever happens to the configuration. */
  assert(tiledb_error_message(other, &message) == TILEDB_OK);
  tiledb_config_free(&config);
  assert(strncmp(message, "[TileDB::Utils] Error: Failed to convert string to bool;", 56) == 0);
  const char* again = NULL;
  assert(tiledb_error_message(other, &again) == TILEDB_OK && again == message);

  assert(tiledb_error_message(other, NULL) == TILEDB_ERR);
  assert(tiledb_error_message(NULL, &message) == TILEDB_ERR);
  tiledb_error_free(&other);
  assert(other == NULL);
  tiledb_error_free(&other);
  tiledb_error_free(NULL);

  /* A status is read from a code. */
  assert(tiledb_status_code(TILEDB_OK) == TILEDB_OK && tiledb_status_code(TILEDB_ERR) == TILEDB_ERR);
  assert(tiledb_status_code(TILEDB_OOM) == TILEDB_OOM);
  assert(tiledb_status_code(TILEDB_INVALID_CONTEXT) == TILEDB_INVALID_CONTEXT);
  return 0;
}
