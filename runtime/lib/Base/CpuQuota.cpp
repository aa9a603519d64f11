// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/CpuQuota.h"

#include "Base/Format.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ttrt {

namespace {
constexpr size_t kPath = 1024;
/// What fscanf() reads into a buffer of kPath bytes: a word, and the rest of a line.
#define TTRT_WORD "%1023s"
#define TTRT_REST "%1023[^\n]%*[^\n]"

/// Null if it cannot be read.
FILE *openIn(const char *folder, const char *name) noexcept {
  char path[3 * kPath];
  formatTo(path, "{}{}", folder, name);
  return fopen(path, "re");
}

/// The numbers in a file, up to the first thing that is none.
void readNumbers(const char *folder, const char *name, long &first, long *second) noexcept {
  if (FILE *file = openIn(folder, name)) {
    // What is missing keeps its value.
    if (fscanf(file, "%ld", &first) == 1 && second && fscanf(file, "%ld", second) != 1)
      *second = 0;
    fclose(file);
  }
}

/// That of one group; UINT32_MAX if it has none: then it is "max" or -1.
uint32_t quotaOf(const char *folder, bool isUnified) noexcept {
  long quota = 0, period = 0;
  if (isUnified) {
    readNumbers(folder, "/cpu.max", quota, &period);
  } else {
    readNumbers(folder, "/cpu.cfs_quota_us", quota, nullptr);
    readNumbers(folder, "/cpu.cfs_period_us", period, nullptr);
  }
  return quota > 0 && period > 0 ? static_cast<uint32_t>(std::max(quota / period, 1L)) : UINT32_MAX;
}

/// Whether "cpu" is one of the words between commas.
bool hasCpu(const char *words) noexcept {
  char all[kPath + 2];
  formatTo(all, ",{},", words);
  return strstr(all, ",cpu,") != nullptr;
}
} // namespace

/// Version 2 has one hierarchy, version 1 one for each set of controllers. Where a part of a
/// hierarchy is mounted, groups outside of it cannot be seen.
uint32_t cpusOfQuota(const char *root) noexcept {
  uint32_t least = UINT32_MAX;
  char group[kPath]; // "cpu,cpuacct:/a/b" or ":/a/b"
  FILE *groups = openIn(root, "/proc/self/cgroup");
  while (groups && fscanf(groups, "%*d:" TTRT_REST, group) == 1) {
    char *path = strchr(group, ':');
    if (!path)
      continue;
    *path++ = 0;
    const bool isUnified = !*group;
    if (!isUnified && !hasCpu(group))
      continue;
    // "30 25 0:26 /a /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw"
    char shown[kPath], place[kPath], rest[kPath];
    FILE *mounts = openIn(root, "/proc/self/mountinfo");
    while (mounts &&
           fscanf(mounts, "%*s%*s%*s" TTRT_WORD TTRT_WORD TTRT_REST, shown, place, rest) == 3) {
      if (!strstr(rest, isUnified ? " - cgroup2 " : " - cgroup ") ||
          (!isUnified && !hasCpu(strrchr(rest, ' ') + 1)))
        continue;
      const size_t hidden = strcmp(shown, "/") == 0 ? 0 : strlen(shown);
      char folder[3 * kPath];
      formatTo(folder, "{}{}", root, place);
      char *const top = folder + strlen(folder);
      if (strncmp(path, shown, hidden) == 0)
        formatTo(folder, "{}{}{}", root, place, path + hidden);
      for (;; *std::max(strrchr(folder, '/'), top) = 0) {
        least = std::min(least, quotaOf(folder, isUnified));
        if (!*top)
          break;
      }
    }
    if (mounts)
      fclose(mounts);
  }
  if (groups)
    fclose(groups);
  return least;
}

} // namespace ttrt
