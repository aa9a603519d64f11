// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `ttrun read` says of pipelines: which devices execute which stage, and how long they wait.

#ifndef TTC_TOOLING_DESCRIBE_READSTAGES_H
#define TTC_TOOLING_DESCRIBE_READSTAGES_H

#include "Bundle/Bundle.h"
#include "Formats/Json.h"

namespace ttrun {

/// Nothing for a bundle without entry points of some devices.
void printStages(const ttrt::Bundle &bundle, bool full);
void addStages(Json &json, const ttrt::Bundle &bundle);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_READSTAGES_H
