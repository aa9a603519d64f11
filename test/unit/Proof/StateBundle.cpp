// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StateFaults.h"

namespace ttrt::test {

namespace {
constexpr uint64_t kBytes = 256;
enum : uint32_t { kUpdated, kTaken };

fb::StepT &add(std::vector<std::unique_ptr<fb::StepT>> &part, uint8_t queue, fb::StepKind kind,
               uint32_t index = 0) {
  return BundleBuilder::step(part, kind, index, queue);
}
} // namespace

BundleBuilder stateQueuesBundle() {
  BundleBuilder builder;
  using Kind = fb::BufferKind;
  using Step = fb::StepKind;
  builder.bundle.target->queues = 2;
  const uint64_t x = 4096, y = x + kBytes, sum = y + kBytes;
  builder.buffer("x", Kind::Slot, x, kBytes);
  builder.buffer("y", Kind::Slot, y, kBytes);
  builder.buffer("sum", Kind::State, sum, kBytes);
  BundleBuilder::port(builder.bundle.states, "sum", {64}, 2);
  const uint32_t update = builder.program("test_update", 4, {kBytes}, {});
  auto both = std::make_unique<fb::OperandT>();
  both->access = fb::Access::ReadWrite;
  both->bytes = kBytes;
  builder.bundle.programs[update]->operands.push_back(std::move(both));
  for (const char *name : {"updated", "taken"})
    builder.event(name);
  StreamBuilder stream;
  stream.dispatch(update, {x, sum});
  stream.end();
  const uint32_t trace = builder.trace("t0", stream), own = builder.trace("t1", stream);

  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {64}, 0);
  BundleBuilder::port(entry.outputs, "y", {64}, 1);
  auto copy = [&](auto &part, uint8_t queue) {
    fb::StepT &step = add(part, queue, Step::Copy);
    step.dst = y;
    step.src = sum;
    step.bytes = kBytes;
  };
  auto &body = entry.schedules[0]->body;
  body.clear();
  add(body, 0, Step::Write);
  add(body, 0, Step::Execute, trace);
  copy(body, 0);
  add(body, 0, Step::Read);

  fb::ScheduleT &queues = BundleBuilder::schedule(entry, "copy-ahead", 2);
  add(queues.prologue, 1, Step::Record, kTaken);
  add(queues.body, 0, Step::Write);
  add(queues.body, 0, Step::Wait, kTaken);
  add(queues.body, 0, Step::Execute, own);
  add(queues.body, 0, Step::Record, kUpdated);
  add(queues.body, 1, Step::Wait, kUpdated);
  copy(queues.body, 1);
  add(queues.body, 1, Step::Record, kTaken);
  add(queues.body, 1, Step::Read);
  return builder;
}

} // namespace ttrt::test
