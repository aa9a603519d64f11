// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which work can be skipped when a run of a schedule ends in the middle of a body: padding
// inferences, whose outputs are not read.

#ifndef TTRT_LIB_DEVICE_SKIPPABLETAIL_H
#define TTRT_LIB_DEVICE_SKIPPABLETAIL_H

#include "Bundle/DecodedPlan.h"

#include <vector>

namespace ttrt {

/// The last of the tails of a schedule in which a run may end where the rest changes states and
/// cannot be left out.
inline constexpr uint32_t kChangesStates = UINT32_MAX;

/// Returns the write steps of the prologue and the body, numbered from the first step of the
/// prologue and in ascending order, at which a run may end without computing the rest. Such a rest
/// (to the end of the part, then the epilogue) writes only activations, output slots that no later
/// read of a real inference uses, and states, if all real inferences have changed these before it.
///
/// Skipping is safe: records and waits are kept, so the order does not change, and fewer accesses
/// cause no new conflicts. What is read later was written before the run ended, or is written by a
/// later run before that run reads it: the proof starts with undefined activations and slots.
std::vector<uint32_t> findSkippableTails(const Bundle &bundle, const DecodedPlan &decoded,
                                         uint32_t entry, uint32_t schedule);

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_SKIPPABLETAIL_H
