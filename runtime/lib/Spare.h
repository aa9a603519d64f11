// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What need not be computed where a play of a schedule ends in the middle of a body: inferences
// that nobody asked for.

#ifndef TTRT_LIB_SPARE_H
#define TTRT_LIB_SPARE_H

#include "Decoded.h"

#include <vector>

namespace ttrt {

/// Steps of a schedule's prologue and body, counted from the prologue's first: a write whose input
/// does not come, and all that is left to be computed, from there to the end of its part and in the
/// epilogue, goes to activations, or to slots of outputs that are not read afterwards for an
/// inference that there is. So none of it need be.
///
/// Why nothing else changes: records and waits stay as they are, and so does all order; with fewer
/// accesses there are no new conflicts. What is read afterwards was either written before the play
/// ended, or by another play, which writes whatever it reads: the proof begins with activations and
/// slots that hold nothing.
std::vector<uint32_t> findSpareEnds(const Bundle &bundle, const DecodedBundle &decoded,
                                    uint32_t entry, uint32_t schedule);

} // namespace ttrt

#endif // TTRT_LIB_SPARE_H
