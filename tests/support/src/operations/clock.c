/* Loaded before a process, shifts its clocks: the file that CLOCK_SHIFT names has two signed numbers of nanoseconds, which are added
   to the time since 1970 and to the monotonic time. Several processes share the file, and whoever writes it changes the time of
   all of them at once. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static const volatile int64_t *shifts;

__attribute__((constructor)) static void map_shifts(void) {
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) shifts = memory;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result != 0 || !shifts) return result;
    int is_real = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    int is_monotonic = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
    if (!is_real && !is_monotonic) return result;
    int64_t shift = shifts[is_real ? 0 : 1] + time->tv_nsec;
    time->tv_sec += shift / SECOND;
    time->tv_nsec = shift % SECOND;
    return result;
}
