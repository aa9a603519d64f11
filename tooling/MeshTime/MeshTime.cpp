// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshTime/MeshTime.h"

#include "Bundle/Verifier.h"
#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "Support/Error.h"
#include "Support/Options.h"
#include "Support/WriteFile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ttrun {

using namespace ttrt;

/// Devices that are listed one by one.
static constexpr size_t kMostListed = 16;
static constexpr uint32_t kMostPictured = 32;

void MeshTimeOptions::declare(OptionParser &parser) {
  parser.flag("mesh-time",
              "predict the time of a step of the mesh, by simulating its\nstreams "
              "(docs/mesh.md#predicting-step-times)",
              wanted);
  parser.text("links", "MESH",
              "for --mesh-time: links other than the bundle's, as --mesh\nof ttc-translate: "
              "x:4:ring:25e9:1000, t3000, FILE.json",
              links);
  parser.list("command-times", "FILE.json",
              "for --mesh-time: the times of commands on one device, from\nttrun perf --alone "
              "--ops --json; without it, they are\nestimated from operations and bytes",
              commandTimes);
  parser.real("gigaflops", "N", "for estimates: what a device computes per second (default 50)",
              gigaflops);
  parser.real("gigabytes-per-second", "N",
              "for estimates: what its memory moves per second (default 10)", gigabytesPerSecond);
  parser.text("timeline-picture", "FILE.svg", "for --mesh-time: draw the first step of all devices",
              picture);
}

void MeshTimeOptions::check() const {
  if (!wanted && (!links.empty() || !commandTimes.empty() || !picture.empty()))
    throw UserError(fmt::format("--{} needs --mesh-time", !links.empty()     ? "links"
                                                          : !picture.empty() ? "timeline-picture"
                                                                             : "command-times"));
  if (gigaflops <= 0 || gigabytesPerSecond <= 0)
    throw UserError(fmt::format("--{}=0: expected a number above 0",
                                gigaflops <= 0 ? "gigaflops" : "gigabytes-per-second"));
}

static std::vector<ttc::MeshAxisDescription> axesOf(const fb::Mesh &mesh) {
  std::vector<ttc::MeshAxisDescription> axes;
  for (const fb::MeshAxis *axis : *mesh.axes())
    axes.push_back({text(axis->name()), axis->size(),
                    axis->topology() == fb::LinkTopology::Ring   ? ttc::MeshTopology::Ring
                    : axis->topology() == fb::LinkTopology::Line ? ttc::MeshTopology::Line
                                                                 : ttc::MeshTopology::All,
                    static_cast<int64_t>(axis->link_bytes_per_second()),
                    static_cast<int64_t>(axis->link_latency_ns())});
  return axes;
}

static LinkTimes linksOf(const Bundle &bundle, const std::string &other) {
  if (!bundle.metadata().mesh())
    throw UserError("--mesh-time: expected a bundle for a mesh, found one for one device");
  LinkTimes links(axesOf(*bundle.metadata().mesh()));
  if (other.empty())
    return links;
  const ttc::MeshDescription given = ttc::describeMesh(other);
  if (!given.problem.empty())
    throw UserError(fmt::format("--links={}: {}", other, given.problem));
  int64_t devices = 1;
  for (const ttc::MeshAxisDescription &axis : given.axes)
    devices = axis.size > links.devices() ? axis.size : devices * axis.size;
  if (devices != links.devices())
    throw UserError(fmt::format("--links={}: expected links of {} devices, as the bundle has, "
                                "found {}{}; compile for another number",
                                other, links.devices(), devices > links.devices() ? "more" : "",
                                devices > links.devices() ? "" : std::to_string(devices)));
  return LinkTimes(given.axes);
}

/// What a device that executes the entry point does in one run, by its default schedule.
static Stream streamOf(const Bundle &bundle, const fb::EntryPoint &entry, CommandTimes &times) {
  Stream stream;
  forEachStep(*entry.schedules()->Get(0), [&](const fb::Step &step) {
    const Action action = actionOf(step);
    if (action.info->role != OrderRole::Execute) {
      if (action.info->accesses == AccessShape::Operands ||
          action.info->accesses == AccessShape::Copy)
        stream.push_back(
            {Operation::Compute, 0, times.ofStep(entry, action), SimulatorInput::kNone, 0});
      return;
    }
    uint32_t number = 0;
    forEachCommand(bundle.stream(action.index), [&](const CommandHeader &header) {
      const Action command = actionOf(header);
      const uint32_t at = number++;
      if (command.info->table != IndexedTable::Collective) {
        if (const double seconds = times.of(action.index, at, command); seconds > 0)
          stream.push_back({Operation::Compute, 0, seconds, action.index, at});
        return;
      }
      const Operation::Kind kind = header.opcode == Opcode::Send      ? Operation::Send
                                   : header.opcode == Opcode::Receive ? Operation::Receive
                                   : header.opcode == Opcode::Offer   ? Operation::Offer
                                                                      : Operation::Exchange;
      stream.push_back({kind, command.index, 0, action.index, at});
    });
  });
  return stream;
}

