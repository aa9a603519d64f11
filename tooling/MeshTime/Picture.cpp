// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshTime/MeshTime.h"

#include "Formats/Lanes.h"
#include "ttrt/format/steps.h"

#include <algorithm>
#include <map>

namespace ttrun {

using namespace ttrt;

namespace {

/// By Span::What.
const std::vector<Svg::Key> kSpans = {
    {fill::kBlue, "computing"}, {fill::kGreen, "moving"}, {fill::kGrey, "waiting"}};

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
  Lanes picture;
  picture.us = time.first * 1e6;
  picture.title = fmt::format("{}: {}", title, Svg::timeText(picture.us));
  picture.kinds = kSpans;
  for (uint32_t i = 0; i < devices; ++i) {
    Lanes::Row row{fmt::format("device {}", i), {}};
    for (const Span &span : time.devices[i].spans) {
      const std::string name = nameOf(bundle, time.streams[time.streamOf[i]][span.operation]);
      row.boxes.push_back({span.begin * 1e6, span.end * 1e6, size_t(span.what),
                           span.what == Span::Waiting ? "" : name,
                           fmt::format("{} {}, {}", kSpans[span.what].name, name,
                                       Svg::timeText((span.end - span.begin) * 1e6))});
    }
    picture.rows.push_back(std::move(row));
  }
  if (devices < time.devices.size())
    picture.notes = {fmt::format("the first {} of {} devices", devices, time.devices.size())};
  return picture.draw();
}

} // namespace ttrun
