// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/TraceEvents.h"
#include "Profile/CounterSums.h"
#include "Profile/Files.h"

#include <algorithm>
#include <fmt/format.h>

namespace ttrun::report {

using namespace ttrt::profile;

namespace {
/// Processes and threads are numbered from 1; the host is process 1.
constexpr uint32_t kHost = 1;
constexpr uint32_t kFirstDevice = 2;

class TimelineJson {
public:
  explicit TimelineJson(const Analysis &a) : a(a), zoneNames(a) {
    auto addRow = [&](uint32_t thread) {
      rows.try_emplace(thread, static_cast<uint32_t>(rows.size() + 1));
    };
    for (uint32_t thread : a.host.threads)
      addRow(thread);
    for (const Text &text : a.log.texts) // a thread may have texts only
      if (text.kind != TextKind::ZoneText)
        addRow(text.thread);
  }

  std::string write() {
    nameRows();
    for (size_t i = 0; i < a.rings.size(); ++i)
      addRing(a.log.rings[i].info, a.rings[i]);
    addHost();
    addMemory();
    return events.take();
  }

private:
  int64_t since(int64_t hostNs) const { return hostNs - hostTime(a.log.start.hostNs); }
  void slice(uint32_t process, uint32_t thread, const char *category, const std::string &title,
             int64_t begin, int64_t end) {
    events.slice(process, thread, category, title, since(begin), since(end));
  }
  void instant(uint32_t process, uint32_t thread, const char *category, const std::string &title,
               int64_t time, char scope) {
    events.instant(process, thread, category, title, since(time), scope);
  }

  void nameRows() {
    events.name("process_name", kHost, 0,
                fmt::format("host: {} ({})", a.log.process, a.log.start.pid));
    events.order("process_sort_index", kHost, 0, 0);
    for (uint32_t row = 1; row <= rows.size(); ++row)
      events.name("thread_name", kHost, row, fmt::format("thread {}", row));
    for (uint32_t i = 0; i < a.log.devices.size(); ++i) {
      events.name("process_name", kFirstDevice + i, 0,
                  fmt::format("device {}: {}", i, a.log.devices[i].bundle));
      events.order("process_sort_index", kFirstDevice + i, 0, i + 1);
    }
    for (const Ring &ring : a.log.rings) {
      const RingRecord &info = ring.info;
      nameRow(info, info.ring + 1, 0);
    }
  }

  /// A row of a core; those beside the first one are for zones. Tracy does not show the names of
  /// processes.
  void nameRow(const RingRecord &info, uint32_t thread, size_t beside) {
    events.name("thread_name", kFirstDevice + info.device, thread,
                fmt::format("device {} queue {} core {}{}", info.device, info.queue, info.core,
                            beside ? fmt::format(" zones {}", beside) : ""));
    events.order("thread_sort_index", kFirstDevice + info.device, thread,
                 (((uint64_t(info.queue) << 12) + info.core) << 8) + beside);
  }

  void addRing(const RingRecord &info, const RingZones &zones) {
    const uint32_t process = kFirstDevice + info.device, thread = info.ring + 1;
    const DeviceModel &model = a.models[info.device];
    CountTable counts(a.log.counters.size());
    const std::vector<uint32_t> countRows = ttrun::report::addCounts(zones, counts);
    nests.assign(zones.spans.size(), true);
    beside.clear();
    for (uint32_t i = 0; i < zones.spans.size(); ++i) {
      const Span &span = zones.spans[i];
      if (span.kind == MarkerKind::ZoneBegin) {
        addZone(info, zones, i);
        continue;
      }
      const int64_t begin = a.clock.host(span.begin), end = a.clock.host(span.end);
      switch (span.kind) {
      case MarkerKind::StreamBegin:
        slice(process, thread, "stream", model.stepText(span.id), begin, end);
        events.argument("number", span.streams);
        break;
      case MarkerKind::CommandBegin:
        addCommand(process, thread, model, span, zones, begin, end);
        if (!countRows.empty())
          addCounts(counts, countRows[static_cast<size_t>(&span - zones.spans.data())]);
        break;
      case MarkerKind::StepBegin:
        slice(process, thread, "step", model.stepText(span.id), begin, end);
        if (const StepInfo *step = model.step(span.id); step && step->bytes)
          events.argument("bytes", step->bytes);
        break;
      case MarkerKind::WaitBegin:
        slice(process, thread, "wait", "wait " + model.eventText(span.id), begin, end);
        break;
      default:
        continue;
      }
      events.close();
    }
    for (const Instant &item : zones.instants) {
      const bool isTotal = item.kind == MarkerKind::ZoneTotal;
      // The time of a total is a duration: it belongs to all of what is around it.
      if (isTotal && item.parent == kNone)
        continue;
      instant(process, thread, "marker",
              item.kind == MarkerKind::Record ? "record " + model.eventText(item.id)
                                              : zoneNames(info.device, item.id),
              a.clock.host(isTotal ? zones.spans[item.parent].end : item.time), 't');
      if (isTotal)
        events.argument("total_ns", a.clock.nanoseconds(item.time)),
            events.argument("count", item.value);
      if (item.kind == MarkerKind::Data)
        events.argument("value", item.payload);
      events.close();
    }
  }

