// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host functions: what a bundle wants, what the application has registered, and the calls of host
// steps. Everything is made when a bundle or a device is opened.

#ifndef TTRT_LIB_DEVICE_HOSTFUNCTIONS_H
#define TTRT_LIB_DEVICE_HOSTFUNCTIONS_H

#include "ttrt/host.h"
#include "ttrt/ttc_bundle_generated.h"

#include <memory>
#include <vector>

namespace ttrt {

class Bundle;

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

/// The call of one host step, on its operands.
class HostStep {
public:
  HostStep(const HostFunction &function, const ttrt_host_function &registered, uint8_t *base,
           const uint64_t *operands);
  HostStep(const HostStep &) = delete;
  HostStep &operator=(const HostStep &) = delete;

  /// Null, or what went wrong. Valid until the next run.
  const char *run() noexcept;

private:
  const ttrt_host_function registered;
  ttrt_host_call call;
  const std::unique_ptr<ttrt_tensor[]> tensors;
  ttrt_error error{};
};

/// The functions that an application has registered, for the programs that want them.
class HostFunctionTable {
public:
  /// Throws Error if one is missing. `list` may be null.
  HostFunctionTable(const Bundle &bundle, const ttrt_host_function *const *list);
  /// Null if the program is compiled code.
  std::shared_ptr<HostStep> step(uint32_t program, uint8_t *base, const uint64_t *operands) const;

private:
  const std::vector<HostFunction> &wanted;
  std::vector<ttrt_host_function> registered; ///< for each of `wanted`
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_HOSTFUNCTIONS_H
