// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Tensors/CacheChecks.h"
#include "dialects/Ttc/TtcOps.h"
#include "ttrt/sampling.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;
using ::ttc::kernels::kSampleChunk;
using ::ttc::kernels::SampleParams;

LogicalResult CachedAttentionOp::inferReturnTypes(MLIRContext *context,
                                                  std::optional<Location> location, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  InferenceScope scope(location, getOperationName());
  if (failed(scope.checkTensors(adaptor.getOperands())) ||
      failed(checkCachedAttention(scope, adaptor)))
    return failure();
  auto qkv = tensorType(adaptor.getQkv()), keys = tensorType(adaptor.getKeys());
  const int64_t columns = adaptor.getHeads() * keys.getDimSize(2);
  types.push_back(qkv.clone({qkv.getDimSize(0), columns}));
  types.push_back(keys);
  types.push_back(adaptor.getValues().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------===//

LogicalResult SampleOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  InferenceScope scope(location, getOperationName());
  if (failed(scope.checkTensors(adaptor.getOperands())))
    return failure();
  constexpr int64_t most = 1 << 20;
  auto logits = tensorType(adaptor.getLogits()), history = tensorType(adaptor.getHistory());
  if (logits.getRank() != 2 || logits.getDimSize(0) != 1 || logits.getDimSize(1) < 1 ||
      logits.getDimSize(1) > most)
    return scope.fail("(C1) expected 'logits' of [1, V] with V from 1 to 2^20, found ", logits);
  if (failed(checkOneElement(scope, "C2", "token", adaptor.getToken())) ||
      failed(checkOneElement(scope, "C2", "position", adaptor.getPosition())) ||
      failed(scope.checkVector("C3", "sampling", adaptor.getSampling(), sizeof(ttrt_sampling) / 4)))
    return failure();
  if (history.getRank() != 1 || history.getDimSize(0) < 1 || history.getDimSize(0) > INT32_MAX)
    return scope.fail("(C4) expected 'history' of one dimension from 1 to 2^31 - 1, found ",
                      history);
  types.push_back(adaptor.getToken().getType());
  for (Value updated :
       {adaptor.getToken(), adaptor.getPosition(), adaptor.getSampling(), adaptor.getHistory()})
    types.push_back(updated.getType());
  return success();
}

/// Everything, and the bytes of scratch.
static std::pair<SampleParams, int64_t> getParams(SampleOp op) {
  SampleParams p{};
  p.vocabulary = tensorType(op.getLogits()).getDimSize(1);
  p.context = tensorType(op.getHistory()).getDimSize(0);
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
  return {p, at};
}

StringRef SampleOp::getKernelSymbol() { return "ttc_kernel_sample"; }
void SampleOp::getKernelParams(SmallVectorImpl<int64_t> &params) {
  appendParams(getParams(*this).first, params);
}
int64_t SampleOp::getGrid() { return 1; }
int64_t SampleOp::getScratchBytes() { return getParams(*this).second; }
bool SampleOp::hasEpilogue() { return false; }

/// All but `emitted`, in the order of the operands behind the logits.
std::optional<unsigned> SampleOp::getUpdatedOperand(unsigned result) {
  return result == 0 ? std::nullopt : std::optional<unsigned>(result);
}
