// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that must hold before a command runs. Each function throws Error with a message that
// says what was expected and what was found. Each relies on those before it having passed.

#ifndef TTRT_LIB_BUNDLE_VERIFIER_H
#define TTRT_LIB_BUNDLE_VERIFIER_H

#include "Bundle/Access.h"
#include "Bundle/Bundle.h"

#include <memory>
#include <string>
#include <vector>

namespace ttrt {

class DataflowReference;
struct DecodedPlan;
struct PlacedPlan;

/// Tables: indices, sizes and alignments, every address in its region, unique names.
void verifyTables(const Bundle &bundle);

/// Programs: what their tables say is what their code was generated for. Returns whether every
/// entry point must have a `dataflow`.
bool verifyFacts(const Bundle &bundle);
/// The facts at the end of the code segment; null if there are none.
const fb::Facts *findFacts(const SegmentView &code);
/// The bytes of the code segment before the facts: the shared object. All of them if there are
/// none.
uint64_t sizeOfObject(const SegmentView &code);

/// Streams: every command is well-formed, every index and address is in range, and there is one end
/// command, the last one.
void verifyStreams(const Bundle &bundle);
/// One trace; `stream` is the address that it is mapped at.
void verifyStream(const Bundle &bundle, uint32_t trace, const uint8_t *stream);

/// Schedules: every step refers to an existing entry, and every wait to an earlier record.
void verifySchedules(const Bundle &bundle);

/// What is wrong with the fields of a step or command, "" if nothing: its index, its slot, the
/// number and addresses of its operands, its addresses. `entry` may be null for commands.
std::string findProblem(const Bundle &bundle, const fb::EntryPoint *entry, const Action &action);

/// Every access of a command or step is to memory that a device maps, and every write is to memory
/// that it may write: for a bundle whose plan is not proved, so that it cannot crash. The proof
/// shows more.
void verifyMapped(const Bundle &bundle);

/// The plan in space: no two buffers that are alive at the same time overlap. Every access stays in
/// one buffer, which is alive and, if the access writes, writable. Returns the plan with the buffer
/// of each access.
PlacedPlan verifyMemory(const Bundle &bundle, DecodedPlan plan);

/// The plan in time, schedule by schedule, for any number of iterations and every interleaving of
/// cores and queues: every read sees the intended write, and accesses that may happen at the same
/// time do not conflict (docs/proof.md). Not thread-safe; bundle and plan must outlive it.
class OrderProofs {
public:
  OrderProofs(const Bundle &bundle, const PlacedPlan &plan);
  ~OrderProofs();

  /// Proves a schedule that has not been proved, its entry point's default schedule first. Returns
  /// whether it may start again while its own epilogue is under way. Throws Error if it is wrong,
  /// then and whenever it is called again.
  bool prove(uint32_t entry, uint32_t schedule);
  /// What was looked at so far.
  Proof proof;

private:
  struct Tables;
  enum class State : uint8_t { Unproved, Proved, Seamless };
  struct Entry {
    std::vector<State> schedules;
    /// What the default schedule computes, if the bundle does not say.
    std::unique_ptr<DataflowReference> learned;
  };

  const Bundle &bundle;
  const PlacedPlan &plan;
  const std::unique_ptr<const Tables> tables;
  std::vector<Entry> entries;
};

/// The code: a shared object that runs nothing when it is loaded, needs nothing, and has every
/// program as a function of its own (CodeObject.h).
void verifyCode(const Bundle &bundle);

/// Whether this machine can run the bundle: architecture and CPU features.
void verifyFit(const Bundle &bundle);

/// True if [begin, end) contains [address, address + size).
constexpr bool isInside(uint64_t address, uint64_t size, uint64_t begin, uint64_t end) {
  return begin <= end && address >= begin && address <= end && size <= end - address;
}

/// The three parts of a schedule in order.
template <typename Function> void forEachStep(const fb::Schedule &schedule, Function function) {
  for (const auto *part : {schedule.prologue(), schedule.body(), schedule.epilogue()})
    for (uint32_t i = 0; i < count(part); ++i)
      function(*part->Get(i));
}

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_VERIFIER_H
