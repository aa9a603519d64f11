// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the domain ai.onnx.ml on numbers; tree ensembles are in TreeEnsembleOps.
#include "PostTransform.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "onnx/onnx_pb.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult importBinarizer(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0);
  // For integers, being above the threshold means being above the integer below it.
  const double threshold = node.getFloat("threshold", 0);
  Value above = e.compare(ComparePredicate::GT, x,
                          isa<FloatType>(elementTypeOf(x)) ? threshold : std::floor(threshold));
  return node.results(node.cast(above, elementTypeOf(x)));
}

/// Numbers of an attribute for each feature, or one for all.
static FailureOr<Value> readPerFeature(OnnxNode &node, StringRef name, Value x) {
  SmallVector<float> numbers = node.getFloats(name);
  int64_t features = rankOf(x) ? shapeOf(x).back() : 1;
  if (numbers.empty() || (numbers.size() != 1 && static_cast<int64_t>(numbers.size()) != features))
    return node.error() << "expected attribute '" << name << "' to have 1 or " << features
                        << " elements, found " << numbers.size();
  return node.cast(Expressions(node).floats(numbers), elementTypeOf(x));
}

/// (x - offset) * scale, in f64 for inputs that f32 does not hold.
static LogicalResult importScaler(OnnxNode &node) {
  Expressions e(node);
  Type f32 = node.getBuilder().getF32Type();
  const bool isSingle = elementTypeOf(node.input(0)).isF32();
  Value x = node.cast(node.input(0), isSingle ? f32 : node.getBuilder().getF64Type());
  for (bool isOffset : {true, false}) {
    StringRef name = isOffset ? "offset" : "scale";
    if (!node.hasAttr(name))
      continue;
    FailureOr<Value> numbers = readPerFeature(node, name, x);
    if (failed(numbers))
      return failure();
    x = isOffset ? e.sub(x, *numbers) : e.mul(x, *numbers);
  }
  return node.results(node.cast(x, f32));
}

/// x / norm of the sample; a sample of zeros stays.
static LogicalResult importNormalizer(OnnxNode &node) {
  Expressions e(node);
  StringRef name = node.getString("norm", "MAX");
  Value x = node.cast(node.input(0), node.getBuilder().getF32Type());
  if (!x || rankOf(x) == 0)
    return node.error() << "expected the input to have a dimension, found none";
  int64_t axis = rankOf(x) - 1;
  Value norm;
  if (name == "MAX")
    norm = e.reduce<ReduceMaxOp>(e.unary<AbsOp>(x), axis);
  else if (name == "L1")
    norm = e.reduce<ReduceSumOp>(e.unary<AbsOp>(x), axis);
  else if (name == "L2")
    norm = e.unary<SqrtOp>(e.reduce<ReduceSumOp>(e.square(x), axis));
  else
    return node.error() << "attribute 'norm' is '" << name << "' (supported: MAX, L1, L2)";
  Value isZero = e.compare(ComparePredicate::EQ, norm, 0.0);
  return node.results(e.div(x, e.where(isZero, node.scalarLike(norm, 1), norm)));
}

/// x coefficients + intercepts, where the attribute has a row of coefficients for each target.
static Value applyLinear(OnnxNode &node, int64_t targets) {
  Expressions e(node);
  Value x = node.cast(readFeatures(node), node.getBuilder().getF32Type());
  SmallVector<float> coefficients = node.getFloats("coefficients");
  SmallVector<float> intercepts = node.getFloats("intercepts");
  if (!x)
    return {};
  const auto count = static_cast<int64_t>(coefficients.size());
  if (targets < 1 || targets > count || count != targets * shapeOf(x)[1] ||
      (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != targets)) {
    node.error() << coefficients.size() << " coefficients and " << intercepts.size()
                 << " intercepts do not fit " << targets << " targets of " << x.getType();
    return {};
  }
  Value weights = node.reshape(e.floats(coefficients), {targets, shapeOf(x)[1]});
  return e.matmulTransposed(x, weights, intercepts.empty() ? Value() : e.floats(intercepts));
}

