// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport for one device of a mesh without the others: it takes what it would get from others
// from its own memory. What it computes means nothing, but takes the time that it takes in the
// mesh.

#ifndef TTC_TOOLING_RUN_MESH_ALONETRANSPORT_H
#define TTC_TOOLING_RUN_MESH_ALONETRANSPORT_H

#include "ttrt/transport.h"

namespace ttrun {

ttrt_transport *openAlone(uint32_t device, uint32_t devices);
void closeAlone(ttrt_transport *transport);

} // namespace ttrun

#endif // TTC_TOOLING_RUN_MESH_ALONETRANSPORT_H