static uint32_t runsFor(uint64_t messages) {
  constexpr uint64_t kMostMessages = 20'000'000;
  return static_cast<uint32_t>(
      std::clamp<uint64_t>(kMostMessages / std::max<uint64_t>(messages, 1), 4, 64));
}

static MeshTime predict(const Bundle &bundle, const std::string &name, const LinkTimes &links,
                        CommandTimes &times, bool keepSpans) {
  MeshTime time;
  time.entry = name;
  time.streamOf.assign(links.devices(), SimulatorInput::kNone);
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    if ((count(entry->devices()) ? text(entry->part_of()) : text(entry->name())) != name)
      continue;
    const auto stream = static_cast<uint32_t>(time.streams.size());
    time.streams.push_back(streamOf(bundle, *entry, times));
    time.parts.push_back(entry);
    for (uint32_t i = 0; i < count(entry->devices()); ++i)
      time.streamOf[entry->devices()->Get(i)] = stream;
    if (!count(entry->devices()))
      std::fill(time.streamOf.begin(), time.streamOf.end(), stream);
  }
  time.counts = times.takeCounts();
  const SimulatorInput input{bundle.metadata().collectives(), time.streams, time.streamOf,
                             keepSpans};
  time.messages = messagesOf(input);
  time.runs = runsFor(time.messages);
  Simulated simulated = simulate(input, links, time.runs);
  if (!simulated.problem.empty())
    throw UserError(fmt::format("--mesh-time: {}", simulated.problem));
  time.first = simulated.ends.front();
  const size_t half = time.runs / 2;
  time.interval = (simulated.ends.back() - simulated.ends[half - 1]) /
                  static_cast<double>(simulated.ends.size() - half);
  const auto runs = static_cast<double>(time.runs);
  for (DeviceTime &device : simulated.devices) {
    device.computing /= runs;
    device.moving /= runs;
    device.waiting /= runs;
    time.efficiency += device.computing / static_cast<double>(simulated.devices.size());
  }
  time.efficiency = time.interval > 0 ? std::min(time.efficiency / time.interval, 1.0) : 1;
  time.devices = std::move(simulated.devices);
  time.links = simulated.links;
  time.links.bytes /= time.runs;
  time.links.busiestBytes /= time.runs;
  time.links.busiestSeconds /= runs;
  time.busyShare = time.interval > 0 ? time.links.busiestSeconds / time.interval : 0;
  return time;
}