static LogicalResult importLinearRegressor(OnnxNode &node) {
  Value y = applyLinear(node, node.getInt("targets", 1));
  FailureOr<PostTransform> transform = readPostTransform(node);
  return failed(transform) ? failure() : node.results(applyPostTransform(node, *transform, y));
}

static LogicalResult importLinearClassifier(OnnxNode &node) {
  Expressions e(node);
  node.ignoreAttrs({"multi_class"}); // has no effect in any implementation
  FailureOr<PostTransform> transform = readPostTransform(node);
  FailureOr<Value> labels = readClassLabels(node, "classlabels_ints", "classlabels_strings");
  if (failed(transform) || failed(labels))
    return failure();
  SmallVector<float> intercepts = node.getFloats("intercepts");
  int64_t classes = *labels ? shapeOf(*labels)[0] : intercepts.size();
  int64_t targets = intercepts.empty() ? classes : intercepts.size();
  Value scores = applyLinear(node, targets);
  if (!scores)
    return failure();
  Value index;
  if (targets == 1 && classes == 2) {
    BinaryScores binary =
        splitBinaryScore(node, scores, /*complement=*/true, /*threshold=*/0, *transform);
    index = node.cast(binary.isSecond, node.getBuilder().getI64Type());
    scores = binary.scores;
  } else {
    index = node.create<ArgmaxOp>(scores, node.i64("axis", 1));
    scores = applyPostTransform(node, *transform, scores);
  }
  return node.results({*labels ? e.gather(*labels, index, 0) : index, scores});
}

/// The kernel of each sample and each support vector: [samples, vectors].
static FailureOr<Value> applyKernel(OnnxNode &node, Value x, Value vectors) {
  Expressions e(node);
  StringRef kind = node.getString("kernel_type", "LINEAR");
  SmallVector<float> params = node.getFloats("kernel_params");
  if (!params.empty() && params.size() != 3)
    return node.error()
           << "expected attribute 'kernel_params' to have 3 elements (gamma, coef0 and "
              "degree), found "
           << params.size();
  params.resize(3);
  if (kind == "RBF") {
    Value distance = e.sum(e.square(e.sub(e.unsqueeze(x, 1), vectors)), 2);
    return e.unary<ExpOp>(e.mul(distance, -params[0]));
  }
  Value y = e.matmulTransposed(x, vectors);
  if (kind == "LINEAR")
    return y;
  if (kind != "POLY" && kind != "SIGMOID")
    return node.error() << "attribute 'kernel_type' is '" << kind
                        << "' (supported: LINEAR, POLY, RBF, SIGMOID)";
  y = e.add(e.mul(y, params[0]), params[1]);
  return kind == "POLY" ? node.create<PowOp>({y, e.number(y, params[2])}) : e.unary<TanhOp>(y);
}

