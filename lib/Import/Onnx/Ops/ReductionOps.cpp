// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct ReducedAxes {
  SmallVector<int64_t> axes;
  bool keepDims = true;
  /// The axes are empty, and an attribute makes that mean no axes rather than all.
  bool isNoop = false;
  /// The axes are computed at run time; these are those that the declared shape says.
  bool isDeclared = false;
};
} // namespace

/// The reductions that a node may mean: one, or several if the axes are computed at run time and
/// the declared shape of the result does not tell which they are.
using Reductions = SmallVector<ReducedAxes, 1>;

static FailureOr<Reductions> findDeclaredReductions(OnnxNode &node, bool keepDims) {
  SmallVector<int64_t> to = *node.declaredShape(0);
  ArrayRef<int64_t> from = shapeOf(node.input(0));
  Reductions reductions;
  for (const SmallVector<int64_t> &axes :
       findReducedAxes(from, to, tensorType(node.input(1)).getNumElements(), keepDims))
    reductions.push_back({axes, keepDims, /*isNoop=*/false, /*isDeclared=*/true});
  if (reductions.empty())
    return node.error() << "the axes are computed at run time, and the declared shape ["
                        << printList(to) << "] does not tell which of the axes of "
                        << node.input(0).getType() << " are reduced" << node.describeShapeOption();
  return reductions;
}

/// Axes are an attribute or, from `inputSince` on, the second input.
static FailureOr<Reductions> readReductions(OnnxNode &node, int64_t inputSince) {
  ReducedAxes reduction;
  int64_t rank = rankOf(node.input(0));
  reduction.keepDims = node.getInt("keepdims", 1);
  if (node.opset() < inputSince) {
    reduction.axes = node.getInts("axes");
    if (node.numInputs() > 1)
      return node.error() << "axes are an input from opset " << inputSince
                          << " on, before that an attribute";
  } else {
    const bool noop = node.getInt("noop_with_empty_axes", 0);
    if (isShapedByDeclaration(node, 1))
      return findDeclaredReductions(node, reduction.keepDims);
    if (node.hasInput(1) && tensorType(node.input(1)).getNumElements() > 0) {
      FailureOr<SmallVector<int64_t>> axes = node.constantInts(1, "axes");
      if (failed(axes))
        return failure();
      reduction.axes = std::move(*axes);
    }
    reduction.isNoop = noop && reduction.axes.empty();
  }
  if (reduction.axes.empty())
    reduction.axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (failed(node.normalizeAxes(reduction.axes, rank)))
    return failure();
  llvm::sort(reduction.axes);
  return Reductions{reduction};
}

/// Imports a node by a function that computes one reduction.
static LogicalResult importReductions(OnnxNode &node, int64_t inputSince,
                                      llvm::function_ref<Value(const ReducedAxes &)> compute) {
  FailureOr<Reductions> reductions = readReductions(node, inputSince);
  if (failed(reductions))
    return failure();
  if (!reductions->front().isDeclared)
    return node.results(compute(reductions->front()));
  SmallVector<Value> values;
  SmallVector<SmallVector<int64_t>> axes;
  for (const ReducedAxes &reduction : *reductions) {
    values.push_back(compute(reduction));
    axes.push_back(reduction.axes);
  }
  return node.results(selectByAxes(node, 1, rankOf(node.input(0)), axes, values));
}

/// A reduction over no axes (of a scalar, or by noop_with_empty_axes) returns its operand.
template <typename OpTy>
static Value reduce(OnnxNode &node, Value x, const ReducedAxes &reduction) {
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
  return importReductions(node, inputSince, [&](const ReducedAxes &reduction) {
    return reduce<OpTy>(node, node.input(0), reduction);
  });
}

/// The extremum of bools (opset 20) is that of bytes.
template <typename OpTy> static LogicalResult importExtremum(OnnxNode &node) {
  return importReductions(node, kAxesAreInputs, [&](const ReducedAxes &reduction) {
    Value x = node.input(0);
    Type element = elementTypeOf(x);
    if (element.isInteger(1))
      x = node.cast(x, node.getBuilder().getIntegerType(8, /*isSigned=*/false));
    return node.cast(reduce<OpTy>(node, x, reduction), element);
  });
}

/// A sum with ops before and after it.
template <typename BeforeFn, typename AfterFn>
static LogicalResult importSum(OnnxNode &node, BeforeFn before, AfterFn after) {
  return importReductions(node, kAxesAreInputs, [&](const ReducedAxes &reduction) {
    return after(reduce<ReduceSumOp>(node, before(node.input(0)), reduction));
  });
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

/// log(sum(exp(x - max))) + max: without overflow. An infinite maximum is replaced by the nearest
/// finite number, because infinity minus itself is no number.
static Value reduceLogSumExp(OnnxNode &node, const ReducedAxes &reduction) {
  Expressions e(node);
  Value x = node.input(0);
  ReducedAxes keeping = reduction;
  keeping.keepDims = true;
  Value max = reduce<ReduceMaxOp>(node, x, keeping);
  if (auto type = dyn_cast<FloatType>(elementTypeOf(x))) {
    double largest = APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
    max = e.min(e.max(max, -largest), largest);
  }
  Value exp = node.create<ExpOp>(node.create<SubOp>({x, max}));
  Value sum = reduce<ReduceSumOp>(node, exp, keeping);
  Value y = node.create<AddOp>({node.create<LogOp>(sum), max});
  if (!y || reduction.keepDims || reduction.isNoop)
    return y;
  SmallVector<int64_t> shape;
  for (auto [i, dim] : llvm::enumerate(shapeOf(x)))
    if (!llvm::is_contained(reduction.axes, static_cast<int64_t>(i)))
      shape.push_back(dim);
  return node.reshape(y, shape);
}

static LogicalResult importReduceLogSumExp(OnnxNode &node) {
  return importReductions(node, kAxesAreInputs, [&](const ReducedAxes &reduction) {
    return reduceLogSumExp(node, reduction);
  });
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
  constexpr StringLiteral axes = "constant `axes`, or a declared shape of the result";
  registry.add("ArgMax", {1, 1}, importArg<ArgmaxOp>);
  registry.add("ArgMin", {1, 1}, importArg<ArgminOp>);
  registry.add("ReduceL1", {1, 2}, importReduceL1, {}, axes);
  registry.add("ReduceL2", {1, 2}, importReduceL2, {}, axes);
  registry.add("ReduceLogSum", {1, 2}, importReduceLogSum, {}, axes);
  registry.add("ReduceLogSumExp", {1, 2}, importReduceLogSumExp, {}, axes);
  registry.add("ReduceMax", {1, 2}, importExtremum<ReduceMaxOp>, {}, axes);
  registry.add("ReduceMean", {1, 2}, importReduce<ReduceMeanOp>, {}, axes);
  registry.add("ReduceMin", {1, 2}, importExtremum<ReduceMinOp>, {}, axes);
  registry.add("ReduceProd", {1, 2}, importReduce<ReduceProdOp>, {}, axes);
  registry.add("ReduceSum", {1, 2}, importReduce<ReduceSumOp, 13>, {}, axes);
  registry.add("ReduceSumSquare", {1, 2}, importReduceSumSquare, {}, axes);
}
