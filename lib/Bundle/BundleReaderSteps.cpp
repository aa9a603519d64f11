// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands and schedules of a bundle as ops.
#include "BundleReader.h"
#include "TypeNames.h"
#include "ttc/Support/Target.h"
#include "ttrt/commands.h"

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;
using ttrt::Opcode;

//===--- streams ----------------------------------------------------------------------===//

LogicalResult BundleReader::readTraces() {
  const Segment &streams = segments[static_cast<size_t>(fb::SegmentKind::Streams)];
  points.emplace(*bundle, streams.contents.data(), streams.contents.size(), streams.address,
                 std::move(permanent));
  if (const fb::Region *region = bundle->trace_region();
      region && region->size() > streams.contents.size())
    module->setAttr(kTraceRegionAttrName, builder.getI64IntegerAttr(region->size()));
  for (uint32_t i = 0; i < count(bundle->traces()); ++i) {
    const fb::Trace &from = *bundle->traces()->Get(i);
    uint64_t offset = from.address() - streams.address;
    if (from.address() < streams.address || offset > streams.contents.size() ||
        from.size() > streams.contents.size() - offset)
      return error() << "trace '" << text(from.name()) << "' lies outside of its segment";
    auto trace = TraceOp::create(builder, builder.getUnknownLoc(), text(from.name()),
                                 builder.getFunctionType({}, {}));
    trace.setRegionAddressAttr(builder.getI64IntegerAttr(from.address()));
    trace.setRegionSizeAttr(builder.getI64IntegerAttr(from.size()));
    traces.push_back(trace);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&trace.getBody().front());
    ArrayRef<char> stream = streams.contents.slice(offset, from.size());
    for (uint32_t command = 0; !stream.empty(); ++command) {
      Location location =
          getLocation(command < count(from.sources()) ? from.sources()->Get(command) : 0);
      if (failed(readCommand(stream, location, points->command(i, command))))
        return error() << "trace '" << text(from.name()) << "': command " << command
                       << " is damaged";
    }
    if (!trace.isEncoded())
      return error() << "trace '" << text(from.name()) << "' is empty";
  }
  return success();
}

template <typename Command> static bool load(ArrayRef<char> bytes, Command &command) {
  if (bytes.size() < sizeof(command))
    return false;
  memcpy(&command, bytes.data(), sizeof(command));
  return true;
}

/// Reads one command and drops it from the stream.
LogicalResult BundleReader::readCommand(ArrayRef<char> &stream, Location location, uint64_t time) {
  ttrt::CommandHeader header;
  if (!load(stream, header) || header.size < sizeof(header) || header.size > stream.size())
    return failure();
  ArrayRef<char> bytes = stream.take_front(header.size);
  stream = stream.drop_front(header.size);
  auto loadEvent = [&](auto create) -> LogicalResult {
    ttrt::EventCommand command;
    if (!load(bytes, command))
      return failure();
    return withSymbol(events, command.event, create);
  };
  switch (header.opcode) {
  case Opcode::Dispatch: {
    ttrt::DispatchCommand command;
    if (!load(bytes, command) || command.operandCount > ttrt::kMaxOperands ||
        ttrt::dispatchSize(command.operandCount) != bytes.size())
      return failure();
    std::vector<uint64_t> addresses(command.operandCount);
    memcpy(addresses.data(), bytes.data() + sizeof(command), addresses.size() * sizeof(uint64_t));
    SmallVector<BufferRef> inputs, outputs;
    if (failed(findPlaces(command.program, addresses, time, inputs, outputs)))
      return failure();
    CmdDispatchOp::create(builder, location,
                          FlatSymbolRefAttr::get(programs[command.program].getSymNameAttr()),
                          inputs, outputs);
    return success();
  }
  case Opcode::Copy: {
    ttrt::CopyCommand command;
    if (!load(bytes, command))
      return failure();
    FlatSymbolRefAttr source = findBuffer(command.src, time),
                      target = findBuffer(command.dst, time);
    if (!source || !target)
      return failure();
    CmdCopyOp::create(builder, location, source, target, builder.getI64IntegerAttr(command.bytes));
    return success();
  }
  case Opcode::Fill: {
    ttrt::FillCommand command;
    if (!load(bytes, command))
      return failure();
    FlatSymbolRefAttr target = findBuffer(command.dst, time);
    if (!target)
      return failure();
    CmdFillOp::create(builder, location, target, builder.getI64IntegerAttr(command.pattern),
                      builder.getI64IntegerAttr(command.bytes));
    return success();
  }
  case Opcode::Barrier:
    CmdBarrierOp::create(builder, location);
    return success();
  case Opcode::Signal:
    return loadEvent([&](FlatSymbolRefAttr e) { CmdSignalOp::create(builder, location, e); });
  case Opcode::Wait:
    return loadEvent([&](FlatSymbolRefAttr e) { CmdWaitOp::create(builder, location, e); });
  case Opcode::End:
    CmdEndOp::create(builder, location);
    return success();
  }
  return failure();
}

