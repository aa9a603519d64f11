// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a bundle beside its metadata. They can be large (weights), so they are gathered as
// pieces, hashed and written from where they are.
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
  /// Pads with zeros up to `offset`, which is not below the size.
  void padTo(uint64_t offset);
  /// Adds a constant's bytes, or bytes that live as long as this.
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
