// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BoundCall.h"

#include "Models.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace ttrt::python {

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

/// "'image' f32[1, 8, 8], 'mask' bool[8]"
static std::string list(const std::vector<Port> &ports) {
  std::string text;
  for (const Port &port : ports)
    text += (text.empty() ? "" : ", ") + quoted(port.name) + " " + port.type.text();
  return text.empty() ? "none" : text;
}

/// What a dictionary has for a port's name; null if it does not have it.
static nb::handle find(nb::dict given, const Port &port) {
  PyObject *found = PyDict_GetItemWithError(given.ptr(), port.key.ptr());
  if (!found && PyErr_Occurred())
    throw nb::python_error();
  return found;
}

static void requireNames(const EntryPoint &entry, const char *kind, const std::vector<Port> &ports,
                         nb::dict given) {
  for (auto [key, value] : given) {
    bool isKnown = false;
    for (const Port &port : ports)
      isKnown |= key.equal(port.key);
    if (!isKnown)
      raiseTypeError(entry.text() + " has no " + kind + " " + textOf(nb::repr(key)) +
                     "; it has: " + list(ports));
  }
}

static void bindInputs(Binding &binding, const EntryPoint &entry, nb::tuple args, nb::dict named) {
  if (args.size() > entry.inputs.size())
    raiseTypeError(entry.text() + " has " + std::to_string(entry.inputs.size()) +
                   (entry.inputs.size() == 1 ? " input, found " : " inputs, found ") +
                   std::to_string(args.size()));
  size_t used = 0;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const Port &port = entry.inputs[i];
    nb::object given;
    if (i < args.size())
      given = nb::borrow(args[i]);
    if (named.size()) {
      if (const nb::handle found = find(named, port)) {
        if (given.is_valid())
          raiseTypeError("input " + quoted(port.name) + " is given twice, by position and by name");
        given = nb::borrow(found);
        ++used;
      }
    }
    if (!given.is_valid() && !port.hasSlotInUse) {
      requireNames(entry, "input", entry.inputs, named); // it may have been misspelt
      raiseTypeError(
          "missing input " + quoted(port.name) + " " + port.type.text() + " of " + entry.text() +
          (entry.model ? "" : ", whose slot has not been used either") +
          (port.name == "out" ? "; give this one by position, or by name to bind()" : ""));
    }
    if (entry.model && nb::isinstance<InSlot>(given))
      raiseTypeError("input " + quoted(port.name) + ": expected an array of " + port.type.text() +
                     ", found IN_SLOT; only the variants, which are entry points, have slots of "
                     "inputs");
    if (!given.is_valid() || nb::isinstance<InSlot>(given)) {
      binding.inputs.push_back({nullptr, 0});
      continue;
    }
    Array array = importArray(given, port.type, /*writable=*/false, "input " + quoted(port.name));
    binding.inputs.push_back({array.data, port.type.bytes});
    binding.arrays.push_back(std::move(array));
  }
  if (used != named.size())
    requireNames(entry, "input", entry.inputs, named);
}

/// Results would overwrite each other.
static void requireApart(const EntryPoint &entry, const std::vector<ttrt_output> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const auto *a = static_cast<const char *>(outputs[i].data);
      const auto *b = static_cast<const char *>(outputs[k].data);
      if (a && b && std::less<>()(a, b + outputs[k].bytes) &&
          std::less<>()(b, a + outputs[i].bytes))
        raiseValueError("out: the arrays for " + quoted(entry.outputs[k].name) + " and " +
                        quoted(entry.outputs[i].name) + " overlap");
    }
}

