/* TILEDB_MODIFY_EXCLUSIVE: no other handle of the process is open beside it; other processes are not concerned. */
#define TILEDB_NO_API_DEPRECATION_WARNINGS
#include "arrays.h"

#include <sys/wait.h>
#include <unistd.h>

#define ARRAY "guarded"
#define REFUSED "TileDB internal: [Array::set_array_closed] May not perform simultaneous open or close operations."

static const tiledb_query_type_t shared[] = {TILEDB_READ, TILEDB_WRITE, TILEDB_DELETE};

static tiledb_array_t* unopened(tiledb_ctx_t* context) {
  tiledb_array_t* array = NULL;
  assert(tiledb_array_alloc(context, ARRAY, &array) == TILEDB_OK);
  return array;
}

/* A handle of `context` cannot be opened for `type`, and is closed afterwards. */
static void refused(tiledb_ctx_t* context, tiledb_query_type_t type) {
  int32_t is_open = 1;
  tiledb_error_t* error = NULL;
  tiledb_array_t* array = unopened(context);
  const char* message = NULL;
  assert(tiledb_array_open(context, array, type) == TILEDB_ERR);
  assert(tiledb_ctx_get_last_error(context, &error) == TILEDB_OK && error != NULL);
  assert(tiledb_error_message(error, &message) == TILEDB_OK);
  assert(strncmp(message, REFUSED, strlen(REFUSED)) == 0 && strstr(message, ARRAY) != NULL);
  assert(tiledb_array_is_open(context, array, &is_open) == TILEDB_OK && is_open == 0);
  tiledb_error_free(&error);
  tiledb_array_free(&array);
}

static void accepted(tiledb_ctx_t* context, tiledb_query_type_t type) {
  tiledb_array_t* array = unopened(context);
  assert(tiledb_array_open(context, array, type) == TILEDB_OK);
  close_array(&array);
}

static void in_one_context_and_in_two(tiledb_ctx_t* other) {
  tiledb_array_t* array = NULL;
  tiledb_array_t* second = NULL;
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    array = open_array(ARRAY, shared[i], 0);
    second = open_array(ARRAY, TILEDB_READ, 0);
    refused(ctx, TILEDB_MODIFY_EXCLUSIVE);
    refused(other, TILEDB_MODIFY_EXCLUSIVE);
    close_array(&second);
    refused(ctx, TILEDB_MODIFY_EXCLUSIVE);
    for (size_t j = 0; j < sizeof shared / sizeof *shared; j++)
      accepted(other, shared[j]);
    close_array(&array);
    accepted(other, TILEDB_MODIFY_EXCLUSIVE);
  }
  array = open_array(ARRAY, TILEDB_MODIFY_EXCLUSIVE, 0);
  for (size_t j = 0; j < sizeof shared / sizeof *shared; j++) {
    refused(ctx, shared[j]);
    refused(other, shared[j]);
  }
  refused(ctx, TILEDB_MODIFY_EXCLUSIVE);
  refused(ctx, TILEDB_UPDATE);
  assert(tiledb_array_alloc(ctx, "./x/../" ARRAY "/", &second) == TILEDB_OK);
  assert(tiledb_array_open(ctx, second, TILEDB_READ) == TILEDB_ERR);
  expect_begin(REFUSED);
  tiledb_array_free(&second);
  assert(tiledb_array_open(ctx, array, TILEDB_READ) == TILEDB_ERR);
  expect_within("Array already open");
  refused(ctx, TILEDB_READ);
  close_array(&array);
  accepted(ctx, TILEDB_READ);
}

/* What ends it: a handle that is freed without being closed, and an opening that fails. */
static void ends(void) {
  tiledb_array_t* array = open_array(ARRAY, TILEDB_MODIFY_EXCLUSIVE, 0);
  tiledb_array_t* missing = NULL;
  tiledb_array_free(&array);
  accepted(ctx, TILEDB_READ);
  array = open_array(ARRAY, TILEDB_READ, 0);
  tiledb_array_free(&array);
  accepted(ctx, TILEDB_MODIFY_EXCLUSIVE);
  assert(tiledb_array_alloc(ctx, "later", &missing) == TILEDB_OK);
  assert(tiledb_array_open(ctx, missing, TILEDB_MODIFY_EXCLUSIVE) == TILEDB_ERR);
  make_array("later", TILEDB_SPARSE);
  array = open_array("later", TILEDB_READ, 0);
  close_array(&array);
  assert(tiledb_array_open(ctx, missing, TILEDB_MODIFY_EXCLUSIVE) == TILEDB_OK);
  close_array(&missing);
}

/* Another process, and a child that inherited the handle. */
static void other_processes(const char* program) {
  int status = 0;
  tiledb_array_t* array = open_array(ARRAY, TILEDB_MODIFY_EXCLUSIVE, 0);
  pid_t child = fork();
  assert(child >= 0);
  if (child == 0) {
    execl("/proc/self/exe", program, "child", (char*)NULL);
    _exit(9);
  }
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  close_array(&array);
}

int main(int argc, char** argv) {
  tiledb_ctx_t* other = NULL;
  assert(tiledb_ctx_alloc(NULL, &ctx) == TILEDB_OK && tiledb_ctx_alloc(NULL, &other) == TILEDB_OK);
  if (argc > 1) {
    accepted(ctx, TILEDB_READ);
    accepted(ctx, TILEDB_MODIFY_EXCLUSIVE);
  } else {
    make_array(ARRAY, TILEDB_SPARSE);
    write_cells(ARRAY, TILEDB_SPARSE, 1, 1, 4, 1);
    in_one_context_and_in_two(other);
    ends();
    other_processes(argv[0]);
  }
  tiledb_ctx_free(&other);
  tiledb_ctx_free(&ctx);
  return 0;
}
