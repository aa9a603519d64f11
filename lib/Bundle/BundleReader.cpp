// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BundleReader.h"
#include "HostFunctionTables.h"
#include "MeshTables.h"
#include "TargetTable.h"
#include "TypeNames.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "ttc/Bundle/Bundle.h"
#include "ttc/Support/Location.h"
#include "ttc/Support/Target.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;

BundleReader::BundleReader(std::shared_ptr<llvm::MemoryBuffer> file, MLIRContext *context)
    : file(std::move(file)), context(context), builder(context),
      where(FileLineColLoc::get(context, this->file->getBufferIdentifier(), 0, 0)) {
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    if (auto *command = op.getInterface<CommandSerializationOpInterface>())
      commandOps.emplace(command->getOpcode(), command);
    if (auto *step = op.getInterface<StepSerializationOpInterface>())
      stepOps.emplace(step->getStepKind(), step);
  }
}

OwningOpRef<ModuleOp> BundleReader::read() {
  if (failed(openFile()))
    return nullptr;
  OwningOpRef<ModuleOp> result = ModuleOp::create(UnknownLoc::get(context));
  module = *result;
  builder.setInsertionPointToEnd(module.getBody());
  if (failed(readTarget()) || failed(readMesh()) || failed(readMetadata()) ||
      failed(readPrograms()) || failed(readBuffers()) || failed(readEvents()) ||
      failed(readCollectives()) || failed(readTraces()) || failed(readEntries()) ||
      failed(readCode()))
    return nullptr;
  return result;
}

//===--- the file ---------------------------------------------------------------------===//

LogicalResult BundleReader::openFile() {
  StringRef bytes = file->getBuffer();
  ttrt::FileHeader header;
  if (bytes.size() < sizeof(header))
    return emitError() << "expected a trace bundle, found a file of " << bytes.size() << " bytes";
  memcpy(&header, bytes.data(), sizeof(header));
  if (memcmp(header.magic, ttrt::kFileMagic, sizeof(header.magic)) != 0)
    return emitError() << "expected a trace bundle, found a file of another kind";
  if (header.version != ttrt::kFormatVersion)
    return emitError() << "expected bundle format " << ttrt::kFormatVersion << ", found "
                       << header.version << "; compile the model again";
  if (header.fileSize != bytes.size() ||
      header.headerHash != ttrt::hashBytes(&header, offsetof(ttrt::FileHeader, headerHash)))
    return emitError() << "expected a complete bundle of " << header.fileSize << " bytes, found "
                       << bytes.size() << " bytes or a damaged header";
  if (header.metadataOffset > bytes.size() ||
      header.metadataSize > bytes.size() - header.metadataOffset ||
      header.metadataOffset % ttrt::kBufferAlignment != 0)
    return emitError() << "expected metadata inside the file, found it at "
                       << header.metadataOffset;
  const char *metadata = bytes.data() + header.metadataOffset;
  if (header.metadataHash != ttrt::hashBytes(metadata, header.metadataSize))
    return emitError() << "the metadata is damaged: its hash does not match";
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(metadata), header.metadataSize);
  if (!fb::VerifyBundleBuffer(verifier))
    return emitError() << "the metadata is damaged: it is not a flatbuffer of a bundle";
  bundle = fb::GetBundle(metadata);
  for (uint32_t i = 0; i < count(bundle->required_features()); ++i)
    if (StringRef feature = text(bundle->required_features()->Get(i));
        feature != ttrt::kHostFunctionsFeature && feature != ttrt::kProgramMarkersFeature &&
        feature != ttrt::kMeshFeature && feature != ttrt::kLoopsFeature)
      return emitError() << "the bundle needs '" << feature
                         << "', which this version does not support";
  for (const fb::Segment *segment : *bundle->segments()) {
    if (segment->kind() > fb::SegmentKind::MAX || segment->offset() > bytes.size() ||
        segment->size() > bytes.size() - segment->offset())
      return emitError() << "expected segments inside the file, found one at " << segment->offset()
                         << " of " << segment->size() << " bytes";
    ArrayRef<char> contents(bytes.data() + segment->offset(), segment->size());
    if (segment->hash() != ttrt::hashSegment(contents.data(), contents.size()))
      return emitError() << "a segment is damaged: its hash does not match";
    const Segment read = {segment->address(), contents};
    if (segment->shard() == 0)
      segments[static_cast<size_t>(segment->kind())] = read;
    else if (segment->kind() != fb::SegmentKind::Constants || segment->shard() != shards.size() + 1)
      return emitError()
             << "expected segments of constants for shards in order, found one for shard "
             << segment->shard();
    else
      shards.push_back(read);
  }
  return success();
}

Location BundleReader::getLocation(uint32_t index) {
  return toLocation(index < count(bundle->locations()) ? text(bundle->locations()->Get(index))
                                                       : StringRef(),
                    context);
}

