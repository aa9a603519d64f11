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

int AddressCall::traverse(visitproc visit, void *arg) {
  Py_VISIT(owner.ptr());
  return 0;
}

void AddressCall::operator()(nb::args addresses) const {
  const EntryPoint &called = device->entry(entry);
  const size_t inputs = called.inputs.size(), outputs = called.outputs.size();
  if (addresses.size() != inputs + outputs)
    raiseTypeError("expected " + std::to_string(inputs + outputs) + " addresses, found " +
                   std::to_string(addresses.size()));
  // Most graphs have few: no allocation then.
  ttrt_input inputsHere[8];
  ttrt_output outputsHere[8];
  std::vector<ttrt_input> manyInputs(inputs > 8 ? inputs : 0);
  std::vector<ttrt_output> manyOutputs(outputs > 8 ? outputs : 0);
  ttrt_input *in = inputs > 8 ? manyInputs.data() : inputsHere;
  ttrt_output *out = outputs > 8 ? manyOutputs.data() : outputsHere;
  for (size_t i = 0; i < inputs; ++i)
    in[i] = {reinterpret_cast<void *>(nb::cast<uintptr_t>(addresses[i])),
             called.inputs[i].type.bytes};
  for (size_t i = 0; i < outputs; ++i)
    out[i] = {reinterpret_cast<void *>(nb::cast<uintptr_t>(addresses[inputs + i])),
              called.outputs[i].type.bytes};
  ttrt_error error;
  device->exclusively(error, [&](ttrt_device *opened) {
    return ttrt_run(opened, entry, in, out, /*options=*/nullptr, &error);
  });
}

} // namespace ttrt::python
