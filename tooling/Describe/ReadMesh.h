// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mesh of a bundle as text and as JSON.

#ifndef TTC_TOOLING_DESCRIBE_READMESH_H
#define TTC_TOOLING_DESCRIBE_READMESH_H

#include "Bundle/Bundle.h"
#include "Formats/Json.h"

#include <string>

namespace ttrun {

/// "x: 2, y: 4"
std::string axesText(const ttrt::fb::Mesh &mesh);
/// "divided by x; -", for each dimension the axes that divide it; "" if every device has all of it.
std::string shardingText(const ttrt::Bundle &bundle, const ttrt::fb::Port &port);
/// "mesh of 4 devices (x: 2, y: 2), 3 collectives, 3 exchanges"
std::string meshSummary(const ttrt::Bundle &bundle);

/// Axes, collectives, and what each device has. Nothing if the bundle has no mesh. `full`:
/// collectives and devices one by one.
void printMesh(const ttrt::Bundle &bundle, bool full);
/// Keys "mesh" and "collectives".
void addMesh(Json &json, const ttrt::Bundle &bundle);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_READMESH_H
