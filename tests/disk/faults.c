/* Errors of the disk, kills at a call, and jumps of the clock, for a program that is started with this in LD_PRELOAD.

   A fault is on while its file is in the folder OCHE_FAULTS: `write` and `sync` fail with EIO on files whose path has
   the text in that file in it, `stall` holds them up there until it is gone. `clock` has the seconds that are added to
   the time of day; the monotonic clock stays as it is.

   The file OCHE_COUNTER is shared by all processes and threads (`struct counter`): they count there each call that
   changes something below its folder. At the call of the number `target` all of them are killed, or it fails. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* As COUNTER in tests/crash/counter.py has it. */
static struct counter {
    long is_on, count, target;
    long fault;   /* the error of the call; 0: a kill */
    long group;   /* of the processes that are killed */
    long is_hit;
    char folder[512];
    char calls[4096][128];   /* each with the end of its path */
} *counter;

__attribute__((constructor)) static void share(void) {
    const char *path = getenv("OCHE_COUNTER");
    if (!path) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) abort();
    void *found = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (found == MAP_FAILED) abort();
    close(file);
    counter = found;
}

/* Counts a call; returns the error that it is to fail with, 0 for none. */
static int strike(const char *call, const char *path) {
    size_t length = strlen(counter->folder);
    if (strncmp(path, counter->folder, length) || (path[length] && path[length] != '/')) return 0;
    long number = __atomic_add_fetch(&counter->count, 1, __ATOMIC_SEQ_CST);
    if (number <= 4096) snprintf(counter->calls[number - 1], 128, "%s %s", call, path[length] ? path + length + 1 : ".");
    if (number != counter->target) return 0;
    __atomic_store_n(&counter->is_hit, 1, __ATOMIC_SEQ_CST);
    if (counter->fault) return counter->fault;
    kill(-counter->group, SIGKILL);
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int strike_fd(const char *call, int fd) {
    char link[64], path[4096];
    if (!counter || !__atomic_load_n(&counter->is_on, __ATOMIC_SEQ_CST)) return 0;
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = before;
    if (length < 0) return 0;
    path[length] = 0;
    return strike(call, path);
}

static int strike_path(const char *call, int folder, const char *path) {
    char link[64], whole[8192];
    if (!counter || !__atomic_load_n(&counter->is_on, __ATOMIC_SEQ_CST)) return 0;
    if (path[0] == '/') return strike(call, path);
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(folder == AT_FDCWD ? "/proc/self/cwd" : link, whole, 4096);
    errno = before;
    if (length < 0) return 0;
    snprintf(whole + length, sizeof whole - length, "/%s", path);
    return strike(call, whole);
}

static int told(const char *fault, char *text, size_t size) {
    char path[4096];
    const char *folder = getenv("OCHE_FAULTS");
    if (!folder) return 0;
    snprintf(path, sizeof path, "%s/%s", folder, fault);
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
#define COUNT(error) { int found = error; if (found) { errno = found; return -1; } }

/* Calls on what is open. */
#define OF_FD(result, name, parameters, ...) result name parameters { \
    REAL(name); COUNT(strike_fd(#name, fd)) return real(__VA_ARGS__); }
#define WRITE(name, type) ssize_t name(int fd, const void *data, size_t size, type at) { \
    REAL(name); COUNT(strike_fd(#name, fd)) if (meant("write", fd)) FAIL return real(fd, data, size, at); }
#define SYNC(name) int name(int fd) { \
    REAL(name); stall(fd); COUNT(strike_fd(#name, fd)) if (meant("sync", fd)) FAIL return real(fd); }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)
SYNC(fsync)
SYNC(fdatasync)
OF_FD(ssize_t, write, (int fd, const void *data, size_t size), fd, data, size)
OF_FD(ssize_t, writev, (int fd, const struct iovec *parts, int count), fd, parts, count)
OF_FD(ssize_t, sendfile, (int fd, int from, off_t *at, size_t size), fd, from, at, size)
OF_FD(ssize_t, sendfile64, (int fd, int from, off64_t *at, size_t size), fd, from, at, size)
OF_FD(int, ftruncate, (int fd, off_t size), fd, size)
OF_FD(int, ftruncate64, (int fd, off64_t size), fd, size)
OF_FD(int, fchmod, (int fd, mode_t mode), fd, mode)
OF_FD(int, fchown, (int fd, uid_t user, gid_t group), fd, user, group)
ssize_t copy_file_range(int from, off64_t *at, int fd, off64_t *to, size_t size, unsigned flags) {
    REAL(copy_file_range); COUNT(strike_fd("copy_file_range", fd)) return real(from, at, fd, to, size, flags); }
int posix_fallocate(int fd, off_t at, off_t size) {
    REAL(posix_fallocate); int error = strike_fd("fallocate", fd); return error ? error : real(fd, at, size); }
int posix_fallocate64(int fd, off64_t at, off64_t size) {
    REAL(posix_fallocate64); int error = strike_fd("fallocate", fd); return error ? error : real(fd, at, size); }

/* Calls on names; of two names, the new one is looked at. */
#define OF_PATH(name, folder, parameters, ...) int name parameters { \
    REAL(name); COUNT(strike_path(#name, folder, path)) return real(__VA_ARGS__); }
OF_PATH(unlink, AT_FDCWD, (const char *path), path)
OF_PATH(unlinkat, dir, (int dir, const char *path, int flags), dir, path, flags)
OF_PATH(rmdir, AT_FDCWD, (const char *path), path)
OF_PATH(mkdir, AT_FDCWD, (const char *path, mode_t mode), path, mode)
OF_PATH(mkdirat, dir, (int dir, const char *path, mode_t mode), dir, path, mode)
OF_PATH(rename, AT_FDCWD, (const char *from, const char *path), from, path)
OF_PATH(renameat, dir, (int old, const char *from, int dir, const char *path), old, from, dir, path)
OF_PATH(renameat2, dir, (int old, const char *from, int dir, const char *path, unsigned flags), old, from, dir, path, flags)
OF_PATH(link, AT_FDCWD, (const char *from, const char *path), from, path)
OF_PATH(linkat, dir, (int old, const char *from, int dir, const char *path, int flags), old, from, dir, path, flags)
OF_PATH(symlink, AT_FDCWD, (const char *to, const char *path), to, path)
OF_PATH(symlinkat, dir, (const char *to, int dir, const char *path), to, dir, path)
OF_PATH(truncate, AT_FDCWD, (const char *path, off_t size), path, size)
OF_PATH(truncate64, AT_FDCWD, (const char *path, off64_t size), path, size)
OF_PATH(chmod, AT_FDCWD, (const char *path, mode_t mode), path, mode)
OF_PATH(fchmodat, dir, (int dir, const char *path, mode_t mode, int flags), dir, path, mode, flags)
OF_PATH(chown, AT_FDCWD, (const char *path, uid_t user, gid_t group), path, user, group)
OF_PATH(fchownat, dir, (int dir, const char *path, uid_t user, gid_t group, int flags), dir, path, user, group, flags)

/* Opening, for more than reading. */
#define CHANGES(flags) (((flags) & O_ACCMODE) != O_RDONLY || (flags) & (O_CREAT | O_TRUNC))
#define MODE(flags) mode_t mode = 0; \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }
#define OPEN(name) int name(const char *path, int flags, ...) { \
    REAL(name); MODE(flags) if (CHANGES(flags)) COUNT(strike_path("open", AT_FDCWD, path)) return real(path, flags, mode); }
#define OPENAT(name) int name(int dir, const char *path, int flags, ...) { \
    REAL(name); MODE(flags) if (CHANGES(flags)) COUNT(strike_path("open", dir, path)) return real(dir, path, flags, mode); }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
#define FORTIFIED(name, same) int name(const char *path, int flags) { return same(path, flags); }
#define FORTIFIED_AT(name, same) int name(int dir, const char *path, int flags) { return same(dir, path, flags); }
FORTIFIED(__open_2, open)
FORTIFIED(__open64_2, open64)
FORTIFIED_AT(__openat_2, openat)
FORTIFIED_AT(__openat64_2, openat64)

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
