// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/TtcOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/Support/Format.h"
#include <cmath>

namespace mlir::ttc {
#define GEN_PASS_DEF_NARROWWEIGHTS
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// A constant and the products that have it as packed weights.
struct Weights {
  ConstantOp constant;
  SmallVector<KernelGemmOp> products;
};

/// Nothing if the constant has other users, or is not f32.
std::optional<Weights> getWeights(ConstantOp constant) {
  Weights weights{constant, {}};
  if (!tensorType(constant).getElementType().isF32() || constant->use_empty() ||
      tensorType(constant).getNumElements() == 0 || isa<ShardsAttr>(constant.getValue()))
    return std::nullopt;
  for (OpOperand &use : constant->getUses()) {
    auto product = dyn_cast<KernelGemmOp>(use.getOwner());
    if (!product || !product.getPacked() || use.get() != product.getB() ||
        use.get() == product.getA())
      return std::nullopt;
    weights.products.push_back(product);
  }
  return weights;
}

/// How far weights are from what is stored, over all tensors.
struct Errors {
  int64_t tensors = 0, products = 0;
  double largest = 0, squares = 0, ofWeights = 0;

  void add(ArrayRef<float> weights, function_ref<float(int64_t)> stored) {
    for (auto [i, weight] : llvm::enumerate(weights)) {
      double error = std::abs(static_cast<double>(weight) - stored(i));
      if (!std::isfinite(error))
        continue; // infinities and NaN stay what they are
      largest = std::max(largest, error);
      squares += error * error;
      ofWeights += static_cast<double>(weight) * weight;
    }
  }
};

/// Weights as int8: element [group][panel][k][column] is `values` times the scale of its column.
struct ScaledWeights {
  ConstantTensor values;
  SmallVector<float> scales; ///< of each panel's columns
};

struct NarrowWeights : impl::NarrowWeightsBase<NarrowWeights> {
  using NarrowWeightsBase::NarrowWeightsBase;
  PassCounter numNarrowed{*this, "narrowed", "Constants stored in a narrower type"};
  PassCounter numSaved{*this, "saved-bytes", "Bytes that their narrower types save"};

  void runOnOperation() override {
    if (weights == WeightStorage::F32)
      return;
    auto features = getNeededFeatures(getCpuTarget(getOperation()));
    hasF16 = llvm::is_contained(features, "f16c");
    if (weights == WeightStorage::F16 && !hasF16) {
      getOperation().emitError("expected a CPU with F16C for weights of f16, found one without it");
      return signalPassFailure();
    }
    SmallVector<Weights> found;
    getOperation().walk([&](ConstantOp constant) {
      if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
        ++usesOf[resource.getRawHandle().getKey()];
      if (std::optional<Weights> of = getWeights(constant))
        found.push_back(*of);
    });
    for (const Weights &of : found)
      narrow(of);
    if (weights != WeightStorage::Auto)
      report();
  }

private:
  void narrow(const Weights &of) {
    ConstantOp constant = of.constant;
    ConstantTensor from = ConstantTensor::get(constant.getValue()).expanded();
    Builder builder(&getContext());
    switch (weights) {
    case WeightStorage::F32:
      return;
    case WeightStorage::Auto:
      if (ConstantTensor exact = narrowExactly(constant, from))
        replace(of, exact);
      return;
    case WeightStorage::F16:
      return narrowTo(of, from, builder.getF16Type());
    case WeightStorage::BF16:
      return narrowTo(of, from, builder.getBF16Type());
    case WeightStorage::Int8:
      return narrowToInt8(of, from);
    }
  }

  /// The weights in a 16-bit type that holds all of them; null if there is none.
  ConstantTensor narrowExactly(ConstantOp constant, const ConstantTensor &from) {
    // The bits of f32 that the types lack, at least: quick to look at.
    struct {
      Type type;
      uint32_t lost;
    } candidates[] = {{BFloat16Type::get(&getContext()), 0xffff},
                      {Float16Type::get(&getContext()), 0x1fff}};
    for (auto [type, lost] : candidates) {
      if (type.isF16() && !hasF16)
        continue;
      if (llvm::any_of(from.get<uint32_t>(), [&](uint32_t word) { return word & lost; }))
        continue;
      ConstantTensor narrow = castTo(constant, from, type);
      if (castTo(constant, narrow, from.getType().getElementType()).getBytes() == from.getBytes())
        return narrow;
    }
    return {};
  }

  void narrowTo(const Weights &of, const ConstantTensor &from, Type type) {
    ConstantTensor narrow = castTo(of.constant, from, type);
    ConstantTensor back = castTo(of.constant, narrow, Float32Type::get(&getContext()));
    ArrayRef<float> before = from.get<float>(), after = back.get<float>();
    for (auto [weight, stored] : llvm::zip_equal(before, after))
      if (std::isfinite(weight) && !std::isfinite(stored))
        return;
    errors.add(before, [&](int64_t i) { return after[i]; });
    replace(of, narrow);
  }

