// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle with tensors in L1, in both views and beside scratch.

#ifndef TTC_TEST_UNIT_PROOF_L1BUNDLE_H
#define TTC_TEST_UNIT_PROOF_L1BUNDLE_H

#include "ProofBundles.h"

namespace ttrt::test {

inline void add(std::vector<std::unique_ptr<fb::StepT>> &part, uint8_t queue, fb::StepKind kind,
                uint32_t index, std::vector<uint64_t> operands = {}) {
  BundleBuilder::step(part, kind, index, queue, std::move(operands));
}

/// x -> a -> b -> y, and z beside them. x and a are interleaved, b is in shards, where the scratch
/// of the first command was; y and z lie in DRAM. Tests change it before finish().
struct L1Bundle {
  static constexpr uint32_t kCores = 4;
  static constexpr uint64_t kL1 = 64 * 1024, kShard = 64, kBytes = kCores * kShard;

  BundleBuilder builder;
  uint64_t dram = 0, y = 0, z = 0, x = 0, a = 0, b = 0; ///< flat addresses
  uint32_t first, second, third, other;                 ///< programs
  StreamBuilder stream;
  enum Buffer { X, Y, Z, A, B };

  L1Bundle() {
    fb::TargetT &target = *builder.bundle.target;
    target.interleaved_l1 = true;
    dram = target.dram_bank_bytes;
    const uint64_t interleaved = dram + kCores * kL1;
    y = 4096, z = y + kBytes;
    x = interleaved + 0x40 * kCores, a = interleaved + 0x80 * kCores, b = dram;
    first = builder.program("test_first", 4, {kBytes}, {kBytes}, 64);
    second = builder.program("test_second", 4, {kBytes}, {kBytes});
    third = builder.program("test_third", 4, {kBytes}, {kBytes});
    other = builder.program("test_other", 4, {kBytes}, {kBytes});
    shard(second, 1);
    shard(third, 0);
    shard(other, 1);
    // Points: 0 write; 1 first, 2 barrier, 3 second, 4 barrier, 5 third, 6 end; 7 read.
    add("x", fb::BufferKind::Slot, 0x40, 0, 2);
    builder.buffer("y", fb::BufferKind::Slot, y, kBytes);
    builder.buffer("z", fb::BufferKind::State, z, kBytes);
    add("a", fb::BufferKind::Activation, 0x80, 1, 4);
    add("b", fb::BufferKind::Activation, 0, 3, 6, kCores);
  }

