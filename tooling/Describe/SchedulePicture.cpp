// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule is simulated in the order in which the host enqueues it. Every wait is for a record
// that was enqueued earlier, so the time of that record is known when the wait is simulated.

#include "Describe/SchedulePicture.h"

#include "Formats/Printing.h"
#include "Formats/Svg.h"
#include "Support/Error.h"
#include "Support/WriteFile.h"
#include "ttrt/format/steps.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <vector>

namespace ttrun {

using namespace ttrt;

namespace {

constexpr double kInferences = 4; ///< the least number shown

enum class Kind { Write, Run, Read, Copy };

struct Bar {
  Kind kind;
  uint32_t queue;
  double begin, end;
  std::string label, title;
};

/// A wait for a record of another queue.
struct Arrow {
  uint32_t from, to;
  double recorded, waited; ///< when the record completed; when the queue began to wait
  std::string event;
};

struct Record {
  uint32_t queue;
  double time;
};

class Simulation {
public:
  Simulation(const Bundle &bundle, const fb::EntryPoint &entry) : bundle(bundle), entry(entry) {
    const fb::Schedule &first = *entry.schedules()->Get(0);
    double commands = 0, transfers = 0;
    for (const fb::Step *step : *first.body()) {
      const ActionInfo &info = infoOf(step->kind());
      if (info.role == OrderRole::Execute)
        commands += workIn(step->index());
      else if (info.accesses == AccessShape::Slot)
        ++transfers;
      else
        ++commands;
    }
    transfer = std::max(1.0, std::max(1.0, commands) / std::max(1.0, transfers));
  }

  void run(const flatbuffers::Vector<flatbuffers::Offset<fb::Step>> *steps) {
    for (uint32_t i = 0; i < count(steps); ++i)
      run(*steps->Get(i));
  }

  std::vector<Bar> bars;
  std::vector<Arrow> arrows;
  double now[kMaxQueues] = {}; ///< when each queue has completed its steps so far

private:
  double workIn(uint32_t trace) const {
    double work = 0;
    forEachCommand(bundle.stream(trace), [&](const CommandHeader &header) {
      work += infoOf(header.opcode).role == OrderRole::Work;
    });
    return work;
  }

  void add(Kind kind, uint32_t queue, double takes, const std::string &label,
           const std::string &title) {
    bars.push_back({kind, queue, now[queue], now[queue] + takes, label, title});
    now[queue] += takes;
  }
  void wait(uint32_t event, uint32_t queue) {
    const auto found = records.find(event);
    if (found == records.end())
      return;
    const Record &record = found->second;
    if (record.queue != queue)
      arrows.push_back({record.queue, queue, record.time, now[queue],
                        text(bundle.metadata().events()->Get(event)->name())});
    now[queue] = std::max(now[queue], record.time);
  }

  /// Tracks the inference that a queue works on: that of the input slot that a command reads.
  void follow(const Action &action, uint32_t queue) {
    for (uint32_t i = 0; i < action.operandCount; ++i)
      if (auto found = written.find(action.operands[i]); found != written.end())
        inference[queue] = found->second;
  }
  std::string nameOf(uint32_t queue) const {
    return inference[queue] < 0 ? "" : " " + std::to_string(inference[queue]);
  }

  void run(const fb::Step &step);
  void execute(const fb::Step &step);

