// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshBundle.h"

#include <cstring>
#include <numeric>

namespace ttrt::test {

using enum fb::CollectiveKind;
using fb::CollectiveAlgorithm::Direct;
using fb::CollectiveAlgorithm::Halving;
using fb::CollectiveAlgorithm::Ring;

BundleBuilder meshBundle(bool sharded) {
  BundleBuilder builder;
  builder.mesh({{"x", 2}, {"y", 2}});
  std::vector<std::vector<uint8_t>> values;
  for (uint32_t device = 0; device < 4; ++device) {
    std::vector<float> weights(kSampleElements, 0.5f + static_cast<float>(sharded ? device : 0));
    values.emplace_back(kSampleBytes);
    memcpy(values.back().data(), weights.data(), kSampleBytes);
  }
  const uint64_t w = sharded ? builder.shardedConstant("w", values)
                             : builder.constant("w", values[0].data(), kSampleBytes);
  const uint64_t x = builder.dataBegin(), y = x + kSampleBytes, a = y + kSampleBytes,
                 b = a + kSampleBytes, d = b + kSampleBytes, s = d + kSampleBytes, c = a, e = b;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  builder.buffer("a", fb::BufferKind::Activation, a, kSampleBytes, 1, 4);
  builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes, 3, 6);
  builder.buffer("c", fb::BufferKind::Activation, c, kSampleBytes, 5, 8);
  builder.buffer("d", fb::BufferKind::Activation, d, kSampleBytes / 4, 7, 9);
  builder.buffer("s", fb::BufferKind::Activation, s, kSampleBytes / 2, 7, 8);
  builder.buffer("e", fb::BufferKind::Activation, e, kSampleBytes, 8, 11);
  const uint32_t reverse = builder.program("test_reverse", 16, {kSampleBytes}, {kSampleBytes}, 64);
  const uint32_t add =
      builder.program("test_add", 16, {kSampleBytes, kSampleBytes}, {kSampleBytes});
  const uint32_t sum =
      builder.collective("sum_over_y", AllReduce, Direct, {{0, 1}, {2, 3}}, kSampleBytes);
  const uint32_t scatter =
      builder.collective("scatter", ReduceScatter, Ring, {{0, 1, 2, 3}}, kSampleBytes, 4);
  const uint32_t gather =
      builder.collective("gather", AllGather, Halving, {{0, 1, 2, 3}}, kSampleBytes / 4);
  StreamBuilder stream;
  stream.dispatch(reverse, {x, a});
  stream.barrier();
  stream.exchange(sum, {a, b});
  stream.barrier();
  stream.dispatch(add, {b, w, c});
  stream.barrier();
  stream.exchange(scatter, {c, d, s});
  stream.exchange(gather, {d, e});
  stream.barrier();
  stream.dispatch(reverse, {e, y});
  stream.end();
  std::vector<uint32_t> sources(stream.commands);
  for (const auto &[command, name] :
       std::initializer_list<std::pair<size_t, const char *>>{{kReverse, "Flip_0"},
                                                              {kAllReduce, "MatMul_1"},
                                                              {kAdd, "Add_2"},
                                                              {kReduceScatter, "MatMul_3"},
                                                              {kAllGather, "MatMul_3"},
                                                              {kLastReverse, "Flip_4"}})
    sources[command] = builder.location(name);
  const uint32_t trace = builder.trace("main_t0", stream, sources);
  builder.entry("main", {"x", {1, 256}, in}, {"y", {1, 256}, out}, {trace});
  return builder;
}

BundleBuilder meshPartsBundle() {
  BundleBuilder builder;
  builder.mesh({{"x", 2}});
  const uint64_t x = builder.dataBegin(), y = x + kSampleBytes, b = y + kSampleBytes;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes, 1, 4);
  const uint32_t add =
      builder.program("test_add", 16, {kSampleBytes, kSampleBytes}, {kSampleBytes});
  const uint32_t sum = builder.collective("sum", AllReduce, Direct, {{0, 1}}, kSampleBytes);
  StreamBuilder stream;
  stream.exchange(sum, {x, b});
  stream.barrier();
  stream.dispatch(add, {x, b, y});
  stream.end();
  const uint32_t trace = builder.trace("main_t0", stream, {});
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {1, 256}, in);
  BundleBuilder::port(entry.outputs, "y", {1, 256}, out);
  for (fb::PortT *port : {entry.inputs[0].get(), entry.outputs[0].get()})
    for (uint32_t dimension = 0; dimension < 2; ++dimension) {
      port->sharding.push_back(std::make_unique<fb::AxisListT>());
      if (dimension == 0)
        port->sharding.back()->axes = {0};
    }
  BundleBuilder::run(entry, {trace});
  return builder;
}

