// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constraints that ttc.cached_attention shares with its kernel ops. Private to the dialect.
#ifndef TTC_DIALECTS_TTC_TENSORS_CACHECHECKS_H
#define TTC_DIALECTS_TTC_TENSORS_CACHECHECKS_H

#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "kernels/Params.h"

namespace mlir::ttc::detail {

/// (C4) of the attention, (C2) of the sampling: one element in one dimension.
inline LogicalResult checkOneElement(const InferenceScope &scope, StringRef constraint,
                                     StringRef name, Value value) {
  return scope.checkVector(constraint, name, value, 1);
}

/// (C1) to (C6) of ttc.cached_attention, of the op or its adaptor.
template <typename Op> LogicalResult checkCachedAttention(const InferenceScope &scope, Op op) {
  constexpr int64_t block = ::ttc::kernels::kCacheBlock;
  const int64_t heads = op.getHeads(), groups = op.getKvHeads();
  if (groups < 1 || heads < 1 || heads % groups != 0)
    return scope.fail("(C1) expected 'kv_heads' of at least 1 that divides 'heads', found ", groups,
                      " and ", heads);
  auto qkv = tensorType(op.getQkv()), keys = tensorType(op.getKeys()),
       values = tensorType(op.getValues());
  if (keys.getRank() != 4 || keys.getDimSize(0) != groups || keys.getDimSize(3) != block ||
      keys.getDimSize(1) < 1 || keys.getDimSize(1) > INT32_MAX / block)
    return scope.fail("(C3) expected 'keys' of [", groups, ", T / ", block, ", D, ", block,
                      "] with T from ", block, " to 2^31 - 1, found ", keys);
  const int64_t context = keys.getDimSize(1) * block, depth = keys.getDimSize(2);
  // In 128 bits: attributes can have any value.
  const int64_t columns = toSize((static_cast<__int128>(heads) + 2 * groups) * depth);
  if (depth < 1 || depth % block != 0 || qkv.getRank() != 2 || qkv.getDimSize(0) < 1 ||
      qkv.getDimSize(1) != columns)
    return scope.fail("(C2) expected 'qkv' of [M, (", heads, " + 2 * ", groups,
                      ") * D] with M of at least 1 and D a multiple of ", block, ", found ", qkv,
                      " with keys of ", depth, " elements");
  const SmallVector<int64_t> expected{groups, depth / block, context, block};
  if (values.getShape() != ArrayRef(expected) || values.getElementType() != keys.getElementType())
    return scope.fail("(C3) expected 'values' of ", toString(expected), " and the type of 'keys' ",
                      keys, ", found ", values);
  if (failed(checkOneElement(scope, "C4", "position", op.getPosition())) ||
      (op.getCount() && failed(checkOneElement(scope, "C4", "count", op.getCount()))))
    return failure();
  if ((op.getRope() != Rope::None) != static_cast<bool>(op.getCosSin()))
    return scope.fail("(C5) expected 'cos_sin' exactly if there is a 'rope', found rope ",
                      stringifyRope(op.getRope()), op.getCosSin() ? " with it" : " without it");
  if (op.getCosSin() && tensorType(op.getCosSin()).getShape() != ArrayRef<int64_t>{context, depth})
    return scope.fail("(C5) expected 'cos_sin' of ", toString({context, depth}), ", found ",
                      tensorType(op.getCosSin()));
  if (!op.getScale().isFinite())
    return scope.fail("(C6) expected a finite 'scale', found ", op.getScale().convertToFloat());
  return success();
}

} // namespace mlir::ttc::detail

#endif // TTC_DIALECTS_TTC_TENSORS_CACHECHECKS_H
