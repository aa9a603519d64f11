// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in NumPy's .npy format, versions 1 to 3.

#ifndef TTC_TOOLING_FORMATS_NPY_H
#define TTC_TOOLING_FORMATS_NPY_H

#include "ttrt/ttrt.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ttrun {

/// A dense tensor in row-major order.
struct Tensor {
  ttrt_dtype dtype = TTRT_F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  size_t elements() const;
};

size_t sizeOf(ttrt_dtype dtype);
const char *nameOf(ttrt_dtype dtype);
/// "f32[1, 3, 224, 224]"
std::string describe(ttrt_dtype dtype, const std::vector<int64_t> &shape);
/// An element as a double, which is inexact for large 64-bit integers.
double elementAt(const Tensor &tensor, size_t index);

/// Reads a file, which may be damaged. Arrays in Fortran order are converted to row-major order.
/// Elements of type V2, as ml_dtypes saves bfloat16, are read as bf16. Those of type V1, as it
/// saves floats and integers of 8 bits and fewer, are read as `bytes`, if that has one byte, or
/// else as u8. Throws UserError. `check`, if given, sees the type and the shape before memory is
/// taken for the elements, and may throw.
using CheckHeader = std::function<void(ttrt_dtype dtype, const std::vector<int64_t> &shape)>;
Tensor readNpy(const std::string &path, const CheckHeader &check = {}, ttrt_dtype bytes = TTRT_U8);
/// Writes bf16, which NumPy lacks, as uint16. Throws like writeFile().
void writeNpy(const std::string &path, const Tensor &tensor);

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_NPY_H
