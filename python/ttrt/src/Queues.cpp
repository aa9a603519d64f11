// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Queues.h"

#include "ttrt/memory.h"
#include "ttrt/state.h"

namespace ttrt::python {

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

nb::list traces(Device &device) {
  device.requireOpen();
  nb::list list;
  ttrt_error error;
  for (uint32_t i = 0; i < ttrt_bundle_traces(device.bundle()); ++i) {
    ttrt_trace trace = TTRT_TRACE_INIT;
    check(ttrt_bundle_trace(device.bundle(), i, &trace, &error), error);
    list.append(nb::make_tuple(nameToStr(trace.name), trace.commands, trace.bytes));
  }
  return list;
}

bool isLoaded(Device &device, uint32_t trace) {
  bool loaded = false;
  ttrt_error error;
  device.exclusively(error, [&](ttrt_device *opened) {
    loaded = ttrt_trace_is_loaded(opened, trace);
    return TTRT_OK;
  });
  return loaded;
}

void loadTrace(Device &device, uint32_t trace) {
  ttrt_error error;
  device.exclusively(error,
                     [&](ttrt_device *opened) { return ttrt_trace_load(opened, trace, &error); });
}

void releaseTrace(Device &device, uint32_t trace) {
  ttrt_error error;
  device.exclusively(
      error, [&](ttrt_device *opened) { return ttrt_trace_release(opened, trace, &error); });
}

void executeTrace(Device &device, uint32_t trace) {
  ttrt_error error;
  device.exclusively(
      error, [&](ttrt_device *opened) { return ttrt_trace_execute(opened, trace, &error); });
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

static const Port &portOf(const std::vector<Port> &ports, uint32_t index) {
  return ports.at(index);
}

void enqueueWrite(Device &device, uint32_t queue, uint32_t entry, uint32_t input, nb::handle array,
                  bool block) {
  device.requireOpen();
  const Port &port = portOf(device.entry(entry).inputs, input);
  Array memory = importArray(array, port.type, /*writable=*/false, "input '" + port.name + "'");
  const void *data = memory.data;
  ttrt_error error;
  device.hold(queue, std::move(memory), error, [&](ttrt_device *opened) {
    return ttrt_enqueue_write(opened, queue, entry, input, data, port.type.bytes, block, &error);
  });
}

nb::object enqueueRead(Device &device, uint32_t queue, uint32_t entry, uint32_t output,
                       nb::object array, bool block) {
  device.requireOpen();
  const Port &port = portOf(device.entry(entry).outputs, output);
  if (array.is_none())
    array = newArray(port.type);
  Array memory = importArray(array, port.type, /*writable=*/true, "output '" + port.name + "'");
  void *data = memory.data;
  ttrt_error error;
  device.hold(queue, std::move(memory), error, [&](ttrt_device *opened) {
    return ttrt_enqueue_read(opened, queue, entry, output, data, port.type.bytes, block, &error);
  });
  return array;
}

void enqueueExecute(Device &device, uint32_t queue, uint32_t trace, bool block) {
  ttrt_error error;
  device.exclusively(error, [&](ttrt_device *opened) {
    return ttrt_enqueue_execute(opened, queue, trace, block, &error);
  });
}

Event::Event(nb::object device)
    : owner_(device), device_(nb::inst_ptr<Device>(device)), event_(device_->newEvent()) {}

void Event::record(uint32_t queue) {
  ttrt_error error;
  device_->exclusively(error,
                       [&](ttrt_device *) { return ttrt_event_record(*event_, queue, &error); });
}

void Event::wait(uint32_t queue) {
  ttrt_error error;
  device_->exclusively(error,
                       [&](ttrt_device *) { return ttrt_event_wait(*event_, queue, &error); });
}

void Event::synchronize() {
  ttrt_error error;
  device_->exclusively(error,
                       [&](ttrt_device *) { return ttrt_event_synchronize(*event_, &error); });
}

bool Event::isDone() const {
  device_->requireOpen();
  ttrt_error error;
  const ttrt_status status = ttrt_event_query(*event_, &error);
  if (status != TTRT_NOT_READY)
    check(status, error);
  return status == TTRT_OK;
}

int Event::traverse(visitproc visit, void *arg) {
  Py_VISIT(owner_.ptr());
  return 0;
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

std::vector<Port> states(Device &device) {
  device.requireOpen();
  std::vector<Port> found;
  ttrt_error error;
  for (uint32_t i = 0; i < ttrt_bundle_states(device.bundle()); ++i) {
    ttrt_port port = TTRT_PORT_INIT;
    check(ttrt_bundle_state(device.bundle(), i, &port, &error), error);
    found.push_back(describePort(port));
  }
  return found;
}

static Port stateOf(Device &device, uint32_t state) {
  device.requireOpen();
  ttrt_port port = TTRT_PORT_INIT;
  ttrt_error error;
  check(ttrt_bundle_state(device.bundle(), state, &port, &error), error);
  return describePort(port);
}

nb::object readState(Device &device, uint32_t state) {
  const Port port = stateOf(device, state);
  nb::object array = newArray(port.type);
  const Array memory = importArray(array, port.type, /*writable=*/true, "state");
  ttrt_error error;
  device.exclusively(error, [&](ttrt_device *opened) {
    return ttrt_state_read(opened, state, 0, memory.data, port.type.bytes, &error);
  });
  return array;
}

void writeState(Device &device, uint32_t state, nb::handle array) {
  const Port port = stateOf(device, state);
  const Array memory =
      importArray(array, port.type, /*writable=*/false, "state '" + port.name + "'");
  ttrt_error error;
  device.exclusively(error, [&](ttrt_device *opened) {
    return ttrt_state_write(opened, state, 0, memory.data, port.type.bytes, &error);
  });
}

void resetStates(Device &device) {
  ttrt_error error;
  device.exclusively(error, [&](ttrt_device *opened) { return ttrt_state_reset(opened, &error); });
}

void saveStates(Device &device, nb::bytes path) {
  ttrt_error error;
  device.exclusively(
      error, [&](ttrt_device *opened) { return ttrt_state_save(opened, path.c_str(), &error); });
}

void restoreStates(Device &device, nb::bytes path) {
  ttrt_error error;
  device.exclusively(
      error, [&](ttrt_device *opened) { return ttrt_state_restore(opened, path.c_str(), &error); });
}

} // namespace ttrt::python
