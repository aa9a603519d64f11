// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule is simulated in the order in which the host enqueues it. Every wait is for a record
// that was enqueued earlier, so the time of that record is known when the wait is simulated.

#include "Describe/SchedulePicture.h"

#include "Formats/Lanes.h"
#include "Formats/Printing.h"
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

enum Kind { Write, Run, Read, Copy };
const std::vector<Svg::Key> kBars = {{fill::kGreen, "write"},
                                     {fill::kBlue, "run: a trace, or a dispatch"},
                                     {fill::kAmber, "read"},
                                     {fill::kPurple, "copy"}};

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

  std::vector<LaneBox> bars[kMaxQueues];
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
    bars[queue].push_back(
        {now[queue], now[queue] + takes, kind, label, title, kind == Run ? inference[queue] : 0});
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
      add(Run, queue, pending, "run" + nameOf(queue), std::string("trace ") + name);
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
  case OrderRole::Repeat:
  case OrderRole::EndRepeat:
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
    return add(write ? Write : Read, queue, transfer,
               fmt::format("{} {}", action.info->name, which),
               fmt::format("{} {} {} {}", nounOf(action.info->table), text(port->name()),
                           write ? "to" : "from", text(slot.name())));
  }
  if (action.info->accesses == AccessShape::Copy)
    return add(Copy, queue, 1, "", action.info->name);
  follow(action, queue);
  add(Run, queue, 1, inference[queue] < 0 ? "" : std::to_string(inference[queue]),
      fmt::format("dispatch {}", nameIn(bundle.metadata(), &entry, *action.info, action.index)));
}

constexpr int kLeft = 64, kWidth = 900, kTop = 40, kBar = 26, kLine = 12;

class Drawing {
public:
  Drawing(const std::string &title, const Simulation &simulation, uint32_t queues)
      : simulation(simulation), queues(queues),
        scale(kWidth / std::max(1.0, *std::max_element(std::begin(simulation.now),
                                                       std::end(simulation.now)))),
        svg(kLeft + kWidth + 16, title) {
    for (const Arrow &arrow : simulation.arrows)
      place(arrow);
  }

  std::string draw() {
    std::vector<const std::vector<LaneBox> *> rows;
    for (uint32_t queue = 0; queue < queues; ++queue) {
      const int bottom = top(queue) + kBar;
      svg.text(8, top(queue) + 17, fmt::format("queue {}", queue));
      svg.line(kLeft, kLeft + kWidth, bottom, bottom, "#ccc");
      rows.push_back(&simulation.bars[queue]);
    }
    bool waits = false;
    for (const Arrow &arrow : simulation.arrows)
      waits |= drawArrow(arrow);
    for (uint32_t queue = 0; queue < queues; ++queue)
      drawBoxes(svg, simulation.bars[queue], kBars, kLeft, scale, top(queue), kBar);
    for (const Name &name : names)
      svg.text(name.begin, kTop + kBar + 15 + kLine * name.line, name.event,
               {.fill = name.held ? kHeld : "#666",
                .size = Svg::kNote.size,
                .more = " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\""});
    std::vector<Svg::Key> keys = usedKinds(kBars, rows);
    if (waits)
      keys.push_back({fill::kGrey, "the queue is delayed"});
    std::vector<std::string> notes = {"order, not measured time: a command takes one unit; numbers "
                                      "count inferences"};
    if (!simulation.arrows.empty())
      notes.push_back("an arrow: from a record to the wait for it; solid and red where the queue "
                      "is delayed, dashed where it is not");
    return svg.take(svg.legend(kLeft, top(queues - 1) + kBar + 14, keys, notes));
  }

private:
  static constexpr std::string_view kHeld = "#c1121f";

  struct Name {
    std::string event;
    double begin, end; ///< pixels
    int line;
    bool held;
  };
  static bool isHeld(const Arrow &arrow) { return arrow.recorded > arrow.waited; }
  double at(double time) const { return kLeft + time * scale; }
  int top(uint32_t queue) const {
    return kTop + static_cast<int>(queue) * (kBar + 26 + kLine * std::max(lines, 2));
  }

  /// Each event is named once, at its first record, in the first line that has room there.
  void place(const Arrow &arrow) {
    if (std::any_of(names.begin(), names.end(),
                    [&](const Name &name) { return name.event == arrow.event; }))
      return;
    Name name{Svg::fitted(arrow.event, kWidth / 3., Svg::kNote.size), 0, 0, 0, isHeld(arrow)};
    const double width = Svg::widthOf(name.event, Svg::kNote.size);
    name.begin = std::min(at(arrow.recorded) + 4, kLeft + kWidth - width);
    name.end = name.begin + width + 6;
    while (std::any_of(names.begin(), names.end(), [&](const Name &other) {
      return other.line == name.line && other.begin < name.end && name.begin < other.end;
    }))
      ++name.line;
    lines = std::max(lines, name.line + 1);
    names.push_back(name);
  }

  /// From the record to the end of the wait: solid if it delayed the queue, else dashed. Returns
  /// whether it did.
  bool drawArrow(const Arrow &arrow) {
    const bool held = isHeld(arrow), down = arrow.from < arrow.to;
    const double x1 = at(arrow.recorded), x2 = at(std::max(arrow.recorded, arrow.waited));
    const int y1 = top(arrow.from) + (down ? kBar : 0), y2 = top(arrow.to) + (down ? 0 : kBar);
    const std::string_view colour = held ? kHeld : "#767676";
    if (held)
      svg.box(at(arrow.waited), top(arrow.to), x2 - at(arrow.waited), kBar, fill::kGrey,
              "waits for " + arrow.event);
    const int tip = down ? y2 - 5 : y2 + 5;
    svg.raw(fmt::format("<path d=\"M{:.1f} {} L{:.1f} {}\" stroke=\"{}\" fill=\"none\"{}><title>{}"
                        "</title></path>\n<path d=\"M{:.1f} {} h6 L{:.1f} {} z\" fill=\"{}\"/>\n",
                        x1, y1, x2, tip, colour, held ? "" : " stroke-dasharray=\"3 3\"",
                        Svg::escaped(arrow.event), x2 - 3, tip, x2, y2, colour));
    return held;
  }

  const Simulation &simulation;
  const uint32_t queues;
  const double scale;
  std::vector<Name> names;
  int lines = 0; ///< of names
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
  const std::string title = fmt::format("{}: prologue, {} bod{}, epilogue", text(schedule.name()),
                                        bodies, bodies == 1 ? "y" : "ies");
  return Drawing(title, simulation, std::max(1u, schedule.queues())).draw();
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
