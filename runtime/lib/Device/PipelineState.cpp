// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/PipelineState.h"

#include "Base/Format.h"
#include "Device/SkippableTail.h"

#include <algorithm>

namespace ttrt {

static const ResolvedEntry &chooseEntry(const Device &device, uint32_t index) {
  const ResolvedEntry *entry = device.entry(index);
  if (!entry)
    fail(TTRT_INVALID_ARGUMENT, "the bundle has no entry point {}", index);
  if (entry->outputs.empty())
    fail(TTRT_UNSUPPORTED, "entry point '{}' has no outputs; a pipeline needs one", entry->name);
  return *entry;
}

static const ResolvedSchedule &chooseSchedule(const Device &device, const ResolvedEntry &entry,
                                              const char *name) {
  if (device.queues() == 0)
    fail(TTRT_INVALID_ARGUMENT, "a pipeline needs a device with 1 or 2 queues; found 0");
  if (!name) {
    for (uint32_t queues = device.queues(); queues; --queues)
      for (const ResolvedSchedule &schedule : entry.schedules)
        if (schedule.queues == queues)
          return schedule;
    fail(TTRT_UNSUPPORTED, "entry point '{}' has no schedule for {} queue", entry.name,
         device.queues());
  }
  const ResolvedSchedule &schedule =
      entry.schedules[findName("schedule", name, formatText("entry point '{}'", entry.name).c_str(),
                               static_cast<uint32_t>(entry.schedules.size()),
                               entry.schedules.data(), [](const void *all, uint32_t i) {
                                 return static_cast<const ResolvedSchedule *>(all)[i].name;
                               })];
  if (schedule.queues > device.queues())
    fail(TTRT_INVALID_ARGUMENT, "schedule '{}' has {} queues; the device was opened with {}", name,
         schedule.queues, device.queues());
  return schedule;
}

static uint32_t chooseDepth(uint32_t outputs) {
  constexpr uint32_t kMost = 1u << 24; // flags compare numbers modulo 2^31
  if (outputs > kMost)
    fail(TTRT_INVALID_ARGUMENT, "expected an output queue of at most {} inferences, found {}",
         kMost, outputs);
  return outputs ? outputs : 16;
}

/// Null for an entry point without inputs; the verifier guarantees one for every input.
static const ResolvedStep *firstWriteOf(const ResolvedSchedule &schedule) {
  for (const ResolvedStep &step : schedule.body)
    if (step.kind == fb::StepKind::Write)
      return &step;
  return nullptr;
}

/// How many inferences the prologue starts that no input announces. What an inference keeps cannot
/// be undone, so none may be computed that was not enqueued: without inputs, each body computes
/// one.
static uint64_t countStarted(const ResolvedEntry &entry, const ResolvedSchedule &schedule) {
  auto readsOf = [](const std::vector<ResolvedStep> &part, uint32_t output) {
    return static_cast<uint64_t>(
        std::count_if(part.begin(), part.end(), [&](const ResolvedStep &step) {
          return step.kind == fb::StepKind::Read && step.index == output;
        }));
  };
  uint64_t started = 0;
  bool isGood = schedule.skippableTails.empty() || schedule.skippableTails.back() != kChangesStates;
  for (uint32_t i = 0; i < entry.outputs.size() && entry.inputs.empty(); ++i) {
    const uint64_t ends = readsOf(schedule.prologue, i) + readsOf(schedule.epilogue, i);
    isGood &= readsOf(schedule.body, i) == 1 && ends <= 1 && (!i || ends == started);
    started = ends;
  }
  if (!isGood)
    fail(
        TTRT_UNSUPPORTED,
        "schedule '{}' of entry point '{}' would change states in inferences that are not enqueued",
        schedule.name, entry.name);
  return started;
}

/// Nothing is executed that is not proved (docs/proof.md).
static bool prove(const Device &device, uint32_t entry, const ResolvedSchedule &schedule) {
  const ResolvedSchedule *first = device.entry(entry)->schedules.data();
  return device.bundle().prove(entry, static_cast<uint32_t>(&schedule - first));
}

PipelineState::PipelineState(std::shared_ptr<Device> device, const ttrt_pipeline_options &options)
    : device_(std::move(device)), entry_(chooseEntry(*device_, options.entry)),
      schedule_(chooseSchedule(*device_, entry_, options.schedule)),
      depth_(chooseDepth(options.outputs)), untraced_(options.no_trace != 0),
      onStep_(options.on_step), user_(options.user), firstWrite_(firstWriteOf(schedule_)),
      started_(countStarted(entry_, schedule_)),
      seamless_(prove(*device_, options.entry, schedule_)),
      freedBase_(device_->site().freed.value()), inferences_(depth_),
      inputs_(depth_ * entry_.inputs.size()), outputs_(depth_ * entry_.outputs.size()),
      writes_(entry_.inputs.size()), reads_(entry_.outputs.size()) {
  uint64_t bytes = 0;
  for (const ResolvedPort &port : entry_.outputs)
    bytes += alignUp(port.bytes, kBufferAlignment);
  uint64_t all;
  if (__builtin_mul_overflow(depth_, bytes, &all) ||
      __builtin_add_overflow(all, kBufferAlignment, &all))
    throw std::bad_alloc();
  memory_.reset(new uint8_t[all]);
  auto *next = reinterpret_cast<uint8_t *>(
      alignUp(reinterpret_cast<uintptr_t>(memory_.get()), kBufferAlignment));
  for (uint32_t i = 0; i < depth_; ++i)
    for (const ResolvedPort &port : entry_.outputs) {
      own_.push_back(next);
      next += alignUp(port.bytes, kBufferAlignment);
    }
  for (uint32_t queue = 0; queue < device_->queues(); ++queue)
    counts_[queue] = device_->site().done[queue].value();
}

PipelineState::~PipelineState() {
  if (device_->process().isChild())
    return;
  takeTurn();
  if (part_ != Part::Idle)
    endRun();
  device_->drain();
}

//===----------------------------------------------------------------------===//
// The run of the schedule
//===----------------------------------------------------------------------===//

const std::vector<ResolvedStep> &PipelineState::steps() const noexcept {
  return part_ == Part::Prologue ? schedule_.prologue
         : part_ == Part::Body   ? schedule_.body
                                 : schedule_.epilogue;
}

void PipelineState::enqueueStep(const ResolvedStep &step) noexcept {
  Queue &queue = device_->queue(step.queue);
  if (step.kind == fb::StepKind::Record)
    return queue.pushRecord(device_->event(step.index));
  if (step.kind == fb::StepKind::Wait)
    return queue.pushWait(device_->event(step.index));
  if (onStep_) [[unlikely]]
    pushHook(queue, step, /*after=*/false);
  pushStep(queue, step);
  if (onStep_) [[unlikely]]
    pushHook(queue, step, /*after=*/true);
}

void PipelineState::pushHook(Queue &queue, const ResolvedStep &step, bool after) noexcept {
  QueueCommand command;
  command.kind = QueueCommand::Kind::OnStep;
  command.onStep = onStep_;
  command.user = user_;
  command.step = &step;
  command.value = after;
  queue.push(command);
}

void PipelineState::pushStep(Queue &queue, const ResolvedStep &step) noexcept {
  void *host = nullptr;
  bool counted = false, last = false;
  if (step.kind == fb::StepKind::Write) {
    const uint64_t inference = first_ + writes_[step.index]++;
    if (inference < there_)
      host = const_cast<void *>(inputs_[inference % depth_ * entry_.inputs.size() + step.index]);
  } else if (step.kind == fb::StepKind::Read) {
    const uint64_t inference = first_ + reads_[step.index]++;
    if (inference < there_) {
      Inference &slot = inferences_[inference % depth_];
      slot.done[step.queue] = ++counts_[step.queue];
      slot.on[step.queue] = true;
      host = outputs_[inference % depth_ * entry_.outputs.size() + step.index];
      counted = true;
      last = first_ + *std::min_element(reads_.begin(), reads_.end()) > inference;
    }
  } else if (step.kind == fb::StepKind::Execute && untraced_) {
    return queue.pushCommands(step);
  }
  queue.pushStep(step, host, counted, /*iteration=*/last);
}

/// Enqueues the steps whose inputs have arrived.
void PipelineState::advance() noexcept {
  for (;;) {
    // A body does not start before its first input: if none comes, the steps before the first write
    // must not have been enqueued.
    if (part_ == Part::Body && at_ == 0 && !mayStartBody())
      return;
    for (const auto &part = steps(); at_ < part.size(); ++at_) {
      if (part[at_].kind == fb::StepKind::Write && !isInputThere(part[at_]))
        return;
      enqueueStep(part[at_]);
    }
    bodies_ += part_ == Part::Body;
    part_ = Part::Body;
    at_ = 0;
  }
}

/// Enqueues only the records and waits of a step.
void PipelineState::enqueueEventsOf(const ResolvedStep &step) noexcept {
  Queue &queue = device_->queue(step.queue);
  for (uint32_t event : step.waits)
    queue.pushWait(device_->event(event));
  for (uint32_t event : step.signals)
    queue.pushRecord(device_->event(event));
}

void PipelineState::enqueueRest(bool isSkippable) noexcept {
  for (const auto &part = steps(); at_ < part.size(); ++at_) {
    const OrderRole role = part[at_].info().role;
    const bool computes =
        (role == OrderRole::Work && !part[at_].isTransfer()) || role == OrderRole::Execute;
    if (isSkippable && computes)
      enqueueEventsOf(part[at_]);
    else
      enqueueStep(part[at_]);
  }
}

void PipelineState::endRun() noexcept {
  bool isSkippable = false;
  if (part_ == Part::Prologue || at_ > 0) {
    const size_t end = (part_ == Part::Body ? schedule_.prologue.size() : 0) + at_;
    isSkippable =
        std::binary_search(schedule_.skippableTails.begin(), schedule_.skippableTails.end(), end);
    enqueueRest(isSkippable);
  }
  part_ = Part::Epilogue;
  at_ = 0;
  enqueueRest(isSkippable);
  part_ = Part::Idle;
  at_ = 0;
}

void PipelineState::publishIssued() noexcept {
  uint64_t issued = there_;
  if (part_ != Part::Idle)
    for (uint64_t reads : reads_)
      issued = std::min(issued, first_ + reads);
  issued_.store(issued, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Called by the feeder. It contends with the drainer only while the drainer ends a run.
void PipelineState::takeTurn() noexcept {
  for (;;) {
    const uint32_t before = turns_.value();
    if (!turn_.exchange(true, std::memory_order_acquire)) [[likely]]
      return;
    turns_.await(before + 1);
  }
}

/// Called by the drainer: ends the run. Returns false if the feeder has the turn.
bool PipelineState::flush() noexcept {
  if (turn_.exchange(true, std::memory_order_acquire))
    return false;
  if (part_ != Part::Idle) {
    endRun();
    publishIssued();
  }
  turn_.store(false, std::memory_order_release);
  turns_.raise();
  return true;
}

//===----------------------------------------------------------------------===//
// The ends
//===----------------------------------------------------------------------===//

bool PipelineState::waitForRoom(bool stream) noexcept {
  const uint64_t inference = enqueued_.load(std::memory_order_relaxed);
  if (!stream)
    return inference - popped_.load(std::memory_order_acquire) < depth_;
  if (inference - freed_.load(std::memory_order_acquire) < depth_)
    return true;
  const auto freed = static_cast<uint32_t>(inference - depth_ + 1);
  QueueSite &site = device_->site();
  return site.freed.await(freedBase_ + freed, site.anyStopped);
}

void PipelineState::enqueue(const ttrt_input *inputs, const ttrt_output *outputs) noexcept {
  const uint64_t inference = enqueued_.load(std::memory_order_relaxed);
  const uint64_t slot = inference % depth_;
  const size_t inputCount = entry_.inputs.size(), outputCount = entry_.outputs.size();
  for (size_t i = 0; i < inputCount; ++i)
    inputs_[slot * inputCount + i] = inputs[i].data;
  for (size_t i = 0; i < outputCount; ++i)
    outputs_[slot * outputCount + i] = outputs ? outputs[i].data : own_[slot * outputCount + i];
  inferences_[slot] = {};

  takeTurn();
  there_ = inference + 1;
  if (part_ == Part::Idle) {
    // If the schedule does not order a prologue after the previous epilogue, the host does.
    if (!seamless_)
      device_->drain();
    part_ = Part::Prologue;
    first_ = inference;
    bodies_ = 0;
    std::fill(writes_.begin(), writes_.end(), 0);
    std::fill(reads_.begin(), reads_.end(), 0);
  }
  advance();
  publishIssued();
  turn_.store(false, std::memory_order_release);
  enqueued_.store(inference + 1, std::memory_order_release);
  device_->site().fed.raise();
}

void PipelineState::finish() noexcept {
  takeTurn();
  if (part_ != Part::Idle) {
    endRun();
    publishIssued();
  }
  turn_.store(false, std::memory_order_release);
  finished_.store(true, std::memory_order_release);
  device_->site().fed.raise();
}

void PipelineState::settle() noexcept {
  takeTurn();
  if (part_ != Part::Idle) {
    endRun();
    publishIssued();
  }
  turn_.store(false, std::memory_order_release);
  device_->drain();
}

void PipelineState::takeOver() noexcept {
  QueueSite &site = device_->site();
  for (uint32_t queue = 0; queue < device_->queues(); ++queue)
    counts_[queue] = site.done[queue].value();
  freedBase_ = site.freed.value() - static_cast<uint32_t>(popped());
}

PipelineState::Pop PipelineState::pop(const void **outputs, ttrt_wait wait) noexcept {
  QueueSite &site = device_->site();
  const uint64_t inference = popped_.load(std::memory_order_relaxed);
  if (freed_.load(std::memory_order_relaxed) != inference) {
    freed_.store(inference, std::memory_order_release);
    site.freed.set(freedBase_ + static_cast<uint32_t>(inference));
  }
  while (inference >= issued_.load(std::memory_order_acquire)) {
    const uint32_t fed = site.fed.value();
    if (device_->failure())
      return Pop::Failed;
    if (inference >= enqueued()) {
      if (wait != TTRT_STREAM || (finished() && inference >= enqueued()))
        return Pop::Nothing;
      site.fed.await(fed + 1, site.anyStopped);
      continue;
    }
    // The reads of this inference are enqueued with a later input, or when the run ends. While the
    // device is busy, more inputs may arrive.
    if (wait == TTRT_STREAM) {
      device_->drain();
      if (site.fed.value() != fed)
        continue;
    } else if (wait == TTRT_DONT_WAIT) {
      for (uint32_t queue = 0; queue < device_->queues(); ++queue)
        if (!device_->queue(queue).isDrained())
          return Pop::NotReady;
    }
    if (!flush())
      site.fed.await(fed + 1, site.anyStopped);
  }
  const Inference &slot = inferences_[inference % depth_];
  for (uint32_t queue = 0; queue < device_->queues(); ++queue) {
    if (!slot.on[queue])
      continue;
    if (wait == TTRT_DONT_WAIT && !site.done[queue].isReached(slot.done[queue]))
      return device_->queue(queue).stopped().load(std::memory_order_acquire) ? Pop::Failed
                                                                             : Pop::NotReady;
    if (!site.done[queue].await(slot.done[queue], device_->queue(queue).stopped(),
                                popWaits_[queue]))
      return Pop::Failed;
  }
  const size_t count = entry_.outputs.size();
  for (size_t i = 0; i < count; ++i)
    outputs[i] = outputs_[inference % depth_ * count + i];
  popped_.store(inference + 1, std::memory_order_release);
  return Pop::Ready;
}

} // namespace ttrt
