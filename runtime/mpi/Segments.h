// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open MPI's shared memory between ranks of a host. It has names in /dev/shm, which stay there if a
// rank is killed before mpirun has recorded them.

#ifndef TTRT_MPI_SEGMENTS_H
#define TTRT_MPI_SEGMENTS_H

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ttrt::mpi {

/// Removes the names of all such memory that this process has mapped, its own and that of its
/// peers. Only when the job ends because of a failure: the memory stays mapped, but no other
/// process can open it. Safe in a signal handler.
inline void removeSegments() {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0)
    return;
  char text[8192];
  size_t length = 0;
  for (ssize_t got; (got = read(maps, text + length, sizeof text - 1 - length)) > 0;) {
    length += static_cast<size_t>(got);
    text[length] = 0;
    char *line = text;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
      *end = 0;
      const char *path = strstr(line, "/dev/shm/");
      if (path && (strstr(path, "vader_segment.") || strstr(path, "/sm_segment.")) &&
          !strstr(path, " (deleted)"))
        unlink(path);
    }
    length = static_cast<size_t>(text + length - line); // the begin of the next line
    memmove(text, line, length);
    if (length == sizeof text - 1)
      break; // no line is that long
  }
  close(maps);
}

} // namespace ttrt::mpi

#endif // TTRT_MPI_SEGMENTS_H
