// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Activations.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct NamedActivation {
  StringRef name;
  Activation activation;
};
} // namespace

template <typename OpTy> static Value plain(Expressions &e, Value x, double, double) {
  return e.unary<OpTy>(x);
}

template <typename OpTy> static Value withAlpha(Expressions &e, Value x, double alpha, double) {
  return e.unaryWith<OpTy>(x, {{"alpha", alpha}});
}

static Value affine(Expressions &e, Value x, double alpha, double beta) {
  return e.add(e.mul(x, alpha), beta);
}

static Value clip(Expressions &e, Value x, double low, double high) {
  return e.clamp(x, low, high);
}

static Value hardSigmoid(Expressions &e, Value x, double alpha, double beta) {
  return e.unaryWith<HardSigmoidOp>(x, {{"alpha", alpha}, {"beta", beta}});
}

static Value scaledTanh(Expressions &e, Value x, double alpha, double beta) {
  return e.mul(e.unary<TanhOp>(e.mul(x, beta)), alpha);
}

static Value thresholdedRelu(Expressions &e, Value x, double alpha, double) {
  return e.where(e.compare(ComparePredicate::GE, x, alpha), x, 0.0);
}

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Sorted by name.
static const NamedActivation kActivations[] = {
    {"Affine", {affine, 1.0, 0.0}},
    {"Clip", {clip, -kInfinity, kInfinity}},
    {"Elu", {withAlpha<EluOp>, 1.0, {}}},
    {"HardSigmoid", {hardSigmoid, 0.2, 0.5}},
    {"HardSwish", {plain<HardSwishOp>, {}, {}}},
    {"LeakyRelu", {withAlpha<LeakyReluOp>, 0.01, {}}},
    {"Relu", {plain<ReluOp>, {}, {}}},
    {"ScaledTanh", {scaledTanh, 1.0, 1.0}},
    {"Sigmoid", {plain<SigmoidOp>, {}, {}}},
    {"Softplus", {plain<SoftplusOp>, {}, {}}},
    {"Softsign", {plain<SoftsignOp>, {}, {}}},
    {"Tanh", {plain<TanhOp>, {}, {}}},
    {"ThresholdedRelu", {thresholdedRelu, 1.0, {}}},
};

const Activation *mlir::ttc::findActivation(OnnxNode &node, StringRef name) {
  for (const NamedActivation &known : kActivations)
    if (known.name.equals_insensitive(name))
      return &known.activation;
  auto names =
      llvm::map_range(kActivations, [](const NamedActivation &known) { return known.name; });
  node.error() << "activation '" << name
               << "' is not supported (supported: " << llvm::join(names, ", ") << ")";
  return nullptr;
}
