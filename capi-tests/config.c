/* Configurations: values, checks, iterators, files, comparison. */
#include "common.h"

#include <sys/stat.h>

static tiledb_config_t* config(void) {
  tiledb_config_t* config = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(config != NULL && error == NULL);
  return config;
}

static void set(tiledb_config_t* config, const char* name, const char* value) {
  tiledb_error_t* error = NULL;
  assert(tiledb_config_set(config, name, value, &error) == TILEDB_OK);
  assert(error == NULL);
}

static const char* get(tiledb_config_t* config, const char* name) {
  tiledb_error_t* error = NULL;
  const char* value = NULL;
  assert(tiledb_config_get(config, name, &value, &error) == TILEDB_OK);
  assert(error == NULL);
  return value;
}

static int equal(tiledb_config_t* lhs, tiledb_config_t* rhs) {
  uint8_t equal = 7;
  assert(tiledb_config_compare(lhs, rhs, &equal) == TILEDB_OK);
  return equal;
}

/* Checks the text of an error and frees it. */
static void test_values(void) {
  tiledb_config_t* c = config();
  tiledb_error_t* error = NULL;
  assert(strcmp(get(c, "sm.dedup_coords"), "false") == 0);
  assert(strcmp(get(c, "sm.mem.total_budget"), "10737418240") == 0);
  assert(strcmp(get(c, "config.env_var_prefix"), "TILEDB_") == 0);
  assert(atoi(get(c, "sm.io_concurrency_level")) > 0);
  assert(get(c, "no.such.parameter") == NULL);
  assert(get(c, "rest.token") == NULL);

  set(c, "sm.dedup_coords", "TRUE");
  assert(strcmp(get(c, "sm.dedup_coords"), "TRUE") == 0);
  set(c, "my.own", "1");
  assert(strcmp(get(c, "my.own"), "1") == 0);
  set(c, "my.own", "");
  assert(strcmp(get(c, "my.own"), "") == 0);

  assert(tiledb_config_unset(c, "sm.dedup_coords", &error) == TILEDB_OK);
  assert(tiledb_config_unset(c, "my.own", &error) == TILEDB_OK);
  assert(tiledb_config_unset(c, "never.set", &error) == TILEDB_OK);
  assert(strcmp(get(c, "sm.dedup_coords"), "false") == 0);
  assert(get(c, "my.own") == NULL);

  /* A value stays where it is while its parameter does not change. */
  const char* value = get(c, "vfs.s3.scheme");
  set(c, "my.own", "2");
  assert(get(c, "vfs.s3.scheme") == value);
  tiledb_config_free(&c);
  assert(c == NULL);
}

