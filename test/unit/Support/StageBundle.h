// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles whose devices execute different entry points.

#ifndef TTC_TEST_UNIT_SUPPORT_STAGEBUNDLE_H
#define TTC_TEST_UNIT_SUPPORT_STAGEBUNDLE_H

#include "BundleBuilder.h"

namespace ttrt::test {

/// Four devices, stage by x, in two stages of "main". Inputs "x" and
/// "m", outputs "y" and "z" (256 floats each).
///   "main_0", devices 0 and 1: a = reverse(x); b = a + w; sends b; s = sum of a over x; receives
///     g; c = s + g; y = reverse(c)
///   "main_1", devices 2 and 3: receives d; e = d + m; f = e + v; sends e; z = f / 3
/// Constant w is only on devices 0 and 1, v only on 2 and 3, at the same address. The segment of
/// the first has three pages, that of the others one. Activation "f" is in those of the first. The
/// sum is offered before b is sent, if `offers`.
BundleBuilder stageBundle(bool offers = true);

/// Commands of its traces.
enum Stage0Command : size_t {
  kStageReverse = 0,
  kStageOffer = 2,
  kStageAdd = 3,
  kStageSend = 5,
  kStageSum = 6,
  kStageReceive = 7,
  kStageLastAdd = 9
};
enum Stage1Command : size_t { kNextReceive = 0, kNextAdd = 2, kNextSend = 4, kNextAddV = 5 };

/// `devices` devices, each a stage: each receives from the one before and sends to the next one,
/// `parts` times in an inference. Stages in the middle have no ports. Output y of the last one is
/// reverse(...(reverse(x))) of the first one's input.
BundleBuilder chainOfStages(uint32_t devices, uint32_t parts);

/// Lets the constants that are only on the devices of an entry point live for its part of the
/// timeline. After all commands and steps are there.
void setStageConstants(BundleBuilder &builder, const std::vector<std::vector<uint32_t>> &constants);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_STAGEBUNDLE_H
