// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many operations each kernel op computes (CountedOpInterface says what counts).
#include "dialects/Ttc/Programs/IntKernelOps.h"
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Tensors/OperationCounts.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

int64_t PackOp::getOperationCount() { return 0; }
int64_t PackBytesOp::getOperationCount() { return 0; }
int64_t SumBytesOp::getOperationCount() { return elementsOf(getInput()); }

/// Without `kernel`, `a` ends in the summed dimension. A transposed convolution dilates its input:
/// what counts are products of elements that exist.
int64_t KernelGemmOp::getOperationCount() {
  const ViewAttr a = getAViewOrIdentity();
  const int64_t depth = a.getShape().back() / getGroups();
  if (!getKernel())
    return times(2, elementsOf(getResult()), depth);
  const int64_t taps = productOf(*getKernel());
  if (getInputDilation() && llvm::any_of(*getInputDilation(), [](int64_t d) { return d != 1; }))
    return times(2, productOf(a.getShape()), taps,
                 getResult().getType().getShape().back() / getGroups());
  return times(2, elementsOf(getResult()), taps, depth);
}

int64_t KernelIntGemmOp::getOperationCount() {
  return times(2, elementsOf(getResult()), getKernel() ? productOf(*getKernel()) : 1,
               getA().getType().getShape().back() / getGroups());
}

int64_t KernelDepthwiseConvOp::getOperationCount() {
  return times(2, elementsOf(getResult()), productOf(getKernel()));
}
int64_t KernelIntDepthwiseConvOp::getOperationCount() {
  return times(2, elementsOf(getResult()), productOf(getKernel()));
}
int64_t KernelIntDepthwiseDotOp::getOperationCount() {
  return times(2, elementsOf(getResult()), productOf(getKernel()));
}

int64_t KernelPoolOp::getOperationCount() {
  return times(elementsOf(getResult()),
               plus(productOf(getKernel()), getKind() == PoolKind::average ? kDivision : 0));
}
