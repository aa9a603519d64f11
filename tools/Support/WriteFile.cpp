// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WriteFile.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace ttc {

/// False with errno set.
static bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return true;
}

/// Writes and closes; false with errno set.
static bool fill(int file, std::initializer_list<std::string_view> pieces) {
  bool good = file >= 0;
  for (std::string_view piece : pieces)
    good = good && writeAll(file, piece);
  const int reason = errno;
  const bool closed = file >= 0 && close(file) == 0;
  if (!good)
    errno = reason;
  return good && closed;
}

/// False with errno set.
static bool replace(const std::string &path, mode_t permissions,
                    std::initializer_list<std::string_view> pieces) {
  const std::string beside = path + ".new" + std::to_string(getpid());
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  const bool good = (permissions == 0 || fchmod(file, permissions) == 0);
  if (fill(file, pieces) && good && rename(beside.c_str(), path.c_str()) == 0)
    return true;
  const int reason = errno;
  unlink(beside.c_str());
  errno = reason;
  return false;
}

static bool writeTo(const std::string &path, std::initializer_list<std::string_view> pieces) {
  if (path == "-") {
    fflush(stdout);
    for (std::string_view piece : pieces)
      if (!writeAll(STDOUT_FILENO, piece))
        return false;
    return true;
  }
  struct stat there;
  if (stat(path.c_str(), &there) != 0)
    return errno == ENOENT && replace(path, 0, pieces);
  if (!S_ISREG(there.st_mode))
    return fill(open(path.c_str(), O_WRONLY | O_CLOEXEC), pieces);
  // A new file could take the place of one that must not be written.
  if (access(path.c_str(), W_OK) != 0)
    return false;
  // Where it is a link, the file that it names is replaced.
  char *resolved = realpath(path.c_str(), nullptr);
  const std::string target = resolved ? resolved : path;
  free(resolved);
  return replace(target, there.st_mode & 0777, pieces);
}

void writeFile(const std::string &path, std::initializer_list<std::string_view> pieces) {
  if (!writeTo(path, pieces))
    throw std::runtime_error("cannot write " + (path == "-" ? "standard output" : path) + ": " +
                             strerror(errno));
}

} // namespace ttc
