// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Interfaces/ExecutionInterfaces.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ttc;

/// The alignment of resources: that of the widest vector loads.
static constexpr size_t resourceAlignment = 64;

std::optional<ArrayRef<char>> mlir::ttc::viewConstantBytes(ElementsAttr constant) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
    return resource.getData();
  auto dense = dyn_cast<DenseElementsAttr>(constant);
  // Dense attributes store bools in a form of their own.
  if (!dense || dense.getElementType().isInteger(1) ||
      (dense.isSplat() && dense.getNumElements() != 1))
    return std::nullopt;
  return dense.getRawData();
}

SmallVector<char> mlir::ttc::getConstantBytes(ElementsAttr constant) {
  if (std::optional<ArrayRef<char>> view = viewConstantBytes(constant))
    return SmallVector<char>(*view);
  auto dense = cast<DenseElementsAttr>(constant);
  SmallVector<char> bytes;
  if (dense.getElementType().isInteger(1)) {
    bytes.reserve(dense.getNumElements());
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value);
    return bytes;
  }
  ArrayRef<char> element = dense.getRawData();
  bytes.resize_for_overwrite(getTensorBytes(dense.getType()));
  for (size_t i = 0; i < bytes.size(); i += element.size())
    std::memcpy(bytes.data() + i, element.data(), element.size());
  return bytes;
}

ElementsAttr mlir::ttc::makeConstant(RankedTensorType type, ArrayRef<char> bytes,
                                     StringRef nameHint) {
  assert(static_cast<int64_t>(bytes.size()) == getTensorBytes(type) && "bytes of another type");
  if (type.getElementType().isInteger(1)) {
    auto values = llvm::map_to_vector(bytes, [](char byte) { return byte != 0; });
    return DenseElementsAttr::get(type, values);
  }
  if (static_cast<int64_t>(bytes.size()) <= maxInlineConstantBytes)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return DenseResourceElementsAttr::get(type, nameHint,
                                        HeapAsmResourceBlob::allocateAndCopyWithAlign(
                                            bytes, resourceAlignment, /*dataIsMutable=*/false));
}

ElementsAttr mlir::ttc::makeConstant(RankedTensorType type, ArrayRef<char> bytes,
                                     StringRef nameHint, llvm::unique_function<void()> release) {
  assert(static_cast<int64_t>(bytes.size()) == getTensorBytes(type) && "bytes of another type");
  if (type.getElementType().isInteger(1) ||
      static_cast<int64_t>(bytes.size()) <= maxInlineConstantBytes) {
    ElementsAttr constant = makeConstant(type, bytes, nameHint);
    release();
    return constant;
  }
  auto deleter = [release = std::move(release)](void *, size_t, size_t) mutable { release(); };
  return DenseResourceElementsAttr::get(
      type, nameHint,
      AsmResourceBlob(bytes, /*dataAlignment=*/getTensorBytes(type.clone({1})), std::move(deleter),
                      /*dataIsMutable=*/false));
}
