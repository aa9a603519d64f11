// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a verified bundle can run on this machine. It can if the machine has at least what the
// bundle needs.

#include "Base/Format.h"
#include "Bundle/Host.h"
#include "Bundle/Verifier.h"

#include <algorithm>

namespace ttrt {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bundles are little-endian");

void verifyFit(const Bundle &bundle) {
  const fb::Target &target = *bundle.metadata().target();
  if (hostArchitecture() != text(target.arch()))
    fail(TTRT_UNSUPPORTED, "bundle is compiled for {} ({}); this machine is {}",
         text(target.arch()), text(target.cpu()), hostArchitecture().data());
  std::string missing;
  const auto features = hostFeatures();
  for (uint32_t i = 0; i < count(target.features()); ++i) {
    const char *feature = target.features()->Get(i)->c_str();
    if (std::find(features.begin(), features.end(), feature) == features.end())
      missing += (missing.empty() ? "" : ", ") + std::string(feature);
  }
  if (!missing.empty())
    fail(TTRT_UNSUPPORTED,
         "bundle is compiled for CPU '{}' and needs features that this one ({}) lacks: {}",
         text(target.cpu()), hostModel(), missing);
  if (target.chips() != 1)
    fail(TTRT_UNSUPPORTED, "bundle is planned for {} chips; this runtime runs one", target.chips());
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    bool single = false;
    for (const fb::Schedule *schedule : *entry->schedules())
      single |= schedule->queues() == 1;
    if (!single)
      fail(TTRT_UNSUPPORTED,
           "entry point '{}' has no schedule for one command queue, and this runtime has one",
           text(entry->name()));
  }
}

} // namespace ttrt
