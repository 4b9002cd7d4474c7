/* What the C programs of the tests use of POSIX and the C runtime of Windows does not have; included first. */
#ifndef TILEDB_TEST_POSIX_H
#define TILEDB_TEST_POSIX_H

/* A name that tests use. */
#define tell tell_of_the_runtime
#include <io.h>
#undef tell
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int setenv(const char* name, const char* value, int replace) {
  return replace || getenv(name) == NULL ? _putenv_s(name, value) : 0;
}

static inline int unsetenv(const char* name) {
  return _putenv_s(name, "");
}

static inline void* memmem(const void* memory, size_t size, const void* part, size_t length) {
  const char* at = (const char*)memory;
  for (; size >= length; at++, size--)
    if (memcmp(at, part, length) == 0)
      return (void*)at;
  return NULL;
}

static inline long long pread(int file, void* buffer, size_t size, long long offset) {
  long long before = _telli64(file), result = -1;
  if (_lseeki64(file, offset, SEEK_SET) == offset)
    result = _read(file, buffer, (unsigned)size);
  _lseeki64(file, before, SEEK_SET);
  return result;
}

#endif
