// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How near an op is to what its device can do.

#ifndef TTC_TOOLING_PROFILE_ROOFLINE_H
#define TTC_TOOLING_PROFILE_ROOFLINE_H

#include "Profile/Machine.h"
#include "Profile/Model.h"

#include <optional>

namespace ttrun {
class Json;
}

namespace ttrun::report {

/// The least time of an op, in nanoseconds. What is not known is empty.
struct Ideal {
  std::optional<double> compute;   ///< its operations, with all cores of the device
  std::optional<double> bandwidth; ///< the bytes of DRAM that it reads and writes
  /// The larger one of those that are known.
  std::optional<double> least() const;
  /// Adds the ideal of an op that follows; known if both are.
  Ideal &operator+=(const Ideal &other);
};
Ideal idealOf(const OpInfo &op, const Limits &limits);

/// `ideal` as a share of a duration; empty if it is not known or the duration is 0.
std::optional<double> shareOf(const std::optional<double> &ideal, double duration);

/// The fields of an op in report.json: only those that are known.
void addIdeal(Json &json, uint64_t flops, const Ideal &ideal, double duration);
/// The fields of a device's limits: only those that are known.
void addLimits(Json &json, const Limits &limits);
/// "limits   512.3 GFLOP/s, ..., 20.1 GB/s (measured on 2 cores)"
std::string limitsText(const Limits &limits);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_ROOFLINE_H
