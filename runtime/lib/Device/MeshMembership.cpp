// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/MeshMembership.h"

#include "Base/Format.h"
#include "Bundle/MeshTables.h"
#include "Device/Memory.h"

#include <algorithm>
#include <cstddef>

namespace ttrt {

MeshMembership::MeshMembership(const Bundle &bundle, const ttrt_device_options &options,
                               const ForkGuard &process, bool &joined)
    : process_(process), transport_(options.transport) {
  ttrt_transport *const transport = options.transport;
  const uint32_t devices = devicesOf(bundle.metadata());
  if (!transport) {
    if (devices > 1)
      ttrt::fail(TTRT_INVALID_ARGUMENT,
                 "the bundle is compiled for a mesh of {} devices, and the device has no "
                 "transport; expected "
                 "ttrt_device_options::transport, or ttrt_mesh_open() (mesh.h)",
                 devices);
    return;
  }
  if (transport->size < offsetof(ttrt_transport, limit))
    ttrt::fail(TTRT_INVALID_ARGUMENT, "ttrt_transport::size is {}; expected {}", transport->size,
               sizeof(ttrt_transport));
  if (!bundle.metadata().mesh() && transport->devices != 1)
    ttrt::fail(TTRT_INVALID_ARGUMENT,
               "the bundle has no mesh, and the transport has {} devices; expected no transport",
               transport->devices);
  if (transport->devices != devices || transport->device >= devices)
    ttrt::fail(
        TTRT_INVALID_ARGUMENT,
        "the bundle is compiled for a mesh of {} devices; the transport is of device {} of {}",
        devices, transport->device, transport->devices);
  const MemoryLayout layout(bundle, bundle.addresses().cores, transport->device);
  const MemoryRange writable = layout.writable();
  plan_ = {sizeof(plan_), bundle.metadataBegin(), bundle.metadataHash(), writable.begin,
           writable.end};
  // Devices open one after the other: they load the bundle first.
  constexpr uint32_t kOpeningMs = 120000;
  limit(options.wait_limit_ms ? std::max(options.wait_limit_ms, kOpeningMs) : 0, 0);
  ttrt_error error;
  memory_.begin = writable.begin;
  if (const ttrt_status status =
          transport->prepare(transport, &plan_, &memory_.descriptor, &memory_.offset, &error);
      status != TTRT_OK)
    throw Error{status, error.message};
  isMember_ = joined = true;
}

void MeshMembership::bind(uint8_t *base, uint32_t waitMs) {
  ttrt_error error;
  if (transport_)
    if (const ttrt_status status = transport_->bind(transport_, base, &error); status != TTRT_OK)
      throw Error{status, error.message};
  limit(waitMs, 0);
}

void MeshMembership::limit(uint32_t waitMs, uint64_t deadline) const noexcept {
  if (transport_ && transport_->size >= sizeof(ttrt_transport) && transport_->limit)
    transport_->limit(transport_, waitMs, deadline);
}

void MeshMembership::leave() noexcept {
  if (isMember_ && !process_.isChild())
    transport_->unbind(transport_);
  isMember_ = false;
}

} // namespace ttrt
