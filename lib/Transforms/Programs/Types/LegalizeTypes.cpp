// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NarrowFloats.h"
#include "dialects/Ttc/Tensors/NarrowTypeOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_LEGALIZETYPES
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// The type of what stores a value: tensors of narrow elements become tensors of bytes.
Type legalize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isNarrow(tensor.getElementType()))
    return type;
  return tensor.clone(getStorageType(tensor.getElementType()));
}

bool isLegal(Type type) { return legalize(type) == type; }

/// The same elements as bytes.
ElementsAttr toBytes(ElementsAttr value) {
  if (auto shards = dyn_cast<ShardsAttr>(value))
    return shards.map(toBytes);
  auto type = cast<RankedTensorType>(value.getShapedType());
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  const bool isExtended = integer && integer.isSignless();
  auto legal = cast<RankedTensorType>(legalize(type));
  auto extend = [&](ArrayRef<char> bytes) {
    SmallVector<char> extended(bytes);
    for (char &byte : extended)
      if (isExtended)
        byte = static_cast<char>(llvm::SignExtend64(byte, integer.getWidth()));
    return extended;
  };
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (!isExtended)
      return DenseResourceElementsAttr::get(legal, resource.getRawHandle());
    return makeConstant(legal, extend(resource.getData()), resource.getRawHandle().getKey());
  }
  return DenseElementsAttr::getFromRawBuffer(legal,
                                             extend(cast<DenseElementsAttr>(value).getRawData()));
}

/// A number as the byte that stands for it, which is again a number.
APFloat toByte(APFloat number, FloatType format) {
  bool isInexact;
  number.convert(format.getFloatSemantics(), APFloat::rmNearestTiesToEven, &isInexact);
  return APFloat(static_cast<float>(number.bitcastToAPInt().getZExtValue()));
}

/// A cast from or to narrow elements.
struct NarrowCast {
  CastOp op;
  Type from, to;
};

struct LegalizeTypes : impl::LegalizeTypesBase<LegalizeTypes> {
  PassCounter numCasts{*this, "casts", "Casts made arithmetic on bytes"};
  PassCounter numValues{*this, "values", "Values made tensors of bytes"};

  void runOnOperation() override {
    wrapInputs();
    // While the types still say what the bytes stand for.
    SmallVector<NarrowCast> casts;
    getOperation().walk([&](Operation *op) {
      if (auto convert = dyn_cast<CastOp>(op);
          convert && !(isLegal(convert.getX().getType()) && isLegal(convert.getType())))
        casts.push_back(
            {convert, getElementTypeOrSelf(convert.getX()), getElementTypeOrSelf(convert.getY())});
      else if (auto constant = dyn_cast<ConstantOp>(op); constant && !isLegal(constant.getType()))
        constant.setValueAttr(toBytes(constant.getValue()));
      else if (auto pad = dyn_cast<PadOp>(op);
               pad && isNarrowFloat(getElementTypeOrSelf(pad.getX())))
        pad.setValueAttr(FloatAttr::get(
            Float32Type::get(&getContext()),
            toByte(pad.getValue(), cast<FloatType>(getElementTypeOrSelf(pad.getX())))));
    });
    getOperation().walk([&](Operation *op) { legalizeTypes(op); });
    for (const NarrowCast &cast : casts)
      rewrite(cast);
    numCasts += casts.size();
  }

private:
  /// Callers need not extend integers to eight bits.
  void wrapInputs() {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      for (BlockArgument input : function.getArguments()) {
        auto type = dyn_cast<RankedTensorType>(input.getType());
        if (!type || !isNarrowInteger(type.getElementType()) || input.use_empty())
          continue;
        auto builder = OpBuilder::atBlockBegin(input.getOwner());
        auto wrap = WrapIntegerOp::create(builder, input.getLoc(), legalize(type), input,
                                          type.getElementTypeBitWidth());
        input.replaceAllUsesExcept(wrap, wrap);
      }
    }
  }

  void legalizeTypes(Operation *op) {
    for (Value result : op->getResults())
      legalizeValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          legalizeValue(argument);
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    auto all = [](ArrayRef<Type> types) { return llvm::map_to_vector(types, legalize); };
    function.setType(
        function.cloneTypeWith(all(function.getArgumentTypes()), all(function.getResultTypes())));
  }

  void legalizeValue(Value value) {
    Type type = legalize(value.getType());
    if (type == value.getType())
      return;
    value.setType(type);
    ++numValues;
  }

  /// Replaces a cast whose operand and result are bytes by now.
  static void rewrite(const NarrowCast &cast) {
    auto [op, from, to] = cast;
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value x = op.getX();
    auto convert = [&](Value value, Type element) -> Value {
      return getElementTypeOrSelf(value) == element ? value
                                                    : CastOp::create(builder, loc, value, element);
    };
    if (from != to) {
      if (isNarrowFloat(from))
        x = DecodeFloatOp::create(builder, loc, x, from);
      if (isNarrowFloat(to))
        x = EncodeFloatOp::create(builder, loc, convert(x, builder.getF32Type()), to,
                                  op.getSaturate(), op.getRounding());
      else
        x = convert(x, getStorageType(to));
      if (isNarrowInteger(to))
        x = WrapIntegerOp::create(builder, loc, x, to.getIntOrFloatBitWidth());
    }
    op.replaceAllUsesWith(x);
    op.erase();
  }
};

} // namespace
} // namespace mlir::ttc
