// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a planned module as a bundle: first the tables, one function each, then the file.
#include "Dataflow.h"
#include "HostFunctionTables.h"
#include "MeshTables.h"
#include "Segments.h"
#include "Stream.h"
#include "TargetTable.h"
#include "TypeNames.h"
#include "VariantTables.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttc/Analysis/Lifetimes.h"
#include "ttc/Bundle/Bundle.h"
#include "ttc/Support/ElementTypes.h"
#include "ttc/Support/Location.h"
#include "ttc/Support/Target.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/commands.h"
#include "ttrt/format/dataflow.h"
#include "llvm/Support/MathExtras.h"
#include <deque>
#include <map>

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;

namespace {

class Writer {
public:
  Writer(ModuleOp module, TargetAttr target) : module(module), target(target) {}

  LogicalResult write(llvm::raw_ostream &output) {
    bundle.target = writeTarget(target);
    map = makeAddressMap(target, /*hostBytes=*/0);
    addLocation(UnknownLoc::get(module.getContext())); // index 0
    if (failed(addBuffers()) || failed(addPrograms()) || failed(addCode()))
      return failure();
    for (auto event : module.getOps<EventOp>()) {
      numbers.events[event.getSymNameAttr()] = bundle.events.size();
      auto table = std::make_unique<fb::EventT>();
      table->name = event.getSymName();
      bundle.events.push_back(std::move(table));
    }
    if (failed(addMesh()) || failed(addTraces()))
      return failure();
    constantsHash = constants.hash();
    for (const SegmentContents &shard : shards)
      shardHashes.push_back(shard.hash());
    if (!shards.empty())
      shardsHash = ttrt::dataflow::digestOfShards(shardOfDevice.size(), [&](uint32_t device) {
        const uint32_t shard = shardOfDevice[device];
        return shard == ttrt::kNoShard ? 0 : shardHashes[shard];
      });
    for (auto entry : module.getOps<EntryOp>())
      if (failed(addEntry(entry)))
        return failure();
    if (bundle.entries.empty())
      return emitError(module.getLoc(), "expected at least one ttc.entry, found none");
    addMetadata();
    bundle.producer = "ttc " TTC_VERSION;
    writeFile(output);
    return success();
  }

private:
  uint32_t addLocation(Location location) {
    std::string text = toText(location);
    auto [it, isNew] = locations.try_emplace(text, bundle.locations.size());
    if (isNew)
      bundle.locations.push_back(text);
    return it->second;
  }

  LogicalResult addBuffers() {
    SmallVector<BufferOp> stored;
    for (auto buffer : module.getOps<BufferOp>()) {
      if (!buffer.isPlanned())
        return buffer.emitError("expected @")
               << buffer.getSymName() << " to have an address, found none; run --ttc-preallocate";
      if (buffer.getMemory() == MemorySpace::Host)
        map.hostBytes = std::max<uint64_t>(
            map.hostBytes,
            ttrt::alignUp(buffer.getAddressAttr().getInt() + *buffer.getSize(), ttrt::kPageSize));
    }
    bundle.target->host_bytes = map.hostBytes;
    for (auto buffer : module.getOps<BufferOp>()) {
      numbers.addresses[buffer.getSymNameAttr()] = getAddress(map, buffer);
      numbers.buffers[buffer.getSymNameAttr()] = bundle.buffers.size();

      auto table = std::make_unique<fb::BufferT>();
      table->name = buffer.getSymName();
      table->kind = static_cast<fb::BufferKind>(buffer.getKind());
      table->space = static_cast<fb::MemorySpace>(buffer.getMemory());
      table->offset = buffer.getAddressAttr().getInt();
      table->size = *buffer.getSize();
      table->begin = buffer.getLiveBegin().value_or(0);
      table->end = buffer.getLiveEnd().value_or(0);
      table->source = addLocation(buffer.getLoc());
      table->type = toText(buffer.getTensorType());
      table->shards = buffer.getShards().value_or(0);
      bundle.buffers.push_back(std::move(table));
      if (buffer.getKind() == BufferKind::State && failed(addState(buffer)))
        return failure();
      if (buffer.getValue())
        stored.push_back(buffer);
    }

    // Those of all devices first. Constants with a lifetime are those of a stage's devices.
    auto differs = [](BufferOp buffer) {
      return isa<ShardsAttr>(*buffer.getValue()) || buffer.getLiveBegin();
    };
    llvm::sort(stored, [&](BufferOp a, BufferOp b) {
      return std::pair(differs(a), a.getAddressAttr().getInt()) <
             std::pair(differs(b), b.getAddressAttr().getInt());
    });
    const size_t shared = llvm::find_if(stored, differs) - stored.begin();
    ArrayRef<BufferOp> same = ArrayRef(stored).take_front(shared);
    ArrayRef<BufferOp> differing = ArrayRef(stored).drop_front(shared);
    if (!same.empty())
      constantsAddress = getPage(same.front());
    if (failed(addConstants(same, constantsAddress, constants,
                            [](BufferOp buffer) { return *buffer.getValue(); })) ||
        failed(addShards(differing)))
      return failure();
    return success();
  }

