// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of nodes that an entry point of their own makes observable (--keep-values).
#ifndef TTC_LIB_IMPORT_KEPTVALUES_H
#define TTC_LIB_IMPORT_KEPTVALUES_H

#include "ttc/Import/OnnxImport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace onnx {
class NodeProto;
} // namespace onnx

namespace mlir::ttc {

/// The results that the options select, in the order of the nodes.
class KeptValues {
public:
  /// Records the result `name` of a node, if its op, its name or the value's matches. `prefix`
  /// precedes all names in bodies and functions; `qualify` adds that of the graph that defines the
  /// value. If several values have one name, the later ones get a number.
  void add(const OnnxImportOptions &options, const onnx::NodeProto &node, StringRef prefix,
           StringRef name, Value value, llvm::function_ref<std::string(StringRef)> qualify);

  /// Adds a function `NAME.values` after `function`, whose results are the recorded ones, and
  /// metadata that tell which nodes computed them. `function` itself stays as it is. Returns null
  /// if nothing was recorded.
  func::FuncOp makeFunction(func::FuncOp function) const;

private:
  struct Kept {
    Value value;
    std::string name, node, op;
    std::vector<std::string> inputs;
  };
  std::vector<Kept> values;
  llvm::StringSet<> names;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_KEPTVALUES_H
