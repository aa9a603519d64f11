// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the commands and schedules of a bundle as ops.
#include "BundleReader.h"
#include "MeshTables.h"
#include "Stream.h"
#include "TargetTable.h"
#include "TypeNames.h"
#include "VariantTables.h"
#include "ttc/Support/ElementTypes.h"
#include "ttc/Support/Target.h"

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;

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
      return emitError() << "trace '" << text(from.name()) << "' is located outside its segment";
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
      point = points->command(i, command);
      if (failed(readCommand(stream, location)))
        return emitError() << "trace '" << text(from.name()) << "': command " << command
                           << " is damaged";
    }
    if (!trace.isEncoded())
      return emitError() << "trace '" << text(from.name()) << "' is empty";
  }
  return success();
}

/// Reads one command and removes it from the stream.
LogicalResult BundleReader::readCommand(ArrayRef<char> &stream, Location location) {
  std::optional<EncodedCommand> command = takeCommand(stream);
  auto op = command ? commandOps.find(command->opcode) : commandOps.end();
  return op == commandOps.end() ? failure()
                                : op->second->readCommand(builder, location, command->bytes, *this);
}

//===--- entry points -----------------------------------------------------------------===//

template <typename PortOp>
LogicalResult
BundleReader::readPorts(const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *ports,
                        SmallVector<PortOp> &ops) {
  ops.clear();
  for (uint32_t i = 0; i < count(ports); ++i) {
    const fb::Port &from = *ports->Get(i);
    SmallVector<int64_t> shape;
    for (uint32_t j = 0; j < count(from.shape()); ++j)
      shape.push_back(from.shape()->Get(j));
    if (from.dtype() > fb::DType::MAX || llvm::any_of(shape, [](int64_t d) { return d < 0; }))
      return emitError() << "'" << text(from.name()) << "' has an unsupported type";
    auto type = RankedTensorType::get(shape, fromDType(from.dtype(), context));
    SmallVector<Attribute> slots; // `buffer`, then the ring
    slots.push_back(getSymbol<BufferOp>(buffers, from.buffer()));
    for (uint32_t j = 0; j < count(from.ring()); ++j)
      slots.push_back(getSymbol<BufferOp>(buffers, from.ring()->Get(j)));
    if (llvm::is_contained(slots, Attribute()))
      return failure();
    auto port = PortOp::create(
        builder, buffers[from.buffer()].getLoc(), builder.getStringAttr(text(from.name())),
        cast<FlatSymbolRefAttr>(slots[0]), TypeAttr::get(type),
        slots.size() == 1 ? ArrayAttr() : builder.getArrayAttr(ArrayRef(slots).drop_front()));
    if (failed(readSharding(port, from, mesh, [&] { return emitError(); })) ||
        failed(readDims(port, from, [&] { return emitError(); })))
      return failure();
    ops.push_back(port);
  }
  return success();
}

LogicalResult BundleReader::readEntries() {
  for (uint32_t i = 0; i < bundle->entries()->size(); ++i) {
    const fb::EntryPoint *from = bundle->entries()->Get(i);
    auto entry = EntryOp::create(builder, builder.getUnknownLoc(), text(from->name()));
    if (const auto *devices = from->devices(); devices && devices->size() != 0) {
      entry.setDevices(SmallVector<int64_t>(devices->begin(), devices->end()));
      entry.setPartOf(from->part_of() ? text(from->part_of()) : "");
    }
    if (failed(readVariant(entry, *from, [&] { return emitError(); })))
      return failure();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&entry.getBody().front());
    if (failed(readPorts(from->inputs(), inputs)) || failed(readPorts(from->outputs(), outputs)))
      return failure();
    if (from->schedules()->size() == 0)
      return emitError() << "entry point '" << text(from->name()) << "' has no schedule";
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
    for (uint32_t i = 0; i < count(steps); ++i) {
      point = points->step(entry, number, step++);
      if (failed(readStep(*steps->Get(i))))
        return emitError() << "schedule '" << text(from.name()) << "': step " << i << " is damaged";
    }
    return success();
  };
  return success(succeeded(readPart(schedule.getPrologue(), from.prologue(), false)) &&
                 succeeded(readPart(schedule.getBody(), from.body(), true)) &&
                 succeeded(readPart(schedule.getEpilogue(), from.epilogue(), false)));
}

