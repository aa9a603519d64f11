// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttrt/memory.h"

#include "Api/ApiChecks.h"
#include "Base/StructSize.h"

#include <optional>

using namespace ttrt;

/// The trace's step, which is for one thread alone with the device.
template <typename Use>
static ttrt_status withTrace(ttrt_device *device, uint32_t trace, ttrt_error *error, Use use) {
  return guarded(error, [&] {
    require(device, "device is NULL");
    Device &target = *device->device;
    requireOwnProcess(target);
    const ResolvedStep *step = target.execute(trace);
    if (!step)
      fail(TTRT_INVALID_ARGUMENT, "trace {}; the bundle has {}", trace,
           count(target.bundle().metadata().traces()));
    InUse call(target.busy(), "another call on this device");
    // No other thread enqueues meanwhile.
    std::optional<InUse> queues[kMaxQueues];
    for (uint32_t i = 0; i < target.queues(); ++i)
      queues[i].emplace(target.busy(i), "another call on a queue of this device");
    requireIdleQueues(target);
    use(target, *step);
  });
}

extern "C" {

ttrt_status ttrt_device_memory(const ttrt_device *device, ttrt_buffer_type type,
                               ttrt_memory_use *use, ttrt_error *error) {
  return guarded(error, [&] {
    require(device && use, "device or use is NULL");
    requireEnumerator(type, TTRT_TRACE, "ttrt_buffer_type");
    checkResult(use, "ttrt_memory_use");
    writeResult(use, device->device->residency().use(type));
  });
}

ttrt_status ttrt_device_huge_pages(const ttrt_device *device, ttrt_huge_pages *use,
                                   ttrt_error *error) {
  return guarded(error, [&] {
    require(device && use, "device or use is NULL");
    checkResult(use, "ttrt_huge_pages");
    writeResult(use, device->device->memory().hugePages());
  });
}

ttrt_status ttrt_trace_load(ttrt_device *device, uint32_t trace, ttrt_error *error) {
  return withTrace(device, trace, error,
                   [&](Device &target, const ResolvedStep &) { target.setLoaded(trace, true); });
}

ttrt_status ttrt_trace_release(ttrt_device *device, uint32_t trace, ttrt_error *error) {
  return withTrace(device, trace, error,
                   [&](Device &target, const ResolvedStep &) { target.setLoaded(trace, false); });
}

ttrt_status ttrt_trace_execute(ttrt_device *device, uint32_t trace, ttrt_error *error) {
  return withTrace(device, trace, error, [&](Device &target, const ResolvedStep &step) {
    requireLoaded(target, step);
    if (!step.signals.empty() || !step.waits.empty())
      fail(TTRT_UNSUPPORTED,
           "trace '{}' waits for another queue or signals one; enqueue it instead", step.name);
    target.watch().replay(trace);
    requireSuccess(target, target.replay(step));
  });
}

int ttrt_trace_is_loaded(const ttrt_device *device, uint32_t trace) {
  return device && device->device->execute(trace) && device->device->residency().isLoaded(trace);
}

} // extern "C"
