/*
 * A library with every function of the interface that notes that it was called and hands the call on to the library
 * behind it. Programs are run with it preloaded, unchanged; see called.rs.
 *
 * NAMES is a file with a line `FUNCTION(index, name)` for each function. A byte for each lies in the file that the
 * environment's CALLED names, shared by all processes, so that nothing has to be done when one ends.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUNCTION(index, name) #name,
static const char* const names[] = {
#include NAMES
};
#undef FUNCTION

enum { COUNT = sizeof names / sizeof *names };

/* Read by the assembly below. */
__attribute__((used, visibility("hidden"))) void* forward_to[COUNT];
__attribute__((used, visibility("hidden"))) unsigned char* forward_called;

/* Each function keeps all arguments where they are, and uses only registers that a call may change. */
#if defined(__x86_64__)
#define BODY(index)                     \
  "movq forward_called(%rip), %r11\n"   \
  "movb $1, " #index "(%r11)\n"         \
  "jmp *forward_to+8*" #index "(%rip)\n"
#elif defined(__aarch64__)
#define BODY(index)                                       \
  "adrp x16, forward_called\n"                            \
  "ldr x16, [x16, :lo12:forward_called]\n"                \
  "mov w17, #1\n"                                         \
  "strb w17, [x16, #" #index "]\n"                        \
  "adrp x16, forward_to+8*" #index "\n"                   \
  "ldr x16, [x16, :lo12:forward_to+8*" #index "]\n"       \
  "br x16\n"
#endif

#define FUNCTION(index, name) \
  __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" BODY(index) ".size " #name ", .-" #name "\n");
#include NAMES

__attribute__((constructor)) static void start(void) {
  static unsigned char nowhere[COUNT];
  const char* path = getenv("CALLED");
  int file = path != NULL ? open(path, O_RDWR) : -1;
  void* shared = MAP_FAILED;
  if (file >= 0) {
    shared = mmap(NULL, COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
  }
  forward_called = shared != MAP_FAILED ? shared : nowhere;
  for (int i = 0; i < COUNT; i++)
    forward_to[i] = dlsym(RTLD_NEXT, names[i]);
}
