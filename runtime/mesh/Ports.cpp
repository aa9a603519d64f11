// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Ports.h"

#include "Support.h"

#include <cstring>

namespace ttrt::mesh {

const fb::Bundle &tablesOf(const ttrt_bundle *bundle) {
  require(bundle != nullptr, "bundle is NULL");
  return *fb::GetBundle(ttrt_bundle_tables(bundle, nullptr));
}

uint32_t devicesOf(const fb::Bundle &tables) {
  uint32_t devices = 1;
  if (tables.mesh())
    for (const fb::MeshAxis *axis : *tables.mesh()->axes())
      devices *= axis->size();
  return devices;
}

static const fb::Port &portAt(const fb::Bundle &tables, Whole::Place place, bool isInput) {
  const fb::EntryPoint &entry = *tables.entries()->Get(place.entry);
  return *(isInput ? entry.inputs() : entry.outputs())->Get(place.index);
}

DividedPort::DividedPort(const ttrt_bundle *bundle, uint32_t entry, uint32_t index, bool isInput)
    : tables_(tablesOf(bundle)), entry_(tables_, entry), index_(index), isInput_(isInput),
      port_(portAt(tables_, entry_.find(index, isInput), isInput)), whole_(TTRT_MESH_PORT_INIT) {
  ttrt_port part = TTRT_PORT_INIT;
  ttrt_error error;
  const Whole::Place place = entry_.find(index, isInput);
  const ttrt_status status =
      isInput ? ttrt_bundle_input(bundle, place.entry, place.index, &part, &error)
              : ttrt_bundle_output(bundle, place.entry, place.index, &part, &error);
  if (status != TTRT_OK)
    throw Error{status, error.message};
  if (part.rank > TTRT_MESH_MAX_RANK)
    fail(TTRT_UNSUPPORTED, "%s '%s' has %u dimensions; expected at most %u",
         isInput ? "input" : "output", part.name, part.rank, TTRT_MESH_MAX_RANK);
  whole_.name = part.name;
  whole_.dtype = part.dtype;
  whole_.rank = part.rank;
  whole_.part_bytes = part.bytes;
  whole_.parts = 1;
  uint64_t elements = 1;
  const auto *sharding = port_.sharding();
  for (uint32_t i = 0; i < part.rank; ++i) {
    elements *= static_cast<uint64_t>(part.shape[i]);
    parts_[i] = 1;
    const auto *axes = sharding && i < sharding->size() ? sharding->Get(i)->axes() : nullptr;
    for (uint32_t j = 0; axes && j < axes->size(); ++j)
      parts_[i] *= tables_.mesh()->axes()->Get(axes->Get(j))->size();
    whole_.shape[i] = part.shape[i] * static_cast<int64_t>(parts_[i]);
    whole_.parts *= static_cast<uint32_t>(parts_[i]);
  }
  elementBytes_ = elements ? part.bytes / elements : 0;
  whole_.bytes = part.bytes * whole_.parts;
}

uint32_t DividedPort::coordinate(uint32_t device, uint32_t axis) const {
  const auto &axes = *tables_.mesh()->axes();
  for (uint32_t i = axes.size(); i-- > axis + 1;)
    device /= axes.Get(i)->size();
  return device % axes.Get(axis)->size();
}

bool DividedPort::divides(uint32_t axis) const {
  for (uint32_t i = 0; port_.sharding() && i < port_.sharding()->size(); ++i)
    if (const auto *list = port_.sharding()->Get(i)->axes())
      for (uint32_t j = 0; j < list->size(); ++j)
        if (list->Get(j) == axis)
          return true;
  return false;
}

bool DividedPort::isFirst(uint32_t device) const {
  if (numberOn(device) == kNone)
    return false;
  const auto *axes = tables_.mesh() ? tables_.mesh()->axes() : nullptr;
  for (uint32_t other = 0; axes && other < device; ++other) {
    bool isSame = numberOn(other) != kNone;
    for (uint32_t axis = 0; axis < axes->size() && isSame; ++axis)
      isSame = !divides(axis) || coordinate(other, axis) == coordinate(device, axis);
    if (isSame)
      return false;
  }
  return true;
}

/// Calls copy(offset in the whole, offset in the part, bytes) for ranges that are consecutive in
/// both.
template <typename Copy> void DividedPort::forEachRow(uint32_t device, Copy copy) const {
  if (whole_.part_bytes == 0)
    return;
  uint64_t begin[TTRT_MESH_MAX_RANK], extent[TTRT_MESH_MAX_RANK], stride[TTRT_MESH_MAX_RANK];
  uint64_t row = elementBytes_, pitch = elementBytes_;
  uint32_t outer = 0; // dimensions outside of a row
  for (uint32_t i = whole_.rank; i-- > 0;) {
    uint64_t part = 0;
    const auto *axes = parts_[i] > 1 ? port_.sharding()->Get(i)->axes() : nullptr;
    for (uint32_t j = 0; axes && j < axes->size(); ++j)
      part = part * tables_.mesh()->axes()->Get(axes->Get(j))->size() +
             coordinate(device, axes->Get(j));
    extent[i] = static_cast<uint64_t>(whole_.shape[i]) / parts_[i];
    begin[i] = part * extent[i];
    stride[i] = pitch;
    pitch *= static_cast<uint64_t>(whole_.shape[i]);
    if (outer == 0) {
      row *= extent[i];
      if (parts_[i] > 1)
        outer = i + 1; // this one is inside; those before it are not
    }
  }
  uint64_t at = 0;
  for (uint32_t i = 0; i < whole_.rank; ++i)
    at += begin[i] * stride[i];
  const uint32_t loops = outer ? outer - 1 : 0;
  uint64_t index[TTRT_MESH_MAX_RANK] = {};
  for (uint64_t done = 0; done < whole_.part_bytes; done += row) {
    copy(at, done, row);
    for (uint32_t i = loops; i-- > 0;) {
      at += stride[i];
      if (++index[i] < extent[i])
        break;
      at -= stride[i] * extent[i];
      index[i] = 0;
    }
  }
}

void DividedPort::scatter(uint32_t device, const uint8_t *whole, uint8_t *part) const {
  forEachRow(device, [&](uint64_t from, uint64_t to, uint64_t bytes) {
    memcpy(part + to, whole + from, bytes);
  });
}

void DividedPort::gather(uint32_t device, const uint8_t *part, uint8_t *whole) const {
  forEachRow(device, [&](uint64_t to, uint64_t from, uint64_t bytes) {
    memcpy(whole + to, part + from, bytes);
  });
}

} // namespace ttrt::mesh

