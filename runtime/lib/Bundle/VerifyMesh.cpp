// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a mesh: its axes, the constants that each device has its own of, the division of
// inputs and outputs. VerifyCollectives.cpp checks collectives.

#include "Bundle/MeshTables.h"
#include "Bundle/TableChecks.h"
#include "Bundle/Verifier.h"
#include "ttrt/format/dataflow.h"

#include <algorithm>
#include <cstring>

namespace ttrt {

static void verifyAxes(const fb::Bundle &bundle) {
  if (const fb::Mesh *mesh = bundle.mesh()) {
    if (mesh->axes()->size() == 0)
      failBad("the mesh has no axes");
    checkNames("axis of the mesh", mesh->axes());
    uint64_t devices = 1;
    for (const fb::MeshAxis *axis : *mesh->axes()) {
      if (axis->topology() > fb::LinkTopology::MAX)
        failBad("axis '{}' of the mesh has links of kind {}, which this runtime does not support",
                text(axis->name()), (unsigned)axis->topology());
      if (axis->size() == 0 || (devices *= axis->size()) > kMaxDevices)
        failBad("axis '{}' of the mesh has size {}; expected at least 1, and at most {} devices in "
                "all",
                text(axis->name()), axis->size(), kMaxDevices);
    }
  }
  bool named = false;
  for (uint32_t i = 0; i < count(bundle.required_features()); ++i)
    named |= strcmp(bundle.required_features()->Get(i)->c_str(), kMeshFeature) == 0;
  if (const uint32_t devices = devicesOf(bundle); named != (devices > 1))
    failBad("bundle of {} devices {} feature '{}'; expected that of a mesh of more than one",
            devices, named ? "requires" : "does not require", kMeshFeature);
}

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

/// Each device has a segment or kNoShard, each segment a device, and all begin at one address.
/// Bundle.cpp has checked that shards are of constants, and each there once.
static void verifyShards(const fb::Bundle &bundle) {
  const auto *shards = bundle.mesh() ? bundle.mesh()->shards() : nullptr;
  const uint32_t devices = devicesOf(bundle);
  if (count(shards) != 0 && count(shards) != devices)
    failBad("the mesh names the shards of {} devices; expected none, or those of all {}",
            count(shards), devices);
  std::vector<uint8_t> seen(count(shards)); // a device has each shard
  for (uint32_t device = 0; device < count(shards); ++device) {
    const uint32_t shard = shards->Get(device);
    if (shard == kNoShard)
      continue;
    if (shard >= devices || !findShard(bundle, shard + 1))
      failBad("device {} of the mesh has shard {} of the constants; the bundle has no such segment",
              device, shard);
    seen[shard] = 1;
  }
  const fb::Segment *first = nullptr;
  for (const fb::Segment *segment : *bundle.segments()) {
    if (segment->shard() == 0)
      continue;
    const uint32_t shard = segment->shard() - 1;
    if (shard >= seen.size() || !seen[shard])
      failBad("segment constants, shard {}: no device of the mesh has it", shard);
    if (first && segment->address() != first->address())
      failBad("segment constants, shard {}, is at {:#x}; expected {:#x}, as shard {}", shard,
              segment->address(), first->address(), first->shard() - 1);
    first = first ? first : segment;
  }
}

/// The sharded constants' pages are apart from those of the others and of the streams.
static void verifyPlaceOfShards(const Bundle &bundle) {
  const ShardedConstants sharded = shardedConstants(bundle.metadata());
  if (sharded.size == 0)
    return;
  const fb::Region *region = bundle.metadata().trace_region();
  const uint64_t limit = (region ? region->address() : bundle.addresses().dramBytes);
  const fb::Segment *common = findShard(bundle.metadata(), 0);
  const uint64_t begin = sharded.address;
  if (begin % kPageSize != 0 || !isInside(begin, sharded.size, 0, limit / kPageSize * kPageSize))
    failBad("shards of constants at {:#x} + {} bytes; expected whole pages below the trace region "
            "at {:#x}",
            begin, sharded.size, limit);
  if (common && common->address() < alignUp(begin + sharded.size, kPageSize) &&
      begin < alignUp(common->address() + common->size(), kPageSize))
    failBad("shards of constants at {:#x} share a page with the constants of all devices at {:#x}",
            begin, common->address());
}

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

static void verifySharding(const fb::Bundle &bundle, const char *what, const fb::Port &port) {
  const auto *sharding = port.sharding();
  if (count(sharding) == 0)
    return;
  const char *label = text(port.name());
  const uint32_t axes = bundle.mesh() ? bundle.mesh()->axes()->size() : 0;
  if (count(sharding) != count(port.shape()))
    failBad("{} '{}' is divided in {} dimensions; it has {}", what, label, count(sharding),
            count(port.shape()));
  std::vector<uint8_t> used(axes);
  uint64_t bytes = sizeOf(port);
  for (uint32_t i = 0; i < sharding->size(); ++i) {
    const auto *list = sharding->Get(i)->axes();
    for (uint32_t j = 0; j < count(list); ++j) {
      const uint32_t axis = list->Get(j);
      if (axis >= axes)
        failBad("{} '{}', dimension {}, is divided by axis {} of the mesh; the mesh has {}", what,
                label, i, axis, axes);
      const fb::MeshAxis &table = *bundle.mesh()->axes()->Get(axis);
      if (used[axis])
        failBad("{} '{}', dimension {}, is divided by axis '{}' of the mesh; expected each axis "
                "at most once",
                what, label, i, text(table.name()));
      used[axis] = 1;
      if (__builtin_mul_overflow(bytes, table.size(), &bytes) || bytes > INT64_MAX)
        failBad("{} '{}' of all devices has more than 2^63 bytes", what, label);
    }
  }
}

static void verifyPorts(const fb::Bundle &bundle) {
  auto verify = [&](const char *what, const auto *ports) {
    for (uint32_t i = 0; i < count(ports); ++i)
      verifySharding(bundle, what, *ports->Get(i));
  };
  for (const fb::EntryPoint *entry : *bundle.entries()) {
    verify("input", entry->inputs());
    verify("output", entry->outputs());
  }
  verify("state", bundle.states());
}

void verifyShardTables(const Bundle &bundle) {
  verifyAxes(bundle.metadata());
  verifyShards(bundle.metadata());
  verifyPlaceOfShards(bundle);
}

void verifyMesh(const Bundle &bundle) {
  verifyPorts(bundle.metadata());
  verifyParts(bundle.metadata());
  verifyCollectives(bundle);
}

} // namespace ttrt
