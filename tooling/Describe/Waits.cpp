// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/Waits.h"

#include "ttrt/format/steps.h"

#include <map>

namespace ttrun {

using namespace ttrt;

namespace {

/// The latest record of an event.
struct WaitRecord {
  const char *part;
  int round; ///< of the body
  uint32_t step;
  int command; ///< -1: the step itself
  uint32_t queue;
};

class Walk {
public:
  Walk(const Bundle &bundle) : bundle(bundle) {}

  /// Walks one part; `found` may be null.
  void part(const char *name, int round,
            const flatbuffers::Vector<flatbuffers::Offset<fb::Step>> *steps, PartWaits *found) {
    for (uint32_t i = 0; i < count(steps); ++i) {
      const fb::Step &step = *steps->Get(i);
      std::vector<WaitInfo> waits;
      const OrderRole role = infoOf(step.kind()).role;
      if (role == OrderRole::Wait)
        waits.push_back({nameOf(step.index()), -1, describe(step.index(), name, round)});
      else if (role == OrderRole::Record)
        records[step.index()] = {name, round, i, -1, step.queue()};
      else if (role == OrderRole::Execute)
        stream(step, name, round, i, waits);
      if (found)
        found->push_back(std::move(waits));
    }
  }

private:
  const char *nameOf(uint32_t event) const {
    return text(bundle.metadata().events()->Get(event)->name());
  }

  /// The waits of a stream are enqueued with its execute step, its signals directly after it.
  void stream(const fb::Step &step, const char *part, int round, uint32_t index,
              std::vector<WaitInfo> &waits) {
    for (const OrderRole wanted : {OrderRole::Wait, OrderRole::Record}) {
      int number = 0;
      forEachCommand(bundle.stream(step.index()), [&](const CommandHeader &header) {
        const Action action = actionOf(header);
        if (action.info->role == wanted && wanted == OrderRole::Wait)
          waits.push_back({nameOf(action.index), number, describe(action.index, part, round)});
        else if (action.info->role == wanted)
          records[action.index] = {part, round, index, number, step.queue()};
        ++number;
      });
    }
  }

  std::string describe(uint32_t event, const char *part, int round) const {
    const auto found = records.find(event);
    if (found == records.end())
      return "nothing";
    const WaitRecord &record = found->second;
    std::string text = std::string(record.part) + " step " + std::to_string(record.step);
    if (record.command >= 0)
      text += " command " + std::to_string(record.command);
    text += " (queue " + std::to_string(record.queue) + ")";
    if (record.part == part && record.round != round)
      text += " of the run before";
    return text;
  }

  const Bundle &bundle;
  std::map<uint32_t, WaitRecord> records;
};

} // namespace

ScheduleWaits waitsOf(const Bundle &bundle, const fb::Schedule &schedule) {
  static const char *const kBody = "body";
  ScheduleWaits waits;
  PartWaits first;
  Walk walk(bundle);
  walk.part("prologue", 0, schedule.prologue(), &waits.prologue);
  walk.part(kBody, 1, schedule.body(), &first);
  walk.part(kBody, 2, schedule.body(), &waits.body);
  for (size_t step = 0; step < first.size(); ++step)
    for (size_t i = 0; i < first[step].size(); ++i)
      if (first[step][i].recordedBy != waits.body[step][i].recordedBy)
        waits.body[step][i].recordedBy += ", at first " + first[step][i].recordedBy;
  walk.part("epilogue", 0, schedule.epilogue(), &waits.epilogue);
  return waits;
}

} // namespace ttrun
