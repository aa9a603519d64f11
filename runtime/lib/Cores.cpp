// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cores.h"

#include "FloatingPoint.h"
#include "Format.h"
#include "MarkedCommand.h"
#include "ScheduleTable.h"

#include <pthread.h>
#include <sched.h>
#include <system_error>

namespace ttrt {

/// Ties a thread to the index-th CPU that the process may use. Failing to is no error: the result
/// is the same, only perhaps slower.
static void pinThread(std::thread &thread, uint32_t index) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) == 0)
    return;
  uint32_t wanted = index % static_cast<uint32_t>(CPU_COUNT(&allowed));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || wanted-- != 0)
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(thread.native_handle(), sizeof(one), &one);
    return;
  }
}

Cores::Cores(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
             const ForkGuard &process, uint32_t count, uint32_t firstL1, bool pin)
    : process_(process), flags_(new CoreFlags[count]), cores_(count) {
  const auto *programs = bundle.metadata().programs();
  for (uint32_t i = 0; i < count; ++i) {
    Core &core = cores_[i];
    core.index = i;
    core.cores = count;
    while ((1u << core.rounds) < count)
      ++core.rounds;
    core.base = memory.base();
    core.scratch = memory.l1(firstL1 + i);
    core.flags = flags_.get();
    for (uint32_t j = 0; j < ttrt::count(programs); ++j) {
      const fb::Program &program = *programs->Get(j);
      const uint64_t grid = program.grid();
      core.programs.push_back(
          {code.function(j), firstWorkgroup(grid, i, count), firstWorkgroup(grid, i + 1, count),
           program.markers() ? reinterpret_cast<ProgramMarkers *>(
                                   core.scratch + program.scratch_bytes() - sizeof(ProgramMarkers))
                             : nullptr});
    }
  }
  try {
    for (uint32_t i = 1; i < count; ++i) {
      threads_.emplace_back([this, i] { work(cores_[i]); });
      if (pin)
        pinThread(threads_.back(), i);
    }
  } catch (const std::system_error &error) {
    stop();
    fail(TTRT_OUT_OF_MEMORY, "cannot start {} threads: {}", count - 1, error.what());
  } catch (...) { // no memory; threads that run must not be destroyed
    stop();
    throw;
  }
}

Cores::~Cores() { stop(); }

void Cores::stop() noexcept {
  if (process_.isChild()) {
    for (std::thread &thread : threads_)
      abandon(std::move(thread));
    return;
  }
  stop_ = true;
  ++jobs_;
  for (uint32_t i = 1; i <= threads_.size(); ++i)
    flags_[i].go.set(jobs_);
  for (std::thread &thread : threads_)
    thread.join();
}

void Cores::work(Core &core) noexcept {
  DefaultFloatingPoint guard; // a thread begins with its creator's
  for (uint32_t job = 1;; ++job) {
    flags_[core.index].go.await(job);
    if (stop_)
      return;
    perform(core, job_);
  }
}

void Cores::perform(Core &core, const Job &job) noexcept {
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
    const MarkedCommand marked(*core.markers, job.command, command);
    executeCommand(core, command);
  } else {
    executeCommand(core, command);
  }
  core.barrier();
}

void Cores::handOver(const Job &job) noexcept {
  job_ = job;
  ++jobs_;
  for (uint32_t i = 1; i < cores_.size(); ++i)
    flags_[i].go.set(jobs_);
}

bool Cores::run(const ResolvedStep &step, StreamEvents *events) noexcept {
  // The workers read these after the hand-over.
  for (Core &core : cores_)
    core.events = events;
  if (events) {
    events->aborted = false;
    events->abortedAt.store(0, std::memory_order_relaxed);
  }
  const Job job{step.stream, step.number, kWholeStream};
  handOver(job);
  perform(cores_[0], job);
  return !events || !events->aborted;
}

void Cores::run(const ResolvedStep &step, const CommandHeader &command, uint32_t index) noexcept {
  const Job job{reinterpret_cast<const uint8_t *>(&command), step.number, index};
  handOver(job);
  perform(cores_[0], job);
}

} // namespace ttrt
