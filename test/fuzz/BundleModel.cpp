// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BundleModel.h"

#include "ttrt/format/bundle_format.h"
#include "ttrt/format/commands.h"
#include "ttrt/ttc_bundle_generated.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ttrt::fuzz {

/// Commands have their header's three fields first.
enum CommandField : uint32_t { OpcodeField, ReservedField, SizeField };
/// After them, a dispatch and commands of collectives have these.
enum DispatchField : uint32_t { ProgramField = 3, CountField, OperandsField };

static Field scalar(const char *name, uint32_t bytes) {
  Field field;
  field.name = name;
  field.type.bytes = bytes;
  return field;
}

static Table command(const char *name, std::vector<Field> own) {
  Table table{name, {scalar("opcode", 2), scalar("reserved", 2), scalar("size", 4)}};
  table.fields.insert(table.fields.end(), own.begin(), own.end());
  return table;
}

void BundleModel::addCommandTables() {
  header_ = schema_.add(
      {"header",
       {scalar("version", 4), scalar("headerSize", 4), scalar("fileSize", 8),
        scalar("metadataOffset", 8), scalar("metadataSize", 8), scalar("reserved", 8)}});
  Field operands = scalar("operands", 8);
  operands.isVector = true;
  Field commands;
  commands.name = "commands";
  commands.isVector = true;
  commands.type.kind = Kind::Table;
  stream_ = schema_.add({"stream", {commands}});
  // By opcode.
  firstCommand_ =
      schema_.add(command("dispatch", {scalar("program", 4), scalar("operandCount", 4), operands}));
  schema_.add(command("copy", {scalar("dst", 8), scalar("src", 8), scalar("bytes", 8)}));
  schema_.add(command("fill", {scalar("dst", 8), scalar("bytes", 8), scalar("pattern", 8)}));
  schema_.add(command("barrier", {}));
  schema_.add(command("signal", {scalar("event", 4), scalar("reserved2", 4)}));
  schema_.add(command("wait", {scalar("event", 4), scalar("reserved2", 4)}));
  schema_.add(command("end", {}));
  for (const char *name : {"exchange", "send", "receive", "offer"})
    schema_.add(command(name, {scalar("collective", 4), scalar("operandCount", 4), operands}));
  schema_.add(command("repeat", {scalar("iterations", 8), scalar("flag", 8), scalar("bodyBytes", 8),
                                 scalar("bodyCommands", 4), scalar("operandCount", 4),
                                 scalar("options", 4), scalar("reserved2", 4), operands}));
  schema_.add(command("end-repeat", {}));
  Field header, metadata, streams;
  header.name = "header";
  header.type.kind = Kind::Table;
  header.type.table = header_;
  metadata.name = "metadata";
  metadata.type.kind = Kind::Table;
  metadata.type.table = schema_.root;
  streams.name = "streams";
  streams.isVector = true;
  streams.type.kind = Kind::Table;
  streams.type.table = stream_;
  file_ = schema_.add({"file", {header, metadata, streams}});
}

static Node makeTable(uint32_t table, size_t scalars) {
  Node node;
  node.kind = Kind::Table;
  node.table = table;
  node.items.resize(scalars);
  return node;
}

Node BundleModel::readCommand(const uint8_t *at) const {
  CommandHeader header;
  memcpy(&header, at, sizeof(header));
  const uint32_t table = firstCommand_ + static_cast<uint32_t>(header.opcode) - 1;
  const Table &type = schema_.table(table);
  Node node = makeTable(table, type.fields.size());
  size_t position = 0;
  for (size_t i = 0; i < type.fields.size(); ++i) {
    Node &item = node.items[i];
    const uint32_t bytes = type.fields[i].type.bytes;
    if (type.fields[i].isVector) {
      item.kind = Kind::Vector;
      for (; position < header.size; position += bytes)
        memcpy(&item.items.emplace_back().scalar, at + position, bytes);
    } else {
      memcpy(&item.scalar, at + position, bytes);
      position += bytes;
    }
  }
  return node;
}

