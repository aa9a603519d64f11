// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/OperationCounts.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "kernels/BlockFormats.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;
namespace kernels = ::ttc::kernels;

static int64_t toKernel(BlockFormat format) { return static_cast<int64_t>(format); }

/// Fails unless a row of `columns` is whole blocks.
static LogicalResult checkColumns(const InferenceScope &scope, StringRef constraint,
                                  BlockFormat format, int64_t columns) {
  const int64_t block = kernels::getBlockLayout(toKernel(format)).columns;
  if (columns > 0 && columns <= kMostElements && columns % block == 0)
    return success();
  return scope.fail("(", constraint, ") expected columns in a positive multiple of ", block,
                    ", the block of ", stringifyBlockFormat(format), ", found ", columns);
}

/// The rows of `columns` that are stored in `w`, a multiple of `parts`.
static FailureOr<int64_t> getRows(const InferenceScope &scope, StringRef constraint, Value w,
                                  BlockFormat format, int64_t columns, int64_t parts) {
  const auto type = tensorType(w);
  const int64_t bytes = kernels::getFileRowBytes(toKernel(format), columns) * parts;
  if (type.getRank() != 1 || type.getNumElements() == 0 || type.getNumElements() % bytes != 0)
    return scope.fail("(", constraint, ") expected weights in a vector of a positive multiple of ",
                      bytes, " bytes, ", parts == 1 ? "a row" : "two rows", " of ", columns,
                      " columns in ", stringifyBlockFormat(format), ", found ", type);
  return type.getNumElements() / bytes * parts;
}

//===----------------------------------------------------------------------===//
// ttc.block_matmul
//===----------------------------------------------------------------------===//

LogicalResult BlockMatmulOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  const auto x = tensorType(adaptor.getX());
  if (x.getRank() != 2 || x.getNumElements() == 0)
    return scope.fail("(C1) expected x of [M, K] with at least one element, found ", x);
  const int64_t depth = x.getDimSize(1);
  if (failed(checkColumns(scope, "C2", adaptor.getFormat(), depth)))
    return failure();
  const int64_t parts = adaptor.getGated() ? 2 : 1;
  FailureOr<int64_t> rows = getRows(scope, "C3", adaptor.getW(), adaptor.getFormat(), depth, parts);
  if (failed(rows))
    return failure();
  auto y = RankedTensorType::get({x.getDimSize(0), *rows / parts}, x.getElementType());
  if (Value norm = adaptor.getNorm(); norm && failed(scope.checkVector("C4", "norm", norm, depth)))
    return failure();
  if (Value bias = adaptor.getBias();
      bias && failed(scope.checkVector("C5", "bias", bias, y.getDimSize(1))))
    return failure();
  if (Value residual = adaptor.getResidual(); residual && residual.getType() != y)
    return scope.fail("(C6) expected a residual of ", y, ", found ", residual.getType());
  if (Value count = adaptor.getCount(); count && failed(scope.checkVector("C7", "count", count, 1)))
    return failure();
  types.push_back(y);
  return success();
}

/// The product; a square, a scale and a factor for each normalised element; silu and a product for
/// each gated result.
int64_t BlockMatmulOp::getOperationCount() {
  const int64_t depth = tensorType(getX()).getDimSize(1), parts = getGated() ? 2 : 1;
  const int64_t ofResult = plus(times(2, depth, parts), getGated() ? kFunction + kDivision + 2 : 0,
                                getBias() ? 1 : 0, getResidual() ? 1 : 0);
  const int64_t ofNorm = getNorm() ? times(4, elementsOf(getX())) : 0;
  return plus(times(elementsOf(getY()), ofResult), ofNorm);
}

//===----------------------------------------------------------------------===//
// ttc.expert_matmul
//===----------------------------------------------------------------------===//

LogicalResult ExpertMatmulOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  const auto x = tensorType(adaptor.getX()), experts = tensorType(adaptor.getExperts());
  if (x.getRank() != 2 || x.getNumElements() == 0)
    return scope.fail("(C1) expected x of [R, K] with at least one element, found ", x);
  const int64_t depth = x.getDimSize(1);
  if (failed(checkColumns(scope, "C2", adaptor.getFormat(), depth)))
    return failure();
  const int64_t count = adaptor.getExpertCount();
  if (count < 1 || count > kMostElements)
    return scope.fail("(C3) expected a positive number of experts, found ", count);
  const int64_t parts = adaptor.getGated() ? 2 : 1;
  FailureOr<int64_t> rows = getRows(scope, "C3", adaptor.getW(), adaptor.getFormat(), depth, parts);
  if (failed(rows))
    return failure();
  const int64_t columns = *rows / parts / count;
  if (*rows / parts % count != 0 || columns % kernels::kBlockRows != 0)
    return scope.fail("(C3) expected rows in a positive multiple of ", kernels::kBlockRows,
                      " for each of ", count, " experts, found ", *rows / parts, " for all");
  if (experts.getRank() != 1 || experts.getNumElements() == 0 ||
      experts.getNumElements() % x.getDimSize(0) != 0)
    return scope.fail("(C4) expected experts in a vector of a positive multiple of ",
                      x.getDimSize(0), " elements, found ", experts);
  if (Value bias = adaptor.getBias()) {
    if (adaptor.getGated())
      return scope.fail("(C5) expected no bias of gated products, found one");
    if (failed(scope.checkVector("C5", "bias", bias, *rows)))
      return failure();
  }
  if (Value limit = adaptor.getCount(); limit && failed(scope.checkVector("C6", "count", limit, 1)))
    return failure();
  types.push_back(RankedTensorType::get({experts.getDimSize(0), columns}, x.getElementType()));
  return success();
}

/// As ttc.block_matmul counts it.
int64_t ExpertMatmulOp::getOperationCount() {
  const int64_t depth = tensorType(getX()).getDimSize(1), parts = getGated() ? 2 : 1;
  return times(
      elementsOf(getY()),
      plus(times(2, depth, parts), getGated() ? kFunction + kDivision + 2 : 0, getBias() ? 1 : 0));
}

//===----------------------------------------------------------------------===//
// ttc.block_gather
//===----------------------------------------------------------------------===//

LogicalResult BlockGatherOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  if (failed(checkColumns(scope, "C1", adaptor.getFormat(), adaptor.getColumns())) ||
      failed(getRows(scope, "C2", adaptor.getW(), adaptor.getFormat(), adaptor.getColumns(), 1)))
    return failure();
  const auto tokens = tensorType(adaptor.getTokens());
  if (tokens.getRank() != 1)
    return scope.fail("(C3) expected tokens in a vector, found ", tokens);
  types.push_back(RankedTensorType::get({tokens.getDimSize(0), adaptor.getColumns()},
                                        Float32Type::get(scope.getContext())));
  return success();
}

/// A product with a scale, and a minimum or an offset, for each element.
int64_t BlockGatherOp::getOperationCount() {
  return kernels::isPlainFormat(toKernel(getFormat())) ? 0 : times(2, elementsOf(getY()));
}