/// The operands of a command or step that runs a program.
LogicalResult BundleReader::findPlaces(uint32_t program, ArrayRef<uint64_t> addresses,
                                       uint64_t time, SmallVectorImpl<BufferRef> &inputs,
                                       SmallVectorImpl<BufferRef> &outputs) {
  if (program >= programs.size())
    return failure();
  size_t numInputs = programs[program].getArgumentTypes().size();
  if (addresses.size() != numInputs + programs[program].getResultTypes().size())
    return failure();
  for (auto [i, address] : llvm::enumerate(addresses))
    if (!(i < numInputs ? inputs : outputs).emplace_back(findPlace(address, time)).buffer)
      return failure();
  return success();
}

//===--- entry points -----------------------------------------------------------------===//

template <typename PortOp>
LogicalResult
BundleReader::readPorts(const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *ports) {
  for (uint32_t i = 0; i < count(ports); ++i) {
    const fb::Port &from = *ports->Get(i);
    SmallVector<int64_t> shape;
    for (uint32_t j = 0; j < count(from.shape()); ++j)
      shape.push_back(from.shape()->Get(j));
    if (from.dtype() > fb::DType::MAX || llvm::any_of(shape, [](int64_t d) { return d < 0; }))
      return error() << "'" << text(from.name()) << "' has a type that is not known";
    auto type = RankedTensorType::get(shape, fromDType(from.dtype(), context));
    SmallVector<Attribute> slots; // `buffer`, then the ring
    auto add = [&](FlatSymbolRefAttr slot) { slots.push_back(slot); };
    if (failed(withSymbol(buffers, from.buffer(), add)))
      return failure();
    for (uint32_t j = 0; j < count(from.ring()); ++j)
      if (failed(withSymbol(buffers, from.ring()->Get(j), add)))
        return failure();
    PortOp::create(
        builder, buffers[from.buffer()].getLoc(), builder.getStringAttr(text(from.name())),
        cast<FlatSymbolRefAttr>(slots[0]), TypeAttr::get(type),
        slots.size() == 1 ? ArrayAttr() : builder.getArrayAttr(ArrayRef(slots).drop_front()));
  }
  return success();
}

LogicalResult BundleReader::readEntries() {
  for (uint32_t i = 0; i < bundle->entries()->size(); ++i) {
    const fb::EntryPoint *from = bundle->entries()->Get(i);
    auto entry = EntryOp::create(builder, builder.getUnknownLoc(), text(from->name()));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&entry.getBody().front());
    if (failed(readPorts<InputOp>(from->inputs())) || failed(readPorts<OutputOp>(from->outputs())))
      return failure();
    if (from->schedules()->size() == 0)
      return error() << "entry point '" << text(from->name()) << "' has no schedule";
    for (uint32_t j = 0; j < from->schedules()->size(); ++j)
      if (failed(readSchedule(*from->schedules()->Get(j), i, j)))
        return failure();
  }
  return success();
}

