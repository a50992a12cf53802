/* A disk that fails at the n-th call: preloaded before the C library's own calls, for tests alone (`disk.py`).

What a file system may do is done here to files under one folder: a call fails before or after its work, writes a
part of what it should, fails from then on; or the process is killed there, or the machine loses power: then of all
that was not synced some is undone, torn or zeroed.
*/

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
#include <sys/stat.h>
#include <unistd.h>

enum kind { BEFORE, AFTER, PART, FULL, KILL, POWER };
enum deed { WRITTEN, TRUNCATED, CREATED, RENAMED };

struct undo {
    enum deed deed;
    dev_t device;
    ino_t inode;
    int handle; /* another one of the same file, never closed: closing it would take away SQLite's locks */
    off_t offset, old_size;
    size_t length, old_length;
    char *old;
    char path[512], new_path[512];
    struct undo *before;
};

static char folder[512];
static long calls, failing;
static enum kind kind;
static int is_armed, has_failed, error_number;
static char failed_in[64];
static struct undo *undos;

#define REAL(type, name, ...) \
    static type (*real_##name)(__VA_ARGS__); \
    if (!real_##name) real_##name = dlsym(RTLD_NEXT, #name)

static ssize_t read_at(int fd, void *data, size_t size, off_t offset) {
    REAL(ssize_t, pread64, int, void *, size_t, off_t);
    return real_pread64(fd, data, size, offset);
}

static void write_at(int fd, const void *data, size_t size, off_t offset) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off_t);
    if (real_pwrite64(fd, data, size, offset) < 0) _exit(98);
}

static void cut_to(int fd, off_t size) {
    REAL(int, ftruncate64, int, off_t);
    if (real_ftruncate64(fd, size) < 0) _exit(97);
}

static int is_here(const char *path) {
    return is_armed && path && !strncmp(path, folder, strlen(folder));
}

