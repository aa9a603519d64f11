// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshTime/CommandTimes.h"

#include "Bundle/Access.h"
#include "Formats/JsonReader.h"
#include "Formats/Printing.h"
#include "Support/Error.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace ttrun {

using namespace ttrt;

static JsonValue readJson(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string json{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream)
    throw UserError(fmt::format("cannot read '{}'", file));
  try {
    return JsonValue::parse(json);
  } catch (const UserError &error) {
    throw UserError(fmt::format("{}: {}", file, error.what()));
  }
}

/// The name that ttrun perf gives a command.
static std::string nameOf(const Bundle &bundle, const Action &action) {
  return action.info->table == IndexedTable::Program ||
                 action.info->table == IndexedTable::Collective
             ? nameIn(bundle.metadata(), nullptr, *action.info, action.index)
             : action.info->name;
}

void CommandTimes::read(const std::string &file) {
  const JsonValue json = readJson(file);
  auto fail = [&](const std::string &expected, const std::string &found) {
    throw UserError(fmt::format("{}: expected {}, found {}", file, expected, printable(found)));
  };
  const JsonValue &ops = json["ops"];
  if (ops.items.empty() || !ops.items[0]["command"].isNumber())
    fail("the times of single commands (ttrun perf BUNDLE --ops --json)",
         ops.items.empty() ? "none" : "those of programs");
  std::map<std::string, uint32_t> traces;
  for (uint32_t i = 0; i < count(bundle.metadata().traces()); ++i)
    traces[text(bundle.metadata().traces()->Get(i)->name())] = i;
  double sum = 0;
  std::map<std::pair<uint32_t, uint32_t>, double> times;
  for (const JsonValue &op : ops.items) {
    const auto trace = traces.find(op["trace"].string);
    if (trace == traces.end())
      fail("a trace of this bundle", "'" + op["trace"].string + "'");
    const double number = op["command"].number, median = op["median_us"].number;
    const uint32_t commands = bundle.metadata().traces()->Get(trace->second)->commands();
    if (!(number >= 0 && number < commands) || number != static_cast<uint32_t>(number))
      fail(fmt::format("a command of trace '{}', which has {}", trace->first, commands),
           fmt::format("{}", number));
    const auto command = static_cast<uint32_t>(number);
    const uint8_t *position = bundle.stream(trace->second);
    for (uint32_t i = 0; i < command; ++i)
      position += reinterpret_cast<const CommandHeader *>(position)->size;
    const Action action = actionOf(*reinterpret_cast<const CommandHeader *>(position));
    if (nameOf(bundle, action) != op["program"].string)
      fail(fmt::format("'{}' as command {} of trace '{}'", nameOf(bundle, action), command,
                       trace->first),
           "'" + op["program"].string + "'");
    if (!op["median_us"].isNumber() || !(median >= 0))
      fail("\"median_us\" of each command", "none");
    if (action.info->table == IndexedTable::Collective)
      continue; // the simulation's
    times[{trace->second, command}] = median * 1e-6;
    sum += median;
  }
  // Each command was dispatched by itself, which costs time that a trace does not take.
  double computing = 0;
  for (const JsonValue &device : json["devices"].items)
    computing += device["computing_us"].number / static_cast<double>(json["devices"].items.size());
  if (json["devices"].items.empty())
    computing = json["device_ms"]["median"].number * 1e3;
  const double scale = sum > 0 && computing > 0 ? std::min(computing / sum, 1.0) : 1;
  for (const auto &[where, seconds] : times)
    measured[where] = seconds * scale;
}

double CommandTimes::estimate(const fb::EntryPoint *entry, const Action &action) const {
  uint64_t flops = 0, bytes = 0;
  if (action.info->table == IndexedTable::Program)
    flops = bundle.metadata().programs()->Get(action.index)->flops();
  if (action.info->role == OrderRole::Work)
    forEachAccess(bundle, entry, action, [&](const Access &access) {
      const uint64_t rows = access.pitch ? (access.bytes + access.pitch - 1) / access.pitch : 1;
      bytes += rows * access.row;
    });
  return std::max(static_cast<double>(flops) / roofline.flops,
                  static_cast<double>(bytes) / roofline.bytesPerSecond);
}

double CommandTimes::of(uint32_t trace, uint32_t command, const Action &action) {
  if (const auto found = measured.find({trace, command}); found != measured.end()) {
    ++counts.measured;
    return found->second;
  }
  if (action.info->role != OrderRole::Work)
    return 0;
  ++counts.estimated;
  return estimate(nullptr, action);
}

double CommandTimes::ofStep(const fb::EntryPoint &entry, const Action &action) {
  ++counts.estimated;
  return estimate(&entry, action);
}

} // namespace ttrun