static void bindOutputs(nb::handle self, Device &device, Binding &binding, uint32_t index,
                        nb::object out, const Fit &fit) {
  const EntryPoint &entry = device.entry(index);
  nb::dict given;
  if (!out.is_none()) {
    if (!nb::isinstance<nb::dict>(out))
      raiseTypeError("out: expected a dictionary of arrays by the names of outputs, found " +
                     textOf(out.type().attr("__name__")));
    given = nb::cast<nb::dict>(out);
    requireNames(entry, "output", entry.outputs, given);
  }
  for (uint32_t i = 0; i < entry.outputs.size(); ++i) {
    const Port &port = entry.outputs[i];
    TensorType valid; // at the extents of the inputs
    if (entry.model)
      valid = outputType(entry, i, fit);
    const TensorType &type = entry.model ? valid : port.type;
    nb::object array;
    if (given.size())
      if (const nb::handle found = find(given, port))
        array = nb::borrow(found);
    if (array.is_valid() && nb::isinstance<InSlot>(array)) {
      binding.outputs.push_back({nullptr, 0});
      array = entry.model ? device.outputSlot(self, entry, i, type, fit.variant)
                          : device.outputSlot(self, index, i);
    } else {
      if (!array.is_valid())
        array = newArray(type);
      Array memory = importArray(array, type, /*writable=*/true, "output " + quoted(port.name));
      binding.outputs.push_back({memory.data, type.bytes});
      binding.arrays.push_back(std::move(memory));
    }
    binding.results[port.key] = array;
  }
  if (given.size() > 1)
    requireApart(entry, binding.outputs);
}

Binding bindArrays(nb::handle self, Device &device, uint32_t index, nb::tuple args, nb::dict named,
                   nb::object out) {
  device.requireOpen();
  const EntryPoint &entry = device.entry(index);
  Binding binding;
  bindInputs(binding, entry, args, named);
  Fit fit;
  if (entry.model) {
    binding.model = entry.model.get();
    for (const Array &array : binding.arrays) // each input has one
      binding.shapedInputs.push_back(
          {array.data, static_cast<uint32_t>(array.keeper.ndim()), array.keeper.shape_ptr()});
    fit = findFit(entry, binding.shapedInputs.data());
    std::ranges::copy(fit.extents, binding.extents);
  }
  bindOutputs(self, device, binding, index, out, fit);
  if (entry.model)
    for (const ttrt_output &output : binding.outputs)
      binding.shapedOutputs.push_back({output.data, output.bytes, nullptr, 0});
  return binding;
}

ttrt_status Binding::runOn(ttrt_device *device, uint32_t entry, const ttrt_run_options *options,
                           ttrt_error *error) const {
  if (model)
    return ttrt_run_shaped(device, model, shapedInputs.data(), shapedOutputs.data(), options,
                           error);
  return ttrt_run(device, entry, inputs.data(), outputs.data(), options, error);
}

nb::object run(Device &device, uint32_t entry, const Binding &binding, ttrt_timing *timing) {
  ttrt_error error;
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  options.timing = timing;
  device.exclusively(error, [&](ttrt_device *opened) {
    return binding.runOn(opened, entry, timing ? &options : nullptr, &error);
  });
  return binding.results;
}

BoundCall::BoundCall(nb::object device, uint32_t entry, Binding binding)
    : owner(device), device(nb::inst_ptr<Device>(device)), entry(entry),
      binding(std::move(binding)) {}

int BoundCall::traverse(visitproc visit, void *arg) {
  Py_VISIT(owner.ptr());
  Py_VISIT(binding.results.ptr());
  return 0;
}

nb::object BoundCall::operator()() const { return run(*device, entry, binding); }

nb::object BoundCall::time() const {
  ttrt_timing timing = TTRT_TIMING_INIT;
  run(*device, entry, binding, &timing);
  return nb::make_tuple(static_cast<double>(timing.total) * 1e-9,
                        static_cast<double>(timing.device) * 1e-9);
}

double BoundCall::repeat(uint32_t times) const {
  ttrt_error error;
  const auto begin = std::chrono::steady_clock::now();
  device->exclusively(error, [&](ttrt_device *opened) {
    ttrt_status last = TTRT_OK;
    for (uint32_t i = 0; i < times && last == TTRT_OK; ++i)
      last = binding.runOn(opened, entry, nullptr, &error);
    return last;
  });
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace ttrt::python
