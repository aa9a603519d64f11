// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps and commands of a schedule of a mesh, queue by queue, as MeshExplorer.cpp executes
// them.

#ifndef TTC_TEST_UNIT_PROOF_MESHPLAN_H
#define TTC_TEST_UNIT_PROOF_MESHPLAN_H

#include "test/unit/Support/BundleBuilder.h"

namespace ttrt::test::mesh {

constexpr uint64_t kUnit = 64; ///< bytes of a cell; operands are whole cells

struct Range {
  uint64_t first, count; ///< cells
};

/// What a queue does at one of its positions.
struct Work {
  enum Kind { Write, Read, Run, Exchange, Barrier, Record, Wait } kind;
  uint32_t index = 0; ///< input, output, program, collective, or number of a record
  bool alone = true;  ///< core 0 does it
  std::vector<Range> reads, writes;
};

/// A schedule of all devices: they have the same one.
struct Plan {
  std::vector<std::vector<Work>> queues;
  std::vector<std::pair<size_t, size_t>> hostOrder; ///< queue and position
  uint32_t records = 0;
};

/// Unrolls a schedule of the first entry point, with this many bodies.
Plan unroll(const BundleBuilder &builder, size_t schedule, uint32_t bodies);

} // namespace ttrt::test::mesh

#endif // TTC_TEST_UNIT_PROOF_MESHPLAN_H
