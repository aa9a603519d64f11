// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DecodedPlan.h"
#include "Format.h"
#include "Memory.h"
#include "Verifier.h"

namespace ttrt {

namespace {
class MappedVerifier {
public:
  explicit MappedVerifier(const Bundle &bundle)
      : bundle(bundle), layout(bundle, bundle.addresses().cores, /*device=*/0) {}

  /// `describe` says of which command or step the accesses are.
  template <typename Describe>
  void verify(const fb::EntryPoint *entry, const Action &action, Describe describe) const {
    const Access *bad = nullptr;
    Access found{};
    forEachAccess(bundle, entry, action, [&](const Access &access) {
      if (!bad && !isMapped(access)) {
        found = access;
        bad = &found;
      }
    });
    if (bad)
      refuse(*bad, describe());
  }

private:
  bool isMapped(const Access &access) const {
    for (const MemoryRange &range : {layout.dram[0], layout.dram[1], layout.dram[2], layout.rest})
      if (range.contains(access.address, access.end()))
        return true;
    return !access.write && (layout.constants.contains(access.address, access.end()) ||
                             layout.shard.contains(access.address, access.end()));
  }
  [[noreturn]] void refuse(const Access &access, const std::string &what) const {
    failBad("{}: operand {} {} {:#x} + {} bytes, which are not all {}", what, access.operand,
            access.write ? "writes" : "reads", access.address, access.bytes,
            access.write ? "writable" : "mapped");
  }

  const Bundle &bundle;
  const MemoryLayout layout;
};
} // namespace

void verifyMapped(const Bundle &bundle) {
  const MappedVerifier verifier(bundle);
  for (uint32_t i = 0; i < count(bundle.metadata().traces()); ++i) {
    uint32_t command = 0;
    forEachCommand(bundle.stream(i), [&](const CommandHeader &header) {
      verifier.verify(nullptr, actionOf(header),
                      [&] { return describeCommand(bundle, i, command); });
      ++command;
    });
  }
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    for (const fb::Schedule *schedule : *entry->schedules())
      forEachStep(*schedule, [&](const fb::Step &step) {
        verifier.verify(entry, actionOf(step), [&] { return describeStep(bundle, *entry, step); });
      });
}

} // namespace ttrt
