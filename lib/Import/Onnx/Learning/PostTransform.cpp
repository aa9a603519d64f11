// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PostTransform.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

Value mlir::ttc::readFeatures(OnnxNode &node) {
  Value x = node.input(0);
  if (rankOf(x) == 1)
    x = node.reshape(x, {1, shapeOf(x)[0]});
  if (x && rankOf(x) != 2) {
    node.error() << "expected the input to have one or two dimensions, found " << x.getType();
    return {};
  }
  return x ? node.cast(x, getArithmeticType(elementTypeOf(x))) : Value();
}

FailureOr<PostTransform> mlir::ttc::readPostTransform(OnnxNode &node) {
  StringRef name = node.getString("post_transform", "NONE");
  auto transform = llvm::StringSwitch<std::optional<PostTransform>>(name)
                       .Case("NONE", PostTransform::None)
                       .Case("SOFTMAX", PostTransform::Softmax)
                       .Case("LOGISTIC", PostTransform::Logistic)
                       .Case("SOFTMAX_ZERO", PostTransform::SoftmaxZero)
                       .Default(std::nullopt);
  if (!transform)
    return node.error() << "attribute 'post_transform' is '" << name
                        << "' (supported: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO)";
  return *transform;
}

Value mlir::ttc::applyPostTransform(OnnxNode &node, PostTransform transform, Value scores) {
  Expressions e(node);
  switch (transform) {
  case PostTransform::None:
    return scores;
  case PostTransform::Softmax:
    return e.softmax(scores, 1);
  case PostTransform::Logistic:
    return e.unary<SigmoidOp>(scores);
  case PostTransform::SoftmaxZero: {
    // A softmax of the scores that are not zero; the others stay zero.
    Value exponentials = e.unary<ExpOp>(e.sub(scores, e.reduce<ReduceMaxOp>(scores, 1)));
    Value isZero = e.compare(ComparePredicate::LE, e.unary<AbsOp>(scores), 1e-7);
    Value kept = e.where(isZero, node.scalarLike(scores, 0), exponentials);
    return e.div(kept, e.reduce<ReduceSumOp>(kept, 1));
  }
  }
  llvm_unreachable("all transforms are handled");
}

BinaryScores mlir::ttc::splitBinaryScore(OnnxNode &node, Value score, bool complement,
                                         double threshold, PostTransform transform) {
  Expressions e(node);
  Value isSecond = e.compare(ComparePredicate::GT, score, threshold);
  bool isLogistic = transform == PostTransform::Logistic;
  Value opposite = complement && !isLogistic ? e.sub(1.0, score) : e.unary<NegOp>(score);
  Value scores = e.concat({opposite, score}, 1);
  return {isLogistic ? e.unary<SigmoidOp>(scores) : scores,
          isSecond ? e.squeeze(isSecond, 1) : Value()};
}

FailureOr<Value> mlir::ttc::readClassLabels(OnnxNode &node, StringRef intsName,
                                            StringRef stringsName) {
  if (node.hasAttr(stringsName) && !node.getStrings(stringsName).empty())
    return node.error() << "attribute '" << stringsName
                        << "' is not supported: the labels must be integers, '" << intsName << "'";
  SmallVector<int64_t> labels = node.getInts(intsName);
  return labels.empty() ? Value() : Expressions(node).ints(labels);
}
