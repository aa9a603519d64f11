// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the devices of a mesh have begun their exchanges: what an exchange waits for.

#ifndef TTC_TOOLING_PROFILE_EXCHANGEBEGINS_H
#define TTC_TOOLING_PROFILE_EXCHANGEBEGINS_H

#include "Profile/Model.h"
#include "Profile/PairMarkers.h"

#include <map>
#include <optional>
#include <vector>

namespace ttrun::report {

class ExchangeBegins {
public:
  ExchangeBegins() = default;
  /// `rings` are those of the log, in its order.
  ExchangeBegins(const Log &log, const ClockFit &clock, const std::vector<DeviceModel> &models,
                 const std::vector<RingZones> &rings);

  /// When the last device of the group has begun the exchange that a device begins at `begin`, on
  /// the host's clock. Nothing if not all of them are in the recording, or markers are missing.
  std::optional<int64_t> latestBegin(uint32_t device, uint32_t collective, int64_t begin) const;

private:
  /// The devices of its group in a collective, as the log counts them; empty: unknown.
  std::vector<uint32_t> membersOf(const Log &log, const DeviceModel &model, uint32_t device,
                                  uint32_t collective) const;

  struct Exchanges {
    std::vector<int64_t> begins; ///< in order of time
    std::vector<uint32_t> members;
  };
  /// By device of the log and collective.
  std::vector<std::map<uint32_t, Exchanges>> exchanges;
};

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_EXCHANGEBEGINS_H
