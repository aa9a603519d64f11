// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BundleBuilder.h"

#include "ReadFile.h"
#include "ttrt/format/collectives.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

namespace ttrt::test {

//===----------------------------------------------------------------------===//
// StreamBuilder
//===----------------------------------------------------------------------===//

void StreamBuilder::header(Opcode opcode, uint32_t size) {
  CommandHeader header{opcode, 0, size};
  words.emplace_back();
  memcpy(&words.back(), &header, sizeof(header));
  ++commands;
}

void StreamBuilder::operate(Opcode opcode, uint32_t index, const std::vector<uint64_t> &operands) {
  header(opcode, dispatchSize(operands.size()));
  words.push_back(index | uint64_t(operands.size()) << 32);
  words.insert(words.end(), operands.begin(), operands.end());
}

void StreamBuilder::dispatch(uint32_t program, const std::vector<uint64_t> &operands) {
  operate(Opcode::Dispatch, program, operands);
}

void StreamBuilder::exchange(uint32_t collective, const std::vector<uint64_t> &operands) {
  operate(Opcode::Exchange, collective, operands);
}

void StreamBuilder::copy(uint64_t dst, uint64_t src, uint64_t bytes) {
  header(Opcode::Copy, sizeof(CopyCommand));
  words.insert(words.end(), {dst, src, bytes});
}

void StreamBuilder::fill(uint64_t dst, uint64_t bytes, uint64_t pattern) {
  header(Opcode::Fill, sizeof(FillCommand));
  words.insert(words.end(), {dst, bytes, pattern});
}

void StreamBuilder::signal(uint32_t event) {
  header(Opcode::Signal, sizeof(EventCommand));
  words.push_back(event);
}

void StreamBuilder::wait(uint32_t event) {
  header(Opcode::Wait, sizeof(EventCommand));
  words.push_back(event);
}

void StreamBuilder::repeat(uint64_t iterations, const std::vector<CarriedRange> &carried,
                           uint32_t options, uint64_t flag) {
  loops.push_back({words.size(), commands + 1});
  header(Opcode::Repeat, sizeof(RepeatCommand) + carried.size() * sizeof(CarriedRange));
  words.insert(words.end(), {iterations, flag, 0, uint64_t(carried.size()) << 32, options});
  for (const CarriedRange &range : carried)
    words.insert(words.end(), {range.address, range.bytes});
}

void StreamBuilder::endRepeat() {
  const Loop loop = loops.back();
  loops.pop_back();
  RepeatCommand repeat;
  memcpy(&repeat, &words[loop.word], sizeof(repeat));
  repeat.bodyBytes = (words.size() - loop.word) * sizeof(uint64_t) - repeat.header.size;
  repeat.bodyCommands = commands - loop.command;
  memcpy(&words[loop.word], &repeat, sizeof(repeat));
  header(Opcode::EndRepeat, sizeof(CommandHeader));
}

//===----------------------------------------------------------------------===//
// BundleBuilder
//===----------------------------------------------------------------------===//

BundleBuilder::BundleBuilder() {
  bundle.producer = "runtime test";
  bundle.target = std::make_unique<fb::TargetT>();
  bundle.target->name = "cpu";
#if defined(__x86_64__)
  bundle.target->arch = "x86_64";
#else
  bundle.target->arch = "aarch64";
#endif
  bundle.target->cores = 4;
  bundle.target->dram_bank_bytes = 64 * 1024 * 1024;
  bundle.target->l1_bytes = 64 * 1024;
  bundle.locations.emplace_back();
  code = readFile<decltype(code)>(TTRT_TEST_PROGRAMS);
  if (code.empty())
    throw std::runtime_error("cannot read " TTRT_TEST_PROGRAMS);
}

uint32_t BundleBuilder::location(const std::string &name) {
  bundle.locations.push_back(name);
  return bundle.locations.size() - 1;
}

uint32_t BundleBuilder::program(const std::string &symbol, uint64_t grid,
                                std::vector<uint64_t> inputBytes, std::vector<uint64_t> outputBytes,
                                uint64_t scratchBytes) {
  auto program = std::make_unique<fb::ProgramT>();
  program->symbol = symbol;
  program->grid = grid;
  program->scratch_bytes = scratchBytes;
  auto add = [&](const std::vector<uint64_t> &sizes, fb::Access access) {
    for (uint64_t bytes : sizes) {
      auto operand = std::make_unique<fb::OperandT>();
      operand->access = access;
      operand->bytes = bytes;
      program->operands.push_back(std::move(operand));
    }
  };
  add(inputBytes, fb::Access::Read);
  add(outputBytes, fb::Access::Write);
  bundle.programs.push_back(std::move(program));
  return bundle.programs.size() - 1;
}

uint32_t BundleBuilder::buffer(const std::string &name, fb::BufferKind kind, uint64_t offset,
                               uint64_t bytes, uint64_t begin, uint64_t end,
                               fb::MemorySpace space) {
  auto buffer = std::make_unique<fb::BufferT>();
  buffer->name = name;
  buffer->kind = kind;
  buffer->space = space;
  buffer->offset = offset;
  buffer->size = alignUp(bytes, kBufferAlignment);
  buffer->begin = begin;
  buffer->end = end;
  bundle.buffers.push_back(std::move(buffer));
  return bundle.buffers.size() - 1;
}

uint64_t BundleBuilder::constant(const std::string &name, const void *data, uint64_t bytes) {
  uint64_t address = constants.size();
  buffer(name, fb::BufferKind::Constant, address, bytes);
  constants.resize(alignUp(address + bytes, kBufferAlignment));
  memcpy(constants.data() + address, data, bytes);
  return address;
}

void BundleBuilder::mesh(const std::vector<std::pair<std::string, uint32_t>> &axes) {
  bundle.mesh = std::make_unique<fb::MeshT>();
  uint64_t devices = 1;
  for (const auto &[name, size] : axes) {
    auto axis = std::make_unique<fb::MeshAxisT>();
    axis->name = name;
    axis->size = size;
    devices *= size;
    bundle.mesh->axes.push_back(std::move(axis));
  }
  if (devices > 1)
    bundle.required_features.emplace_back(kMeshFeature);
}

uint32_t BundleBuilder::collective(const std::string &name, fb::CollectiveKind kind,
                                   fb::CollectiveAlgorithm algorithm,
                                   const std::vector<std::vector<uint32_t>> &groups,
                                   uint64_t inputBytes, uint64_t rows, uint32_t root,
                                   const std::vector<uint32_t> &sources) {
  auto collective = std::make_unique<fb::CollectiveT>();
  collective->name = name;
  collective->kind = kind;
  collective->algorithm = algorithm;
  collective->rows = rows;
  collective->root = root;
  collective->sources = sources;
  for (const std::vector<uint32_t> &devices : groups) {
    collective->groups.push_back(std::make_unique<fb::DeviceGroupT>());
    collective->groups.back()->devices = devices;
  }
  const collectives::Shape shape{
      kind, algorithm,     static_cast<uint32_t>(groups.at(0).size()), inputBytes, rows,
      root, sources.data()};
  const uint64_t sizes[] = {inputBytes, collectives::outputBytes(shape),
                            collectives::scratchBytes(shape)};
  for (uint64_t bytes : sizes) {
    if (bytes == 0)
      continue;
    auto operand = std::make_unique<fb::OperandT>();
    operand->access = collective->operands.empty() ? fb::Access::Read : fb::Access::Write;
    operand->bytes = bytes;
    collective->operands.push_back(std::move(operand));
  }
  bundle.collectives.push_back(std::move(collective));
  return bundle.collectives.size() - 1;
}

uint64_t BundleBuilder::shardedConstant(const std::string &name,
                                        const std::vector<std::vector<uint8_t>> &valueOfDevice) {
  std::vector<std::vector<uint8_t>> values;
  bundle.mesh->shards.clear();
  for (const std::vector<uint8_t> &value : valueOfDevice) {
    const auto found = std::find(values.begin(), values.end(), value);
    bundle.mesh->shards.push_back(static_cast<uint32_t>(found - values.begin()));
    if (found == values.end())
      values.push_back(value);
  }
  if (!shards.empty())
    throw std::logic_error("there is a sharded constant");
  const uint64_t address = shardsBegin();
  buffer(name, fb::BufferKind::Constant, address, values.at(0).size());
  for (std::vector<uint8_t> &value : values) {
    value.resize(alignUp(value.size(), kBufferAlignment));
    shards.push_back(std::move(value));
  }
  return address;
}

uint32_t BundleBuilder::trace(const std::string &name, StreamBuilder stream,
                              const std::vector<uint32_t> &sources) {
  auto trace = std::make_unique<fb::TraceT>();
  trace->name = name;
  trace->commands = stream.commands;
  trace->sources = sources;
  bundle.traces.push_back(std::move(trace));
  streams.push_back(std::move(stream));
  return bundle.traces.size() - 1;
}

fb::EntryPointT &BundleBuilder::entry(const std::string &name) {
  auto entry = std::make_unique<fb::EntryPointT>();
  entry->name = name;
  entry->schedules.push_back(std::make_unique<fb::ScheduleT>());
  entry->schedules[0]->name = "single";
  bundle.entries.push_back(std::move(entry));
  return *bundle.entries.back();
}

void BundleBuilder::port(std::vector<std::unique_ptr<fb::PortT>> &ports, const std::string &name,
                         std::vector<int64_t> shape, uint32_t buffer, fb::DType type) {
  auto port = std::make_unique<fb::PortT>();
  port->name = name;
  port->dtype = type;
  port->shape = std::move(shape);
  port->buffer = buffer;
  ports.push_back(std::move(port));
}

fb::StepT &BundleBuilder::step(std::vector<std::unique_ptr<fb::StepT>> &part, fb::StepKind kind,
                               uint32_t index, uint8_t queue, std::vector<uint64_t> operands) {
  fb::StepT &step = *part.emplace_back(std::make_unique<fb::StepT>());
  step.kind = kind;
  step.index = index;
  step.queue = queue;
  step.operands = std::move(operands);
  return step;
}

void BundleBuilder::run(fb::EntryPointT &entry, const std::vector<uint32_t> &traces) {
  for (uint32_t i = 0; i < entry.inputs.size(); ++i)
    step(entry, fb::StepKind::Write, i);
  for (uint32_t trace : traces)
    step(entry, fb::StepKind::Execute, trace);
  for (uint32_t i = 0; i < entry.outputs.size(); ++i)
    step(entry, fb::StepKind::Read, i);
}

fb::EntryPointT &BundleBuilder::entry(const std::string &name, const Port &input,
                                      const Port &output, const std::vector<uint32_t> &traces) {
  fb::EntryPointT &made = entry(name);
  port(made.inputs, input.name, input.shape, input.buffer, input.type);
  port(made.outputs, output.name, output.shape, output.buffer, output.type);
  run(made, traces);
  return made;
}

fb::ScheduleT &BundleBuilder::schedule(fb::EntryPointT &entry, const std::string &name,
                                       uint32_t queues) {
  fb::ScheduleT &schedule = *entry.schedules.emplace_back(std::make_unique<fb::ScheduleT>());
  schedule.name = name;
  schedule.queues = queues;
  return schedule;
}

uint32_t BundleBuilder::event(const std::string &name) {
  bundle.events.emplace_back(std::make_unique<fb::EventT>())->name = name;
  return static_cast<uint32_t>(bundle.events.size() - 1);
}

static std::vector<uint8_t> pack(const fb::BundleT &bundle) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Bundle::Pack(builder, &bundle), fb::BundleIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

void BundleBuilder::setCode(const std::vector<uint8_t> &segment) {
  FactsTrailer trailer;
  const size_t end = segment.size() - sizeof(trailer);
  memcpy(&trailer, segment.data() + end, sizeof(trailer));
  const uint8_t *begin = segment.data() + end - trailer.size;
  flatbuffers::GetRoot<fb::Facts>(begin)->UnPackTo(&facts.emplace());
  code.assign(segment.data(), begin);
}

static fb::FactsT factsOf(const fb::BundleT &bundle) {
  fb::FactsT facts;
  for (const auto &program : bundle.programs)
    if (!program->host_function)
      facts.programs.push_back(std::make_unique<fb::ProgramT>(*program));
  return facts;
}

void BundleBuilder::keepFacts() { facts = factsOf(bundle); }

std::vector<uint8_t> BundleBuilder::codeWithFacts() const {
  flatbuffers::FlatBufferBuilder builder;
  const fb::FactsT all = facts ? *facts : factsOf(bundle);
  builder.Finish(fb::Facts::Pack(builder, &all));
  std::vector<uint8_t> bytes = code;
  bytes.resize(alignUp(bytes.size(), 8));
  bytes.insert(bytes.end(), builder.GetBufferPointer(),
               builder.GetBufferPointer() + builder.GetSize());
  bytes.resize(alignUp(bytes.size(), 8));
  FactsTrailer trailer{alignUp(builder.GetSize(), 8), {}};
  memcpy(trailer.magic, kFactsMagic, sizeof(kFactsMagic));
  const auto *end = reinterpret_cast<const uint8_t *>(&trailer);
  bytes.insert(bytes.end(), end, end + sizeof(trailer));
  return bytes;
}

std::vector<uint8_t> BundleBuilder::finish() {
  const std::vector<uint8_t> code = this->code.empty() ? this->code : codeWithFacts();
  const uint64_t dram = bundle.target->dram_bank_bytes * bundle.target->dram_banks;
  uint64_t region = 0;
  for (const StreamBuilder &stream : streams)
    region += alignUp(stream.words.size() * 8, kStreamAlignment);
  std::vector<uint8_t> streamBytes;
  for (size_t i = 0; i < streams.size(); ++i) {
    fb::TraceT &trace = *bundle.traces[i];
    if (trace.address == 0)
      trace.address = dram - region + streamBytes.size();
    if (trace.size == 0)
      trace.size = streams[i].words.size() * 8;
    const auto *bytes = reinterpret_cast<const uint8_t *>(streams[i].words.data());
    streamBytes.insert(streamBytes.end(), bytes, bytes + streams[i].words.size() * 8);
    streamBytes.resize(alignUp(streamBytes.size(), kStreamAlignment));
  }
  if (region && !bundle.trace_region) {
    bundle.trace_region = std::make_unique<fb::RegionT>();
    bundle.trace_region->address = dram - region;
    bundle.trace_region->size = region;
  }

  struct Part {
    fb::SegmentKind kind;
    const std::vector<uint8_t> *bytes;
    uint64_t address;
    uint32_t shard = 0;
  };
  std::vector<Part> parts = {{fb::SegmentKind::Constants, &constants, 0}};
  for (uint32_t i = 0; i < shards.size(); ++i)
    parts.push_back({fb::SegmentKind::Constants, &shards[i], shardsBegin(), i + 1});
  parts.push_back({fb::SegmentKind::Streams, &streamBytes, dram - region});
  parts.push_back({fb::SegmentKind::Code, &code, 0});
  // Offsets do not change the flatbuffer's size, once the fields are not at their defaults.
  bundle.segments.clear();
  for (const Part &part : parts) {
    if (part.bytes->empty())
      continue;
    auto segment = std::make_unique<fb::SegmentT>();
    segment->kind = part.kind;
    segment->address = part.address;
    segment->shard = part.shard;
    segment->size = part.bytes->size();
    segment->offset = ~uint64_t(0);
    segment->hash = hashSegment(part.bytes->data(), part.bytes->size());
    bundle.segments.push_back(std::move(segment));
  }
  if (beforeWriting)
    beforeWriting(bundle);
  uint64_t position = sizeof(FileHeader) + pack(bundle).size();
  for (auto &segment : bundle.segments) {
    segment->offset = alignUp(position, kPageSize) + segment->address % kPageSize;
    position = segment->offset + segment->size;
  }

  std::vector<uint8_t> metadata = pack(bundle);
  std::vector<uint8_t> file(position);
  FileHeader header{};
  memcpy(header.magic, kFileMagic, sizeof(kFileMagic));
  header.version = kFormatVersion;
  header.headerSize = sizeof(header);
  header.fileSize = file.size();
  header.metadataOffset = sizeof(header);
  header.metadataSize = metadata.size();
  header.metadataHash = hashBytes(metadata.data(), metadata.size());
  header.headerHash = hashBytes(&header, offsetof(FileHeader, headerHash));
  memcpy(file.data(), &header, sizeof(header));
  memcpy(file.data() + sizeof(header), metadata.data(), metadata.size());
  size_t next = 0;
  for (const Part &part : parts)
    if (!part.bytes->empty())
      memcpy(file.data() + bundle.segments[next++]->offset, part.bytes->data(), part.bytes->size());
  return file;
}

void BundleBuilder::rehash(std::vector<uint8_t> &file) {
  FileHeader header;
  memcpy(&header, file.data(), sizeof(header));
  header.metadataHash = hashBytes(file.data() + header.metadataOffset, header.metadataSize);
  header.headerHash = hashBytes(&header, offsetof(FileHeader, headerHash));
  memcpy(file.data(), &header, sizeof(header));
}

//===----------------------------------------------------------------------===//
// The sample
//===----------------------------------------------------------------------===//

static float weight(uint64_t i) { return static_cast<float>(i % 7) * 0.25f - 0.5f; }

BundleBuilder sampleBundle() {
  BundleBuilder builder;
  float weights[kSampleElements];
  for (uint64_t i = 0; i < kSampleElements; ++i)
    weights[i] = weight(i);
  const uint64_t w = builder.constant("w", weights, sizeof(weights));
  const uint64_t x = builder.dataBegin(), y = x + kSampleBytes, a = y + kSampleBytes,
                 b = a + kSampleBytes;
  uint32_t inputSlot = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  uint32_t outputSlot = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  // Points: 0 write, 1 add, 2 barrier, 3 reverse, 4 barrier, 5 add, 6 barrier, 7 reverse, 8 end, 9
  // read.
  builder.buffer("a", fb::BufferKind::Activation, a, kSampleBytes, 1, 4);
  builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes, 3, 6);
  builder.buffer("c", fb::BufferKind::Activation, a, kSampleBytes, 5, 8);
  uint32_t add = builder.program("test_add", 16, {kSampleBytes, kSampleBytes}, {kSampleBytes});
  uint32_t reverse = builder.program("test_reverse", 16, {kSampleBytes}, {kSampleBytes}, 64);

