// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddressCall.h"

namespace ttrt::python {

AddressCall::AddressCall(nb::object device, uint32_t entry, const std::vector<size_t> &sizes)
    : owner(device), device(nb::inst_ptr<Device>(device)), entry(entry) {
  const EntryPoint &called = this->device->entry(entry);
  std::vector<size_t> found;
  for (const auto *ports : {&called.inputs, &called.outputs})
    for (const auto &port : *ports)
      found.push_back(port.type.bytes);
  if (sizes != found)
    raiseValueError("sizes: expected the bytes of all inputs and outputs");
}

/// Memory of objects with Python's buffer protocol, which is theirs until this is destroyed.
namespace {
class Views {
public:
  explicit Views(size_t most) : views(most > std::size(here) ? most : 0) {}
  Views(const Views &) = delete;
  Views &operator=(const Views &) = delete;
  ~Views() {
    for (size_t i = 0; i < count; ++i)
      PyBuffer_Release(&at(i));
  }

  void *add(nb::handle object, size_t bytes, bool writable) {
    Py_buffer &view = at(count);
    if (PyObject_GetBuffer(object.ptr(), &view,
                           PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)))
      throw nb::python_error();
    ++count;
    if (static_cast<size_t>(view.len) != bytes)
      raiseValueError("expected an array of " + std::to_string(bytes) + " bytes, found " +
                      std::to_string(view.len));
    return view.buf;
  }

private:
  Py_buffer &at(size_t i) { return views.empty() ? here[i] : views[i]; }

  Py_buffer here[16];
  std::vector<Py_buffer> views;
  size_t count = 0;
};
} // namespace

int AddressCall::traverse(visitproc visit, void *arg) {
  Py_VISIT(owner.ptr());
  return 0;
}

/// Runs the entry point on the memory that `find(argument, bytes, isOutput)` returns for each
/// argument.
template <typename Find> void AddressCall::run(nb::args given, Find find) const {
  const EntryPoint &called = device->entry(entry);
  const size_t inputs = called.inputs.size(), outputs = called.outputs.size();
  if (given.size() != inputs + outputs)
    raiseTypeError("expected " + std::to_string(inputs + outputs) + " arguments, found " +
                   std::to_string(given.size()));
  // Most programs have few: no allocation then.
  ttrt_input inputsHere[8];
  ttrt_output outputsHere[8];
  std::vector<ttrt_input> manyInputs(inputs > 8 ? inputs : 0);
  std::vector<ttrt_output> manyOutputs(outputs > 8 ? outputs : 0);
  ttrt_input *in = inputs > 8 ? manyInputs.data() : inputsHere;
  ttrt_output *out = outputs > 8 ? manyOutputs.data() : outputsHere;
  for (size_t i = 0; i < inputs; ++i) {
    const size_t bytes = called.inputs[i].type.bytes;
    in[i] = {find(given[i], bytes, /*isOutput=*/false), bytes};
  }
  for (size_t i = 0; i < outputs; ++i) {
    const size_t bytes = called.outputs[i].type.bytes;
    out[i] = {find(given[inputs + i], bytes, /*isOutput=*/true), bytes};
  }
  ttrt_error error;
  device->exclusively(error, [&](ttrt_device *opened) {
    return ttrt_run(opened, entry, in, out, /*options=*/nullptr, &error);
  });
}

void AddressCall::operator()(nb::args addresses) const {
  run(addresses, [](nb::handle address, size_t, bool) {
    return reinterpret_cast<void *>(nb::cast<uintptr_t>(address));
  });
}

void AddressCall::runOnArrays(nb::args arrays) const {
  Views views(arrays.size());
  run(arrays, [&](nb::handle array, size_t bytes, bool isOutput) {
    if (isOutput && PyLong_CheckExact(array.ptr()))
      return reinterpret_cast<void *>(nb::cast<uintptr_t>(array));
    return views.add(array, bytes, /*writable=*/isOutput);
  });
}

} // namespace ttrt::python
