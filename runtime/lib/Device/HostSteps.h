// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of host steps: of the functions that the application has registered. Everything is made
// when a device is opened.

#ifndef TTRT_LIB_DEVICE_HOSTSTEPS_H
#define TTRT_LIB_DEVICE_HOSTSTEPS_H

#include "Bundle/HostFunction.h"

#include <memory>
#include <vector>

namespace ttrt {

class Bundle;

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

#endif // TTRT_LIB_DEVICE_HOSTSTEPS_H
