// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays a schedule: which steps are enqueued when an input comes, and which when nothing more does.
//
// The steps are played in order: the prologue, the body again and again, the epilogue. The k-th
// write of an input and the k-th read of an output, counted from the prologue, belong to inference
// k of this play. A body is begun when the input of its first write is there, and goes on as far as
// inputs are. To end the play, a body that was begun is completed with inferences that nobody asked
// for, whose writes and reads move nothing, and which are not computed where that can be left out
// (Spare.h); then comes the epilogue, and the next input begins a new play.

#ifndef TTRT_LIB_PIPELINESTATE_H
#define TTRT_LIB_PIPELINESTATE_H

#include "Device.h"
#include "ttrt/pipeline.h"

namespace ttrt {

class PipelineState {
public:
  /// Throws Error.
  PipelineState(std::shared_ptr<Device> device, const ttrt_pipeline_options &options);
  /// Completes what was enqueued.
  ~PipelineState();
  PipelineState(const PipelineState &) = delete;
  PipelineState &operator=(const PipelineState &) = delete;

  Device &device() { return *device_; }
  std::shared_ptr<Device> shareDevice() const { return device_; }
  const PlannedEntry &entry() const { return entry_; }
  const PlannedSchedule &schedule() const { return schedule_; }
  uint32_t depth() const { return depth_; }

  // The thread that feeds. The arguments have been checked.

  /// Waits for room if that was asked for. False: there is none, or a queue has stopped.
  bool waitForRoom(bool stream) noexcept;
  void enqueue(const ttrt_input *inputs, const ttrt_output *outputs) noexcept;
  void finish() noexcept;

  // The thread that drains.

  enum class Pop { Ready, NotReady, Nothing, Failed };
  Pop pop(const void **outputs, ttrt_wait wait) noexcept;

  uint64_t enqueued() const { return enqueued_.load(std::memory_order_acquire); }
  uint64_t popped() const { return popped_.load(std::memory_order_acquire); }
  bool finished() const { return finished_.load(std::memory_order_acquire); }

private:
  /// One inference in flight. Its reads are counted commands.
  struct Inference {
    uint32_t done[kMaxQueues] = {}; ///< counted commands of a queue after which it is complete
    bool on[kMaxQueues] = {};       ///< whether it has any on that queue
  };
  enum class Part : uint8_t { Idle, Prologue, Body, Epilogue };

  const std::vector<PlannedStep> &steps() const noexcept;
  void advance() noexcept;
  void playRest(bool isSpare) noexcept;
  void endPlay() noexcept;
  bool flush() noexcept;
  bool isInputThere(const PlannedStep &step) const noexcept {
    return first_ + writes_[step.index] < there_;
  }
  void play(const PlannedStep &step) noexcept;
  void playEventsOf(const PlannedStep &step) noexcept;
  void pushStep(Queue &queue, const PlannedStep &step) noexcept;
  void pushHook(Queue &queue, const PlannedStep &step, bool after) noexcept;
  void publishIssued() noexcept;
  void takeTurn() noexcept;

  std::shared_ptr<Device> device_;
  const PlannedEntry &entry_;
  const PlannedSchedule &schedule_;
  const uint32_t depth_;
  const bool untraced_;
  ttrt_on_step *const onStep_;
  void *const user_;
  const PlannedStep *firstWrite_; ///< of the body
  const uint32_t freedBase_;      ///< what QueueSite::freed counted before

  // Rings over inferences in flight; the feeder fills them before it plays.
  std::vector<Inference> inferences_;
  std::vector<const void *> inputs_; ///< depth x inputs
  std::vector<void *> outputs_;      ///< depth x outputs
  std::unique_ptr<uint8_t[]> memory_;
  std::vector<void *> own_; ///< depth x outputs: in `memory_`

  // The play, whose turn it is.
  std::atomic<bool> turn_{false};
  Flag turns_; ///< turns of the drainer that are over
  Part part_ = Part::Idle;
  size_t at_ = 0;                        ///< next step of the part
  uint64_t first_ = 0;                   ///< inference 0 of this play
  uint64_t there_ = 0;                   ///< inferences whose inputs are there
  uint32_t counts_[kMaxQueues] = {};     ///< counted commands pushed
  std::vector<uint64_t> writes_, reads_; ///< per input and output: played since the prologue

  std::atomic<uint64_t> enqueued_{0}; ///< by the feeder
  std::atomic<uint64_t> issued_{0};   ///< inferences whose counted commands have all been pushed
  std::atomic<uint64_t> popped_{0};   ///< by the drainer
  Pace paces_[kMaxQueues];            ///< the drainer's
  std::atomic<uint64_t> freed_{0};    ///< popped before the last pop
  std::atomic<bool> finished_{false};
};

} // namespace ttrt

#endif // TTRT_LIB_PIPELINESTATE_H
