// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device.h"

#include "Models.h"
#include "Stream.h"

#include <algorithm>

namespace ttrt::python {

static constexpr uint32_t kMostEvents = 256;

Device::Device(const std::string &path, const Options &options, nb::dict hostFunctions)
    : path_(path), hostFunctions_(hostFunctions), forks_(forks()) {
  try {
    if (!options.profiler.is_none()) {
      profiler_ = nb::inst_ptr<Profiler>(options.profiler);
      profiler_->get(); // throws if it is closed
      profilerObject_ = options.profiler;
      profiler_->join();
    }
    open(options);
    describe();
  } catch (...) {
    closeNow();
    throw;
  }
}

Device::~Device() { closeNow(); }

void Device::requireOpen() const {
  if (closed_) [[unlikely]]
    raise(TTRT_INVALID_ARGUMENT, "the bundle is closed");
}

void Device::open(const Options &options) {
  ttrt_error error;
  ttrt_status status;
  ttrt_profiler *profiler = profiler_ ? profiler_->get() : nullptr;
  requireInterpreter();
  {
    const Unlocked unlocked;
    status = ttrt_bundle_open(path_.c_str(), options.verify, &bundle_, &error);
    if (status == TTRT_OK) {
      ttrt_device_options opened = TTRT_DEVICE_OPTIONS_INIT;
      opened.cores = options.cores;
      opened.pin = options.pin;
      opened.huge_pages = options.hugePages;
      opened.flush_denormals = options.flushDenormals;
      opened.host_functions = hostFunctions_.list();
      opened.profiler = profiler;
      opened.events = kMostEvents;
      // Queues are threads that sleep until a stream is opened.
      for (uint32_t entry = 0; entry < ttrt_bundle_entries(bundle_); ++entry)
        for (uint32_t i = 0; i < ttrt_bundle_schedules(bundle_, entry); ++i) {
          ttrt_schedule schedule = TTRT_SCHEDULE_INIT;
          if (ttrt_bundle_schedule(bundle_, entry, i, &schedule, nullptr) == TTRT_OK)
            opened.queues = std::max(opened.queues, schedule.queues);
        }
      status = ttrt_device_open(bundle_, &opened, &device_, &error);
      queues_ = opened.queues;
    }
  }
  python::check(status, error);
}

Port describePort(const ttrt_port &port) {
  Port described;
  described.name = port.name;
  // As names of keyword arguments are: equal ones are then the same object.
  PyObject *key = nameToStr(described.name).release().ptr();
  PyUnicode_InternInPlace(&key);
  described.key = nb::steal(key);
  described.type.dtype = port.dtype;
  described.type.shape.assign(port.shape, port.shape + port.rank);
  described.type.bytes = port.bytes;
  nameOf(port.dtype); // throws for a type that a later release adds
  return described;
}

nb::list describePorts(const std::vector<Port> &ports) {
  nb::list list;
  for (const Port &port : ports) {
    const TensorType &type = port.type;
    nb::list shape;
    for (size_t i = 0; i < type.shape.size(); ++i)
      if (type.shape[i] < 0)
        shape.append(nameToStr(type.sizes[i]));
      else
        shape.append(type.shape[i]);
    list.append(nb::make_tuple(port.key, nameOf(type.dtype), numpyNameOf(type.dtype),
                               nb::tuple(shape), type.bytes));
  }
  return list;
}

void Device::describe() {
  ttrt_error error;
  for (uint32_t i = 0; i < ttrt_bundle_entries(bundle_); ++i) {
    ttrt_entry info = TTRT_ENTRY_INIT;
    python::check(ttrt_bundle_entry(bundle_, i, &info, &error), error);
    EntryPoint entry;
    entry.name = info.name;
    for (uint32_t k = 0; k < info.inputs; ++k) {
      ttrt_port port = TTRT_PORT_INIT;
      python::check(ttrt_bundle_input(bundle_, i, k, &port, &error), error);
      entry.inputs.push_back(describePort(port));
    }
    for (uint32_t k = 0; k < info.outputs; ++k) {
      ttrt_port port = TTRT_PORT_INIT;
      python::check(ttrt_bundle_output(bundle_, i, k, &port, &error), error);
      entry.outputs.push_back(describePort(port));
    }
    entries_.push_back(std::move(entry));
  }
  models_ = openModels(bundle_);
}

void Device::check(ttrt_status status, const ttrt_error &error) {
  if (status == TTRT_OK) [[likely]]
    return;
  nb::object cause;
  if (status == TTRT_FAILED)
    cause = hostFunctions_.takeException();
  raise(status, error.message, std::move(cause));
}

void Device::checkSignals() {
  if (PyErr_CheckSignals() != 0)
    throw nb::python_error();
}

// The GIL keeps another thread from closing the device.

void Device::cancel() {
  requireOpen();
  ttrt_error error;
  python::check(ttrt_device_cancel(device_, &error), error);
}

void Device::setDeadline(double seconds) {
  requireOpen();
  constexpr double kMost = 1e9; // later than that is never
  const bool isNever = seconds < 0 || seconds > kMost;
  ttrt_error error;
  python::check(ttrt_device_set_deadline(
                    device_, isNever ? UINT64_MAX : static_cast<uint64_t>(seconds * 1e9), &error),
                error);
}

void Device::closeNow() {
  if (device_ || bundle_) {
    const Unlocked unlocked;
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!isForked())
      lock.lock(); // a call may have waited for its turn
    if (!isForked() && !events_.empty()) {
      // No command refers to an event that is destroyed.
      if (ttrt_device_synchronize(device_, nullptr) != TTRT_OK)
        ttrt_device_reset(device_, nullptr);
      for (const std::shared_ptr<ttrt_event *> &event : events_)
        ttrt_event_destroy(std::exchange(*event, nullptr));
    }
    ttrt_device_close(std::exchange(device_, nullptr));
    ttrt_bundle_close(std::exchange(bundle_, nullptr));
  }
  events_.clear();
  for (Commands &commands : commands_)
    commands.held.clear();
  if (profiler_)
    std::exchange(profiler_, nullptr)->leave();
  profilerObject_.reset();
}

