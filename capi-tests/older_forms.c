/* Functions in the forms that they have in older releases of libtiledb, called as programs do that were compiled for these; and
   calls in the current form that must not be taken for such. */
#include "arrays.h"

#ifdef __x86_64__
#define HAS_OLDER_SAVE 1
#else
#define HAS_OLDER_SAVE 0
#endif

typedef void (*any_t)(void);
/* The last argument is what is left in the register of an argument that the caller does not pass. */
typedef int32_t (*older_t)(void*, void*, uintptr_t);
/* The current form with all bits of the register of `overwrite`. */
typedef int32_t (*save_t)(tiledb_profile_t*, uint64_t, tiledb_error_t**);

static const uintptr_t LEFT[] = {0, 1, 255, 256, 0x1234567, UINTPTR_MAX};
#define FOR_LEFT(left) for (const uintptr_t* left = LEFT; left < LEFT + sizeof LEFT / sizeof *LEFT; left++)

static tiledb_profile_t* profile(const char* name, const char* dir) {
  tiledb_profile_t* profile = NULL;
  tiledb_error_t* error = NULL;
  assert(tiledb_profile_alloc(name, dir, &profile, &error) == TILEDB_OK);
  assert(tiledb_profile_set_param(profile, "my.own", "1", &error) == TILEDB_OK);
  return profile;
}

/* An error of a profile that exists: released and set to null. */
static void expect_exists(int32_t code, tiledb_error_t** error) {
  const char* message = NULL;
  assert(code == TILEDB_ERR && tiledb_error_message(*error, &message) == TILEDB_OK);
  assert(strstr(message, "This profile already exists.") != NULL);
  tiledb_error_free(error);
  assert(*error == NULL);
}

/* 2.28 and 2.29: (profile, error), which does not overwrite. */
static void save_without_overwrite(const char* dir, tiledb_error_t** error) {
  older_t save = (older_t)(any_t)tiledb_profile_save;
  FOR_LEFT(left) {
    tiledb_profile_t* p = profile("older", dir);
    *error = NULL;
    assert(save(p, error, *left) == TILEDB_OK && *error == NULL);
    expect_exists(save(p, error, *left), error);
    assert(save(NULL, error, *left) == TILEDB_ERR);
    tiledb_error_free(error);
    assert(tiledb_profile_remove("older", dir, error) == TILEDB_OK);
    tiledb_profile_free(&p);
  }
}

/* The current form: whatever the byte, and whatever is in the upper half of its register. */
static void save_with_overwrite(const char* dir, tiledb_error_t** error) {
  save_t save = (save_t)(any_t)tiledb_profile_save;
  const uint64_t upper[] = {0, 1, 0x7fff, 0xdeadbeef, UINT32_MAX}, bytes[] = {0, 1, 2, 128, 255};
  tiledb_profile_t* p = profile("current", dir);
  assert(tiledb_profile_save(p, 0, error) == TILEDB_OK);
  for (size_t i = 0; i < sizeof upper / sizeof *upper; i++)
    for (size_t j = 0; j < sizeof bytes / sizeof *bytes; j++) {
      const uint64_t overwrite = upper[i] << 32 | bytes[j];
      *error = NULL;
      if (bytes[j] == 0)
        expect_exists(save(p, overwrite, error), error);
      else
        assert(save(p, overwrite, error) == TILEDB_OK && *error == NULL);
      assert(save(p, overwrite, NULL) == TILEDB_INVALID_ERROR);
      assert(save(NULL, overwrite, error) == TILEDB_ERR);
      tiledb_error_free(error);
    }
  assert(tiledb_profile_remove("current", dir, error) == TILEDB_OK);
  tiledb_profile_free(&p);
}

/* The variable of the error is on the stack, on the heap, and static. */
static void profiles(void) {
  static tiledb_error_t* fixed = NULL;
  char dir[500];
  tiledb_error_t *local = NULL, **allocated = malloc(sizeof *allocated);
  assert(getcwd(dir, sizeof dir) != NULL && allocated != NULL);
  tiledb_error_t** places[] = {&local, allocated, &fixed};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    save_with_overwrite(dir, places[i]);
    if (HAS_OLDER_SAVE)
      save_without_overwrite(dir, places[i]);
  }
  free(allocated);
}

static tiledb_ndrectangle_t* rectangle(int32_t first, int32_t last) {
  tiledb_array_schema_t* schema = make_schema(TILEDB_SPARSE);
  tiledb_domain_t* domain = NULL;
  tiledb_ndrectangle_t* rectangle = NULL;
  tiledb_range_t range = {&first, sizeof first, &last, sizeof last};
  assert(tiledb_array_schema_get_domain(ctx, schema, &domain) == TILEDB_OK);
  assert(tiledb_ndrectangle_alloc(ctx, domain, &rectangle) == TILEDB_OK);
  assert(tiledb_ndrectangle_set_range(ctx, rectangle, 0, &range) == TILEDB_OK);
  tiledb_domain_free(&domain);
  tiledb_array_schema_free(&schema);
  return rectangle;
}