  /// The address of the page that the buffer begins in.
  static uint64_t getPage(BufferOp buffer) {
    return llvm::alignDown(buffer.getAddressAttr().getInt(), ttrt::kPageSize);
  }

  /// Puts the values of buffers, in ascending order of addresses, in a segment at `begin`.
  LogicalResult addConstants(ArrayRef<BufferOp> buffers, uint64_t begin, SegmentContents &segment,
                             function_ref<ElementsAttr(BufferOp)> getValue) {
    for (BufferOp buffer : buffers) {
      uint64_t offset = buffer.getAddressAttr().getInt() - begin;
      if (offset < segment.size())
        return buffer.emitError("expected constants that do not overlap, found @")
               << buffer.getSymName() << " overlapping another one";
      segment.padTo(offset);
      segment.add(getValue(buffer), buffer.getTensorBytes());
      segment.padTo(offset + *buffer.getSize());
    }
    return success();
  }

  /// Constants that differ between devices: a segment for each distinct choice of values.
  LogicalResult addShards(ArrayRef<BufferOp> buffers) {
    if (buffers.empty())
      return success();
    auto mesh = module->getAttrOfType<MeshAttr>(kMeshAttrName);
    const int64_t devices = mesh ? mesh.getNumDevices() : 1;
    for (BufferOp buffer : buffers)
      if (auto value = dyn_cast<ShardsAttr>(*buffer.getValue());
          value && static_cast<int64_t>(value.getDevices().size()) != devices)
        return buffer.emitError("expected values for the ")
               << devices << " devices of the mesh, found them for " << value.getDevices().size();
    shardsAddress = getPage(buffers.front());
    std::vector<TimelinePoint> timeline = getTimeline(module);
    SmallVector<EntryPoints> entries = getEntryPoints(module, timeline);
    auto isOn = [&](BufferOp buffer, int64_t device) {
      std::optional<int64_t> begin = buffer.getLiveBegin();
      return !begin || llvm::is_contained(
                           *EntryOp(findEntryPoint(entries, *begin).entry).getDevices(), device);
    };
    for (BufferOp buffer : buffers)
      if (std::optional<int64_t> begin = buffer.getLiveBegin();
          begin && (timeline.size() <= static_cast<size_t>(*begin) ||
                    !EntryOp(findEntryPoint(entries, *begin).entry).getDevices()))
        return buffer.emitError(
            "expected a constant with a lifetime to be used by an entry point of "
            "some devices, found one that is not");
    std::map<SmallVector<int64_t>, uint32_t> numbers;
    for (int64_t device = 0; device < devices; ++device) {
      SmallVector<BufferOp> its;
      SmallVector<int64_t> choice(buffers.size(), -1);
      for (auto [number, buffer] : llvm::zip_equal(choice, buffers)) {
        if (!isOn(buffer, device))
          continue;
        auto value = dyn_cast<ShardsAttr>(*BufferOp(buffer).getValue());
        number = value ? value.getDevices()[device] : 0;
        its.push_back(buffer);
      }
      if (its.empty()) {
        shardOfDevice.push_back(ttrt::kNoShard);
        continue;
      }
      auto [it, isNew] = numbers.try_emplace(choice, shards.size());
      shardOfDevice.push_back(it->second);
      if (isNew &&
          failed(addConstants(its, shardsAddress, shards.emplace_back(), [&](BufferOp buffer) {
            auto value = dyn_cast<ShardsAttr>(*buffer.getValue());
            return value ? value.getValue(device) : *buffer.getValue();
          })))
        return failure();
    }
    return success();
  }