  /// Slices of a row must nest. A zone that overlaps the end of another one is in a row beside it.
  void addZone(const RingRecord &info, const RingZones &zones, uint32_t index) {
    const Span &span = zones.spans[index];
    const uint32_t command = zones.around(span.parent);
    const uint64_t last = command == kNone
                              ? span.end
                              : std::max(span.begin, std::min(span.end, zones.spans[command].end));
    for (uint32_t i = span.parent; i != command && nests[index]; i = zones.spans[i].parent)
      nests[index] = !nests[i] || zones.spans[i].end <= span.begin || zones.spans[i].end >= last;
    const int64_t begin = a.clock.host(span.begin), end = a.clock.host(last);
    slice(kFirstDevice + info.device, nests[index] ? info.ring + 1 : rowBeside(info, begin, end),
          "zone", zoneNames(info.device, span.id), begin, end);
    events.close();
  }

  /// The first row beside a core's that is free.
  uint32_t rowBeside(const RingRecord &info, int64_t begin, int64_t end) {
    auto free = std::find_if(beside.begin(), beside.end(),
                             [&](const RowBeside &row) { return row.end <= begin; });
    if (free == beside.end()) {
      beside.push_back({static_cast<uint32_t>(a.log.rings.size()) + ++rowsBeside, 0});
      free = beside.end() - 1;
      nameRow(info, free->thread, beside.size());
    }
    free->end = end;
    return free->thread;
  }

  void addCommand(uint32_t process, uint32_t thread, const DeviceModel &model, const Span &span,
                  const RingZones &zones, int64_t begin, int64_t end) {
    const uint32_t step = span.parent == kNone ? kNone : zones.spans[span.parent].id;
    const OpInfo *op = model.op(step, span.id);
    slice(process, thread, op && !op->work ? "sync" : "op", model.opName(step, span.id), begin,
          end);
    events.argument("command", span.id);
    if (!op || !op->work)
      return;
    events.argument("source", op->source);
    events.argument("grid", op->grid);
    const auto dram = static_cast<size_t>(Space::Dram);
    events.argument("dram_bytes", op->read[dram] + op->written[dram]);
  }

  void addCounts(const CountTable &counts, uint32_t row) {
    if (row == kNone || !(counts.ran(row) > 0))
      return;
    const double scale = std::max(counts.enabled(row) / counts.ran(row), 1.0);
    for (size_t i = 0; i < a.log.counters.size(); ++i)
      if (a.log.counters[i].isCounted())
        events.argument<std::string>(a.log.counters[i].name,
                                     fmt::format("{:.0f}", scale * counts.value(row, i)));
  }

  /// Tracy takes it for a frame only if its name says so.
  static std::string frameTitle(const std::string &name) {
    return name.find("frame") == std::string::npos ? "frame " + name : name;
  }

  void addHost() {
    for (const HostSpan &span : a.host.spans) {
      slice(kHost, rows.at(span.thread), span.zone < kFirstZone ? "call" : "zone",
            a.log.zoneName(span.zone), hostTime(span.begin), hostTime(span.end));
      events.argument("text", span.text);
      if (const auto found = a.log.zones.find(span.zone);
          found != a.log.zones.end() && !found->second.file.empty())
        events.argument("at", fmt::format("{}:{}", found->second.file, found->second.line));
      events.close();
    }
    for (const Frame &frame : a.host.frames) {
      instant(kHost, rows.at(frame.thread), "frame", frameTitle(a.log.zoneName(frame.zone)),
              hostTime(frame.hostNs), 'p');
      events.close();
    }
    for (const Text &text : a.log.texts) {
      if (text.kind == TextKind::ZoneText)
        continue;
      const bool isPost = text.kind == TextKind::Signpost;
      instant(kHost, rows.at(text.thread), isPost ? "signpost" : "message", text.first,
              hostTime(text.hostNs), isPost ? 'g' : 't');
      events.argument("message", text.second);
      if (text.color)
        events.argument("color", fmt::format("#{:06x}", text.color & 0xffffff));
      events.close();
    }
  }

  void counter(uint32_t device, const char *memory, int64_t time, uint64_t bytes) {
    events.counter(kFirstDevice + device, fmt::format("{} in use", memory).c_str(),
                   fmt::format("device {} {}_bytes", device, memory), since(time), bytes);
  }

  void addMemory() {
    for (const OpRun &run : a.ops) {
      const OpInfo *op = a.models[run.device].op(run.step, run.command);
      if (!op || !op->usesKnown)
        continue;
      counter(run.device, "DRAM", run.begin, op->dramDuring);
      counter(run.device, "DRAM", run.end, op->dramAfter);
      if (!a.models[run.device].l1Bytes)
        continue;
      counter(run.device, "L1", run.begin, op->l1During);
      counter(run.device, "L1", run.end, op->l1After);
    }
  }

  const Analysis &a;
  const ZoneNames zoneNames;
  std::map<uint32_t, uint32_t> rows; ///< of threads of the host, from 1
  TraceEvents events;
  std::vector<bool> nests; ///< of a ring's spans: it is a slice
  struct RowBeside {
    uint32_t thread;
    int64_t end; ///< of the last slice in it
  };
  std::vector<RowBeside> beside; ///< of a ring, for zones that do not nest
  uint32_t rowsBeside = 0;       ///< of all rings
};
} // namespace

std::string timelineJson(const Analysis &analysis) { return TimelineJson(analysis).write(); }

} // namespace ttrun::report
