// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/GenerativeOps.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/CacheChecks.h"
#include "mlir/IR/PatternMatch.h"
#include "ttrt/sampling.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;
using ::ttc::kernels::kSampleChunk;
using ::ttc::kernels::SampleParams;

LogicalResult CachedAttentionOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkCachedAttention(scope, adaptor)))
    return failure();
  auto qkv = tensorType(adaptor.getQkv()), keys = tensorType(adaptor.getKeys());
  const int64_t columns = adaptor.getHeads() * getCacheShape(keys).depth;
  types.push_back(qkv.clone({qkv.getDimSize(0), columns}));
  types.push_back(keys);
  types.push_back(adaptor.getValues().getType());
  return success();
}

/// A window of all positions leaves none out.
LogicalResult CachedAttentionOp::canonicalize(CachedAttentionOp op, PatternRewriter &rewriter) {
  const int64_t context = getCacheShape(tensorType(op.getKeys())).context;
  if (!op.getWindow() || static_cast<int64_t>(*op.getWindow()) < context)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.removeWindowAttr(); });
  return success();
}

//===----------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------===//

LogicalResult SampleOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                   SmallVectorImpl<Type> &types) {
  constexpr int64_t most = 1 << 20, mostRows = 1024, words = sizeof(ttrt_sampling) / 4;
  const bool hasSequences = static_cast<bool>(adaptor.getSequences());
  auto logits = tensorType(adaptor.getLogits()), token = tensorType(adaptor.getToken());
  if (logits.getRank() != 2 || logits.getDimSize(0) < 1 ||
      logits.getDimSize(0) > (hasSequences ? mostRows : 1) || logits.getDimSize(1) < 1 ||
      logits.getDimSize(1) > most)
    return scope.fail("(C1) expected 'logits' of [", hasSequences ? "B" : "1",
                      ", V] with V from 1 to 2^20", hasSequences ? " and B from 1 to 1024" : "",
                      ", found ", logits);
  if (hasSequences && (token.getRank() != 1 || token.getDimSize(0) < 1))
    return scope.fail("(C2) expected 'token' to be a vector of at least one element, found ",
                      token);
  const int64_t sequences = hasSequences ? token.getDimSize(0) : 1;
  if (failed(scope.checkVector("C2", "token", adaptor.getToken(), sequences)) ||
      failed(scope.checkVector("C2", "position", adaptor.getPosition(), sequences)))
    return failure();
  SmallVector<int64_t> leading;
  if (hasSequences)
    leading.push_back(sequences);
  auto shape = llvm::to_vector(leading);
  shape.push_back(words);
  if (auto sampling = tensorType(adaptor.getSampling()); sampling.getShape() != ArrayRef(shape))
    return scope.fail("(C3) expected 'sampling' of ", toString(shape), ", found ", sampling);
  auto history = tensorType(adaptor.getHistory());
  if (history.getRank() != static_cast<int64_t>(leading.size()) + 1 ||
      history.getShape().drop_back() != ArrayRef(leading) || history.getShape().back() < 1 ||
      history.getShape().back() > INT32_MAX)
    return scope.fail("(C4) expected 'history' of ", hasSequences ? "[N, T]" : "[T]",
                      " with T from 1 to 2^31 - 1",
                      hasSequences ? " and N of " + std::to_string(sequences) : "", ", found ",
                      history);
  if (hasSequences &&
      failed(scope.checkVector("C5", "sequences", adaptor.getSequences(), logits.getDimSize(0))))
    return failure();
  types.push_back(token.clone({logits.getDimSize(0)}));
  for (Value updated :
       {adaptor.getToken(), adaptor.getPosition(), adaptor.getSampling(), adaptor.getHistory()})
    types.push_back(updated.getType());
  return success();
}

/// Everything, and the bytes of scratch.
static std::pair<SampleParams, int64_t> getParams(SampleOp op) {
  SampleParams p{};
  p.vocabulary = tensorType(op.getLogits()).getDimSize(1);
  p.context = tensorType(op.getHistory()).getShape().back();
  // More than top-k and top-p usually leave; beyond, all tokens are looked at.
  p.candidates = std::min<int64_t>(p.vocabulary, 8192);
  int64_t at = 0;
  auto reserve = [&](int64_t bytes) {
    const int64_t begin = at;
    at += llvm::alignTo(bytes, 64);
    return begin;
  };
  p.maximaAt = reserve(llvm::divideCeilSigned(p.vocabulary, kSampleChunk) * 4);
  p.penalisedAt = reserve(llvm::divideCeilSigned(p.vocabulary, 32) * 4);
  p.candidatesAt = reserve(p.candidates * 12);
  p.histogramAt = reserve(256 * 8);
  p.rows = tensorType(op.getLogits()).getDimSize(0);
  p.sequences = op.getSequences() ? tensorType(op.getToken()).getDimSize(0) : 0;
  return {p, at};
}

StringRef SampleOp::getKernelSymbol() { return "ttc_kernel_sample"; }
void SampleOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this).first, params);
}
int64_t SampleOp::getGrid() { return tensorType(getLogits()).getDimSize(0); }
int64_t SampleOp::getScratchBytes() { return getParams(*this).second; }
bool SampleOp::hasEpilogue() { return false; }

/// All but `emitted`, in the order of the operands after the logits.
std::optional<unsigned> SampleOp::getUpdatedOperand(unsigned result) {
  return result == 0 ? std::nullopt : std::optional<unsigned>(result);
}
