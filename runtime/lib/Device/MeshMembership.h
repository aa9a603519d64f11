// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_DEVICE_MESHMEMBERSHIP_H
#define TTRT_LIB_DEVICE_MESHMEMBERSHIP_H

#include "Base/ForkGuard.h"
#include "Bundle/Bundle.h"
#include "ttrt/transport.h"

namespace ttrt {

/// Where a device's writable DRAM is mapped from.
struct SharedMemory {
  int descriptor = -1; ///< -1: the memory is anonymous
  uint64_t offset = 0; ///< in the file, of `begin`
  uint64_t begin = 0;  ///< flat address
};

/// A device's part in a mesh, from the time that its transport is prepared. Without a transport, it
/// does nothing.
class MeshMembership {
public:
  /// Waits for the other devices. Throws Error. The transport may be null. Sets `joined` once the
  /// transport is this device's: it must be unbound.
  MeshMembership(const Bundle &bundle, const ttrt_device_options &options, const ForkGuard &process,
                 bool &joined);
  /// A device that could not open has not left: who opened it says why, then unbinds the transport.
  ~MeshMembership() = default;
  MeshMembership(const MeshMembership &) = delete;
  MeshMembership &operator=(const MeshMembership &) = delete;

  ttrt_transport *transport() const { return transport_; }
  /// The device's number; 0 without a mesh.
  uint32_t device() const { return transport_ ? transport_->device : 0; }
  const SharedMemory &memory() const { return memory_; }

  /// The memory is mapped: `base` is flat address 0. From now on, waits have the limit. Throws
  /// Error.
  void bind(uint8_t *base, uint32_t waitMs);
  /// Others do not access the memory any more. Does nothing in a forked child.
  void leave() noexcept;
  /// See ttrt_transport::limit().
  void limit(uint32_t waitMs, uint64_t deadline) const noexcept;
  /// This device has failed. Returns `problem`.
  const char *fail(const char *problem) const noexcept {
    if (transport_)
      transport_->fail(transport_, problem);
    return problem;
  }

private:
  const ForkGuard &process_;
  ttrt_transport *const transport_;
  ttrt_transport_plan plan_{};
  SharedMemory memory_;
  bool isMember_ = false;
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_MESHMEMBERSHIP_H
