// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExactScales.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
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
      tensorType(constant).getNumElements() == 0)
    return std::nullopt;
  for (OpOperand &use : constant->getUses()) {
    auto product = dyn_cast<KernelGemmOp>(use.getOwner());
    // Weights of a few columns are few.
    if (!product || !product.getPacked() || use.get() != product.getB() ||
        use.get() == product.getA() || product.getTile()[1] == 1)
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
    hasF16 = convertsF16(getCpuTarget(getOperation()));
    if (weights == WeightStorage::F16 && !hasF16) {
      getOperation().emitError("expected a CPU with F16C for weights of f16, found one without it");
      return signalPassFailure();
    }
    SmallVector<Weights> found;
    getOperation().walk([&](ConstantOp constant) {
      for (ElementsAttr value : getValues(constant))
        if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
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
  using Tensors = SmallVector<ConstantTensor, 1>;

  /// The value of all devices of a mesh, or those that they differ in.
  static SmallVector<ElementsAttr> getValues(ConstantOp constant) {
    if (auto shards = dyn_cast<ShardsAttr>(constant.getValue()))
      return SmallVector<ElementsAttr>(shards.getValues());
    return {constant.getValue()};
  }

  /// The attribute of new values, one for each of a constant.
  ElementsAttr combine(ConstantOp constant, ArrayRef<ElementsAttr> values) {
    if (auto shards = dyn_cast<ShardsAttr>(constant.getValue()))
      return ShardsAttr::getOrValue(&getContext(), values, shards.getDevices());
    return values.front();
  }

  void narrow(const Weights &of) {
    ConstantOp constant = of.constant;
    Tensors from;
    for (ElementsAttr value : getValues(constant))
      from.push_back(ConstantTensor::get(value).expanded());
    Builder builder(&getContext());
    switch (weights) {
    case WeightStorage::F32:
      return;
    case WeightStorage::Auto:
      if (Tensors exact = narrowExactly(constant, from); !exact.empty())
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

  /// The weights in the narrowest form that gives all of them; nothing if there is none.
  Tensors narrowExactly(ConstantOp constant, const Tensors &from) {
    // The bits of f32 that the types lack, at least: quick to look at.
    struct {
      Type type;
      uint32_t lost;
    } candidates[] = {{IntegerType::get(&getContext(), 8), 0x1ffff},
                      {BFloat16Type::get(&getContext()), 0xffff},
                      {Float16Type::get(&getContext()), 0x1fff}};
    for (auto [type, lost] : candidates) {
      if (type.isBF16())
        if (Tensors scaled = scaleExactly(from); !scaled.empty())
          return scaled;
      if (type.isF16() && !hasF16)
        continue;
      Tensors result;
      for (const ConstantTensor &tensor : from) {
        if (llvm::any_of(tensor.get<uint32_t>(),
                         [lost = lost](uint32_t word) { return word & lost; }))
          break;
        ConstantTensor narrow = castTo(constant, tensor, type);
        if (castTo(constant, narrow, tensor.getType().getElementType()).getBytes() !=
            tensor.getBytes())
          break;
        result.push_back(narrow);
      }
      if (result.size() == from.size())
        return result;
    }
    return {};
  }

  static Tensors scaleExactly(const Tensors &from) {
    Tensors result;
    for (const ConstantTensor &tensor : from) {
      std::optional<ConstantTensor> scaled = findExactScales(tensor);
      if (!scaled)
        return {};
      result.push_back(*scaled);
    }
    return result;
  }

  void narrowTo(const Weights &of, const Tensors &from, Type type) {
    Tensors narrow, back;
    for (const ConstantTensor &tensor : from) {
      narrow.push_back(castTo(of.constant, tensor, type));
      back.push_back(castTo(of.constant, narrow.back(), Float32Type::get(&getContext())));
      for (auto [weight, stored] : llvm::zip_equal(tensor.get<float>(), back.back().get<float>()))
        if (std::isfinite(weight) && !std::isfinite(stored))
          return;
    }
    for (auto [before, after] : llvm::zip_equal(from, back))
      errors.add(before.get<float>(),
                 [&, after = after.get<float>()](int64_t i) { return after[i]; });
    replace(of, narrow);
  }

  void narrowToInt8(const Weights &of, const Tensors &from) {
    for (const ConstantTensor &tensor : from)
      if (llvm::any_of(tensor.get<float>(), [](float weight) { return !std::isfinite(weight); }))
        return;
    SmallVector<ScaledWeights> scaled;
    Tensors values;
    for (const ConstantTensor &tensor : from) {
      const ScaledWeights &part = scaled.emplace_back(scale(tensor));
      values.push_back(part.values);
      int64_t depth = tensor.getShape()[2], nr = tensor.getShape()[3];
      errors.add(tensor.get<float>(), [&, stored = part.values.get<int8_t>()](int64_t i) {
        return static_cast<float>(stored[i]) * part.scales[i / (depth * nr) * nr + i % nr];
      });
    }
    for (KernelGemmOp product : of.products)
      multiplyByScales(product, scaled, of.constant);
    replace(of, values);
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
  void multiplyByScales(KernelGemmOp product, ArrayRef<ScaledWeights> scaled, ConstantOp constant) {
    auto type = tensorType(product.getResult());
    int64_t columns = type.getShape().back(), ofGroup = columns / product.getGroups();
    auto shape = tensorType(constant).getShape();
    OpBuilder builder(product);
    builder.setInsertionPointAfter(product);
    SmallVector<ElementsAttr> values;
    for (const ScaledWeights &part : scaled) {
      SmallVector<float> scales;
      for (int64_t i = 0; i < columns; ++i)
        scales.push_back(part.scales[i / ofGroup * shape[1] * shape[3] + i % ofGroup]);
      values.push_back(DenseElementsAttr::get(RankedTensorType::get(columns, builder.getF32Type()),
                                              ArrayRef<float>(scales)));
    }
    Value scale = ConstantOp::create(builder, product.getLoc(), combine(constant, values));
    auto mul = MulOp::create(builder, product.getLoc(), product.getResult(), scale);
    product.getResult().replaceAllUsesExcept(mul, mul);
  }

  void replace(const Weights &of, const Tensors &narrow) {
    ConstantOp constant = of.constant;
    ++numNarrowed;
    ++errors.tensors;
    errors.products += of.products.size();
    const SmallVector<ElementsAttr> before = getValues(constant);
    SmallVector<ElementsAttr> after;
    for (auto [value, tensor] : llvm::zip_equal(before, narrow)) {
      numSaved += static_cast<int64_t>(tensor.getNumElements() * 4 - tensor.getBytes().size());
      auto resource = dyn_cast<DenseResourceElementsAttr>(value);
      after.push_back(tensor.toAttr(resource ? resource.getRawHandle().getKey() : "narrow"));
    }
    OpBuilder builder(constant);
    auto stored = ConstantOp::create(builder, constant.getLoc(), combine(constant, after));
    for (KernelGemmOp product : of.products)
      product.getBMutable().assign(stored);
    constant.erase();
    for (ElementsAttr value : before)
      if (auto resource = dyn_cast<DenseResourceElementsAttr>(value);
          resource && --usesOf[resource.getRawHandle().getKey()] == 0)
        DenseResourceElementsHandle::getManagerInterface(&getContext())
            .update(resource.getRawHandle().getKey(), AsmResourceBlob());
  }

  /// The elements as another type; floats are rounded to nearest.
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
    assert(succeeded(result) && "casts between numbers can be evaluated");
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
