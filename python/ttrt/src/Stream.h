// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline (ttrt/pipeline.h) as an object of Python, which one thread at a time uses: to feed and
// to drain.

#ifndef TTRT_PYTHON_STREAM_H
#define TTRT_PYTHON_STREAM_H

#include "BoundCall.h"

#include <deque>
#include <memory>

namespace ttrt::python {

class Stream {
public:
  /// `schedule`: its name; empty: the first with two queues, else the first. `extents`: of a model,
  /// what the variant must hold through which all inferences flow, each with extents of its own.
  /// Throws.
  Stream(nb::object device, uint32_t entry, const std::string &schedule, uint32_t ahead,
         const std::vector<int64_t> &extents);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// Enqueues an inference. Its outputs are those of `out`, which is None or a dictionary, and new
  /// arrays.
  void feed(nb::tuple args, nb::dict named, nb::object out);
  /// Waits for the oldest inference and returns its outputs.
  nb::object drain();
  /// Waits for what was fed, and drops it.
  void close();

  size_t inFlight() const { return running_ ? running_->inferences.size() : 0; }
  bool isClosed() const { return !running_; }
  nb::object schedule() const;
  int traverse(visitproc visit, void *arg);

  /// Closes every stream that is open, of one device or of all. At the end of the interpreter, no
  /// queue may call host functions any more.
  static void closeAll(const Device *device = nullptr);

private:
  struct Running;
  /// Closed by closeAll(): their streams are gone.
  static std::vector<std::unique_ptr<Running>> orphans;
  struct Inference {
    Binding binding;
    std::vector<std::vector<char>> wholes; ///< of a model: inputs of the variant's size
  };
  /// What a queue may still use.
  struct Running {
    nb::object owner;
    Device *device;
    ttrt_pipeline *pipeline = nullptr;
    std::deque<Inference> inferences;
    std::vector<std::vector<std::vector<char>>> spares; ///< for the next inferences
    explicit Running(nb::object device);
    ~Running();
    /// Without the GIL.
    void close() { device->closePipeline(std::exchange(pipeline, nullptr)); }
  };
  /// Marks the stream as in use by a thread. Throws if it is already.
  class Use;
  /// All streams. Guarded by the GIL.
  static std::vector<Stream *> &all();
  /// Puts a stream on the list; destroyed, it takes it off.
  class Listed {
  public:
    explicit Listed(Stream *stream) : stream_(stream) { all().push_back(stream); }
    ~Listed() { std::erase(all(), stream_); }
    Listed(const Listed &) = delete;
    Listed &operator=(const Listed &) = delete;

  private:
    Stream *stream_;
  };
  std::vector<ttrt_input> pack(Inference &inference) const;
  void unpack(const Inference &inference, const std::vector<const void *> &outputs) const;
  /// Closes a stream that no thread uses. It may be gone when this returns.
  void closeNow();
  std::unique_ptr<Running> running_; ///< null: closed. As the next: guarded by the GIL
  bool isInUse_ = false;
  uint32_t entry_; ///< or the model
  uint32_t variantIndex_ = 0;
  ttrt_variant variant_ = TTRT_VARIANT_INIT; ///< of a model
  Listed listed_;
};

} // namespace ttrt::python

#endif // TTRT_PYTHON_STREAM_H