LogicalResult BundleReader::readTarget() {
  FailureOr<TargetAttr> target =
      mlir::ttc::readTarget(*bundle->target(), context, [&] { return emitError(); });
  if (failed(target))
    return failure();
  module->setAttr(kTargetAttrName, *target);
  map = makeAddressMap(*target, bundle->target()->host_bytes());
  return success();
}

LogicalResult BundleReader::readMesh() {
  const fb::Mesh *table = bundle->mesh();
  if (!table)
    return success();
  mesh = mlir::ttc::readMesh(*table, context, [&] { return emitError(); });
  if (!mesh)
    return failure();
  module->setAttr(kMeshAttrName, mesh);
  for (uint32_t i = 0; i < count(table->shards()); ++i)
    shardOfDevice.push_back(table->shards()->Get(i));
  if (!shardOfDevice.empty() &&
      (static_cast<int64_t>(shardOfDevice.size()) != mesh.getNumDevices() ||
       llvm::any_of(shardOfDevice, [&](int64_t shard) {
         return shard != ttrt::kNoShard && shard >= static_cast<int64_t>(shards.size());
       })))
    return emitError() << "expected a shard for each of " << mesh.getNumDevices()
                       << " devices, found " << shards.size() << " shards of "
                       << shardOfDevice.size() << " devices";
  return success();
}

LogicalResult BundleReader::readCollectives() {
  for (uint32_t i = 0; i < count(bundle->collectives()); ++i) {
    CollectiveOp op = readCollective(builder, builder.getUnknownLoc(),
                                     *bundle->collectives()->Get(i), [&] { return emitError(); });
    if (!op)
      return failure();
    collectives.push_back(op);
  }
  return success();
}

LogicalResult BundleReader::readMetadata() {
  SmallVector<NamedAttribute> entries;
  for (uint32_t i = 0; i < count(bundle->metadata()); ++i) {
    const fb::Metadatum &from = *bundle->metadata()->Get(i);
    StringRef previous = i ? text(bundle->metadata()->Get(i - 1)->key()) : StringRef();
    if (text(from.key()) <= previous)
      return emitError() << "expected metadata in ascending order of the keys, found '"
                         << text(from.key()) << "' after '" << previous << "'";
    StringRef value;
    if (from.value())
      value = StringRef(reinterpret_cast<const char *>(from.value()->data()), from.value()->size());
    entries.push_back(builder.getNamedAttr(text(from.key()), builder.getStringAttr(value)));
  }
  if (!entries.empty())
    module->setAttr(kMetadataAttrName, builder.getDictionaryAttr(entries));
  return success();
}

//===--- tables -----------------------------------------------------------------------===//

/// A sharded operand has one row in each core; its whole tensor is then a matrix of such rows.
std::optional<BundleReader::OperandText> BundleReader::readOperand(const fb::Program &program,
                                                                   const fb::Operand &operand) {
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
    read.attrs.emplace_back(ProgramOp::getStridedAttrName(),
                            StridedAttr::get(context, row, pitch, operand.alignment()));
  }
  return read;
}