  uint32_t none = 0, add0 = builder.location("Add_0"), reverse0 = builder.location("Reverse_0"),
           add1 = builder.location("Add_1"), reverse1 = builder.location("Reverse_1");
  StreamBuilder stream;
  stream.dispatch(add, {x, w, a});
  stream.barrier();
  stream.dispatch(reverse, {a, b});
  stream.barrier();
  stream.dispatch(add, {b, w, a});
  stream.barrier();
  stream.dispatch(reverse, {a, y});
  stream.end();
  uint32_t trace =
      builder.trace("main_t0", stream, {add0, none, reverse0, none, add1, none, reverse1, none});

  builder.entry("main", {"x", {1, 256}, inputSlot}, {"y", {1, 256}, outputSlot}, {trace});
  return builder;
}

std::vector<float> sampleResult(const std::vector<float> &input) {
  std::vector<float> output(kSampleElements);
  for (uint64_t i = 0; i < kSampleElements; ++i) {
    uint64_t j = kSampleElements - 1 - i;
    output[i] = (input[i] + weight(i)) + weight(j);
  }
  return output;
}

//===----------------------------------------------------------------------===//
// TemporaryFile
//===----------------------------------------------------------------------===//

TemporaryFile::TemporaryFile(const std::vector<uint8_t> &bytes) {
  const char *folder = getenv("TMPDIR");
  path_ = std::string(folder ? folder : "/tmp") + "/ttrt-test-XXXXXX";
  int descriptor = mkstemp(path_.data());
  size_t done = 0;
  while (descriptor >= 0 && done < bytes.size()) {
    ssize_t written = write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written <= 0)
      break;
    done += written;
  }
  if (descriptor < 0 || close(descriptor) != 0 || done != bytes.size())
    throw std::runtime_error("cannot write " + path_);
}

TemporaryFile::~TemporaryFile() { unlink(path_.c_str()); }

std::string openMessage(const char *path, ttrt_verify verify, ttrt_status *status) {
  ttrt_error error;
  ttrt_bundle *bundle = nullptr;
  ttrt_status result = ttrt_bundle_open(path, verify, &bundle, &error);
  if (result == TTRT_OK && verify != TTRT_VERIFY_NONE)
    result = ttrt_bundle_prove(bundle, &error);
  ttrt_bundle_close(bundle);
  if (status)
    *status = result;
  return result == TTRT_OK ? "" : error.message;
}

} // namespace ttrt::test
