// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stream.h"

#include <chrono>
#include <thread>

namespace ttrt::python {

/// The first of all streams, which are a list; guarded by the GIL.
static Stream *streams = nullptr;

class Stream::Use {
public:
  explicit Use(Stream &stream) : stream_(stream) {
    if (!stream.running_)
      raise(TTRT_INVALID_ARGUMENT, "the stream is closed");
    stream.running_->device->requireOpen();
    if (stream.isInUse_)
      raise(TTRT_BUSY, "another thread uses the stream");
    if (stream.running_->device->hostFunctions().isCalling())
      raise(TTRT_BUSY, "a host function cannot use the stream that calls it");
    stream.isInUse_ = true;
  }
  ~Use() { stream_.isInUse_ = false; }

private:
  Stream &stream_;
};

Stream::Stream(nb::object device, uint32_t entry, const std::string &schedule, uint32_t ahead)
    : running_(new Running{device, nb::inst_ptr<Device>(device), nullptr, {}, false}),
      entry_(entry) {
  if (isEnding())
    raise(TTRT_INVALID_ARGUMENT, "the interpreter is about to end");
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.entry = entry;
  options.outputs = ahead;
  options.schedule = schedule.empty() ? nullptr : schedule.c_str();
  ttrt_error error;
  const ttrt_status status = running_->device->exclusively([&](ttrt_device *opened) {
    return ttrt_pipeline_open(opened, &options, &running_->pipeline, &error);
  });
  python::check(status, error);
  next_ = streams;
  if (next_)
    next_->previous_ = this;
  streams = this;
}

Stream::~Stream() {
  if (next_)
    next_->previous_ = previous_;
  if (previous_)
    previous_->next_ = next_;
  else if (streams == this)
    streams = next_;
  if (!running_)
    return;
  if (!running_->device->hostFunctions().isCalling()) {
    nb::gil_scoped_release released;
    running_->close();
    return;
  }
  // The garbage collector may run in a host function, on the very thread that closing waits for.
  auto *call = new Call;
  std::thread([call, running = running_.release()] {
    running->close();
    nb::gil_scoped_acquire acquired;
    delete running;
    delete call;
  }).detach();
}

void Stream::Running::close() {
  ttrt_pipeline_close(std::exchange(pipeline, nullptr));
  if (hasFailed)
    device->reset();
}

void Stream::check(ttrt_status status, const ttrt_error &error) {
  if (status == TTRT_OK) [[likely]]
    return;
  running_->hasFailed |= status == TTRT_FAILED;
  running_->device->check(status, error);
}

void Stream::feed(nb::tuple args, nb::dict named) {
  const Use use(*this);
  Running &running = *running_;
  Binding binding = bindArrays(running.owner, *running.device, entry_, args, named, nb::none());
  ttrt_error error;
  ttrt_status status;
  {
    const Call call;
    const nb::gil_scoped_release released;
    status = ttrt_pipeline_enqueue(running.pipeline, binding.inputs.data(), binding.outputs.data(),
                                   TTRT_WAIT, &error);
  }
  check(status, error);
  running.bindings.push_back(std::move(binding));
}

nb::object Stream::drain() {
  const Use use(*this);
  Running &running = *running_;
  std::vector<const void *> outputs(running.device->entry(entry_).outputs.size());
  ttrt_error error;
  ttrt_status status;
  {
    const Call call;
    const nb::gil_scoped_release released;
    status = ttrt_pipeline_pop(running.pipeline, outputs.data(), TTRT_WAIT, &error);
  }
  check(status, error);
  nb::object results = std::move(running.bindings.front().results);
  running.bindings.pop_front();
  return results;
}

void Stream::close() {
  if (!running_)
    return;
  if (running_->device->hostFunctions().isCalling())
    raise(TTRT_BUSY, "a host function cannot close the stream that calls it");
  // Another thread feeds or drains: it returns when the device has computed.
  while (isInUse_ && !running_->device->isForked()) {
    const Call call;
    const nb::gil_scoped_release released;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  if (!running_) // another thread has closed it
    return;
  const std::unique_ptr<Running> running = std::move(running_);
  const nb::gil_scoped_release released;
  running->close();
}

void Stream::closeAll(const Device *device) {
  while (true) {
    Stream *open = streams;
    while (open && (!open->running_ || (device && open->running_->device != device)))
      open = open->next_;
    if (!open)
      return;
    open->close();
  }
}

nb::object Stream::schedule() const {
  if (!running_)
    return nb::none();
  return nb::str(ttrt_pipeline_schedule(running_->pipeline));
}

} // namespace ttrt::python
