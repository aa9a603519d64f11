// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The digest of a collective: what it stands for in the dataflow (dataflow.h). Compiler and loader
// compute it from the same table.

#ifndef TTRT_FORMAT_COLLECTIVE_DIGEST_H
#define TTRT_FORMAT_COLLECTIVE_DIGEST_H

#include "ttrt/format/host_digest.h"

namespace ttrt::dataflow {

/// The digest of all fields that determine the output's bits: all but the name.
inline uint64_t digestOfCollective(const fb::Collective &collective) {
  Digester digester;
  digester.add(static_cast<uint64_t>(Kind::Collective));
  digester.add(static_cast<uint64_t>(collective.kind()));
  digester.add(static_cast<uint64_t>(collective.algorithm()));
  digester.add(static_cast<uint64_t>(collective.reduction()));
  digester.add(static_cast<uint64_t>(collective.dtype()));
  digester.add(collective.groups()->size());
  for (const fb::DeviceGroup *group : *collective.groups())
    digester.add(group->devices());
  digester.add(collective.rows());
  digester.add(collective.root());
  digester.add(collective.sources());
  for (const fb::Operand *operand : *collective.operands())
    digester.add(operand->bytes());
  return digester.digest;
}

} // namespace ttrt::dataflow

#endif // TTRT_FORMAT_COLLECTIVE_DIGEST_H