LogicalResult BundleReader::readSchedule(const fb::Schedule &from, uint32_t entry,
                                         uint32_t number) {
  auto schedule =
      ScheduleOp::create(builder, builder.getUnknownLoc(), builder.getStringAttr(text(from.name())),
                         builder.getI64IntegerAttr(from.queues()));
  OpBuilder::InsertionGuard guard(builder);
  uint32_t step = 0;
  auto readPart = [&](Region &region, const auto *steps, bool always) -> LogicalResult {
    if (!always && count(steps) == 0)
      return success();
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    for (uint32_t i = 0; i < count(steps); ++i)
      if (failed(readStep(*steps->Get(i), points->step(entry, number, step++))))
        return error() << "schedule '" << text(from.name()) << "': step " << i << " is damaged";
    return success();
  };
  return success(succeeded(readPart(schedule.getPrologue(), from.prologue(), false)) &&
                 succeeded(readPart(schedule.getBody(), from.body(), true)) &&
                 succeeded(readPart(schedule.getEpilogue(), from.epilogue(), false)));
}

LogicalResult BundleReader::readStep(const fb::Step &from, uint64_t point) {
  Location location = getLocation(from.source());
  IntegerAttr queue = builder.getI64IntegerAttr(from.queue());
  IntegerAttr index = builder.getI64IntegerAttr(from.index());
  auto entry = cast<EntryOp>(builder.getBlock()->getParentOp()->getParentOp());
  auto getPort = [&](auto ports) -> FlatSymbolRefAttr {
    uint32_t i = 0;
    for (auto port : ports)
      if (i++ == from.index() && from.slot() < port.getNumSlots())
        return port.getSlot(from.slot());
    return {};
  };
  switch (from.kind()) {
  case fb::StepKind::Write: {
    FlatSymbolRefAttr slot = getPort(entry.getBody().getOps<InputOp>());
    if (!slot)
      return failure();
    EnqueueWriteOp::create(builder, location, index, slot, queue);
    return success();
  }
  case fb::StepKind::Read: {
    FlatSymbolRefAttr slot = getPort(entry.getBody().getOps<OutputOp>());
    if (!slot)
      return failure();
    EnqueueReadOp::create(builder, location, index, slot, queue);
    return success();
  }
  case fb::StepKind::Execute:
    return withSymbol(traces, from.index(), [&](FlatSymbolRefAttr trace) {
      EnqueueExecuteOp::create(builder, location, trace, queue);
    });
  case fb::StepKind::HostDispatch:
  case fb::StepKind::Dispatch: {
    SmallVector<uint64_t> addresses;
    for (uint32_t i = 0; i < count(from.operands()); ++i)
      addresses.push_back(from.operands()->Get(i));
    SmallVector<BufferRef> inputs, outputs;
    if (failed(findPlaces(from.index(), addresses, point, inputs, outputs)))
      return failure();
    auto program = FlatSymbolRefAttr::get(programs[from.index()].getSymNameAttr());
    if (from.kind() == fb::StepKind::Dispatch) {
      EnqueueDispatchOp::create(builder, location, program, inputs, outputs, from.queue());
      return success();
    }
    auto getNames = [&](ArrayRef<BufferRef> places) -> ArrayAttr {
      SmallVector<Attribute> names;
      for (const BufferRef &place : places) {
        if (place.offset != 0)
          return {};
        names.push_back(place.buffer);
      }
      return builder.getArrayAttr(names);
    };
    if (!getNames(inputs) || !getNames(outputs))
      return error() << "expected a host step on whole buffers";
    EnqueueHostOp::create(builder, location, program, getNames(inputs), getNames(outputs), queue);
    return success();
  }
  case fb::StepKind::Copy: {
    FlatSymbolRefAttr source = findBuffer(from.src(), point),
                      target = findBuffer(from.dst(), point);
    if (!source || !target)
      return failure();
    EnqueueCopyOp::create(builder, location, source, target,
                          builder.getI64IntegerAttr(from.bytes()), queue);
    return success();
  }
  case fb::StepKind::Record:
    return withSymbol(events, from.index(), [&](FlatSymbolRefAttr event) {
      EnqueueRecordOp::create(builder, location, event, queue);
    });
  case fb::StepKind::Wait:
    return withSymbol(events, from.index(), [&](FlatSymbolRefAttr event) {
      EnqueueWaitOp::create(builder, location, event, queue);
    });
  }
  return failure();
}