LogicalResult BundleReader::readStep(const fb::Step &from) {
  auto op = stepOps.find(from.kind());
  if (op == stepOps.end())
    return failure();
  fb::StepT table;
  from.UnPackTo(&table);
  return op->second->readStep(builder, getLocation(from.source()), table, *this);
}

//===--- symbols ----------------------------------------------------------------------===//

template <typename Op>
FlatSymbolRefAttr BundleReader::getSymbol(ArrayRef<Op> ops, uint32_t number) {
  if (number < ops.size())
    return FlatSymbolRefAttr::get(const_cast<Op &>(ops[number]).getSymNameAttr());
  emitError() << "expected the number of a " << Op::getOperationName() << " below " << ops.size()
              << ", found " << number;
  return {};
}

FlatSymbolRefAttr BundleReader::getProgram(uint32_t number) {
  return getSymbol<ProgramOp>(programs, number);
}
FlatSymbolRefAttr BundleReader::getEvent(uint32_t number) {
  return getSymbol<EventOp>(events, number);
}
FlatSymbolRefAttr BundleReader::getTrace(uint32_t number) {
  return getSymbol<TraceOp>(traces, number);
}

FlatSymbolRefAttr BundleReader::getCollective(uint32_t number) {
  return getSymbol<CollectiveOp>(collectives, number);
}

template <typename PortOp>
static FlatSymbolRefAttr getSlot(ArrayRef<PortOp> ports, uint32_t number, uint32_t slot) {
  if (number >= ports.size() || slot >= const_cast<PortOp &>(ports[number]).getNumSlots())
    return {};
  return const_cast<PortOp &>(ports[number]).getSlot(slot);
}
FlatSymbolRefAttr BundleReader::getInput(uint32_t number, uint32_t slot) {
  return getSlot<InputOp>(inputs, number, slot);
}
FlatSymbolRefAttr BundleReader::getOutput(uint32_t number, uint32_t slot) {
  return getSlot<OutputOp>(outputs, number, slot);
}

LogicalResult BundleReader::getPlaces(ArrayRef<uint64_t> addresses,
                                      SmallVectorImpl<BufferRef> &places) {
  for (uint64_t address : addresses)
    if (!places.emplace_back(findPlace(address)).buffer)
      return failure();
  return success();
}

FlatSymbolRefAttr BundleReader::getBuffer(uint64_t address) {
  BufferRef place = findPlace(address);
  if (place.buffer && place.offset != 0) {
    emitError() << "expected a buffer at address " << address
                << ", found one that begins before it";
    return {};
  }
  return place.buffer;
}

LogicalResult BundleReader::getOperands(uint32_t program, ArrayRef<uint64_t> addresses,
                                        SmallVectorImpl<BufferRef> &inputs,
                                        SmallVectorImpl<BufferRef> &outputs) {
  if (program >= programs.size())
    return failure();
  size_t numInputs = programs[program].getArgumentTypes().size();
  size_t numOperands = numInputs + programs[program].getResultTypes().size();
  if (addresses.size() != numOperands)
    return emitError() << "expected " << numOperands << " operands of program '"
                       << programs[program].getSymName() << "', found " << addresses.size();
  for (auto [i, address] : llvm::enumerate(addresses))
    if (!(i < numInputs ? inputs : outputs).emplace_back(findPlace(address)).buffer)
      return failure();
  return success();
}

/// The buffer that is alive at `point` (at any, if that is unknown) and contains a flat address.
BufferRef BundleReader::findPlace(uint64_t address) {
  uint64_t planned = map.plannedAddress(address);
  // Buffers that begin at the address, then those that begin before it; at most one is alive.
  for (auto it = std::make_reverse_iterator(byAddress.upper_bound(planned)); it != byAddress.rend();
       ++it) {
    const fb::Buffer &from = *bundle->buffers()->Get(it->second);
    BufferOp buffer = buffers[it->second];
    bool isAlive = from.end() == 0 || point == ttrt::TimelineIndex::kUnknown ||
                   (from.begin() <= point && point < from.end());
    // L1 has two views of its addresses.
    if (!isAlive || buffer.getKind() == BufferKind::Scratch || planned - it->first >= from.size() ||
        buffer.isInterleavedInL1() != (address >= map.interleavedAddress()))
      continue;
    return {FlatSymbolRefAttr::get(buffer.getSymNameAttr()),
            static_cast<int64_t>(address - getAddress(map, buffer))};
  }
  emitError() << "expected a buffer at address " << address << ", alive at point " << point
              << " of the timeline, found none";
  return {};
}