Node BundleModel::barrier() const {
  Node node = makeTable(firstCommand_ + static_cast<uint32_t>(Opcode::Barrier) - 1, 3);
  node.items[OpcodeField].scalar = static_cast<uint64_t>(Opcode::Barrier);
  node.items[SizeField].scalar = sizeof(CommandHeader);
  return node;
}

std::vector<uint8_t> BundleModel::writeStream(const Node &stream) const {
  std::vector<uint8_t> bytes;
  auto append = [&](uint64_t value, uint32_t size) {
    const auto *from = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), from, from + size);
  };
  for (const Node &command : stream.items[0].items) {
    const Table &type = schema_.table(command.table);
    for (size_t i = 0; i < type.fields.size(); ++i) {
      const Node &item = command.items[i];
      if (item.kind == Kind::Scalar)
        append(item.scalar, type.fields[i].type.bytes);
      for (const Node &element : item.items)
        append(element.scalar, type.fields[i].type.bytes);
    }
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

BundleModel::BundleModel(const std::string &schema, const std::string &path) : schema_(schema) {
  addCommandTables();
  std::ifstream input(path, std::ios::binary);
  const std::vector<char> file(std::istreambuf_iterator<char>(input), {});
  FileHeader header;
  if (file.size() < sizeof(header))
    throw std::runtime_error("cannot read " + path);
  memcpy(&header, file.data(), sizeof(header));
  const auto *bytes = reinterpret_cast<const uint8_t *>(file.data());
  original_ = makeTable(file_, 3);
  original_.items[HeaderPart] = makeTable(header_, schema_.table(header_).fields.size());
  original_.items[MetadataPart] = readTree(schema_, bytes + header.metadataOffset);
  Node &streams = original_.items[StreamsPart];
  streams.kind = Kind::Vector;
  Node &metadata = original_.items[MetadataPart];

  // Constants and code first, then the streams, then the metadata: what is changed is at the end.
  head_.resize(sizeof(FileHeader));
  Node *streamSegment = nullptr;
  uint64_t streamBegin = 0;
  for (Node &segment : field(metadata, "segments").items) {
    Node &offset = field(segment, "offset");
    const uint64_t size = field(segment, "size").scalar, address = field(segment, "address").scalar;
    if (field(segment, "kind").scalar == static_cast<uint64_t>(fb::SegmentKind::Streams)) {
      streamSegment = &segment;
      streamBegin = offset.scalar;
      continue;
    }
    const uint64_t at = alignUp(head_.size(), kPageSize) + address % kPageSize;
    head_.resize(at);
    head_.insert(head_.end(), bytes + offset.scalar, bytes + offset.scalar + size);
    offset.scalar = at;
  }
  head_.resize(alignUp(head_.size(), kPageSize));
  if (!streamSegment)
    return;
  const uint64_t address = field(*streamSegment, "address").scalar;
  dramEnd_ = address + field(*streamSegment, "size").scalar;
  field(*streamSegment, "offset").scalar = head_.size() + address % kPageSize;
  const Node &region = field(metadata, "trace_region");
  isRegionExact_ = region.present && field(region, "address").scalar == address;
  std::vector<Node> &traces = field(metadata, "traces").items;
  for (uint32_t i = 0; i < traces.size(); ++i)
    traceOf_.push_back(i);
  std::sort(traceOf_.begin(), traceOf_.end(), [&](uint32_t a, uint32_t b) {
    return field(traces[a], "address").scalar < field(traces[b], "address").scalar;
  });
  for (uint32_t trace : traceOf_) {
    Node &stream = streams.items.emplace_back(makeTable(stream_, 1));
    stream.items[0].kind = Kind::Vector;
    const uint8_t *at = bytes + streamBegin + (field(traces[trace], "address").scalar - address);
    const uint8_t *end = at + field(traces[trace], "size").scalar;
    while (at < end) {
      stream.items[0].items.push_back(readCommand(at));
      at += stream.items[0].items.back().items[SizeField].scalar;
    }
  }
}

Node &BundleModel::field(Node &table, std::string_view name) const {
  return table.items[schema_.table(table.table).find(name)];
}

const Node &BundleModel::field(const Node &table, std::string_view name) const {
  return table.items[schema_.table(table.table).find(name)];
}

//===----------------------------------------------------------------------===//
// Streams and the timeline
//===----------------------------------------------------------------------===//

void BundleModel::placeStreams(Node &tree) const {
  Node &metadata = tree.items[MetadataPart];
  std::vector<Node> &traces = field(metadata, "traces").items;
  std::vector<uint64_t> sizes;
  uint64_t total = 0;
  for (Node &stream : tree.items[StreamsPart].items) {
    for (Node &command : stream.items[0].items)
      if (schema_.table(command.table).fields.back().isVector) {
        const uint64_t count = command.items[OperandsField].items.size();
        if (command.items[CountField].scalar != count) {
          command.items[CountField].scalar = count;
          command.items[SizeField].scalar = dispatchSize(count);
        }
      }
    sizes.push_back(writeStream(stream).size());
    total += alignUp(sizes.back(), kStreamAlignment);
  }
  uint64_t address = dramEnd_ - total;
  for (Node &segment : field(metadata, "segments").items)
    if (field(segment, "kind").scalar == static_cast<uint64_t>(fb::SegmentKind::Streams)) {
      field(segment, "address").scalar = address;
      field(segment, "size").scalar = total;
      field(segment, "offset").scalar = head_.size() + address % kPageSize;
    }
  if (Node &region = field(metadata, "trace_region"); region.present) {
    Node &begin = field(region, "address");
    begin.scalar = isRegionExact_ ? address : std::min(address, begin.scalar);
    field(region, "size").scalar = dramEnd_ - begin.scalar;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (traceOf_[i] < traces.size()) {
      Node &trace = traces[traceOf_[i]];
      field(trace, "address").scalar = address;
      field(trace, "size").scalar = sizes[i];
      field(trace, "commands").scalar = tree.items[StreamsPart].items[i].items[0].items.size();
    }
    address += alignUp(sizes[i], kStreamAlignment);
  }
}

void BundleModel::changeSource(Node &tree, uint32_t stream, uint32_t command, bool drop) const {
  std::vector<Node> &traces = field(tree.items[MetadataPart], "traces").items;
  if (traceOf_[stream] >= traces.size())
    return;
  std::vector<Node> &sources = field(traces[traceOf_[stream]], "sources").items;
  if (command >= sources.size())
    return;
  const auto at = sources.begin() + command;
  drop ? void(sources.erase(at)) : void(sources.insert(at, Node(*at)));
}

static const char *const kScheduleParts[] = {"prologue", "body", "epilogue"};

std::vector<uint64_t> BundleModel::pointsOfCommand(const Node &tree, uint32_t stream,
                                                   uint32_t command) const {
  std::vector<uint64_t> points;
  const Node &metadata = tree.items[MetadataPart];
  const std::vector<Node> &traces = field(metadata, "traces").items;
  uint64_t point = 0;
  for (const Node &entry : field(metadata, "entries").items) {
    const std::vector<Node> &schedules = field(entry, "schedules").items;
    for (const char *part : kScheduleParts)
      for (const Node &step :
           schedules.empty() ? std::vector<Node>{} : field(schedules[0], part).items) {
        const uint64_t index = field(step, "index").scalar;
        if (field(step, "kind").scalar != static_cast<uint64_t>(fb::StepKind::Execute) ||
            index >= traces.size()) {
          ++point;
          continue;
        }
        if (index == traceOf_[stream])
          points.push_back(point + command);
        point += field(traces[index], "commands").scalar;
      }
  }
  return points;
}

std::optional<uint64_t> BundleModel::pointOfStep(const Node &tree, uint32_t entry,
                                                 uint32_t schedule, size_t part,
                                                 uint32_t step) const {
  if (schedule != 0)
    return {};
  const Node &metadata = tree.items[MetadataPart];
  const std::vector<Node> &entries = field(metadata, "entries").items;
  const std::vector<Node> &traces = field(metadata, "traces").items;
  uint64_t point = 0;
  for (uint32_t e = 0; e <= entry && e < entries.size(); ++e) {
    const std::vector<Node> &schedules = field(entries[e], "schedules").items;
    if (schedules.empty())
      continue;
    for (const char *name : kScheduleParts) {
      const size_t number = schema_.table(schedules[0].table).find(name);
      const std::vector<Node> &steps = schedules[0].items[number].items;
      for (uint32_t s = 0; s < steps.size(); ++s) {
        const uint64_t index = field(steps[s], "index").scalar;
        const bool execute =
            field(steps[s], "kind").scalar == static_cast<uint64_t>(fb::StepKind::Execute);
        if (e == entry && number == part && s == step)
          return execute ? std::optional<uint64_t>() : point;
        point += execute && index < traces.size() ? field(traces[index], "commands").scalar : 1;
      }
    }
  }
  return {};
}

void BundleModel::moveLifetimes(Node &tree, uint64_t point, int64_t by) const {
  for (Node &buffer : field(tree.items[MetadataPart], "buffers").items)
    for (const char *name : {"begin", "end"})
      if (uint64_t &value = field(buffer, name).scalar; value > point)
        value += static_cast<uint64_t>(by);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::vector<uint8_t> BundleModel::write(Node tree) const {
  std::vector<uint8_t> file = head_;
  // Where the streams begin follows from their own address, whatever the tables say.
  std::vector<uint8_t> streams;
  for (const Node &stream : tree.items[StreamsPart].items) {
    const std::vector<uint8_t> bytes = writeStream(stream);
    streams.insert(streams.end(), bytes.begin(), bytes.end());
    streams.resize(alignUp(streams.size(), kStreamAlignment));
  }
  file.resize(file.size() + (dramEnd_ - streams.size()) % kPageSize);
  file.insert(file.end(), streams.begin(), streams.end());
  file.resize(alignUp(file.size(), 64));

  Node &metadata = tree.items[MetadataPart];
  const std::vector<Node> &before = field(original_.items[MetadataPart], "segments").items;
  std::vector<Node> &segments = field(metadata, "segments").items;
  for (Node &segment : segments) {
    Node &hash = field(segment, "hash");
    const uint64_t offset = field(segment, "offset").scalar, size = field(segment, "size").scalar;
    bool isKnown = false, isChanged = true;
    for (const Node &other : before) {
      isChanged &= field(other, "hash").scalar != hash.scalar;
      isKnown |= field(other, "hash").scalar == hash.scalar &&
                 field(other, "offset").scalar == offset && field(other, "size").scalar == size &&
                 field(other, "kind").scalar != static_cast<uint64_t>(fb::SegmentKind::Streams);
    }
    if (!isChanged && !isKnown && offset <= file.size() && size <= file.size() - offset)
      hash.scalar = hashSegment(file.data() + offset, size);
  }
  const std::vector<uint8_t> packed = writeTree(schema_, metadata);

  FileHeader header{};
  memcpy(header.magic, kFileMagic, sizeof(kFileMagic));
  // The tree has what is added to the right values.
  const std::vector<Node> &added = tree.items[HeaderPart].items;
  header.version = kFormatVersion + static_cast<uint32_t>(added[0].scalar);
  header.headerSize = static_cast<uint32_t>(sizeof(header) + added[1].scalar);
  header.fileSize = file.size() + packed.size() + added[2].scalar;
  header.metadataOffset = file.size() + added[3].scalar;
  header.metadataSize = packed.size() + added[4].scalar;
  header.reserved = added[5].scalar;
  file.insert(file.end(), packed.begin(), packed.end());
  if (header.metadataOffset <= file.size() &&
      header.metadataSize <= file.size() - header.metadataOffset)
    header.metadataHash = hashBytes(file.data() + header.metadataOffset, header.metadataSize);
  header.headerHash = hashBytes(&header, offsetof(FileHeader, headerHash));
  memcpy(file.data(), &header, sizeof(header));
  return file;
}

} // namespace ttrt::fuzz
