// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_IMPORT_NPYFILE_H
#define TTC_LIB_IMPORT_NPYFILE_H

#include "OnnxTensor.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::ttc {

/// An array in NumPy's .npy format, in row-major order.
struct NpyArray {
  /// NumPy's description of the elements: "<f4", "|b1", "|V2".
  std::string descr;
  SmallVector<int64_t> shape;
  SmallVector<char> bytes;
};

/// Reads versions 1 to 3 of the format, little-endian. Reports a file that is damaged, or whose
/// array is stored in Fortran order.
FailureOr<NpyArray> readNpyFile(StringRef path, EmitErrorFn emitError);

/// Whether the elements can be stored in a tensor of the element type: the same type, or, for types
/// that NumPy lacks, untyped bytes of the same size.
bool isNpyOf(StringRef descr, Type elementType);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_NPYFILE_H
