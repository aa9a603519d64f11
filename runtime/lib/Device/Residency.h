// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of a device's memory is in use, by type, and which traces are loaded.
// docs/runtime.md, "How slots are kept valid", describes who calls what.

#ifndef TTRT_LIB_DEVICE_RESIDENCY_H
#define TTRT_LIB_DEVICE_RESIDENCY_H

#include "Bundle/Bundle.h"
#include "Device/Memory.h"
#include "ttrt/memory.h"

#include <atomic>
#include <memory>
#include <vector>

namespace ttrt {

class Residency {
public:
  /// All traces are loaded.
  Residency(const Bundle &bundle, DeviceMemory &memory);

  /// Thread-safe; allocates nothing.
  ttrt_memory_use use(ttrt_buffer_type type) const noexcept;
  /// Whether all traces are loaded: one comparison.
  bool isWhole() const noexcept { return released_.load(std::memory_order_relaxed) == 0; }
  bool isLoaded(uint32_t trace) const noexcept {
    return loaded_[trace].load(std::memory_order_relaxed);
  }
  /// Loads or releases a trace. Nothing may execute meanwhile, and calls must not overlap. Throws
  /// Error, changing nothing, if the operating system cannot map the stream's pages.
  void set(uint32_t trace, bool loaded);

private:
  const fb::Trace &traceOf(uint32_t trace) const {
    return *bundle_.metadata().traces()->Get(trace);
  }
  /// Whether the page holds bytes of a loaded trace other than `but`.
  bool isShared(uint64_t page, uint32_t but) const;

  const Bundle &bundle_;
  DeviceMemory &memory_;
  ttrt_memory_use dram_{}, l1_{};
  std::unique_ptr<std::atomic<bool>[]> loaded_; ///< per trace
  std::vector<uint32_t> byAddress_;             ///< traces
  std::atomic<uint32_t> released_{0};
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_RESIDENCY_H
