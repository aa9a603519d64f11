// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, and tensors of numbers in order.
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

using namespace mlir;
using namespace mlir::ttc;

/// The real or the imaginary parts.
static DenseElementsAttr getParts(DenseElementsAttr attr, RankedTensorType type, bool real) {
  SmallVector<APFloat> parts;
  for (std::complex<APFloat> number : attr.getValues<std::complex<APFloat>>())
    parts.push_back(real ? number.real() : number.imag());
  return DenseElementsAttr::get(type, parts);
}

static LogicalResult importConstant(StablehloOp &op) {
  auto value = dyn_cast_if_present<ElementsAttr>(op.getAttr("value"));
  if (!value || value.getShapedType() != op.getSource()->getResult(0).getType())
    return op.error() << "(C1) expected attribute 'value' to be of the result's type";
  if (!op.hasComplexResult())
    return op.results(op.constant(value));
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return op.error() << "expected complex numbers as a dense attribute";
  return op.results(op.complex(op.constant(getParts(dense, op.resultType(), true)),
                               op.constant(getParts(dense, op.resultType(), false))));
}

/// Each element is its index in one dimension.
static LogicalResult importIota(StablehloOp &op) {
  RankedTensorType type = op.resultType();
  const int64_t axis = op.getInt("iota_dimension");
  if (axis < 0 || axis >= type.getRank())
    return op.error() << "(C1) expected 'iota_dimension' to be from 0 to " << type.getRank() - 1
                      << ", found " << axis;
  Expressions e(op);
  Value numbers =
      e.cast(e.iota(type.getDimSize(axis), axis, type.getRank()), type.getElementType());
  numbers = e.expand(numbers, type.getShape());
  return op.results(op.hasComplexResult()
                        ? op.complex(numbers, e.splat(type.getShape(), type.getElementType(), 0))
                        : numbers);
}

void mlir::ttc::registerStablehloConstantOps(StablehloRegistry &registry) {
  registry.add("constant", importConstant, OnComplex::Handled);
  registry.add("iota", importIota, OnComplex::Handled);
}
