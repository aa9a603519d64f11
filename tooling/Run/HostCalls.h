// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host functions that a bundle wants, and libraries that have them.

#ifndef TTC_TOOLING_RUN_HOSTCALLS_H
#define TTC_TOOLING_RUN_HOSTCALLS_H

#include "ttrt/host.h"

#include <memory>
#include <string>
#include <vector>

namespace ttrun {

class Json;

/// "com.acme.Clip, version 1 {limit = 6}: f32[1, 64] -> f32[1, 64]". An omitted operand is "none".
std::string describe(const ttrt_host_call &call);
/// An object with the same.
void add(Json &json, const ttrt_host_call &call);

/// Shared libraries with host functions, as --host-library names them.
class HostLibraries {
public:
  /// Loads them, which runs their initialisers. Throws UserError.
  explicit HostLibraries(const std::vector<std::string> &files);

  /// Up to a null, for ttrt_device_options.
  const ttrt_host_function *const *functions() const { return functions_.data(); }

private:
  struct Close {
    void operator()(void *library) const;
  };
  std::vector<std::unique_ptr<void, Close>> libraries_;
  std::vector<const ttrt_host_function *> functions_;
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_HOSTCALLS_H
