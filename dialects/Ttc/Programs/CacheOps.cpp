// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of attention over a cache.
#include "dialects/Ttc/Programs/CacheOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/CacheChecks.h"
#include "dialects/Ttc/Tensors/OperationCounts.h"
#include "kernels/Budgets.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;
using ::ttc::kernels::CacheParams;
using ::ttc::kernels::CombineParams;
using ::ttc::kernels::kCacheBlock;

static_assert(static_cast<int64_t>(Rope::Halves) == ::ttc::kernels::kRopeHalves &&
              static_cast<int64_t>(Rope::Pairs) == ::ttc::kernels::kRopePairs);

/// Elements after those of a head in a partial result: a cache line, of which two are used.
static constexpr int64_t kPartialTail = 16;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyOperands(OpTy op) {
  InferenceScope scope(op.getContext(), op.getLoc(), OpTy::getOperationName());
  return checkCachedAttention(scope, op);
}

template <typename OpTy> static LogicalResult verifyCaches(OpTy op, StringRef constraint) {
  for (auto [name, from, to] : {std::tuple("new_keys", op.getKeys(), op.getNewKeys()),
                                std::tuple("new_values", op.getValues(), op.getNewValues())})
    if (from.getType() != to.getType())
      return op.emitOpError() << "(" << constraint << ") expected '" << name << "' of type "
                              << from.getType() << ", found " << to.getType();
  return success();
}

static LogicalResult verifyShape(Operation *op, StringRef constraint, StringRef name, Value value,
                                 ArrayRef<int64_t> shape) {
  if (tensorType(value).getShape() == shape)
    return success();
  return op->emitOpError() << "(" << constraint << ") expected '" << name << "' of "
                           << toString(shape) << ", found " << value.getType();
}

LogicalResult KernelDecodeAttentionOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  const int64_t rows = getQkv().getType().getDimSize(0);
  if (rows != 1 && (!getSequences() || getSequences().getType().getDimSize(0) != rows))
    return emitOpError("(C8) expected one row in 'qkv', or a sequence for each, found ")
           << getQkv().getType();
  const int64_t splits = getSplits(), depth = getCacheShape(getKeys().getType()).depth;
  if (splits < 1)
    return emitOpError("(C9) expected 'splits' of at least 1, found ") << splits;
  const bool isWhole = splits == 1;
  return success(succeeded(verifyShape(*this, "C9", "out", getOut(),
                                       isWhole ? ArrayRef<int64_t>{rows, getHeads() * depth}
                                               : ArrayRef<int64_t>{splits, rows * getHeads(),
                                                                   depth + kPartialTail})) &&
                 succeeded(verifyCaches(*this, "C9")));
}

/// All rows belong to one sequence.
template <typename OpTy> static LogicalResult verifyOneSequence(OpTy op) {
  if (!op.getSequences() || op.getSequences().getType().getDimSize(0) == 1)
    return success();
  return op.emitOpError("(C8) expected one element in 'sequences', found ")
         << op.getSequences().getType();
}

LogicalResult KernelUpdateCacheOp::verify() {
  return success(succeeded(verifyOperands(*this)) && succeeded(verifyOneSequence(*this)) &&
                 succeeded(verifyCaches(*this, "C9")));
}

LogicalResult KernelPrefillAttentionOp::verify() {
  if (failed(verifyOperands(*this)) || failed(verifyOneSequence(*this)))
    return failure();
  return verifyShape(
      *this, "C9", "y", getY(),
      {getQkv().getType().getDimSize(0), getHeads() * getCacheShape(getKeys().getType()).depth});
}

