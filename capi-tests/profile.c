/* Profiles: parameters kept in a file, and configurations that use them. */
#include "common.h"

static tiledb_profile_t* profile(const char* name, const char* dir) {
  tiledb_profile_t* profile = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_profile_alloc(name, dir, &profile, &error) == TILEDB_OK && profile != NULL);
  return profile;
}

int main(void) {
  char dir[500], text[600];
  assert(getcwd(dir, sizeof dir) != NULL);
  tiledb_error_t* error = NULL;
  tiledb_string_t* string = NULL;

  tiledb_profile_t* p = profile("p", dir);
  assert(tiledb_profile_get_name(p, &string, &error) == TILEDB_OK);
  expect_string(string, "p");
  snprintf(text, sizeof(text), "%s/", dir);
  assert(tiledb_profile_get_dir(p, &string, &error) == TILEDB_OK);
  expect_string(string, text);

  assert(tiledb_profile_load(p, &error) == TILEDB_ERR);
  expect_error(error, "RestProfile: Failed to load profile; file does not exist.");
  assert(tiledb_profile_set_param(p, "rest.username", "u", &error) == TILEDB_OK);
  assert(tiledb_profile_save(p, 0, &error) == TILEDB_ERR);
  tiledb_error_free(&error);
  assert(tiledb_profile_set_param(p, "rest.password", "pw", &error) == TILEDB_OK);
  assert(tiledb_profile_set_param(p, "my.own", "1", &error) == TILEDB_OK);
  assert(tiledb_profile_save(p, 0, &error) == TILEDB_OK);
  assert(tiledb_profile_save(p, 0, &error) == TILEDB_ERR);
  expect_error(
      error, "RestProfile: Failed to save 'p'; This profile already exists. Use the overwrite parameter to replace it.");
  assert(tiledb_profile_save(p, 1, &error) == TILEDB_OK);

  assert(tiledb_profile_get_param(p, "my.own", &string, &error) == TILEDB_OK);
  expect_string(string, "1");
  assert(tiledb_profile_get_param(p, "other", &string, &error) == TILEDB_OK && string == NULL);
  assert(tiledb_profile_get_param(p, NULL, &string, &error) == TILEDB_ERR);
  expect_error(error, "C API: [tiledb_profile_get_param] Parameter cannot be null.");
  assert(tiledb_profile_dump_str(p, &string, &error) == TILEDB_OK);
  expect_string(string,
                "{\n  \"p\": {\n    \"my.own\": \"1\",\n    \"rest.password\": \"pw\",\n    \"rest.username\": \"u\"\n  }\n}");

  tiledb_profile_t* again = profile("p", dir);
  assert(tiledb_profile_load(again, &error) == TILEDB_OK);
  assert(tiledb_profile_get_param(again, "rest.username", &string, &error) == TILEDB_OK);
  expect_string(string, "u");
  tiledb_profile_free(&again);
  assert(again == NULL);

  /* A configuration takes from the profile what it was not told itself. */
  tiledb_config_t* config = NULL;
  const char* value = NULL;
  assert(tiledb_config_alloc(&config, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "profile_dir", dir, &error) == TILEDB_OK);
  assert(tiledb_config_set(config, "profile_name", "p", &error) == TILEDB_OK);
  assert(tiledb_config_get(config, "my.own", &value, &error) == TILEDB_OK && strcmp(value, "1") == 0);
  assert(tiledb_config_set(config, "my.own", "2", &error) == TILEDB_OK);
  assert(tiledb_config_get(config, "my.own", &value, &error) == TILEDB_OK && strcmp(value, "2") == 0);
  tiledb_config_free(&config);

  assert(tiledb_profile_remove("none", dir, &error) == TILEDB_ERR);
  expect_error(error, "RestProfile: Failed to remove profile; profile does not exist. Profile: 'none'");
  assert(tiledb_profile_remove("p", dir, &error) == TILEDB_OK);
  assert(tiledb_profile_load(p, &error) == TILEDB_ERR);
  expect_error(error, "RestProfile: Failed to load profile; profile 'p' does not exist.");
  tiledb_profile_free(&p);
  tiledb_profile_free(&p);
  return 0;
}