  void add(const char *name, fb::BufferKind kind, uint64_t offset, uint64_t begin, uint64_t end,
           uint32_t shards = 0) {
    const uint32_t index =
        builder.buffer(name, kind, offset, kShard, begin, end, fb::MemorySpace::L1);
    builder.bundle.buffers[index]->shards = shards;
  }
  fb::BufferT &buffer(Buffer which) { return *builder.bundle.buffers[which]; }
  void shard(uint32_t program, uint32_t index) {
    fb::OperandT &operand = *builder.bundle.programs[program]->operands[index];
    operand.row_bytes = kShard;
    operand.pitch_bytes = kL1;
    operand.bytes = (kCores - 1) * kL1 + kShard;
  }
  void usual() {
    stream.dispatch(first, {x, a});
    stream.barrier();
    stream.dispatch(second, {a, b});
    stream.barrier();
    stream.dispatch(third, {b, y});
    stream.end();
  }
  /// `b` takes the bytes of the first command's scratch, without a barrier between them.
  void scratchAndThenABuffer() {
    buffer(B).begin = 2;
    buffer(B).end = 6;
    buffer(A).end = 2;
    stream.dispatch(first, {x, a});
    stream.dispatch(other, {z, b});
    stream.barrier();
    stream.barrier();
    stream.dispatch(third, {b, y});
    stream.end();
  }
  std::string finish() {
    if (stream.words.empty())
      usual();
    const uint32_t trace = builder.trace("main_t0", stream);
    builder.entry("main", {"x", {64}, X}, {"y", {64}, Y}, {trace});
    return verdict(builder);
  }
};

/// The input's slot has its bytes taken over by `b`: the next write must come after what reads
/// that.
inline BundleBuilder writeAheadBundle(bool behindTheLastReader = true) {
  L1Bundle l;
  l.buffer(L1Bundle::B).offset = 0x40;
  l.b = l.dram + 0x40;
  l.builder.bundle.target->queues = 2;
  for (const char *name : {"written", "consumed"})
    l.builder.event(name);
  // Points: 0 write; 1 first, 2 signal or barrier, 3 second, 4 barrier, 5 third, 6 signal, 7 end;
  // 8 read.
  l.buffer(L1Bundle::B).end = 6;
  l.stream.dispatch(l.first, {l.x, l.a});
  behindTheLastReader ? l.stream.barrier() : l.stream.signal(1);
  l.stream.dispatch(l.second, {l.a, l.b});
  l.stream.barrier();
  l.stream.dispatch(l.third, {l.b, l.y});
  behindTheLastReader ? l.stream.signal(1) : l.stream.barrier();
  l.stream.end();
  const uint32_t trace = l.builder.trace("main_t0", l.stream);
  fb::EntryPointT &entry =
      l.builder.entry("main", {"x", {64}, L1Bundle::X}, {"y", {64}, L1Bundle::Y}, {trace});
  fb::ScheduleT &schedule = BundleBuilder::schedule(entry, "overlap-input", 2);
  using K = fb::StepKind;
  add(schedule.prologue, 0, K::Record, 1);
  add(schedule.body, 1, K::Wait, 1);
  add(schedule.body, 1, K::Write, 0);
  add(schedule.body, 1, K::Record, 0);
  add(schedule.body, 0, K::Wait, 0);
  add(schedule.body, 0, K::Execute, trace);
  add(schedule.body, 0, K::Read, 0);
  return std::move(l.builder);
}

/// Schedules with traces and dispatches of their own, which no timeline covers; with scratch, and
/// with slots and state in L1 that are always alive.
inline BundleBuilder ownTracesBundle() {
  L1Bundle l;
  auto move = [&](L1Bundle::Buffer which, uint64_t offset) {
    fb::BufferT &buffer = l.buffer(which);
    buffer.space = fb::MemorySpace::L1;
    buffer.size = L1Bundle::kShard;
    buffer.offset = offset;
    buffer.begin = buffer.end = 0;
    return l.dram + L1Bundle::kCores * (L1Bundle::kL1 + offset);
  };
  l.x = move(L1Bundle::X, 0xc0);
  l.y = move(L1Bundle::Y, 0x100);
  l.z = move(L1Bundle::Z, 0x40);
  const std::vector<uint64_t> bytes = {L1Bundle::kBytes};
  const uint32_t one = l.builder.program("test_one", 1, bytes, bytes, 64),
                 keep = l.builder.program("test_keep", 4, bytes, bytes, 64),
                 again = l.builder.program("test_again", 4, bytes, bytes),
                 take = l.builder.program("test_take", 1, bytes, bytes);
  l.shard(again, 1);
  // At the bottom of L1, too, and used by no default schedule.
  l.add("c", fb::BufferKind::Activation, 0, 8, 9);
  const uint64_t c = l.dram + L1Bundle::kCores * L1Bundle::kL1;
  l.builder.bundle.target->queues = 2;
  for (const char *name : {"written", "consumed"})
    l.builder.event(name);
  // Points: 0 write; 1 first, 2 barrier, 3 keep, 4 barrier, 5 second, 6 barrier, 7 third, 8 end;
  // 9 read.
  l.buffer(L1Bundle::A).end = 6;
  l.buffer(L1Bundle::B).begin = 5;
  l.buffer(L1Bundle::B).end = 8;
  l.stream.dispatch(l.first, {l.x, l.a});
  l.stream.barrier();
  l.stream.dispatch(keep, {l.a, l.z});
  l.stream.barrier();
  l.stream.dispatch(l.second, {l.a, l.b});
  l.stream.barrier();
  l.stream.dispatch(l.third, {l.b, l.y});
  l.stream.end();
  // The other schedules compute the same, and what nothing needs.
  StreamBuilder begin, end;
  begin.dispatch(one, {l.x, l.a});
  begin.barrier();
  begin.dispatch(l.first, {l.x, l.a});
  begin.signal(1);
  begin.dispatch(keep, {l.a, l.z});
  begin.barrier();
  begin.dispatch(l.second, {l.a, l.b});
  begin.end();
  end.dispatch(again, {l.a, l.b});
  end.barrier();
  end.dispatch(l.second, {l.a, l.b});
  end.barrier();
  end.dispatch(l.third, {l.b, l.y});
  end.end();
  const uint32_t whole = l.builder.trace("whole", l.stream),
                 first = l.builder.trace("first", begin), last = l.builder.trace("last", end);
  fb::EntryPointT &entry =
      l.builder.entry("main", {"x", {64}, L1Bundle::X}, {"y", {64}, L1Bundle::Y}, {whole});
  using K = fb::StepKind;
  fb::ScheduleT &ahead = BundleBuilder::schedule(entry, "ahead", 2);
  add(ahead.prologue, 0, K::Record, 1);
  add(ahead.body, 1, K::Wait, 1);
  add(ahead.body, 1, K::Write, 0);
  add(ahead.body, 1, K::Record, 0);
  add(ahead.body, 0, K::Wait, 0);
  add(ahead.body, 0, K::Execute, first);
  add(ahead.body, 0, K::Dispatch, l.third, {l.b, l.y});
  add(ahead.body, 0, K::Read, 0);
  fb::ScheduleT &steps = BundleBuilder::schedule(entry, "steps");
  add(steps.body, 0, K::Write, 0);
  add(steps.body, 0, K::Dispatch, l.first, {l.x, l.a});
  add(steps.body, 0, K::Dispatch, keep, {l.a, l.z});
  add(steps.body, 0, K::Execute, last);
  add(steps.body, 0, K::Dispatch, take, {l.a, c});
  add(steps.body, 0, K::Dispatch, take, {c, l.a});
  add(steps.body, 0, K::Read, 0);
  return std::move(l.builder);
}

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_L1BUNDLE_H
