// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcOps.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttrt/bundle_format.h"
#include "ttrt/commands.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_SIZETRACEREGION
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

struct SizeTraceRegion : mlir::ttc::impl::SizeTraceRegionBase<SizeTraceRegion> {
  using SizeTraceRegionBase::SizeTraceRegionBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<TargetAttr> target = getTarget(module);
    if (failed(target))
      return signalPassFailure();

    int64_t needed = 0;
    for (auto trace : module.getOps<TraceOp>()) {
      if (!trace.isEncoded()) {
        trace.emitError("expected commands in @")
            << trace.getSymName() << ", found work on tensors; --ttc-encode-commands encodes it";
        return signalPassFailure();
      }
      needed += llvm::alignTo(trace.getStreamBytes(), ttrt::kStreamAlignment);
    }
    if (traceRegionSize >= 0 && needed > traceRegionSize) {
      module.emitError("expected a trace region of at least ")
          << needed << " bytes, found trace-region-size=" << int64_t(traceRegionSize);
      return signalPassFailure();
    }

    int64_t dramBytes = getDramBytes(*target), address = dramBytes - needed;
    // Streams are read-only pages: no buffer shares their first page.
    int64_t limit = llvm::alignDown(address, ttrt::kPageSize);
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.getMemory() == MemorySpace::Dram && buffer.isPlanned()) {
        int64_t end = buffer.getAddressAttr().getInt() + buffer.getSizeAttr().getInt();
        if (end > limit) {
          module.emitError("needs ")
              << end << " bytes of DRAM for buffers and " << dramBytes - limit
              << " for the trace region, but " << target->getName() << " has " << dramBytes;
          return signalPassFailure();
        }
      }

    OpBuilder builder(&getContext());
    for (auto trace : module.getOps<TraceOp>()) {
      int64_t size = trace.getStreamBytes();
      trace.setRegionAddressAttr(builder.getI64IntegerAttr(address));
      trace.setRegionSizeAttr(builder.getI64IntegerAttr(size));
      address += llvm::alignTo(size, ttrt::kStreamAlignment);
    }
    regionBytes += needed;
  }
};

} // namespace