LogicalResult KernelCombineAttentionOp::verify() {
  auto type = getPartials().getType();
  if (type.getRank() != 3 || type.getNumElements() == 0 || type.getDimSize(2) <= kPartialTail ||
      (type.getDimSize(2) - kPartialTail) % kCacheBlock != 0)
    return emitOpError("(C1) expected 'partials' of [parts, heads, D + ")
           << kPartialTail << "] with D a multiple of " << kCacheBlock << ", found " << type;
  const int64_t rows = getRows(), heads = type.getDimSize(1);
  if (rows < 1 || heads % rows != 0)
    return emitOpError("(C1) expected 'rows' of at least 1 that divides ")
           << heads << " heads, found " << rows;
  return verifyShape(*this, "C1", "out", getOut(),
                     {rows, heads / rows * (type.getDimSize(2) - kPartialTail)});
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// What all kernels over a cache are given.
template <typename OpTy> static CacheParams getCacheParams(OpTy op) {
  CacheParams p{};
  auto keys = op.getKeys().getType();
  p.rows = op.getQkv().getType().getDimSize(0);
  p.heads = op.getHeads();
  p.groups = op.getKvHeads();
  const CacheShape shape = getCacheShape(keys);
  p.depth = shape.depth;
  p.context = shape.context;
  p.sequences = shape.sequences;
  Type element = keys.getElementType();
  p.element = element.isInteger(8) ? ::ttc::kernels::kI8
              : element.isF16()    ? ::ttc::kernels::kF16
                                   : ::ttc::kernels::kF32;
  p.rope = static_cast<int64_t>(op.getRope());
  p.hasTable = op.getCosSin() ? 1 : 0;
  p.hasCount = op.getCount() ? 1 : 0;
  p.hasSequences = op.getSequences() ? 1 : 0;
  p.hasSinks = op.getSinks() ? 1 : 0;
  const auto window = static_cast<int64_t>(op.getWindow().value_or(0));
  p.window = window < p.context ? window : 0;
  auto toBits = [](const APFloat &number) {
    return static_cast<int64_t>(llvm::bit_cast<uint32_t>(number.convertToFloat()));
  };
  p.scale = toBits(op.getScale());
  p.softCap = op.getSoftCap() ? toBits(*op.getSoftCap()) : 0;
  p.workgroups = p.splits = p.tileRows = 1;
  return p;
}

/// Lays out scratch for `p.tileRows` rows of the heads of a group; returns its bytes.
static int64_t layOutWalk(CacheParams &p) {
  const int64_t rows = p.heads / p.groups * p.tileRows;
  const int64_t blocks =
      ::ttc::kernels::kScoresBudget / (rows * kCacheBlock * static_cast<int64_t>(sizeof(float)));
  p.chunkBlocks = std::min(std::clamp<int64_t>(blocks, 1, 16), p.context / kCacheBlock);
  // A cache line more, so that the rows of a tile do not share one set of a cache.
  p.scoreRow = p.chunkBlocks * kCacheBlock + 16;
  int64_t at = 0;
  auto reserve = [&](int64_t elements) {
    const int64_t begin = at;
    at += llvm::alignTo(elements * sizeof(float), 64);
    return begin;
  };
  p.queriesAt = reserve(rows * p.depth);
  p.scoresAt = reserve(rows * p.scoreRow);
  p.resultsAt = reserve(rows * p.depth);
  p.statsAt = reserve(2 * rows);
  p.scaledAt = reserve(p.element == ::ttc::kernels::kI8 ? rows * kCacheBlock : 0);
  return at;
}

static std::pair<CacheParams, int64_t> getParams(KernelDecodeAttentionOp op) {
  CacheParams p = getCacheParams(op);
  p.splits = op.getSplits();
  // All parts of a row, and as many rows at a time as divide them equally.
  const int64_t parts = p.groups * p.splits;
  int64_t together = std::clamp<int64_t>(getMaxWorkgroups(op.getOperation()) / parts, 1, p.rows);
  while (p.rows % together != 0)
    --together;
  p.workgroups = parts * together;
  p.partialRow = p.depth + kPartialTail;
  const int64_t scratch = layOutWalk(p);
  return {p, scratch};
}

static std::pair<CacheParams, int64_t> getParams(KernelUpdateCacheOp op) {
  CacheParams p = getCacheParams(op);
  const int64_t blocks = p.groups * llvm::divideCeilSigned(p.rows + kCacheBlock - 1, kCacheBlock);
  p.workgroups =
      std::min({blocks, p.groups * p.context / kCacheBlock, getMaxWorkgroups(op.getOperation())});
  return {p, llvm::alignTo(p.depth * sizeof(float), 64)};
}

static std::pair<CacheParams, int64_t> getParams(KernelPrefillAttentionOp op) {
  CacheParams p = getCacheParams(op);
  const int64_t most = getMaxWorkgroups(op.getOperation());
  // As many rows as leave work for all: up to 16, and up to 48 queries that share scratch.
  const int64_t heads = p.heads / p.groups;
  while (p.tileRows < 16 && p.tileRows * 2 * heads <= 48 &&
         llvm::divideCeilSigned(p.rows, p.tileRows * 2) * p.groups * 4 >= 3 * most)
    p.tileRows *= 2;
  p.workgroups = std::min(llvm::divideCeilSigned(p.rows, p.tileRows) * p.groups, most);
  const int64_t scratch = layOutWalk(p);
  return {p, scratch};
}

static std::pair<CombineParams, int64_t> getParams(KernelCombineAttentionOp op) {
  auto shape = op.getPartials().getType().getShape();
  CombineParams p{};
  p.splits = shape[0];
  p.heads = shape[1];
  p.partialRow = shape[2];
  p.depth = p.partialRow - kPartialTail;
  // A part of a result costs some four multiply-adds.
  p.workgroups = std::min(
      p.heads, chooseWorkgroups(op, times(4, op.getPartials().getType().getNumElements())));
  return {p, 0};
}

#define TTC_CACHE_KERNEL(OP, NAME)                                                                 \
  StringRef OP::getKernelSymbol() { return "ttc_kernel_" NAME; }                                   \
  void OP::getKernelParams(SmallVectorImpl<int64_t> &params) {                                     \
    appendParams(getParams(*this).first, params);                                                  \
  }                                                                                                \
  int64_t OP::getGrid() { return getParams(*this).first.workgroups; }                              \
  int64_t OP::getScratchBytes() { return getParams(*this).second; }                                \
  bool OP::hasEpilogue() { return false; }

TTC_CACHE_KERNEL(KernelDecodeAttentionOp, "decode_attention")
TTC_CACHE_KERNEL(KernelUpdateCacheOp, "update_cache")
TTC_CACHE_KERNEL(KernelPrefillAttentionOp, "prefill_attention")
TTC_CACHE_KERNEL(KernelCombineAttentionOp, "combine_attention")

/// The keys and the values: operands 1 and 2.
std::optional<unsigned> KernelDecodeAttentionOp::getUpdatedOperand(unsigned result) {
  return result == 0 ? std::nullopt : std::optional<unsigned>(result);
}
std::optional<unsigned> KernelUpdateCacheOp::getUpdatedOperand(unsigned result) {
  return result + 1;
}

/// A part has a weight, and its elements are weighted and added; the sum divides them.
int64_t KernelCombineAttentionOp::getOperationCount() {
  auto shape = getPartials().getType().getShape();
  return times(shape[1], plus(times(shape[0], plus(kFunction + 3, times(2, shape[2]))),
                              times(kDivision, shape[2])));
}
