// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bundle/MeshChecks.h"

#include "Base/Format.h"
#include "ttrt/format/bundle_format.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

namespace ttrt {

static bool isDivided(const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *ports) {
  return ports && std::any_of(ports->begin(), ports->end(),
                              [](const fb::Port *port) { return count(port->sharding()) != 0; });
}

/// Whether anything is there that only a bundle for a mesh may have, or that must then be right.
static bool isForMesh(const fb::Bundle &bundle) {
  bool found = bundle.mesh() || count(bundle.collectives()) != 0 || isDivided(bundle.states());
  for (uint32_t i = 0; i < count(bundle.required_features()); ++i)
    found |= strcmp(bundle.required_features()->Get(i)->c_str(), kMeshFeature) == 0;
  for (const fb::Segment *segment : *bundle.segments())
    found |= segment->shard() != 0;
  for (const fb::EntryPoint *entry : *bundle.entries())
    found |= count(entry->devices()) != 0 || *text(entry->part_of()) != 0 ||
             isDivided(entry->inputs()) || isDivided(entry->outputs());
  return found;
}

MeshChecks::MeshChecks(const fb::Bundle &metadata) {
  if (!isForMesh(metadata))
    return;
#ifdef TTRT_LOADS_MESH_CHECKS
  library_ = dlopen("libttrt_mesh.so." TTRT_SOVERSION, RTLD_NOW | RTLD_LOCAL);
  if (library_)
    function_ = reinterpret_cast<decltype(function_)>(dlsym(library_, "ttrt_mesh_check"));
  if (!function_) {
    const char *reason = dlerror(); // null if there is no memory for it
    if (library_)
      dlclose(library_);
    fail(TTRT_UNSUPPORTED,
         "the bundle is for a mesh, and libttrt_mesh, which proves it, cannot be "
         "loaded: {}",
         reason ? reason : "out of memory");
  }
#else
  function_ = ttrt_mesh_check;
#endif
}

MeshChecks::~MeshChecks() {
  if (library_)
    dlclose(library_);
}

void MeshChecks::verify(MeshCheck check, const Bundle &bundle, const PlacedPlan *plan) const {
  ttrt_error error;
  if (!function_)
    return;
  if (const ttrt_status status = function_(TTRT_VERSION, &bundle, check, plan, &error))
    throw Error{status, error.message};
}

} // namespace ttrt