BundleBuilder meshQueuesBundle() {
  BundleBuilder builder;
  builder.mesh({{"x", 2}});
  builder.bundle.target->queues = 2;
  enum : uint32_t { kWritten, kFirst, kSecond };
  for (const char *name : {"written", "first", "second"})
    builder.event(name);
  const uint64_t x = 0, y = x + kSampleBytes, z = y + kSampleBytes, a = z + kSampleBytes,
                 b = a + kSampleBytes;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t first = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  const uint32_t second = builder.buffer("z", fb::BufferKind::Slot, z, kSampleBytes);
  builder.buffer("a", fb::BufferKind::Activation, a, kSampleBytes);
  builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes);
  const uint32_t programs[] = {
      builder.program("test_reverse", 16, {kSampleBytes}, {kSampleBytes}, 64),
      builder.program("test_third", 16, {kSampleBytes}, {kSampleBytes})};
  uint32_t traces[2];
  for (uint32_t i = 0; i < 2; ++i) {
    const std::string number = std::to_string(i);
    const uint32_t sum =
        builder.collective("sum_" + number, AllReduce, Direct, {{0, 1}}, kSampleBytes);
    StreamBuilder stream;
    stream.dispatch(programs[i], {x, i ? b : a});
    stream.barrier();
    stream.exchange(sum, {i ? b : a, i ? z : y});
    stream.end();
    traces[i] = builder.trace("main_t" + number, stream);
  }
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {1, 256}, in);
  BundleBuilder::port(entry.outputs, "y", {1, 256}, first);
  BundleBuilder::port(entry.outputs, "z", {1, 256}, second);
  BundleBuilder::run(entry, {traces[0], traces[1]});
  fb::ScheduleT &two = BundleBuilder::schedule(entry, "two", 2);
  auto add = [&](fb::StepKind kind, uint32_t index, uint8_t queue) {
    BundleBuilder::step(two.body, kind, index, queue);
  };
  add(fb::StepKind::Write, 0, 0);
  add(fb::StepKind::Record, kWritten, 0);
  add(fb::StepKind::Wait, kWritten, 1);
  add(fb::StepKind::Execute, traces[0], 0);
  add(fb::StepKind::Record, kFirst, 0);
  add(fb::StepKind::Wait, kFirst, 1);
  add(fb::StepKind::Execute, traces[1], 1);
  add(fb::StepKind::Record, kSecond, 1);
  add(fb::StepKind::Read, 0, 0);
  add(fb::StepKind::Wait, kSecond, 0);
  add(fb::StepKind::Read, 1, 0);
  return builder;
}

BundleBuilder tinyMeshBundle(uint32_t devices, fb::CollectiveKind kind,
                             fb::CollectiveAlgorithm algorithm) {
  BundleBuilder builder;
  builder.mesh({{"x", devices}});
  std::vector<uint32_t> group(devices);
  std::iota(group.begin(), group.end(), 0);
  std::vector<uint32_t> sources;
  for (uint32_t i = 0; i < devices && kind == Permute; ++i)
    sources.push_back((i + 1) % devices);
  // A part of 64 bytes for each device: a chunk.
  const bool parts = kind == ReduceScatter || kind == AllToAll || kind == AllReduce;
  const uint64_t bytes = parts ? devices * uint64_t(64) : 64;
  const uint32_t exchange = builder.collective("exchange_0", kind, algorithm, {group}, bytes, 1,
                                               kind == Broadcast ? devices - 1 : 0, sources);
  const auto &operands = builder.bundle.collectives[exchange]->operands;
  const uint64_t outBytes = operands[1]->bytes, size = 64 * uint64_t(devices);
  const uint64_t x = 0, y = x + size, a = y + size, b = a + size, s = b + size;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, bytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, outBytes);
  builder.buffer("a", fb::BufferKind::Activation, a, bytes);
  builder.buffer("b", fb::BufferKind::Activation, b, outBytes);
  std::vector<uint64_t> addresses = {a, b};
  if (operands.size() > 2) {
    builder.buffer("s", fb::BufferKind::Activation, s, operands[2]->bytes);
    addresses.push_back(s);
  }
  const uint32_t before = builder.program("test_reverse", 2, {bytes}, {bytes});
  const uint32_t after = builder.program("test_third", 2, {outBytes}, {outBytes});
  StreamBuilder stream;
  stream.dispatch(before, {x, a});
  stream.barrier();
  stream.exchange(exchange, addresses);
  stream.barrier();
  stream.dispatch(after, {b, y});
  stream.end();
  const uint32_t trace = builder.trace("main_t0", stream);
  fb::EntryPointT &entry = builder.entry("main", {"x", {static_cast<int64_t>(bytes / 4)}, in},
                                         {"y", {static_cast<int64_t>(outBytes / 4)}, out}, {trace});
  if (kind == ReduceScatter || kind == AllToAll) { // of which each device gets its own part
    auto &sharding = entry.outputs[0]->sharding;
    sharding.push_back(std::make_unique<fb::AxisListT>());
    sharding.back()->axes = {0};
  }
  return builder;
}

} // namespace ttrt::test
