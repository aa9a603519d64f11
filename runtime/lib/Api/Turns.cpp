// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Api/Turns.h"

#include "Api/ApiChecks.h"
#include "Device/PipelineState.h"
#include "ttrt/state.h"

#include <optional>

using namespace ttrt;

struct ttrt_turns {
  explicit ttrt_turns(const ttrt_device &device)
      : device(device), bundle{device.device->shareBundle()} {}
  Device &target() const { return *device.device; }

  ttrt_device device;
  const ttrt_bundle bundle;
  std::vector<uint32_t> entries; ///< of the pipelines
  std::vector<std::unique_ptr<PipelineState>> pipelines;
  std::vector<ttrt_output> outputs; ///< of any entry point: not copied
  std::optional<InUse> opening;     ///< until it has started
  bool isStarted = false;
  std::atomic<bool> busy{false};
};

static void watch(const ttrt_turns &turns) {
  for (uint32_t entry : turns.entries)
    turns.target().watch().pipeline(entry);
}

static ttrt_status openTurns(ttrt_device *device, ttrt_turns **turns, ttrt_error *error) {
  return guarded(error, [&] {
    Device &target = *device->device;
    requireOwnProcess(target);
    auto opened = std::make_unique<ttrt_turns>(*device);
    opened->opening.emplace(target.busy(), "another call on this device");
    requireIdleQueues(target);
    requireNoFailure(target);
    size_t outputs = 0;
    for (uint32_t i = 0; const ResolvedEntry *entry = target.entry(i); ++i)
      outputs = std::max(outputs, entry->outputs.size());
    opened->outputs.assign(outputs, {nullptr, 0});
    *turns = opened.release();
  });
}

static ttrt_status requireIdle(ttrt_device *device, ttrt_error *error) {
  return guarded(error, [&] {
    Device &target = *device->device;
    requireOwnProcess(target);
    const InUse use(target.busy(), "another call on this device");
    requireIdleQueues(target);
  });
}

static const ttrt_bundle *bundleOf(const ttrt_turns *turns) { return &turns->bundle; }

static ttrt_status addPipeline(ttrt_turns *turns, const ttrt_pipeline_options *options,
                               ttrt_error *error) {
  return guarded(error, [&] {
    turns->entries.reserve(turns->entries.size() + 1);
    turns->pipelines.push_back(std::make_unique<PipelineState>(turns->device.device, *options));
    turns->entries.push_back(options->entry);
  });
}

static void *stateOf(const ttrt_turns *turns, uint32_t state) {
  const Bundle &bundle = *turns->bundle.bundle;
  const fb::Port &port = *bundle.metadata().states()->Get(state);
  const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(port.buffer());
  return turns->target().memory().base() + bundle.address(buffer);
}

static ttrt_status startTurns(ttrt_turns *turns, ttrt_error *error) {
  return guarded(error, [&] {
    Device &target = turns->target();
    for (const auto &pipeline : turns->pipelines) {
      const ResolvedSchedule &schedule = pipeline->schedule();
      for (const auto *part : {&schedule.prologue, &schedule.body, &schedule.epilogue})
        for (const ResolvedStep &step : *part)
          requireLoaded(target, step);
    }
    watch(*turns);
    turns->isStarted = true;
    target.piped().store(true, std::memory_order_release);
    turns->opening.reset();
  });
}

static void closeTurns(ttrt_turns *turns) {
  if (!turns)
    return;
  // It may be the last to hold the device.
  const std::shared_ptr<Device> device = turns->device.device;
  const bool wasStarted = turns->isStarted;
  if (wasStarted)
    watch(*turns);
  delete turns;
  if (wasStarted)
    device->piped().store(false, std::memory_order_release);
}

static ttrt_status enterTurns(ttrt_turns *turns, ttrt_error *error) {
  return guarded(error, [&] {
    requireHostThread(turns->target());
    if (turns->busy.exchange(true, std::memory_order_acquire)) [[unlikely]]
      fail(TTRT_BUSY, "another call on this generator has not returned yet");
  });
}

static void leaveTurns(ttrt_turns *turns) { turns->busy.store(false, std::memory_order_release); }

static const ttrt_error *failureOf(const ttrt_turns *turns) { return turns->target().failure(); }

static ttrt_status runEntry(ttrt_turns *turns, uint32_t entry, const ttrt_input *inputs,
                            ttrt_error *error) {
  return guarded(error, [&] {
    Device &target = turns->target();
    InUse use(target.busy(), "another call on this device");
    const ResolvedEntry &resolved = *target.entry(entry);
    if (!target.residency().isWhole()) [[unlikely]]
      for (const ResolvedStep *step : resolved.steps)
        requireLoaded(target, *step);
    target.watch().run(entry, inputs);
    const ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
    requireSuccess(target, target.run(resolved, inputs, turns->outputs.data(), options));
  });
}

static ttrt_status resetStates(ttrt_turns *turns, ttrt_error *error) {
  return ttrt_state_reset(&turns->device, error);
}

static void settleOf(ttrt_turns *turns, uint32_t pipeline) { turns->pipelines[pipeline]->settle(); }

static void takeOver(ttrt_turns *turns, uint32_t pipeline) {
  turns->pipelines[pipeline]->takeOver();
}

static void enqueueRun(ttrt_turns *turns, uint32_t pipeline) {
  turns->pipelines[pipeline]->enqueue(nullptr, nullptr);
}

static int popOutputs(ttrt_turns *turns, uint32_t pipeline, const void **outputs, ttrt_wait wait) {
  return turns->pipelines[pipeline]->pop(outputs, wait) == PipelineState::Pop::Ready;
}

extern "C" const ttrt_private_functions ttrt_private = {
    .open = openTurns,
    .bundle = bundleOf,
    .add = addPipeline,
    .state = stateOf,
    .start = startTurns,
    .close = closeTurns,
    .idle = requireIdle,
    .enter = enterTurns,
    .leave = leaveTurns,
    .failure = failureOf,
    .run = runEntry,
    .reset = resetStates,
    .settle = settleOf,
    .take_over = takeOver,
    .enqueue = enqueueRun,
    .pop = popOutputs,
};
