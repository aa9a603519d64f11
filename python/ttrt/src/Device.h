// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle and its device, as an object of Python. Calls on one device may come from any number of
// threads: they take turns.

#ifndef TTRT_PYTHON_DEVICE_H
#define TTRT_PYTHON_DEVICE_H

#include "Arrays.h"
#include "HostFunctions.h"
#include "Profiler.h"

#include "ttrt/pipeline.h"
#include "ttrt/shapes.h"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

namespace ttrt::python {

/// An input or output.
struct Port {
  std::string name;
  nb::object key; ///< the name as a str, to look it up in dictionaries
  TensorType type;
  bool hasSlotInUse = false; ///< of an input: the slot was handed out, so it may be filled in place
};

/// An entry point, or a model whose variants are entry points.
struct EntryPoint {
  std::string name;
  std::vector<Port> inputs, outputs;
  std::shared_ptr<ttrt_model> model; ///< null for an entry point

  /// "entry point 'main'"
  std::string text() const { return (model ? "model '" : "entry point '") + name + "'"; }
};

Port describePort(const ttrt_port &port);
/// For each port its name, type, numpy's type, shape and bytes.
nb::list describePorts(const std::vector<Port> &ports);

/// Passed for an array: what the slot holds.
struct InSlot {};

/// What load() is told.
struct Options {
  ttrt_verify verify = TTRT_VERIFY_FULL;
  uint32_t cores = 0;
  bool pin = false;
  bool hugePages = false;
  bool flushDenormals = false;
  nb::object profiler; ///< a Profiler, or None
};

class Device {
public:
  /// Throws.
  Device(const std::string &path, const Options &options, nb::dict hostFunctions);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const std::string &path() const { return path_; }
  std::vector<EntryPoint> &entries() { return entries_; }
  /// The models that have variants. Others are entry points and nothing else.
  const std::vector<EntryPoint> &models() const { return models_; }
  /// Entry points are numbered as in the bundle; models follow.
  EntryPoint &entry(uint32_t index) {
    return index < entries_.size() ? entries_[index] : models_.at(index - entries_.size());
  }
  HostFunctions &hostFunctions() { return hostFunctions_; }
  bool isClosed() const { return closed_; }
  void requireOpen() const;
  const ttrt_bundle *bundle() const { return bundle_; }

  /// Whether this is a forked child of the process that opened the device: calls of the C API
  /// return an error there, and a lock may be held by a thread that does not exist.
  bool isForked() const { return forks_ != forks(); }

  /// Calls `function(ttrt_device *)`, which returns a status, without the GIL, when no other call
  /// on the device is in progress. The device may be closed by then: that throws. Throws the error,
  /// too; if a host function raised an exception, that is its cause.
  template <typename Function> void exclusively(const ttrt_error &error, Function &&function);
  /// Throws the error of a call of a pipeline; if a host function raised an exception, that is its
  /// cause.
  void check(ttrt_status status, const ttrt_error &error);
  /// Calls `function()`, of a pipeline, without the GIL. Ctrl-C ends it. Throws its error.
  template <typename Function> void interruptibly(const ttrt_error &error, Function &&function);

  /// Ends what is in progress, or what begins next. Any thread.
  void cancel();
  /// From now; a negative number: none. Any thread.
  void setDeadline(double seconds);

  /// exclusively(), with a call that enqueues a command on a queue. Keeps the array that the
  /// command uses until it is complete.
  template <typename Function>
  void hold(uint32_t queue, Array array, const ttrt_error &error, Function &&function);
  /// Waits for all queues. `reset`: makes them usable again after an error, too.
  void synchronize(bool reset);
  /// An event of the device. Throws if there are too many.
  std::shared_ptr<ttrt_event *> newEvent();
  uint32_t queues() const { return queues_; }
  uint32_t cores() const;

  /// Completes what is in a pipeline, closes it, and makes the device usable again if a queue has
  /// stopped. Without the GIL.
  void closePipeline(ttrt_pipeline *pipeline);
  /// Closes its stream and waits for the call in progress; the device is closed when no array over
  /// its memory is left.
  void close();
  /// Keeps the device open, though it is closed for calls. With the GIL.
  void pin() { ++pins_; }
  void unpin();
  /// The owner of an array over the device's memory: keeps `self`, which is this object.
  nb::capsule pinFor(nb::handle self);

