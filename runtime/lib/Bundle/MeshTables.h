// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of the tables of a mesh, and what they find there.

#ifndef TTRT_LIB_BUNDLE_MESHTABLES_H
#define TTRT_LIB_BUNDLE_MESHTABLES_H

#include "Bundle/Bundle.h"
#include "ttrt/format/collectives.h"

#include <string>

namespace ttrt {

/// The number of devices of the mesh; 1 without one. Requires that the bundle's axes have been
/// verified.
uint32_t devicesOf(const fb::Bundle &bundle);

/// Calls function(device) for the devices that execute an entry point.
template <typename Function>
void forEachDevice(const fb::Bundle &bundle, const fb::EntryPoint &entry, Function function) {
  for (uint32_t i = 0; i < count(entry.devices()); ++i)
    function(entry.devices()->Get(i));
  const uint32_t all = count(entry.devices()) ? 0 : devicesOf(bundle);
  for (uint32_t device = 0; device < all; ++device)
    function(device);
}
/// Whether a device of the mesh executes an entry point.
bool isExecutedBy(const fb::EntryPoint &entry, uint32_t device);
/// "device 2", "devices 0, 1", "all devices"
std::string describeDevices(const fb::EntryPoint &entry);

/// The segment of the constants with `shard`, as fb::Segment says it; null if there is none.
const fb::Segment *findShard(const fb::Bundle &bundle, uint64_t shard);

/// Sharded constants: those of one device. They begin at the same address on all devices. Empty if
/// there are none.
struct ShardedConstants {
  uint64_t address = 0;
  uint64_t size = 0;  ///< of the device that has most
  uint64_t least = 0; ///< of the device that has least

  bool contains(uint64_t place) const { return place - address < size; }
};
/// All of a bundle whose shards have been verified.
ShardedConstants shardedConstants(const fb::Bundle &bundle);
/// The sharded constants of the devices that execute an entry point.
ShardedConstants shardedConstants(const fb::Bundle &bundle, const fb::EntryPoint &entry);
/// What stands for them in the dataflow, in place of a segment's hash.
uint64_t digestOfShards(const fb::Bundle &bundle);

/// The axes of the mesh, and the segments of its shards. Before verifyRegions().
void verifyShardTables(const Bundle &bundle);
/// How ports are divided, entry points of some devices, and the collectives. After all other
/// tables.
void verifyMesh(const Bundle &bundle);
void verifyParts(const fb::Bundle &bundle);
void verifyCollectives(const Bundle &bundle);
/// Who takes part in collectives, and offers: of each command that an entry point executes. After
/// streams and schedules.
void verifyRoles(const Bundle &bundle);

/// What the moves of a verified collective depend on.
collectives::Shape shapeOf(const fb::Collective &collective);

/// ", which command 3 of trace 'main_t0' (from MatMul_1) executes": the first command that does; ""
/// if there is none. The streams need not have been verified.
std::string describeUse(const Bundle &bundle, uint32_t collective);

/// "all_reduce", ...
const char *nameOf(fb::CollectiveKind kind);
const char *nameOf(fb::CollectiveAlgorithm algorithm);

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_MESHTABLES_H
