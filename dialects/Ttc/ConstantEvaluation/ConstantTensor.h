// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTTENSOR_H
#define TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTTENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <memory>

namespace mlir::ttc {

/// The elements of a tensor at compile time, while constants are evaluated: row-major,
/// each element in whole bytes (bool: one byte, 0 or 1), or one element that stands for
/// all. Copies share the elements; the last one frees them.
class ConstantTensor {
public:
  ConstantTensor() = default;

  /// Views the attribute's elements without a copy where their layout allows it. The
  /// attribute's data must outlive the tensor.
  static ConstantTensor get(ElementsAttr attr);
  /// A tensor with uninitialized elements.
  static ConstantTensor allocate(RankedTensorType type);
  /// A splat with an uninitialized element.
  static ConstantTensor allocateSplat(RankedTensorType type);

  explicit operator bool() const { return static_cast<bool>(type); }
  RankedTensorType getType() const { return type; }
  ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getNumElements() const { return type.getNumElements(); }
  bool isSplat() const { return splat; }
  /// Bytes of one element.
  size_t getElementSize() const { return getElementSize(type.getElementType()); }
  static size_t getElementSize(Type elementType);

  /// All elements, or the one of a splat.
  ArrayRef<char> getBytes() const { return {data.get(), getNumBytes()}; }
  /// Only for tensors from allocate() that are not shared.
  MutableArrayRef<char> getMutableBytes() { return {data.get(), getNumBytes()}; }
  template <typename T> ArrayRef<T> get() const {
    return {reinterpret_cast<const T *>(data.get()), getNumBytes() / sizeof(T)};
  }

  /// The same tensor with every element in memory.
  ConstantTensor expanded() const;

  /// Element `index` as an integer, sign-extended but for unsigned types and bool.
  int64_t getInteger(int64_t index) const;

  /// As an attribute: dense if small, otherwise a resource named after `nameHint` that shares the
  /// elements without a copy.
  ElementsAttr toAttr(StringRef nameHint) const;

private:
  size_t getNumBytes() const { return getElementSize() * (splat ? 1 : getNumElements()); }

  RankedTensorType type;
  std::shared_ptr<char[]> data;
  bool splat = false;
};

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_CONSTANTEVALUATION_CONSTANTTENSOR_H
