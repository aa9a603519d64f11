// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// The alignment that kernels' vector loads need and that the planner gives to buffers.
constexpr size_t alignment = 64;

std::shared_ptr<char[]> allocateBytes(size_t size) {
  // Not a std::vector, which would write zeros that are overwritten.
  auto *bytes = static_cast<char *>(::operator new(
      llvm::alignTo(std::max<size_t>(size, 1), alignment), std::align_val_t(alignment)));
  return {bytes, [](char *p) { ::operator delete(p, std::align_val_t(alignment)); }};
}

} // namespace

size_t ConstantTensor::getElementSize(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

ConstantTensor ConstantTensor::allocate(RankedTensorType type) {
  ConstantTensor tensor;
  tensor.type = type;
  tensor.data = allocateBytes(tensor.getNumBytes());
  return tensor;
}

ConstantTensor ConstantTensor::allocateSplat(RankedTensorType type) {
  ConstantTensor tensor;
  tensor.type = type;
  tensor.splat = true;
  tensor.data = allocateBytes(tensor.getNumBytes());
  return tensor;
}

ConstantTensor ConstantTensor::get(ElementsAttr attr) {
  auto type = cast<RankedTensorType>(attr.getShapedType());
  ConstantTensor tensor;
  tensor.type = type;
  ArrayRef<char> raw;
  if (std::optional<ArrayRef<char>> bytes = viewConstantBytes(attr)) {
    raw = *bytes;
  } else if (attr.isSplat() && !type.getElementType().isInteger(1)) {
    raw = cast<DenseElementsAttr>(attr).getRawData();
    tensor.splat = true;
  } else {
    tensor = allocate(type);
    llvm::copy(getConstantBytes(attr), tensor.data.get());
    return tensor;
  }
  assert(raw.size() >= tensor.getNumBytes() && "the blob is shorter than its type");
  // Non-owning: the context owns the data.
  tensor.data = std::shared_ptr<char[]>(std::shared_ptr<char[]>(), const_cast<char *>(raw.data()));
  return tensor;
}

ConstantTensor ConstantTensor::expanded() const {
  if (!splat)
    return *this;
  ConstantTensor result = allocate(type);
  size_t size = getElementSize(), total = result.getNumBytes();
  if (total == 0)
    return result;
  char *out = result.data.get();
  std::memcpy(out, data.get(), size);
  // Each copy doubles the filled part.
  for (size_t filled = size; filled < total; filled *= 2)
    std::memcpy(out + filled, out, std::min(filled, total - filled));
  return result;
}

int64_t ConstantTensor::getInteger(int64_t index) const {
  size_t size = getElementSize();
  uint64_t bits = 0;
  std::memcpy(&bits, data.get() + (splat ? 0 : index) * size, size);
  Type elementType = type.getElementType();
  if (elementType.isUnsignedInteger() || elementType.isInteger(1))
    return bits;
  return llvm::SignExtend64(bits, size * 8);
}

ElementsAttr ConstantTensor::toAttr(StringRef nameHint) const {
  if (splat && !type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, getBytes());
  ConstantTensor all = expanded();
  return makeConstant(type, all.getBytes(), nameHint, [keep = all]() mutable { keep = {}; });
}
