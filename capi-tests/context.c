/* Contexts: configuration, last error, what they tell about the build. */
#include "common.h"

static void expect_last_error(tiledb_ctx_t* ctx, const char* text) {
  tiledb_error_t* error = NULL;
  const char* message = NULL;
  assert(tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK);
  assert(error != NULL && tiledb_error_message(error, &message) == TILEDB_OK);
  assert(strcmp(message, text) == 0);
  tiledb_error_free(&error);
}

static void test_configuration(void) {
  tiledb_config_t *config = NULL, *copy = NULL;
  tiledb_ctx_t* ctx = NULL;
  tiledb_error_t* error = NULL;
  const char* value = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "my.own", "1", &error) == TILEDB_OK);
  assert(tiledb_ctx_alloc(config, &ctx) == TILEDB_OK && ctx != NULL);

  /* The context has its own copy. */
  assert(tiledb_config_set(config, "my.own", "2", &error) == TILEDB_OK);
  assert(tiledb_ctx_get_config(ctx, &copy) == TILEDB_OK);
  assert(tiledb_config_get(copy, "my.own", &value, &error) == TILEDB_OK);
  assert(strcmp(value, "1") == 0);
  tiledb_config_free(&copy);
  tiledb_ctx_free(&ctx);
  assert(ctx == NULL);

  /* A value that no context can use. */
  assert(tiledb_config_set(config, "vfs.gcs.request_timeout_ms", "abc", &error) == TILEDB_OK);
  assert(tiledb_ctx_alloc(config, &ctx) == TILEDB_ERR && ctx == NULL);
  assert(tiledb_ctx_alloc_with_error(config, &ctx, &error) == TILEDB_ERR);
  assert(error != NULL && tiledb_error_message(error, &value) == TILEDB_OK);
  assert(strcmp(value,
                "Config: Failed to parse config value 'abc' for key 'vfs.gcs.request_timeout_ms'. Reason: "
                "[TileDB::Utils] Error: Failed to convert string 'abc' to uint64_t; Invalid argument; use decimal digits, "
                "at most 18446744073709551615") == 0);
  tiledb_error_free(&error);
  tiledb_config_free(&config);
}

static void test_odd_but_usable_configurations(void) {
  static const char* const cases[][2] = {{"sm.mem.total_budget", "abc"},
                                         {"sm.compute_concurrency_level", "0"},
                                         {"sm.io_concurrency_level", "64"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    tiledb_config_t* config = NULL;
    tiledb_ctx_t* ctx = NULL;
    tiledb_error_t* error = NULL;
    assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
    assert(tiledb_config_set(config, cases[i][0], cases[i][1], &error) == TILEDB_OK);
    assert(tiledb_ctx_alloc_with_error(config, &ctx, &error) == TILEDB_OK);
    tiledb_ctx_free(&ctx);
    tiledb_config_free(&config);
  }
}

static void test_last_error(tiledb_ctx_t* ctx) {
  tiledb_error_t *error = NULL, *again = NULL;
  assert(tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error == NULL);

  assert(tiledb_ctx_set_tag(ctx, NULL, "v") == TILEDB_ERR);
  expect_last_error(ctx, "C API: tiledb_ctx_set_tag: key may not be null");
  assert(tiledb_ctx_set_tag(ctx, "k", NULL) == TILEDB_ERR);
  expect_last_error(ctx, "C API: tiledb_ctx_set_tag: value may not be null");

  /* A success does not clear it; every call gives a handle of its own. */
  assert(tiledb_ctx_set_tag(ctx, "k", "v") == TILEDB_OK);
  assert(tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK);
  assert(tiledb_ctx_get_last_error(ctx, &again) == TILEDB_OK);
  assert(error != NULL && again != NULL && error != again);
  tiledb_error_free(&error);
  expect_last_error(ctx, "C API: tiledb_ctx_set_tag: value may not be null");
  tiledb_error_free(&again);

  assert(tiledb_ctx_get_last_error(ctx, NULL) == TILEDB_ERR);
  expect_last_error(ctx, "C API: Invalid output pointer for object");
}

static void test_file_systems(tiledb_ctx_t* ctx) {
  int32_t supported = 7;
  assert(tiledb_ctx_is_supported_fs(ctx, TILEDB_MEMFS, &supported) == TILEDB_OK && supported == 1);
  assert(tiledb_ctx_is_supported_fs(ctx, TILEDB_HDFS, &supported) == TILEDB_OK && supported == 0);
  assert(tiledb_ctx_is_supported_fs(ctx, TILEDB_S3, &supported) == TILEDB_OK);
  assert(supported == 0 || supported == 1);
  assert(tiledb_ctx_is_supported_fs(ctx, (tiledb_filesystem_t)99, &supported) == TILEDB_OK && supported == 0);
  assert(tiledb_ctx_is_supported_fs(ctx, TILEDB_MEMFS, NULL) == TILEDB_ERR);

  tiledb_data_protocol_t protocol = TILEDB_DATA_PROTOCOL_v3;
  assert(tiledb_ctx_get_data_protocol(ctx, "/some/array", &protocol) == TILEDB_OK);
  assert(protocol == TILEDB_DATA_PROTOCOL_v2);
  assert(tiledb_ctx_get_data_protocol(ctx, "", &protocol) == TILEDB_ERR);
  expect_last_error(ctx, "C API: Cannot get data protocol; Invalid URI: it is empty");
}

static void test_no_context(void) {
  tiledb_error_t* error = NULL;
  tiledb_config_t* config = NULL;
  tiledb_ctx_t* ctx = NULL;
  int32_t supported;
  assert(tiledb_ctx_alloc(NULL, NULL) == TILEDB_ERR);
  assert(tiledb_ctx_get_last_error(NULL, &error) == TILEDB_INVALID_CONTEXT);
  assert(tiledb_ctx_get_config(NULL, &config) == TILEDB_INVALID_CONTEXT);
  assert(tiledb_ctx_is_supported_fs(NULL, TILEDB_S3, &supported) == TILEDB_INVALID_CONTEXT);
  assert(tiledb_ctx_cancel_tasks(NULL) == TILEDB_INVALID_CONTEXT);
  assert(tiledb_ctx_set_tag(NULL, "k", "v") == TILEDB_INVALID_CONTEXT);
  tiledb_ctx_free(NULL);
  tiledb_ctx_free(&ctx);
}

int main(void) {
  tiledb_ctx_t* ctx = NULL;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK && ctx != NULL);
  test_last_error(ctx);
  test_file_systems(ctx);
  assert(tiledb_ctx_cancel_tasks(ctx) == TILEDB_OK);
  tiledb_ctx_free(&ctx);
  test_configuration();
  test_odd_but_usable_configurations();
  test_no_context();
  return 0;
}
