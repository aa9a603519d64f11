// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttrt/pipeline.h"

#include "Api/ApiChecks.h"
#include "Base/StructSize.h"
#include "Device/PipelineState.h"

#include <cstdio>

using namespace ttrt;

struct ttrt_pipeline {
  ttrt_pipeline(std::shared_ptr<Device> device, const ttrt_pipeline_options &options)
      : entry(options.entry), state(std::move(device), options) {}
  uint32_t entry;
  PipelineState state;
  /// All devices of a mesh are in the same slot of their rings, because their runs end after the
  /// same inference: the host's calls decide that, and no device's speed.
  bool waitsOnly = false;
  std::atomic<bool> feeding{false}, draining{false};
};

static const fb::EntryPoint *findEntry(const ttrt_bundle *bundle, uint32_t entry) {
  const auto *entries = bundle ? bundle->bundle->metadata().entries() : nullptr;
  return entry < count(entries) ? entries->Get(entry) : nullptr;
}

static bool hasRing(const Bundle &bundle, uint32_t entry) {
  const fb::EntryPoint &table = *bundle.metadata().entries()->Get(entry);
  auto isRing = [](const auto *ports) {
    for (uint32_t i = 0; i < count(ports); ++i)
      if (slotsOf(*ports->Get(i)) > 1)
        return true;
    return false;
  };
  return isRing(table.inputs()) || isRing(table.outputs());
}

