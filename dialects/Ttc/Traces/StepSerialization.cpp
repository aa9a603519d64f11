// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of schedules as tables of the bundle's schema, and back.
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "ttrt/ttc_bundle_generated.h"

using namespace mlir;
using namespace mlir::ttc;
using ttrt::fb::StepKind;
using ttrt::fb::StepT;

static IntegerAttr getQueue(OpBuilder &builder, const StepT &table) {
  return builder.getI64IntegerAttr(table.queue);
}

//===--- write, read ------------------------------------------------------------------===//

/// Sets the number of the port and which of its slots the step accesses. The step's verifier
/// guarantees that both exist.
template <typename PortOp, typename Op>
static void writePort(Op step, ArrayRef<Operation *> ports, StepT &table) {
  table.index = step.getIndex();
  auto port = cast<PortOp>(ports[table.index]);
  while (port.getSlot(table.slot) != step.getBufferAttr())
    ++table.slot;
}

template <typename Op>
static LogicalResult readPort(OpBuilder &builder, Location location, const StepT &table,
                              FlatSymbolRefAttr buffer) {
  if (!buffer)
    return failure();
  Op::create(builder, location, builder.getI64IntegerAttr(table.index), buffer,
             getQueue(builder, table));
  return success();
}

StepKind EnqueueWriteOp::getStepKind() { return StepKind::Write; }
void EnqueueWriteOp::writeStep(const BundleNumbers &numbers, StepT &table) {
  writePort<InputOp>(*this, numbers.inputs, table);
}
LogicalResult EnqueueWriteOp::readStep(OpBuilder &builder, Location location, const StepT &table,
                                       BundleSymbols &symbols) {
  return readPort<EnqueueWriteOp>(builder, location, table,
                                  symbols.getInput(table.index, table.slot));
}

StepKind EnqueueReadOp::getStepKind() { return StepKind::Read; }
void EnqueueReadOp::writeStep(const BundleNumbers &numbers, StepT &table) {
  writePort<OutputOp>(*this, numbers.outputs, table);
}
LogicalResult EnqueueReadOp::readStep(OpBuilder &builder, Location location, const StepT &table,
                                      BundleSymbols &symbols) {
  return readPort<EnqueueReadOp>(builder, location, table,
                                 symbols.getOutput(table.index, table.slot));
}

//===--- work -------------------------------------------------------------------------===//

StepKind EnqueueExecuteOp::getStepKind() { return StepKind::Execute; }
void EnqueueExecuteOp::writeStep(const BundleNumbers &numbers, StepT &table) {
  table.index = numbers.traces.lookup(getTraceAttr().getAttr());
}
LogicalResult EnqueueExecuteOp::readStep(OpBuilder &builder, Location location, const StepT &table,
                                         BundleSymbols &symbols) {
  FlatSymbolRefAttr trace = symbols.getTrace(table.index);
  if (!trace)
    return failure();
  create(builder, location, trace, ::getQueue(builder, table));
  return success();
}

StepKind EnqueueHostOp::getStepKind() { return StepKind::HostDispatch; }
void EnqueueHostOp::writeStep(const BundleNumbers &numbers, StepT &table) {
  table.index = numbers.programs.lookup(getProgramAttr().getAttr());
  table.operands = numbers.getAddresses(getInputs(), getOutputs());
}
LogicalResult EnqueueHostOp::readStep(OpBuilder &builder, Location location, const StepT &table,
                                      BundleSymbols &symbols) {
  SmallVector<BufferRef> inputs, outputs;
  FlatSymbolRefAttr program = symbols.getProgram(table.index);
  if (!program || failed(symbols.getOperands(table.index, table.operands, inputs, outputs)))
    return failure();
  auto getNames = [&](ArrayRef<BufferRef> places) -> ArrayAttr {
    SmallVector<Attribute> names;
    for (const BufferRef &place : places) {
      if (place.offset != 0)
        return {};
      names.push_back(place.buffer);
    }
    return builder.getArrayAttr(names);
  };
  ArrayAttr inputNames = getNames(inputs), outputNames = getNames(outputs);
  if (!inputNames || !outputNames)
    return symbols.emitError() << "expected a host step on whole buffers";
  create(builder, location, program, inputNames, outputNames, ::getQueue(builder, table));
  return success();
}

StepKind EnqueueDispatchOp::getStepKind() { return StepKind::Dispatch; }
void EnqueueDispatchOp::writeStep(const BundleNumbers &numbers, StepT &table) {
  table.index = numbers.programs.lookup(getProgramAttr().getAttr());
  table.operands = numbers.getAddresses(getInputs(), getOutputs());
  for (auto [i, address] : llvm::enumerate(table.operands))
    address += getOffset(i);
}
LogicalResult EnqueueDispatchOp::readStep(OpBuilder &builder, Location location, const StepT &table,
                                          BundleSymbols &symbols) {
  SmallVector<BufferRef> inputs, outputs;
  FlatSymbolRefAttr program = symbols.getProgram(table.index);
  if (!program || failed(symbols.getOperands(table.index, table.operands, inputs, outputs)))
    return failure();
  create(builder, location, program, inputs, outputs, table.queue);
  return success();
}

StepKind EnqueueCopyOp::getStepKind() { return StepKind::Copy; }
void EnqueueCopyOp::writeStep(const BundleNumbers &numbers, StepT &table) {
  table.src = numbers.getAddress(getSourceAttr());
  table.dst = numbers.getAddress(getTargetAttr());
  table.bytes = getBytes();
}
LogicalResult EnqueueCopyOp::readStep(OpBuilder &builder, Location location, const StepT &table,
                                      BundleSymbols &symbols) {
  FlatSymbolRefAttr source = symbols.getBuffer(table.src);
  FlatSymbolRefAttr target = symbols.getBuffer(table.dst);
  if (!source || !target)
    return failure();
  create(builder, location, source, target, builder.getI64IntegerAttr(table.bytes),
         ::getQueue(builder, table));
  return success();
}

//===--- order ------------------------------------------------------------------------===//

template <typename Op>
static LogicalResult readEvent(OpBuilder &builder, Location location, const StepT &table,
                               BundleSymbols &symbols) {
  FlatSymbolRefAttr event = symbols.getEvent(table.index);
  if (!event)
    return failure();
  Op::create(builder, location, event, getQueue(builder, table));
  return success();
}

StepKind EnqueueRecordOp::getStepKind() { return StepKind::Record; }
void EnqueueRecordOp::writeStep(const BundleNumbers &numbers, StepT &table) {
  table.index = numbers.events.lookup(getEventAttr().getAttr());
}
LogicalResult EnqueueRecordOp::readStep(OpBuilder &builder, Location location, const StepT &table,
                                        BundleSymbols &symbols) {
  return readEvent<EnqueueRecordOp>(builder, location, table, symbols);
}

StepKind EnqueueWaitOp::getStepKind() { return StepKind::Wait; }
void EnqueueWaitOp::writeStep(const BundleNumbers &numbers, StepT &table) {
  table.index = numbers.events.lookup(getEventAttr().getAttr());
}
LogicalResult EnqueueWaitOp::readStep(OpBuilder &builder, Location location, const StepT &table,
                                      BundleSymbols &symbols) {
  return readEvent<EnqueueWaitOp>(builder, location, table, symbols);
}