/// The sum of the kernels of all support vectors, each with its coefficient; without support
/// vectors, the coefficients are those of the features.
static LogicalResult importSvmRegressor(OnnxNode &node) {
  Expressions e(node);
  Value x = node.cast(readFeatures(node), node.getBuilder().getF32Type());
  SmallVector<float> coefficients = node.getFloats("coefficients");
  SmallVector<float> vectors = node.getFloats("support_vectors"), rho = node.getFloats("rho");
  const int64_t count = node.getInt("n_supports", 0);
  FailureOr<PostTransform> transform = readPostTransform(node);
  if (!x || failed(transform))
    return failure();
  if (*transform != PostTransform::None)
    return node.error() << "attribute 'post_transform' is '"
                        << node.getString("post_transform", "NONE") << "' (supported: NONE)";
  const int64_t features = shapeOf(x)[1];
  if (count < 0 || static_cast<int64_t>(coefficients.size()) != (count ? count : features) ||
      static_cast<int64_t>(vectors.size()) != count * features || rho.size() != 1)
    return node.error()
           << "expected a coefficient for each support vector or feature and one rho, found "
           << coefficients.size() << " coefficients, " << vectors.size() << " numbers of " << count
           << " support vectors and " << rho.size() << " rho for " << x.getType();
  if (count) {
    FailureOr<Value> kernel =
        applyKernel(node, x, node.reshape(e.floats(vectors), {count, features}));
    if (failed(kernel))
      return failure();
    x = *kernel;
  } else {
    node.ignoreAttrs({"kernel_type", "kernel_params"});
  }
  Value weights =
      node.reshape(e.floats(coefficients), {1, static_cast<int64_t>(coefficients.size())});
  Value y = e.matmulTransposed(x, weights, e.floats(rho));
  if (node.getInt("one_class", 0)) {
    Value isInside = e.compare(ComparePredicate::GT, y, 0.0);
    y = e.where(isInside, e.number(y, 1), -1);
  }
  return node.results(y);
}

/// The keys or values of a LabelEncoder: one of several attributes. Null if there is none.
static FailureOr<Value> readTable(OnnxNode &node, StringRef what) {
  Expressions e(node);
  std::string prefix = what.str();
  SmallVector<int64_t> ints = node.getInts(prefix + "_int64s");
  SmallVector<float> floats = node.getFloats(prefix + "_floats");
  ElementsAttr tensor = node.getTensor(prefix + "_tensor");
  if (node.hasAttr(prefix + "_strings") && !node.getStrings(prefix + "_strings").empty())
    return node.error() << "attribute '" << prefix
                        << "_strings' is not supported: ttc has no "
                           "tensors of strings";
  if (node.hasFailed())
    return failure();
  if (tensor)
    return node.reshape(node.constant(tensor), tensor.getShapedType().getNumElements());
  if (!ints.empty())
    return e.ints(ints);
  return floats.empty() ? Value() : e.floats(floats);
}

static LogicalResult importLabelEncoder(OnnxNode &node) {
  Expressions e(node);
  FailureOr<Value> keys = readTable(node, "keys"), values = readTable(node, "values");
  ElementsAttr defaultTensor = node.getTensor("default_tensor");
  double defaultFloat = node.getFloat("default_float", -0.0);
  double defaultInt = static_cast<double>(node.getInt("default_int64", -1));
  node.ignoreAttrs({"default_string"});
  if (failed(keys) || failed(values))
    return failure();
  Value x = node.input(0);
  if (!*keys || !*values || shapeOf(*keys) != shapeOf(*values) ||
      elementTypeOf(*keys) != elementTypeOf(x))
    return node.error() << "expected as many values as keys, and keys of the type of the input "
                        << x.getType();
  Value otherwise =
      defaultTensor ? node.reshape(node.constant(defaultTensor), {})
                    : node.scalarLike(*values, isa<FloatType>(elementTypeOf(*values)) ? defaultFloat
                                                                                      : defaultInt);
  int64_t axis = rankOf(x);
  Value wide = e.unsqueeze(x, axis);
  Value same = e.compare(ComparePredicate::EQ, wide, *keys);
  if (isa<FloatType>(elementTypeOf(x))) {
    // Not a number is a key like any other.
    Value xIsNan = e.compare(ComparePredicate::NE, wide, wide);
    Value keyIsNan = e.compare(ComparePredicate::NE, *keys, *keys);
    same = node.create<OrOp>({same, e.both(xIsNan, keyIsNan)});
  }
  Value matches = node.cast(same, node.getBuilder().getI32Type());
  Value index = node.create<ArgmaxOp>(matches, node.i64("axis", axis));
  Value found = e.compare(ComparePredicate::NE, e.reduceAway<ReduceMaxOp>(matches, axis), 0.0);
  return node.results(e.where(found, e.gather(*values, index, 0), otherwise));
}

