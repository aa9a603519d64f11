// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/HostSteps.h"

#include "Base/Format.h"
#include "Base/StructSize.h"
#include "Bundle/Bundle.h"

#include <cstring>

namespace ttrt {

//===----------------------------------------------------------------------===//
// HostStep
//===----------------------------------------------------------------------===//

HostStep::HostStep(const HostFunction &function, const ttrt_host_function &registered,
                   uint8_t *base, const uint64_t *operands)
    : registered(registered), call(function.call),
      tensors(new ttrt_tensor[function.tensors.size()]) {
  for (size_t i = 0; i < function.tensors.size(); ++i) {
    tensors[i] = function.tensors[i];
    if (tensors[i].bytes)
      tensors[i].data = base + *operands++;
  }
  call.operands = tensors.get();
  call.results = tensors.get() + call.operand_count;
}

const char *HostStep::run() noexcept {
  error.message[0] = 0;
  const ttrt_status status = registered.call(registered.user, &call, &error);
  if (status == TTRT_OK) [[likely]]
    return nullptr;
  char reason[sizeof(error.message)];
  error.message[sizeof(error.message) - 1] = 0;
  formatTo(reason, "host function '{}' failed: {}", call.name,
           *error.message ? error.message : ttrt_status_name(status));
  memcpy(error.message, reason, sizeof(reason));
  return error.message;
}

//===----------------------------------------------------------------------===//
// HostFunctionTable
//===----------------------------------------------------------------------===//

HostFunctionTable::HostFunctionTable(const Bundle &bundle, const ttrt_host_function *const *list)
    : wanted(bundle.hostFunctions()) {
  std::vector<ttrt_host_function> all;
  for (; list && *list; ++list) {
    all.push_back(readOptions(*list, "ttrt_host_function"));
    if (!all.back().name || !all.back().call)
      fail(TTRT_INVALID_ARGUMENT, "host function {} has no name or no function", all.size() - 1);
    for (size_t i = 0; i + 1 < all.size(); ++i)
      if (strcmp(all[i].name, all.back().name) == 0)
        fail(TTRT_INVALID_ARGUMENT, "host function '{}' is registered twice", all[i].name);
  }
  std::string missing;
  for (const HostFunction &function : wanted) {
    const char *name = function.call.name;
    const ttrt_host_function *found = nullptr;
    for (const ttrt_host_function &candidate : all)
      if (strcmp(candidate.name, name) == 0)
        found = &candidate;
    registered.push_back(found ? *found : ttrt_host_function{});
    const std::string quoted = "'" + std::string(name) + "'";
    if (!found && missing.find(quoted) == std::string::npos)
      missing += (missing.empty() ? "" : ", ") + quoted;
  }
  if (!missing.empty())
    fail(TTRT_NOT_FOUND,
         "the bundle wants host functions that are not registered: {}; pass them in "
         "ttrt_device_options::host_functions (docs/host-ops.md)",
         missing);
}

std::shared_ptr<HostStep> HostFunctionTable::step(uint32_t program, uint8_t *base,
                                                  const uint64_t *operands) const {
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].program == program)
      return std::make_shared<HostStep>(wanted[i], registered[i], base, operands);
  return nullptr;
}

} // namespace ttrt
