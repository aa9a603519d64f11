// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host functions: programs that the application computes. What a bundle wants of them.

#ifndef TTRT_LIB_BUNDLE_HOSTFUNCTION_H
#define TTRT_LIB_BUNDLE_HOSTFUNCTION_H

#include "ttrt/host.h"
#include "ttrt/ttc_bundle_generated.h"

#include <vector>

namespace ttrt {

/// A program that a host function computes, as the C API describes it. Names, shapes and values are
/// the bundle's.
struct HostFunction {
  /// The table has been verified. `number`: of the program.
  HostFunction(const fb::Program &program, uint32_t number);
  HostFunction(HostFunction &&) = default;

  uint32_t program;
  ttrt_host_call call;
  std::vector<ttrt_tensor> tensors; ///< operands, then results; without data
  std::vector<ttrt_attribute> attributes;
  std::vector<const char *> strings; ///< of all attributes
};

/// Throws Error.
void verifyHostFunction(const fb::Program &program);
/// The functions of all programs of a bundle.
std::vector<HostFunction> findHostFunctions(const fb::Bundle &bundle);

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_HOSTFUNCTION_H
