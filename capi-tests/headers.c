/* The headers from C: constants that are functions, data symbols, our own header. */
#undef NDEBUG
#include <assert.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_experimental.h>
#include <tiledb/tiledb_rs.h>
#include <tiledb/tiledb_serialization.h>

static void macros(void) {
  assert(TILEDB_VAR_NUM == UINT32_MAX);
  assert(TILEDB_MAX_PATH == 4096);
  assert(TILEDB_OFFSET_SIZE == 8);
  assert(strcmp(TILEDB_TIMESTAMPS, "__timestamps") == 0);
  assert(TILEDB_TIMESTAMP_NOW_MS > UINT64_C(1600000000000));
  int32_t major = 0, minor = 0, patch = -1;
  tiledb_version(&major, &minor, &patch);
  assert(major == TILEDB_VERSION_MAJOR && minor == TILEDB_VERSION_MINOR && patch == TILEDB_VERSION_PATCH);
}

static void data_symbols(void) {
  const tiledb_channel_operator_t* operators[] = {
      tiledb_channel_operator_sum,
      tiledb_channel_operator_min,
      tiledb_channel_operator_max,
      tiledb_channel_operator_mean,
      tiledb_channel_operator_null_count,
  };
  for (int i = 0; i < 5; i++) {
    assert(operators[i] != NULL);
    for (int j = 0; j < i; j++)
      assert(operators[i] != operators[j]);
  }
  assert(tiledb_aggregate_count != NULL);
}

static void live_handles(void) {
  assert(tiledb_rs_live_handles() == 0);
  tiledb_ctx_t* ctx = NULL;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK);
  assert(tiledb_rs_live_handles() == 1);
  tiledb_ctx_free(&ctx);
  assert(ctx == NULL && tiledb_rs_live_handles() == 0);
}

int main(void) {
  macros();
  data_symbols();
  live_handles();
  return 0;
}
