// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points, schedules and their steps.
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Layout/ValidSize.h"
#include "dialects/Ttc/Traces/BufferOps.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttrt/format/bundle_format.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- entry ------------------------------------------------------------------------===//

void EntryOp::build(OpBuilder &builder, OperationState &state, StringRef name) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addRegion()->emplaceBlock();
}

template <typename OpTy> static LogicalResult verifyUniqueNames(EntryOp entry) {
  llvm::StringSet<> names;
  for (OpTy op : entry.getBody().getOps<OpTy>())
    if (!names.insert(op.getName()).second)
      return emitOpErrorOn(op, entry)
             << "(C2) expected unique names, found \"" << op.getName() << "\" twice";
  return success();
}

static LogicalResult verifyVariant(EntryOp entry) {
  auto variant = entry->getAttrOfType<VariantAttr>(kVariantAttrName);
  bool hasExtents = false;
  auto verifyPort = [&](auto port) -> LogicalResult {
    auto dims = port->template getAttrOfType<AffineMapAttr>(kDimsAttrName);
    if (dims && !variant)
      return port.emitOpError("expected '")
             << kDimsAttrName << "' in an entry point with '" << kVariantAttrName << "'";
    if (!dims)
      return success();
    auto whole = getWholeType(cast<RankedTensorType>(port.getType()),
                              port->template getAttrOfType<ArrayAttr>(kShardingAttrName), entry);
    return variant.verifyDims(dims.getValue(), whole, [&] { return port.emitOpError(); });
  };
  for (auto input : entry.getBody().getOps<InputOp>()) {
    hasExtents |=
        variant && input.getName() == kExtentsName && input.getType() == variant.getExtentsType();
    if (failed(verifyPort(input)))
      return failure();
  }
  for (auto output : entry.getBody().getOps<OutputOp>())
    if (failed(verifyPort(output)))
      return failure();
  if (variant && !hasExtents)
    return entry.emitOpError("(C5) expected a variant to have an input '")
           << kExtentsName << "' of type " << variant.getExtentsType() << ", found none";
  return success();
}

LogicalResult EntryOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<InputOp, OutputOp, ScheduleOp>(op))
      return emitOpErrorOn(&op, *this)
             << "(C1) expected nothing but inputs, outputs and schedules, found " << op.getName();
  if (getBody().getOps<ScheduleOp>().empty())
    return emitOpError("(C1) expected at least one schedule, found none");
  if (failed(verifyUniqueNames<InputOp>(*this)) || failed(verifyUniqueNames<OutputOp>(*this)) ||
      failed(verifyUniqueNames<ScheduleOp>(*this)))
    return failure();
  llvm::StringSet<> names;
  for (auto schedule : getBody().getOps<ScheduleOp>())
    names.insert(schedule.getName());
  if (ArrayAttr wanted = getWantedSchedulesAttr())
    for (auto name : wanted.getAsRange<StringAttr>())
      if (!names.insert(name.getValue()).second)
        return emitOpError("(C3) expected 'wanted_schedules' to name schedules that the body does ")
               << "not have, each once, found " << name;
  if (getDevicesAttr() && !getPartOfAttr())
    return emitOpError("(C4) expected 'devices' with 'part_of', found it alone");
  if (!getDevicesAttr() && getPartOfAttr())
    return emitOpError("(C4) expected 'part_of' with 'devices', found it alone");
  if (getDevices() && !isDeviceList(*getDevices()))
    return emitOpError("(C4) expected distinct devices in ascending order, at least one, found ")
           << getDevicesAttr();
  return verifyVariant(*this);
}

bool mlir::ttc::isDeviceList(ArrayRef<int64_t> devices) {
  return !devices.empty() && devices.front() >= 0 && devices.back() < ttrt::kMaxDevices &&
         llvm::is_sorted(devices, std::less_equal<>());
}

static LogicalResult verifyPortBuffer(Operation *op, SymbolTableCollection &symbols,
                                      FlatSymbolRefAttr symbol, Type type) {
  if (failed(verifyBuffer(op, symbols, symbol, getTensorBytes(cast<ShapedType>(type)), "(C1)")))
    return failure();
  BufferKind kind = symbols.lookupNearestSymbolFrom<BufferOp>(op, symbol).getKind();
  if (kind == BufferKind::Slot || kind == BufferKind::Host || kind == BufferKind::State)
    return success();
  return op->emitOpError("(C1) expected ")
         << symbol << " to be a slot, host or state buffer, found kind "
         << stringifyBufferKind(kind);
}

template <typename PortOp>
static LogicalResult verifySlots(PortOp port, SymbolTableCollection &symbols) {
  llvm::SmallDenseSet<Attribute> seen;
  for (int64_t i = 0; i < port.getNumSlots(); ++i) {
    if (failed(verifyPortBuffer(port, symbols, port.getSlot(i), port.getType())))
      return failure();
    if (!seen.insert(port.getSlot(i)).second)
      return port.emitOpError("(C2) expected different slots, found ")
             << port.getSlot(i) << " twice";
  }
  return success();
}

LogicalResult InputOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySlots(*this, symbols);
}

LogicalResult OutputOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySlots(*this, symbols);
}

//===--- schedule ---------------------------------------------------------------------===//

void ScheduleOp::build(OpBuilder &builder, OperationState &state, StringRef name, int64_t queues) {
  state.addAttribute(getNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getQueuesAttrName(state.name), builder.getI64IntegerAttr(queues));
  state.addRegion();
  state.addRegion()->emplaceBlock();
  state.addRegion();
}

