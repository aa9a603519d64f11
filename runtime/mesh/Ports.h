// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How inputs and outputs are divided among the devices of a mesh.

#ifndef TTRT_MESH_PORTS_H
#define TTRT_MESH_PORTS_H

#include "Wholes.h"
#include "ttrt/mesh.h"
#include "ttrt/ttc_bundle_generated.h"

namespace ttrt::mesh {

/// The verified tables of a bundle. Throws Error if it is NULL.
const fb::Bundle &tablesOf(const ttrt_bundle *bundle);
/// The number of devices that the tables are for.
uint32_t devicesOf(const fb::Bundle &tables);

/// One input or output, and the parts of it that devices have. Allocates nothing.
class DividedPort {
public:
  /// The port of a whole entry point. Throws Error.
  DividedPort(const ttrt_bundle *bundle, uint32_t entry, uint32_t index, bool isInput);

  const ttrt_mesh_port &whole() const { return whole_; }
  /// Copies a device's part out of `whole`, or into it.
  void scatter(uint32_t device, const uint8_t *whole, uint8_t *part) const;
  void gather(uint32_t device, const uint8_t *part, uint8_t *whole) const;
  /// The number of the port in the device's part of the entry point, or kNone.
  uint32_t numberOn(uint32_t device) const { return entry_.numberOn(device, index_, isInput_); }
  /// The device has the port, and none with a lower number has the same part of it.
  bool isFirst(uint32_t device) const;

private:
  template <typename Copy> void forEachRow(uint32_t device, Copy copy) const;
  uint32_t coordinate(uint32_t device, uint32_t axis) const;
  bool divides(uint32_t axis) const;

  const fb::Bundle &tables_;
  const Whole entry_;
  const uint32_t index_;
  const bool isInput_;
  const fb::Port &port_;
  ttrt_mesh_port whole_;
  uint64_t parts_[TTRT_MESH_MAX_RANK]; ///< per dimension
  uint64_t elementBytes_;
};

} // namespace ttrt::mesh

#endif // TTRT_MESH_PORTS_H
