// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One iteration of an optimizer. Inputs are the learning rate, the number of the iteration, and for
// each kind of tensor (weights, gradients, states) one tensor for each weight.
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
/// An optimizer's inputs: `kinds` tensors for each weight.
class OptimizerInputs {
public:
  static FailureOr<OptimizerInputs> read(OnnxNode &node, unsigned kinds) {
    unsigned tensors = node.numInputs() - 2;
    if (tensors == 0 || tensors % kinds)
      return node.error() << "expected " << kinds << " tensors for each weight, found " << tensors;
    for (unsigned i = 0; i < tensors; ++i)
      if (!node.hasInput(i + 2))
        return node.error() << "input " << i + 2 << " is missing";
    for (unsigned index : {0u, 1u})
      if (tensorType(node.input(index)).getNumElements() != 1)
        return node.error() << "expected input " << index << (index ? " (T)" : " (R)")
                            << " to be one number, found " << node.input(index).getType();
    return OptimizerInputs(node, tensors / kinds);
  }

  unsigned numWeights() const { return weights; }
  /// Kind 0 are the weights, kind 1 their gradients.
  Value get(unsigned kind, unsigned weight) const {
    return node->input(2 + kind * weights + weight);
  }
  /// The learning rate and the number of the iteration as scalars of a weight's type.
  Value rate(Value weight) const { return scalar(0, weight); }
  Value iteration(Value weight) const { return scalar(1, weight); }
  /// The gradient of the loss and of half the norm of the weight times a factor.
  Value gradient(unsigned weight, double normFactor) const {
    Expressions e(*node);
    Value g = get(1, weight);
    return normFactor ? e.add(e.mul(get(0, weight), normFactor), g) : g;
  }

private:
  OptimizerInputs(OnnxNode &node, unsigned weights) : node(&node), weights(weights) {}
  Value scalar(unsigned index, Value like) const {
    return node->cast(node->reshape(node->input(index), {}), elementTypeOf(like));
  }

  OnnxNode *node;
  unsigned weights;
};
} // namespace

static LogicalResult importAdagrad(OnnxNode &node) {
  FailureOr<OptimizerInputs> inputs = OptimizerInputs::read(node, 3);
  double norm = node.getFloat("norm_coefficient", 0), epsilon = node.getFloat("epsilon", 1e-6);
  double decay = node.getFloat("decay_factor", 0);
  if (failed(inputs))
    return failure();
  Expressions e(node);
  SmallVector<Value> weights, squares;
  for (unsigned i = 0; i < inputs->numWeights(); ++i) {
    Value x = inputs->get(0, i), g = inputs->gradient(i, norm);
    Value rate = e.div(inputs->rate(x), e.add(e.mul(inputs->iteration(x), decay), 1.0));
    squares.push_back(e.add(inputs->get(2, i), e.square(g)));
    Value adapted = e.add(e.unary<SqrtOp>(squares.back()), epsilon);
    weights.push_back(e.sub(x, e.div(e.mul(g, rate), adapted)));
  }
  weights.append(squares);
  return node.results(weights);
}

static LogicalResult importMomentum(OnnxNode &node) {
  FailureOr<OptimizerInputs> inputs = OptimizerInputs::read(node, 3);
  double norm = node.getFloat("norm_coefficient", 0);
  double alpha = node.getFloat("alpha", 0), beta = node.getFloat("beta", 0);
  StringRef mode = node.getString("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    return node.error() << "attribute 'mode' is '" << mode << "' (supported: standard, nesterov)";
  if (failed(inputs))
    return failure();
  Expressions e(node);
  SmallVector<Value> weights, momenta;
  for (unsigned i = 0; i < inputs->numWeights(); ++i) {
    Value x = inputs->get(0, i), g = inputs->gradient(i, norm);
    // The first iteration takes all of the gradient.
    Value later = e.compare(ComparePredicate::GT, inputs->iteration(x), 0.0);
    Value share = e.where(later, node.scalarLike(x, beta), 1.0);
    Value momentum = e.add(e.mul(inputs->get(2, i), alpha), e.mul(g, share));
    Value change = mode == "nesterov" ? e.add(g, e.mul(momentum, alpha)) : momentum;
    momenta.push_back(momentum);
    weights.push_back(e.sub(x, e.mul(change, inputs->rate(x))));
  }
  weights.append(momenta);
  return node.results(weights);
}

static LogicalResult importAdam(OnnxNode &node) {
  FailureOr<OptimizerInputs> inputs = OptimizerInputs::read(node, 4);
  double norm = node.getFloat("norm_coefficient", 0), epsilon = node.getFloat("epsilon", 1e-6);
  double normAfter = node.getFloat("norm_coefficient_post", 0);
  double alpha = node.getFloat("alpha", 0.9f), beta = node.getFloat("beta", 0.999f);
  if (failed(inputs))
    return failure();
  Expressions e(node);
  SmallVector<Value> weights, means, squares;
  for (unsigned i = 0; i < inputs->numWeights(); ++i) {
    Value x = inputs->get(0, i), g = inputs->gradient(i, norm);
    Value mean = e.add(e.mul(inputs->get(2, i), alpha), e.mul(g, 1 - alpha));
    Value square = e.add(e.mul(inputs->get(3, i), beta), e.mul(e.square(g), 1 - beta));
    // Both start at zero; from the first iteration on, the rate makes up for that.
    Value t = inputs->iteration(x), rate = inputs->rate(x);
    auto rest = [&](double base) {
      return e.sub(1.0, node.create<PowOp>({node.scalarLike(x, base), t}));
    };
    Value corrected = e.div(e.mul(rate, e.unary<SqrtOp>(rest(beta))), rest(alpha));
    rate = e.where(e.compare(ComparePredicate::GT, t, 0.0), corrected, rate);
    Value change = e.div(e.mul(mean, rate), e.add(e.unary<SqrtOp>(square), epsilon));
    weights.push_back(e.mul(e.sub(x, change), 1 - normAfter));
    means.push_back(mean);
    squares.push_back(square);
  }
  weights.append(means);
  weights.append(squares);
  return node.results(weights);
}

void mlir::ttc::registerTrainingOps(OnnxRegistry &registry) {
  registry.add("ai.onnx.preview.training.Adagrad", {5, Arity::kAny}, importAdagrad);
  registry.add("ai.onnx.preview.training.Adam", {6, Arity::kAny}, importAdam);
  registry.add("ai.onnx.preview.training.Momentum", {5, Arity::kAny}, importMomentum);
}
