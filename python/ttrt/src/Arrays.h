// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of Python as memory of the C API, without copies, and memory of a device as arrays.

#ifndef TTRT_PYTHON_ARRAYS_H
#define TTRT_PYTHON_ARRAYS_H

#include "Errors.h"

#include <nanobind/ndarray.h>
#include <string>
#include <vector>

namespace ttrt::python {

/// A dense, row-major tensor's type: what a port says, and what an array must have.
struct TensorType {
  ttrt_dtype dtype = TTRT_F32;
  std::vector<int64_t> shape;
  size_t bytes = 0;
  /// For a model with variants: how the sizes follow from the extents ("2*sequence"), where `shape`
  /// is negative; and `bytes` are the most that it may have. Otherwise empty.
  std::vector<std::string> sizes;

  /// "f32[1, 28, 28]", "i64[batch, sequence]"
  std::string text() const;
};

/// "f32"; of an unknown number "dtype 99".
std::string nameOf(ttrt_dtype dtype);
/// numpy's name of the type that stores it; numpy has no bf16, whose bits are uint16.
const char *numpyNameOf(ttrt_dtype dtype);

size_t elementBytes(ttrt_dtype dtype);

/// An array's memory. Keeps the array alive.
struct Array {
  nb::ndarray<nb::ro> keeper;
  void *data = nullptr;
};

/// Takes an array's memory: of numpy, or anything with DLPack or the buffer protocol. Nothing is
/// copied or converted: TypeError for another type of elements or what is no array, ValueError for
/// another shape or memory that is not dense, row-major and the CPU's; for read-only memory if it
/// is to be written. Messages begin with `what`.
Array importArray(nb::handle object, const TensorType &type, bool writable,
                  const std::string &what);

/// An array of numpy over memory that `owner` keeps alive. `strides`, in elements, unless it is
/// dense.
nb::object exportArray(const void *data, const TensorType &type, bool writable, nb::handle owner,
                       const int64_t *strides = nullptr);

/// A new array of numpy, with undefined contents.
nb::object newArray(const TensorType &type);

} // namespace ttrt::python

#endif // TTRT_PYTHON_ARRAYS_H
