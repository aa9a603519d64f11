// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded into a tool (LD_PRELOAD): counts the system calls by which it makes a file, prints them
// to the file SHIM_LOG, and on request lets one fail or kills the process before one.
//
//   SHIM_KILL_AT=N         SIGKILL before the Nth call
//   SHIM_NO_TMPFILE=1      the file system has no files without a name
//   SHIM_FAIL=NAME:ERRNO   every call NAME fails with this number
//   SHIM_REMOVE=FOLDER     removes the empty folder before the first linkat
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;
static int made = -1; // the descriptor of the file that is made

static const char *env(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

// Nonzero if the call shall fail, with errno set.
static int before(const char *name) {
  ++calls;
  if (env("SHIM_LOG")) {
    FILE *log = fopen(env("SHIM_LOG"), "ae");
    if (log) {
      fprintf(log, "%s\n", name);
      fclose(log);
    }
  }
  if (env("SHIM_KILL_AT") && calls == atoi(env("SHIM_KILL_AT")))
    raise(SIGKILL);
  const char *fail = env("SHIM_FAIL");
  const size_t length = strlen(name);
  if (!fail || strncmp(fail, name, length) != 0 || fail[length] != ':')
    return 0;
  errno = atoi(fail + length + 1);
  return 1;
}

static int isRegular(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

int openat(int folder, const char *path, int flags, ...) {
  static int (*next)(int, const char *, int, ...);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "openat");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  const int unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  if (!unnamed && !(flags & O_EXCL))
    return next(folder, path, flags, mode);
  if (unnamed && env("SHIM_NO_TMPFILE")) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if (before(unnamed ? "tmpfile" : "create"))
    return -1;
  return made = next(folder, path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t size) {
  static ssize_t (*next)(int, const void *, size_t);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "write");
  if (made >= 0 && file == made && before("write"))
    return -1;
  return next(file, bytes, size);
}

int fsync(int file) {
  static int (*next)(int);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "fsync");
  return before(isRegular(file) ? "fsync" : "fsync-folder") ? -1 : next(file);
}

int linkat(int from, const char *path, int to, const char *name, int flags) {
  static int (*next)(int, const char *, int, const char *, int);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "linkat");
  if (env("SHIM_REMOVE"))
    rmdir(env("SHIM_REMOVE"));
  return before("linkat") ? -1 : next(from, path, to, name, flags);
}

int renameat(int from, const char *path, int to, const char *name) {
  static int (*next)(int, const char *, int, const char *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "renameat");
  return before("renameat") ? -1 : next(from, path, to, name);
}
