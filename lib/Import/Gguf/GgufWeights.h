// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of a GGUF file as constants of the IR.
#ifndef TTC_LIB_IMPORT_GGUF_GGUFWEIGHTS_H
#define TTC_LIB_IMPORT_GGUF_GGUFWEIGHTS_H

#include "GgufModel.h"

#include "dialects/Ttc/TtcAttributes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ttc {

/// The format of the products' ops; nothing if they do not have it.
std::optional<BlockFormat> getBlockFormat(const GgmlType &type);
/// The names of all types that they have, for messages.
std::string getBlockFormatNames();

/// Makes constants, each once however many functions use it.
class GgufWeights {
public:
  GgufWeights(MLIRContext *context, std::shared_ptr<const void> owner)
      : context(context), owner(std::move(owner)) {}

  /// The rows of the tensors, one after the other, byte by byte as the file has them. One tensor
  /// alone is not copied.
  ElementsAttr getRows(ArrayRef<const GgufFile::Tensor *> tensors);
  /// The rows of products one after the other, those of heads in this order (GgufModel::headOrder).
  ElementsAttr getRows(ArrayRef<const GgufLinear *> products, ArrayRef<int64_t> headOrder);
  /// A vector of f32.
  ElementsAttr getVector(const GgufFile::Tensor &tensor);
  /// A vector of one element.
  ElementsAttr getNumber(float value);
  /// The biases one after the other, zeros for absent ones; null if all are absent.
  ElementsAttr getBias(ArrayRef<const GgufLinear *> products, ArrayRef<int64_t> headOrder);
  /// A matrix of f32: for each position, the cosines and then the sines of its angles. `name`
  /// tells tables apart.
  ElementsAttr getRotations(const GgufRotations &rotations, int64_t positions, StringRef name);

private:
  ElementsAttr makeFloats(ArrayRef<int64_t> shape, ArrayRef<float> values, StringRef name);

  MLIRContext *context;
  std::shared_ptr<const void> owner;
  /// By the names of the tensors.
  llvm::StringMap<ElementsAttr> made;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_GGUF_GGUFWEIGHTS_H
