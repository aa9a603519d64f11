// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttrt/format/timeline_index.h"

#include <cstring>

namespace ttrt {

template <typename T> static uint32_t sizeOf(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

template <typename Use> static void forEachStep(const fb::Schedule &schedule, Use use) {
  for (const auto *part : {schedule.prologue(), schedule.body(), schedule.epilogue()})
    for (uint32_t i = 0; i < sizeOf(part); ++i)
      use(*part->Get(i));
}

TimelineIndex::TimelineIndex(const fb::Bundle &bundle, const char *streams, uint64_t size,
                             uint64_t address, std::map<uint64_t, uint64_t> permanent)
    : permanent(std::move(permanent)), commands(sizeOf(bundle.traces())) {
  for (uint32_t i = 0; i < sizeOf(bundle.traces()); ++i) {
    const fb::Trace &trace = *bundle.traces()->Get(i);
    const uint64_t offset = trace.address() - address;
    const bool isInside =
        trace.address() >= address && offset <= size && trace.size() <= size - offset;
    traces.push_back(isInside ? decode(streams + offset, trace.size()) : std::vector<Work>());
  }
  std::vector<std::vector<Work>> work(bundle.entries()->size());
  for (uint32_t i = 0; i < work.size(); ++i) {
    const auto &schedules = *bundle.entries()->Get(i)->schedules();
    steps.emplace_back(schedules.size());
    if (schedules.size())
      readDefault(*schedules.Get(0), work[i], steps[i][0]);
  }
  for (uint32_t i = 0; i < work.size(); ++i)
    for (uint32_t j = 1; j < steps[i].size(); ++j)
      readOther(*bundle.entries()->Get(i)->schedules()->Get(j), work[i], steps[i][j]);
}

uint64_t TimelineIndex::command(uint32_t trace, uint32_t command) const {
  return command < commands[trace].size() ? commands[trace][command] : kUnknown;
}

uint64_t TimelineIndex::step(uint32_t entry, uint32_t schedule, uint32_t step) const {
  return steps[entry][schedule][step];
}

std::vector<TimelineIndex::Work> TimelineIndex::decode(const char *stream, uint64_t size) {
  std::vector<Work> work;
  std::vector<uint64_t> command; // a copy that is aligned
  CommandHeader header;
  while (size >= sizeof(header)) {
    memcpy(&header, stream, sizeof(header));
    if (header.size < sizeof(header) || header.size > size)
      break;
    Work &next = work.emplace_back();
    const ActionInfo *info = findInfo(header.opcode);
    if (info && header.size >= info->size) {
      command.assign((header.size + 7) / 8, 0);
      memcpy(command.data(), stream, header.size);
      const Action action = actionOf(*reinterpret_cast<const CommandHeader *>(command.data()));
      if (header.size == ttrt::sizeOf(*info, action.operandCount))
        next = workOf(action);
    }
    stream += header.size;
    size -= header.size;
  }
  return work;
}

TimelineIndex::Work TimelineIndex::workOf(const Action &action) {
  Work work;
  work.shape = action.info->accesses;
  switch (work.shape) {
  case AccessShape::Operands:
    work.onHost = !action.info->onCores;
    work.what = action.index;
    work.addresses.assign(action.operands, action.operands + action.operandCount);
    break;
  case AccessShape::Copy:
    work.what = action.bytes;
    work.addresses = {action.src, action.dst};
    break;
  case AccessShape::Fill:
    work.what = action.bytes;
    work.addresses = {action.dst};
    break;
  case AccessShape::Carried:
    work.what = action.loop->iterations;
    for (uint32_t i = 0; i < action.operandCount; ++i)
      work.addresses.push_back(action.carried(i).address);
    break;
  case AccessShape::Slot: // a transfer has a point, but is not looked for elsewhere
  case AccessShape::None:
    work.shape = AccessShape::None;
    break;
  }
  return work;
}

TimelineIndex::Work TimelineIndex::decode(const fb::Step &step) {
  return findInfo(step.kind()) ? workOf(actionOf(step)) : Work();
}

static bool isExecute(const fb::Step &step) {
  const ActionInfo *info = findInfo(step.kind());
  return info && info->role == OrderRole::Execute;
}

bool TimelineIndex::isPermanent(uint64_t address) const {
  auto above = permanent.upper_bound(address);
  return above != permanent.begin() && address < std::prev(above)->second;
}

/// The slots may differ: permanent addresses all count as equal.
bool TimelineIndex::isSame(const Work &a, const Work &b) const {
  if (a.shape != b.shape || a.onHost != b.onHost || a.what != b.what ||
      a.addresses.size() != b.addresses.size())
    return false;
  for (size_t i = 0; i < a.addresses.size(); ++i)
    if (a.addresses[i] != b.addresses[i] &&
        !(isPermanent(a.addresses[i]) && isPermanent(b.addresses[i])))
      return false;
  return true;
}

void TimelineIndex::readDefault(const fb::Schedule &schedule, std::vector<Work> &work,
                                std::vector<uint64_t> &points) {
  auto add = [&](Work next) {
    next.point = time++;
    if (next.shape != AccessShape::None)
      work.push_back(std::move(next));
  };
  forEachStep(schedule, [&](const fb::Step &step) {
    points.push_back(time);
    if (!isExecute(step))
      return add(decode(step));
    if (step.index() >= traces.size())
      return;
    std::vector<uint64_t> &ofTrace = commands[step.index()];
    for (size_t i = 0; i < traces[step.index()].size(); ++i) {
      if (ofTrace.size() == i)
        ofTrace.push_back(time);
      add(traces[step.index()][i]);
    }
  });
}

void TimelineIndex::readOther(const fb::Schedule &schedule, const std::vector<Work> &work,
                              std::vector<uint64_t> &points) {
  size_t cursor = 0; // where the search begins: after the work that was found last
  auto find = [&](const Work &next) {
    if (next.shape == AccessShape::None)
      return kUnknown;
    for (size_t i = 0; i < work.size(); ++i) {
      const size_t at = (cursor + i) % work.size();
      if (!isSame(work[at], next))
        continue;
      cursor = at + 1;
      return work[at].point;
    }
    return kUnknown;
  };
  forEachStep(schedule, [&](const fb::Step &step) {
    if (!isExecute(step)) {
      points.push_back(find(decode(step)));
      return;
    }
    points.push_back(kUnknown);
    if (step.index() >= traces.size())
      return;
    std::vector<uint64_t> found;
    for (const Work &next : traces[step.index()])
      found.push_back(find(next));
    if (commands[step.index()].empty())
      commands[step.index()] = std::move(found);
  });
}

} // namespace ttrt
