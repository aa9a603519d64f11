// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the part of NumPy's file format that this example needs: little-endian, C order, version 1.
// (ttrun reads every type, order and version in tooling/Formats/Npy.h. The example does not share
// that code: it is meant to be copied and built against an installed libttrt alone.)
#ifndef EXAMPLES_DIGITS_NPY_H
#define EXAMPLES_DIGITS_NPY_H

#include <algorithm>
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
  if (bytes.size() < 10 || bytes.compare(0, 8, std::string("\x93NUMPY\1\0", 8)) != 0)
    throw std::runtime_error(path + ": expected a .npy file of version 1.0");
  std::memcpy(&headerSize, &bytes[8], sizeof(headerSize));
  const std::string header = bytes.substr(10, headerSize);
  // As NumPy writes it, letter by letter.
  const std::string before =
      std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (";
  const size_t after = header.find("), }");
  const std::string expected = path + ": expected '" + descr + "' in C order, found ";
  if (header.compare(0, before.size(), before) != 0 || after == std::string::npos ||
      header.find_first_not_of(" \n", after + 4) != std::string::npos)
    throw std::runtime_error(expected + header.substr(0, header.find_last_of('}') + 1));

  NpyArray<T> array;
  size_t count = 1;
  // "3, 4" or, for one dimension, "3,".
  for (const char *text = header.c_str() + before.size(); text < header.c_str() + after;) {
    char *end = nullptr;
    const int64_t size = *text >= '0' && *text <= '9' ? std::strtoll(text, &end, 10) : -1;
    if (size < 0 || __builtin_mul_overflow(count, static_cast<size_t>(size), &count))
      throw std::runtime_error(expected + "the shape (" +
                               header.substr(before.size(), after - before.size()) + ")");
    array.shape.push_back(size);
    text = end + std::strspn(end, ", ");
  }
  size_t start = 10 + headerSize;
  const size_t there = bytes.size() - std::min(bytes.size(), start);
  if (there % sizeof(T) != 0 || there / sizeof(T) != count)
    throw std::runtime_error(path + ": expected " + std::to_string(count) +
                             " elements of data, found " + std::to_string(there) + " bytes");
  array.data.resize(count);
  std::memcpy(array.data.data(), bytes.data() + start, there);
  return array;
}

#endif // EXAMPLES_DIGITS_NPY_H
