// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Log.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ttrun::report {

using namespace ttrt::profile;

int64_t hostTime(uint64_t hostNs) {
  return static_cast<int64_t>(std::min(hostNs, uint64_t(2'000'000'000'000'000'000)));
}

int64_t ClockFit::host(uint64_t ticks) const {
  const double distance = slope * static_cast<double>(static_cast<int64_t>(ticks - deviceOrigin));
  // Times of a damaged log may be far away: no conversion may overflow.
  const double limited = std::clamp(distance + intercept, -2e18, 2e18);
  return hostTime(hostOrigin) + std::llround(limited);
}

/// The distance of two times, which may be in either order.
static double distance(uint64_t from, uint64_t to) {
  return static_cast<double>(static_cast<int64_t>(to - from));
}

ClockFit fitClock(const Log &log) {
  ClockFit fit;
  const auto &samples = log.samples;
  fit.samples = samples.size();
  const bool isHost = log.start.deviceClock == ClockKind::Host;
  if (!isHost && samples.size() < 2) {
    const bool hasMarkers = std::any_of(log.rings.begin(), log.rings.end(),
                                        [](const Ring &ring) { return !ring.markers.empty(); });
    if (hasMarkers)
      throw LogError(fmt::format("bad profile log: {} sample(s) of both clocks; expected at least "
                                 "2 to convert the markers' times",
                                 samples.size()));
    return fit;
  }
  fit.hostOrigin = samples.empty() ? 0 : samples[0].hostNs;
  fit.deviceOrigin = isHost ? fit.hostOrigin : samples[0].device;
  if (samples.empty())
    return fit;

  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(samples.size());
  for (const ClockSample &sample : samples) {
    x += distance(fit.deviceOrigin, sample.device) / n;
    y += distance(fit.hostOrigin, sample.hostNs) / n;
  }
  for (const ClockSample &sample : samples) {
    const double dx = distance(fit.deviceOrigin, sample.device) - x;
    xx += dx * dx;
    xy += dx * (distance(fit.hostOrigin, sample.hostNs) - y);
  }
  // One clock for both needs no fit; its residual then tells what reading it twice costs.
  if (!isHost) {
    fit.slope = xy / xx;
    fit.intercept = y - fit.slope * x;
    if (!std::isfinite(fit.slope) || !(fit.slope > 1e-6) || !(fit.slope < 1e6) ||
        !std::isfinite(fit.intercept))
      throw LogError(fmt::format("bad profile log: the {} samples of both clocks define no clock "
                                 "rate",
                                 samples.size()));
  }
  double squares = 0;
  for (const ClockSample &sample : samples) {
    const double residual = distance(fit.hostOrigin, sample.hostNs) -
                            (fit.slope * distance(fit.deviceOrigin, sample.device) + fit.intercept);
    squares += residual * residual;
    fit.largest = std::max(fit.largest, std::abs(residual));
  }
  fit.rms = std::sqrt(squares / n);
  if (samples.size() > 2 && xx > 0 && !isHost)
    fit.slopeError = std::sqrt(squares / (n - 2) / xx);
  return fit;
}

} // namespace ttrun::report
