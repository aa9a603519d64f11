// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exhaustive model checking of small schedules: every state that queues and cores can reach, by
// every interleaving, of a given number of iterations. No theory of what happens before what: only
// what each thread may do next.
//
// A queue's thread is its core 0; traces run on all cores of the queue. Every piece of work (the
// share of a command that one core has, in up to two pieces; a transfer in two pieces) begins and
// ends, with everything that others do in between. All is explored twice: with shares where they
// belong, and with those that other cores may take over taken over by the next core.
//
//   race      two pieces of different commands are under way that touch the same bytes, one writing
//   data      a read gives something else than the same inference in the reference, or a state
// holds something else in the end than that number of inferences leaves there
//   order     two interleavings that did the same have left different bytes
// deadlock  no thread can continue
//
// Work is what it reads: the bytes that a command writes are named by the command and by the names
// of all bytes that it has read. So outputs are right when their names are those of the reference.

#ifndef TTC_TEST_UNIT_PROOF_EXPLORER_H
#define TTC_TEST_UNIT_PROOF_EXPLORER_H

#include "Cells.h"

namespace ttrt::test {

struct ExploreOptions {
  uint32_t bodies = 2;
  uint32_t runs = 1;     ///< prologue, bodies, epilogue; and again
  uint32_t cores = 2;    ///< of each queue
  uint32_t capacity = 0; ///< steps in a ring; 0: all
  uint64_t mostStates = 4'000'000;
};

struct Explored {
  std::string fault;              ///< "" if there is none; "too large" if it was given up
  std::vector<std::string> trail; ///< an interleaving that leads there
  uint64_t states = 0;
  double interleavings = 0; ///< complete ones
};

Explored explore(const BundleBuilder &builder, size_t entry, size_t schedule,
                 const Reference &reference, const ExploreOptions &options);

/// The same of a schedule that was unrolled, and perhaps changed, already.
Explored explore(const ScheduleModel &model, size_t entry, size_t schedule, Unrolled unrolled,
                 const Reference &reference, const ExploreOptions &options);

/// All schedules with 0 to `options.bodies` bodies; the first fault, with the schedule's name.
std::string exploreAll(const BundleBuilder &builder, const Reference &reference,
                       const ExploreOptions &options, Explored *sum = nullptr);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_EXPLORER_H