/// The features of the given indices
static LogicalResult importArrayFeatureExtractor(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0), indices = node.input(1);
  if (rankOf(x) == 0)
    return node.error() << "expected the input to have a dimension, found none";
  int64_t count = tensorType(indices).getNumElements();
  Value y = e.gather(x, node.reshape(indices, count), rankOf(x) - 1);
  return node.results(y && rankOf(y) == 1 ? e.unsqueeze(y, 0) : y);
}

/// Replaces one value by others, one for each feature.
static LogicalResult importImputer(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0), replaced, isReplaced;
  if (isa<FloatType>(elementTypeOf(x))) {
    double missing = node.getFloat("replaced_value_float", 0);
    FailureOr<Value> numbers = readPerFeature(node, "imputed_value_floats", x);
    if (failed(numbers))
      return failure();
    replaced = node.cast(*numbers, elementTypeOf(x));
    isReplaced = std::isnan(missing) ? e.compare(ComparePredicate::NE, x, x)
                                     : e.compare(ComparePredicate::EQ, x, missing);
  } else {
    SmallVector<int64_t> numbers = node.getInts("imputed_value_int64s");
    int64_t missing = node.getInt("replaced_value_int64", 0);
    if (numbers.empty())
      return node.error() << "attribute 'imputed_value_int64s' is missing";
    replaced = node.cast(e.ints(numbers), elementTypeOf(x));
    isReplaced = e.compare(ComparePredicate::EQ, x, static_cast<double>(missing));
  }
  Value y = e.where(isReplaced, replaced, x);
  if (y && y.getType() != x.getType())
    return node.error() << "the imputed values do not fit the input " << x.getType();
  return node.results(y);
}

/// The first features of each input, next to each other
static LogicalResult importFeatureVectorizer(OnnxNode &node) {
  Expressions e(node);
  SmallVector<int64_t> sizes = node.getInts("inputdimensions");
  if (node.hasFailed())
    return failure();
  SmallVector<Value> parts;
  for (auto [i, x] : llvm::enumerate(node.allInputs())) {
    Value part = rankOf(x) == 1 ? e.unsqueeze(x, 1) : x;
    if (i >= sizes.size() || rankOf(part) != 2 || sizes[i] > shapeOf(part)[1] || sizes[i] < 1)
      return node.error() << "attribute 'inputdimensions' [" << printList(sizes)
                          << "] does not fit input " << i << ", " << x.getType();
    parts.push_back(node.cast(e.slice(part, 1, 0, sizes[i]), node.getBuilder().getF32Type()));
  }
  return node.results(e.concat(parts, 1));
}

void mlir::ttc::registerMachineLearningOps(OnnxRegistry &registry) {
  registry.add("ai.onnx.ml.ArrayFeatureExtractor", {2, 2}, importArrayFeatureExtractor);
  registry.add("ai.onnx.ml.Binarizer", {1, 1}, importBinarizer);
  registry.add("ai.onnx.ml.FeatureVectorizer", {1, Arity::kAny}, importFeatureVectorizer);
  registry.add("ai.onnx.ml.Imputer", {1, 1}, importImputer);
  registry.add("ai.onnx.ml.LabelEncoder", {1, 1}, importLabelEncoder, {},
               "keys and values are numbers");
  registry.add("ai.onnx.ml.LinearClassifier", {1, 1}, importLinearClassifier, {},
               "labels are integers; `post_transform` is not `PROBIT`");
  registry.add("ai.onnx.ml.LinearRegressor", {1, 1}, importLinearRegressor, {},
               "`post_transform` is not `PROBIT`");
  registry.add("ai.onnx.ml.Normalizer", {1, 1}, importNormalizer);
  registry.add("ai.onnx.ml.SVMRegressor", {1, 1}, importSvmRegressor, {},
               "`post_transform` = `NONE`");
  registry.add("ai.onnx.ml.Scaler", {1, 1}, importScaler);
}
