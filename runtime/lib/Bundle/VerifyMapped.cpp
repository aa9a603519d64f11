// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Format.h"
#include "Bundle/DecodedPlan.h"
#include "Bundle/MemoryLayout.h"
#include "Bundle/MeshTables.h"
#include "Bundle/Verifier.h"

#include <algorithm>

namespace ttrt {

namespace {
class MappedVerifier {
public:
  MappedVerifier(const Bundle &bundle, uint32_t device)
      : bundle(bundle), layout(bundle, bundle.addresses().cores, device) {}

  /// `describe` says of which command or step the accesses are.
  template <typename Describe>
  void verify(const fb::EntryPoint *entry, const Action &action, Describe describe) const {
    const Access *bad = nullptr;
    Access found{};
    forEachAccess(bundle, entry, action, [&](const Access &access) {
      if (!bad && !isMapped(access, action)) {
        found = access;
        bad = &found;
      }
    });
    if (bad)
      refuse(*bad, action, describe());
  }

private:
  /// What a collective reads, other devices read, too: they reach writable DRAM, and no constants.
  static bool isCollective(const Action &action) {
    return action.info->inCollective != CollectiveRole::None;
  }
  bool isMapped(const Access &access, const Action &action) const {
    for (const MemoryRange &range : {layout.dram[0], layout.dram[1], layout.dram[2], layout.rest})
      if (range.contains(access.address, access.end()))
        return true;
    return !access.write && !isCollective(action) &&
           (layout.constants.contains(access.address, access.end()) ||
            layout.shard.contains(access.address, access.end()));
  }
  [[noreturn]] void refuse(const Access &access, const Action &action,
                           const std::string &what) const {
    failBad("{}: operand {} {} {:#x} + {} bytes, which are not all {}", what, access.operand,
            access.write ? "writes" : "reads", access.address, access.bytes,
            access.write           ? "writable"
            : isCollective(action) ? "where other devices can reach them"
                                   : "mapped");
  }

  const Bundle &bundle;
  const MemoryLayout layout;
};
} // namespace

static void verifyTrace(const Bundle &bundle, const MappedVerifier &verifier, uint32_t trace) {
  uint32_t command = 0;
  forEachCommand(bundle.stream(trace), [&](const CommandHeader &header) {
    verifier.verify(nullptr, actionOf(header),
                    [&] { return describeCommand(bundle, trace, command); });
    ++command;
  });
}

/// Devices with equally many constants of their own map the same: one of each kind.
static std::vector<uint32_t> findKinds(const Bundle &bundle, const fb::EntryPoint *entry) {
  std::vector<uint32_t> kinds;
  for (uint32_t device = 0; device < devicesOf(bundle.metadata()); ++device)
    if ((!entry || isExecutedBy(*entry, device)) &&
        std::none_of(kinds.begin(), kinds.end(), [&](uint32_t other) {
          return bundle.shardOf(other).size == bundle.shardOf(device).size;
        }))
      kinds.push_back(device);
  return kinds;
}

void verifyMapped(const Bundle &bundle) {
  std::vector<uint8_t> executed(count(bundle.metadata().traces()));
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    for (uint32_t device : findKinds(bundle, entry)) {
      const MappedVerifier verifier(bundle, device);
      std::vector<uint8_t> seen(executed.size());
      for (const fb::Schedule *schedule : *entry->schedules())
        forEachStep(*schedule, [&](const fb::Step &step) {
          verifier.verify(entry, actionOf(step),
                          [&] { return describeStep(bundle, *entry, step); });
          if (step.kind() == fb::StepKind::Execute && !seen[step.index()])
            verifyTrace(bundle, verifier, step.index());
          if (step.kind() == fb::StepKind::Execute)
            seen[step.index()] = executed[step.index()] = 1;
        });
    }
  for (uint32_t i = 0; i < executed.size(); ++i)
    if (!executed[i])
      for (uint32_t device : findKinds(bundle, nullptr))
        verifyTrace(bundle, MappedVerifier(bundle, device), i);
}

} // namespace ttrt
