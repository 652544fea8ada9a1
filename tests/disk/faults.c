/* Errors of the disk and jumps of the clock, for a program that is started with this in LD_PRELOAD.

   A fault is on while its file is in the folder OCHE_FAULTS: `write` and `sync` fail with EIO on files whose path has
   the text in that file in it, `stall` holds them up there until it is gone. `clock` has the seconds that are added to
   the time of day; the monotonic clock stays as it is. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int told(const char *fault, char *text, size_t size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("OCHE_FAULTS"), fault);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
    return 1;
}

static int meant(const char *fault, int fd) {
    char link[64], path[4096], text[256];
    if (!told(fault, text, sizeof text)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, text) != NULL;
}

static void stall(int fd) { while (meant("stall", fd)) usleep(10000); }

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL { errno = EIO; return -1; }

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { REAL(pwrite); if (meant("write", fd)) FAIL return real(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { REAL(pwrite64); if (meant("write", fd)) FAIL return real(fd, data, size, at); }
int fsync(int fd) { REAL(fsync); stall(fd); if (meant("sync", fd)) FAIL return real(fd); }
int fdatasync(int fd) { REAL(fdatasync); stall(fd); if (meant("sync", fd)) FAIL return real(fd); }

int clock_gettime(clockid_t id, struct timespec *now) {
    REAL(clock_gettime);
    int result = real(id, now);
    char text[256];
    if (id == CLOCK_REALTIME && told("clock", text, sizeof text)) now->tv_sec += atoll(text);
    return result;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}
