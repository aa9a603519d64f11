// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/HugePages.h"

#include "Base/Format.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace ttrt {

namespace {

/// A file of the kernel's, read without allocating.
class KernelFile {
public:
  explicit KernelFile(const char *path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~KernelFile() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  KernelFile(const KernelFile &) = delete;
  KernelFile &operator=(const KernelFile &) = delete;

  bool isOpen() const { return descriptor_ >= 0; }
  /// Why it cannot be read to its end; 0 if it can.
  int problem() const { return problem_; }
  /// The next line, without what exceeds the buffer; null at the end.
  const char *line() {
    size_t length = 0;
    for (;; ++at_) {
      if (at_ == filled_ && !fill())
        break;
      if (buffer_[at_] == '\n') {
        ++at_;
        line_[length] = 0;
        return line_;
      }
      if (length + 1 < sizeof(line_))
        line_[length++] = buffer_[at_];
    }
    line_[length] = 0;
    return length ? line_ : nullptr;
  }

private:
  bool fill() {
    ssize_t bytes;
    do
      bytes = read(descriptor_, buffer_, sizeof(buffer_));
    while (bytes < 0 && errno == EINTR);
    if (bytes < 0)
      problem_ = errno;
    at_ = 0;
    filled_ = bytes > 0 ? static_cast<size_t>(bytes) : 0;
    return filled_ != 0;
  }

  const int descriptor_;
  int problem_ = 0;
  size_t at_ = 0, filled_ = 0;
  char buffer_[4096], line_[256];
};

/// Whether a file of words has `word` chosen: "always [madvise] never".
bool isChosen(const char *path, const char *word) {
  KernelFile file(path);
  const char *line = file.isOpen() ? file.line() : nullptr;
  return line && strstr(line, word);
}

} // namespace

const char *whyNoHugePages() noexcept {
#define TTRT_THP "/sys/kernel/mm/transparent_hugepage/"
  // Other values than 1 say that only memory that asks for huge pages gets them.
  if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
    return "they are disabled for this process (PR_SET_THP_DISABLE)";
  if (isChosen(TTRT_THP "enabled", "[never]") &&
      // Since Linux 6.8, each size has a switch of its own, which may override that of all.
      !isChosen(TTRT_THP "hugepages-2048kB/enabled", "[always]") &&
      !isChosen(TTRT_THP "hugepages-2048kB/enabled", "[madvise]"))
    return TTRT_THP "enabled is 'never'";
  if (isChosen(TTRT_THP "hugepages-2048kB/enabled", "[never]"))
    return TTRT_THP "hugepages-2048kB/enabled is 'never'";
#undef TTRT_THP
  return nullptr;
}

static uint64_t bytesBeforeHugePage(const uint8_t *begin) {
  return -reinterpret_cast<uintptr_t>(begin) % kHugePageSize;
}

uint64_t wholeHugePages(const uint8_t *begin, uint64_t bytes) noexcept {
  const uint64_t lead = bytesBeforeHugePage(begin);
  return bytes < lead ? 0 : (bytes - lead) / kHugePageSize * kHugePageSize;
}

uint64_t adviseHugePages(uint8_t *begin, uint64_t bytes) noexcept {
  const uint64_t whole = wholeHugePages(begin, bytes);
  return whole && madvise(begin + bytesBeforeHugePage(begin), whole, MADV_HUGEPAGE) == 0 ? whole
                                                                                         : 0;
}

uint64_t countHugePages(const uint8_t *begin, uint64_t bytes) {
  KernelFile file("/proc/self/smaps");
  if (!file.isOpen())
    fail(TTRT_IO_ERROR, "cannot open /proc/self/smaps: {}", strerror(errno));
  const auto from = reinterpret_cast<uintptr_t>(begin);
  uint64_t common = 0, huge = 0; // of the mapping whose lines are read, and of all
  while (const char *line = file.line()) {
    // "7f0000000000-7f0000200000 r--p ...", then "Name: 123 kB".
    char *end;
    const uintptr_t first = strtoull(line, &end, 16);
    if (*end == '-' && end != line) {
      const uintptr_t last = strtoull(end + 1, nullptr, 16);
      const uintptr_t low = std::max(first, from), high = std::min(last, from + bytes);
      common = low < high ? high - low : 0;
    } else if (common && strncmp(line, "AnonHugePages:", 14) == 0) {
      huge += std::min<uint64_t>(common, strtoull(line + 14, nullptr, 10) * 1024);
    }
  }
  if (file.problem())
    fail(TTRT_IO_ERROR, "cannot read /proc/self/smaps: {}", strerror(file.problem()));
  return huge;
}

} // namespace ttrt
