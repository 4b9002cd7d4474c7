/* The heap profiler: this library has none and says so; asking for no profile is fine. */
#include "common.h"

int main(void) {
  assert(tiledb_heap_profiler_enable(NULL, 1, 1, 1) == TILEDB_OK);
  assert(tiledb_heap_profiler_enable("heap", 0, 0, 0) == TILEDB_ERR);
  return 0;
}
