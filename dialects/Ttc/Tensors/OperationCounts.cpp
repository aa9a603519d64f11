// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many operations each op on tensors computes (CountedOpInterface says what counts).
#include "dialects/Ttc/Tensors/OperationCounts.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

std::optional<int64_t> mlir::ttc::countOperations(Operation *op) {
  if (auto counted = dyn_cast<CountedOpInterface>(op))
    return counted.getOperationCount();
  if (auto elementwise = dyn_cast<ElementwiseOpInterface>(op))
    return times(elementsOf(op->getResult(0)), elementwise.getOperationsPerElement());
  if (op->hasTrait<SelectsElements>() || op->hasTrait<OpTrait::ConstantLike>() ||
      op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  return std::nullopt;
}

//===--- products -------------------------------------------------------------------===//

int64_t MatmulOp::getOperationCount() {
  auto a = tensorType(getA());
  const int64_t depth = a.getDimSize(a.getRank() - (getTransposeA() ? 2 : 1));
  return plus(times(2, elementsOf(getY()), depth), getBias() ? elementsOf(getY()) : 0);
}

int64_t IntMatmulOp::getOperationCount() {
  return times(2, elementsOf(getY()), tensorType(getA()).getShape().back());
}

/// An element of the result is a sum over the channels of a group and the elements of the kernel.
template <typename OpTy> static int64_t countConvolution(OpTy op) {
  return times(2, elementsOf(op.getY()), productOf(tensorType(op.getW()).getShape().drop_front()));
}

int64_t ConvOp::getOperationCount() {
  return plus(countConvolution(*this), getBias() ? elementsOf(getY()) : 0);
}
int64_t IntConvOp::getOperationCount() { return countConvolution(*this); }

/// Each element of the operand is multiplied with the weights of its channel.
int64_t ConvTransposeOp::getOperationCount() {
  return plus(times(2, elementsOf(getX()), productOf(tensorType(getW()).getShape().drop_front())),
              getBias() ? elementsOf(getY()) : 0);
}

//===--- windows and reductions -----------------------------------------------------===//

int64_t MaxPoolOp::getOperationCount() { return times(elementsOf(getY()), productOf(getKernel())); }
int64_t AvgPoolOp::getOperationCount() {
  return times(elementsOf(getY()), plus(productOf(getKernel()), kDivision));
}
int64_t GlobalMaxPoolOp::getOperationCount() { return elementsOf(getX()); }
int64_t GlobalAvgPoolOp::getOperationCount() {
  return plus(elementsOf(getX()), times(kDivision, elementsOf(getY())));
}

int64_t ReduceSumOp::getOperationCount() { return elementsOf(getX()); }
int64_t ReduceMaxOp::getOperationCount() { return elementsOf(getX()); }
int64_t ReduceMinOp::getOperationCount() { return elementsOf(getX()); }
int64_t ReduceProdOp::getOperationCount() { return elementsOf(getX()); }
int64_t ReduceMeanOp::getOperationCount() {
  return plus(elementsOf(getX()), times(kDivision, elementsOf(getY())));
}
int64_t ArgmaxOp::getOperationCount() { return elementsOf(getX()); }
int64_t ArgminOp::getOperationCount() { return elementsOf(getX()); }

//===--- normalisations -------------------------------------------------------------===//

/// Subtract the mean, multiply by the factor of the channel and its scale, add the bias; the factor
/// is a root of a sum, and a division.
int64_t BatchNormOp::getOperationCount() {
  return plus(times(4, elementsOf(getX())), times(2 * kDivision + 1, elementsOf(getScale())));
}

/// An element is added to the sum, the mean is subtracted, the square is added to another sum; then
/// it is multiplied by the factor and the scale, and the bias is added. A set of elements has two
/// divisions by their number, and a factor as above.
static int64_t countNormalization(int64_t elements, int64_t sets, bool hasBias) {
  return plus(times(hasBias ? 7 : 6, elements), times(4 * kDivision + 1, sets));
}

int64_t LayerNormOp::getOperationCount() {
  const int64_t sets = productOf(tensorType(getX()).getShape().take_front(getAxis()));
  return countNormalization(elementsOf(getX()), sets, static_cast<bool>(getBias()));
}
int64_t GroupNormOp::getOperationCount() {
  return countNormalization(elementsOf(getX()),
                            times(tensorType(getX()).getDimSize(0), getGroups()),
                            /*hasBias=*/true);
}
int64_t InstanceNormOp::getOperationCount() {
  return countNormalization(elementsOf(getX()),
                            times(tensorType(getX()).getDimSize(0), elementsOf(getScale())),
                            /*hasBias=*/true);
}

/// The squares of `size` channels are summed; multiply, add, power, divide.
int64_t LrnOp::getOperationCount() {
  return times(elementsOf(getX()), plus(times(2, getSize()), kFunction + kDivision + 2));
}

/// Maximum, subtract, exp, add, divide.
int64_t SoftmaxOp::getOperationCount() {
  return times(elementsOf(getX()), kFunction + kDivision + 3);
}
/// Maximum, subtract, exp, add, subtract; a logarithm of each sum.
int64_t LogSoftmaxOp::getOperationCount() {
  const int64_t length = std::max<int64_t>(tensorType(getX()).getDimSize(getAxis()), 1);
  return plus(times(elementsOf(getX()), kFunction + 4),
              times(elementsOf(getX()) / length, kFunction));
}

//===--- others ---------------------------------------------------------------------===//

/// An element of the result is a sum of weighted elements, two along each dimension that is
/// resampled.
int64_t ResizeOp::getOperationCount() {
  if (getMode() == ResizeMode::Nearest)
    return 0;
  int64_t count = times(2, elementsOf(getY()));
  for (float scale : getScales())
    count = times(count, scale == 1 ? 1 : 2);
  return count;
}

int64_t ScatterElementsOp::getOperationCount() {
  return getReduction() == ScatterReduction::None ? 0 : elementsOf(getUpdates());
}
int64_t ScatterNdOp::getOperationCount() {
  return getReduction() == ScatterReduction::None ? 0 : elementsOf(getUpdates());
}
int64_t CumulativeOp::getOperationCount() { return elementsOf(getX()); }

/// The comparisons of a merge sort.
int64_t ArgsortOp::getOperationCount() {
  const int64_t length = tensorType(getX()).getDimSize(getAxis());
  return times(elementsOf(getX()), llvm::Log2_64_Ceil(std::max<int64_t>(length, 1)));
}

/// Gaussian elimination: row k of n is subtracted from those below it.
int64_t DeterminantOp::getOperationCount() {
  const int64_t size = tensorType(getX()).getShape().back();
  return times(elementsOf(getY()), times(2, size, size, size) / 3);
}