static void test_refused_values(void) {
  static const char* const cases[][3] = {
      {"sm.dedup_coords", "1",
       "[TileDB::Utils] Error: Failed to convert string to bool; Value not 'true' or 'false': parameter 'sm.dedup_coords' cannot be '1'"},
      {"sm.io_concurrency_level", "abc",
       "[TileDB::Utils] Error: Failed to convert string 'abc' to uint64_t; Invalid argument: parameter 'sm.io_concurrency_level' cannot be 'abc'; use decimal digits, at most 18446744073709551615"},
      {"sm.io_concurrency_level", "-1",
       "[TileDB::Utils] Error: Failed to convert string '-1' to uint64_t; Invalid argument: parameter 'sm.io_concurrency_level' cannot be '-1'; use decimal digits, at most 18446744073709551615"},
      {"sm.io_concurrency_level", "99999999999999999999",
       "[TileDB::Utils] Error: Failed to convert string '99999999999999999999' to uint64_t; Value out of range: parameter 'sm.io_concurrency_level' cannot be '99999999999999999999'; use decimal digits, at most 18446744073709551615"},
      {"sm.consolidation.steps", "x",
       "[TileDB::Utils] Error: Failed to convert string 'x' to uint32_t; Invalid argument: parameter 'sm.consolidation.steps' cannot be 'x'; use decimal digits, at most 4294967295"},
      {"sm.consolidation.amplification", "x",
       "[TileDB::Utils] Error: Failed to convert string to float32_t; Invalid argument: parameter 'sm.consolidation.amplification' cannot be 'x'; use a decimal number"},
      {"sm.var_offsets.mode", "foo", "Config: Invalid offsets format parameter value: parameter 'sm.var_offsets.mode' cannot be 'foo'; use one of 'bytes', 'elements'"},
      {"config.logging_format", "x", "Config: Invalid logging format parameter value: parameter 'config.logging_format' cannot be 'x'; use one of 'DEFAULT', 'JSON'"},
      {"rest.server_serialization_format", "xml", "Error: Invalid SerializationType xml: parameter 'rest.server_serialization_format' cannot be 'xml'; use one of 'CAPNP', 'JSON'"},
      {"vfs.s3.scheme", "ftp", "Config: Invalid S3 scheme parameter value: parameter 'vfs.s3.scheme' cannot be 'ftp'; use one of 'http', 'https'"},
      {"vfs.s3.bucket_canned_acl", "zz",
       "Error: value vfs.s3.bucket_canned_acl invalid canned acl for vfs.s3.bucket_canned_acl: parameter 'vfs.s3.bucket_canned_acl' cannot be 'zz'; use one of 'NOT_SET', 'private_', 'public_read', 'public_read_write', 'authenticated_read'"},
      {"vfs.s3.proxy_port", "a",
       "[TileDB::Utils] Error: Failed to convert string 'a' to int64_t; Invalid argument: parameter 'vfs.s3.proxy_port' cannot be 'a'; use decimal digits after an optional sign"},
  };
  tiledb_config_t* c = config();
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    tiledb_error_t* error = NULL;
    char before[64];
    strcpy(before, get(c, cases[i][0]));
    assert(tiledb_config_set(c, cases[i][0], cases[i][1], &error) == TILEDB_ERR);
    expect_error(error, cases[i][2]);
    assert(strcmp(get(c, cases[i][0]), before) == 0);
  }
  /* Most values are only judged where they are used. */
  set(c, "sm.mem.total_budget", "abc");
  tiledb_config_free(&c);
}

static void test_environment(void) {
  tiledb_config_t* c = config();
  setenv("TILEDB_SM_MEMORY_BUDGET", "17", 1);
  setenv("TILEDB_MY_OWN", "18", 1);
  assert(strcmp(get(c, "sm.memory_budget"), "17") == 0);
  assert(strcmp(get(c, "my.own"), "18") == 0);
  set(c, "sm.memory_budget", "19");
  assert(strcmp(get(c, "sm.memory_budget"), "19") == 0);
  tiledb_error_t* error = NULL;
  assert(tiledb_config_unset(c, "sm.memory_budget", &error) == TILEDB_OK);
  set(c, "config.env_var_prefix", "OTHER_");
  assert(strcmp(get(c, "sm.memory_budget"), "5368709120") == 0);
  setenv("OTHER_SM_MEMORY_BUDGET", "20", 1);
  assert(strcmp(get(c, "sm.memory_budget"), "20") == 0);
  unsetenv("TILEDB_SM_MEMORY_BUDGET");
  unsetenv("OTHER_SM_MEMORY_BUDGET");
  unsetenv("TILEDB_MY_OWN");
  tiledb_config_free(&c);
}