void Device::synchronize(bool reset) {
  ttrt_error error;
  exclusively(error, [&](ttrt_device *device) {
    const ttrt_status status =
        reset ? ttrt_device_reset(device, &error) : ttrt_device_synchronize(device, &error);
    if (status != TTRT_OK)
      return status;
    std::erase_if(events_, [](const std::shared_ptr<ttrt_event *> &event) {
      if (event.use_count() > 1)
        return false;
      ttrt_event_destroy(*event);
      return true;
    });
    for (Commands &commands : commands_)
      commands.done = commands.enqueued;
    return status;
  });
  for (Commands &commands : commands_)
    while (!commands.held.empty() && commands.held.front().number < commands.done)
      commands.held.pop_front();
}

std::shared_ptr<ttrt_event *> Device::newEvent() {
  auto event = std::make_shared<ttrt_event *>(nullptr);
  for (bool isFirst : {true, false}) {
    ttrt_error error;
    exclusively(error, [&](ttrt_device *device) {
      if (events_.size() >= kMostEvents)
        return TTRT_OK;
      const ttrt_status status = ttrt_event_create(device, event.get(), &error);
      if (status == TTRT_OK)
        events_.push_back(event);
      return status;
    });
    if (*event)
      return event;
    if (isFirst)
      synchronize(/*reset=*/false);
  }
  raise(TTRT_OUT_OF_MEMORY,
        "all " + std::to_string(kMostEvents) + " events of the bundle are in use");
}

uint32_t Device::cores() const {
  requireOpen();
  return ttrt_device_cores(device_);
}

void Device::close() {
  if (closed_)
    return;
  if (hostFunctions_.isCalling())
    raise(TTRT_BUSY, "a host function cannot close the bundle that calls it");
  requireInterpreter();
  closed_ = true;
  Stream::closeAll(this);
  if (!isForked()) {
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
  }
  // They may refer to the bundle, or to arrays over its memory, which keep this object alive.
  hostFunctions_.clear();
  if (!pins_)
    closeNow();
}

void Device::closePipeline(ttrt_pipeline *pipeline) {
  if (isForked())
    return ttrt_pipeline_close(pipeline);
  const std::lock_guard lock(mutex_);
  ttrt_pipeline_close(pipeline);
  if (ttrt_device_synchronize(device_, nullptr) != TTRT_OK)
    ttrt_device_reset(device_, nullptr);
}

nb::capsule Device::pinFor(nb::handle self) {
  struct Pin {
    nb::object device;
  };
  pin();
  return nb::capsule(new Pin{nb::borrow(self)}, [](void *data) noexcept {
    auto *pin = static_cast<Pin *>(data);
    nb::inst_ptr<Device>(pin->device)->unpin();
    delete pin;
  });
}

void Device::unpin() {
  // In a host function, the call in progress has the device; close() waits for it.
  if (--pins_ == 0 && closed_ && !hostFunctions_.isCalling())
    closeNow();
}

nb::object Device::inputSlot(nb::handle self, uint32_t entry, uint32_t input) {
  ttrt_error error;
  void *slot = nullptr;
  exclusively(error, [&](ttrt_device *device) {
    return ttrt_device_input_slot(device, entry, input, &slot, &error);
  });
  Port &port = entries_[entry].inputs[input];
  port.hasSlotInUse = true;
  return exportArray(slot, port.type, /*writable=*/true, pinFor(self));
}

nb::object Device::outputSlot(nb::handle self, uint32_t entry, uint32_t output) {
  requireOpen();
  ttrt_error error;
  const void *slot = nullptr;
  check(ttrt_device_output_slot(device_, entry, output, &slot, &error), error);
  return exportArray(slot, entries_[entry].outputs[output].type, /*writable=*/false, pinFor(self));
}

nb::object Device::outputSlot(nb::handle self, const EntryPoint &model, uint32_t output,
                              const TensorType &valid, uint32_t variant) {
  requireOpen();
  ttrt_error error;
  ttrt_slot slot = TTRT_SLOT_INIT;
  check(ttrt_model_output_slot(device_, model.model.get(), variant, output, &slot, &error), error);
  int64_t strides[TTRT_MAX_RANK];
  // That of the innermost dimension is the size of an element.
  for (uint32_t i = 0; i < slot.rank; ++i)
    strides[i] = slot.strides[i] / slot.strides[slot.rank - 1];
  return exportArray(slot.data, valid, /*writable=*/false, pinFor(self), strides);
}

} // namespace ttrt::python
