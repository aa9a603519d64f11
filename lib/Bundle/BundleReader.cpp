// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bundle as a planned module. What the tables say is checked as far as reading needs it (bounds,
// numbers, types); `ttrun check` is what proves a bundle right.
#include "Names.h"
#include "dialects/Ttc/TtcConstants.h"
#include "ttc/Bundle/Bundle.h"
#include "ttc/Support/Target.h"
#include "ttrt/bundle_format.h"
#include "ttrt/commands.h"
#include "ttrt/points.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;
using ttrt::Opcode;

namespace {

template <typename T> uint32_t count(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

StringRef text(const flatbuffers::String *string) {
  return string ? StringRef(string->c_str(), string->size()) : StringRef();
}

class Reader {
public:
  Reader(std::shared_ptr<llvm::MemoryBuffer> file, MLIRContext *context)
      : file(std::move(file)), context(context), builder(context),
        where(FileLineColLoc::get(context, this->file->getBufferIdentifier(), 0, 0)) {}

  OwningOpRef<ModuleOp> read() {
    if (failed(openFile()))
      return nullptr;
    OwningOpRef<ModuleOp> result = ModuleOp::create(UnknownLoc::get(context));
    module = *result;
    builder.setInsertionPointToEnd(module.getBody());
    if (failed(readTarget()) || failed(readPrograms()) || failed(readBuffers()) ||
        failed(readEvents()) || failed(readTraces()) || failed(readEntries()) || failed(readCode()))
      return nullptr;
    return result;
  }

private:
  InFlightDiagnostic error() { return emitError(where); }

  //===--- the file ---------------------------------------------------------------------===//

  LogicalResult openFile() {
    StringRef bytes = file->getBuffer();
    ttrt::FileHeader header;
    if (bytes.size() < sizeof(header))
      return error() << "expected a trace bundle, found a file of " << bytes.size() << " bytes";
    memcpy(&header, bytes.data(), sizeof(header));
    if (memcmp(header.magic, ttrt::kFileMagic, sizeof(header.magic)) != 0)
      return error() << "expected a trace bundle, found a file that begins otherwise";
    if (header.version != ttrt::kFormatVersion)
      return error() << "expected bundle format " << ttrt::kFormatVersion << ", found "
                     << header.version;
    if (header.fileSize != bytes.size() ||
        header.headerHash != ttrt::hashBytes(&header, offsetof(ttrt::FileHeader, headerHash)))
      return error() << "expected a whole bundle of " << header.fileSize << " bytes, found "
                     << bytes.size() << " bytes or a damaged header";
    if (header.metadataOffset > bytes.size() ||
        header.metadataSize > bytes.size() - header.metadataOffset ||
        header.metadataOffset % ttrt::kBufferAlignment != 0)
      return error() << "expected metadata inside the file, found it at " << header.metadataOffset;
    const char *metadata = bytes.data() + header.metadataOffset;
    if (header.metadataHash != ttrt::hashBytes(metadata, header.metadataSize))
      return error() << "the metadata is damaged: its hash is another one";
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(metadata),
                                   header.metadataSize);
    if (!fb::VerifyBundleBuffer(verifier))
      return error() << "the metadata is no flatbuffer of a bundle";
    bundle = fb::GetBundle(metadata);
    if (count(bundle->required_features()))
      return error() << "the bundle needs '" << text(bundle->required_features()->Get(0))
                     << "', which this version does not know";
    for (const fb::Segment *segment : *bundle->segments()) {
      if (segment->kind() > fb::SegmentKind::MAX || segment->offset() > bytes.size() ||
          segment->size() > bytes.size() - segment->offset())
        return error() << "expected segments inside the file, found one at " << segment->offset()
                       << " of " << segment->size() << " bytes";
      ArrayRef<char> contents(bytes.data() + segment->offset(), segment->size());
      if (segment->hash() != ttrt::hashSegment(contents.data(), contents.size()))
        return error() << "a segment is damaged: its hash is another one";
      segments[static_cast<size_t>(segment->kind())] = {segment->address(), contents};
    }
    return success();
  }

  Location getLocation(uint32_t index) {
    return toLocation(index < count(bundle->locations()) ? text(bundle->locations()->Get(index))
                                                         : StringRef(),
                      context);
  }

  LogicalResult readTarget() {
    const fb::Target &from = *bundle->target();
    int64_t rows = from.grid_rows() ? from.grid_rows() : 1;
    int64_t cols = from.grid_rows() ? from.grid_cols() : from.cores();
    if (rows * cols != from.cores())
      return error() << "expected a grid of " << from.cores() << " cores, found " << rows << " x "
                     << cols;
    auto make = [&](StringRef features) {
      return TargetAttr::get(context, text(from.name()), text(from.triple()), text(from.cpu()),
                             features, rows, cols, from.l1_bytes(), from.l1_alignment(),
                             from.dram_banks(), from.dram_bank_bytes(), from.dram_alignment(),
                             from.queues(), from.chips(), from.link_bytes_per_second());
    };
    // The list of features that says what the bundle says, beside the CPU's own.
    std::map<std::string, char> switches;
    for (const std::string &implied : getNeededFeatures(make("")))
      switches[implied] = '-';
    for (uint32_t i = 0; i < count(from.features()); ++i)
      switches[text(from.features()->Get(i)).str()] = '+';
    std::string features;
    for (auto &[name, sign] : switches)
      features += (features.empty() ? "" : ",") + std::string(1, sign) + name;
    module->setAttr(kTargetAttrName, make(features));
    map.dramBytes = from.dram_banks() * from.dram_bank_bytes();
    map.l1Bytes = from.l1_bytes();
    map.cores = from.cores();
    return success();
  }

  //===--- tables -----------------------------------------------------------------------===//

  /// Programs know bytes only; their shapes were the compiler's.
  struct OperandText {
    RankedTensorType type;
    SmallVector<NamedAttribute> attrs;
  };

  /// Shards have their row in each core: then the whole is a matrix of one row for each.
  std::optional<OperandText> readOperand(const fb::Program &program, const fb::Operand &operand) {
    int64_t bytes = operand.bytes(), row = operand.row_bytes(), pitch = operand.pitch_bytes();
    Type byte = builder.getIntegerType(8);
    OperandText read;
    if (row == 0) {
      read.type = RankedTensorType::get({bytes}, byte);
    } else if (row < 0 || pitch < row || bytes < row || operand.alignment() == 0 ||
               !llvm::isPowerOf2_32(operand.alignment())) {
      return std::nullopt;
    } else if (int64_t rows = (bytes - row) / pitch + 1;
               static_cast<uint64_t>(pitch) == map.l1Bytes) {
      auto layout =
          LayoutAttr::get(context, MemorySpace::L1, Sharding::HeightSharded, {rows, int64_t(1)});
      auto whole = RankedTensorType::get({rows, row}, byte, layout);
      bool isOwn = operand.per_workgroup();
      if (isOwn && rows != static_cast<int64_t>(program.grid()))
        return std::nullopt;
      read.type = RankedTensorType::get({isOwn ? 1 : rows, row}, byte);
      read.attrs.emplace_back(ProgramOp::getShardAttrName(),
                              ShardAttr::get(context, whole, {isOwn ? 0 : -1, int64_t(-1)}));
    } else {
      read.type = RankedTensorType::get({rows * row}, byte);
      read.attrs.emplace_back(ProgramOp::getRowsAttrName(),
                              RowsAttr::get(context, row, pitch, operand.alignment()));
    }
    return read;
  }

  LogicalResult readPrograms() {
    for (uint32_t i = 0; i < count(bundle->programs()); ++i) {
      const fb::Program &from = *bundle->programs()->Get(i);
      SmallVector<Type> types[2]; // inputs, results
      SmallVector<DictionaryAttr> dictionaries[2];
      bool isOnShards = false;
      for (uint32_t j = 0; j < count(from.operands()); ++j) {
        const fb::Operand &operand = *from.operands()->Get(j);
        std::optional<OperandText> read;
        if (operand.access() != fb::Access::ReadWrite && operand.bytes() <= INT64_MAX)
          read = readOperand(from, operand);
        if (!read)
          return error() << "program '" << text(from.symbol()) << "': operand " << j
                         << " is one that the IR cannot say";
        SmallVector<int64_t> inPlace;
        for (uint32_t k = 0; k < count(operand.in_place_of()); ++k)
          inPlace.push_back(operand.in_place_of()->Get(k));
        if (!inPlace.empty())
          read->attrs.emplace_back(ProgramOp::getInPlaceAttrName(),
                                   builder.getDenseI64ArrayAttr(inPlace));
        bool isResult = operand.access() == fb::Access::Write;
        types[isResult].push_back(read->type);
        dictionaries[isResult].push_back(builder.getDictionaryAttr(read->attrs));
        isOnShards |= llvm::any_of(read->attrs, [](NamedAttribute attr) {
          return attr.getName() == ProgramOp::getShardAttrName();
        });
      }
      auto program = ProgramOp::create(builder, builder.getUnknownLoc(), text(from.symbol()),
                                       builder.getFunctionType(types[0], types[1]));
      for (auto [index, attrs] : llvm::enumerate(dictionaries[0]))
        program.setArgAttrs(index, attrs);
      for (auto [index, attrs] : llvm::enumerate(dictionaries[1]))
        program.setResultAttrs(index, attrs);
      program.setGridAttr(builder.getI64IntegerAttr(from.grid()));
      program.setScratchBytesAttr(builder.getI64IntegerAttr(from.scratch_bytes()));
      if (isOnShards)
        program.setShards(ArrayRef<int64_t>(from.grid()));
      programs.push_back(program);
    }
    return success();
  }

  LogicalResult readBuffers() {
    const Segment &constants = segments[static_cast<size_t>(fb::SegmentKind::Constants)];
    for (uint32_t i = 0; i < count(bundle->buffers()); ++i) {
      const fb::Buffer &from = *bundle->buffers()->Get(i);
      RankedTensorType type = fromText(text(from.type()), context);
      if (!type || from.kind() > fb::BufferKind::MAX || from.space() > fb::MemorySpace::MAX)
        return error() << "buffer '" << text(from.name()) << "' has type '" << text(from.type())
                       << "', kind " << static_cast<int>(from.kind()) << " and memory "
                       << static_cast<int>(from.space()) << ", not all of which are known";
      ElementsAttr value;
      if (from.kind() == fb::BufferKind::Constant) {
        uint64_t offset = from.offset() - constants.address, bytes = getTensorBytes(type);
        if (from.offset() < constants.address || offset > constants.contents.size() ||
            bytes > constants.contents.size() - offset)
          return error() << "constant '" << text(from.name()) << "' lies outside of its segment";
        value = makeConstant(type, constants.contents.slice(offset, bytes), text(from.name()),
                             [file = file] {});
      }
      auto buffer = BufferOp::create(builder, getLocation(from.source()), text(from.name()),
                                     static_cast<BufferKind>(from.kind()), type,
                                     static_cast<MemorySpace>(from.space()), value);
      buffer.setAddressAttr(builder.getI64IntegerAttr(from.offset()));
      buffer.setSizeAttr(builder.getI64IntegerAttr(from.size()));
      if (from.end() != 0) {
        buffer.setLiveBeginAttr(builder.getI64IntegerAttr(from.begin()));
        buffer.setLiveEndAttr(builder.getI64IntegerAttr(from.end()));
      }
      uint64_t base = from.space() == fb::MemorySpace::Dram ? 0
                      : from.space() == fb::MemorySpace::L1 ? map.l1Address(0)
                                                            : map.hostAddress();
      byAddress.emplace(base + from.offset(), i);
      if (from.end() == 0)
        permanent[base + from.offset()] = base + from.offset() + from.size();
      buffers.push_back(buffer);
    }
    return success();
  }

  /// The buffer at a flat address that is alive at a point of the timeline.
  FlatSymbolRefAttr findBuffer(uint64_t address, uint64_t time) {
    BufferPlace place = findPlace(address, time);
    if (place.buffer && place.offset != 0) {
      error() << "expected a buffer at address " << address << ", found one that begins before it";
      return {};
    }
    return place.buffer;
  }

  /// The buffer that is alive at a point of the timeline (at any, where it is not known) and in
  /// which a flat address lies.
  BufferPlace findPlace(uint64_t address, uint64_t time) {
    auto above = byAddress.upper_bound(address);
    // Those that begin there, then those before it; at most one is alive.
    for (auto it = std::make_reverse_iterator(above); it != byAddress.rend(); ++it) {
      const fb::Buffer &buffer = *bundle->buffers()->Get(it->second);
      if ((buffer.end() == 0 || time == ttrt::Points::kUnknown ||
           (buffer.begin() <= time && time < buffer.end())) &&
          address - it->first < buffer.size())
        return {FlatSymbolRefAttr::get(buffers[it->second].getSymNameAttr()),
                static_cast<int64_t>(address - it->first)};
    }
    error() << "expected a buffer at address " << address << ", alive at point " << time
            << " of the timeline, found none";
    return {};
  }

  LogicalResult readEvents() {
    for (uint32_t i = 0; i < count(bundle->events()); ++i)
      events.push_back(EventOp::create(
          builder, builder.getUnknownLoc(),
          builder.getStringAttr(text(bundle->events()->Get(i)->name())), StringAttr()));
    return success();
  }

  template <typename Ops, typename Use> LogicalResult withSymbol(Ops &ops, uint32_t i, Use use) {
    if (i >= ops.size())
      return error() << "expected a number below " << ops.size() << ", found " << i;
    use(FlatSymbolRefAttr::get(ops[i].getSymNameAttr()));
    return success();
  }

  //===--- streams ----------------------------------------------------------------------===//

  LogicalResult readTraces() {
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
  LogicalResult readCommand(ArrayRef<char> &stream, Location location, uint64_t time) {
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
      SmallVector<BufferPlace> inputs, outputs;
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
      CmdCopyOp::create(builder, location, source, target,
                        builder.getI64IntegerAttr(command.bytes));
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
  LogicalResult findPlaces(uint32_t program, ArrayRef<uint64_t> addresses, uint64_t time,
                           SmallVectorImpl<BufferPlace> &inputs,
                           SmallVectorImpl<BufferPlace> &outputs) {
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
  LogicalResult readPorts(const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *ports) {
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

  LogicalResult readEntries() {
    for (uint32_t i = 0; i < bundle->entries()->size(); ++i) {
      const fb::EntryPoint *from = bundle->entries()->Get(i);
      auto entry = EntryOp::create(builder, builder.getUnknownLoc(), text(from->name()));
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&entry.getBody().front());
      if (failed(readPorts<InputOp>(from->inputs())) ||
          failed(readPorts<OutputOp>(from->outputs())))
        return failure();
      if (from->schedules()->size() == 0)
        return error() << "entry point '" << text(from->name()) << "' has no schedule";
      for (uint32_t j = 0; j < from->schedules()->size(); ++j)
        if (failed(readSchedule(*from->schedules()->Get(j), i, j)))
          return failure();
    }
    return success();
  }

  LogicalResult readSchedule(const fb::Schedule &from, uint32_t entry, uint32_t number) {
    auto schedule = ScheduleOp::create(builder, builder.getUnknownLoc(),
                                       builder.getStringAttr(text(from.name())),
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

  LogicalResult readStep(const fb::Step &from, uint64_t point) {
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
      SmallVector<BufferPlace> inputs, outputs;
      if (failed(findPlaces(from.index(), addresses, point, inputs, outputs)))
        return failure();
      auto program = FlatSymbolRefAttr::get(programs[from.index()].getSymNameAttr());
      if (from.kind() == fb::StepKind::Dispatch) {
        EnqueueDispatchOp::create(builder, location, program, inputs, outputs, from.queue());
        return success();
      }
      auto getNames = [&](ArrayRef<BufferPlace> places) -> ArrayAttr {
        SmallVector<Attribute> names;
        for (const BufferPlace &place : places) {
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

  LogicalResult readCode() {
    ArrayRef<char> code = segments[static_cast<size_t>(fb::SegmentKind::Code)].contents;
    if (code.empty())
      return success();
    auto type =
        RankedTensorType::get({static_cast<int64_t>(code.size())}, builder.getIntegerType(8));
    BinaryOp::create(builder, builder.getUnknownLoc(), builder.getStringAttr("code"),
                     makeConstant(type, code, "code", [file = file] {}), StringAttr());
    return success();
  }

  struct Segment {
    uint64_t address = 0;
    ArrayRef<char> contents;
  };

  std::shared_ptr<llvm::MemoryBuffer> file;
  MLIRContext *context;
  OpBuilder builder;
  Location where;
  ModuleOp module;
  const fb::Bundle *bundle = nullptr;
  Segment segments[3];
  ttrt::AddressMap map;
  SmallVector<ProgramOp> programs;
  SmallVector<BufferOp> buffers;
  SmallVector<EventOp> events;
  SmallVector<TraceOp> traces;
  std::multimap<uint64_t, uint32_t> byAddress; ///< flat address -> buffer
  std::map<uint64_t, uint64_t> permanent;      ///< begin -> end of buffers without lifetime
  std::optional<ttrt::Points> points;
};

} // namespace

OwningOpRef<ModuleOp> mlir::ttc::readBundle(std::unique_ptr<llvm::MemoryBuffer> file,
                                            MLIRContext *context) {
  context->loadDialect<TtcDialect>();
  return Reader(std::move(file), context).read();
}
