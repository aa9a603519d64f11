// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tables of a mesh say, for bundles of one device, too.

#include "Bundle/MeshTables.h"

#include "Base/Format.h"
#include "ttrt/format/dataflow.h"

#include <algorithm>

namespace ttrt {

uint32_t devicesOf(const fb::Bundle &bundle) {
  uint32_t devices = 1;
  if (const fb::Mesh *mesh = bundle.mesh())
    for (const fb::MeshAxis *axis : *mesh->axes())
      devices *= axis->size();
  return devices;
}

bool isExecutedBy(const fb::EntryPoint &entry, uint32_t device) {
  const auto *devices = entry.devices();
  return count(devices) == 0 ||
         std::binary_search(devices->data(), devices->data() + devices->size(), device);
}

std::string describeDevices(const fb::EntryPoint &entry) {
  if (count(entry.devices()) == 0)
    return "all devices";
  const uint32_t devices = count(entry.devices()), named = std::min(devices, 16u);
  std::string what = devices == 1 ? "device " : "devices ";
  for (uint32_t i = 0; i < named; ++i)
    what += formatText("{}{}", i ? ", " : "", entry.devices()->Get(i));
  return named < devices ? what + formatText(" and {} more", devices - named) : what;
}

const fb::Segment *findShard(const fb::Bundle &bundle, uint64_t shard) {
  for (const fb::Segment *segment : *bundle.segments())
    if (segment->kind() == fb::SegmentKind::Constants && segment->shard() == shard)
      return segment;
  return nullptr;
}

/// Null if the device has no constants of its own.
static const fb::Segment *findShardOf(const fb::Bundle &bundle, uint32_t device) {
  return findShard(bundle, uint64_t(bundle.mesh()->shards()->Get(device)) + 1);
}

template <typename ForEachDevice>
static ShardedConstants measureShards(const fb::Bundle &bundle, ForEachDevice forEachDevice) {
  ShardedConstants found;
  if (!bundle.mesh() || count(bundle.mesh()->shards()) == 0)
    return found;
  found.least = ~uint64_t(0);
  forEachDevice([&](uint32_t device) {
    const fb::Segment *segment = findShardOf(bundle, device);
    const uint64_t size = segment ? segment->size() : 0;
    found.address = segment ? segment->address() : found.address;
    found.size = std::max(found.size, size);
    found.least = std::min(found.least, size);
  });
  return found;
}

ShardedConstants shardedConstants(const fb::Bundle &bundle) {
  return measureShards(bundle, [&](auto function) {
    for (uint32_t device = 0; device < devicesOf(bundle); ++device)
      function(device);
  });
}

ShardedConstants shardedConstants(const fb::Bundle &bundle, const fb::EntryPoint &entry) {
  return measureShards(bundle, [&](auto function) { forEachDevice(bundle, entry, function); });
}

uint64_t digestOfShards(const fb::Bundle &bundle) {
  const auto *shards = bundle.mesh() ? bundle.mesh()->shards() : nullptr;
  return dataflow::digestOfShards(count(shards), [&](uint32_t device) {
    const fb::Segment *segment = findShardOf(bundle, device);
    return segment ? segment->hash() : 0;
  });
}

} // namespace ttrt