/* 2.25: without a context. */
static void current_domains(void) {
  older_t set_ndrectangle = (older_t)(any_t)tiledb_current_domain_set_ndrectangle;
  older_t get_ndrectangle = (older_t)(any_t)tiledb_current_domain_get_ndrectangle;
  older_t get_is_empty = (older_t)(any_t)tiledb_current_domain_get_is_empty;
  older_t get_type = (older_t)(any_t)tiledb_current_domain_get_type;
  FOR_LEFT(left) {
    tiledb_current_domain_t* current = NULL;
    tiledb_ndrectangle_t *made = rectangle(11, 20), *got = NULL;
    tiledb_current_domain_type_t type = (tiledb_current_domain_type_t)7;
    tiledb_range_t range;
    uint32_t empty = 7;
    assert(tiledb_current_domain_create(ctx, &current) == TILEDB_OK);
    assert(get_is_empty(current, &empty, *left) == TILEDB_OK && empty == 1);
    assert(get_type(current, &type, *left) == TILEDB_ERR && type == (tiledb_current_domain_type_t)7);
    assert(get_ndrectangle(current, &got, *left) == TILEDB_ERR && got == NULL);
    assert(set_ndrectangle(current, made, *left) == TILEDB_OK);
    assert(set_ndrectangle(current, made, *left) == TILEDB_ERR);
    assert(get_is_empty(current, &empty, *left) == TILEDB_OK && empty == 0);
    assert(get_type(current, &type, *left) == TILEDB_OK && type == TILEDB_NDRECTANGLE);
    assert(get_ndrectangle(current, &got, *left) == TILEDB_OK);
    assert(tiledb_ndrectangle_get_range_from_name(ctx, got, "x", &range) == TILEDB_OK);
    assert(*(const int32_t*)range.min == 11 && *(const int32_t*)range.max == 20);
    assert(get_is_empty(current, NULL, *left) == TILEDB_ERR && get_type(current, NULL, *left) == TILEDB_ERR);
    assert(get_ndrectangle(current, NULL, *left) == TILEDB_ERR);
    assert(tiledb_ndrectangle_free(&got) == TILEDB_OK && tiledb_ndrectangle_free(&made) == TILEDB_OK);
    assert(tiledb_current_domain_free(&current) == TILEDB_OK);
  }
}

/* In the place of the context there is something else: the call is in the current form, and nothing is written. */
static void not_a_context(void) {
  tiledb_current_domain_t *current = NULL, *other = NULL, *freed = NULL;
  tiledb_ndrectangle_t *made = rectangle(1, 2), *got = NULL;
  tiledb_current_domain_type_t type = (tiledb_current_domain_type_t)7;
  uint32_t empty = 7;
  assert(tiledb_current_domain_create(ctx, &current) == TILEDB_OK);
  assert(tiledb_current_domain_create(ctx, &other) == TILEDB_OK);
  assert(tiledb_current_domain_create(ctx, &freed) == TILEDB_OK);
  assert(tiledb_current_domain_set_ndrectangle(ctx, other, made) == TILEDB_OK);
  void* const stale = freed;
  assert(tiledb_current_domain_free(&freed) == TILEDB_OK);
  void* const places[] = {NULL, current, stale, made, &empty};
  void* const domains[] = {other, stale, (char*)other + 8, made, ctx};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    for (size_t j = 0; j < sizeof domains / sizeof *domains; j++) {
      tiledb_ctx_t* no_ctx = places[i];
      tiledb_current_domain_t* domain = domains[j];
      assert(tiledb_current_domain_get_is_empty(no_ctx, domain, &empty) == TILEDB_INVALID_CONTEXT);
      assert(tiledb_current_domain_get_type(no_ctx, domain, &type) == TILEDB_INVALID_CONTEXT);
      assert(tiledb_current_domain_get_ndrectangle(no_ctx, domain, &got) == TILEDB_INVALID_CONTEXT);
      if (places[i] != current || domains[j] != made)
        assert(tiledb_current_domain_set_ndrectangle(no_ctx, domain, made) == TILEDB_INVALID_CONTEXT);
    }
  assert(empty == 7 && type == (tiledb_current_domain_type_t)7 && got == NULL);
  assert(tiledb_current_domain_get_is_empty(ctx, other, &empty) == TILEDB_OK && empty == 0);
  assert(tiledb_current_domain_get_is_empty(ctx, current, &empty) == TILEDB_OK && empty == 1);
  assert(tiledb_ndrectangle_free(&made) == TILEDB_OK);
  assert(tiledb_current_domain_free(&current) == TILEDB_OK && tiledb_current_domain_free(&other) == TILEDB_OK);
}

int main(void) {
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  profiles();
  current_domains();
  not_a_context();
  tiledb_ctx_free(&ctx);
  return 0;
}
