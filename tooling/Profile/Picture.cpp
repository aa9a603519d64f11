// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Picture.h"

#include "Formats/Lanes.h"
#include "Formats/Printing.h"

#include <algorithm>
#include <fmt/format.h>

namespace ttrun::report {

using namespace ttrt::profile;

namespace {
enum Kind { Op, Transfer, HostWork, Waiting, Call };
const std::vector<Svg::Key> kKinds = {{fill::kBlue, "op"},
                                      {fill::kGreen, "transfer"},
                                      {fill::kAmber, "work on the host"},
                                      {fill::kGrey, "waiting"},
                                      {fill::kPurple, "call, or zone of the application"}};

class Drawing {
public:
  Drawing(const Analysis &a, uint64_t iterations) : a(a) { chooseRange(iterations); }

  std::string write() {
    addHost();
    for (size_t i = 0; i < a.rings.size(); ++i)
      addRing(a.log.rings[i].info, a.rings[i]);
    picture.kinds = kKinds;
    if (a.log.devices.size() > 1)
      picture.kinds[Transfer].name = "transfer, exchange";
    picture.us = usOf(end);
    picture.title = fmt::format("{}: {}, {}", a.log.subject(), what, Svg::timeText(picture.us));
    return picture.draw();
  }

private:
  /// Whole iterations from the middle of the recording of the first device that has some.
  void chooseRange(uint64_t iterations) {
    begin = INT64_MAX;
    end = INT64_MIN;
    for (uint32_t device = 0; device < a.times.size(); ++device) {
      const std::vector<Iteration> &all = a.times[device].repetitions;
      if (all.size() < 2)
        continue;
      const size_t shown = std::min<size_t>(iterations, all.size() - 1);
      const size_t first = (all.size() - 1 - shown) / 2;
      begin = all[first].begin;
      end = std::max(all[first + shown].begin, begin + 1);
      what = fmt::format("{} iteration{}", shown, plural(shown));
      return;
    }
    for (const DeviceTimes &times : a.times) {
      begin = std::min(begin, times.begin);
      end = std::max(end, times.end);
    }
    if (begin >= end) {
      begin = 0;
      end = 1;
    }
  }

  void add(Lanes::Row &row, int64_t from, int64_t to, Kind kind, const std::string &name) const {
    if (to > begin && from < end)
      row.boxes.push_back({usOf(std::max(from, begin)), usOf(std::min(to, end)), kind, name,
                           name + ", " + Svg::timeText(static_cast<double>(to - from) * 1e-3)});
  }

  void addHost() {
    for (size_t thread = 0; thread < a.host.threads.size(); ++thread) {
      Lanes::Row row{
          a.host.threads.size() > 1 ? fmt::format("host, thread {}", thread + 1) : "host", {}};
      for (const HostSpan &span : a.host.spans)
        if (span.thread == a.host.threads[thread] && span.parent == kNone)
          add(row, hostTime(span.begin), hostTime(span.end), Call, a.log.zoneName(span.zone));
      picture.rows.push_back(std::move(row));
    }
  }

  void addRing(const RingRecord &info, const RingZones &ring) {
    const DeviceModel &model = a.models[info.device];
    Lanes::Row row{fmt::format("queue {}, core {}", info.queue, info.core), {}};
    if (a.log.devices.size() > 1)
      row.name = fmt::format("device {}, {}", info.device, row.name);
    for (const Span &span : ring.spans) {
      const int64_t from = a.clock.host(span.begin), to = a.clock.host(span.end);
      const StepInfo *step = model.step(span.id);
      const bool isDispatch = step && step->role == StepRole::Stream; // its command is drawn
      if (span.kind == MarkerKind::StepBegin && !isDispatch)
        add(row, from, to, step && step->role == StepRole::HostWork ? HostWork : Transfer,
            model.stepText(span.id));
      else if (span.kind == MarkerKind::WaitBegin)
        add(row, from, to, Waiting, "wait " + model.eventText(span.id));
      else if (span.kind == MarkerKind::CommandBegin)
        addCommand(row, model, ring, span, from, to);
    }
    picture.rows.push_back(std::move(row));
  }

  void addCommand(Lanes::Row &row, const DeviceModel &model, const RingZones &ring,
                  const Span &span, int64_t from, int64_t to) const {
    const uint32_t step = span.parent == kNone ? kNone : ring.spans[span.parent].id;
    const OpInfo *op = model.op(step, span.id);
    const Kind kind = !op ? Op : op->exchanges ? Transfer : op->work ? Op : Waiting;
    add(row, from, to, kind, model.opName(step, span.id));
  }

  double usOf(int64_t time) const { return static_cast<double>(time - begin) * 1e-3; }

  const Analysis &a;
  Lanes picture;
  int64_t begin = 0, end = 1;
  std::string what = "the whole recording";
};
} // namespace

std::string pictureSvg(const Analysis &analysis, uint64_t iterations) {
  return Drawing(analysis, iterations).write();
}

} // namespace ttrun::report
