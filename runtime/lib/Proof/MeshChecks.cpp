// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bundle/MeshChecks.h"

#include "Base/Format.h"
#include "Bundle/MeshTables.h"
#include "Proof/ExchangeMatching.h"
#include "Proof/MeshProver.h"
#include "Proof/ReplicaProver.h"

#include <cstring>
#include <new>

using namespace ttrt;

static void verify(const Bundle &bundle, MeshCheck check, const PlacedPlan *plan) {
  switch (check) {
  case MeshCheck::Shards:
    return verifyShardTables(bundle);
  case MeshCheck::Tables:
    return verifyMesh(bundle);
  case MeshCheck::Roles:
    return verifyRoles(bundle);
  case MeshCheck::Proof:
    verifyCollectiveMoves(bundle);
    return verifyExchangesMatch(bundle, *plan);
  case MeshCheck::Replicas:
    return verifyReplicas(bundle, *plan);
  }
}

extern "C" ttrt_status ttrt_mesh_check(const char *version, const Bundle *bundle, MeshCheck check,
                                       const PlacedPlan *plan, ttrt_error *error) {
  try {
    if (strcmp(version, TTRT_VERSION) != 0)
      fail(TTRT_UNSUPPORTED, "libttrt_mesh is of version {}; expected {}, as libttrt", TTRT_VERSION,
           version);
    verify(*bundle, check, plan);
    return TTRT_OK;
  } catch (const Error &problem) {
    error->status = problem.status;
    formatTo(error->message, "{}", problem.message);
  } catch (const std::bad_alloc &) {
    error->status = TTRT_OUT_OF_MEMORY;
    formatTo(error->message, "out of memory");
  }
  return error->status;
}
