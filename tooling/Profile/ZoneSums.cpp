// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs record about themselves, summed up.

#include "Profile/Files.h"
#include "Profile/Summary.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ttrun::report {

using namespace ttrt::profile;

const char *ZoneSum::kindName() const {
  return kind == MarkerKind::ZoneBegin   ? "zone"
         : kind == MarkerKind::ZoneTotal ? "total"
         : kind == MarkerKind::Data      ? "data"
                                         : "event";
}

namespace {
class Summing {
public:
  explicit Summing(const Analysis &a) : a(a), names(a) {}

  std::vector<ZoneSum> run() {
    for (uint32_t i = 0; i < a.rings.size(); ++i)
      addRing(i);
    std::vector<ZoneSum> zones;
    for (auto &[key, samples] : sums) {
      ZoneSum &sum = samples.sum;
      std::tie(sum.program, sum.zone, sum.kind) = key;
      const double all = programs[sum.program];
      std::vector<double> times;
      for (const auto &[place, time] : samples.times)
        times.push_back(time);
      sum.time = spreadOf(std::move(times));
      sum.share = all > 0 ? sum.time.sum / all : 0;
      if (std::vector<uint64_t> &data = samples.data; !data.empty()) {
        std::sort(data.begin(), data.end());
        sum.least = data.front();
        sum.median = data[(data.size() - 1) / 2];
        sum.most = data.back();
      }
      zones.push_back(std::move(sum));
    }
    std::sort(zones.begin(), zones.end(), [](const ZoneSum &x, const ZoneSum &y) {
      return std::tie(y.time.sum, x.program, x.zone, x.kind) <
             std::tie(x.time.sum, y.program, y.zone, y.kind);
    });
    return zones;
  }

private:
  using Key = std::tuple<std::string, std::string, MarkerKind>; // program, zone
  struct Samples {
    ZoneSum sum{};
    std::map<std::pair<uint32_t, uint32_t>, double> times; ///< by ring, and span of the command
    std::vector<uint64_t> data;
  };

  /// The program that a span of a ring executes; "" if none.
  std::string programOf(uint32_t ring, uint32_t index) const {
    const RingZones &zones = a.rings[ring];
    const DeviceModel &model = a.models[a.log.rings[ring].info.device];
    if (index == kNone)
      return "";
    const Span &span = zones.spans[index];
    if (span.kind == MarkerKind::StepBegin)
      return model.stepText(span.id);
    if (span.kind != MarkerKind::CommandBegin || span.parent == kNone)
      return "";
    return model.opName(zones.spans[span.parent].id, span.id);
  }

  void addRing(uint32_t ring) {
    const RingZones &zones = a.rings[ring];
    const RingRecord &info = a.log.rings[ring].info;
    const DeviceModel &model = a.models[info.device];
    std::vector<bool> hasCommands(zones.spans.size());
    for (const Span &span : zones.spans)
      if (span.kind == MarkerKind::CommandBegin && span.parent != kNone)
        hasCommands[span.parent] = true;
    for (uint32_t i = 0; i < zones.spans.size(); ++i) {
      const Span &span = zones.spans[i];
      const double time = a.clock.nanoseconds(span.end - span.begin);
      if (span.kind == MarkerKind::ZoneBegin) {
        addTime(ring, span.id, span.kind, span.parent, time, 1);
        continue;
      }
      // Cores without work spend no time in the program.
      const OpInfo *op = span.kind == MarkerKind::CommandBegin && span.parent != kNone
                             ? model.op(zones.spans[span.parent].id, span.id)
                             : nullptr;
      const uint32_t cores = std::max(a.log.devices[info.device].coresOf(info.queue), 1u);
      if (span.invalid || hasCommands[i] || !model.hasWork(op, info.core, cores))
        continue;
      if (const std::string program = programOf(ring, i); !program.empty())
        programs[program] += time;
    }
    for (const Instant &item : zones.instants) {
      if (item.kind == MarkerKind::ZoneTotal) {
        addTime(ring, item.id, item.kind, item.parent, a.clock.nanoseconds(item.time), item.value);
      } else if (item.kind == MarkerKind::Data || item.kind == MarkerKind::Event) {
        Samples &samples = samplesOf(ring, item.id, item.kind, zones.around(item.parent));
        ++samples.sum.count;
        if (item.kind == MarkerKind::Data)
          samples.data.push_back(item.payload);
      }
    }
  }

  Samples &samplesOf(uint32_t ring, uint32_t id, MarkerKind kind, uint32_t command) {
    return sums[{programOf(ring, command), names(a.log.rings[ring].info.device, id), kind}];
  }

  void addTime(uint32_t ring, uint32_t id, MarkerKind kind, uint32_t parent, double time,
               uint64_t count) {
    const uint32_t command = a.rings[ring].around(parent);
    Samples &samples = samplesOf(ring, id, kind, command);
    samples.sum.count += count;
    samples.times[{ring, command}] += time;
  }

  const Analysis &a;
  const ZoneNames names;
  std::map<Key, Samples> sums;
  std::map<std::string, double> programs; ///< time in each, on all cores
};
} // namespace

std::vector<ZoneSum> zonesOf(const Analysis &analysis) { return Summing(analysis).run(); }

} // namespace ttrun::report