LogicalResult BundleReader::readPrograms() {
  for (uint32_t i = 0; i < count(bundle->programs()); ++i) {
    const fb::Program &from = *bundle->programs()->Get(i);
    SmallVector<Type> types[2]; // inputs, results
    SmallVector<DictionaryAttr> dictionaries[2];
    bool isOnShards = false;
    for (uint32_t j = 0; j < count(from.operands()); ++j) {
      const fb::Operand &operand = *from.operands()->Get(j);
      std::optional<OperandText> read;
      if (operand.access() != fb::Access::ReadWrite && operand.bytes() <= INT64_MAX) {
        if (!from.host_function())
          read = readOperand(from, operand);
        else if (RankedTensorType type = readHostType(operand, context))
          read = OperandText{type, {}};
      }
      if (!read)
        return emitError() << "program '" << text(from.symbol()) << "': operand " << j
                           << " has no equivalent in the IR";
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
    program.setMarkers(from.markers());
    if (from.flops() > INT64_MAX)
      return emitError() << "program '" << text(from.symbol()) << "': " << from.flops()
                         << " operations have no equivalent in the IR";
    if (from.flops() != 0)
      program.setFlopsAttr(builder.getI64IntegerAttr(from.flops()));
    if (isOnShards)
      program.setShards(ArrayRef<int64_t>(from.grid()));
    if (from.host_function()) {
      HostFunctionAttr function =
          readHostFunction(*from.host_function(), context, [&] { return emitError(); });
      if (!function)
        return failure();
      program.setHostFunctionAttr(function);
    }
    programs.push_back(program);
  }
  return success();
}

ElementsAttr BundleReader::readConstant(const fb::Buffer &from, RankedTensorType type) {
  const uint64_t bytes = getTensorBytes(type);
  auto readFrom = [&](const Segment &segment) -> ElementsAttr {
    const uint64_t offset = from.offset() - segment.address;
    if (from.offset() < segment.address || offset > segment.contents.size() ||
        bytes > segment.contents.size() - offset)
      return {};
    return makeConstant(type, segment.contents.slice(offset, bytes), text(from.name()),
                        [file = file] {});
  };
  if (ElementsAttr value = readFrom(segments[static_cast<size_t>(fb::SegmentKind::Constants)]);
      value || shardOfDevice.empty())
    return value;
  // In the order of the devices that have them first. Devices of other stages have none.
  SmallVector<ElementsAttr> values;
  SmallVector<int64_t> numbers(shards.size(), -1), devices;
  const SmallVector<int64_t> stage = findStage(from);
  for (auto [device, shard] : llvm::enumerate(shardOfDevice)) {
    if (shard == ttrt::kNoShard || (!stage.empty() && !llvm::is_contained(stage, device))) {
      devices.push_back(0);
      continue;
    }
    if (numbers[shard] < 0) {
      numbers[shard] = values.size();
      if (!values.emplace_back(readFrom(shards[shard])))
        return {};
    }
    devices.push_back(numbers[shard]);
  }
  if (!stage.empty() && values.size() == 1)
    return values.front();
  return values.empty() ? ElementsAttr() : ShardsAttr::get(context, values, devices);
}

/// The devices of the entry point to whose points the lifetime of a constant belongs. Empty if it
/// has none.
SmallVector<int64_t> BundleReader::findStage(const fb::Buffer &constant) {
  uint64_t time = 0;
  if (constant.end() == 0)
    return {};
  for (const fb::EntryPoint *entry : *bundle->entries()) {
    if (entry->schedules()->size() == 0)
      continue;
    const fb::Schedule &schedule = *entry->schedules()->Get(0);
    for (const auto *steps : {schedule.prologue(), schedule.body(), schedule.epilogue()})
      for (uint32_t i = 0; i < count(steps); ++i) {
        const fb::Step &step = *steps->Get(i);
        const bool executes =
            step.kind() == fb::StepKind::Execute && step.index() < count(bundle->traces());
        time += executes ? bundle->traces()->Get(step.index())->commands() : 1;
      }
    if (constant.begin() < time)
      return entry->devices()
                 ? SmallVector<int64_t>(entry->devices()->begin(), entry->devices()->end())
                 : SmallVector<int64_t>();
  }
  return {};
}

LogicalResult BundleReader::readBuffers() {
  for (uint32_t i = 0; i < count(bundle->buffers()); ++i) {
    const fb::Buffer &from = *bundle->buffers()->Get(i);
    RankedTensorType type = fromText(text(from.type()), context);
    if (!type || from.kind() > fb::BufferKind::MAX || from.space() > fb::MemorySpace::MAX)
      return emitError() << "buffer '" << text(from.name()) << "' has type '" << text(from.type())
                         << "', kind " << static_cast<int>(from.kind()) << " and memory "
                         << static_cast<int>(from.space())
                         << ", which this version does not support";
    ElementsAttr value;
    if (from.kind() == fb::BufferKind::Constant) {
      value = readConstant(from, type);
      if (!value)
        return emitError() << "constant '" << text(from.name())
                           << "' is located outside its segment";
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
    if (from.shards())
      buffer.setShardsAttr(builder.getI64IntegerAttr(from.shards()));
    uint64_t address = getAddress(map, buffer);
    byAddress.emplace(map.plannedAddress(address), i);
    if (from.end() == 0)
      permanent[address] = address + buffer.getExtent().value_or(from.size());
    buffers.push_back(buffer);
  }
  return success();
}

LogicalResult BundleReader::readEvents() {
  for (uint32_t i = 0; i < count(bundle->events()); ++i)
    events.push_back(EventOp::create(builder, builder.getUnknownLoc(),
                                     builder.getStringAttr(text(bundle->events()->Get(i)->name())),
                                     StringAttr()));
  return success();
}

LogicalResult BundleReader::readCode() {
  ArrayRef<char> code = segments[static_cast<size_t>(fb::SegmentKind::Code)].contents;
  if (code.empty())
    return success();
  auto type = RankedTensorType::get({static_cast<int64_t>(code.size())}, builder.getIntegerType(8));
  SmallVector<StringRef> names;
  for (uint32_t i = 0; i < count(bundle->zone_names()); ++i)
    names.push_back(text(bundle->zone_names()->Get(i)));
  BinaryOp::create(builder, builder.getUnknownLoc(), builder.getStringAttr("code"),
                   makeConstant(type, code, "code", [file = file] {}), StringAttr(),
                   names.empty() ? ArrayAttr() : builder.getStrArrayAttr(names));
  return success();
}

OwningOpRef<ModuleOp> mlir::ttc::readBundle(std::unique_ptr<llvm::MemoryBuffer> file,
                                            MLIRContext *context) {
  context->loadDialect<TtcDialect>();
  return BundleReader(std::move(file), context).read();
}