static int count(tiledb_config_t* c, const char* prefix) {
  tiledb_config_iter_t* iter = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_config_iter_alloc(c, prefix, &iter, &error) == TILEDB_OK);
  char last[256] = "";
  int n = 0, done = 0;
  for (;; n++) {
    const char *name = NULL, *value = NULL;
    assert(tiledb_config_iter_done(iter, &done, &error) == TILEDB_OK);
    assert(tiledb_config_iter_here(iter, &name, &value, &error) == TILEDB_OK);
    if (done)
      break;
    assert(name != NULL && value != NULL && strcmp(last, name) < 0);
    strcpy(last, name);
    assert(tiledb_config_iter_next(iter, &error) == TILEDB_OK);
  }
  /* Past the end the iterator stays, and there is nothing. */
  assert(tiledb_config_iter_next(iter, &error) == TILEDB_OK);
  const char *name = last, *value = last;
  assert(tiledb_config_iter_here(iter, &name, &value, &error) == TILEDB_OK);
  assert(name == NULL && value == NULL);
  tiledb_config_iter_free(&iter);
  assert(iter == NULL);
  return n;
}

static void test_iterators(void) {
  tiledb_config_t* c = config();
  assert(count(c, NULL) == 154 && count(c, "") == 154);
  assert(count(c, "no.such") == 0);
  set(c, "my.b", "2");
  set(c, "my.a", "1");
  assert(count(c, NULL) == 156 && count(c, "my.") == 2);

  tiledb_config_iter_t* iter = NULL;
  tiledb_error_t* error = NULL;
  const char *name = NULL, *value = NULL;
  assert(tiledb_config_iter_alloc(c, "my.", &iter, &error) == TILEDB_OK);
  assert(tiledb_config_iter_here(iter, &name, &value, &error) == TILEDB_OK);
  assert(strcmp(name, "a") == 0 && strcmp(value, "1") == 0);
  /* A change is seen after a reset only. */
  set(c, "my.a", "3");
  assert(tiledb_config_iter_here(iter, &name, &value, &error) == TILEDB_OK);
  assert(strcmp(value, "1") == 0);
  assert(tiledb_config_iter_reset(c, iter, "my", &error) == TILEDB_OK);
  assert(tiledb_config_iter_here(iter, &name, &value, &error) == TILEDB_OK);
  assert(strcmp(name, ".a") == 0 && strcmp(value, "3") == 0);
  tiledb_config_iter_free(&iter);
  tiledb_config_free(&c);
}

