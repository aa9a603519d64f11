// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device.h"

#include "Error.h"
#include "ParallelHash.h"
#include "Verifier.h"

#include <algorithm>
#include <cstring>
#include <ctime>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ttrt {

namespace {

uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

/// The caller may have changed rounding or denormals. Workers have the defaults, and all cores must
/// give the same bits.
class DefaultFloatingPoint {
#if defined(__x86_64__)
public:
  DefaultFloatingPoint() : saved(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatingPoint() { _mm_setcsr(saved); }

private:
  unsigned saved;
#elif defined(__aarch64__)
public:
  DefaultFloatingPoint() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t(0)));
  }
  ~DefaultFloatingPoint() { __asm__ volatile("msr fpcr, %0" : : "r"(saved)); }

private:
  uint64_t saved;
#endif
};

uint32_t chooseCores(uint32_t wanted) {
  if (wanted > CoreFlags::kMaxCores)
    fail(TTRT_INVALID_ARGUMENT, "%u cores asked for; at most %u", wanted, CoreFlags::kMaxCores);
  return wanted ? wanted : std::min<uint32_t>(allowedCpus(), CoreFlags::kMaxCores);
}

const std::shared_ptr<const Bundle> &checkFit(const std::shared_ptr<const Bundle> &bundle) {
  verifyFit(*bundle);
  return bundle;
}

} // namespace

Device::Device(std::shared_ptr<const Bundle> bundle, uint32_t cores, bool pin)
    : bundle_(checkFit(bundle)), memory_(*bundle_, chooseCores(cores)), code_(*bundle_),
      cores_(*bundle_, memory_, code_, chooseCores(cores), pin) {
  for (const fb::EntryPoint *entry : *bundle_->metadata().entries())
    planEntry(*entry);
}

PlannedPort Device::planPort(const fb::Port &port) const {
  const fb::Buffer &buffer = *bundle_->metadata().buffers()->Get(port.buffer());
  return {text(port.name()), memory_.base() + bundle_->address(buffer), sizeOf(port)};
}

/// A stream of one dispatch and an end, as words.
static std::vector<uint64_t> makeStream(const fb::Step &step) {
  const uint32_t operands = count(step.operands());
  DispatchCommand dispatch{
      {Opcode::Dispatch, 0, static_cast<uint32_t>(dispatchSize(operands))}, step.index(), operands};
  CommandHeader end{Opcode::End, 0, sizeof(CommandHeader)};
  std::vector<uint64_t> words(dispatchSize(operands) / 8 + 1);
  memcpy(words.data(), &dispatch, sizeof(dispatch));
  for (uint32_t i = 0; i < operands; ++i)
    words[sizeof(dispatch) / 8 + i] = step.operands()->Get(i);
  memcpy(&words.back(), &end, sizeof(end));
  return words;
}

PlannedStep Device::planStep(const PlannedEntry &entry, const fb::Step &step) const {
  PlannedStep planned{};
  planned.kind = step.kind();
  planned.index = step.index();
  switch (step.kind()) {
  case fb::StepKind::Write:
    planned.dst = entry.inputs[step.index()].slot;
    planned.bytes = entry.inputs[step.index()].bytes;
    break;
  case fb::StepKind::Read:
    planned.src = entry.outputs[step.index()].slot;
    planned.bytes = entry.outputs[step.index()].bytes;
    break;
  case fb::StepKind::Execute: {
    // The mapped stream in the trace region, not the file's.
    planned.stream = memory_.base() + bundle_->metadata().traces()->Get(step.index())->address();
    break;
  }
  case fb::StepKind::HostDispatch:
    planned.function = code_.function(step.index());
    planned.grid = bundle_->metadata().programs()->Get(step.index())->grid();
    for (uint32_t i = 0; i < count(step.operands()); ++i)
      planned.words.push_back(step.operands()->Get(i));
    break;
  case fb::StepKind::Dispatch:
    planned.words = makeStream(step);
    planned.stream = reinterpret_cast<const uint8_t *>(planned.words.data());
    break;
  case fb::StepKind::Copy:
    planned.dst = memory_.base() + step.dst();
    planned.src = memory_.base() + step.src();
    planned.bytes = step.bytes();
    break;
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    break; // one queue: done in order, and the verifier has seen the record before the wait
  }
  return planned;
}

void Device::planEntry(const fb::EntryPoint &entry) {
  PlannedEntry &planned = entries_.emplace_back();
  for (uint32_t i = 0; i < count(entry.inputs()); ++i)
    planned.inputs.push_back(planPort(*entry.inputs()->Get(i)));
  for (uint32_t i = 0; i < count(entry.outputs()); ++i)
    planned.outputs.push_back(planPort(*entry.outputs()->Get(i)));
  for (const fb::Schedule *schedule : *entry.schedules()) {
    if (schedule->queues() != 1)
      continue;
    forEachStep(*schedule,
                [&](const fb::Step &step) { planned.steps.push_back(planStep(planned, step)); });
    return; // verifyFit() has made sure that there is one
  }
}

/// The same commands without the trace: each handed over by the host and awaited.
void Device::dispatchFromHost(const PlannedStep &step, const ttrt_run_options &options) noexcept {
  const uint8_t *position = step.stream;
  for (uint32_t command = 0;; ++command) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(position);
    if (header.opcode == Opcode::End)
      return;
    // Each command is complete before the next begins: barriers have nothing left to do.
    if (header.opcode == Opcode::Dispatch || header.opcode == Opcode::Copy ||
        header.opcode == Opcode::Fill) {
      uint64_t begin = options.on_command ? now() : 0;
      cores_.run(header);
      if (options.on_command)
        options.on_command(options.user, step.index, command, begin, now());
    }
    position += header.size;
  }
}

void Device::execute(const PlannedStep &step, const ttrt_run_options &options) noexcept {
  switch (step.kind) {
  case fb::StepKind::Execute:
    if (options.no_trace)
      return dispatchFromHost(step, options);
    return cores_.run(step.stream);
  case fb::StepKind::Dispatch:
    return cores_.run(step.stream);
  case fb::StepKind::HostDispatch:
    for (uint64_t workgroup = 0; workgroup < step.grid; ++workgroup)
      step.function(step.words.data(), memory_.base(), cores_.first().scratch, workgroup);
    return;
  case fb::StepKind::Copy:
    memcpy(step.dst, step.src, step.bytes);
    return;
  case fb::StepKind::Write:
  case fb::StepKind::Read:
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    return;
  }
}

void Device::run(const PlannedEntry &entry, const ttrt_input *inputs, const ttrt_output *outputs,
                 const ttrt_run_options &options) noexcept {
  DefaultFloatingPoint guard;
  const bool timed = options.timing != nullptr;
  const uint64_t begin = timed ? now() : 0;
  uint64_t transfers = 0;
  for (const PlannedStep &step : entry.steps) {
    if (step.kind != fb::StepKind::Write && step.kind != fb::StepKind::Read) {
      execute(step, options);
      continue;
    }
    const uint64_t start = timed ? now() : 0;
    if (step.kind == fb::StepKind::Write && inputs[step.index].data)
      memcpy(step.dst, inputs[step.index].data, step.bytes);
    if (step.kind == fb::StepKind::Read && outputs[step.index].data)
      memcpy(outputs[step.index].data, step.src, step.bytes);
    transfers += timed ? now() - start : 0;
  }
  if (timed) {
    options.timing->total = now() - begin;
    options.timing->device = options.timing->total - transfers;
  }
}

} // namespace ttrt
