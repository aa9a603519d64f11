// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is checked and proved of bundles for a mesh alone. libttrt_mesh has the code for that:
// libttrt loads it for such a bundle, and refuses the bundle if it cannot. libttrt.a contains it.

#ifndef TTRT_LIB_BUNDLE_MESHCHECKS_H
#define TTRT_LIB_BUNDLE_MESHCHECKS_H

#include "Bundle/Bundle.h"

namespace ttrt {

/// The checks, in the order of the loader; each relies on what was verified before it.
enum class MeshCheck : uint32_t {
  Shards,  ///< the axes of the mesh and the segments of its shards; before all other tables
  Tables,  ///< how ports are divided, entry points of some devices, collectives; after all others
  Roles,   ///< who takes part in collectives, and offers; after streams and schedules
  Proof,   ///< the moves of collectives, and that devices meet; with the plan in space
  Replicas ///< devices have equal outputs and states where they are declared equal; after the proof
};

} // namespace ttrt

/// The function of libttrt_mesh. It reads nothing of `bundle` unless `version`, that of libttrt, is
/// its own. Thread-safe.
extern "C" TTRT_API ttrt_status ttrt_mesh_check(const char *version, const ttrt::Bundle *bundle,
                                                ttrt::MeshCheck check, const ttrt::PlacedPlan *plan,
                                                ttrt_error *error);

namespace ttrt {

/// The checks of a bundle that is being opened. Does nothing for one that is for one device.
class MeshChecks {
public:
  /// Throws Error if the bundle needs libttrt_mesh, and it cannot be loaded. The metadata is
  /// well-formed.
  explicit MeshChecks(const fb::Bundle &metadata);
  ~MeshChecks();
  MeshChecks(const MeshChecks &) = delete;
  MeshChecks &operator=(const MeshChecks &) = delete;

  /// Throws Error. `plan`: for MeshCheck::Proof and MeshCheck::Replicas.
  void verify(MeshCheck check, const Bundle &bundle, const PlacedPlan *plan = nullptr) const;

private:
  void *library_ = nullptr;
  decltype(&ttrt_mesh_check) function_ = nullptr;
};

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_MESHCHECKS_H