  const Bundle &bundle;
  const fb::EntryPoint &entry;
  double transfer = 1; ///< the duration of one transfer
  std::map<uint32_t, Record> records;
  std::map<uint64_t, int64_t> written; ///< address of an input's slot -> its last inference
  std::map<uint32_t, int64_t> writes, reads;
  int64_t inference[kMaxQueues] = {-1, -1};
};

/// Adds a bar for each part between events.
void Simulation::execute(const fb::Step &step) {
  const char *name = text(bundle.metadata().traces()->Get(step.index())->name());
  const uint32_t queue = step.queue();
  // Signals count as enqueued after the waits of their own stream.
  std::vector<std::pair<uint32_t, double>> signals;
  double pending = 0;
  auto flush = [&] {
    if (pending > 0)
      add(Kind::Run, queue, pending, "run" + nameOf(queue), std::string("trace ") + name);
    pending = 0;
  };
  forEachCommand(bundle.stream(step.index()), [&](const CommandHeader &header) {
    const Action action = actionOf(header);
    follow(action, queue);
    pending += action.info->role == OrderRole::Work;
    if (action.info->role == OrderRole::Record) {
      signals.push_back({action.index, now[queue] + pending});
    } else if (action.info->role == OrderRole::Wait) {
      flush();
      wait(action.index, queue);
    }
  });
  flush();
  for (auto [event, time] : signals)
    records[event] = {queue, time};
}

void Simulation::run(const fb::Step &step) {
  const uint32_t queue = step.queue();
  const Action action = actionOf(step);
  switch (action.info->role) {
  case OrderRole::Execute:
    return execute(step);
  case OrderRole::Record:
    records[action.index] = {queue, now[queue]};
    return;
  case OrderRole::Wait:
    return wait(action.index, queue);
  case OrderRole::Barrier: // of streams only
  case OrderRole::End:
    return;
  case OrderRole::Work:
    break;
  }
  if (const fb::Port *port = portOf(entry, action)) {
    const fb::Buffer &slot = *bundle.metadata().buffers()->Get(slotOf(*port, action.slot));
    const bool write = action.info->table == IndexedTable::Input;
    const int64_t which = (write ? writes : reads)[action.index]++;
    if (write)
      written[bundle.address(slot)] = which;
    return add(write ? Kind::Write : Kind::Read, queue, transfer,
               fmt::format("{} {}", action.info->name, which),
               fmt::format("{} {} {} {}", nounOf(action.info->table), text(port->name()),
                           write ? "to" : "from", text(slot.name())));
  }
  if (action.info->accesses == AccessShape::Copy)
    return add(Kind::Copy, queue, 1, "", action.info->name);
  follow(action, queue);
  add(Kind::Run, queue, 1, inference[queue] < 0 ? "" : std::to_string(inference[queue]),
      fmt::format("dispatch {}", nameIn(bundle.metadata(), &entry, *action.info, action.index)));
}

constexpr int kLeft = 64, kWidth = 900, kTop = 40, kLane = 100, kBar = 26;

class Drawing {
public:
  Drawing(const std::string &title, uint32_t queues, double end)
      : scale(kWidth / std::max(1.0, end)), queues(queues),
        svg(kLeft + kWidth + 16, top(queues - 1) + kBar + 40, title) {
    for (uint32_t queue = 0; queue < queues; ++queue) {
      const int bottom = top(queue) + kBar;
      svg.text(8, top(queue) + 17, fmt::format("queue {}", queue));
      svg.line(kLeft, kLeft + kWidth, bottom, bottom, "#ccc");
    }
  }

  void bar(const Bar &bar) {
    static const char *const kColours[] = {"#4c78a8", "#3d7d39", "#b85c0a", "#777777"};
    const double x = at(bar.begin), width = at(bar.end) - x;
    svg.box(x + 0.5, top(bar.queue), width - 1, kBar, kColours[static_cast<int>(bar.kind)],
            bar.title);
    svg.label(x, width, top(bar.queue) + 17, bar.label);
  }

