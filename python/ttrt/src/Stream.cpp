// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stream.h"

#include <chrono>
#include <thread>

namespace ttrt::python {

/// The first of all streams, which are a list; guarded by the GIL.
static Stream *streams = nullptr;
std::vector<std::unique_ptr<Stream::Running>> Stream::orphans;

class Stream::Use {
public:
  explicit Use(Stream &stream) : stream_(stream) {
    if (!stream.running_)
      raise(TTRT_INVALID_ARGUMENT, "the stream is closed");
    stream.running_->device->requireOpen();
    requireInterpreter();
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
    : running_(new Running{device, nb::inst_ptr<Device>(device), nullptr, {}}), entry_(entry) {
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
  if (isEndedByOther()) {
    orphans.push_back(std::move(running_));
    return;
  }
  if (!running_->device->hostFunctions().isCalling()) {
    const Unlocked unlocked;
    running_->close();
    return;
  }
  // The garbage collector may run in a host function, on the very thread that closing waits for.
  auto *inProgress = new InProgress;
  std::thread([inProgress, running = running_.release()] {
    running->close();
    nb::gil_scoped_acquire acquired;
    delete running;
    delete inProgress;
  }).detach();
}

Stream::Running::~Running() {
  // Nobody asks any more why an inference failed that nobody waited for.
  device->hostFunctions().takeException();
}

void Stream::feed(nb::tuple args, nb::dict named) {
  const Use use(*this);
  Running &running = *running_;
  Binding binding = bindArrays(running.owner, *running.device, entry_, args, named, nb::none());
  ttrt_error error;
  ttrt_status status;
  {
    const Unlocked unlocked;
    status = ttrt_pipeline_enqueue(running.pipeline, binding.inputs.data(), binding.outputs.data(),
                                   TTRT_WAIT, &error);
  }
  running.device->check(status, error);
  running.bindings.push_back(std::move(binding));
}

nb::object Stream::drain() {
  const Use use(*this);
  Running &running = *running_;
  std::vector<const void *> outputs(running.device->entry(entry_).outputs.size());
  ttrt_error error;
  ttrt_status status;
  {
    const Unlocked unlocked;
    status = ttrt_pipeline_pop(running.pipeline, outputs.data(), TTRT_WAIT, &error);
  }
  running.device->check(status, error);
  nb::object results = std::move(running.bindings.front().results);
  running.bindings.pop_front();
  return results;
}

void Stream::close() {
  if (!running_ || isEndedByOther()) // which closes all streams
    return;
  if (running_->device->hostFunctions().isCalling())
    raise(TTRT_BUSY, "a host function cannot close the stream that calls it");
  // Another thread feeds or drains: it returns when the device has computed.
  while (isInUse_ && !running_->device->isForked()) {
    const Unlocked unlocked;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  if (!running_) // another thread has closed it
    return;
  const std::unique_ptr<Running> running = std::move(running_);
  const Unlocked unlocked;
  running->close();
}

void Stream::closeAll(const Device *device) {
  while (true) {
    Stream *open = streams;
    while (open && (!open->running_ || (device && open->running_->device != device)))
      open = open->next_;
    if (!open)
      break;
    open->close();
  }
  if (device)
    return;
  const std::vector<std::unique_ptr<Running>> lost = std::move(orphans);
  const Unlocked unlocked;
  for (const auto &running : lost)
    running->close();
}

nb::object Stream::schedule() const {
  if (!running_)
    return nb::none();
  return nb::str(ttrt_pipeline_schedule(running_->pipeline));
}

} // namespace ttrt::python
