// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scratch and tensors that take turns with the same bytes of L1, by commands of one workgroup and
// of several, with barriers in some places and not in others. The proof must take what can do no
// harm on any number of cores, and nothing else: two judges that share no code with it say which.

#include "Explorer.h"
#include "Oracle.h"
#include "ProofBundles.h"
#include "test/unit/Support/Rounds.h"

#include <gtest/gtest.h>
#include <random>

namespace ttrt::test {
namespace {

constexpr uint32_t kCores = 3;
constexpr uint64_t kL1 = 4096, kUnit = kBufferAlignment;

/// How a tensor lies in L1: its bytes of each core at one offset.
struct Tensor {
  uint32_t shards = 0; ///< 0: interleaved
  uint32_t units = 1;  ///< interleaved: over this number of cores, from the first
  uint64_t offset = 0;
};

struct Work {
  uint32_t chain = 0;
  uint32_t grid = 1;
  bool scratch = false;
  bool perWorkgroup = false; ///< where all its tensors are shards on all cores
  bool barrier = false;      ///< in front of it
  Tensor result;             ///< the last one of a chain writes its slot instead
};

/// Two chains of commands from the slot x to slots of their own, in DRAM, with tensors in L1
/// between them; whose commands follow each other in any order.
struct Plan {
  static constexpr uint32_t kChains = 2;
  std::vector<Work> work;

