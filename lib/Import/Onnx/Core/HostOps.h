// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes that stay host calls (--host-ops): functions of the application compute them.
#ifndef TTC_LIB_IMPORT_HOSTOPS_H
#define TTC_LIB_IMPORT_HOSTOPS_H

#include "OnnxNode.h"

#include "ttc/Import/OnnxImport.h"

namespace onnx {
class GraphProto;
class NodeProto;
class TensorProto;
} // namespace onnx

namespace mlir::ttc {

/// "com.acme.Clip", and for the default domain the op alone.
std::string getQualifiedName(const onnx::NodeProto &node);

/// Whether a pattern with * and ?, of an option, matches the name.
bool matchesPattern(StringRef text, StringRef name);

/// Whether --host-ops names the node's op.
bool isHostOp(const onnx::NodeProto &node, const OnnxImportOptions &options);

/// What a host call takes from the graph around its node.
struct HostOpContext {
  const OnnxImportOptions &options;
  const onnx::GraphProto &graph;
  /// The declared shape of a value, if it is static.
  llvm::function_ref<std::optional<SmallVector<int64_t>>(StringRef)> getDeclaredShape;
  llvm::function_ref<FailureOr<ElementsAttr>(onnx::TensorProto &, StringRef, EmitErrorFn)>
      convertTensor;
};

/// Imports the node as a ttc.host_call. The values of its outputs; null for omitted ones.
FailureOr<SmallVector<Value>> importHostOp(onnx::NodeProto &node, OnnxNode &importing, Location loc,
                                           const HostOpContext &context);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_HOSTOPS_H
