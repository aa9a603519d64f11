// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of a profiler (ttrt/format/profile_log.h), read and checked. A log is untrusted input:
// whatever its bytes are, reading ends with a log or a LogError, and takes memory in proportion to
// the file.

#ifndef TTC_TOOLING_PROFILE_LOG_H
#define TTC_TOOLING_PROFILE_LOG_H

#include "Support/Error.h"
#include "ttrt/format/profile_log.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ttrun::report {

using ttrt::profile::kNone;

/// A log that cannot be read. The message says where, what was expected and what was found.
struct LogError : UserError {
  using UserError::UserError;
};

struct Device {
  ttrt::profile::DeviceRecord info;
  std::string bundle; ///< path
  uint32_t coresOf(uint32_t queue) const { return queue == 0 ? info.cores : info.queue1Cores; }
};

struct Ring {
  ttrt::profile::RingRecord info;
  std::vector<ttrt::profile::Marker> markers;
  uint64_t dropped = 0;           ///< by the records of drops
  uint64_t droppedInPrograms = 0; ///< by programs, which had no room for them
};

struct ZoneInfo {
  std::string name, file;
  uint32_t line = 0, color = 0;
};

struct CounterInfo {
  ttrt::profile::CounterRecord record;
  std::string name;
  bool isCounted() const { return record.problem == 0; }
};

struct Text {
  uint64_t hostNs;
  ttrt::profile::TextKind kind;
  uint32_t thread, color;
  std::string first, second;
};

struct Log {
  ttrt::profile::StartRecord start{};
  std::string process;
  std::vector<Device> devices;
  std::vector<Ring> rings;
  std::map<uint32_t, ZoneInfo> zones; ///< the application's
  std::vector<CounterInfo> counters;
  std::vector<ttrt::profile::ClockSample> samples;
  std::vector<ttrt::profile::HostMarker> hostMarkers;
  std::vector<Text> texts;
  std::vector<ttrt::profile::DroppedRecord> drops;
  uint64_t hostDropped = 0;
  bool ended = false;    ///< the recording was closed
  uint64_t cutBytes = 0; ///< of a last record that is not complete

  /// "run", "warm-up": of a call of the library or a zone of the application.
  std::string zoneName(uint32_t zone) const;
  /// What was recorded: the file of the first bundle, or the process.
  std::string subject() const;
  /// All markers that a ring dropped.
  uint64_t dropped() const;
  uint64_t droppedInPrograms() const;
};

/// Throws LogError.
Log parseLog(std::string_view bytes);
/// The same, of a file; the message begins with its path.
Log readLog(const std::string &path);
/// The first records of the file: the start of the recording, and the devices.
Log readLogBegin(const std::string &path);

/// Whether the clocks of both recordings are the same ones.
bool isSameMachine(const Log &a, const Log &b);
bool areAtTheSameTime(const Log &a, const Log &b);
/// One recording of the processes of a mesh, which are on the same machine. Devices are in the
/// order of `logs`. Throws LogError.
Log joinLogs(std::vector<Log> logs);

/// A time of the host's clock, limited so that sums and differences of times never overflow.
int64_t hostTime(uint64_t hostNs);

/// "device clock" -> "host clock", a line through all samples.
struct ClockFit {
  double slope = 1;     ///< nanoseconds of the host's clock for a tick of the device's
  double intercept = 0; ///< nanoseconds to add to hostOrigin
  uint64_t deviceOrigin = 0, hostOrigin = 0;
  double rms = 0, largest = 0; ///< residuals, nanoseconds
  uint64_t samples = 0;
  double slopeError = 0; ///< standard error of the slope

  /// Nanoseconds of the host's clock.
  int64_t host(uint64_t ticks) const;
  double nanoseconds(uint64_t ticks) const { return slope * static_cast<double>(ticks); }
};
/// Least squares. Throws LogError if the samples define no clock.
ClockFit fitClock(const Log &log);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_LOG_H
