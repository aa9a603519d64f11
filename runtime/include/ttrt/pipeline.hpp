// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines in C++: ttrt/pipeline.h with an owner, containers and exceptions. Header only; what is
// said there about memory, threads and waiting holds here.
//
//     ttrt_pipeline_options options{}; // all zero is the default
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

/// What a call that can fail throws.
class PipelineError : public std::runtime_error {
public:
  explicit PipelineError(const ttrt_error &error)
      : std::runtime_error(error.message), status_(error.status) {}
  ttrt_status status() const { return status_; }

private:
  ttrt_status status_;
};

/// An input: dense memory of the caller's, which stays as it is until the inference's outputs were
/// popped. So it cannot be a temporary.
struct Input {
  const void *data;
  size_t bytes;

  Input(const void *data, size_t bytes) : data(data), bytes(bytes) {}
  template <typename T>
  Input(const std::vector<T> &values) : data(values.data()), bytes(values.size() * sizeof(T)) {}
  template <typename T> Input(const std::vector<T> &&) = delete;
};

/// Where an output shall go: memory of the caller's. Null data: it is not wanted.
struct Memory {
  void *data;
  size_t bytes;

  Memory(void *data, size_t bytes) : data(data), bytes(bytes) {}
  template <typename T>
  Memory(std::vector<T> &values) : data(values.data()), bytes(values.size() * sizeof(T)) {}
};

/// An output: memory of the pipeline's, or where the caller wanted it.
struct Output {
  const void *data;
  size_t bytes;

  template <typename T> const T *as() const { return static_cast<const T *>(data); }
  template <typename T> size_t size() const { return bytes / sizeof(T); }
};

class Pipeline {
public:
  /// `bundle` and `device` are the caller's; the bundle tells how large outputs are and is needed
  /// only here. Throws PipelineError, like every member that is not noexcept.
  Pipeline(const ttrt_bundle *bundle, ttrt_device *device,
           const ttrt_pipeline_options &options = {}) {
    ttrt_error error;
    ttrt_entry entry;
    check(ttrt_bundle_entry(bundle, options.entry, &entry, &error), error);
    for (uint32_t i = 0; i < entry.outputs; ++i) {
      ttrt_port port;
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

  /// One inference. Throws TTRT_WOULD_OVERWRITE where outputs would be lost that nobody popped.
  void enqueue(std::initializer_list<Input> values) { enqueueAll(values, nullptr, TTRT_WAIT); }
  void enqueue(const std::vector<Input> &values) { enqueueAll(values, nullptr, TTRT_WAIT); }
  /// The same, with outputs in the caller's memory, one for each output of the entry point.
  void enqueue(const std::vector<Input> &values, const std::vector<Memory> &outputs) {
    enqueueAll(values, &outputs, TTRT_WAIT);
  }
  /// The same, for a thread that feeds while another one drains: waits until there is room.
  void feed(std::initializer_list<Input> values) { enqueueAll(values, nullptr, TTRT_STREAM); }
  void feed(const std::vector<Input> &values) { enqueueAll(values, nullptr, TTRT_STREAM); }
  void feed(const std::vector<Input> &values, const std::vector<Memory> &outputs) {
    enqueueAll(values, &outputs, TTRT_STREAM);
  }
  /// No more inputs will come.
  void finish() {
    ttrt_error error;
    check(ttrt_pipeline_finish(pipeline, &error), error);
  }

  /// The oldest inference's outputs; false if nothing is enqueued that was not popped.
  bool pop(std::vector<Output> &outputs) { return popOne(outputs, TTRT_WAIT); }
  /// The same without waiting: false also if they are not complete yet.
  bool poll(std::vector<Output> &outputs) { return popOne(outputs, TTRT_DONT_WAIT); }
  /// The same, for a thread that drains while another one feeds: false only after finish().
  bool drain(std::vector<Output> &outputs) { return popOne(outputs, TTRT_STREAM); }
  /// All that was enqueued and not popped.
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
      throw std::invalid_argument(std::to_string(values.size()) + " inputs; the entry point has " +
                                  std::to_string(inputs.size()));
    size_t i = 0;
    for (const Input &value : values)
      inputs[i++] = {value.data, value.bytes};
    if (outputs && outputs->size() != bytes.size())
      throw std::invalid_argument(std::to_string(outputs->size()) +
                                  " outputs; the entry point has " + std::to_string(bytes.size()));
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
  std::vector<ttrt_input> inputs;     ///< of the thread that feeds
  std::vector<ttrt_output> theirs;    ///< likewise
  std::vector<const void *> pointers; ///< of the thread that drains
};

} // namespace ttrt

#endif // TTRT_PIPELINE_HPP