  /// From the record to the end of the wait: solid if it delayed the queue, else dashed.
  void arrow(const Arrow &arrow) {
    const bool held = arrow.recorded > arrow.waited, down = arrow.from < arrow.to;
    const double x1 = at(arrow.recorded), x2 = at(std::max(arrow.recorded, arrow.waited));
    const int y1 = top(arrow.from) + (down ? kBar : 0), y2 = top(arrow.to) + (down ? 0 : kBar);
    const std::string colour = held ? "#c1121f" : "#999";
    if (held)
      svg.box(at(arrow.waited), top(arrow.to) + kBar - 4, x2 - at(arrow.waited), 4, "#f4c7c3",
              "waits for " + arrow.event);
    const int tip = down ? y2 - 5 : y2 + 5;
    svg.raw(fmt::format("<path d=\"M{:.1f} {} L{:.1f} {}\" stroke=\"{}\" fill=\"none\"{}><title>{}"
                        "</title></path>\n<path d=\"M{:.1f} {} h6 L{:.1f} {} z\" fill=\"{}\"/>\n",
                        x1, y1, x2, tip, colour, held ? "" : " stroke-dasharray=\"3 3\"",
                        Svg::escaped(arrow.event), x2 - 3, tip, x2, y2, colour));
    // Each event is named once, at its first record.
    if (std::any_of(names.begin(), names.end(),
                    [&](const Name &name) { return name.event == arrow.event; }))
      return;
    names.push_back({arrow.event, x1 + 4, held});
  }

  std::string take() {
    for (size_t i = 0; i < names.size(); ++i)
      svg.text(names[i].x, kTop + kBar + 15 + 12 * static_cast<int>(i % 5), names[i].event,
               fmt::format(" fill=\"{}\" font-size=\"10\" stroke=\"#fff\" stroke-width=\"3\" "
                           "paint-order=\"stroke\"",
                           names[i].held ? "#c1121f" : "#666"));
    std::string legend = "a bar: a transfer, or a trace or dispatch";
    if (queues > 1)
      legend += "; an arrow: from a record to the wait for it, red where the queue is delayed";
    svg.text(kLeft, top(queues - 1) + kBar + 26, legend, Svg::kNote);
    return svg.take();
  }

private:
  double at(double time) const { return kLeft + time * scale; }
  static int top(uint32_t queue) { return kTop + static_cast<int>(queue) * kLane; }

  struct Name {
    std::string event;
    double x;
    bool held;
  };
  const double scale;
  const uint32_t queues;
  std::vector<Name> names;
  Svg svg;
};

} // namespace

std::string schedulePicture(const Bundle &bundle, const fb::EntryPoint &entry,
                            const fb::Schedule &schedule) {
  uint32_t perBody = 0;
  for (const fb::Step *step : *schedule.body())
    perBody += infoOf(step->kind()).table == IndexedTable::Input && step->index() == 0;
  const auto bodies = static_cast<int>(std::ceil(kInferences / std::max(1u, perBody)));
  Simulation simulation(bundle, entry);
  simulation.run(schedule.prologue());
  for (int i = 0; i < bodies; ++i)
    simulation.run(schedule.body());
  simulation.run(schedule.epilogue());
  const double end = *std::max_element(simulation.now, simulation.now + kMaxQueues);
  std::string title = text(schedule.name());
  title +=
      ": prologue, " + std::to_string(bodies) + (bodies == 1 ? " body" : " bodies") + ", epilogue";
  Drawing drawing(title, std::max(1u, schedule.queues()), end);
  for (const Arrow &arrow : simulation.arrows)
    drawing.arrow(arrow);
  for (const Bar &bar : simulation.bars)
    drawing.bar(bar);
  return drawing.take();
}

void writeSchedulePictures(const Bundle &bundle, const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw UserError("cannot create folder '" + folder + "': " + error.message());
  const auto &entries = *bundle.metadata().entries();
  for (const fb::EntryPoint *entry : entries)
    for (const fb::Schedule *schedule : *entry->schedules()) {
      std::string name = text(schedule->name());
      if (entries.size() > 1)
        name = std::string(text(entry->name())) + "-" + name;
      std::replace(name.begin(), name.end(), '/', '_');
      ttc::writeFile((std::filesystem::path(folder) / (name + ".svg")).string(),
                     {schedulePicture(bundle, *entry, *schedule)});
    }
}

} // namespace ttrun
