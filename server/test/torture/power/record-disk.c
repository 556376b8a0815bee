// Preloaded into a process: records what it writes, syncs and deletes below a directory, in order, in one file. What was written after
// the last sync may be gone after a power cut; power-cut.ts rebuilds such a disk from the record.
// RECORD_DIRECTORY: the directory. RECORD_FILE: the record. RECORD_NO_SYNCS: leaves syncs out, as if they did nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int record = -1;
static const char *directory;
static size_t directory_length;

__attribute__((constructor)) static void open_record(void) {
  directory = getenv("RECORD_DIRECTORY");
  const char *file = getenv("RECORD_FILE");
  if (!directory || !file) return;
  directory_length = strlen(directory);
  record = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// One entry is one write, so entries of several threads do not mix. An entry is complete even if the process is killed right after.
static void add(char kind, const char *path, int64_t offset, const void *data, size_t length) {
  if (record < 0 || strncmp(path, directory, directory_length) != 0) return;
  char head[PATH_MAX + 64];
  int size = snprintf(head, sizeof head, "%c %lld %zu %s\n", kind, (long long)offset, length, path + directory_length);
  struct iovec parts[2] = {{head, (size_t)size}, {(void *)data, length}};
  if (writev(record, parts, 2) < 0) abort();
}

static void add_fd(char kind, int fd, int64_t offset, const void *data, size_t length) {
  char link[32], path[PATH_MAX];
  if (record < 0 || fd == record) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return;
  path[size] = 0;
  add(kind, path, offset, data, length);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  ssize_t written = REAL(pwrite64)(fd, data, length, offset);
  if (written > 0) add_fd('w', fd, offset, data, (size_t)written);
  return written;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  return pwrite64(fd, data, length, offset);
}

ssize_t write(int fd, const void *data, size_t length) {
  ssize_t written = REAL(write)(fd, data, length);
  if (written > 0) add_fd('w', fd, lseek(fd, 0, SEEK_CUR) - written, data, (size_t)written);
  return written;
}

int ftruncate64(int fd, off64_t length) {
  int failed = REAL(ftruncate64)(fd, length);
  if (!failed) add_fd('t', fd, length, "", 0);
  return failed;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int sync_fd(int fd, int failed) {
  if (!failed && !getenv("RECORD_NO_SYNCS")) add_fd('s', fd, 0, "", 0);
  return failed;
}

int fsync(int fd) { return sync_fd(fd, REAL(fsync)(fd)); }
int fdatasync(int fd) { return sync_fd(fd, REAL(fdatasync)(fd)); }

int unlink(const char *path) {
  int failed = REAL(unlink)(path);
  if (!failed) add('u', path, 0, "", 0);
  return failed;
}
