// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How cores start and end, and why a job has failed: small matters more than fast here.

#include "Base/Format.h"
#include "Device/Cores.h"
#include "Device/ScheduleTable.h"

#include <algorithm>
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

/// Whether any core may run any workgroup of a program: no order of commands without a barrier
/// depends on where they run (OrderProver::isOrdered). Programs with markers keep their shares, so
/// that recordings can be compared.
static bool isShared(const fb::Program &program) {
  const auto *operands = program.operands();
  return isSharedGrid(program.grid()) && !program.markers() &&
         !(operands && std::any_of(operands->begin(), operands->end(),
                                   [](const auto *operand) { return operand->per_workgroup(); }));
}

Cores::Cores(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
             const ForkGuard &process, StopRequest &request, uint32_t count, uint32_t firstL1,
             bool pin, bool flushes)
    : bundle_(bundle), process_(process), flushes_(flushes), claims_(count),
      flags_(new WorkerFlags[count]), cores_(count) {
  const auto *programs = bundle.metadata().programs();
  for (uint32_t i = 0; i < count; ++i) {
    Core &core = cores_[i];
    core.index = i;
    core.cores = count;
    core.group = i / WorkgroupClaims::kGroup;
    core.claims = &claims_;
    core.stop = &request;
    core.expected.reset(new uint32_t[claims_.groups]());
    core.completed.reset(new uint32_t[claims_.groups]());
    core.base = memory.base();
    core.scratch = memory.l1(firstL1 + i);
    for (uint32_t j = 0; j < ttrt::count(programs); ++j) {
      const fb::Program &program = *programs->Get(j);
      const uint64_t grid = program.grid();
      core.programs.push_back(
          {code.function(j), firstWorkgroup(grid, i, count), firstWorkgroup(grid, i + 1, count),
           grid,
           program.markers() ? reinterpret_cast<ProgramMarkers *>(
                                   core.scratch + program.scratch_bytes() - sizeof(ProgramMarkers))
                             : nullptr,
           count > 1 && isShared(program)});
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
  stop_.store(true, std::memory_order_relaxed);
  ++jobs_;
  for (uint32_t i = 1; i <= threads_.size(); ++i)
    flags_[i].go.set(static_cast<uint32_t>(jobs_));
  for (std::thread &thread : threads_)
    thread.join();
}

void Cores::settle() noexcept {
  if (process_.isChild()) // whose threads are not there
    return;
  for (uint32_t i = 1; i < cores_.size(); ++i)
    flags_[i].arrived.await(static_cast<uint32_t>(jobs_));
  settled_ = cores_[0].expected[0];
  for (uint32_t i = 0; i < cores_.size(); ++i)
    claims_.leaveShare(i, cores_[0].sequence);
}

const char *Cores::whyFailed(const ResolvedStep &step) noexcept {
  if (const RepeatCommand *loop = std::exchange(first().overrun, nullptr)) {
    uint32_t command = 0;
    for (const uint8_t *at = step.stream; at != reinterpret_cast<const uint8_t *>(loop); ++command)
      at += reinterpret_cast<const CommandHeader *>(at)->size;
    // What has loops is a trace: other steps are streams of one command.
    const auto *sources = bundle_.metadata().traces()->Get(step.index)->sources();
    const char *source =
        command < ttrt::count(sources) ? bundle_.location(sources->Get(command)) : "";
    if (loop->iterations == 1) // not a loop that anybody wrote, but a check (ttc.fail_if)
      formatTo(overrun_, "command {} of trace '{}' fails: {}", command, step.name,
               *source ? source : "its flag is set");
    else
      formatTo(overrun_,
               "the loop at command {} of trace '{}'{}{}{} has not ended after {} iterations",
               command, step.name, *source ? " (from " : "", source, *source ? ")" : "",
               loop->iterations);
    return overrun_;
  }
  if (ttrt_transport *transport = first().transport)
    if (const char *problem = transport->failure(transport))
      return problem;
  return "the queue that should record an event it waits for has stopped";
}

} // namespace ttrt
