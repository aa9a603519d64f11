// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of the tables of a mesh, and what they find there.

#ifndef TTRT_LIB_MESHTABLES_H
#define TTRT_LIB_MESHTABLES_H

#include "Bundle.h"
#include "ttrt/collectives.h"

#include <string>

namespace ttrt {

/// The devices of the mesh; 1 without one. Of a bundle whose axes have been verified.
uint32_t devicesOf(const fb::Bundle &bundle);

/// Sharded constants: those of one device. All devices have as many bytes, at the same address.
/// Empty if there are none.
struct ShardedConstants {
  uint64_t address = 0, size = 0;

  bool contains(uint64_t place) const { return place - address < size; }
};
/// Both of a bundle whose shards have been verified.
ShardedConstants shardedConstants(const fb::Bundle &bundle);
/// What stands for them in the dataflow, in place of a segment's hash.
uint64_t digestOfShards(const fb::Bundle &bundle);

/// The axes of the mesh, and the segments of its shards. Before verifyRegions().
void verifyShardTables(const Bundle &bundle);
/// How ports are divided, and the collectives. After all other tables.
void verifyMesh(const Bundle &bundle);
void verifyCollectives(const Bundle &bundle);

/// What the moves of a verified collective depend on.
collectives::Shape shapeOf(const fb::Collective &collective);

/// ", which command 3 of trace 'main_t0' (from MatMul_1) executes": the first command that does; ""
/// if there is none. The streams need not have been verified.
std::string describeUse(const Bundle &bundle, uint32_t collective);

/// "all_reduce", ...
const char *nameOf(fb::CollectiveKind kind);
const char *nameOf(fb::CollectiveAlgorithm algorithm);

} // namespace ttrt

#endif // TTRT_LIB_MESHTABLES_H
