// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MemoryPeak.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/commands.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_SIZETRACEREGION
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

struct SizeTraceRegion : mlir::ttc::impl::SizeTraceRegionBase<SizeTraceRegion> {
  using SizeTraceRegionBase::SizeTraceRegionBase;
  PassCounter regionBytes{*this, "region-bytes", "Bytes of the trace region"};
  PassCounter bankBytes{*this, "bank-bytes", "What the trace region takes of each DRAM bank"};

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
    int64_t perBank = getBytesPerBank(*target, needed);
    if (traceRegionSize >= 0 && needed > traceRegionSize) {
      InFlightDiagnostic error = emitError(module.getLoc(), "expected a trace region of at least ");
      error << needed << " bytes";
      if (target->getDramBanks() > 1)
        error << " (" << perBank << " on each of " << target->getDramBanks() << " banks)";
      error << ", found trace-region-size=" << int64_t(traceRegionSize);
      for (auto trace : module.getOps<TraceOp>())
        error.attachNote(trace.getLoc())
            << "the stream of @" << trace.getSymName() << " takes "
            << llvm::alignTo(trace.getStreamBytes(), ttrt::kStreamAlignment) << " bytes";
      if (int64_t least = getDefaultBytes(module); least > 0 && least < needed)
        error.attachNote(module.getLoc())
            << "with the default schedule only (--schedules) " << least << " bytes are enough";
      signalPassFailure();
      return;
    }

    OpBuilder builder(&getContext());
    int64_t dramBytes = getDramBytes(*target), address = dramBytes - needed;
    if (traceRegionSize > dramBytes) {
      emitError(module.getLoc(), "expected a trace region of at most ")
          << dramBytes << " bytes (the DRAM of target '" << target->getName()
          << "'), found trace-region-size=" << int64_t(traceRegionSize);
      return signalPassFailure();
    }
    int64_t reserved = std::max<int64_t>(
        needed, llvm::alignTo(std::max<int64_t>(traceRegionSize, 0), ttrt::kStreamAlignment));
    if (reserved > needed)
      module->setAttr(kTraceRegionAttrName, builder.getI64IntegerAttr(reserved));
    else
      module->removeAttr(kTraceRegionAttrName);
    // Streams are read-only pages: no buffer shares their first page.
    int64_t limit = llvm::alignDown(dramBytes - reserved, ttrt::kPageSize);
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.getMemory() == MemorySpace::Dram && buffer.isPlanned()) {
        int64_t end = buffer.getAddressAttr().getInt() + buffer.getSizeAttr().getInt();
        if (end > limit) {
          InFlightDiagnostic error = emitError(module.getLoc(), "needs ")
                                     << getEnd(module) << " bytes of DRAM for buffers and "
                                     << dramBytes - limit << " for the trace region, but "
                                     << target->getName() << " has " << dramBytes;
          attachPeak(error, module, MemorySpace::Dram, *target);
          signalPassFailure();
          return;
        }
      }

    for (auto trace : module.getOps<TraceOp>()) {
      int64_t size = trace.getStreamBytes();
      trace.setRegionAddressAttr(builder.getI64IntegerAttr(address));
      trace.setRegionSizeAttr(builder.getI64IntegerAttr(size));
      address += llvm::alignTo(size, ttrt::kStreamAlignment);
    }
    regionBytes += reserved;
    bankBytes += getBytesPerBank(*target, reserved);
  }

private:
  /// What the streams of the entry points' default schedules take.
  static int64_t getDefaultBytes(ModuleOp module) {
    SymbolTable symbols(module);
    llvm::SmallDenseSet<Attribute> names;
    int64_t bytes = 0;
    for (auto entry : module.getOps<EntryOp>())
      for (Region &region : (*entry.getBody().getOps<ScheduleOp>().begin())->getRegions())
        for (auto step : region.getOps<StepOpInterface>())
          if (FlatSymbolRefAttr name = step.getExecutedTrace(); name && names.insert(name).second)
            bytes += llvm::alignTo(symbols.lookup<TraceOp>(name.getAttr()).getStreamBytes(),
                                   ttrt::kStreamAlignment);
    return bytes;
  }

  /// The end of the highest buffer in DRAM.
  static int64_t getEnd(ModuleOp module) {
    int64_t end = 0;
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.getMemory() == MemorySpace::Dram && buffer.isPlanned())
        end = std::max(end, buffer.getAddressAttr().getInt() + buffer.getSizeAttr().getInt());
    return end;
  }
};

} // namespace
