// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a schedule as inputs arrive: which steps are enqueued for an input, and which when no more
// inputs come. An entry point without inputs computes with what it keeps: an enqueued inference is
// one that may run, and no schedule may compute one that was not enqueued.
//
// A run of a schedule is the prologue, the body repeated, and the epilogue. The k-th write of an
// input and the k-th read of an output, counted from the prologue, belong to inference k of the
// run. A body starts when the input of its first write has arrived, and continues while inputs
// arrive. To end a run, a body that was started is completed with padding inferences, whose writes
// and reads move nothing and whose work is skipped where that is safe (SkippableTail.h). The
// epilogue follows, and the next input starts a new run.

#ifndef TTRT_LIB_DEVICE_PIPELINESTATE_H
#define TTRT_LIB_DEVICE_PIPELINESTATE_H

#include "Device/Device.h"
#include "ttrt/pipeline.h"

namespace ttrt {

class PipelineState {
public:
  /// Throws Error.
  PipelineState(std::shared_ptr<Device> device, const ttrt_pipeline_options &options);
  /// Completes what was enqueued, except in a forked child.
  ~PipelineState();
  PipelineState(const PipelineState &) = delete;
  PipelineState &operator=(const PipelineState &) = delete;

  Device &device() { return *device_; }
  std::shared_ptr<Device> shareDevice() const { return device_; }
  const ResolvedEntry &entry() const { return entry_; }
  const ResolvedSchedule &schedule() const { return schedule_; }
  uint32_t depth() const { return depth_; }

  // For the feeding thread. The arguments have been checked.

  /// Returns whether the output queue has room; with `stream`, waits for it and returns false only
  /// if a queue has stopped.
  bool waitForRoom(bool stream) noexcept;
  void enqueue(const ttrt_input *inputs, const ttrt_output *outputs) noexcept;
  void finish() noexcept;
  /// Ends the run of the schedule and waits for it. What was enqueued can still be popped.
  void settle() noexcept;
  /// Before what follows is enqueued, where another pipeline of the device was in use meanwhile.
  /// Both are settled, and everything has been popped from both.
  void takeOver() noexcept;

  // For the draining thread.

  enum class Pop { Ready, NotReady, Nothing, Failed };
  Pop pop(const void **outputs, ttrt_wait wait) noexcept;

  uint64_t enqueued() const { return enqueued_.load(std::memory_order_acquire); }
  uint64_t popped() const { return popped_.load(std::memory_order_acquire); }
  bool finished() const { return finished_.load(std::memory_order_acquire); }

private:
  /// An inference in flight. Its reads are counted commands.
  struct Inference {
    uint32_t done[kMaxQueues] = {}; ///< counted commands of a queue after which it is complete
    bool on[kMaxQueues] = {};       ///< whether it has any on that queue
  };
  enum class Part : uint8_t { Idle, Prologue, Body, Epilogue };

  const std::vector<ResolvedStep> &steps() const noexcept;
  void advance() noexcept;
  void enqueueRest(bool isSkippable) noexcept;
  void endRun() noexcept;
  bool flush() noexcept;
  bool isInputThere(const ResolvedStep &step) const noexcept {
    return first_ + writes_[step.index] < there_;
  }
  bool mayStartBody() const noexcept {
    return firstWrite_ ? isInputThere(*firstWrite_) : first_ + started_ + bodies_ < there_;
  }
  void enqueueStep(const ResolvedStep &step) noexcept;
  void enqueueEventsOf(const ResolvedStep &step) noexcept;
  void pushStep(Queue &queue, const ResolvedStep &step) noexcept;
  void pushHook(Queue &queue, const ResolvedStep &step, bool after) noexcept;
  void publishIssued() noexcept;
  void takeTurn() noexcept;

  std::shared_ptr<Device> device_;
  const ResolvedEntry &entry_;
  const ResolvedSchedule &schedule_;
  const uint32_t depth_;
  const bool untraced_;
  ttrt_on_step *const onStep_;
  void *const user_;
  const ResolvedStep *firstWrite_; ///< of the body; null if the entry point has no inputs
  const uint64_t started_;         ///< inferences that the prologue starts, if there are no inputs
  const bool seamless_;            ///< the prologue may follow an epilogue that is still under way
  uint32_t freedBase_;             ///< what QueueSite::freed counted before

  // Rings over inferences in flight; the feeder fills them before it enqueues.
  std::vector<Inference> inferences_;
  std::vector<const void *> inputs_; ///< depth x inputs
  std::vector<void *> outputs_;      ///< depth x outputs
  std::unique_ptr<uint8_t[]> memory_;
  std::vector<void *> own_; ///< depth x outputs: in `memory_`

  // The run of the schedule, owned by whichever thread has the turn.
  std::atomic<bool> turn_{false};
  Flag turns_; ///< turns of the drainer that are over
  Part part_ = Part::Idle;
  size_t at_ = 0;                        ///< next step of the part
  uint64_t first_ = 0;                   ///< inference 0 of this run
  uint64_t there_ = 0;                   ///< inferences whose inputs have arrived
  uint64_t bodies_ = 0;                  ///< that are complete in this run
  uint32_t counts_[kMaxQueues] = {};     ///< counted commands pushed
  std::vector<uint64_t> writes_, reads_; ///< per input and output: enqueued in this run

  std::atomic<uint64_t> enqueued_{0}; ///< by the feeder
  std::atomic<uint64_t> issued_{0};   ///< inferences whose counted commands have all been pushed
  std::atomic<uint64_t> popped_{0};   ///< by the drainer
  AdaptiveWait popWaits_[kMaxQueues]; ///< the drainer's
  std::atomic<uint64_t> freed_{0};    ///< popped before the last pop
  std::atomic<bool> finished_{false};
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_PIPELINESTATE_H
