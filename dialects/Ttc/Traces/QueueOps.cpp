// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers, host steps and events on tensors.
#include "dialects/Ttc/Traces/QueueOps.h"
#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "dialects/Ttc/Traces/TraceOps.h"

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult verifySameContents(Operation *op) {
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  auto output = cast<RankedTensorType>(op->getResult(0).getType());
  if (input.getShape() == output.getShape() && input.getElementType() == output.getElementType())
    return success();
  return op->emitOpError("(C1) expected a result of the operand's shape and element type (")
         << input << "), found " << output;
}

static LogicalResult verifyOnHost(Operation *op, StringRef what, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.getEncoding())
    return success();
  return op->emitOpError("(C2) expected its ")
         << what << " in host memory, without a layout, found " << type;
}

static LogicalResult verifyNoShards(Operation *op, StringRef what, Value value) {
  if (!getShardedLayout(value.getType()))
    return success();
  return op->emitOpError("(C3) expected its ")
         << what << " to have no shards, which ttc.to_memory makes and joins, found "
         << value.getType();
}

/// Emits the step that copies a tensor from one buffer to another, unless they are the same.
static void enqueueCopy(OpBuilder &builder, Operation *op, int64_t queue, Attribute source,
                        Attribute target) {
  if (source == target)
    return;
  int64_t bytes = getTensorBytes(cast<ShapedType>(op->getResult(0).getType()));
  EnqueueCopyOp::create(builder, op->getLoc(), cast<FlatSymbolRefAttr>(source),
                        cast<FlatSymbolRefAttr>(target), builder.getI64IntegerAttr(bytes),
                        builder.getI64IntegerAttr(queue));
}

//===--- to_device --------------------------------------------------------------------===//

LogicalResult ToDeviceOp::verify() {
  return success(succeeded(verifySameContents(*this)) &&
                 succeeded(verifyOnHost(*this, "operand", getInput())) &&
                 succeeded(verifyNoShards(*this, "result", getOutput())));
}
StringRef ToDeviceOp::getHostWork() { return "a transfer to the device"; }
bool ToDeviceOp::readsOnDevice(unsigned) { return false; }
bool ToDeviceOp::writesOnDevice() { return true; }
void ToDeviceOp::enqueue(OpBuilder &builder, int64_t queue, ArrayRef<Attribute> operandPlaces,
                         ArrayRef<Attribute> resultPlaces) {
  enqueueCopy(builder, *this, queue, operandPlaces[0], resultPlaces[0]);
}

//===--- from_device ------------------------------------------------------------------===//

LogicalResult FromDeviceOp::verify() {
  return success(succeeded(verifySameContents(*this)) &&
                 succeeded(verifyOnHost(*this, "result", getOutput())) &&
                 succeeded(verifyNoShards(*this, "operand", getInput())));
}
StringRef FromDeviceOp::getHostWork() { return "a transfer to the host"; }
bool FromDeviceOp::readsOnDevice(unsigned) { return true; }
bool FromDeviceOp::writesOnDevice() { return false; }
void FromDeviceOp::enqueue(OpBuilder &builder, int64_t queue, ArrayRef<Attribute> operandPlaces,
                           ArrayRef<Attribute> resultPlaces) {
  enqueueCopy(builder, *this, queue, operandPlaces[0], resultPlaces[0]);
}

//===--- to_memory --------------------------------------------------------------------===//

LogicalResult ToMemoryOp::verify() {
  if (failed(verifySameContents(*this)))
    return failure();
  if (getInput().getType() == getOutput().getType())
    return emitOpError("(C2) expected operand and result of different layouts, found ")
           << getOutput().getType() << " for both";
  return success();
}
LogicalResult ToMemoryOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getProgramAttr())
    return success();
  return success(succeeded(verifyProgramCall(*this, symbols, getProgramAttr(), getInput().getType(),
                                             getOutput().getType(), "(C3)", "(C3)")) &&
                 succeeded(verifyHasCode(*this, symbols, getProgramAttr(), "(C3)")));
}
void ToMemoryOp::encode(OpBuilder &builder, ArrayRef<BufferRef> inputs,
                        ArrayRef<BufferRef> outputs) {
  if (getProgramAttr()) {
    CmdDispatchOp::create(builder, getLoc(), getProgramAttr(), inputs, outputs);
    return;
  }
  int64_t bytes = getTensorBytes(cast<ShapedType>(getOutput().getType()));
  CmdCopyOp::create(builder, getLoc(), inputs[0].buffer, outputs[0].buffer,
                    builder.getI64IntegerAttr(bytes));
}

/// None: a copy's source and destination do not overlap.
void ToMemoryOp::getInPlaceOperands(unsigned, SymbolTableCollection &,
                                    SmallVectorImpl<unsigned> &) {}

int64_t ToMemoryOp::getOwnGrid(unsigned index, SymbolTableCollection &symbols) {
  if (!getProgramAttr())
    return 0;
  return symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getProgramAttr()).getOwnGrid(index);
}

bool ToMemoryOp::takesShards(unsigned index, SymbolTableCollection &symbols) {
  if (!getProgramAttr())
    return false;
  auto program = symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getProgramAttr());
  return program.getShard(index) && program.getShard(index).getLayout();
}

//===--- host_dispatch ----------------------------------------------------------------===//

LogicalResult HostDispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyProgramCall(*this, symbols, getProgramAttr(), getInputs().getTypes(),
                           getOutputs().getTypes());
}
StringRef HostDispatchOp::getHostWork() { return "a program run by the host"; }
bool HostDispatchOp::readsOnDevice(unsigned) { return getOnDevice(); }
bool HostDispatchOp::writesOnDevice() { return getOnDevice(); }
bool HostDispatchOp::takeDeviceMemory() {
  setOnDevice(true);
  return true;
}
void HostDispatchOp::enqueue(OpBuilder &builder, int64_t queue, ArrayRef<Attribute> operandPlaces,
                             ArrayRef<Attribute> resultPlaces) {
  EnqueueHostOp::create(builder, getLoc(), getProgramAttr(), builder.getArrayAttr(operandPlaces),
                        builder.getArrayAttr(resultPlaces), builder.getI64IntegerAttr(queue));
}

//===--- events -----------------------------------------------------------------------===//

StringRef RecordEventOp::getHostWork() { return "an event recorded by the host"; }
bool RecordEventOp::isWait() { return false; }
FlatSymbolRefAttr RecordEventOp::getEventName() { return {}; }

/// Other cases are SSA dominance errors.
LogicalResult WaitEventOp::verify() {
  auto record = getEvent().getDefiningOp<RecordEventOp>();
  if (!record)
    return emitOpError(
        "(C2) expected the result of a ttc.record_event, found a value that no record "
        "in sight can satisfy");
  if (record->getBlock() == (*this)->getBlock() && !record->isBeforeInBlock(*this)) {
    InFlightDiagnostic error =
        emitOpError("(C2) expected a record before the wait, found it after: a cycle of waits");
    error.attachNote(record.getLoc()) << "the record";
    return error;
  }
  return success();
}
StringRef WaitEventOp::getHostWork() { return "a wait for an event, enqueued by the host"; }
bool WaitEventOp::isWait() { return true; }
FlatSymbolRefAttr WaitEventOp::getEventName() { return {}; }
