// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recording says: each execution of each command, and what every nanosecond was spent on.

#ifndef TTC_TOOLING_PROFILE_ANALYSIS_H
#define TTC_TOOLING_PROFILE_ANALYSIS_H

#include "Profile/Counters.h"
#include "Profile/ExchangeBegins.h"
#include "Profile/Machine.h"
#include "Profile/Model.h"
#include "Profile/PairMarkers.h"

#include <array>
#include <string>
#include <vector>

namespace ttrun::report {

/// Times are nanoseconds of the host's clock; durations of spans on one clock are nanoseconds.

/// What a device's time is spent on. Each instant counts once, for the first that applies.
enum class Use {
  Ops,       ///< a core executes a command
  Exchanges, ///< the device exchanges tensors with others of its mesh, or waits for them
  Sync,      ///< cores are between commands of a stream: at barriers, or starting a command
  Transfers, ///< inputs and outputs are moved, and no core computes
  HostWork,  ///< host steps
  Library,   ///< a thread is inside of the library: it starts work or waits
  Outside    ///< the application has asked for nothing
};
inline constexpr size_t kUses = 7;
const char *nameOf(Use use);

/// What the end of a recording has waited for (CriticalPath.h).
enum class Cause {
  Compute,     ///< a stream that the device executes
  TransferIn,  ///< writes of inputs
  TransferOut, ///< reads of outputs
  Host,        ///< host steps, the application, the library, handing over work
  MeshWait,    ///< exchanges, until all other devices have begun them
  MeshMove,    ///< exchanges from then on
  Mesh         ///< exchanges, if it is not known which of the two
};
inline constexpr size_t kCauses = 7;
/// Nanoseconds.
using CauseTimes = std::array<double, kCauses>;

/// A stream that a queue walked once.
struct Execution {
  uint32_t device, queue, step;
  uint64_t number;      ///< counts the streams of the queue
  int64_t begin, end;   ///< of the first core to begin, of the last to end
  uint64_t session = 0; ///< of its step's trace: counts from 1 on each device; 0: not of a trace
};

/// A command that a stream executed once. Cores without work do not count.
struct OpRun {
  uint32_t device, queue, step, command;
  uint32_t execution;            ///< index; kNone: the host dispatched it alone
  uint64_t number;               ///< the execution's
  uint64_t beginTicks, endTicks; ///< of the first core to begin, of the last to end
  int64_t begin, end;
  double least = 0, most = 0, sum = 0; ///< over cores, of the time in the command
  uint32_t cores = 0;
  double share = 0;        ///< its part of the device's time: what the parts of all add up to
  double waitBefore = 0;   ///< in barriers and waits since the op before, average over cores
  uint32_t counts = kNone; ///< row of Analysis::counts; kNone: there are none, or not of all cores
  bool hasLatency = false;
  int64_t latency = 0; ///< since the end of the op before on the same queue; negative: they overlap
  uint32_t after = kNone;         ///< the op that ended last before it on the device, by its index
  std::array<float, kUses> gap{}; ///< the time since then, if no op is executed in it
};

/// A step that one thread carries out: a transfer, work on the host.
struct StepRun {
  uint32_t device, queue, step;
  int64_t begin, end;
};

/// From one begin of a stream to the next. Times are nanoseconds.
struct Iteration {
  int64_t begin;
  bool dispatched;       ///< the host dispatches its commands one at a time
  bool complete = false; ///< the next one begins; else there is no duration
  double duration = 0;
  CauseTimes causes{}; ///< of the critical path
  double gaps = 0;     ///< if dispatched, the time between its commands
};

/// A share of the time of iterations.
struct TraceSaving {
  enum class Kind {
    Unknown, ///< nothing was dispatched, or too little
    AtMost,  ///< all of the time between dispatched commands
    Measured ///< from pairs of neighbouring blocks: dispatched, and not
  } kind = Kind::Unknown;
  double share = 0;
  double error = 0; ///< half of the 95 % interval
  size_t blocks = 0;
};
/// The median of shares.
TraceSaving savingFrom(TraceSaving::Kind kind, const std::vector<double> &shares);
/// "; a trace saves 31.2 % (+- 0.8; 16 pairs of blocks)"; "" if nothing is known.
std::string textOf(const TraceSaving &saving);

/// One device's recording, from its first activity to its last.
struct DeviceTimes {
  int64_t begin = 0, end = 0;
  std::array<double, kUses> uses{};
  double span() const { return static_cast<double>(end - begin); }
  double coreTime = 0; ///< in ops with work, all cores together
  uint32_t cores = 0;  ///< of all queues that execute ops
  /// How much of the time of ops a core computes: less than 1 if some have no work, or cores take
  /// turns because the machine has fewer CPUs.
  double coreUse() const;
  CauseTimes causes{}; ///< of the critical path; they add up to the span
  /// Repetitions of the stream that is executed most often, in order of time.
  std::vector<Iteration> repetitions;
  uint32_t anchor = kNone; ///< that stream's step
  /// Whether most of them are dispatched; of as many, whether the first one is.
  bool dispatched = false;
  /// Durations and critical paths of the typical iterations.
  std::vector<double> iterations;
  std::vector<CauseTimes> causesOfIterations;
  /// The shares of the critical path in each of up to 16 blocks of successive typical iterations.
  /// Iterations differ much when a pipeline makes several wait for one; blocks do less.
  std::vector<CauseTimes> causesOfBlocks() const;
  /// How much of the time of an iteration executing a trace saves against dispatching its commands
  /// one at a time.
  TraceSaving traceSaving() const;
  /// Sets `dispatched`, `iterations` and `causesOfIterations`.
  void chooseIterations();
};

struct Analysis {
  Log log;
  ClockFit clock;
  std::vector<RingZones> rings;
  HostZones host;
  std::vector<DeviceModel> models;
  ExchangeBegins exchangeBegins;
  std::vector<Limits> limits;        ///< by device; makeReport() fills it in
  std::vector<Execution> executions; ///< by device, queue, number
  std::vector<OpRun> ops;            ///< by begin
  std::vector<StepRun> steps;        ///< by begin
  std::vector<StepRun> dispatches;   ///< on each core: a command that the host dispatched alone
  std::vector<DeviceTimes> times;    ///< by device
  CountTable counts;                 ///< a row for each op that was counted
  uint64_t unmatchedBegins = 0, unmatchedEnds = 0;
  uint64_t orphans = 0; ///< commands whose streams' begin or end is missing
  uint64_t spans = 0;   ///< zones of all cores and threads
};

/// Fills in a.times[device].
void divideTime(Analysis &a, uint32_t device);

/// Reads and analyses everything. Throws LogError or UserError.
Analysis analyse(Log log, const std::string &bundle);

/// The middle of some numbers, and how they spread.
struct Spread {
  uint64_t count = 0;
  double least = 0, median = 0, p90 = 0, sum = 0;
  double deviation = 0; ///< 1.4826 * median absolute deviation: the standard deviation, if normal
  /// Standard error of the median, if the samples are independent.
  double error() const;
  /// The parts of each execution of a whole take the sum of their medians.
  void add(const Spread &part);
};
Spread spreadOf(std::vector<double> values);

/// Prints where a device executes no command, and what it does or waits for then: at most `rows`
/// places.
void printGaps(const Analysis &analysis, size_t rows);

} // namespace ttrun::report

#endif // TTC_TOOLING_PROFILE_ANALYSIS_H