  /// The previous command of the chain or, with `step` 1, the next one; -1 if there is none.
  int neighbour(size_t command, int step) const {
    for (int i = static_cast<int>(command) + step; i >= 0 && i < static_cast<int>(work.size());
         i += step)
      if (work[static_cast<size_t>(i)].chain == work[command].chain)
        return i;
    return -1;
  }
  bool isOwn(size_t command) const {
    const int before = neighbour(command, -1);
    auto onAll = [&](int made) {
      return made < 0 || work[static_cast<size_t>(made)].result.shards == kCores;
    };
    return work[command].perWorkgroup && work[command].grid == kCores && onAll(before) &&
           (neighbour(command, 1) < 0 || work[command].result.shards == kCores);
  }
  bool hasOwn() const {
    for (size_t i = 0; i < work.size(); ++i)
      if (isOwn(i))
        return true;
    return false;
  }
  /// Whether nothing overlaps at any one time.
  bool isSound() const {
    for (size_t i = 0; i < work.size(); ++i)
      for (size_t j = 0; j < work.size(); ++j) {
        const int last = neighbour(j, 1);
        const bool isAlive = last >= 0 && j <= i && i <= static_cast<size_t>(last);
        if (isAlive && work[i].scratch && work[j].result.offset == 0)
          return false;
        if (isAlive && i != j && neighbour(i, 1) >= 0 &&
            work[i].result.offset == work[j].result.offset)
          return false;
      }
    return true;
  }
  std::string text() const {
    std::string text;
    for (size_t i = 0; i < work.size(); ++i) {
      text += std::string(work[i].barrier ? "barrier; " : "") + "chain " +
              std::to_string(work[i].chain) + " grid " + std::to_string(work[i].grid) +
              (work[i].scratch ? " scratch" : "") + (isOwn(i) ? " own" : "");
      const Tensor &result = work[i].result;
      if (neighbour(i, 1) >= 0)
        text += " -> " +
                (result.shards ? std::to_string(result.shards) + " shards"
                               : "interleaved over " + std::to_string(result.units)) +
                " at " + std::to_string(result.offset);
      text += "; ";
    }
    return text;
  }
  BundleBuilder build() const;
};

BundleBuilder Plan::build() const {
  BundleBuilder builder;
  fb::TargetT &target = *builder.bundle.target;
  target.cores = kCores;
  target.l1_bytes = kL1;
  target.interleaved_l1 = true;
  const uint64_t dram = target.dram_bank_bytes, interleaved = dram + kCores * kL1;
  const uint64_t bytes = kCores * kUnit, x = 4096;
  auto slot = [&](uint64_t index) {
    const std::string name = index ? "y" + std::to_string(index - 1) : "x";
    return builder.buffer(name, fb::BufferKind::Slot, x + index * bytes, bytes);
  };
  fb::EntryPointT &entry = builder.entry("main");
  const std::vector<int64_t> shape = {int64_t(bytes / sizeof(float))};
  BundleBuilder::port(entry.inputs, "x", shape, slot(0));
  for (uint32_t chain = 0; chain < kChains; ++chain)
    BundleBuilder::port(entry.outputs, "y" + std::to_string(chain), shape, slot(1 + chain));

  struct Operand {
    uint64_t address, bytes, pitch; ///< pitch 0: no rows
  };
  auto inL1 = [&](const Tensor &its) -> Operand {
    if (its.shards)
      return {dram + its.offset, (its.shards - 1) * kL1 + kUnit, its.shards > 1 ? kL1 : 0};
    return {interleaved + its.offset * kCores, its.units * kUnit, 0};
  };
  StreamBuilder stream;
  uint64_t time = BundleBuilder::step(entry, fb::StepKind::Write, 0).index + 1;
  std::vector<uint64_t> times;
  for (size_t i = 0; i < work.size(); ++i) {
    const int before = neighbour(i, -1);
    const bool isLast = neighbour(i, 1) < 0;
    const Operand inDram{x, bytes, isOwn(i) ? kUnit : 0};
    const Operand operands[] = {
        before < 0 ? inDram : inL1(work[static_cast<size_t>(before)].result),
        isLast ? Operand{x + (1 + work[i].chain) * bytes, bytes, inDram.pitch}
               : inL1(work[i].result)};
    const uint32_t program =
        builder.program("test_" + std::to_string(i), work[i].grid, {operands[0].bytes},
                        {operands[1].bytes}, work[i].scratch ? kUnit : 0);
    for (size_t o = 0; o < 2; ++o) {
      if (operands[o].pitch == 0)
        continue;
      fb::OperandT &table = *builder.bundle.programs[program]->operands[o];
      table.row_bytes = kUnit;
      table.pitch_bytes = operands[o].pitch;
      table.per_workgroup = isOwn(i);
    }
    if (work[i].barrier) {
      stream.barrier();
      ++time;
    }
    stream.dispatch(program, {operands[0].address, operands[1].address});
    times.push_back(time++);
  }
  stream.end();
  for (size_t i = 0; i < work.size(); ++i)
    if (const int last = neighbour(i, 1); last >= 0) {
      const uint32_t index = builder.buffer(
          "t" + std::to_string(i), fb::BufferKind::Activation, work[i].result.offset, kUnit,
          times[i], times[static_cast<size_t>(last)] + 1, fb::MemorySpace::L1);
      builder.bundle.buffers[index]->shards = work[i].result.shards;
    }
  BundleBuilder::step(entry, fb::StepKind::Execute, builder.trace("main_t0", stream));
  for (uint32_t chain = 0; chain < kChains; ++chain)
    BundleBuilder::step(entry, fb::StepKind::Read, chain);
  return builder;
}

Plan randomPlan(std::mt19937 &random) {
  auto below = [&](uint32_t count) { return static_cast<uint32_t>(random() % count); };
  for (;;) {
    Plan plan;
    const size_t commands = 4 + below(3);
    for (size_t i = 0; i < commands; ++i) {
      Work &work = plan.work.emplace_back();
      work.chain = i < Plan::kChains ? static_cast<uint32_t>(i) : below(Plan::kChains);
      work.grid = below(2) ? 1 : kCores + below(2);
      work.scratch = below(2) == 0;
      work.perWorkgroup = below(2) == 0;
      work.barrier = i > 0 && below(3) == 0;
      work.result.shards = below(2) ? 1 + below(kCores) : 0;
      work.result.units = 1 + below(kCores);
      work.result.offset = below(3) * kUnit;
    }
    if (plan.isSound())
      return plan;
  }
}

std::string worstOf(const BundleBuilder &builder) {
  const Reference reference = referenceOf(builder, 8);
  for (uint32_t cores : {1u, 2u, kCores}) {
    ExploreOptions options;
    options.cores = cores;
    if (std::string fault = exploreAll(builder, reference, options); !fault.empty())
      return fault;
  }
  return "";
}

TEST(Scratch, TheProofTakesWhatDoesNoHarmAndNothingElse) {
#ifdef __OPTIMIZE__
  const int kPlans = isNightly() ? 1500 : 500;
#else
  const int kPlans = 300;
#endif
  std::mt19937 random(7);
  int taken = 0, mixed = 0;
  for (int i = 0; i < kPlans; ++i) {
    const Plan plan = randomPlan(random);
    BundleBuilder builder = plan.build();
    const std::string found = verdict(builder), oracle = findFault(builder, 2),
                      explored = worstOf(builder);
    // That the first workgroup of several is core 0's, too, is not used: with commands whose
    // workgroups keep to themselves, the proof asks for more than it must.
    if (!found.empty() && plan.hasOwn())
      continue;
    EXPECT_EQ(found.empty(), oracle.empty())
        << plan.text() << "\n  proof: " << found << "\n  oracle: " << oracle;
    EXPECT_EQ(found.empty(), explored.empty())
        << plan.text() << "\n  proof: " << found << "\n  explorer: " << explored;
    taken += found.empty();
    bool one = false, several = false, scratch = false, free = false;
    for (size_t j = 1; j < plan.work.size(); ++j) {
      const Work &a = plan.work[j - 1], &b = plan.work[j];
      one |= b.grid == 1;
      several |= b.grid != 1;
      scratch |= b.scratch;
      free |= !b.barrier && (a.grid == 1) != (b.grid == 1);
    }
    mixed += found.empty() && one && several && scratch && free;
  }
  // There are enough of every sort.
  EXPECT_GT(taken, kPlans / 20);
  EXPECT_LT(taken, kPlans * 19 / 20);
  EXPECT_GT(mixed, kPlans / 100);
  RecordProperty("taken", taken);
}

} // namespace
} // namespace ttrt::test
