// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Support/FileWriter.h"

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ttc {

/// The descriptor of this process that the path names, if it is such a path. Opening "/dev/stdout"
/// would start at the beginning of a file to which the shell appends, and replacing that file would
/// lose what is in it.
static std::optional<int> getDescriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder))
      continue;
    std::string_view number = path.substr(folder.size());
    int descriptor = -1;
    auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), descriptor);
    if (status == std::errc() && end == number.data() + number.size() && descriptor >= 0)
      return descriptor;
  }
  return std::nullopt;
}

static bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return true;
}

FileWriter::FileWriter(std::string path) : path(std::move(path)) {}

FileWriter::~FileWriter() { discard(); }

void FileWriter::discard() {
  if (!temporary.empty())
    unlink(temporary.c_str());
  temporary.clear();
  for (int *descriptor : {&file, &folder}) {
    if (*descriptor >= 0)
      close(*descriptor);
    *descriptor = -1;
  }
}

/// `what` names what failed where it is not the file itself.
bool FileWriter::fail(int error, std::string_view what) {
  problem = what.empty() ? "" : std::string(what) + ": ";
  problem += strerror(error);
  state = State::Failed;
  discard();
  return false;
}

/// For calls in the folder, which was there when it was opened.
bool FileWriter::failInFolder(int error) {
  return fail(error, error == ENOENT ? "its folder '" + folderPath + "' is gone" : "");
}

std::string FileWriter::describe() const {
  return path == "-" ? "standard output" : "'" + path + "'";
}

bool FileWriter::isTerminal() const { return state == State::Direct && isatty(file); }

bool FileWriter::open() {
  if (state != State::Closed)
    return state != State::Failed;
  if (std::optional<int> descriptor = getDescriptor(path)) {
    fflush(stdout); // what was printed before comes first
    file = fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
    state = State::Direct;
    return file >= 0 || fail(errno);
  }
  if (path.empty()) {
    fail(0);
    problem = "expected the name of a file, found an empty one";
    return false;
  }
  struct stat there;
  if (stat(path.c_str(), &there) == 0) {
    replaces = true;
    permissions = there.st_mode & 0777;
    if (!S_ISREG(there.st_mode)) {
      file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
      state = State::Direct;
      return file >= 0 || fail(errno);
    }
    // A new file could take the place of one that must not be written.
    if (access(path.c_str(), W_OK) != 0)
      return fail(errno);
  } else if (errno != ENOENT) {
    return fail(errno);
  }
  return openFolder();
}

/// The file that `path` names, through links, which need not exist; false with errno set.
static bool followLinks(std::string &path) {
  char target[PATH_MAX + 1];
  for (int links = 0; links < 40; ++links) {
    const ssize_t length = readlink(path.c_str(), target, sizeof(target));
    if (length < 0)
      return errno == EINVAL || errno == ENOENT; // no link, or nothing
    const size_t slash = path.rfind('/');
    if (target[0] != '/' && slash != std::string::npos)
      path.resize(slash + 1);
    else
      path.clear();
    path.append(target, static_cast<size_t>(length));
  }
  errno = ELOOP;
  return false;
}

bool FileWriter::openFolder() {
  std::string target = path;
  if (!followLinks(target))
    return fail(errno);
  const size_t slash = target.rfind('/');
  folderPath = slash == std::string::npos ? "." : slash == 0 ? "/" : target.substr(0, slash);
  name = slash == std::string::npos ? target : target.substr(slash + 1);
  if (name.empty() || name == "." || name == "..")
    return fail(EISDIR);
  folder = ::open(folderPath.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A folder that may be written but not read cannot be synced.
  if (folder < 0 && errno == EACCES)
    folder = ::open(folderPath.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 || faccessat(folder, ".", W_OK | X_OK, 0) != 0)
    return fail(errno, "its folder '" + folderPath + "'");
  state = State::Open;
  return true;
}

std::string FileWriter::makeName() const {
  uint64_t random = 0;
  if (getrandom(&random, sizeof(random), 0) != sizeof(random))
    random = static_cast<uint64_t>(getpid()) << 32 ^ reinterpret_cast<uintptr_t>(&random);
  char text[32];
  snprintf(text, sizeof(text), ".%016llx.tmp", static_cast<unsigned long long>(random));
  // A name has at most 255 bytes.
  return "." + name.substr(0, 200) + text;
}

/// Tries names until one is free; `make` returns a negative number with errno set if its is not.
template <typename Make> static int tryNames(Make make) {
  int result = -1;
  for (int attempt = 0; attempt < 100; ++attempt)
    if ((result = make()) >= 0 || errno != EEXIST)
      break;
  return result;
}

bool FileWriter::makeFile() {
  if (!open())
    return false;
  if (state != State::Open)
    return true;
  // Without /proc a file could not get its name later.
  if (access("/proc/self/fd", X_OK) == 0)
    file = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  else
    errno = EOPNOTSUPP;
  if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT))
    file = tryNames([&] {
      const std::string unique = makeName();
      const int made =
          openat(folder, unique.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (made >= 0)
        temporary = folderPath + "/" + unique;
      return made;
    });
  if (file < 0)
    return failInFolder(errno);
  if (replaces && fchmod(file, permissions) != 0)
    return fail(errno);
  state = State::Writing;
  return true;
}

bool FileWriter::write(std::string_view bytes) {
  if (bytes.empty())
    return state != State::Failed;
  if (!makeFile())
    return false;
  return writeAll(file, bytes) || fail(errno);
}

/// The file without a name gets one; the file with a name of its own gets the right one.
bool FileWriter::giveName() {
  const std::string descriptor = "/proc/self/fd/" + std::to_string(file);
  if (temporary.empty()) {
    if (!replaces &&
        linkat(AT_FDCWD, descriptor.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return true;
    if (!replaces && errno != EEXIST)
      return failInFolder(errno);
    const int linked = tryNames([&] {
      const std::string unique = makeName();
      temporary = folderPath + "/" + unique;
      return linkat(AT_FDCWD, descriptor.c_str(), folder, unique.c_str(), AT_SYMLINK_FOLLOW);
    });
    if (linked < 0) {
      const int error = errno;
      temporary.clear();
      return failInFolder(error);
    }
  }
  const std::string unique = temporary.substr(temporary.rfind('/') + 1);
  if (renameat(folder, unique.c_str(), folder, name.c_str()) != 0)
    return failInFolder(errno);
  temporary.clear();
  return true;
}

/// A file system that cannot sync folders need not.
bool FileWriter::syncFolder() {
  return fsync(folder) == 0 || errno == EBADF || errno == EINVAL || errno == EACCES ||
         errno == EROFS || fail(errno, "its folder '" + folderPath + "'");
}

bool FileWriter::keep() {
  if (!makeFile())
    return false;
  if (state == State::Direct) {
    const int closed = close(std::exchange(file, -1));
    state = State::Kept;
    return closed == 0 || fail(errno);
  }
  if (state != State::Writing)
    return true;
  // A full disk may show here first, and a rename must not come before the bytes.
  if (fsync(file) != 0 && errno != EINVAL && errno != EROFS)
    return fail(errno);
  if (!giveName() || !syncFolder())
    return false;
  state = State::Kept;
  discard();
  return true;
}

} // namespace ttc
