// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_SUPPORT_READFILE_H
#define TTC_TEST_UNIT_SUPPORT_READFILE_H

#include <fstream>
#include <string>
#include <vector>

namespace ttrt::test {

/// The contents of a file that has a size, as a string or a vector of bytes; nothing if it cannot
/// be read. In one call: byte by byte, sanitizers make it the longest part of a test.
template <typename Bytes = std::vector<char>> Bytes readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  Bytes bytes;
  if (!file)
    return bytes;
  bytes.resize(static_cast<size_t>(file.tellg()));
  file.seekg(0).read(reinterpret_cast<char *>(bytes.data()), static_cast<long>(bytes.size()));
  if (!file)
    bytes.clear();
  return bytes;
}

} // namespace ttrt::test

#endif
