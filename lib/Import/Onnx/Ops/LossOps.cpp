// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses of classifiers.
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// The weighted and reduced -logProbabilities[n, labels[n, d...], d...].
static Value lossOf(OnnxNode &node, Value logProbabilities) {
  Expressions e(node);
  Value labels = node.input(1), weights = node.input(2);
  StringRef reduction = node.getString("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    node.error() << "attribute 'reduction' is '" << reduction << "' (supported: none, sum, mean)";
    return {};
  }
  bool hasIgnored = node.hasAttr("ignore_index");
  int64_t ignoredIndex = node.getInt("ignore_index", 0);
  if (!logProbabilities)
    return {};
  const Type type = elementTypeOf(logProbabilities);
  SmallVector<int64_t> shape(shapeOf(logProbabilities));
  if (shape.size() < 2) {
    node.error() << "expected scores to have at least two dimensions, found "
                 << logProbabilities.getType();
    return {};
  }
  int64_t classes = shape[1];
  shape.erase(shape.begin() + 1);
  if (failed(checkShape(node, 1, "labels", shape)) ||
      failed(checkShape(node, 2, "weights", {classes})))
    return {};

  labels = node.cast(labels, node.getBuilder().getI64Type());
  // An ignored label may be no class.
  Value ignored;
  if (hasIgnored) {
    ignored = e.compare(ComparePredicate::EQ, labels, double(ignoredIndex));
    labels = e.where(ignored, node.scalarLike(labels, 0), labels);
  }
  Value taken = e.gatherElements(logProbabilities, e.unsqueeze(labels, 1), 1);
  Value loss = e.unary<NegOp>(e.squeeze(taken, 1));
  // The weight of each sample; null if all have the weight 1.
  Value factor = weights ? e.gather(weights, labels, 0) : Value();
  if (factor)
    loss = e.mul(loss, factor);
  if (ignored) {
    Value zero = node.scalarLike(loss, 0);
    loss = e.where(ignored, zero, loss);
    factor = e.where(ignored, zero, factor ? factor : e.splat(shape, type, 1));
  }
  if (reduction == "none" || !loss)
    return loss;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  if (reduction == "mean" && !factor)
    return e.reduceAway<ReduceMeanOp>(loss, axes);
  Value sum = e.reduceAway<ReduceSumOp>(loss, axes);
  return reduction == "sum" ? sum : e.div(sum, e.reduceAway<ReduceSumOp>(factor, axes));
}

static LogicalResult importNegativeLogLikelihoodLoss(OnnxNode &node) {
  return node.results(lossOf(node, node.input(0)));
}

static LogicalResult importSoftmaxCrossEntropyLoss(OnnxNode &node) {
  Value scores = node.input(0);
  if (rankOf(scores) < 2)
    return node.error() << "expected scores to have at least two dimensions, found "
                        << scores.getType();
  Value logProbabilities = node.create<LogSoftmaxOp>(scores, node.i64("axis", 1));
  return node.results({lossOf(node, logProbabilities), logProbabilities});
}

void mlir::ttc::registerLossOps(OnnxRegistry &registry) {
  registry.add("NegativeLogLikelihoodLoss", {2, 3}, importNegativeLogLikelihoodLoss, {12});
  registry.add("SoftmaxCrossEntropyLoss", {2, 3}, importSoftmaxCrossEntropyLoss, {12});
}
