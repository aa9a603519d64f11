// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX element types and tensors as MLIR types and attributes.
#ifndef TTC_LIB_IMPORT_ONNXTENSOR_H
#define TTC_LIB_IMPORT_ONNXTENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

#include <string>

namespace onnx {
class SparseTensorProto;
class TensorProto;
} // namespace onnx

namespace mlir::ttc {

using EmitErrorFn = llvm::function_ref<InFlightDiagnostic()>;

/// The ttc element type, or null if there is none.
Type getOnnxElementType(MLIRContext *context, int64_t dataType);
/// "float", "double", "string", ...
std::string getOnnxTypeName(int64_t dataType);
/// The element types that can be imported, for diagnostics.
StringRef getSupportedOnnxTypes();

/// Bytes of an element in a file and in a constant.
size_t getElementBytes(Type elementType);

/// The tensor as a constant. Raw data is moved out of `tensor`, not copied; external data is
/// mapped. External files are looked up relative to `modelPath`. `name` becomes the name of the
/// resource.
FailureOr<ElementsAttr> convertOnnxTensor(onnx::TensorProto &tensor, StringRef name,
                                          StringRef modelPath, MLIRContext *context,
                                          EmitErrorFn emitError);

/// A sparse tensor (of indices into the flattened tensor, or one row of coordinates per element) as
/// a dense constant, whose bytes are added to `generatedBytes`.
FailureOr<ElementsAttr> convertSparseTensor(const onnx::SparseTensorProto &tensor, StringRef name,
                                            MLIRContext *context, int64_t &generatedBytes,
                                            EmitErrorFn emitError);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_ONNXTENSOR_H
