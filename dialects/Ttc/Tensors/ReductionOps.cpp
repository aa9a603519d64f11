// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

/// The shape without `axes`, or with size 1 there.
static SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes,
                                         bool keepDims) {
  SmallVector<int64_t> reduced;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      reduced.push_back(size);
    else if (keepDims)
      reduced.push_back(1);
  }
  return reduced;
}

template <typename AdaptorTy>
static LogicalResult inferReduce(const InferenceScope &scope, AdaptorTy adaptor,
                                 SmallVectorImpl<Type> &types) {
  auto type = tensorType(adaptor.getX());
  int64_t previous = -1;
  for (int64_t axis : adaptor.getAxes()) {
    if (axis <= previous || axis >= type.getRank())
      return scope.fail("(C1) expected axes from 0 to ", type.getRank() - 1,
                        " in increasing order, found ", toString(adaptor.getAxes()));
    previous = axis;
  }
  types.push_back(
      type.clone(reducedShape(type.getShape(), adaptor.getAxes(), adaptor.getKeepdims())));
  return success();
}

template <typename AdaptorTy>
static LogicalResult inferArgReduce(const InferenceScope &scope, AdaptorTy adaptor,
                                    SmallVectorImpl<Type> &types) {
  auto type = tensorType(adaptor.getX());
  int64_t axis = adaptor.getAxis();
  if (failed(scope.checkAxis("C1", axis, type.getRank())))
    return failure();
  types.push_back(RankedTensorType::get(reducedShape(type.getShape(), axis, adaptor.getKeepdims()),
                                        IntegerType::get(type.getContext(), 64)));
  return success();
}

TTC_INFER_WITH(ReduceSumOp, inferReduce)
TTC_INFER_WITH(ReduceMeanOp, inferReduce)
TTC_INFER_WITH(ReduceMaxOp, inferReduce)
TTC_INFER_WITH(ReduceMinOp, inferReduce)
TTC_INFER_WITH(ReduceProdOp, inferReduce)
TTC_INFER_WITH(ArgmaxOp, inferArgReduce)
TTC_INFER_WITH(ArgminOp, inferArgReduce)
