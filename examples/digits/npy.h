// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the part of NumPy's file format that this example needs: little-endian, C order, version 1.
// (ttrun reads every type, order and version in tools/ttrun/Npy.h. The example does not share that
// code: it is meant to be copied and built against an installed libttrt alone.)
#ifndef EXAMPLES_DIGITS_NPY_H
#define EXAMPLES_DIGITS_NPY_H

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

template <typename T> struct NpyArray {
  std::vector<int64_t> shape;
  std::vector<T> data;
};

/// Reads `path`, which must hold elements of `descr` ("<f4", "<i8").
template <typename T> NpyArray<T> readNpy(const std::string &path, const char *descr) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot open " + path);
  std::string bytes;
  try {
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure &) {
    throw std::runtime_error("cannot read " + path); // a folder
  }
  uint16_t headerSize = 0;
  if (bytes.size() < 10 || bytes.compare(0, 7, "\x93NUMPY\x01") != 0)
    throw std::runtime_error(path + ": expected a .npy file of version 1");
  std::memcpy(&headerSize, &bytes[8], sizeof(headerSize));
  std::string header = bytes.substr(10, headerSize);
  size_t shapeAt = header.find("'shape': (");
  if (header.find(descr) == std::string::npos || shapeAt == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos)
    throw std::runtime_error(path + ": expected '" + descr + "' in C order, found " +
                             header.substr(0, header.find_last_of('}') + 1));

  NpyArray<T> array;
  int64_t count = 1;
  const char *text = header.c_str() + shapeAt + std::strlen("'shape': (");
  while (*text && *text != ')') {
    char *end = nullptr;
    int64_t size = std::strtoll(text, &end, 10);
    if (end == text)
      break;
    array.shape.push_back(size);
    count *= size;
    text = end + std::strspn(end, ", ");
  }
  size_t start = 10 + headerSize;
  if (bytes.size() - start != count * sizeof(T))
    throw std::runtime_error(path + ": expected " + std::to_string(count * sizeof(T)) +
                             " bytes of data, found " + std::to_string(bytes.size() - start));
  array.data.resize(count);
  std::memcpy(array.data.data(), &bytes[start], count * sizeof(T));
  return array;
}

#endif // EXAMPLES_DIGITS_NPY_H
