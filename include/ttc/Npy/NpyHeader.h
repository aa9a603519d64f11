// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_NPY_NPYHEADER_H
#define TTC_NPY_NPYHEADER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttc {

/// The header of an array in NumPy's .npy format, versions 1 to 3.
struct NpyHeader {
  /// What is wrong with the file, which may be damaged; empty if nothing is.
  std::string problem;
  std::string descr; ///< NumPy's description of the elements: "<f4", "|b1", "|V2"
  bool fortran = false;
  std::vector<int64_t> shape;
  size_t bytes = 0; ///< of the file before the elements
};

/// A file with more bytes before its elements has a problem.
constexpr size_t kMostNpyHeaderBytes = 12 + 1024 * 1024;

/// Reads the header from the beginning of a file: all of it, or at least kMostNpyHeaderBytes.
NpyHeader readNpyHeader(std::string_view file);

} // namespace ttc

#endif // TTC_NPY_NPYHEADER_H
