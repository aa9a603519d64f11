// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DecodedPlan.h"
#include "Format.h"
#include "Memory.h"
#include "Verifier.h"

namespace ttrt {

void verifyMapped(const Bundle &bundle) {
  const MemoryLayout layout(bundle, bundle.addresses().cores);
  auto isMapped = [&](const Access &access) {
    for (const MemoryRange &range : {layout.dram[0], layout.dram[1], layout.rest})
      if (range.contains(access.address, access.end()))
        return true;
    return !access.write && layout.constants.contains(access.address, access.end());
  };
  auto verify = [&](const fb::EntryPoint *entry, const Action &action, auto describe) {
    forEachAccess(bundle, entry, action, [&](const Access &access) {
      if (!isMapped(access))
        failBad("{}: operand {} {} {:#x} + {} bytes, which are not all {}", describe(),
                access.operand, access.write ? "writes" : "reads", access.address, access.bytes,
                access.write ? "writable" : "mapped");
    });
  };
  for (uint32_t i = 0; i < count(bundle.metadata().traces()); ++i) {
    uint32_t command = 0;
    forEachCommand(bundle.stream(i), [&](const CommandHeader &header) {
      verify(nullptr, actionOf(header), [&] { return describeCommand(bundle, i, command); });
      ++command;
    });
  }
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    for (const fb::Schedule *schedule : *entry->schedules())
      forEachStep(*schedule, [&](const fb::Step &step) {
        verify(entry, actionOf(step), [&] { return describeStep(bundle, *entry, step); });
      });
}

} // namespace ttrt
