// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that are likely for inputs of dynamic shape, for the message that asks for them.
#ifndef TTC_LIB_IMPORT_SHAPEPROPOSALS_H
#define TTC_LIB_IMPORT_SHAPEPROPOSALS_H

#include "ImportContext.h"

#include "ttc/Support/Spelling.h"

#include "llvm/ADT/MapVector.h"

namespace onnx {
class TypeProto_Tensor;
} // namespace onnx

namespace mlir::ttc {

class ShapeProposals {
public:
  explicit ShapeProposals(const onnx::ModelProto &model) : model(model) {}

  /// A size that a name has already; -1 if it has several, and nothing if it has none.
  using FindSize = llvm::function_ref<std::optional<int64_t>(StringRef)>;

  /// Adds the dimensions of an input that are open. A name gets one size, for all inputs.
  void add(StringRef input, const onnx::TypeProto_Tensor &type, FindSize find);

  /// Attaches a note with a command that sets all of them, so that the model can be imported if
  /// sizes are found with which it can. The first ones are taken that `isImported` accepts.
  void attachTo(Diagnostic &diag, const OnnxImportOptions &options,
                llvm::function_ref<bool(const OnnxImportOptions &)> isImported) const;

private:
  struct Size {
    int64_t size;
    /// Whether nothing says that it is this one.
    bool isFree = false;
    unsigned uses = 0; ///< by inputs, of a name
    /// Whether an input whose whole shape is set binds the name.
    bool isBound = false;
  };
  struct Dim {
    Size size;
    StringRef name; ///< in `names`; or else empty
  };
  struct Input {
    StringRef name;
    SmallVector<Dim> shape;
    bool allNamed = true; ///< every open dimension has a name
  };
  Size guess(StringRef input, const onnx::TypeProto_Tensor &type, int index) const;
  /// The options with one size for all that are free; 0 leaves them as they are.
  SmallVector<Setting> getSettings(int64_t size) const;

  const onnx::ModelProto &model;
  SmallVector<Input> inputs;
  llvm::MapVector<StringRef, Size> names;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_SHAPEPROPOSALS_H
