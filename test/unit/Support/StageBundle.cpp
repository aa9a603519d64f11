// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StageBundle.h"

#include <cstring>

namespace ttrt::test {

using fb::CollectiveAlgorithm::Direct;
using fb::CollectiveKind::AllReduce;
using fb::CollectiveKind::Permute;

/// [begin, end) of the timeline, by entry point.
static std::vector<std::pair<uint64_t, uint64_t>> partsOfTimeline(const BundleBuilder &builder) {
  std::vector<std::pair<uint64_t, uint64_t>> parts;
  uint64_t point = 0;
  for (const auto &entry : builder.bundle.entries) {
    const uint64_t begin = point;
    const fb::ScheduleT &schedule = *entry->schedules[0];
    for (const auto *steps : {&schedule.prologue, &schedule.body, &schedule.epilogue})
      for (const auto &step : *steps)
        point += step->kind == fb::StepKind::Execute ? builder.streams[step->index].commands : 1;
    parts.emplace_back(begin, point);
  }
  return parts;
}

void setStageConstants(BundleBuilder &builder,
                       const std::vector<std::vector<uint32_t>> &constants) {
  const auto parts = partsOfTimeline(builder);
  for (size_t i = 0; i < constants.size(); ++i)
    for (uint32_t buffer : constants[i]) {
      builder.bundle.buffers[buffer]->begin = parts[i].first;
      builder.bundle.buffers[buffer]->end = parts[i].second;
    }
}

static std::vector<uint8_t> floats(float value) {
  const std::vector<float> all(kSampleElements, value);
  std::vector<uint8_t> bytes(kSampleBytes);
  memcpy(bytes.data(), all.data(), kSampleBytes);
  return bytes;
}

static fb::EntryPointT &addStage(BundleBuilder &builder, uint32_t stage,
                                 std::vector<uint32_t> devices) {
  fb::EntryPointT &entry = builder.entry("main_" + std::to_string(stage));
  entry.part_of = "main";
  entry.devices = std::move(devices);
  return entry;
}

BundleBuilder stageBundle(bool offers) {
  BundleBuilder builder;
  builder.mesh({{"stage", 2}, {"x", 2}});
  builder.bundle.mesh->shards = {0, 0, 1, 1};
  builder.shards = {floats(0.5f), floats(2)};
  builder.shards[0].resize(2 * kPageSize + kSampleBytes);
  const uint64_t constants = builder.shardsBegin(), data = builder.dataBegin();
  const uint32_t w = builder.buffer("w", fb::BufferKind::Constant, constants, kSampleBytes);
  const uint32_t v = builder.buffer("v", fb::BufferKind::Constant, constants, kSampleBytes);
  uint64_t next = data;
  auto buffer = [&](const char *name, fb::BufferKind kind, uint64_t &address) {
    address = next;
    next += kSampleBytes;
    return builder.buffer(name, kind, address, kSampleBytes);
  };
  uint64_t x, m, y, z, a, b, s, g, c, d, e;
  const uint32_t ports[] = {
      buffer("x", fb::BufferKind::Slot, x), buffer("m", fb::BufferKind::Slot, m),
      buffer("y", fb::BufferKind::Slot, y), buffer("z", fb::BufferKind::Slot, z)};
  for (auto [name, address] : std::initializer_list<std::pair<const char *, uint64_t *>>{
           {"a", &a}, {"b", &b}, {"s", &s}, {"g", &g}, {"c", &c}, {"d", &d}, {"e", &e}})
    buffer(name, fb::BufferKind::Activation, *address);
  const uint64_t f = constants + kPageSize;
  const uint32_t last = builder.buffer("f", fb::BufferKind::Activation, f, kSampleBytes);

  const uint32_t reverse = builder.program("test_reverse", 16, {kSampleBytes}, {kSampleBytes}, 64);
  const uint32_t add =
      builder.program("test_add", 16, {kSampleBytes, kSampleBytes}, {kSampleBytes});
  const uint32_t third = builder.program("test_third", 16, {kSampleBytes}, {kSampleBytes});
  const uint32_t forward = builder.collective("forward", Permute, Direct, {{0, 2}, {1, 3}},
                                              kSampleBytes, 1, 0, {kNoSource, 0});
  const uint32_t back = builder.collective("back", Permute, Direct, {{0, 2}, {1, 3}}, kSampleBytes,
                                           1, 0, {1, kNoSource});
  const uint32_t sum = builder.collective("sum", AllReduce, Direct, {{0, 1}}, kSampleBytes);

  StreamBuilder first;
  first.dispatch(reverse, {x, a});
  first.barrier();
  if (offers)
    first.offer(sum, a);
  else
    first.barrier();
  first.dispatch(add, {a, constants, b});
  first.barrier();
  first.send(forward, b);
  first.exchange(sum, {a, s});
  first.receive(back, g);
  first.barrier();
  first.dispatch(add, {s, g, c});
  first.barrier();
  first.dispatch(reverse, {c, y});
  first.end();
  StreamBuilder second;
  second.receive(forward, d);
  second.barrier();
  second.dispatch(add, {d, m, e});
  second.barrier();
  second.send(back, e);
  second.dispatch(add, {e, constants, f});
  second.barrier();
  second.dispatch(third, {f, z});
  second.end();
  std::vector<uint32_t> sources[2] = {std::vector<uint32_t>(first.commands),
                                      std::vector<uint32_t>(second.commands)};
  sources[0][kStageOffer] = sources[0][kStageSum] = builder.location("ReduceSum_1");
  sources[0][kStageAdd] = sources[0][kStageSend] = builder.location("Add_0");
  sources[1][kNextReceive] = sources[0][kStageSend];
  sources[1][kNextAdd] = sources[1][kNextSend] = builder.location("Mul_2");
  sources[0][kStageReceive] = sources[1][kNextSend];
  const uint32_t traces[] = {builder.trace("main_0_t0", first, sources[0]),
                             builder.trace("main_1_t0", second, sources[1])};
  fb::EntryPointT &entry = addStage(builder, 0, {0, 1});
  BundleBuilder::port(entry.inputs, "x", {1, 256}, ports[0]);
  BundleBuilder::port(entry.outputs, "y", {1, 256}, ports[2]);
  fb::EntryPointT &other = addStage(builder, 1, {2, 3});
  BundleBuilder::port(other.inputs, "m", {1, 256}, ports[1]);
  BundleBuilder::port(other.outputs, "z", {1, 256}, ports[3]);
  for (size_t i = 0; i < 2; ++i) {
    fb::EntryPointT &stage = *builder.bundle.entries[i];
    BundleBuilder::run(stage, {traces[i]});
  }
  setStageConstants(builder, {{w}, {v, last}});
  return builder;
}

BundleBuilder chainOfStages(uint32_t devices, uint32_t parts) {
  BundleBuilder builder;
  builder.mesh({{"stage", devices}});
  const uint64_t x = 0, y = kSampleBytes, a = y + kSampleBytes, b = a + kSampleBytes;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  builder.buffer("a", fb::BufferKind::Activation, a, kSampleBytes);
  builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes);
  const uint32_t reverse = builder.program("test_reverse", 16, {kSampleBytes}, {kSampleBytes}, 64);
  const uint64_t bytes = kSampleBytes / parts;
  std::vector<uint32_t> links;
  for (uint32_t i = 0; i + 1 < devices; ++i)
    links.push_back(builder.collective("link_" + std::to_string(i), Permute, Direct, {{i, i + 1}},
                                       bytes, 1, 0, {kNoSource, 0}));
  for (uint32_t i = 0; i < devices; ++i) {
    const bool isFirst = i == 0, isLast = i + 1 == devices;
    StreamBuilder stream;
    for (uint32_t part = 0; part < parts && !isFirst; ++part)
      stream.receive(links[i - 1], a + part * bytes);
    stream.barrier();
    stream.dispatch(reverse, {isFirst ? x : a, isLast ? y : b});
    stream.barrier();
    for (uint32_t part = 0; part < parts && !isLast; ++part)
      stream.send(links[i], b + part * bytes);
    stream.end();
    const uint32_t trace = builder.trace("main_" + std::to_string(i) + "_t0", stream);
    fb::EntryPointT &entry = addStage(builder, i, {i});
    if (isFirst) {
      BundleBuilder::port(entry.inputs, "x", {1, 256}, in);
      BundleBuilder::step(entry, fb::StepKind::Write, 0);
    }
    BundleBuilder::step(entry, fb::StepKind::Execute, trace);
    if (isLast) {
      BundleBuilder::port(entry.outputs, "y", {1, 256}, out);
      BundleBuilder::step(entry, fb::StepKind::Read, 0);
    }
  }
  return builder;
}

} // namespace ttrt::test
