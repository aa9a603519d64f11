// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnnxNode.h"
#include "OnnxRegistry.h"
#include "Window.h"

#include "dialects/Ttc/TtcOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult checkSpatialRank(OnnxNode &node) {
  int64_t rank = rankOf(node.input(0));
  if (rank >= 3 && rank <= 5)
    return success();
  return node.error() << "the input must have 1 to 3 spatial dimensions, but is "
                      << node.input(0).getType();
}

template <typename OpTy>
static LogicalResult importPool(OnnxNode &node, SmallVector<NamedAttribute> attrs) {
  Value x = node.input(0);
  if (failed(checkSpatialRank(node)))
    return failure();
  ArrayRef<int64_t> sizes = shapeOf(x).drop_front(2);
  FailureOr<Window> window = readWindow(node, sizes.size(), {});
  if (failed(window) || failed(resolveAutoPad(node, *window, sizes)))
    return failure();
  if (node.getInt("ceil_mode", 0))
    attrs.push_back(node.flag("ceil_mode"));
  attrs.push_back(node.attr("kernel", window->kernel));
  llvm::append_range(attrs, window->getAttrs(node));
  return node.results(node.create<OpTy>(x, attrs));
}

static LogicalResult importMaxPool(OnnxNode &node) {
  node.ignoreAttrs({"storage_order"}); // the order of the output Indices
  return importPool<MaxPoolOp>(node, {});
}

static LogicalResult importAveragePool(OnnxNode &node) {
  SmallVector<NamedAttribute> attrs;
  if (node.getInt("count_include_pad", 0))
    attrs.push_back(node.flag("count_include_pad"));
  return importPool<AvgPoolOp>(node, attrs);
}

template <typename OpTy> static LogicalResult importGlobalPool(OnnxNode &node) {
  return node.results(node.create<OpTy>(node.input(0)));
}

void mlir::ttc::registerPoolingOps(OnnxRegistry &registry) {
  registry.add("AveragePool", {1, 1}, importAveragePool, {}, "1 to 3 spatial dimensions");
  registry.add("GlobalAveragePool", {1, 1}, importGlobalPool<GlobalAvgPoolOp>);
  registry.add("GlobalMaxPool", {1, 1}, importGlobalPool<GlobalMaxPoolOp>);
  registry.add("MaxPool", {1, 1}, importMaxPool, {}, "1 to 3 spatial dimensions; output `Y` only");
}
