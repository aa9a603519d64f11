// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshTime/MeshTime.h"

#include "Formats/Svg.h"
#include "ttrt/format/steps.h"

#include <algorithm>
#include <map>

namespace ttrun {

using namespace ttrt;

namespace {

constexpr int kLeft = 64, kWidth = 900, kTop = 56, kLane = 34, kBar = 22;

constexpr const char *kColours[] = {"#3d7d39", "#4c78a8", "#d8d8d8"};
constexpr const char *kNames[] = {"computing", "moving", "waiting"};

/// What an operation is, for its label.
std::string nameOf(const Bundle &bundle, const Operation &operation) {
  if (operation.trace == SimulatorInput::kNone)
    return "host step";
  const uint8_t *position = bundle.stream(operation.trace);
  for (uint32_t i = 0; i < operation.command; ++i)
    position += reinterpret_cast<const CommandHeader *>(position)->size;
  const Action action = actionOf(*reinterpret_cast<const CommandHeader *>(position));
  return action.info->table == IndexedTable::Program ||
                 action.info->table == IndexedTable::Collective
             ? nameIn(bundle.metadata(), nullptr, *action.info, action.index)
             : action.info->name;
}

} // namespace

std::string meshTimelinePicture(const Bundle &bundle, const MeshTime &time,
                                const std::string &title, uint32_t most) {
  const auto devices = static_cast<uint32_t>(std::min<size_t>(time.devices.size(), most));
  const double scale = kWidth / std::max(time.first, 1e-12);
  const int bottom = kTop + static_cast<int>(devices) * kLane - (kLane - kBar);
  Svg svg(kLeft + kWidth + 16, bottom + kLane - kBar + 48,
          fmt::format("{}: {:.2f} us", title, time.first * 1e6));
  svg.timeAxis(kLeft, time.first * scale, time.first * 1e6, kTop, bottom);
  for (uint32_t i = 0; i < devices; ++i) {
    const int top = kTop + static_cast<int>(i) * kLane;
    svg.text(8, top + 15, fmt::format("device {}", i));
    for (const Span &span : time.devices[i].spans) {
      const double x = kLeft + span.begin * scale, width = (span.end - span.begin) * scale;
      const std::string name = nameOf(bundle, time.streams[time.streamOf[i]][span.operation]);
      svg.box(
          x, top, std::max(width - 0.3, 0.3), kBar, kColours[span.what],
          fmt::format("{} {}, {:.2f} us", kNames[span.what], name, (span.end - span.begin) * 1e6));
      if (span.what != Span::Waiting)
        svg.label(x, width, top + 15, name);
    }
  }
  int x = kLeft;
  const int y = bottom + 18;
  for (int what = 0; what < 3; ++what, x += 100)
    svg.key(x, y, kColours[what], kNames[what]);
  if (devices < time.devices.size())
    svg.text(x, y + 10, fmt::format("the first {} of {} devices", devices, time.devices.size()),
             Svg::kNote);
  return svg.take();
}

} // namespace ttrun
