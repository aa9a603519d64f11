// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stream.h"

#include "Models.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace ttrt::python {

std::vector<std::unique_ptr<Stream::Running>> Stream::orphans;

std::vector<Stream *> &Stream::all() {
  static auto &streams = *new std::vector<Stream *>; // threads may outlive main()
  return streams;
}

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

Stream::Stream(nb::object device, uint32_t entry, const std::string &schedule, uint32_t ahead,
               const std::vector<int64_t> &extents)
    : running_(new Running(device)), isInUse_(true), entry_(entry), listed_(this) {
  requireInterpreter(); // a daemon thread ends without a message
  if (isEnding())
    raise(TTRT_INVALID_ARGUMENT, "the interpreter is about to end");
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.entry = entry;
  if (const EntryPoint &described = running_->device->entry(entry); described.model) {
    variant_ = findVariant(described, extents.empty() ? nullptr : extents.data(), &variantIndex_);
    options.entry = variant_.entry;
  }
  options.outputs = ahead;
  options.schedule = schedule.empty() ? nullptr : schedule.c_str();
  ttrt_error error;
  // On the list and in use, so that whoever closes the bundle meanwhile waits.
  running_->device->exclusively(error, [&](ttrt_device *opened) {
    return ttrt_pipeline_open(opened, &options, &running_->pipeline, &error);
  });
  isInUse_ = false;
}

Stream::~Stream() {
  if (!running_)
    return;
  if (isEndedByOther()) {
    orphans.push_back(std::move(running_));
    return;
  }
  if (!running_->device->hostFunctions().isCalling()) {
    closeNow();
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

Stream::Running::Running(nb::object device) : owner(device), device(nb::inst_ptr<Device>(device)) {
  this->device->pin();
}

Stream::Running::~Running() {
  // Nothing will ask why an inference failed that nothing waited for.
  device->hostFunctions().takeException();
  inferences.clear();
  device->unpin();
}

/// Each array becomes the corner of a whole input.
std::vector<ttrt_input> Stream::pack(Inference &inference) const {
  const Binding &binding = inference.binding;
  const EntryPoint &entry = running_->device->entry(variant_.entry);
  std::vector<ttrt_input> inputs;
  inference.wholes.resize(entry.inputs.size());
  for (uint32_t i = 0, given = 0; i < entry.inputs.size(); ++i) {
    std::vector<char> &whole = inference.wholes[i];
    whole.resize(entry.inputs[i].type.bytes);
    inputs.push_back({whole.data(), whole.size()});
    if (i == variant_.extents) {
      std::vector<int32_t> numbers(whole.size() / sizeof(int32_t));
      std::copy_n(binding.extents, numbers.size(), numbers.begin());
      memcpy(whole.data(), numbers.data(), whole.size());
      continue;
    }
    ttrt_error error;
    requireFit(ttrt_model_pack(binding.model, variantIndex_, given, binding.extents,
                               binding.inputs[given].data, whole.data(), whole.size(), &error),
               error);
    ++given;
  }
  return inputs;
}

void Stream::unpack(const Inference &inference, const std::vector<const void *> &outputs) const {
  const Binding &binding = inference.binding;
  const EntryPoint &entry = running_->device->entry(variant_.entry);
  for (uint32_t i = 0; i < entry.outputs.size(); ++i) {
    ttrt_error error;
    check(ttrt_model_unpack(binding.model, variantIndex_, i, binding.extents, outputs[i],
                            entry.outputs[i].type.bytes, binding.outputs[i].data, &error),
          error);
  }
}

void Stream::feed(nb::tuple args, nb::dict named, nb::object out) {
  const Use use(*this);
  Running &running = *running_;
  Inference inference{bindArrays(running.owner, *running.device, entry_, args, named, out), {}};
  const Binding &binding = inference.binding;
  for (const ttrt_output &output : binding.outputs)
    if (!output.data)
      raiseValueError(
          "out: expected arrays, found IN_SLOT: the next inference overwrites the slot");
  std::vector<ttrt_input> wholes;
  if (binding.model) {
    if (!running.spares.empty()) {
      inference.wholes = std::move(running.spares.back());
      running.spares.pop_back();
    }
    wholes = pack(inference);
  }
  ttrt_error error;
  running.device->interruptibly(error, [&] {
    return ttrt_pipeline_enqueue(
        running.pipeline, binding.model ? wholes.data() : binding.inputs.data(),
        binding.model ? nullptr : binding.outputs.data(), TTRT_WAIT, &error);
  });
  running.inferences.push_back(std::move(inference));
}

nb::object Stream::drain() {
  const Use use(*this);
  Running &running = *running_;
  std::vector<const void *> outputs(running.device->entry(entry_).outputs.size());
  ttrt_error error;
  running.device->interruptibly(error, [&] {
    return ttrt_pipeline_pop(running.pipeline, outputs.data(), TTRT_WAIT, &error);
  });
  Inference &inference = running.inferences.front();
  if (inference.binding.model) {
    unpack(inference, outputs);
    running.spares.push_back(std::move(inference.wholes));
  }
  nb::object results = std::move(inference.binding.results);
  running.inferences.pop_front();
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
  closeNow();
}

void Stream::closeNow() {
  const std::unique_ptr<Running> running = std::move(running_);
  const Unlocked unlocked;
  running->close();
}

void Stream::closeAll(const Device *device) {
  while (!isEndedByOther()) {
    const auto open = std::ranges::find_if(all(), [device](const Stream *stream) {
      return stream->running_ && (!device || stream->running_->device == device);
    });
    if (open == all().end())
      break;
    if (!(*open)->isInUse_ || (*open)->running_->device->isForked()) {
      (*open)->closeNow();
      continue;
    }
    // The thread that uses it may also drop it, so it is looked up again.
    const Unlocked unlocked;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  if (device)
    return;
  const std::vector<std::unique_ptr<Running>> lost = std::move(orphans);
  const Unlocked unlocked;
  for (const auto &running : lost)
    running->close();
}

int Stream::traverse(visitproc visit, void *arg) {
  if (!running_)
    return 0;
  Py_VISIT(running_->owner.ptr());
  for (const Inference &inference : running_->inferences)
    Py_VISIT(inference.binding.results.ptr());
  return 0;
}

nb::object Stream::schedule() const {
  if (!running_)
    return nb::none();
  return nameToStr(ttrt_pipeline_schedule(running_->pipeline));
}

} // namespace ttrt::python
