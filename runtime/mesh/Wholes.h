// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points of a mesh: those that all devices execute, and those that entry points of some
// devices, its parts, compute together (EntryPoint.part_of). They are numbered in the order of
// their first parts. The inputs of a whole are those of its parts, each name once, in order; so are
// the outputs. Nothing here allocates.

#ifndef TTRT_MESH_WHOLES_H
#define TTRT_MESH_WHOLES_H

#include "ttrt/ttc_bundle_generated.h"

#include <cstdint>

namespace ttrt::mesh {

inline constexpr uint32_t kNone = ~uint32_t(0);

/// One whole entry point of verified tables.
class Whole {
public:
  /// Throws Error if there are fewer.
  Whole(const fb::Bundle &tables, uint32_t number);
  static uint32_t count(const fb::Bundle &tables);

  const char *name() const;
  /// The entry point that a device executes, or kNone.
  uint32_t partOf(uint32_t device) const;
  /// How many inputs or outputs there are.
  uint32_t ports(bool isInput) const;
  /// The first part that has input or output `index`, and its number there. Throws Error.
  struct Place {
    uint32_t entry, index;
  };
  Place find(uint32_t index, bool isInput) const;
  /// The number of the whole's input or output `index` in the part of a device, or kNone.
  uint32_t numberOn(uint32_t device, uint32_t index, bool isInput) const;

private:
  bool isPart(uint32_t entry) const;
  template <typename Function> bool forEachPort(bool isInput, Function function) const;

  const fb::Bundle &tables_;
  uint32_t first_; ///< entry point
};

} // namespace ttrt::mesh

#endif // TTRT_MESH_WHOLES_H
