// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Page.h"
#include "Formats/Json.h"
#include "Profile/Files.h"
#include "Profile/Summary.h"
#include "Profile/Traffic.h"
#include "ProfilePageFiles.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <tuple>
#include <unordered_map>

namespace ttrun::report {

using namespace ttrt::profile;

namespace {
/// Kinds of zones, as data.js numbers them.
enum class ZoneKind { Op, Sync, Transfer, Trace, HostWork, Call, Zone, Exchange };

/// The data of the page. Strings are stored once and referred to by index.
class PageData {
public:
  PageData(const Analysis &a, const Summary &summary) : a(a), summary(summary), zoneNames(a) {
    for (size_t i = 0; i < summary.ops.size(); ++i)
      opIndex[keyOf(summary.ops[i].trace, summary.ops[i].command, summary.ops[i].name)] = i;
    origin = INT64_MAX;
    for (const RingZones &ring : a.rings)
      if (!ring.spans.empty())
        origin = std::min(origin, a.clock.host(ring.spans.front().begin));
    for (const HostSpan &span : a.host.spans)
      origin = std::min(origin, hostTime(span.begin));
    for (const Text &text : a.log.texts)
      origin = std::min(origin, hostTime(text.hostNs));
    if (origin == INT64_MAX)
      origin = hostTime(a.log.start.hostNs);
  }

  std::string write() {
    json.beginObject();
    addHead();
    json.key("groups").beginArray();
    addHost();
    for (uint32_t device = 0; device < a.log.devices.size(); ++device)
      addDevice(device);
    json.endArray();
    addMarks();
    addUses();
    addLimits();
    addTraffic();
    addOps();
    addZones();
    json.key("strings").beginArray();
    for (const std::string *string : strings)
      json.value(*string);
    json.endArray().endObject();
    return json.take();
  }

private:
  int64_t string(const std::string &text) {
    if (text.empty())
      return -1;
    const auto [found, isNew] = stringIndex.try_emplace(text, strings.size());
    if (isNew)
      strings.push_back(&found->first);
    return static_cast<int64_t>(found->second);
  }
  static std::string keyOf(const std::string &trace, int64_t command, const std::string &name) {
    return fmt::format("{}\n{}\n{}", trace, command, name);
  }

  void addHead() {
    char when[64] = "";
    const auto seconds = static_cast<time_t>(a.log.start.wallNs / 1000000000u);
    tm local;
    if (localtime_r(&seconds, &local))
      strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &local);
    json.field("title", a.log.subject()).field("process", a.log.process).field("recorded", when);
    json.key("clock")
        .beginObject()
        .field("rms", a.clock.rms)
        .field("largest", a.clock.largest)
        .field("samples", a.clock.samples)
        .endObject();
    json.key("verdicts").beginArray();
    for (size_t i = 0; i < summary.verdicts.size(); ++i)
      json.value(summary.verdicts.size() > 1
                     ? fmt::format("device {}: {}", i, summary.verdicts[i].text)
                     : summary.verdicts[i].text);
    json.endArray().key("problems").beginArray();
    for (const std::string &line : warningsOf(a))
      json.value(line);
    for (const std::string &line : counterNotes(a))
      json.value(line);
    for (const DeviceModel &model : a.models)
      if (!model.known)
        json.value(model.problem);
    if (!a.log.ended)
      json.value("The recording was not closed: it ends with what was read last.");
    json.endArray();
  }

  /// Fields of a zone: begin, duration, depth, name, kind, detail, op.
  void zone(int64_t begin, int64_t end, uint32_t depth, const std::string &name, ZoneKind kind,
            const std::string &detail, int64_t op) {
    json.value(begin - origin)
        .value(end - begin)
        .value(depth)
        .value(string(name))
        .value(static_cast<int>(kind))
        .value(string(detail))
        .value(op);
  }
  void beginRow(const std::string &name) {
    json.beginObject().field("name", name).key("zones").beginArray(/*flat=*/true);
  }
  void endRow() { json.endArray().endObject(); }
  void beginGroup(const std::string &name) {
    json.beginObject().field("name", name).key("rows").beginArray();
  }
  void endGroup() { json.endArray().endObject(); }

  template <typename Spans> static std::vector<uint32_t> depthsOf(const Spans &spans) {
    std::vector<uint32_t> depths(spans.size());
    for (size_t i = 0; i < spans.size(); ++i)
      depths[i] = spans[i].parent == kNone ? 0 : depths[spans[i].parent] + 1;
    return depths;
  }