/// Whole entry points, in the order of their first parts.
static std::vector<std::string> wholeEntries(const Bundle &bundle) {
  std::vector<std::string> names;
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    const std::string name = count(entry->devices()) ? text(entry->part_of()) : text(entry->name());
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

static std::string axisText(const ttc::MeshAxisDescription &axis) {
  std::string line = fmt::format("{}: {} devices, {}", axis.name, axis.size, nameOf(axis.topology));
  if (axis.linkBytesPerSecond)
    line += fmt::format(", {:.4g} GB/s", static_cast<double>(axis.linkBytesPerSecond) * 1e-9);
  else
    line += ", no bandwidth: bytes take no time";
  if (axis.linkLatencyNs)
    line += fmt::format(", {:.4g} us", static_cast<double>(axis.linkLatencyNs) * 1e-3);
  return line;
}

static const char *sourceOf(const MeshTime &time) {
  return time.counts.estimated == 0 ? "measured"
         : time.counts.measured     ? "measured and estimated"
                                    : "estimated";
}

static void printTimes(const MeshTime &time, const MeshTimeOptions &options) {
  fmt::print("{}\n", printable(time.entry));
  std::string source = fmt::format("  commands    {}", sourceOf(time));
  if (time.counts.measured)
    source += fmt::format(" ({} of {})", time.counts.measured,
                          time.counts.measured + time.counts.estimated);
  if (time.counts.estimated)
    source += fmt::format(", for devices of {:.4g} GFLOP/s and {:.4g} GB/s", options.gigaflops,
                          options.gigabytesPerSecond);
  printLine("{}", source);
  constexpr double kUs = 1e6;
  fmt::print("  step        {:.2f} us; one after another, every {:.2f} us: {:.1f} a second\n",
             time.first * kUs, time.interval * kUs,
             time.interval > 0 ? 1 / time.interval : INFINITY);
  fmt::print("  efficiency  {:.1f} % of that time, a device computes\n", 100 * time.efficiency);
  if (time.links.links)
    printLine(
        "  links       {} carry {} a step in {} message{}; most busy is that of {}: {}, {:.1f} "
        "% of the time",
        time.links.links, shortBytes(time.links.bytes), time.messages, plural(time.messages),
        time.links.busiest, shortBytes(time.links.busiestBytes), 100 * time.busyShare);
  else
    fmt::print("  links       carry nothing\n");
  fmt::print("  {:>6} {:>12} {:>12} {:>12}\n", "device", "computing", "moving", "waiting");
  auto print = [&](const std::string &name, double computing, double moving, double waiting) {
    fmt::print("  {:>6} {:12.2f} {:12.2f} {:12.2f}\n", name, computing * kUs, moving * kUs,
               waiting * kUs);
  };
  if (time.devices.size() <= kMostListed) {
    for (size_t i = 0; i < time.devices.size(); ++i)
      print(std::to_string(i), time.devices[i].computing, time.devices[i].moving,
            time.devices[i].waiting);
    return;
  }
  auto over = [&](const char *name, auto fold) {
    auto of = [&](double DeviceTime::*what) {
      std::vector<double> values;
      for (const DeviceTime &device : time.devices)
        values.push_back(device.*what);
      return fold(values);
    };
    print(name, of(&DeviceTime::computing), of(&DeviceTime::moving), of(&DeviceTime::waiting));
  };
  over("least", [](const auto &values) { return *std::min_element(values.begin(), values.end()); });
  over("mean", [](const auto &values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  });
  over("most", [](const auto &values) { return *std::max_element(values.begin(), values.end()); });
}

static void addTimes(Json &json, const MeshTime &time) {
  constexpr double kUs = 1e6;
  json.beginObject()
      .field("entry", time.entry)
      .field("commands", sourceOf(time))
      .field("measured_commands", time.counts.measured)
      .field("estimated_commands", time.counts.estimated)
      .field("step_us", time.first * kUs)
      .field("interval_us", time.interval * kUs)
      .field("efficiency", time.efficiency)
      .field("messages", time.messages)
      .key("links")
      .beginObject()
      .field("used", time.links.links)
      .field("bytes", time.links.bytes)
      .field("busiest", time.links.busiest)
      .field("busiest_bytes", time.links.busiestBytes)
      .field("busiest_share", time.busyShare)
      .endObject()
      .key("devices")
      .beginArray();
  for (const DeviceTime &device : time.devices)
    json.beginObject(/*flat=*/true)
        .field("computing_us", device.computing * kUs)
        .field("moving_us", device.moving * kUs)
        .field("waiting_us", device.waiting * kUs)
        .endObject();
  json.endArray().endObject();
}

void readMeshTime(const Bundle &bundle, const MeshTimeOptions &options, bool json, bool isProved) {
  const LinkTimes links = linksOf(bundle, options.links);
  CommandTimes times(bundle, {options.gigaflops * 1e9, options.gigabytesPerSecond * 1e9});
  for (const std::string &file : options.commandTimes)
    times.read(file);
  const std::vector<std::string> names = wholeEntries(bundle);
  if (!options.picture.empty() && names.size() > 1)
    throw UserError("--timeline-picture: expected a bundle with one entry point, found several");
  std::vector<MeshTime> all;
  for (const std::string &name : names)
    all.push_back(predict(bundle, name, links, times, !options.picture.empty()));
  if (!options.picture.empty())
    ttc::writeFile(options.picture,
                   {meshTimelinePicture(bundle, all.front(),
                                        fmt::format("{}: predicted step, {} devices", names.front(),
                                                    links.devices()),
                                        kMostPictured)});
  if (json) {
    Json object;
    object.beginObject()
        .field("proved", isProved)
        .field("devices", uint64_t(links.devices()))
        .key("axes")
        .beginArray();
    for (const ttc::MeshAxisDescription &axis : links.axes())
      object.beginObject()
          .field("name", axis.name)
          .field("size", axis.size)
          .field("topology", nameOf(axis.topology))
          .field("link_bytes_per_second", axis.linkBytesPerSecond)
          .field("link_latency_ns", axis.linkLatencyNs)
          .endObject();
    object.endArray().key("entries").beginArray();
    for (const MeshTime &time : all)
      addTimes(object, time);
    object.endArray().endObject();
    fmt::print("{}", object.take());
    return;
  }
  fmt::print("predicted time of {} devices{}\n", links.devices(),
             isProved ? "" : "; the bundle has not been proved");
  for (const ttc::MeshAxisDescription &axis : links.axes())
    printLine("  axis {}", axisText(axis));
  for (const MeshTime &time : all)
    printTimes(time, options);
}

} // namespace ttrun
