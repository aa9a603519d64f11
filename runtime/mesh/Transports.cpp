// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transports of ttrt/mesh.h: how they come to their shared memory.

#include "MappedTransport.h"
#include "Support.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/mesh.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ttrt::mesh;

namespace {

void checkDevices(uint32_t devices) {
  if (devices < 1 || devices > ttrt::kMaxDevices)
    fail(TTRT_INVALID_ARGUMENT, "expected 1 to %u devices, found %u", ttrt::kMaxDevices, devices);
}

/// Closed with the object, unless it was released.
struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0)
      close(value);
  }
  int release() {
    const int result = value;
    value = -1;
    return result;
  }
};

/// Takes a number that all devices must have; the first one sets it.
uint32_t agree(std::atomic<uint32_t> &shared, uint32_t value) {
  uint32_t found = 0;
  return shared.compare_exchange_strong(found, value) ? value : found;
}

std::unique_ptr<MappedTransport> openShared(int memory, uint32_t device, uint32_t devices) {
  checkDevices(devices);
  if (device >= devices)
    fail(TTRT_INVALID_ARGUMENT, "device %u; the mesh has %u, numbered from 0", device, devices);
  Descriptor own{fcntl(memory, F_DUPFD_CLOEXEC, 0)};
  struct stat status;
  if (own.value < 0 || fstat(own.value, &status) != 0)
    fail(TTRT_IO_ERROR, "cannot use descriptor %d as a mesh's memory: %s", memory, strerror(errno));
  const uint64_t bytes = Layout(devices).boards;
  // Another device may do the same at the same time, and then with the same size.
  if (status.st_size == 0 && ftruncate(own.value, static_cast<off_t>(bytes)) != 0)
    fail(TTRT_IO_ERROR, "cannot extend the mesh's memory to %llu bytes: %s",
         static_cast<unsigned long long>(bytes), strerror(errno));
  if (fstat(own.value, &status) != 0 || static_cast<uint64_t>(status.st_size) < Layout(1).boards)
    fail(TTRT_INVALID_ARGUMENT, "descriptor %d is not a mesh's memory: it has %lld bytes", memory,
         static_cast<long long>(status.st_size));
  {
    const Mapping first(own.value, 0, ttrt::kPageSize);
    Header &header = *reinterpret_cast<Header *>(first.data());
    const uint32_t version = agree(header.version, kControlVersion);
    if (version != kControlVersion)
      fail(TTRT_UNSUPPORTED,
           "another device of the mesh has version %u of the transport, this one has %u", version,
           kControlVersion);
    const uint32_t others = agree(header.devices, devices);
    if (others != devices)
      fail(TTRT_INVALID_ARGUMENT, "the mesh's memory is for %u devices, expected %u", others,
           devices);
  }
  if (static_cast<uint64_t>(status.st_size) < bytes)
    fail(TTRT_INVALID_ARGUMENT, "the mesh's memory has %lld bytes, expected at least %llu",
         static_cast<long long>(status.st_size), static_cast<unsigned long long>(bytes));
  auto control = std::make_shared<Mapping>(own.value, 0, bytes);
  Member &self = reinterpret_cast<Member *>(control->data() + Layout(devices).members)[device];
  if (self.taken.exchange(1))
    fail(TTRT_BUSY, "device %u of the mesh is open already, in process %d", device,
         self.pid.load());
  self.pid.store(getpid());
  auto result = std::make_unique<MappedTransport>(std::move(control), own.value, device, devices);
  own.release();
  return result;
}

} // namespace

extern "C" {

ttrt_status ttrt_transport_open_threads(uint32_t devices, ttrt_transport **transports,
                                        ttrt_error *error) {
  return guarded(error, [&] {
    require(transports != nullptr, "transports is NULL");
    checkDevices(devices);
    for (uint32_t i = 0; i < devices; ++i)
      transports[i] = nullptr;
    const auto control = std::make_shared<Mapping>(-1, 0, Layout(devices).boards);
    std::vector<std::unique_ptr<MappedTransport>> all;
    for (uint32_t i = 0; i < devices; ++i)
      all.push_back(std::make_unique<MappedTransport>(control, -1, i, devices));
    for (uint32_t i = 0; i < devices; ++i)
      transports[i] = all[i].release()->interface();
  });
}

ttrt_status ttrt_transport_create_shared(uint32_t devices, int *memory, ttrt_error *error) {
  return guarded(error, [&] {
    require(memory != nullptr, "memory is NULL");
    *memory = -1;
    checkDevices(devices);
    Descriptor created{memfd_create("ttrt-mesh", MFD_CLOEXEC)};
    if (created.value < 0 ||
        ftruncate(created.value, static_cast<off_t>(Layout(devices).boards)) != 0)
      fail(TTRT_IO_ERROR, "cannot create shared memory for %u devices: %s", devices,
           strerror(errno));
    const Mapping first(created.value, 0, ttrt::kPageSize);
    Header &header = *reinterpret_cast<Header *>(first.data());
    header.version.store(kControlVersion);
    header.devices.store(devices);
    *memory = created.release();
  });
}

ttrt_status ttrt_transport_open_shared(int memory, uint32_t device, uint32_t devices,
                                       ttrt_transport **transport, ttrt_error *error) {
  if (transport)
    *transport = nullptr;
  return guarded(error, [&] {
    require(transport != nullptr, "transport is NULL");
    *transport = openShared(memory, device, devices).release()->interface();
  });
}

ttrt_status ttrt_mesh_compare(ttrt_transport *transport, const char *what, const void *data,
                              size_t bytes, ttrt_error *error) {
  return guarded(error, [&] {
    require(transport && what && (data || bytes == 0), "transport, what or data is NULL");
    struct Digest {
      uint64_t bytes, hash;
      bool operator==(const Digest &) const = default;
    };
    const Digest own{bytes, ttrt::hashSegment(data, bytes)};
    std::vector<Digest> all(transport->devices);
    if (transport->gather(transport, &own, sizeof(own), all.data()) != 0)
      fail(TTRT_FAILED, "%s", transport->failure(transport));
    for (uint32_t i = 1; i < transport->devices; ++i)
      if (all[i] != all[0])
        fail(TTRT_INVALID_ARGUMENT,
             "device %u of the mesh has other data than device 0: %s; expected the same on all "
             "devices",
             i, what);
  });
}

void ttrt_transport_close(ttrt_transport *transport) {
  if (MappedTransport::find(transport))
    delete &MappedTransport::of(transport);
}

} // extern "C"