  void narrowToInt8(const Weights &of, const ConstantTensor &from) {
    ArrayRef<float> weights = from.get<float>();
    if (llvm::any_of(weights, [](float weight) { return !std::isfinite(weight); }))
      return;
    ScaledWeights scaled = scale(from);
    ArrayRef<int8_t> values = scaled.values.get<int8_t>();
    int64_t depth = from.getShape()[2], nr = from.getShape()[3];
    errors.add(weights, [&](int64_t i) {
      return static_cast<float>(values[i]) * scaled.scales[i / (depth * nr) * nr + i % nr];
    });
    for (KernelGemmOp product : of.products)
      multiplyByScales(product, scaled, of.constant);
    replace(of, scaled.values);
  }

  ScaledWeights scale(const ConstantTensor &from) {
    ArrayRef<float> weights = from.get<float>();
    int64_t depth = from.getShape()[2], nr = from.getShape()[3];
    int64_t panels = from.getShape()[0] * from.getShape()[1];
    auto type = RankedTensorType::get(from.getShape(), IntegerType::get(&getContext(), 8));
    ScaledWeights scaled{ConstantTensor::allocate(type), SmallVector<float>(panels * nr)};
    auto *values = reinterpret_cast<int8_t *>(scaled.values.getMutableBytes().data());
    for (int64_t panel = 0; panel < panels; ++panel)
      for (int64_t column = 0; column < nr; ++column) {
        int64_t first = panel * depth * nr + column;
        float largest = 0;
        for (int64_t k = 0; k < depth; ++k)
          largest = std::max(largest, std::abs(weights[first + k * nr]));
        float scale = scaled.scales[panel * nr + column] = largest / 127;
        for (int64_t k = 0; k < depth; ++k)
          values[first + k * nr] =
              scale > 0 ? static_cast<int8_t>(std::clamp(
                              std::nearbyint(weights[first + k * nr] / scale), -127.0f, 127.0f))
                        : 0;
      }
    return scaled;
  }

  /// Multiplies the product's columns by their scales; the columns that fill up the last panel of a
  /// group have none.
  void multiplyByScales(KernelGemmOp product, const ScaledWeights &scaled, ConstantOp constant) {
    auto type = tensorType(product.getResult());
    int64_t columns = type.getShape().back(), ofGroup = columns / product.getGroups();
    auto shape = tensorType(constant).getShape();
    SmallVector<float> scales;
    for (int64_t i = 0; i < columns; ++i)
      scales.push_back(scaled.scales[i / ofGroup * shape[1] * shape[3] + i % ofGroup]);
    OpBuilder builder(product);
    builder.setInsertionPointAfter(product);
    auto value = DenseElementsAttr::get(RankedTensorType::get(columns, builder.getF32Type()),
                                        ArrayRef<float>(scales));
    Value scale = ConstantOp::create(builder, product.getLoc(), value);
    auto mul = MulOp::create(builder, product.getLoc(), product.getResult(), scale);
    product.getResult().replaceAllUsesExcept(mul, mul);
  }

  void replace(const Weights &of, const ConstantTensor &narrow) {
    ConstantOp constant = of.constant;
    ++numNarrowed;
    numSaved +=
        static_cast<int64_t>(tensorType(constant).getNumElements() * 4 - narrow.getBytes().size());
    ++errors.tensors;
    errors.products += of.products.size();
    OpBuilder builder(constant);
    auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    StringRef name = resource ? resource.getRawHandle().getKey() : "narrow";
    auto stored = ConstantOp::create(builder, constant.getLoc(), narrow.toAttr(name));
    for (KernelGemmOp product : of.products)
      product.getBMutable().assign(stored);
    constant.erase();
    if (resource && --usesOf[resource.getRawHandle().getKey()] == 0)
      DenseResourceElementsHandle::getManagerInterface(&getContext())
          .update(resource.getRawHandle().getKey(), AsmResourceBlob());
  }

  /// The elements as another type, rounded to nearest.
  static ConstantTensor castTo(ConstantOp constant, const ConstantTensor &from, Type type) {
    OpBuilder builder(constant);
    builder.setInsertionPointAfter(constant);
    // Only its meaning is needed.
    Value operand = constant;
    CastOp back;
    if (from.getType() != constant.getType())
      operand = back =
          CastOp::create(builder, constant.getLoc(), operand, from.getType().getElementType());
    auto cast = CastOp::create(builder, constant.getLoc(), operand, type);
    FailureOr<ConstantTensor> result = evaluateConstant(cast, from);
    cast.erase();
    if (back)
      back.erase();
    assert(succeeded(result) && "casts between floats can be evaluated");
    return result->expanded();
  }

  void report() {
    double relative = errors.ofWeights > 0 ? std::sqrt(errors.squares / errors.ofWeights) : 0;
    const auto *storage = llvm::find_if(
        getChoices(WeightStorage()), [&](const auto &choice) { return choice.second == weights; });
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::format("largest error %.3g, relative RMS error %.3g", errors.largest, relative);
    getOperation().emitRemark() << "weights of " << errors.products
                                << " products and convolutions are stored as " << storage->first
                                << ": " << text;
  }

  bool hasF16 = false;
  /// The constants that hold each resource: the data of one that none holds is freed.
  DenseMap<StringRef, int64_t> usesOf;
  Errors errors;
};

} // namespace
} // namespace mlir::ttc
