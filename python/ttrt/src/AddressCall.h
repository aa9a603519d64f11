// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of an entry point by addresses, for callers that have checked their arrays themselves and
// have different ones in each call: the backend of torch.compile(), and ttc.jit().

#ifndef TTRT_PYTHON_ADDRESSCALL_H
#define TTRT_PYTHON_ADDRESSCALL_H

#include "Device.h"

namespace ttrt::python {

/// Arguments are the memory of all inputs, then of all outputs, in the order of the entry point.
/// Their types are the caller's business.
class AddressCall {
public:
  /// Raises ValueError unless `sizes` are the bytes of all inputs, then of all outputs.
  AddressCall(nb::object device, uint32_t entry, const std::vector<size_t> &sizes);
  /// Checks nothing but the number of addresses. They must be of dense, row-major memory of the
  /// ports' sizes, which stays valid during the call.
  void operator()(nb::args addresses) const;
  /// Takes objects with the buffer protocol. Checks that they are dense, row-major and of the
  /// ports' sizes, and that outputs can be written. An output may be an address instead.
  void runOnArrays(nb::args arrays) const;
  int traverse(visitproc visit, void *arg);

private:
  template <typename Find> void run(nb::args given, Find find) const;

  nb::object owner;
  Device *device;
  uint32_t entry;
};

} // namespace ttrt::python

#endif // TTRT_PYTHON_ADDRESSCALL_H
