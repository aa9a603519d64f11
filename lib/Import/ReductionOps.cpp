// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnnxNode.h"
#include "OnnxRegistry.h"

#include "dialects/Ttc/TtcOps.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct Reduction {
  SmallVector<int64_t> axes;
  bool keepDims = true;
  /// The axes are empty, and an attribute makes that mean no axes rather than all.
  bool isNoop = false;
};
} // namespace

/// Axes are an attribute or, from `inputSince` on, the second input.
static FailureOr<Reduction> readReduction(OnnxNode &node, int64_t inputSince) {
  Reduction reduction;
  int64_t rank = rankOf(node.input(0));
  reduction.keepDims = node.getInt("keepdims", 1);
  if (node.opset() < inputSince) {
    reduction.axes = node.getInts("axes");
    if (node.numInputs() > 1)
      return node.error() << "axes are an input from opset " << inputSince
                          << " on, before that an attribute";
  } else {
    if (node.hasInput(1)) {
      FailureOr<SmallVector<int64_t>> axes = node.constantInts(1, "axes");
      if (failed(axes))
        return failure();
      reduction.axes = std::move(*axes);
    }
    reduction.isNoop = node.getInt("noop_with_empty_axes", 0) && reduction.axes.empty();
  }
  if (reduction.axes.empty())
    reduction.axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (failed(node.normalizeAxes(reduction.axes, rank)))
    return failure();
  llvm::sort(reduction.axes);
  return reduction;
}

/// A reduction over no axes (of a scalar, or by noop_with_empty_axes) returns its operand.
template <typename OpTy> static Value reduce(OnnxNode &node, Value x, const Reduction &reduction) {
  if (reduction.isNoop || reduction.axes.empty())
    return x;
  SmallVector<NamedAttribute> attrs = {node.attr("axes", reduction.axes)};
  if (reduction.keepDims)
    attrs.push_back(node.flag("keepdims"));
  return node.create<OpTy>(x, attrs);
}

static constexpr int64_t kAxesAreInputs = 18; // except for ReduceSum: 13

template <typename OpTy, int64_t inputSince = kAxesAreInputs>
static LogicalResult importReduce(OnnxNode &node) {
  FailureOr<Reduction> reduction = readReduction(node, inputSince);
  if (failed(reduction))
    return failure();
  return node.results(reduce<OpTy>(node, node.input(0), *reduction));
}

/// A sum with ops before and after it.
template <typename BeforeFn, typename AfterFn>
static LogicalResult importSum(OnnxNode &node, BeforeFn before, AfterFn after) {
  FailureOr<Reduction> reduction = readReduction(node, kAxesAreInputs);
  if (failed(reduction))
    return failure();
  return node.results(after(reduce<ReduceSumOp>(node, before(node.input(0)), *reduction)));
}

static LogicalResult importReduceL1(OnnxNode &node) {
  return importSum(
      node, [&](Value x) { return node.create<AbsOp>(x); }, [](Value sum) { return sum; });
}

static LogicalResult importReduceL2(OnnxNode &node) {
  return importSum(
      node, [&](Value x) { return node.create<MulOp>({x, x}); },
      [&](Value sum) { return node.create<SqrtOp>(sum); });
}

static LogicalResult importReduceSumSquare(OnnxNode &node) {
  return importSum(
      node, [&](Value x) { return node.create<MulOp>({x, x}); }, [](Value sum) { return sum; });
}

static LogicalResult importReduceLogSum(OnnxNode &node) {
  return importSum(
      node, [](Value x) { return x; }, [&](Value sum) { return node.create<LogOp>(sum); });
}

/// log(sum(exp(x - max))) + max: without overflow.
static LogicalResult importReduceLogSumExp(OnnxNode &node) {
  FailureOr<Reduction> reduction = readReduction(node, kAxesAreInputs);
  if (failed(reduction))
    return failure();
  Value x = node.input(0);
  Reduction keeping = *reduction;
  keeping.keepDims = true;
  Value max = reduce<ReduceMaxOp>(node, x, keeping);
  Value exp = node.create<ExpOp>(node.create<SubOp>({x, max}));
  Value sum = reduce<ReduceSumOp>(node, exp, keeping);
  Value y = node.create<AddOp>({node.create<LogOp>(sum), max});
  if (!y || reduction->keepDims || reduction->isNoop)
    return node.results(y);
  SmallVector<int64_t> shape;
  for (auto [i, dim] : llvm::enumerate(shapeOf(x)))
    if (!llvm::is_contained(reduction->axes, static_cast<int64_t>(i)))
      shape.push_back(dim);
  return node.results(node.reshape(y, shape));
}

template <typename OpTy> static LogicalResult importArg(OnnxNode &node) {
  Value x = node.input(0);
  SmallVector<NamedAttribute> attrs = {node.i64("axis", node.getAxis("axis", 0, rankOf(x)))};
  if (node.getInt("keepdims", 1))
    attrs.push_back(node.flag("keepdims"));
  if (node.getInt("select_last_index", 0))
    attrs.push_back(node.flag("select_last"));
  return node.results(node.create<OpTy>(x, attrs));
}

void mlir::ttc::registerReductionOps(OnnxRegistry &registry) {
  registry.add("ArgMax", {1, 1}, importArg<ArgmaxOp>);
  registry.add("ArgMin", {1, 1}, importArg<ArgminOp>);
  registry.add("ReduceL1", {1, 2}, importReduceL1, {}, "constant `axes`");
  registry.add("ReduceL2", {1, 2}, importReduceL2, {}, "constant `axes`");
  registry.add("ReduceLogSum", {1, 2}, importReduceLogSum, {}, "constant `axes`");
  registry.add("ReduceLogSumExp", {1, 2}, importReduceLogSumExp, {}, "constant `axes`");
  registry.add("ReduceMax", {1, 2}, importReduce<ReduceMaxOp>, {}, "constant `axes`");
  registry.add("ReduceMean", {1, 2}, importReduce<ReduceMeanOp>, {}, "constant `axes`");
  registry.add("ReduceMin", {1, 2}, importReduce<ReduceMinOp>, {}, "constant `axes`");
  registry.add("ReduceProd", {1, 2}, importReduce<ReduceProdOp>, {}, "constant `axes`");
  registry.add("ReduceSum", {1, 2}, importReduce<ReduceSumOp, 13>, {}, "constant `axes`");
  registry.add("ReduceSumSquare", {1, 2}, importReduceSumSquare, {}, "constant `axes`");
}