  void addHost() {
    if (a.host.threads.empty())
      return;
    beginGroup(fmt::format("host: {}", a.log.process));
    const std::vector<uint32_t> depths = depthsOf(a.host.spans);
    for (size_t thread = 0; thread < a.host.threads.size(); ++thread) {
      beginRow(fmt::format("thread {}", thread + 1));
      for (size_t i = 0; i < a.host.spans.size(); ++i) {
        const HostSpan &span = a.host.spans[i];
        if (span.thread == a.host.threads[thread])
          zone(hostTime(span.begin), hostTime(span.end), depths[i], a.log.zoneName(span.zone),
               span.zone < kFirstZone ? ZoneKind::Call : ZoneKind::Zone, span.text, -1);
      }
      endRow();
    }
    endGroup();
  }

  void addDevice(uint32_t device) {
    beginGroup(
        fmt::format("device {}: {}", device,
                    std::filesystem::path(a.log.devices[device].bundle).filename().string()));
    for (size_t i = 0; i < a.rings.size(); ++i) {
      const RingRecord &info = a.log.rings[i].info;
      if (info.device != device)
        continue;
      beginRow(fmt::format("queue {}, core {}", info.queue, info.core));
      addRing(device, a.rings[i]);
      endRow();
    }
    endGroup();
  }

  void addRing(uint32_t device, const RingZones &ring) {
    const DeviceModel &model = a.models[device];
    const std::vector<uint32_t> depths = depthsOf(ring.spans);
    for (size_t i = 0; i < ring.spans.size(); ++i) {
      const Span &span = ring.spans[i];
      const int64_t begin = a.clock.host(span.begin), end = a.clock.host(span.end);
      switch (span.kind) {
      case MarkerKind::StreamBegin:
        zone(begin, end, depths[i], model.stepText(span.id), ZoneKind::Trace, "", -1);
        break;
      case MarkerKind::CommandBegin:
        addCommand(model, ring, span, begin, end, depths[i]);
        break;
      case MarkerKind::StepBegin: {
        const StepInfo *step = model.step(span.id);
        const ZoneKind kind = !step                              ? ZoneKind::Transfer
                              : step->role == StepRole::HostWork ? ZoneKind::HostWork
                              : step->role == StepRole::Stream   ? ZoneKind::Trace
                                                                 : ZoneKind::Transfer;
        zone(begin, end, depths[i], model.stepText(span.id), kind, step ? step->source : "", -1);
        break;
      }
      case MarkerKind::WaitBegin:
        zone(begin, end, depths[i], "wait " + model.eventText(span.id), ZoneKind::Sync, "", -1);
        break;
      default:
        zone(begin, end, depths[i], zoneNames(device, span.id), ZoneKind::Zone, "", -1);
      }
    }
  }

  void addCommand(const DeviceModel &model, const RingZones &ring, const Span &span, int64_t begin,
                  int64_t end, uint32_t depth) {
    const uint32_t number = span.parent == kNone ? kNone : ring.spans[span.parent].id;
    const OpInfo *op = model.op(number, span.id);
    const StepInfo *step = model.step(number);
    const std::string name = model.opName(number, span.id);
    const std::string trace = !step             ? fmt::format("step {}", number)
                              : step->trace < 0 ? ""
                                                : model.traces[static_cast<size_t>(step->trace)];
    const int64_t command = step && step->trace < 0 ? -1 : static_cast<int64_t>(span.id);
    const auto found = opIndex.find(keyOf(trace, command, name));
    const ZoneKind kind = !op             ? ZoneKind::Op
                          : op->exchanges ? ZoneKind::Exchange
                          : op->work      ? ZoneKind::Op
                                          : ZoneKind::Sync;
    zone(begin, end, depth, name, kind, op ? op->source : "",
         found == opIndex.end() ? -1 : static_cast<int64_t>(found->second));
  }

  void addMarks() {
    json.key("marks").beginArray();
    auto mark = [&](int64_t time, const char *kind, const std::string &header,
                    const std::string &message, uint32_t color) {
      json.beginArray(/*flat=*/true)
          .value(time - origin)
          .value(kind)
          .value(header)
          .value(message)
          .value(color & 0xffffff)
          .endArray();
    };
    for (const Text &text : a.log.texts)
      if (text.kind != TextKind::ZoneText)
        mark(hostTime(text.hostNs), text.kind == TextKind::Signpost ? "signpost" : "message",
             text.first, text.second, text.color);
    for (const Frame &frame : a.host.frames)
      mark(hostTime(frame.hostNs), "frame", a.log.zoneName(frame.zone), "", 0);
    json.endArray();
  }

  void addUses() {
    json.key("uses").beginArray();
    for (size_t i = 0; i < a.times.size(); ++i) {
      json.beginObject()
          .field("name", fmt::format("device {}", i))
          .field("span", a.times[i].span())
          .key("names")
          .beginArray(/*flat=*/true);
      for (size_t use = 0; use < kUses; ++use)
        json.value(nameOf(static_cast<Use>(use)));
      json.endArray().key("values").beginArray(/*flat=*/true);
      for (double value : a.times[i].uses)
        json.value(value);
      json.endArray().endObject();
    }
    json.endArray();
  }

