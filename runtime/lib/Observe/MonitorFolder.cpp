// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Observe/MonitorFolder.h"

#include "Base/Format.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ttrt {

/// $XDG_RUNTIME_DIR is made by the system for this user alone; /tmp is shared by all users.
static std::string folderPath() {
  const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
  struct stat status;
  if (runtime && runtime[0] == '/' && stat(runtime, &status) == 0 && S_ISDIR(status.st_mode) &&
      status.st_uid == geteuid())
    return formatText("{}/ttrt", runtime);
  return formatText("/tmp/ttrt-{}", geteuid());
}

MonitorFolder::MonitorFolder(bool create) : path(folderPath()) {
  if (create && mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    problem = formatText("cannot make {}: {}", path, strerror(errno));
    return;
  }
  descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) {
    if (create || errno != ENOENT)
      problem = formatText("cannot open folder {}, which must not be a symbolic link: {}", path,
                           strerror(errno));
    return;
  }
  // Looked at after opening: it cannot be exchanged any more.
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    problem = formatText("cannot get the status of {}: {}", path, strerror(errno));
  else if (status.st_uid != geteuid())
    problem = formatText("expected {} to belong to user {}, found user {}", path, geteuid(),
                         status.st_uid);
  else if (status.st_mode & 077)
    problem = formatText("expected mode 0700 of {}, found {:04o}", path, status.st_mode & 07777);
  if (!problem.empty()) {
    close(descriptor);
    descriptor = -1;
  }
}

MonitorFolder::~MonitorFolder() {
  if (descriptor >= 0)
    close(descriptor);
}

uint64_t processStart(uint64_t pid) {
  char path[64], text[1024];
  formatTo(path, "/proc/{}/stat", pid);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  const ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  if (length <= 0)
    return 0;
  text[length] = 0;
  // Field 2 is the name in parentheses, which may hold anything; field 3 is the state.
  const char *position = strrchr(text, ')');
  if (!position || strlen(position) < 3 || position[2] == 'Z' || position[2] == 'X')
    return 0;
  ++position;
  for (int field = 3; field < 22 && position; ++field)
    position = strchr(position + 1, ' ');
  return position ? strtoull(position, nullptr, 10) : 0;
}

} // namespace ttrt
