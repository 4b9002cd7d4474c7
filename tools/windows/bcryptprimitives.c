/* The function of bcryptprimitives.dll that Rust's library uses, for versions of wine that do not have the DLL. */
#include <stddef.h>

__declspec(dllimport) unsigned char SystemFunction036(void* buffer, unsigned long size);

__declspec(dllexport) int ProcessPrng(unsigned char* buffer, size_t size) {
  return SystemFunction036(buffer, (unsigned long)size);
}