extern "C" {

uint32_t ttrt_bundle_schedules(const ttrt_bundle *bundle, uint32_t entry) {
  const fb::EntryPoint *found = findEntry(bundle, entry);
  return found ? count(found->schedules()) : 0;
}

ttrt_status ttrt_bundle_schedule(const ttrt_bundle *bundle, uint32_t entry, uint32_t schedule,
                                 ttrt_schedule *info, ttrt_error *error) {
  return guarded(error, [&] {
    require(bundle && info, "bundle or info is NULL");
    checkResult(info, "ttrt_schedule");
    const fb::EntryPoint *found = findEntry(bundle, entry);
    if (!found)
      fail(TTRT_INVALID_ARGUMENT, "the bundle has no entry point {}", entry);
    if (schedule >= count(found->schedules()))
      fail(TTRT_INVALID_ARGUMENT, "schedule {}; entry point '{}' has {}", schedule,
           text(found->name()), count(found->schedules()));
    const fb::Schedule &table = *found->schedules()->Get(schedule);
    writeResult(info, {sizeof(ttrt_schedule), text(table.name()), table.queues(), 0});
  });
}

ttrt_status ttrt_pipeline_open(ttrt_device *device, const ttrt_pipeline_options *options,
                               ttrt_pipeline **pipeline, ttrt_error *error) {
  if (pipeline)
    *pipeline = nullptr;
  return guarded(error, [&] {
    require(device && pipeline, "device or pipeline is NULL");
    Device &target = *device->device;
    requireOwnProcess(target);
    InUse use(target.busy(), "another call on this device");
    requireIdleQueues(target);
    requireNoFailure(target);
    auto opened = std::make_unique<ttrt_pipeline>(device->device,
                                                  readOptions(options, "ttrt_pipeline_options"));
    opened->waitsOnly = target.mesh().transport() && hasRing(target.bundle(), opened->entry);
    const ResolvedSchedule &schedule = opened->state.schedule();
    for (const auto *part : {&schedule.prologue, &schedule.body, &schedule.epilogue})
      for (const ResolvedStep &step : *part)
        requireLoaded(target, step);
    target.watch().pipeline(opened->entry);
    *pipeline = opened.release();
    target.piped().store(true, std::memory_order_release);
  });
}

void ttrt_pipeline_close(ttrt_pipeline *pipeline) {
  if (!pipeline)
    return;
  // The pipeline may be the last to hold the device.
  std::shared_ptr<Device> device = pipeline->state.shareDevice();
  device->watch().pipeline(pipeline->entry);
  delete pipeline;
  device->piped().store(false, std::memory_order_release);
}

ttrt_status ttrt_pipeline_enqueue(ttrt_pipeline *pipeline, const ttrt_input *inputs,
                                  const ttrt_output *outputs, ttrt_wait wait, ttrt_error *error) {
  bool room = true;
  const ttrt_status status = guarded(error, [&] {
    require(pipeline, "pipeline is NULL");
    requireEnumerator(wait, TTRT_STREAM, "ttrt_wait");
    PipelineState &state = pipeline->state;
    requireHostThread(state.device());
    InUse use(pipeline->feeding, "another enqueue");
    const HostZone zone = state.device().zone(profile::HostCall::PipelineEnqueue);
    require(!state.finished(), "the pipeline accepts no more inputs after ttrt_pipeline_finish()");
    checkTransfers(state.entry().inputs, inputs, "input");
    if (outputs)
      checkTransfers(state.entry().outputs, outputs, "output");
    state.device().watch().enqueue(pipeline->entry, inputs);
    checkExtents(state.device(), pipeline->entry, inputs);
    requireNoFailure(state.device());
    room = state.waitForRoom(wait == TTRT_STREAM);
    if (room)
      state.enqueue(inputs, outputs);
    else
      requireNoFailure(state.device());
  });
  if (status != TTRT_OK || room)
    return status;
  if (error)
    formatTo(error->message,
             "the output queue is full: {} inferences have not been popped; pop some, or open the "
             "pipeline with a larger ttrt_pipeline_options::outputs",
             pipeline->state.depth());
  if (error)
    error->status = TTRT_WOULD_OVERWRITE;
  return TTRT_WOULD_OVERWRITE;
}

ttrt_status ttrt_pipeline_finish(ttrt_pipeline *pipeline, ttrt_error *error) {
  return guarded(error, [&] {
    require(pipeline, "pipeline is NULL");
    requireHostThread(pipeline->state.device());
    InUse use(pipeline->feeding, "another enqueue");
    const HostZone zone = pipeline->state.device().zone(profile::HostCall::PipelineFinish);
    if (!pipeline->state.finished())
      pipeline->state.finish();
  });
}

ttrt_status ttrt_pipeline_pop(ttrt_pipeline *pipeline, const void **outputs, ttrt_wait wait,
                              ttrt_error *error) {
  auto result = PipelineState::Pop::Ready;
  const ttrt_status status = guarded(error, [&] {
    require(pipeline && outputs, "pipeline or outputs is NULL");
    requireEnumerator(wait, TTRT_STREAM, "ttrt_wait");
    if (pipeline->waitsOnly && wait != TTRT_WAIT)
      fail(TTRT_UNSUPPORTED, "a pop on a device of a mesh whose inputs or outputs have several "
                             "slots; expected TTRT_WAIT");
    requireHostThread(pipeline->state.device());
    InUse use(pipeline->draining, "another pop");
    const HostZone zone = pipeline->state.device().zone(profile::HostCall::PipelinePop);
    result = pipeline->state.pop(outputs, wait);
    if (result == PipelineState::Pop::Failed)
      requireNoFailure(pipeline->state.device());
  });
  if (status != TTRT_OK || result == PipelineState::Pop::Ready)
    return status;
  return result == PipelineState::Pop::NotReady
             ? report(error, TTRT_NOT_READY, "the oldest inference is not complete yet")
             : report(error, TTRT_END, "all inferences have been popped");
}

ttrt_status ttrt_pipeline_pop_all(ttrt_pipeline *pipeline, const void **outputs, size_t capacity,
                                  size_t *count, ttrt_error *error) {
  if (count)
    *count = 0;
  if (!pipeline || !outputs || !count)
    return report(error, TTRT_INVALID_ARGUMENT, "pipeline, outputs or count is NULL");
  ttrt_status status = TTRT_OK;
  while (*count < capacity && status == TTRT_OK) {
    status = ttrt_pipeline_pop(pipeline, outputs + *count * pipeline->state.entry().outputs.size(),
                               TTRT_WAIT, error);
    *count += status == TTRT_OK;
  }
  return status == TTRT_END ? report(error, TTRT_OK, "") : status;
}

const char *ttrt_pipeline_schedule(const ttrt_pipeline *pipeline) {
  return pipeline ? pipeline->state.schedule().name : "";
}

uint64_t ttrt_pipeline_enqueued(const ttrt_pipeline *pipeline) {
  return pipeline ? pipeline->state.enqueued() : 0;
}

uint64_t ttrt_pipeline_popped(const ttrt_pipeline *pipeline) {
  return pipeline ? pipeline->state.popped() : 0;
}

} // extern "C"
