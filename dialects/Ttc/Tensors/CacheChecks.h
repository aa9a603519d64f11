// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constraints that ttc.cached_attention shares with its kernel ops. Private to the dialect.
#ifndef TTC_DIALECTS_TTC_TENSORS_CACHECHECKS_H
#define TTC_DIALECTS_TTC_TENSORS_CACHECHECKS_H

#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "kernels/Params.h"

namespace mlir::ttc::detail {

/// What caches of `keys` hold: sequences, positions of each, elements of a head.
struct CacheShape {
  int64_t sequences, context, depth;
};

/// Rows of 32 elements that `rows` take with their scales: caches of i8 have one of scales for 16.
inline int64_t withScales(int64_t rows, Type element) {
  return element.isInteger(8) ? rows + rows / 16 : rows;
}

/// `keys` satisfies (C3) of ttc.cached_attention.
inline CacheShape getCacheShape(RankedTensorType keys) {
  const int64_t first = keys.getRank() - 4, rows = keys.getDimSize(first + 2);
  return {first == 1 ? keys.getDimSize(0) : 1,
          keys.getDimSize(first + 1) * ::ttc::kernels::kCacheBlock,
          keys.getElementType().isInteger(8) ? rows / 17 * 16 : rows};
}

/// (C1) to (C7) of ttc.cached_attention, of the op or its adaptor.
template <typename Op> LogicalResult checkCachedAttention(const InferenceScope &scope, Op op) {
  constexpr int64_t block = ::ttc::kernels::kCacheBlock;
  const int64_t heads = op.getHeads(), groups = op.getKvHeads();
  if (groups < 1 || heads < 1 || heads % groups != 0)
    return scope.fail("(C1) expected 'kv_heads' of at least 1 that divides 'heads', found ", groups,
                      " and ", heads);
  auto qkv = tensorType(op.getQkv()), keys = tensorType(op.getKeys()),
       values = tensorType(op.getValues());
  const int64_t first = op.getSequences() ? 1 : 0;
  const bool isInt8 = keys.getElementType().isInteger(8);
  const StringRef leading = first ? "N, " : "", depthName = isInt8 ? "D + D / 16" : "D";
  if (keys.getRank() != 4 + first || keys.getDimSize(0) < 1 || keys.getDimSize(first) != groups ||
      keys.getDimSize(first + 3) != block || keys.getDimSize(first + 1) < 1 ||
      keys.getDimSize(first + 1) > INT32_MAX / block ||
      (isInt8 && keys.getDimSize(first + 2) % 34 != 0))
    return scope.fail("(C3) expected 'keys' of [", leading, groups, ", T / ", block, ", ",
                      depthName, ", ", block, "] with T from ", block, " to 2^31 - 1, found ",
                      keys);
  const auto [sequences, context, depth] = getCacheShape(keys);
  // In 128 bits: attributes can have any value.
  const int64_t columns = toSize((static_cast<__int128>(heads) + 2 * groups) * depth);
  if (depth < 1 || depth % block != 0 || qkv.getRank() != 2 || qkv.getDimSize(0) < 1 ||
      qkv.getDimSize(1) != columns)
    return scope.fail("(C2) expected 'qkv' of [M, (", heads, " + 2 * ", groups,
                      ") * D] with M of at least 1 and D a multiple of ", block, ", found ", qkv,
                      " with keys of ", depth, " elements");
  SmallVector<int64_t> expected{groups, depth / block, withScales(context, keys.getElementType()),
                                block};
  if (first)
    expected.insert(expected.begin(), sequences);
  if (values.getShape() != ArrayRef(expected) || values.getElementType() != keys.getElementType())
    return scope.fail("(C3) expected 'values' of ", toString(expected), " and the type of 'keys' ",
                      keys, ", found ", values);
  if (failed(scope.checkVector("C4", "position", op.getPosition(), sequences)) ||
      (op.getCount() && failed(scope.checkVector("C4", "count", op.getCount(), 1))))
    return failure();
  if ((op.getRope() != Rope::None) != static_cast<bool>(op.getCosSin()))
    return scope.fail("(C5) expected 'cos_sin' exactly if there is a 'rope', found rope ",
                      stringifyRope(op.getRope()), op.getCosSin() ? " with it" : " without it");
  if (op.getCosSin() && tensorType(op.getCosSin()).getShape() != ArrayRef<int64_t>{context, depth})
    return scope.fail("(C5) expected 'cos_sin' of ", toString({context, depth}), ", found ",
                      tensorType(op.getCosSin()));
  if (!op.getScale().isFinite())
    return scope.fail("(C6) expected a finite 'scale', found ", op.getScale().convertToFloat());
  if (std::optional<uint64_t> window = op.getWindow(); window && static_cast<int64_t>(*window) < 1)
    return scope.fail("(C6) expected 'window' of at least 1, found ",
                      static_cast<int64_t>(*window));
  // Written so that NaN is refused.
  if (std::optional<APFloat> cap = op.getSoftCap();
      cap && !(cap->convertToFloat() >= 1e-30f && cap->convertToFloat() <= 1e30f))
    return scope.fail("(C6) expected 'soft_cap' from 1e-30 to 1e30, found ", cap->convertToFloat());
  if (const int64_t rows = qkv.getDimSize(0);
      op.getSequences() && tensorType(op.getSequences()).getShape() != ArrayRef<int64_t>{1} &&
      tensorType(op.getSequences()).getShape() != ArrayRef(rows))
    return scope.fail("(C7) expected 'sequences' to be a vector of 1 or of ", rows,
                      " elements, found ", tensorType(op.getSequences()));
  if (op.getSinks() && failed(scope.checkVector("C7", "sinks", op.getSinks(), heads)))
    return failure();
  return success();
}

} // namespace mlir::ttc::detail

#endif // TTC_DIALECTS_TTC_TENSORS_CACHECHECKS_H
