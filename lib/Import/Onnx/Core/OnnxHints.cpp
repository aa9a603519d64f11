// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that a message proposes.
#include "GraphImporter.h"
#include "OnnxNode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

std::string OnnxNode::describeOrigin(Value value) const {
  // What people set by hand has few elements: an input of data is no parameter.
  constexpr int64_t mostElements = 16;
  constexpr size_t mostOps = 4096;
  SetVector<Value> values;
  values.insert(value);
  std::string options;
  for (size_t i = 0; i < values.size(); ++i) {
    if (Operation *op = values[i].getDefiningOp()) {
      values.insert(op->operand_begin(), op->operand_end());
      if (values.size() > mostOps)
        return "";
      continue;
    }
    auto argument = cast<BlockArgument>(values[i]);
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto inputName =
        function ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttrName)
                 : StringAttr();
    if (!inputName || !type || type.getNumElements() > mostElements)
      return "";
    options += (options.empty() ? "" : " ") + ("--input-value=" + inputName.getValue()).str() +
               (type.getNumElements() == 1 ? "=NUMBER" : "=[NUMBER,...]");
  }
  return options.empty() ? "" : " (" + options + " makes it constant)";
}

std::string OnnxNode::describeShapeOption() const {
  // The option names values of the model, not those of its bodies.
  if (!wantsOutput(0) || importer.isBody())
    return "";
  return " (--value-shape=" + proto.output(0) + ":SHAPE sets it)";
}