LogicalResult ScheduleOp::verifyRegions() {
  for (Region &region : (*this)->getRegions())
    for (Operation &op : region.getOps()) {
      auto step = dyn_cast<StepOpInterface>(op);
      if (!step)
        return emitOpErrorOn(&op, *this)
               << "(C2) expected nothing but steps, found " << op.getName();
      if (step.getStepQueue() < 0 || step.getStepQueue() >= static_cast<int64_t>(getQueues()))
        return emitOpErrorOn(&op, *this) << "(C1) expected a queue below " << getQueues()
                                         << ", found " << step.getStepQueue();
    }
  if (getBody().front().empty())
    return emitOpError("(C3) expected at least one step in its body, found none");
  return success();
}

/// Verifies that the ports that steps write or read exist, and that each buffer is one of the
/// port's slots. All steps at once: one alone would look for its port from the first one on.
template <typename StepOp, typename PortOp>
static LogicalResult verifyPorts(ScheduleOp schedule, StringRef what) {
  auto ports = llvm::to_vector(schedule->getParentOfType<EntryOp>().getBody().getOps<PortOp>());
  for (Region &region : schedule->getRegions())
    for (auto step : region.getOps<StepOp>()) {
      if (step.getIndex() >= ports.size())
        return step.emitOpError("(C1) expected an ")
               << what << " below " << ports.size() << ", found "
               << static_cast<int64_t>(step.getIndex());
      PortOp port = ports[step.getIndex()];
      auto isSlot = [&](int64_t i) { return port.getSlot(i) == step.getBufferAttr(); };
      if (llvm::any_of(llvm::seq<int64_t>(0, port.getNumSlots()), isSlot))
        continue;
      InFlightDiagnostic error = step.emitOpError("(C1) expected ");
      if (port.getNumSlots() == 1)
        error << "the buffer of " << what << " " << step.getIndex() << ", " << port.getBufferAttr();
      else
        error << "one of the " << port.getNumSlots() << " slots of " << what << " "
              << step.getIndex();
      return error << ", found " << step.getBufferAttr();
    }
  return success();
}

LogicalResult ScheduleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(succeeded(verifyWaits(*this, symbols)) &&
                 succeeded(verifyPorts<EnqueueWriteOp, InputOp>(*this, "input")) &&
                 succeeded(verifyPorts<EnqueueReadOp, OutputOp>(*this, "output")));
}

//===--- steps ------------------------------------------------------------------------===//

LogicalResult EnqueueWriteOp::verifySymbolUses(SymbolTableCollection &) {
  return success(); // by the schedule
}
void EnqueueWriteOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getBufferAttr(), true});
}

LogicalResult EnqueueReadOp::verifySymbolUses(SymbolTableCollection &) {
  return success(); // by the schedule
}
void EnqueueReadOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getBufferAttr(), false});
}

LogicalResult EnqueueExecuteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(static_cast<bool>(lookupSymbol<TraceOp>(*this, symbols, getTraceAttr(), "(C1)")));
}
void EnqueueExecuteOp::getAccesses(SmallVectorImpl<BufferAccess> &) {}
FlatSymbolRefAttr EnqueueExecuteOp::getExecutedTrace() { return getTraceAttr(); }

LogicalResult EnqueueHostOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyProgramBuffers(*this, symbols, getProgramAttr(), getInputs(), getOutputs());
}
void EnqueueHostOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  appendAccesses(getInputs(), /*write=*/false, accesses);
  appendAccesses(getOutputs(), /*write=*/true, accesses);
}
int64_t EnqueueHostOp::getScratchBytes(SymbolTableCollection &symbols) {
  return getScratchBytesOf(*this, symbols, getProgramAttr());
}

void EnqueueDispatchOp::build(OpBuilder &builder, OperationState &state, FlatSymbolRefAttr program,
                              ArrayRef<BufferRef> inputs, ArrayRef<BufferRef> outputs,
                              int64_t queue) {
  buildWithPlaces<EnqueueDispatchOp>(builder, state, program, inputs, outputs,
                                     builder.getI64IntegerAttr(queue));
}
int64_t EnqueueDispatchOp::getOffset(unsigned index) {
  return getOffsetOf(index, getInputs(), getInputOffsets(), getOutputOffsets());
}
LogicalResult EnqueueDispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyDispatch(*this, symbols);
}
int64_t EnqueueDispatchOp::getScratchBytes(SymbolTableCollection &symbols) {
  return getScratchBytesOf(*this, symbols, getProgramAttr());
}
void EnqueueDispatchOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  appendAccesses(getInputs(), /*write=*/false, accesses);
  appendAccesses(getOutputs(), /*write=*/true, accesses);
}

LogicalResult EnqueueCopyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(succeeded(verifyBuffer(*this, symbols, getSourceAttr(), getBytes(), "(C1)")) &&
                 succeeded(verifyBuffer(*this, symbols, getTargetAttr(), getBytes(), "(C1)")));
}
void EnqueueCopyOp::getAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getSourceAttr(), false});
  accesses.push_back({getTargetAttr(), true});
}

LogicalResult EnqueueRecordOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(static_cast<bool>(lookupSymbol<EventOp>(*this, symbols, getEventAttr(), "(C1)")));
}
void EnqueueRecordOp::getAccesses(SmallVectorImpl<BufferAccess> &) {}
bool EnqueueRecordOp::isWait() { return false; }

LogicalResult EnqueueWaitOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(static_cast<bool>(lookupSymbol<EventOp>(*this, symbols, getEventAttr(), "(C1)")));
}
void EnqueueWaitOp::getAccesses(SmallVectorImpl<BufferAccess> &) {}
bool EnqueueWaitOp::isWait() { return true; }
