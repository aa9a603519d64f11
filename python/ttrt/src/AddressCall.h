// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of an entry point by addresses, for callers that have checked their arrays themselves and
// have different ones in each call: the backend of torch.compile(), and ttc.jit().

#ifndef TTRT_PYTHON_ADDRESSCALL_H
#define TTRT_PYTHON_ADDRESSCALL_H

#include "Device.h"

namespace ttrt::python {

/// Arguments are addresses or objects with the buffer protocol. Nothing is checked but their number,
/// and of objects that they are dense, row-major and of the port's size. Addresses must be of such
/// memory, which stays valid during the call. Types are the caller's business.
class AddressCall {
public:
  /// Raises ValueError unless `sizes` are the bytes of all inputs, then of all outputs.
  AddressCall(nb::object device, uint32_t entry, const std::vector<size_t> &sizes);
  /// First of all inputs, then of all outputs, in the order of the entry point.
  void operator()(nb::args addresses) const;
  int traverse(visitproc visit, void *arg);

private:
  nb::object owner;
  Device *device;
  uint32_t entry;
};

} // namespace ttrt::python

#endif // TTRT_PYTHON_ADDRESSCALL_H
