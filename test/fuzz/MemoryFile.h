// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_FUZZ_MEMORYFILE_H
#define TTC_TEST_FUZZ_MEMORYFILE_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace ttrt::fuzz {

/// A file without a name, which is written again and again.
class MemoryFile {
public:
  MemoryFile() : file(memfd_create("bundle", MFD_CLOEXEC)) {
    if (file < 0)
      throw std::runtime_error("cannot create a file");
  }
  ~MemoryFile() { close(file); }
  void write(const void *bytes, size_t size) {
    if (pwrite(file, bytes, size, 0) != static_cast<ssize_t>(size) ||
        ftruncate(file, static_cast<off_t>(size)) != 0)
      throw std::runtime_error("cannot write a file");
  }
  void write(const std::vector<uint8_t> &bytes) { write(bytes.data(), bytes.size()); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }

private:
  const int file;
};

} // namespace ttrt::fuzz

#endif // TTC_TEST_FUZZ_MEMORYFILE_H
