// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one workgroup of a kernel may take: the only constants about time and caches that kernels
// are planned with. They are not those of the target: a program's bits must not depend on the
// number of cores or on the caches of the machine that compiles it, and the CPUs that code is
// generated for differ little in them.
#ifndef TTC_KERNELS_BUDGETS_H
#define TTC_KERNELS_BUDGETS_H

#include <stdint.h>

namespace ttc::kernels {

/// Multiply-adds that are worth a workgroup: some 10 us at 40 G/s. With less, a workgroup costs
/// more in barriers than another core saves.
inline constexpr int64_t kWorkPerGroup = 400'000;
/// The most workgroups of a program: 16 are even on 1, 2, 4, 8 and 16 cores.
inline constexpr int64_t kMaxGroups = 16;

/// The fewest rows per workgroup that use the same weights, where rows are split although that
/// streams the weights once more.
inline constexpr int64_t kRowsForWeights = 24;

/// The depth from which a one-row product reads several panels of weights at once: its weights come
/// from memory or L3.
inline constexpr int64_t kDeepRow = 512;

/// The workgroups of a program that has work for `count`: the nearest power of two, so that 2, 4
/// and 8 cores have equal shares.
constexpr int64_t getEvenGroups(int64_t count) {
  int64_t groups = 1;
  while (groups * 3 <= count * 2)
    groups *= 2;
  return groups;
}
static_assert(getEvenGroups(1) == 1 && getEvenGroups(2) == 2 && getEvenGroups(3) == 4 &&
              getEvenGroups(5) == 4 && getEvenGroups(6) == 8 && getEvenGroups(16) == 16);

/// The most columns of a product whose vectors run along the depth, and what each tap's channels
/// are multiples of then: the lanes of a vector.
inline constexpr int64_t kFewColumns = 4, kFewColumnsDepth = 16;

/// The bytes that a row block's A and one panel of B may take of an L2 cache of 512 KiB, the
/// smallest usual one; the rest is for results and the next panel.
inline constexpr int64_t kL2Budget = 384 * 1024;
/// The tiles for which a panel of narrow weights is converted once, and not in each of them. Its
/// bytes as f32 may take kL2Budget.
inline constexpr int64_t kTilesForConversion = 3;
/// The bytes of A that a row block has at least, however large a panel is: below, panels are
/// streamed too often.
inline constexpr int64_t kMinBlockBytes = 96 * 1024;
/// The bytes of a row block's table of pointers, and of its copied input lines: both compete with
/// A.
inline constexpr int64_t kTableBudget = 64 * 1024;
inline constexpr int64_t kCopyBudget = 96 * 1024;
/// Channels of an input below which a tap ends before its row pointers are loaded: its lines are
/// copied.
inline constexpr int64_t kCopyBelowChannels = 16;
/// The same for bytes, of which four are a step.
inline constexpr int64_t kCopyBytesBelowChannels = 96;

/// The bytes of the scores of a block of rows, which an attention over a cache keeps in L1, beside
/// a panel.
inline constexpr int64_t kScoresBudget = 32 * 1024;
/// The keys of a block of another attention, whose scores with a panel of queries stay in L1: whole
/// tiles of 14 and of 6. It decides in which order a row is summed, so it depends on nothing.
inline constexpr int64_t kBlockKeys = 126;
/// The bytes of state of the panels that read a block of keys one after the other: in L2, beside
/// the block.
inline constexpr int64_t kPanelsBudget = 288 * 1024;
/// The panels of a group from which copying a block's values is worth it.
inline constexpr int64_t kPanelsForCopy = 4;
/// The most scratch of an attention, in L2. Where heads have so many elements that one panel takes
/// more, it is computed as two products with a softmax between them.
inline constexpr int64_t kAttentionBudget = 480 * 1024;

/// The bytes of weights in blocks that are worth a workgroup of one row: 6 us at 16 GB/s.
inline constexpr int64_t kBlockBytesPerGroup = 100'000;
/// Products of bytes that take as long as one of the multiply-adds above.
inline constexpr int64_t kBlockProductsPerStep = 4;
/// The rows from which weights in blocks become f32, where three products of bytes take longer.
inline constexpr int64_t kBlockRowsForFloats = 8;
/// kRowsForWeights for weights in blocks that are multiplied by digits: preparing a row takes as
/// long as multiplying it by 2 to 4 groups, and each part of the groups prepares it again.
inline constexpr int64_t kBlockRowsForWeights = 16;
/// The bytes of prepared activations that are multiplied by the same weights, in L2.
inline constexpr int64_t kBlockActivationBudget = 224 * 1024;
/// The bytes of a group of weights as f32, in L2 beside them.
inline constexpr int64_t kBlockPanelBudget = 192 * 1024;

/// The largest window of a depthwise convolution by dot products: its weights stay in registers.
inline constexpr int64_t kDotRows = 8;
inline constexpr int64_t kDotColumns = 7;

} // namespace ttc::kernels

#endif // TTC_KERNELS_BUDGETS_H
