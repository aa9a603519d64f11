// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines in C++: ttrt/pipeline.h with RAII, containers and exceptions. Header only. The rules of
// pipeline.h for memory, threads and waiting apply.
//
//     ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
//     options.schedule = "overlap-io";
//     ttrt::Pipeline pipeline(bundle, device, options);
//     for (const auto &image : images)
//       pipeline.enqueue({image});
//     for (const auto &outputs : pipeline.popAll())
//       use(outputs[0].data, outputs[0].bytes);
#ifndef TTRT_PIPELINE_HPP
#define TTRT_PIPELINE_HPP

#include "ttrt/pipeline.h"

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ttrt {

/// Thrown by every call that fails.
class PipelineError : public std::runtime_error {
public:
  explicit PipelineError(const ttrt_error &error)
      : std::runtime_error(error.message), status_(error.status) {}
  ttrt_status status() const { return status_; }

private:
  ttrt_status status_;
};

/// An input: dense memory of the caller. It must not change until the outputs of its inference have
/// been popped, so it cannot be a temporary.
struct Input {
  const void *data;
  size_t bytes;

  Input(const void *data, size_t bytes) : data(data), bytes(bytes) {}
  template <typename T>
  Input(const std::vector<T> &values) : data(values.data()), bytes(values.size() * sizeof(T)) {}
  template <typename T> Input(const std::vector<T> &&) = delete;
};

/// Where to store an output: memory of the caller. Null data discards the output.
struct Memory {
  void *data;
  size_t bytes;

  Memory(void *data, size_t bytes) : data(data), bytes(bytes) {}
  template <typename T>
  Memory(std::vector<T> &values) : data(values.data()), bytes(values.size() * sizeof(T)) {}
};

/// An output, in the output queue of the pipeline or in the caller's memory.
struct Output {
  const void *data;
  size_t bytes;

  template <typename T> const T *as() const { return static_cast<const T *>(data); }
  template <typename T> size_t size() const { return bytes / sizeof(T); }
};

class Pipeline {
public:
  /// `bundle` and `device` remain the caller's; `bundle` is used only during the call. Throws
  /// PipelineError, like every member function that is not noexcept.
  Pipeline(const ttrt_bundle *bundle, ttrt_device *device,
           const ttrt_pipeline_options &options = TTRT_PIPELINE_OPTIONS_INIT) {
    ttrt_error error;
    ttrt_entry entry = TTRT_ENTRY_INIT;
    check(ttrt_bundle_entry(bundle, options.entry, &entry, &error), error);
    for (uint32_t i = 0; i < entry.outputs; ++i) {
      ttrt_port port = TTRT_PORT_INIT;
      check(ttrt_bundle_output(bundle, options.entry, i, &port, &error), error);
      bytes.push_back(port.bytes);
    }
    inputs.resize(entry.inputs, {nullptr, 0});
    check(ttrt_pipeline_open(device, &options, &pipeline, &error), error);
  }
  /// Completes what was enqueued.
  ~Pipeline() { ttrt_pipeline_close(pipeline); }
  Pipeline(Pipeline &&other) noexcept
      : pipeline(std::exchange(other.pipeline, nullptr)), bytes(std::move(other.bytes)),
        inputs(std::move(other.inputs)), theirs(std::move(other.theirs)) {}
  Pipeline &operator=(Pipeline &&other) noexcept {
    std::swap(pipeline, other.pipeline);
    bytes.swap(other.bytes);
    inputs.swap(other.inputs);
    return *this;
  }

  /// Enqueues one inference. Throws with TTRT_WOULD_OVERWRITE if the output queue is full.
  void enqueue(std::initializer_list<Input> values) { enqueueAll(values, nullptr, TTRT_WAIT); }
  void enqueue(const std::vector<Input> &values) { enqueueAll(values, nullptr, TTRT_WAIT); }
  /// The same, with the outputs in the caller's memory: one element per output.
  void enqueue(const std::vector<Input> &values, const std::vector<Memory> &outputs) {
    enqueueAll(values, &outputs, TTRT_WAIT);
  }
  /// The same, for a thread that feeds while another one drains: waits while the queue is full.
  void feed(std::initializer_list<Input> values) { enqueueAll(values, nullptr, TTRT_STREAM); }
  void feed(const std::vector<Input> &values) { enqueueAll(values, nullptr, TTRT_STREAM); }
  void feed(const std::vector<Input> &values, const std::vector<Memory> &outputs) {
    enqueueAll(values, &outputs, TTRT_STREAM);
  }
  /// Declares that no more inputs will come.
  void finish() {
    ttrt_error error;
    check(ttrt_pipeline_finish(pipeline, &error), error);
  }

  /// Pops the outputs of the oldest inference, waiting for it; false if there is none.
  bool pop(std::vector<Output> &outputs) { return popOne(outputs, TTRT_WAIT); }
  /// The same without waiting: false also if the inference is not complete.
  bool poll(std::vector<Output> &outputs) { return popOne(outputs, TTRT_DONT_WAIT); }
  /// The same, for a thread that drains while another one feeds: waits; false only after finish().
  bool drain(std::vector<Output> &outputs) { return popOne(outputs, TTRT_STREAM); }
  /// Pops all inferences that were enqueued, waiting for them.
  std::vector<std::vector<Output>> popAll() {
    std::vector<std::vector<Output>> all;
    std::vector<Output> outputs;
    while (pop(outputs))
      all.push_back(outputs);
    return all;
  }

  const char *schedule() const noexcept { return ttrt_pipeline_schedule(pipeline); }

private:
  static void check(ttrt_status status, const ttrt_error &error) {
    if (status != TTRT_OK)
      throw PipelineError(error);
  }
  template <typename Values>
  void enqueueAll(const Values &values, const std::vector<Memory> *outputs, ttrt_wait wait) {
    if (values.size() != inputs.size())
      throw std::invalid_argument("expected " + std::to_string(inputs.size()) + " inputs, found " +
                                  std::to_string(values.size()));
    size_t i = 0;
    for (const Input &value : values)
      inputs[i++] = {value.data, value.bytes};
    if (outputs && outputs->size() != bytes.size())
      throw std::invalid_argument("expected " + std::to_string(bytes.size()) + " outputs, found " +
                                  std::to_string(outputs->size()));
    if (outputs) {
      theirs.clear();
      for (const Memory &memory : *outputs)
        theirs.push_back({memory.data, memory.bytes});
    }
    ttrt_error error;
    check(ttrt_pipeline_enqueue(pipeline, inputs.data(), outputs ? theirs.data() : nullptr, wait,
                                &error),
          error);
  }
  bool popOne(std::vector<Output> &outputs, ttrt_wait wait) {
    outputs.resize(bytes.size(), {nullptr, 0});
    pointers.resize(bytes.size());
    ttrt_error error;
    const ttrt_status status = ttrt_pipeline_pop(pipeline, pointers.data(), wait, &error);
    if (status == TTRT_END || status == TTRT_NOT_READY)
      return false;
    check(status, error);
    for (size_t i = 0; i < bytes.size(); ++i)
      outputs[i] = {pointers[i], bytes[i]};
    return true;
  }

  ttrt_pipeline *pipeline = nullptr;
  std::vector<size_t> bytes;          ///< of the outputs
  std::vector<ttrt_input> inputs;     ///< used by the feeding thread
  std::vector<ttrt_output> theirs;    ///< likewise
  std::vector<const void *> pointers; ///< used by the draining thread
};

} // namespace ttrt

#endif // TTRT_PIPELINE_HPP