  LogicalResult addMesh() {
    auto mesh = module->getAttrOfType<MeshAttr>(kMeshAttrName);
    if (mesh) {
      bundle.mesh = writeMesh(mesh);
      bundle.mesh->shards = shardOfDevice;
      if (mesh.getNumDevices() > 1)
        bundle.required_features.push_back(ttrt::kMeshFeature);
    }
    for (auto collective : module.getOps<CollectiveOp>()) {
      if (!mesh)
        return collective.emitError("expected a module with a mesh (")
               << kMeshAttrName << "), found none";
      numbers.collectives[collective.getSymNameAttr()] = bundle.collectives.size();
      FailureOr<std::unique_ptr<fb::CollectiveT>> table = writeCollective(collective);
      if (failed(table))
        return failure();
      collectiveDigests.push_back(digestOfCollective(**table));
      bundle.collectives.push_back(std::move(*table));
    }
    return success();
  }

  LogicalResult addState(BufferOp buffer) {
    RankedTensorType type = buffer.getTensorType();
    std::optional<fb::DType> dtype = toDType(type.getElementType());
    if (!dtype)
      return buffer.emitError(
                 "expected a state of an element type that the bundle format has, found ")
             << type;
    auto table = std::make_unique<fb::PortT>();
    table->name = buffer.getSymName();
    table->dtype = *dtype;
    table->shape.assign(type.getShape().begin(), type.getShape().end());
    table->buffer = numbers.buffers.lookup(buffer.getSymNameAttr());
    bundle.states.push_back(std::move(table));
    return success();
  }

  LogicalResult addPrograms() {
    for (auto program : module.getOps<ProgramOp>()) {
      if (!program.getGrid() || !program.getScratchBytes())
        return program.emitError("expected @")
               << program.getSymName() << " to have a grid and scratch bytes, found none; run "
               << "--ttc-lower-programs";
      numbers.programs[program.getSymNameAttr()] = bundle.programs.size();
      programs.push_back(program);
      auto table = std::make_unique<fb::ProgramT>();
      table->symbol = program.getSymName();
      table->grid = *program.getGrid();
      table->scratch_bytes = *program.getScratchBytes();
      table->markers = program.getMarkers();
      table->flops = program.getFlops().value_or(0);
      unsigned inputs = program.getNumArguments();
      for (unsigned i = 0; i < inputs + program.getNumResults(); ++i) {
        auto operand = std::make_unique<fb::OperandT>();
        ByteSpan span = program.getSpan(i);
        operand->access = i < inputs ? fb::Access::Read : fb::Access::Write;
        operand->bytes = span.bytes;
        operand->alignment = ttrt::kBufferAlignment;
        operand->per_workgroup = span.perWorkgroup;
        StridedAttr rows = program.getStrided(i);
        if (ShardAttr shard = program.getShard(i); shard && shard.getLayout()) {
          operand->row_bytes = span.row; // one shard in each core
          operand->pitch_bytes = span.pitch;
        } else if (rows && !shard) {
          operand->alignment = rows.getAlignment();
          operand->row_bytes = span.row;
          operand->pitch_bytes = span.pitch;
        }
        if (i >= inputs)
          operand->in_place_of.assign(program.getInPlace(i - inputs).begin(),
                                      program.getInPlace(i - inputs).end());
        table->operands.push_back(std::move(operand));
      }
      if (failed(addHostFunction(program, *table)))
        return failure();
      bundle.programs.push_back(std::move(table));
    }
    if (llvm::any_of(bundle.programs,
                     [](auto &program) { return program->host_function != nullptr; }))
      bundle.required_features.push_back(ttrt::kHostFunctionsFeature);
    if (llvm::any_of(module.getOps<TraceOp>(),
                     [](TraceOp trace) { return !trace.getBody().getOps<CmdRepeatOp>().empty(); }))
      bundle.required_features.push_back(ttrt::kLoopsFeature);
    if (llvm::any_of(bundle.programs, [](auto &program) { return program->markers; }))
      bundle.required_features.push_back(ttrt::kProgramMarkersFeature);
    return success();
  }