  /// Only what is known: an unknown limit draws no roof.
  void addLimits() {
    json.key("limits").beginArray();
    for (const Limits &limits : a.limits)
      json.beginObject(/*flat=*/true)
          .field("flops", limits.flops)
          .field("int8", limits.int8Ops)
          .field("bandwidth", limits.bandwidth)
          .field("source", limits.source)
          .endObject();
    json.endArray();
  }

  void addTraffic() {
    json.key("traffic").beginArray();
    for (uint32_t device = 0; device < a.models.size(); ++device)
      if (const Traffic traffic = trafficOf(a, device); !traffic.empty()) {
        json.beginObject();
        addTrafficFields(json, traffic);
        json.endObject();
      }
    json.endArray();
  }

  void addOps() {
    const double all = summary.opTime > 0 ? summary.opTime : 1;
    json.key("counters").beginArray();
    for (size_t i = 0; i < a.log.counters.size(); ++i)
      if (a.log.counters[i].isCounted())
        json.beginArray(/*flat=*/true)
            .value(fmt::format("c{}", i))
            .value(a.log.counters[i].name)
            .endArray();
    json.endArray().key("ops").beginArray();
    for (const OpSum &op : summary.ops) {
      json.beginObject(/*flat=*/true)
          .field("trace", string(op.trace))
          .field("command", op.command)
          .field("name", string(op.name))
          .field("kind", string(op.kind))
          .field("source", string(op.source))
          .field("grid", op.grid)
          .field("count", op.time.count)
          .field("median", op.time.median)
          .field("least", op.time.least)
          .field("p90", op.time.p90)
          .field("bytes", op.dramBytes)
          .field("flops", op.flops)
          .field("type", op.type)
          .field("int8", op.multipliesBytes)
          .field("share", op.share / all);
      addCounts(op.counts);
      if (const std::optional<double> part = shareOf(op.ideal.compute, op.time.median))
        json.field("peak", *part);
      if (const std::optional<double> part = shareOf(op.ideal.bandwidth, op.time.median))
        json.field("band", *part);
      json.endObject();
    }
    json.endArray().key("kinds").beginArray();
    for (const OpSum &kind : summary.kinds)
      if (kind.share > 0)
        json.beginObject(/*flat=*/true)
            .field("name", string(kind.kind))
            .field("commands", kind.commands)
            .field("share", kind.share / all)
            .endObject();
    json.endArray();
  }

  void addZones() {
    json.key("zones").beginArray();
    for (const ZoneSum &zone : summary.zones)
      if (zone.isTimed())
        json.beginObject(/*flat=*/true)
            .field("zone", string(zone.zone))
            .field("program", string(zone.program))
            .field("kind", zone.kindName())
            .field("count", zone.count)
            .field("total", zone.time.sum)
            .field("median", zone.time.median)
            .field("share", zone.share)
            .endObject();
    json.endArray().key("values").beginArray();
    for (const ZoneSum &zone : summary.zones)
      if (!zone.isTimed())
        json.beginObject(/*flat=*/true)
            .field("zone", string(zone.zone))
            .field("program", string(zone.program))
            .field("kind", zone.kindName())
            .field("count", zone.count)
            .field("least", std::to_string(zone.least))
            .field("median", std::to_string(zone.median))
            .field("most", std::to_string(zone.most))
            .endObject();
    json.endArray();
  }

  /// Fields c0, c1, ... of an op, and those that follow from them.
  void addCounts(const CountSum &sum) {
    for (size_t i = 0; i < sum.values.size(); ++i)
      if (sum.values[i].count)
        json.field(fmt::format("c{}", i), sum.values[i].median);
    const Rates rates = ratesOf(a.log, sum);
    if (rates.instructionsPerCycle)
      json.field("ipc", *rates.instructionsPerCycle);
    if (rates.cacheMisses)
      json.field("misses", *rates.cacheMisses);
  }

  const Analysis &a;
  const Summary &summary;
  const ZoneNames zoneNames;
  int64_t origin;
  Json json;
  std::unordered_map<std::string, size_t> opIndex;
  std::unordered_map<std::string, size_t> stringIndex;
  std::vector<const std::string *> strings;
};
} // namespace

std::string pageHtml(const Analysis &analysis, const Summary &summary) {
  return makePage({"ttc profile", kProfileStyle, kProfilePage,
                   std::string(kProfileData) + kProfileTimeline + kProfileTable + kProfileRoofline +
                       kProfileTraffic + kProfileControls,
                   kProfileSelftest, PageData(analysis, summary).write()});
}

} // namespace ttrun::report
