// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProofBundles.h"

#include "StateFaults.h"
#include "test/unit/Support/ReadFile.h"
#include "ttrt/ttrt.h"

#include <cstring>
#include <stdexcept>

namespace ttrt::test {

namespace {

enum Part { Prologue, Body, Epilogue };

void add(fb::ScheduleT &schedule, Part part, uint8_t queue, fb::StepKind kind, uint32_t index,
         std::vector<uint64_t> operands = {}) {
  BundleBuilder::step(part == Prologue ? schedule.prologue
                      : part == Body   ? schedule.body
                                       : schedule.epilogue,
                      kind, index, queue, std::move(operands));
}

fb::ScheduleT &addSchedule(BundleBuilder &builder, const char *name) {
  builder.bundle.target->queues = 2;
  return BundleBuilder::schedule(*builder.bundle.entries[0], name, 2);
}

constexpr uint64_t kBytes = 256;

/// x -> a -> y, with the addresses of the three and the programs.
struct Chain {
  BundleBuilder builder;
  uint64_t x = 4096, y = x + kBytes, a = y + kBytes, b = a + kBytes;
  uint32_t first, second; ///< programs
  void ports() {
    builder.buffer("x", fb::BufferKind::Slot, x, kBytes);
    builder.buffer("y", fb::BufferKind::Slot, y, kBytes);
    first = builder.program("test_reverse", 4, {kBytes}, {kBytes});
    second = builder.program("test_reverse2", 4, {kBytes}, {kBytes});
  }
  /// Makes an operand `count` rows.
  void rows(uint32_t program, uint32_t index, uint64_t row, uint64_t pitch, uint64_t count) {
    fb::OperandT &operand = *builder.bundle.programs[program]->operands[index];
    operand.row_bytes = row;
    operand.pitch_bytes = pitch;
    operand.bytes = (count - 1) * pitch + row;
    operand.alignment = 32;
  }
  void entry() {
    fb::EntryPointT &entry = builder.entry("main");
    BundleBuilder::port(entry.inputs, "x", {64}, 0);
    BundleBuilder::port(entry.outputs, "y", {64}, 1);
  }
  void single(uint32_t trace) {
    fb::EntryPointT &main = *builder.bundle.entries[0];
    BundleBuilder::run(main, {trace});
  }
};

/// Queue 1 writes and reads, queue 0 runs; the stream says when the slots are free and full.
BundleBuilder signalsBundle() {
  Chain c;
  c.ports();
  c.builder.buffer("a", fb::BufferKind::Activation, c.a, kBytes, 1, 4);
  c.entry();
  const uint32_t inReady = c.builder.event("in_ready"), inFree = c.builder.event("in_free"),
                 outReady = c.builder.event("out_ready"), outFree = c.builder.event("out_free");
  StreamBuilder stream;
  stream.dispatch(c.first, {c.x, c.a});
  stream.signal(inFree);
  stream.dispatch(c.second, {c.a, c.y});
  stream.signal(outReady);
  stream.end();
  const uint32_t trace = c.builder.trace("main_t0", stream);
  c.single(trace);
  fb::ScheduleT &s = addSchedule(c.builder, "overlap-io");
  using K = fb::StepKind;
  add(s, Prologue, 1, K::Write, 0);
  add(s, Prologue, 1, K::Record, inReady);
  add(s, Body, 0, K::Wait, inReady);
  add(s, Body, 0, K::Wait, outFree);
  add(s, Body, 0, K::Execute, trace);
  add(s, Body, 1, K::Wait, inFree);
  add(s, Body, 1, K::Write, 0);
  add(s, Body, 1, K::Record, inReady);
  add(s, Body, 1, K::Wait, outReady);
  add(s, Body, 1, K::Read, 0);
  add(s, Body, 1, K::Record, outFree);
  add(s, Epilogue, 0, K::Wait, inReady);
  add(s, Epilogue, 0, K::Wait, outFree);
  add(s, Epilogue, 0, K::Execute, trace);
  add(s, Epilogue, 1, K::Wait, outReady);
  add(s, Epilogue, 1, K::Read, 0);
  return std::move(c.builder);
}

/// Queue 1 writes, queue 0 runs and reads; the input's consumer is a dispatch outside the trace.
BundleBuilder overlapInputBundle() {
  Chain c;
  c.ports();
  c.builder.buffer("a", fb::BufferKind::Activation, c.a, kBytes, 1, 4);
  c.entry();
  const uint32_t inReady = c.builder.event("in_ready"), inFree = c.builder.event("in_free");
  StreamBuilder whole, rest;
  whole.dispatch(c.first, {c.x, c.a});
  whole.barrier();
  whole.dispatch(c.second, {c.a, c.y});
  whole.end();
  rest.dispatch(c.second, {c.a, c.y});
  rest.end();
  const uint32_t trace = c.builder.trace("whole", whole), tail = c.builder.trace("rest", rest);
  c.single(trace);
  fb::ScheduleT &s = addSchedule(c.builder, "overlap-input");
  using K = fb::StepKind;
  add(s, Prologue, 1, K::Write, 0);
  add(s, Prologue, 1, K::Record, inReady);
  add(s, Body, 0, K::Wait, inReady);
  add(s, Body, 0, K::Dispatch, c.first, {c.x, c.a});
  add(s, Body, 0, K::Record, inFree);
  add(s, Body, 1, K::Wait, inFree);
  add(s, Body, 1, K::Write, 0);
  add(s, Body, 1, K::Record, inReady);
  add(s, Body, 0, K::Execute, tail);
  add(s, Body, 0, K::Read, 0);
  add(s, Epilogue, 0, K::Wait, inReady);
  add(s, Epilogue, 0, K::Dispatch, c.first, {c.x, c.a});
  add(s, Epilogue, 0, K::Execute, tail);
  add(s, Epilogue, 0, K::Read, 0);
  return std::move(c.builder);
}

/// Two parts of a concatenation in rows of one tensor, without a barrier between them; an operand
/// written in place; a fill and a copy.
BundleBuilder rowsBundle() {
  Chain c;
  c.ports();
  constexpr uint64_t kRow = 96, kRows = 8, kWhole = kRow * kRows;
  const uint64_t whole = c.a, copied = whole + kWhole;
  const uint32_t left = c.builder.program("test_left", 4, {kBytes}, {1}),
                 right = c.builder.program("test_right", 4, {kBytes}, {1}),
                 change = c.builder.program("test_change", 4, {kWhole}, {kWhole}),
                 take = c.builder.program("test_take", 4, {1, kWhole}, {kBytes});
  c.rows(left, 1, 64, kRow, kRows);
  c.rows(right, 1, 32, kRow, kRows);
  c.rows(take, 0, 64, kRow, kRows);
  c.builder.bundle.programs[change]->operands[1]->in_place_of = {0};
  // Points: 0 write; 1 left, 2 right, 3 barrier, 4 change, 5 barrier, 6 copy, 7 barrier, 8 take, 9
  // end; 10 read.
  c.builder.buffer("whole", fb::BufferKind::Activation, whole, kWhole, 1, 9);
  c.builder.buffer("copied", fb::BufferKind::Activation, copied, kWhole, 6, 9);
  StreamBuilder stream;
  stream.dispatch(left, {c.x, whole});
  stream.dispatch(right, {c.x, whole + 64});
  stream.barrier();
  stream.dispatch(change, {whole, whole});
  stream.barrier();
  stream.copy(copied, whole, kWhole);
  stream.barrier();
  stream.dispatch(take, {whole, copied, c.y});
  stream.end();
  c.entry();
  c.single(c.builder.trace("main_t0", stream));
  return std::move(c.builder);
}

enum class Second { Whole, Patched, WithGaps, Shifted };

/// A tensor of many rows takes over the bytes of one whose rows are wider, and the other way round
/// in the next iteration. What is between the rows of the second one may never have been written,
/// or rows of a third pitch may be written into it. Or both have one pitch, but the rows of the
/// second one begin in the middle of the first one's.
BundleBuilder pitchesBundle(Second second) {
  Chain c;
  c.ports();
  constexpr uint64_t kWhole = 1152;
  const bool isShifted = second == Second::Shifted;
  const uint64_t wide = isShifted ? 128 : 96, narrow = isShifted ? 128 : 64;
  const uint64_t shared = c.a, again = shared + (isShifted ? 64 : 0), taken = shared + kWhole;
  const uint64_t bytes = isShifted ? kWhole - 128 : kWhole, rows = bytes / narrow;
  auto part = [&](const char *name, uint64_t row, uint64_t pitch, uint64_t count) {
    const uint32_t program = c.builder.program(name, 4, {kBytes}, {1});
    c.rows(program, 1, row, pitch, count);
    return program;
  };
  const uint32_t left = part("test_left", 64, wide, kWhole / wide),
                 right = part("test_right", wide - 64, wide, kWhole / wide),
                 up = part("test_up", 32, narrow, rows),
                 down = part("test_down", narrow - 32, narrow, rows),
                 patch = part("test_patch", 32, 160, 7),
                 take = c.builder.program("test_take", 4, {kWhole}, {kBytes}),
                 join = c.builder.program("test_join", 4, {kBytes, bytes}, {kBytes});
  if (second == Second::WithGaps)
    c.rows(join, 1, 32, narrow, rows);
  // Points: 0 write; 1 left, 2 right, 3 barrier, 4 take, 5 barrier, 6 up; then down, barrier,
  // patch, barrier, if there are such; join, end, read.
  const uint64_t end = second == Second::Patched ? 12 : second == Second::WithGaps ? 9 : 10;
  c.builder.buffer("wide", fb::BufferKind::Activation, shared, kWhole, 1, 5);
  c.builder.buffer("narrow", fb::BufferKind::Activation, again, bytes, 6, end);
  c.builder.buffer("taken", fb::BufferKind::Activation, taken, kBytes, 4, end);
  StreamBuilder stream;
  stream.dispatch(left, {c.x, shared});
  stream.dispatch(right, {c.x, shared + 64});
  stream.barrier();
  stream.dispatch(take, {shared, taken});
  stream.barrier();
  stream.dispatch(up, {taken, again});
  if (second != Second::WithGaps)
    stream.dispatch(down, {taken, again + 32});
  stream.barrier();
  if (second == Second::Patched) {
    stream.dispatch(patch, {taken, shared + 64});
    stream.barrier();
  }
  stream.dispatch(join, {taken, again, c.y});
  stream.end();
  c.entry();
  c.single(c.builder.trace("main_t0", stream));
  return std::move(c.builder);
}

/// Staging memory of the host, a step between two traces, and state.
BundleBuilder hostBundle() {
  Chain c;
  c.builder.bundle.target->host_bytes = 4096;
  c.ports();
  const fb::TargetT &target = *c.builder.bundle.target;
  const uint64_t host = target.dram_bank_bytes + target.cores * target.l1_bytes;
  const uint64_t state = c.b + kBytes;
  // Points: 0 write; 1 first, 2 end; 3 copy; 4 host; 5 copy; 6 update, 7 barrier, 8 second, 9 end;
  // 10 read.
  c.builder.buffer("a", fb::BufferKind::Activation, c.a, kBytes, 1, 4);
  c.builder.buffer("b", fb::BufferKind::Activation, c.b, kBytes, 5, 7);
  c.builder.buffer("h0", fb::BufferKind::Host, 0, kBytes, 3, 5, fb::MemorySpace::Host);
  c.builder.buffer("h1", fb::BufferKind::Host, kBytes, kBytes, 4, 6, fb::MemorySpace::Host);
  c.builder.buffer("sum", fb::BufferKind::State, state, kBytes);
  const uint32_t update = c.builder.program("test_update", 4, {kBytes}, {});
  auto both = std::make_unique<fb::OperandT>();
  both->access = fb::Access::ReadWrite;
  both->bytes = kBytes;
  c.builder.bundle.programs[update]->operands.push_back(std::move(both));
  StreamBuilder t0, t1;
  t0.dispatch(c.first, {c.x, c.a});
  t0.end();
  t1.dispatch(update, {c.b, state});
  t1.barrier();
  t1.dispatch(c.second, {state, c.y});
  t1.end();
  const uint32_t first = c.builder.trace("t0", t0), second = c.builder.trace("t1", t1);
  c.entry();
  fb::ScheduleT &s = *c.builder.bundle.entries[0]->schedules[0];
  using K = fb::StepKind;
  auto copy = [&](uint64_t dst, uint64_t src) {
    add(s, Body, 0, K::Copy, 0);
    s.body.back()->dst = dst;
    s.body.back()->src = src;
    s.body.back()->bytes = kBytes;
  };
  add(s, Body, 0, K::Write, 0);
  add(s, Body, 0, K::Execute, first);
  copy(host, c.a);
  add(s, Body, 0, K::HostDispatch, c.first, {host, host + kBytes});
  copy(c.b, host + kBytes);
  add(s, Body, 0, K::Execute, second);
  add(s, Body, 0, K::Read, 0);
  return std::move(c.builder);
}

/// Commands of one workgroup need no barrier between them; of a later one of several they do. The
/// input's bytes are used again once it has been read.
BundleBuilder coreBundle() {
  Chain c;
  c.ports();
  c.builder.bundle.buffers[0]->begin = 0;
  c.builder.bundle.buffers[0]->end = 2;
  const uint32_t one = c.builder.program("test_one", 1, {kBytes}, {kBytes});
  // Points: 0 write; 1 a = x, 2 b = a, 3 barrier, 4 y = b, 5 end; 6 read. b lies where x was.
  c.builder.buffer("a", fb::BufferKind::Activation, c.a, kBytes, 1, 3);
  c.builder.buffer("b", fb::BufferKind::Activation, c.x, kBytes, 2, 5);
  StreamBuilder stream;
  stream.dispatch(one, {c.x, c.a});
  stream.dispatch(one, {c.a, c.x});
  stream.barrier();
  stream.dispatch(c.first, {c.x, c.y});
  stream.end();
  c.entry();
  c.single(c.builder.trace("main_t0", stream));
  return std::move(c.builder);
}

/// Workgroups with rows of their own need no barrier between equal grids, also where bytes are used
/// again at another place of the row; who reads all rows does.
BundleBuilder shardsBundle() {
  Chain c;
  c.ports();
  constexpr uint64_t kRow = 64, kPitch = 256, kRows = 4;
  const uint64_t first = c.a, second = first + kRow, third = first;
  auto rows = [&](uint32_t program, uint32_t index, bool own, uint64_t count = kRows) {
    fb::OperandT &operand = *c.builder.bundle.programs[program]->operands[index];
    operand.row_bytes = kRow;
    operand.pitch_bytes = kPitch;
    operand.bytes = (count - 1) * kPitch + kRow;
    operand.per_workgroup = own;
  };
  const uint32_t cut = c.builder.program("test_cut", 2 * kRows, {kBytes}, {1}),
                 change = c.builder.program("test_change", kRows, {1}, {1}),
                 other = c.builder.program("test_other", 2 * kRows, {1}, {1}),
                 join = c.builder.program("test_join", kRows, {1}, {kBytes});
  rows(cut, 1, true, 2 * kRows);
  rows(change, 0, true);
  rows(change, 1, true);
  c.builder.bundle.programs[change]->operands[1]->in_place_of = {0};
  rows(other, 0, false);
  rows(other, 1, false);
  rows(join, 0, false);
  // Points: 0 write; 1 a = x on twice the rows, 2 barrier, 3 a in place, 4 b = a, 5 c = b, 6
  // barrier, 7 d = c on another grid, 8 barrier, 9 y = d, 10 end; 11 read. c lies where a was, d
  // beside both.
  c.builder.buffer("whole", fb::BufferKind::Activation, first, 2 * kRows * kPitch, 1, 10);
  StreamBuilder stream;
  stream.dispatch(cut, {c.x, first});
  stream.barrier();
  stream.dispatch(change, {first, first});
  stream.dispatch(change, {first, second});
  stream.dispatch(change, {second, third});
  stream.barrier();
  stream.dispatch(other, {third, third + 2 * kRow});
  stream.barrier();
  stream.dispatch(join, {third + 2 * kRow, c.y});
  stream.end();
  c.entry();
  c.single(c.builder.trace("main_t0", stream));
  return std::move(c.builder);
}

} // namespace

const std::vector<NamedBundle> &proofBundles() {
  static const std::vector<NamedBundle> bundles = {
      {"Sample", sampleBundle},
      {"Signals", signalsBundle},
      {"OverlapInput", overlapInputBundle},
      {"Rows", rowsBundle},
      {"Host", hostBundle},
      {"StateQueues", stateQueuesBundle},
      {"Core", coreBundle},
      {"Shards", shardsBundle},
      {"Pitches", [] { return pitchesBundle(Second::Whole); }},
      {"Patched", [] { return pitchesBundle(Second::Patched); }},
      {"Gaps", [] { return pitchesBundle(Second::WithGaps); }},
      {"Shifted", [] { return pitchesBundle(Second::Shifted); }},
  };
  return bundles;
}

BundleBuilder readBundle(const std::string &path) {
  const std::vector<char> file = readFile(path);
  FileHeader header;
  if (file.size() < sizeof(header))
    throw std::runtime_error("cannot read " + path);
  memcpy(&header, file.data(), sizeof(header));
  BundleBuilder builder;
  fb::GetBundle(file.data() + header.metadataOffset)->UnPackTo(&builder.bundle);
  builder.code.clear();
  uint64_t streams = 0, address = 0;
  for (const auto &segment : builder.bundle.segments) {
    const char *begin = file.data() + segment->offset;
    if (segment->kind == fb::SegmentKind::Constants)
      builder.constants.assign(begin, begin + segment->size);
    else if (segment->kind == fb::SegmentKind::Code)
      builder.setCode({begin, begin + segment->size});
    else {
      streams = segment->offset;
      address = segment->address;
    }
  }
  for (auto &trace : builder.bundle.traces) {
    StreamBuilder &stream = builder.streams.emplace_back();
    stream.commands = trace->commands;
    stream.words.resize(trace->size / 8);
    memcpy(stream.words.data(), file.data() + streams + (trace->address - address), trace->size);
    trace->address = trace->size = 0; // finish() places them again
  }
  builder.bundle.trace_region = nullptr;
  return builder;
}

std::string verdict(BundleBuilder &builder) {
  return openMessage(TemporaryFile(builder.finish()).path());
}

} // namespace ttrt::test
