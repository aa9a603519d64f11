// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle whose programs write the markers that a test asks for.

#ifndef TTC_TEST_UNIT_SUPPORT_SCRIPTBUNDLE_H
#define TTC_TEST_UNIT_SUPPORT_SCRIPTBUNDLE_H

#include "BundleBuilder.h"
#include "ttrt/format/program_markers.h"

#include <string>
#include <vector>

namespace ttrt::test {

inline constexpr uint64_t kAll = UINT64_MAX;
inline constexpr uint64_t kGrid = 16;
inline constexpr uint64_t kScratch = 64 + sizeof(profile::ProgramMarkers);
/// Commands with markers of scriptBundle(), and their numbers.
inline constexpr uint64_t kScripts = 2, kFirst = 2, kSecond = 6;

/// A step of test_script (TestPrograms.c).
enum What : uint64_t {
  Guaranteed = 1,
  Begin,
  End,
  Total,
  AddData,
  Events,
  SetInvalid,
  AnyKind,
  SetCount,
  ShowRoom
};
struct Step {
  What what;
  const char *name = "";
  uint64_t number = 1;
  uint64_t workgroup = kAll;
};
using Script = std::vector<Step>;

inline uint32_t hashOf(const std::string &name) {
  return profile::nameHash(name.data(), name.size());
}

/// x -> y = x + 2. Two commands of test_script, each after one that litters the scratch; or, on the
/// host, one step of it. Names that begin with '?' are not in the bundle.
BundleBuilder scriptBundle(const Script &script, bool onHost = false);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_SCRIPTBUNDLE_H
