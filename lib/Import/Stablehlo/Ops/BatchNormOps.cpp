// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch normalisation, its training and its gradient.
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
/// Statistics have one element for each feature.
class BatchNorm {
public:
  explicit BatchNorm(StablehloOp &op) : op(op), e(op) {}
  /// Operands from 1 to `end` are vectors of features, of which `constraints` are.
  LogicalResult read(unsigned count, unsigned end, StringRef constraints);
  Value operand(unsigned index) const { return op.operand(index); }
  /// A vector of features in the dimension that they have.
  Value spread(Value vector) {
    SmallVector<int64_t> shape(rankOf(operand(0)), 1);
    shape[feature] = shapeOf(operand(0))[feature];
    return op.reshape(vector, shape);
  }
  /// The mean over all dimensions but that of the features, of which a vector remains.
  Value mean(Value x) { return e.reduceAway<ReduceMeanOp>(x, axes); }
  Value sum(Value x) { return e.sum(x, axes); }
  Value deviation(Value variance) { return e.unary<SqrtOp>(e.add(variance, epsilon)); }
  double count() const { return static_cast<double>(elements); }
  int64_t getFeature() const { return feature; }
  double getEpsilon() const { return epsilon; }

  StablehloOp &op;
  Expressions e;

private:
  SmallVector<int64_t> axes;
  int64_t feature = 0, elements = 1;
  double epsilon = 0;
};
} // namespace

LogicalResult BatchNorm::read(unsigned count, unsigned end, StringRef constraints) {
  if (failed(op.checkOperands(count)))
    return failure();
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of another op";
  feature = op.getInt("feature_index");
  auto number = dyn_cast_if_present<FloatAttr>(op.getAttr("epsilon"));
  if (!number)
    return op.error() << "expected attribute 'epsilon' to be a float";
  epsilon = number.getValueAsDouble();
  Value x = operand(0);
  if (op.hasFailed() || feature < 0 || feature >= rankOf(x))
    return op.error() << "(C1) expected feature_index to be a dimension of " << x.getType()
                      << ", found " << feature;
  for (unsigned i = 1; i < end; ++i) {
    Value vector = operand(i);
    if (rankOf(vector) != 1 || shapeOf(vector)[0] != shapeOf(x)[feature] ||
        elementTypeOf(vector) != elementTypeOf(x))
      return op.error() << cite(constraints) << "expected operand " << i << " to have "
                        << shapeOf(x)[feature] << " elements of " << elementTypeOf(x)
                        << ", one for each feature, found " << vector.getType();
  }
  for (int64_t i = 0; i < rankOf(x); ++i)
    if (i != feature) {
      axes.push_back(i);
      elements *= shapeOf(x)[i];
    }
  return success();
}

static LogicalResult importBatchNormInference(StablehloOp &op) {
  BatchNorm norm(op);
  if (failed(norm.read(5, 5, "C2, C3, C4, C5, C6")))
    return failure();
  Expressions &e = norm.e;
  Value x = op.operand(0), scale = op.operand(1), offset = op.operand(2), mean = op.operand(3),
        variance = op.operand(4);
  const int64_t rank = rankOf(x), feature = norm.getFeature();
  const bool isLast = feature == rank - 1;
  if (rank >= 2 && (isLast || feature == 1)) {
    SmallVector<NamedAttribute> attrs = {op.f32("epsilon", norm.getEpsilon())};
    if (isLast && feature != 1)
      attrs.push_back(op.flag("channels_last"));
    return op.results(op.create<BatchNormOp>({x, scale, offset, mean, variance}, attrs));
  }
  Value centred = e.sub(x, norm.spread(mean));
  Value scaled = e.div(centred, norm.spread(norm.deviation(variance)));
  return op.results(e.add(e.mul(scaled, norm.spread(scale)), norm.spread(offset)));
}

static LogicalResult importBatchNormTraining(StablehloOp &op) {
  BatchNorm norm(op);
  if (failed(norm.read(3, 3, "C2, C3, C4")))
    return failure();
  Expressions &e = norm.e;
  Value x = op.operand(0), mean = norm.mean(x);
  Value centred = e.sub(x, norm.spread(mean));
  Value variance = norm.mean(e.square(centred));
  Value scaled = e.div(centred, norm.spread(norm.deviation(variance)));
  Value y = e.add(e.mul(scaled, norm.spread(op.operand(1))), norm.spread(op.operand(2)));
  return op.results({y, mean, variance});
}

/// The operands are x, scale, mean, variance and the gradient of the result.
static LogicalResult importBatchNormGrad(StablehloOp &op) {
  BatchNorm norm(op);
  if (failed(norm.read(5, 4, "C2, C4, C5")))
    return failure();
  Value x = op.operand(0), scale = op.operand(1), gradient = op.operand(4);
  if (gradient.getType() != x.getType())
    return op.error() << "(C2, C3) expected operand 4 to be " << x.getType() << ", found "
                      << gradient.getType();
  Expressions &e = norm.e;
  Value centred = e.sub(x, norm.spread(op.operand(2)));
  Value deviation = norm.deviation(op.operand(3));
  Value offsetGradient = norm.sum(gradient);
  Value product = norm.sum(e.mul(gradient, centred));
  Value scaleGradient = e.div(product, deviation);
  // scale / deviation / n * (n g - sum(g) - (x - mean) sum(g (x - mean)) / (variance + epsilon))
  Value pull = e.mul(centred, norm.spread(e.div(product, e.square(deviation))));
  Value rest = e.sub(e.sub(e.mul(gradient, norm.count()), norm.spread(offsetGradient)), pull);
  Value factor = e.div(e.div(scale, deviation), norm.count());
  return op.results({e.mul(norm.spread(factor), rest), scaleGradient, offsetGradient});
}

void mlir::ttc::registerStablehloBatchNormOps(StablehloRegistry &registry) {
  registry.add("batch_norm_inference", importBatchNormInference);
  registry.add("batch_norm_training", importBatchNormTraining);
  registry.add("batch_norm_grad", importBatchNormGrad);
}