  nb::object inputSlot(nb::handle self, uint32_t entry, uint32_t input);
  nb::object outputSlot(nb::handle self, uint32_t entry, uint32_t output);
  /// The valid part of the slot of a model's variant, whose type is `valid`.
  nb::object outputSlot(nb::handle self, const EntryPoint &model, uint32_t output,
                        const TensorType &valid, uint32_t variant);

  int traverse(visitproc visit, void *arg) { return hostFunctions_.traverse(visit, arg); }
  void clear() { hostFunctions_.clear(); }

private:
  static bool isStopped(ttrt_status status) {
    return status == TTRT_CANCELLED || status == TTRT_DEADLINE_EXCEEDED;
  }
  /// Raises KeyboardInterrupt if that was the reason.
  static void checkSignals();
  void open(const Options &options);
  void describe();
  /// With the GIL.
  void closeNow();

  std::string path_;
  HostFunctions hostFunctions_;
  ttrt_bundle *bundle_ = nullptr;
  ttrt_device *device_ = nullptr;
  std::vector<EntryPoint> entries_, models_;
  uint32_t forks_;
  nb::object profilerObject_;
  Profiler *profiler_ = nullptr;
  uint32_t queues_ = 0;
  /// Those that only this list refers to are destroyed when no command can. Guarded by the mutex.
  std::vector<std::shared_ptr<ttrt_event *>> events_;
  /// Arrays of commands of a queue, which are numbered.
  struct Held {
    uint64_t number;
    Array array;
  };
  struct Commands {
    std::deque<Held> held;         ///< guarded by the GIL
    uint64_t enqueued = 0;         ///< guarded by the mutex
    std::atomic<uint64_t> done{0}; ///< of those that were enqueued
  };
  std::array<Commands, 2> commands_;
  bool closed_ = false; ///< as this and the next: guarded by the GIL
  uint32_t pins_ = 0;
  std::mutex mutex_; ///< of calls on the device; never taken with the GIL held
};

template <typename Function>
void Device::exclusively(const ttrt_error &error, Function &&function) {
  requireOpen();
  requireInterpreter();
  if (isForked()) [[unlikely]]
    return python::check(function(device_), error);
  if (hostFunctions_.isCalling()) [[unlikely]]
    raise(TTRT_BUSY, "a host function cannot use the bundle that calls it");
  HostFunctions::Catch caught(hostFunctions_);
  ttrt_status status = TTRT_OK;
  bool open;
  const bool watches = watchesInterrupts();
  {
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    open = device_ != nullptr;
    Interruptible interruptible(open && watches ? device_ : nullptr);
    if (open)
      status = function(device_);
    // With a pipeline, closing that resets the device.
    if ((interruptible.end() || isStopped(status)) &&
        ttrt_device_reset(device_, nullptr) == TTRT_OK) [[unlikely]]
      for (Commands &commands : commands_)
        commands.done = commands.enqueued;
  }
  if (!open) [[unlikely]]
    requireOpen();
  if (isStopped(status))
    checkSignals();
  if (status == TTRT_OK) [[likely]]
    return;
  nb::object cause = caught.take();
  if (!cause.is_valid() && status == TTRT_FAILED) // on the thread of a queue
    cause = hostFunctions_.takeException();
  raise(status, error.message, std::move(cause));
}

template <typename Function>
void Device::hold(uint32_t queue, Array array, const ttrt_error &error, Function &&function) {
  Commands &commands = commands_.at(queue);
  while (!commands.held.empty() && commands.held.front().number < commands.done)
    commands.held.pop_front();
  uint64_t number = 0;
  exclusively(error, [&](ttrt_device *device) {
    const ttrt_status status = function(device);
    if (status != TTRT_OK)
      return status;
    number = commands.enqueued++;
    auto count = [](void *done) {
      ++*static_cast<std::atomic<uint64_t> *>(done);
      return 0;
    };
    // Where the queue has just stopped, the array is kept until it is reset.
    ttrt_enqueue_call(device, queue, count, &commands.done, nullptr);
    return TTRT_OK;
  });
  commands.held.push_back({number, std::move(array)});
}

template <typename Function>
void Device::interruptibly(const ttrt_error &error, Function &&function) {
  ttrt_status status;
  const bool watches = watchesInterrupts();
  {
    const Unlocked unlocked;
    const Interruptible interruptible(watches ? device_ : nullptr);
    status = function();
  }
  if (isStopped(status))
    checkSignals();
  check(status, error);
}

} // namespace ttrt::python

#endif // TTRT_PYTHON_DEVICE_H
