// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_COUNTFLOPS
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// Nothing if an op does not tell.
std::optional<int64_t> countBody(ProgramOp program) {
  uint64_t flops = 0;
  for (Operation &op : program.getBody().front()) {
    std::optional<int64_t> count = countOperations(&op);
    if (!count)
      return std::nullopt;
    flops = llvm::SaturatingAdd<uint64_t>(flops, *count);
  }
  for (int64_t parts : program.getShards().value_or(ArrayRef<int64_t>()))
    flops = llvm::SaturatingMultiply<uint64_t>(flops, parts);
  return static_cast<int64_t>(std::min<uint64_t>(flops, INT64_MAX));
}

struct CountFlops : impl::CountFlopsBase<CountFlops> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (!program.hasTensorBody())
      return;
    program.setFlops(countBody(program));
  }
};

} // namespace
} // namespace mlir::ttc
