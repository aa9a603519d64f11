// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Picture.h"

#include "Formats/Svg.h"

#include <algorithm>
#include <fmt/format.h>

namespace ttrun::report {

using namespace ttrt::profile;

namespace {
constexpr int kLeft = 120, kWidth = 832, kTop = 56, kLane = 28, kBar = 22;

struct Box {
  int64_t begin, end;
  const char *color;
  std::string text;
};
struct Row {
  std::string name;
  std::vector<Box> boxes;
};

class Drawing {
public:
  Drawing(const Analysis &a, uint64_t iterations) : a(a) { chooseRange(iterations); }

  std::string write() {
    addHost();
    for (size_t i = 0; i < a.rings.size(); ++i)
      addRing(a.log.rings[i].info, a.rings[i]);
    const int bottom = kTop + static_cast<int>(rows.size()) * kLane;
    const double us = static_cast<double>(end - begin) * 1e-3;
    Svg svg(kLeft + kWidth + 8, bottom + 4, fmt::format("{}: {:.2f} us", a.log.process, us));
    svg.timeAxis(kLeft, kWidth, us, kTop, bottom);
    for (size_t i = 0; i < rows.size(); ++i)
      drawRow(svg, rows[i], kTop + static_cast<int>(i) * kLane);
    return svg.take();
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

  void add(Row &row, int64_t from, int64_t to, const char *color, const std::string &text) const {
    if (to > begin && from < end)
      row.boxes.push_back({std::max(from, begin), std::min(to, end), color, text});
  }

  void addHost() {
    for (size_t thread = 0; thread < a.host.threads.size(); ++thread) {
      Row row{a.host.threads.size() > 1 ? fmt::format("host, thread {}", thread + 1) : "host", {}};
      for (const HostSpan &span : a.host.spans)
        if (span.thread == a.host.threads[thread] && span.parent == kNone)
          add(row, hostTime(span.begin), hostTime(span.end), "#8b5cf6", a.log.zoneName(span.zone));
      rows.push_back(std::move(row));
    }
  }

  void addRing(const RingRecord &info, const RingZones &ring) {
    const DeviceModel &model = a.models[info.device];
    Row row{fmt::format("queue {}, core {}", info.queue, info.core), {}};
    for (const Span &span : ring.spans) {
      const int64_t from = a.clock.host(span.begin), to = a.clock.host(span.end);
      const StepInfo *step = model.step(span.id);
      if (span.kind == MarkerKind::StepBegin)
        add(row, from, to, step && step->role == StepRole::HostWork ? "#d97706" : "#16a34a",
            model.stepText(span.id));
      else if (span.kind == MarkerKind::WaitBegin)
        add(row, from, to, "#d6d3d1", "wait " + model.eventText(span.id));
      else if (span.kind == MarkerKind::CommandBegin)
        addCommand(row, model, ring, span, from, to);
    }
    rows.push_back(std::move(row));
  }

  void addCommand(Row &row, const DeviceModel &model, const RingZones &ring, const Span &span,
                  int64_t from, int64_t to) const {
    const uint32_t step = span.parent == kNone ? kNone : ring.spans[span.parent].id;
    const OpInfo *op = model.op(step, span.id);
    add(row, from, to, op && !op->work ? "#d6d3d1" : "#3b82f6", model.opName(step, span.id));
  }

  double xOf(int64_t time) const {
    return kLeft + static_cast<double>(time - begin) / static_cast<double>(end - begin) * kWidth;
  }

  /// What is narrower than a third of a pixel is drawn that wide.
  void drawRow(Svg &svg, const Row &row, int y) const {
    svg.text(8, y + 15, row.name);
    for (const Box &box : row.boxes) {
      const double x = xOf(box.begin), width = std::max(xOf(box.end) - x, 0.3);
      svg.box(x, y, width, kBar, box.color, box.text);
      svg.label(x, width, y + 15, box.text);
    }
  }

  const Analysis &a;
  std::vector<Row> rows;
  int64_t begin = 0, end = 1;
};
} // namespace

std::string pictureSvg(const Analysis &analysis, uint64_t iterations) {
  return Drawing(analysis, iterations).write();
}

} // namespace ttrun::report
