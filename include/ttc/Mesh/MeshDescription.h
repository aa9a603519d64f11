// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Meshes as people describe them: in a word, or in a JSON file (docs/mesh.md). Independent of MLIR,
// so that ttrun reads the same descriptions. Nothing here throws.
#ifndef TTC_MESH_MESHDESCRIPTION_H
#define TTC_MESH_MESHDESCRIPTION_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttc {

enum class MeshTopology { All, Ring, Line };

struct MeshAxisDescription {
  std::string name;
  int64_t size = 1;
  MeshTopology topology = MeshTopology::All;
  int64_t linkBytesPerSecond = 0; ///< of one link in one direction; 0: unknown
  int64_t linkLatencyNs = 0;
};

struct MeshDescription {
  std::vector<MeshAxisDescription> axes; ///< outermost first
  /// Why there is none: "expected a topology (all, ring, line), found 'torus' in 'x:2:torus'".
  std::string problem;
};

/// "2x4", "data:2,tensor:4:ring:12.5e9:700", "t3000", or the name of a file that ends with .json.
MeshDescription describeMesh(std::string_view text);
/// The contents of such a file; `path` is for messages.
MeshDescription describeMeshInJson(std::string_view json, std::string_view path);
/// "all", "ring" or "line".
const char *nameOf(MeshTopology topology);

} // namespace ttc

#endif // TTC_MESH_MESHDESCRIPTION_H