  LogicalResult addHostFunction(ProgramOp program, fb::ProgramT &table) {
    hostDigests.push_back(0);
    if (!program.getHostFunctionAttr())
      return success();
    FailureOr<std::unique_ptr<fb::HostFunctionT>> function = writeHostFunction(program);
    if (failed(function))
      return failure();
    table.host_function = std::move(*function);
    for (auto [i, operand] : llvm::enumerate(table.operands)) {
      auto type = cast<RankedTensorType>(program.getOperandType(i));
      std::optional<fb::DType> dtype = toDType(type.getElementType());
      if (!dtype)
        return program.emitError("expected an element type that the bundle format has, found ")
               << type;
      operand->dtype = *dtype;
      operand->shape.assign(type.getShape().begin(), type.getShape().end());
    }
    hostDigests.back() = digestOfHostFunction(table);
    return success();
  }

  LogicalResult addCode() {
    auto binaries = llvm::to_vector(module.getOps<BinaryOp>());
    bool hasCode = llvm::any_of(bundle.programs, [](auto &p) { return !p->host_function; });
    if (binaries.size() > 1 || (binaries.empty() && hasCode))
      return emitError(module.getLoc(), "expected one ttc.binary, found ")
             << binaries.size() << "; run --ttc-compile-programs";
    if (!binaries.empty())
      code.add(binaries[0].getCode(),
               getTensorBytes(cast<ShapedType>(binaries[0].getCode().getType())));
    if (!binaries.empty() && binaries[0].getZoneNames())
      for (auto name : binaries[0].getZoneNamesAttr().getAsRange<StringAttr>())
        bundle.zone_names.push_back(name.str());
    return success();
  }

  LogicalResult addTraces() {
    SmallVector<TraceOp> traces = llvm::to_vector(module.getOps<TraceOp>());
    if (traces.empty())
      return success();
    uint64_t begin = map.dramBytes;
    for (TraceOp trace : traces) {
      if (!trace.isEncoded() || !trace.getRegionAddressAttr())
        return trace.emitError("expected @")
               << trace.getSymName()
               << " to have commands and an address in the trace region, found "
               << (trace.isEncoded() ? "no address; run --ttc-size-trace-region"
                                     : "work on tensors; run --ttc-encode-commands");
      begin -= llvm::alignTo(trace.getStreamBytes(), ttrt::kStreamAlignment);
      numbers.traces[trace.getSymNameAttr()] = bundle.traces.size();
      auto table = std::make_unique<fb::TraceT>();
      table->name = trace.getSymName();
      table->address = trace.getRegionAddressAttr().getInt();
      table->size = *trace.getRegionSize();
      for (Operation &command : trace.getBody().front())
        table->sources.push_back(addLocation(command.getLoc()));
      table->commands = table->sources.size();
      bundle.traces.push_back(std::move(table));
    }
    bundle.trace_region = std::make_unique<fb::RegionT>();
    streamsAddress = begin;
    uint64_t size = map.dramBytes - begin;
    if (auto reserved = module->getAttrOfType<IntegerAttr>(kTraceRegionAttrName))
      size = std::max<uint64_t>(size, reserved.getInt());
    bundle.trace_region->address = map.dramBytes - size;
    bundle.trace_region->size = size;

    llvm::sort(traces, [](TraceOp a, TraceOp b) {
      return a.getRegionAddressAttr().getInt() < b.getRegionAddressAttr().getInt();
    });
    // Streams are contiguous and end where DRAM ends.
    for (TraceOp trace : traces) {
      uint64_t expected = begin + streamBytes.size();
      if (uint64_t(trace.getRegionAddressAttr().getInt()) != expected)
        return trace.emitError("expected the stream of @")
               << trace.getSymName() << " at dram " << expected << ", found it at "
               << trace.getRegionAddressAttr().getInt() << "; run --ttc-size-trace-region";
      writeStream(trace, numbers, streamBytes);
      streamBytes.resize(llvm::alignTo(streamBytes.size(), ttrt::kStreamAlignment));
    }
    streams.add(streamBytes);
    return success();
  }

