// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostBundle.h"

namespace ttrt::test {

static std::unique_ptr<fb::HostAttributeT> attribute(const char *name) {
  auto table = std::make_unique<fb::HostAttributeT>();
  table->name = name;
  return table;
}

static std::unique_ptr<fb::HostFunctionT> makeFunction() {
  auto function = std::make_unique<fb::HostFunctionT>();
  function->name = "com.acme.Scale";
  function->version = 3;
  function->absent_inputs = {1};
  auto axis = attribute("axis"), axes = attribute("axes"), factor = attribute("factor"),
       factors = attribute("factors"), mode = attribute("mode"), modes = attribute("modes"),
       none = attribute("none"), table = attribute("table");
  axis->ints = {-1};
  axes->is_list = true;
  axes->ints = {2, 3};
  factor->floats = {3};
  factors->is_list = true;
  factors->floats = {0.5f};
  mode->strings = {"linear"};
  modes->is_list = true;
  modes->strings = {"a", "", "ccc"};
  none->is_list = true;
  table->dtype = fb::DType::I16;
  table->shape = {1, 3};
  table->data = {0x0003000200010000 + 1};
  for (auto *each : {&axes, &axis, &factor, &factors, &mode, &modes, &none, &table})
    function->attributes.push_back(std::move(*each));
  return function;
}

static std::unique_ptr<fb::StepT> makeStep(fb::StepKind kind, uint32_t index, uint8_t queue) {
  auto step = std::make_unique<fb::StepT>();
  step->kind = kind;
  step->index = index;
  step->queue = queue;
  return step;
}

BundleBuilder hostBundle() {
  BundleBuilder builder;
  builder.bundle.required_features = {kHostFunctionsFeature};
  builder.bundle.target->queues = 2;
  const uint64_t x = 0, y = kSampleBytes, a = 2 * kSampleBytes, b = 3 * kSampleBytes;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  // Points: 0 write; 1 add, 2 end; 3 host; 4 reverse, 5 end; 6 read.
  builder.buffer("a", fb::BufferKind::Activation, a, kSampleBytes, 1, 4);
  builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes, 3, 5);
  builder.program("test_add", 16, {kSampleBytes, kSampleBytes}, {kSampleBytes});
  builder.program("test_reverse", 16, {kSampleBytes}, {kSampleBytes}, 64);
  const uint32_t scale =
      builder.program("com_acme_Scale", 1, {kSampleBytes, kSampleBytes}, {kSampleBytes});
  fb::ProgramT &program = *builder.bundle.programs[scale];
  program.host_function = makeFunction();
  for (auto &operand : program.operands) {
    operand->dtype = fb::DType::F32;
    operand->shape = {4, 64};
  }
  StreamBuilder first, second;
  first.dispatch(kAddProgram, {x, x, a});
  first.end();
  second.dispatch(kReverseProgram, {b, y});
  second.end();
  const uint32_t t0 = builder.trace("t0", first), t1 = builder.trace("t1", second);
  for (const char *name : {"written", "consumed", "computed", "drained"})
    builder.event(name);

  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {256}, in);
  BundleBuilder::port(entry.outputs, "y", {256}, out);
  using enum fb::StepKind;
  const std::vector<uint64_t> operands = {a, x, b};
  BundleBuilder::step(entry, Write, 0);
  BundleBuilder::step(entry, Execute, t0);
  BundleBuilder::step(entry, HostDispatch, scale).operands = operands;
  const uint32_t source = builder.location("Scale_0");
  entry.schedules[0]->body.back()->source = source;
  BundleBuilder::step(entry, Execute, t1);
  BundleBuilder::step(entry, Read, 0);

  fb::ScheduleT &overlapped = BundleBuilder::schedule(entry, "overlap-io", 2);
  enum : uint32_t { Written, Consumed, Computed, Drained };
  auto add = [](auto &part, std::initializer_list<std::tuple<fb::StepKind, uint32_t, int>> steps) {
    for (auto [kind, index, queue] : steps)
      part.push_back(makeStep(kind, index, static_cast<uint8_t>(queue)));
  };
  auto run = [&](auto &part) {
    add(part, {{Wait, Written, 0}, {Execute, t0, 0}, {HostDispatch, scale, 0}});
    part.back()->operands = operands;
    part.back()->source = source;
    add(part, {{Record, Consumed, 0}, {Wait, Drained, 0}, {Execute, t1, 0}, {Record, Computed, 0}});
  };
  auto read = [&](auto &part) {
    add(part, {{Wait, Computed, 1}, {Read, 0, 1}, {Record, Drained, 1}});
  };
  add(overlapped.prologue, {{Record, Drained, 1}, {Write, 0, 1}, {Record, Written, 1}});
  run(overlapped.prologue);
  add(overlapped.body, {{Wait, Consumed, 1}, {Write, 0, 1}, {Record, Written, 1}});
  read(overlapped.body);
  run(overlapped.body);
  read(overlapped.epilogue);
  return builder;
}

} // namespace ttrt::test
