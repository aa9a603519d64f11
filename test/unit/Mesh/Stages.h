// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that execute different exchanges: random programs of exchanges of some groups, sends and
// receives, with offers and delays, whose outputs are compared.

#ifndef TTC_TEST_UNIT_MESH_STAGES_H
#define TTC_TEST_UNIT_MESH_STAGES_H

#include "World.h"

#include <random>

namespace ttrt::test {

/// One group of a case executes it. The devices of other groups do not.
struct Operation {
  size_t index; ///< of the case
  size_t group;
};

/// Collectives of groups of `devices` devices, at least 2: exchanges of some of them, and
/// permutations for send and receive (isPair()), from a few bytes to some 100 KB.
std::vector<Case> makeStages(uint64_t seed, uint32_t devices, uint64_t largest);
/// Whether send and receive execute a case.
bool isPair(const Case &one);
/// A random order of random operations; each device executes those of its groups.
std::vector<Operation> makeProgram(uint64_t seed, const World &world, size_t operations);

struct ProgramOptions {
  uint32_t delay = 0;   ///< sleeps sometimes, for up to that many microseconds
  uint32_t offers = 30; ///< percent of the exchanges that are offered before
  uint64_t begin = 0;   ///< the number of the first iteration, for other inputs
};

/// Executes a device's part of the program and compares every output. Prints what is wrong.
bool runProgram(Member &member, const World &world, ttrt_transport *transport,
                const std::vector<Operation> &program, const ProgramOptions &options);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_MESH_STAGES_H
