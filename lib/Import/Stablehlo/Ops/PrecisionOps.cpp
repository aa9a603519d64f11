// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding to fewer bits.
#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

using namespace mlir;
using namespace mlir::ttc;

/// Halves to even. What is too large becomes infinite; what is below the smallest normal number
/// becomes zero.
static LogicalResult importReducePrecision(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  Value x = op.operand(0);
  const int64_t exponent = op.getInt("exponent_bits"), mantissa = op.getInt("mantissa_bits");
  auto type = dyn_cast<FloatType>(elementTypeOf(x));
  if (op.hasFailed() || !type)
    return type ? failure() : op.error() << "expected floats, found " << x.getType();
  if (exponent < 1 || mantissa < 0)
    return op.error() << "(C2, C3) expected at least 1 bit of exponent and 0 of mantissa, found "
                      << exponent << " and " << mantissa;
  const unsigned width = type.getWidth(), ownMantissa = type.getFPMantissaWidth() - 1,
                 ownExponent = width - 1 - ownMantissa;
  Expressions e(op);
  Type bitType = IntegerType::get(op.context(), width, IntegerType::Unsigned);
  auto number = [&](const APInt &value) {
    return op.constant(DenseElementsAttr::get(RankedTensorType::get({}, bitType), value));
  };
  Value bits = op.createAs<BitcastOp>(RankedTensorType::get(shapeOf(x), bitType), x);
  if (mantissa < ownMantissa) {
    const unsigned lost = ownMantissa - mantissa;
    Value last = op.create<BitAndOp>(
        {op.create<ShiftRightOp>({bits, number(APInt(width, lost))}), number(APInt(width, 1))});
    APInt bias = APInt::getOneBitSet(width, lost - 1) - 1;
    bits = e.add(bits, e.add(last, number(bias)));
    bits = op.create<BitAndOp>({bits, number(APInt::getHighBitsSet(width, width - lost))});
  }
  if (exponent < ownExponent) {
    APInt sign = APInt::getSignMask(width),
          infinity = APInt::getBitsSet(width, ownMantissa, width - 1);
    const uint64_t bias = (uint64_t(1) << (ownExponent - 1)) - 1,
                   newBias = (uint64_t(1) << (exponent - 1)) - 1;
    auto shifted = [&](uint64_t value) { return number(APInt(width, value) << ownMantissa); };
    Value size = op.create<BitAndOp>({bits, number(infinity)}),
          zero = op.create<BitAndOp>({bits, number(sign)});
    Value isLarge = e.compare(ComparePredicate::GT, size, shifted(bias + newBias)),
          isSmall = e.compare(ComparePredicate::LE, size, shifted(bias - newBias));
    bits = e.where(isLarge, op.create<BitOrOp>({zero, number(infinity)}),
                   e.where(isSmall, zero, bits));
  }
  if (!bits)
    return op.results(Value());
  Value y = op.createAs<BitcastOp>(x.getType(), bits);
  return op.results(e.where(e.compare(ComparePredicate::NE, x, x), x, y));
}

void mlir::ttc::registerStablehloPrecisionOps(StablehloRegistry &registry) {
  registry.add("reduce_precision", importReducePrecision);
}