  template <typename PortOp>
  LogicalResult addPorts(EntryOp entry, SmallVector<Operation *> &ops,
                         std::vector<std::unique_ptr<fb::PortT>> &ports) {
    ops.clear();
    for (PortOp port : entry.getBody().getOps<PortOp>()) {
      auto type = cast<RankedTensorType>(port.getType());
      std::optional<fb::DType> dtype = toDType(type.getElementType());
      if (!dtype)
        return port.emitError("expected an element type that the bundle format has, found ")
               << type;
      auto table = std::make_unique<fb::PortT>();
      table->name = port.getName();
      table->dtype = *dtype;
      table->shape.assign(type.getShape().begin(), type.getShape().end());
      table->buffer = numbers.buffers.lookup(port.getBufferAttr().getAttr());
      for (int64_t i = 1; i < port.getNumSlots(); ++i)
        table->ring.push_back(numbers.buffers.lookup(port.getSlot(i).getAttr()));
      if (failed(writeSharding(port, *table)))
        return failure();
      writeDims(port, *table);
      ops.push_back(port);
      ports.push_back(std::move(table));
    }
    return success();
  }

  LogicalResult addEntry(EntryOp entry) {
    if (ArrayAttr wanted = entry.getWantedSchedulesAttr())
      return entry.emitError("expected all schedules to be present, found ")
             << wanted << " still wanted; run --ttc-overlap-transfers";
    auto table = std::make_unique<fb::EntryPointT>();
    table->name = entry.getSymName();
    if (auto devices = entry.getDevices()) {
      table->devices.assign(devices->begin(), devices->end());
      table->part_of = *entry.getPartOf();
    }
    if (failed(addPorts<InputOp>(entry, numbers.inputs, table->inputs)) ||
        failed(addPorts<OutputOp>(entry, numbers.outputs, table->outputs)))
      return failure();
    if (failed(writeVariant(entry, bundle.entries, *table)))
      return failure();
    for (auto schedule : entry.getBody().getOps<ScheduleOp>()) {
      auto scheduleTable = std::make_unique<fb::ScheduleT>();
      scheduleTable->name = schedule.getName();
      scheduleTable->queues = schedule.getQueues();
      addSteps(schedule.getPrologue(), scheduleTable->prologue);
      addSteps(schedule.getBody(), scheduleTable->body);
      addSteps(schedule.getEpilogue(), scheduleTable->epilogue);
      table->schedules.push_back(std::move(scheduleTable));
    }
    FailureOr<std::unique_ptr<fb::DataflowT>> dataflow =
        followDataflow(entry, *table,
                       {numbers, map, constantsHash, constantsAddress, shardsHash, shardsAddress,
                        collectiveDigests, hostDigests, bundle.mesh.get(), programs},
                       symbols);
    if (failed(dataflow))
      return failure();
    table->dataflow = std::move(*dataflow);
    bundle.entries.push_back(std::move(table));
    return success();
  }

  void addSteps(Region &region, std::vector<std::unique_ptr<fb::StepT>> &steps) {
    for (auto step : region.getOps<StepSerializationOpInterface>()) {
      auto table = std::make_unique<fb::StepT>();
      table->kind = step.getStepKind();
      table->queue = step.getStepQueue();
      table->source = addLocation(step.getLoc());
      step.writeStep(numbers, *table);
      steps.push_back(std::move(table));
    }
  }

  void addMetadata() {
    auto metadata = module->getAttrOfType<DictionaryAttr>(kMetadataAttrName);
    if (!metadata)
      return;
    // A dictionary is sorted by the bytes of its keys, as the bundle's table is.
    for (NamedAttribute entry : metadata) {
      auto table = std::make_unique<fb::MetadatumT>();
      StringRef value = cast<StringAttr>(entry.getValue()).getValue();
      table->key = entry.getName().str();
      table->value.assign(value.bytes_begin(), value.bytes_end());
      bundle.metadata.push_back(std::move(table));
    }
  }

