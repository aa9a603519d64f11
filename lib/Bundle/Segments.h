// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of a bundle's segments. They can be large (weights), so they are collected as
// references to pieces that are hashed and written in place.
#ifndef TTC_LIB_BUNDLE_SEGMENTS_H
#define TTC_LIB_BUNDLE_SEGMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <variant>
#include <vector>

namespace mlir::ttc {

class SegmentContents {
public:
  /// Pads with zeros up to `offset`, which is at least size().
  void padTo(uint64_t offset);
  /// Adds the bytes of a constant, or bytes that must outlive this object.
  void add(ElementsAttr constant, uint64_t bytes);
  void add(ArrayRef<char> bytes);

  uint64_t size() const { return size_; }
  /// ttrt::hashSegment() of the contents.
  uint64_t hash() const;
  void write(llvm::raw_ostream &output) const;

private:
  void forEachPart(llvm::function_ref<void(ArrayRef<char>)> use) const;

  using Zeros = uint64_t;
  std::vector<std::variant<Zeros, ElementsAttr, ArrayRef<char>>> pieces;
  uint64_t size_ = 0;
};

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_SEGMENTS_H
