// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the handles of the C API hold; ttrt_bundle is in Bundle.h.

#ifndef TTRT_LIB_API_HANDLES_H
#define TTRT_LIB_API_HANDLES_H

#include "Device/Device.h"
#include "Observe/Profiler.h"

#include <memory>

struct ttrt_device {
  std::shared_ptr<ttrt::Device> device;
};

#endif // TTRT_LIB_API_HANDLES_H