  //===--- the file ---------------------------------------------------------------------===//

  void addSegment(fb::SegmentKind kind, const SegmentContents &contents, uint64_t address,
                  uint64_t hash) {
    if (contents.size() == 0)
      return;
    auto table = std::make_unique<fb::SegmentT>();
    table->kind = kind;
    table->size = contents.size();
    table->hash = hash;
    table->address = address;
    // A placeholder that gives the table its final size; writeFile() sets the offset.
    table->offset = UINT64_MAX;
    bundle.segments.push_back(std::move(table));
    segments.push_back(&contents);
  }

  void build(flatbuffers::FlatBufferBuilder &builder) {
    builder.Finish(fb::Bundle::Pack(builder, &bundle), fb::BundleIdentifier());
  }

  void writeFile(llvm::raw_ostream &output) {
    addSegment(fb::SegmentKind::Constants, constants, constantsAddress, constantsHash);
    for (auto [i, shard] : llvm::enumerate(shards)) {
      addSegment(fb::SegmentKind::Constants, shard, shardsAddress, shardHashes[i]);
      bundle.segments.back()->shard = i + 1;
    }
    addSegment(fb::SegmentKind::Streams, streams, streamsAddress, streams.hash());
    addSegment(fb::SegmentKind::Code, code, 0, code.hash());

    // Offsets of segments depend on the metadata's size, which does not depend on the offsets.
    flatbuffers::FlatBufferBuilder sizing;
    build(sizing);
    uint64_t position = sizeof(ttrt::FileHeader) + sizing.GetSize();
    for (auto &segment : bundle.segments) {
      // No two segments share a page; a mapped segment keeps its offset in the page.
      position = ttrt::alignUp(position, ttrt::kPageSize) + segment->address % ttrt::kPageSize;
      segment->offset = position;
      position += segment->size;
    }
    flatbuffers::FlatBufferBuilder metadata;
    build(metadata);

    ttrt::FileHeader header = {};
    memcpy(header.magic, ttrt::kFileMagic, sizeof(header.magic));
    header.version = ttrt::kFormatVersion;
    header.headerSize = sizeof(header);
    header.fileSize = position;
    header.metadataOffset = sizeof(header);
    header.metadataSize = metadata.GetSize();
    header.metadataHash = ttrt::hashBytes(metadata.GetBufferPointer(), metadata.GetSize());
    header.headerHash = ttrt::hashBytes(&header, offsetof(ttrt::FileHeader, headerHash));

    output.write(reinterpret_cast<const char *>(&header), sizeof(header));
    output.write(reinterpret_cast<const char *>(metadata.GetBufferPointer()), metadata.GetSize());
    position = sizeof(header) + metadata.GetSize();
    for (auto [segment, contents] : llvm::zip_equal(bundle.segments, segments)) {
      output.write_zeros(segment->offset - position);
      contents->write(output);
      position = segment->offset + segment->size;
    }
  }

  ModuleOp module;
  TargetAttr target;
  fb::BundleT bundle;
  ttrt::AddressMap map;
  BundleNumbers numbers;
  SmallVector<ProgramOp> programs;   ///< by number
  SymbolTableCollection symbols;     ///< of the module, which does not change
  std::vector<uint64_t> hostDigests; ///< by program; 0 for one with code
  std::map<std::string, uint32_t> locations;
  SegmentContents constants, streams, code;
  uint64_t constantsAddress = 0, constantsHash = 0, streamsAddress = 0;
  /// Constants that differ from device to device: the segments, and which one each device has.
  std::deque<SegmentContents> shards;
  std::vector<uint64_t> shardHashes;
  std::vector<uint32_t> shardOfDevice;
  uint64_t shardsAddress = 0, shardsHash = 0;
  std::vector<uint64_t> collectiveDigests;
  std::vector<char> streamBytes;
  std::vector<const SegmentContents *> segments;
};

} // namespace

LogicalResult mlir::ttc::writeBundle(ModuleOp module, llvm::raw_ostream &output) {
  FailureOr<TargetAttr> target = getTarget(module);
  if (failed(target))
    return failure();
  return Writer(module, *target).write(output);
}