static void write_file(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_files(void) {
  const char* path = "saved.cfg";
  char text[512];
  tiledb_config_t *c = config(), *loaded = config();
  tiledb_error_t* error = NULL;
  set(c, "my.own", "x");
  set(c, "sm.dedup_coords", "true");
  set(c, "rest.token", "secret");
  assert(tiledb_config_save_to_file(c, path, &error) == TILEDB_OK);
#ifndef _WIN32
  struct stat saved;
  assert(stat(path, &saved) == 0 && (saved.st_mode & 0777) == 0600);
#endif
  assert(tiledb_config_load_from_file(loaded, path, &error) == TILEDB_OK);
  assert(strcmp(get(loaded, "my.own"), "x") == 0);
  assert(strcmp(get(loaded, "sm.dedup_coords"), "true") == 0);
  assert(get(loaded, "rest.token") == NULL);
  assert(!equal(c, loaded));
  set(loaded, "rest.token", "secret");
  assert(equal(c, loaded));

  write_file(path, "# words\n\n \t my.own\t2   # more words\r\n");
  assert(tiledb_config_load_from_file(loaded, path, &error) == TILEDB_OK);
  assert(strcmp(get(loaded, "my.own"), "2") == 0);

  write_file(path, "my.own 3\nname\n");
  assert(tiledb_config_load_from_file(loaded, path, &error) == TILEDB_ERR);
  snprintf(text, sizeof(text), "Config: Failed to parse config file '%s'; Missing parameter value (line: 1)", path);
  expect_error(error, text);
  write_file(path, "three words here\n");
  assert(tiledb_config_load_from_file(loaded, path, &error) == TILEDB_ERR);
  snprintf(text, sizeof(text), "Config: Failed to parse config file '%s'; Invalid line format (line: 0)", path);
  expect_error(error, text);

  assert(unlink(path) == 0);
  assert(tiledb_config_load_from_file(loaded, path, &error) == TILEDB_ERR);
  snprintf(text, sizeof(text), "Config: Failed to open config file '%s'", path);
  expect_error(error, text);
  assert(tiledb_config_save_to_file(c, "/none/such/file", &error) == TILEDB_ERR);
  expect_error(error, "Config: Failed to open config file '/none/such/file' for writing");
  tiledb_config_free(&c);
  tiledb_config_free(&loaded);
}

static void test_comparison(void) {
  tiledb_config_t *lhs = config(), *rhs = config();
  assert(equal(lhs, rhs) && equal(lhs, lhs));
  set(lhs, "sm.dedup_coords", "false"); /* the default */
  assert(equal(lhs, rhs));
  set(lhs, "sm.dedup_coords", "true");
  assert(!equal(lhs, rhs));
  uint8_t result;
  assert(tiledb_config_compare(lhs, NULL, &result) == TILEDB_ERR);
  assert(tiledb_config_compare(lhs, rhs, NULL) == TILEDB_ERR);
  tiledb_config_free(&lhs);
  tiledb_config_free(&rhs);
}

static void test_wrong_arguments(void) {
  tiledb_config_t* c = config();
  tiledb_config_iter_t* iter = NULL;
  tiledb_error_t* error = NULL;
  const char* value = NULL;
  int done = 0;
  assert(tiledb_config_set(c, NULL, "x", &error) == TILEDB_ERR);
  expect_error(error, "C API: argument `param` may not be nullptr");
  assert(tiledb_config_set(c, "x", NULL, &error) == TILEDB_ERR);
  expect_error(error, "C API: argument `value` may not be nullptr");
  assert(tiledb_config_set(NULL, "x", "x", &error) == TILEDB_ERR);
  expect_error(error, "C API: Invalid TileDB configuration object");
  assert(tiledb_config_get(c, "x", NULL, &error) == TILEDB_ERR);
  expect_error(error, "C API: Invalid output pointer for object");
  assert(tiledb_config_get(c, NULL, &value, &error) == TILEDB_ERR);
  expect_error(error, "C API: argument `param` may not be nullptr");
  assert(tiledb_config_load_from_file(c, NULL, &error) == TILEDB_ERR);
  expect_error(error, "C API: Cannot load from file; null filename");
  assert(tiledb_config_load_from_file(c, "", &error) == TILEDB_ERR);
  expect_error(error, "Config: Cannot load from file; File path is empty");
  assert(tiledb_config_alloc(NULL, &error) == TILEDB_ERR);
  expect_error(error, "C API: Invalid output pointer for object");
  assert(tiledb_config_iter_alloc(NULL, NULL, &iter, &error) == TILEDB_ERR);
  expect_error(error, "C API: Invalid TileDB configuration object");
  assert(tiledb_config_iter_done(NULL, &done, &error) == TILEDB_ERR);
  expect_error(error, "C API: Invalid TileDB configuration iterator object");
  /* Another kind of handle is no configuration. */
  assert(tiledb_config_iter_alloc(c, NULL, &iter, &error) == TILEDB_OK);
  assert(tiledb_config_set((tiledb_config_t*)iter, "x", "x", &error) == TILEDB_ERR);
  expect_error(error, "C API: Invalid TileDB configuration object");
  /* Without a place for the error nothing is done. */
  assert(tiledb_config_set(c, "my.own", "x", NULL) == TILEDB_INVALID_ERROR);
  assert(get(c, "my.own") == NULL);
  tiledb_config_iter_free(&iter);
  tiledb_config_iter_free(&iter);
  tiledb_config_free(&c);
  tiledb_config_free(&c);
  tiledb_config_free(NULL);
}

int main(void) {
  test_values();
  test_refused_values();
  test_environment();
  test_iterators();
  test_files();
  test_comparison();
  test_wrong_arguments();
  return 0;
}
