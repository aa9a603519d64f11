// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/Cores.h"

#include "Device/FloatingPoint.h"
#include "Device/ScheduleTable.h"
#include "Observe/MarkedCommand.h"

namespace ttrt {

void Cores::work(Core &core) noexcept {
  OwnFloatingPoint guard(flushes_); // a thread begins with its creator's
  WorkerFlags &flags = flags_[core.index];
  for (;;) {
    flags.go.await(static_cast<uint32_t>(core.job.number + 1));
    if (stop_.load(std::memory_order_relaxed))
      return;
    core.job = claims_.take(core.expected.get());
    core.sequence = core.job.sequence;
    core.beginJob();
    perform(core);
    flags.arrived.set(static_cast<uint32_t>(core.job.number));
  }
}

void Cores::perform(Core &core) noexcept {
  const Job &job = core.job;
  if (job.command == kWholeStream) {
    if (core.markers) [[unlikely]]
      walkStreamMarked(core, job.position, job.step);
    else
      walkStream(core, job.position);
    return;
  }
  const auto &command = *reinterpret_cast<const CommandHeader *>(job.position);
  if (core.markers) [[unlikely]] {
    if (core.markers->counters) [[unlikely]]
      core.markers->counters->bind();
    const MarkedStep step(core.markers, job.step);
    executeMarked(core, job.command, command);
  } else {
    executeCommand(core, command);
  }
  core.barrier();
}

void Cores::execute(const Job &job) noexcept {
  Core &first = cores_[0];
  if (cores_.size() > 1) {
    if (first.expected[0] - settled_ > kMostOfStream) [[unlikely]]
      settle();
    claims_.post(job, first.expected.get());
    for (uint32_t i = 1; i < cores_.size(); ++i)
      flags_[i].go.set(static_cast<uint32_t>(job.number));
  }
  first.job = job;
  first.beginJob();
  const uint32_t begin = first.met;
  perform(first);
  if (first.met != begin) // all cores have met in a loop
    settled_ = first.met;
  if (first.markers) [[unlikely]]
    settle(); // what is read then is complete
}

bool Cores::run(const ResolvedStep &step, StreamEvents *events) noexcept {
  cores_[0].events = events;
  execute({++jobs_, step.stream, step.number, kWholeStream, events != nullptr, cores_[0].sequence});
  return !hasFailed();
}

bool Cores::hasFailed() const noexcept { return cores_[0].overrun || claims_.isAborted(jobs_); }

const char *Cores::run(const ResolvedStep &step, const CommandHeader &command,
                       uint32_t index) noexcept {
  execute({++jobs_, reinterpret_cast<const uint8_t *>(&command), step.number, index, false,
           cores_[0].sequence});
  return hasFailed() ? whyFailed(step) : nullptr;
}

} // namespace ttrt