static int is_ours(int fd) {
    char link[64], path[600];
    if (!is_armed || fd < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_here(path);
}

/* What a loss of power does to what was not synced. */
static void lose_power(void) {
    REAL(int, rename, const char *, const char *);
    REAL(int, unlink, const char *);
    for (struct undo *each = undos; each; each = each->before) {
        int fate = rand() % 4;
        if (fate == 0) continue; /* it has reached the disk all the same */
        if (each->deed == RENAMED) real_rename(each->new_path, each->path);
        else if (each->deed == CREATED) real_unlink(each->path);
        else if (each->deed == TRUNCATED) {
            cut_to(each->handle, each->old_size);
            write_at(each->handle, each->old, each->old_length, each->offset);
        } else {
            size_t kept = fate == 1 ? 0 : rand() % (each->length + 1); /* torn anywhere */
            size_t inside = each->old_length > kept ? each->old_length - kept : 0;
            if (inside) write_at(each->handle, each->old + kept, inside, each->offset + kept);
            off_t end = each->offset + each->length, least = each->offset + kept;
            if (least < each->old_size) least = each->old_size;
            struct stat state;
            fstat(each->handle, &state);
            if (end > least && state.st_size >= end) {
                if (fate == 3 || state.st_size > end) { /* the length was on disk before the bytes were */
                    char *zeros = calloc(1, end - least);
                    write_at(each->handle, zeros, end - least, least);
                } else cut_to(each->handle, least);
            }
        }
    }
}

/* Count a call; whether it is to fail now. */
static int fails(const char *name, int writes) {
    if (!is_armed) return 0;
    calls++;
    if (has_failed && kind == FULL && writes) {
        errno = error_number;
        return 1;
    }
    if (calls != failing || (kind == FULL && !writes && failing++)) return 0;
    has_failed = 1;
    snprintf(failed_in, sizeof failed_in, "%s", name);
    if (kind == POWER) lose_power();
    if (kind >= KILL) raise(SIGKILL);
    errno = error_number;
    return 1;
}

static struct undo *remembered(enum deed deed) {
    struct undo *found = calloc(1, sizeof *found);
    found->deed = deed;
    found->before = undos;
    return undos = found;
}

static int is_watched(void) { return is_armed && kind == POWER; }

/* Remember what is in a file from `offset` on, before it is written to or cut off. */
static void remember(int fd, enum deed deed, off_t offset, size_t length) {
    char link[64];
    struct stat state;
    if (!is_watched() || fstat(fd, &state) < 0 || !S_ISREG(state.st_mode)) return;
    struct undo *each = undos;
    while (each && !(each->handle > 0 && each->device == state.st_dev && each->inode == state.st_ino)) each = each->before;
    int handle = each ? each->handle : 0;
    if (!handle) {
        REAL(int, open64, const char *, int, ...);
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        handle = real_open64(link, O_RDWR | O_CLOEXEC);
    }
    struct undo *found = remembered(deed);
    found->device = state.st_dev;
    found->inode = state.st_ino;
    found->handle = handle;
    found->offset = offset;
    found->length = length;
    found->old_size = state.st_size;
    size_t there = state.st_size > offset ? state.st_size - offset : 0;
    found->old_length = deed == TRUNCATED || there < length ? there : length;
    found->old = malloc(found->old_length + 1);
    if (found->old_length) read_at(handle, found->old, found->old_length, offset);
}

/* Forget what is on disk now: the bytes of a file, or the names in a folder. */
static void synced(int fd) {
    struct stat state;
    if (!is_watched() || fstat(fd, &state) < 0) return;
    for (struct undo **place = &undos; *place;) {
        struct undo *each = *place;
        int is_name = each->deed >= CREATED;
        if (S_ISDIR(state.st_mode) ? is_name : !is_name && each->device == state.st_dev && each->inode == state.st_ino)
            *place = each->before;
        else place = &each->before;
    }
}

/* -- for tests -- */

void disk_arm(const char *where, long at, int how, int number, unsigned seed) {
    snprintf(folder, sizeof folder, "%s/", where);
    calls = has_failed = 0;
    failing = at;
    kind = how;
    error_number = number;
    failed_in[0] = 0;
    undos = NULL;
    srand(seed);
    is_armed = 1;
}

void disk_disarm(void) { is_armed = 0; }
int disk_has_failed(void) { return has_failed; }
const char *disk_failed_in(void) { return failed_in; }

/* -- the calls -- */

#define GUARDED(type, name, writes, failed, call) \
    do { \
        if (!fails(name, writes)) return call; \
        if (kind == AFTER) { int number = errno; (void)!(call); errno = number; } \
        return failed; \
    } while (0)

static ssize_t write_part(int fd, const void *data, size_t size, off_t offset, int is_placed) {
    REAL(ssize_t, write, int, const void *, size_t);
    REAL(ssize_t, pwrite64, int, const void *, size_t, off_t);
    return is_placed ? real_pwrite64(fd, data, size, offset) : real_write(fd, data, size);
}

static ssize_t written(const char *name, int fd, const void *data, size_t size, off_t offset, int is_placed) {
    int failed = fails(name, 1);
    if (failed && kind == PART && size > 1) return write_part(fd, data, size / 2, offset, is_placed);
    if (failed && kind != AFTER) return -1;
    int number = errno;
    remember(fd, WRITTEN, is_placed ? offset : lseek(fd, 0, SEEK_CUR), size);
    ssize_t count = write_part(fd, data, size, offset, is_placed);
    if (failed) errno = number;
    return failed ? -1 : count;
}

ssize_t write(int fd, const void *data, size_t size) {
    return is_ours(fd) ? written("write", fd, data, size, 0, 0) : write_part(fd, data, size, 0, 0);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset) {
    return is_ours(fd) ? written("pwrite", fd, data, size, offset, 1) : write_part(fd, data, size, offset, 1);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return pwrite64(fd, data, size, offset); }

ssize_t pread64(int fd, void *data, size_t size, off_t offset) {
    if (!is_ours(fd)) return read_at(fd, data, size, offset);
    GUARDED(ssize_t, "pread", 0, -1, read_at(fd, data, size, offset));
}

ssize_t pread(int fd, void *data, size_t size, off_t offset) { return pread64(fd, data, size, offset); }

ssize_t read(int fd, void *data, size_t size) {
    REAL(ssize_t, read, int, void *, size_t);
    if (!is_ours(fd)) return real_read(fd, data, size);
    GUARDED(ssize_t, "read", 0, -1, real_read(fd, data, size));
}

#define SYNC(name) \
    int name(int fd) { \
        REAL(int, name, int); \
        if (!is_ours(fd)) { \
            struct stat state; \
            if (is_armed && !fstat(fd, &state) && S_ISDIR(state.st_mode)) synced(fd); \
            else return real_##name(fd); \
        } \
        int failed = fails(#name, 1), number = errno; \
        if (failed && kind != AFTER) return -1; \
        synced(fd); \
        int result = real_##name(fd); \
        if (failed) errno = number; \
        return failed ? -1 : result; \
    }
SYNC(fsync)
SYNC(fdatasync)

int ftruncate64(int fd, off_t size) {
    REAL(int, ftruncate64, int, off_t);
    if (!is_ours(fd)) return real_ftruncate64(fd, size);
    remember(fd, TRUNCATED, size, 0);
    GUARDED(int, "ftruncate", 1, -1, real_ftruncate64(fd, size));
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    if (!is_here(from)) return real_rename(from, to);
    if (fails("rename", 1)) {
        int number = errno;
        if (kind == AFTER) real_rename(from, to);
        errno = number;
        return -1;
    }
    if (is_watched()) {
        struct undo *found = remembered(RENAMED);
        snprintf(found->path, sizeof found->path, "%s", from);
        snprintf(found->new_path, sizeof found->new_path, "%s", to);
    }
    return real_rename(from, to);
}

int unlink(const char *path) {
    REAL(int, unlink, const char *);
    if (!is_here(path)) return real_unlink(path);
    GUARDED(int, "unlink", 1, -1, real_unlink(path));
}

static int opened(const char *path, int flags, mode_t mode) {
    REAL(int, open64, const char *, int, ...);
    if (!is_here(path)) return real_open64(path, flags, mode);
    int creates = (flags & O_CREAT) && access(path, F_OK) < 0;
    if (fails("open", creates)) {
        int number = errno;
        if (kind == AFTER) {
            int fd = real_open64(path, flags, mode);
            if (fd >= 0 && creates) close(fd); /* an old file may have locks, which closing it would take away */
        }
        errno = number;
        return -1;
    }
    int fd = real_open64(path, flags, mode);
    if (creates && fd >= 0 && is_watched()) {
        struct undo *found = remembered(CREATED);
        snprintf(found->path, sizeof found->path, "%s", path);
    }
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return opened(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    REAL(void *, mmap64, void *, size_t, int, int, int, off_t);
    if (!is_ours(fd)) return real_mmap64(address, length, protection, flags, fd, offset);
    if (fails("mmap", 0)) return MAP_FAILED;
    return real_mmap64(address, length, protection, flags, fd, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    return mmap64(address, length, protection, flags, fd, offset);
}
