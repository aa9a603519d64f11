// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ImportContext.h"

#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// Bytes of the largest tensor that is written from its sparse form, which can be arbitrarily
/// small.
static constexpr int64_t kMostBytes = int64_t(1) << 28;

FailureOr<ElementsAttr> mlir::ttc::convertSparseTensor(const onnx::SparseTensorProto &tensor,
                                                       StringRef name, MLIRContext *context,
                                                       int64_t &generatedBytes,
                                                       EmitErrorFn emitError) {
  // Copies, because data is moved out of a tensor that is converted.
  onnx::TensorProto valuesProto = tensor.values(), indicesProto = tensor.indices();
  FailureOr<ElementsAttr> values = convertOnnxTensor(valuesProto, name, "", context, emitError);
  FailureOr<ElementsAttr> indices = convertOnnxTensor(indicesProto, name, "", context, emitError);
  if (failed(values) || failed(indices))
    return failure();
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  std::optional<int64_t> count = getNumElementsChecked(shape);
  Type elementType = values->getElementType();
  const int64_t elementBytes = getElementBytes(elementType);
  if (!count || *count > kMostBytes / elementBytes)
    return emitError() << "expected a sparse tensor of at most " << kMostBytes
                       << " bytes, found the shape [" << printList(shape) << "]";
  generatedBytes += *count * elementBytes;
  if (generatedBytes > kMostGenerated)
    return emitError() << "expected generated constants of at most " << kMostGenerated
                       << " bytes together, found more, with a sparse tensor of the shape ["
                       << printList(shape) << "]";

  const int64_t stored = values->getNumElements();
  auto indexType = cast<RankedTensorType>(indices->getType());
  const bool isFlat = indexType.getRank() == 1;
  const int64_t coordinates = isFlat ? 1 : static_cast<int64_t>(shape.size());
  if (!indexType.getElementType().isInteger(64) || indexType.getRank() < 1 ||
      indexType.getRank() > 2 || indexType.getNumElements() != stored * coordinates)
    return emitError() << "expected int64 indices of " << stored << " elements, found "
                       << indexType;
  SmallVector<char> valueBytes = getConstantBytes(*values), indexBytes = getConstantBytes(*indices);
  SmallVector<char> bytes(*count * elementBytes, 0);
  const int64_t *index = reinterpret_cast<const int64_t *>(indexBytes.data());
  for (int64_t i = 0; i < stored; ++i) {
    int64_t flat = 0;
    bool inside = true;
    for (int64_t d = 0; d < coordinates; ++d) {
      const int64_t size = isFlat ? *count : shape[d], at = *index++;
      inside &= at >= 0 && at < size;
      flat = flat * size + at;
      if (!inside)
        break;
    }
    if (!inside)
      return emitError() << "expected indices inside the shape [" << printList(shape)
                         << "], found element " << i << " outside";
    memcpy(bytes.data() + flat * elementBytes, valueBytes.data() + i * elementBytes, elementBytes);
  }
  return makeConstant(RankedTensorType::get(shape, elementType), bytes, name);
}