using namespace ttrt::mesh;

static ttrt_status describe(const ttrt_bundle *bundle, uint32_t entry, uint32_t index, bool isInput,
                            ttrt_mesh_port *port, ttrt_error *error) {
  return guarded(error, [&] {
    require(port != nullptr, "port is NULL");
    writeResult(port, DividedPort(bundle, entry, index, isInput).whole(), "ttrt_mesh_port");
  });
}

static void checkDevice(const ttrt_bundle *bundle, uint32_t device) {
  const uint32_t devices = devicesOf(tablesOf(bundle));
  if (device >= devices)
    fail(TTRT_INVALID_ARGUMENT, "device %u; the mesh has %u, numbered from 0", device, devices);
}

extern "C" {

uint32_t ttrt_mesh_devices(const ttrt_bundle *bundle) {
  return bundle ? devicesOf(tablesOf(bundle)) : 0;
}

ttrt_status ttrt_mesh_input(const ttrt_bundle *bundle, uint32_t entry, uint32_t input,
                            ttrt_mesh_port *port, ttrt_error *error) {
  return describe(bundle, entry, input, /*isInput=*/true, port, error);
}

ttrt_status ttrt_mesh_output(const ttrt_bundle *bundle, uint32_t entry, uint32_t output,
                             ttrt_mesh_port *port, ttrt_error *error) {
  return describe(bundle, entry, output, /*isInput=*/false, port, error);
}

ttrt_status ttrt_mesh_scatter(const ttrt_bundle *bundle, uint32_t entry, uint32_t input,
                              uint32_t device, const void *whole, void *part, ttrt_error *error) {
  return guarded(error, [&] {
    require(whole && part, "whole or part is NULL");
    checkDevice(bundle, device);
    const DividedPort port(bundle, entry, input, /*isInput=*/true);
    if (port.numberOn(device) != kNone)
      port.scatter(device, static_cast<const uint8_t *>(whole), static_cast<uint8_t *>(part));
  });
}

ttrt_status ttrt_mesh_gather(const ttrt_bundle *bundle, uint32_t entry, uint32_t output,
                             uint32_t device, const void *part, void *whole, ttrt_error *error) {
  return guarded(error, [&] {
    require(whole && part, "whole or part is NULL");
    checkDevice(bundle, device);
    const DividedPort port(bundle, entry, output, /*isInput=*/false);
    if (port.isFirst(device))
      port.gather(device, static_cast<const uint8_t *>(part), static_cast<uint8_t *>(whole));
  });
}

} // extern "C"
