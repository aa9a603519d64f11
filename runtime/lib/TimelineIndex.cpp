// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttrt/timeline_index.h"

#include "ttrt/commands.h"

#include <cstring>

namespace ttrt {

template <typename T> static uint32_t sizeOf(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

template <typename Use> static void eachStep(const fb::Schedule &schedule, Use use) {
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
  auto load = [&](auto &command) {
    if (size < sizeof(command))
      return false;
    memcpy(&command, stream, sizeof(command));
    return true;
  };
  CommandHeader header;
  while (load(header) && header.size >= sizeof(header) && header.size <= size) {
    Work &next = work.emplace_back();
    DispatchCommand dispatch;
    CopyCommand copy;
    FillCommand fill;
    if (header.opcode == Opcode::Dispatch && load(dispatch) &&
        dispatch.operandCount <= kMaxOperands &&
        dispatchSize(dispatch.operandCount) == header.size) {
      next.kind = Work::Dispatch;
      next.what = dispatch.program;
      next.addresses.resize(dispatch.operandCount);
      memcpy(next.addresses.data(), stream + sizeof(dispatch),
             dispatch.operandCount * sizeof(uint64_t));
    } else if (header.opcode == Opcode::Copy && load(copy)) {
      next.kind = Work::Copy;
      next.what = copy.bytes;
      next.addresses = {copy.src, copy.dst};
    } else if (header.opcode == Opcode::Fill && load(fill)) {
      next.kind = Work::Fill;
      next.what = fill.bytes;
      next.addresses = {fill.dst};
    }
    stream += header.size;
    size -= header.size;
  }
  return work;
}

TimelineIndex::Work TimelineIndex::decode(const fb::Step &step) {
  Work work;
  if (step.kind() == fb::StepKind::Copy) {
    work.kind = Work::Copy;
    work.what = step.bytes();
    work.addresses = {step.src(), step.dst()};
  } else if (step.kind() == fb::StepKind::Dispatch || step.kind() == fb::StepKind::HostDispatch) {
    work.kind = step.kind() == fb::StepKind::Dispatch ? Work::Dispatch : Work::HostDispatch;
    work.what = step.index();
    for (uint32_t i = 0; i < sizeOf(step.operands()); ++i)
      work.addresses.push_back(step.operands()->Get(i));
  }
  return work;
}

bool TimelineIndex::isPermanent(uint64_t address) const {
  auto above = permanent.upper_bound(address);
  return above != permanent.begin() && address < std::prev(above)->second;
}

/// Slots may be others; their addresses say which.
bool TimelineIndex::isSame(const Work &a, const Work &b) const {
  if (a.kind != b.kind || a.what != b.what || a.addresses.size() != b.addresses.size())
    return false;
  for (size_t i = 0; i < a.addresses.size(); ++i)
    if (a.addresses[i] != b.addresses[i] &&
        !(isPermanent(a.addresses[i]) && isPermanent(b.addresses[i])))
      return false;
  return true;
}

void TimelineIndex::readDefault(const fb::Schedule &schedule, std::vector<Work> &work,
                                std::vector<uint64_t> &its) {
  auto add = [&](Work next) {
    next.point = time++;
    if (next.kind != Work::None)
      work.push_back(std::move(next));
  };
  eachStep(schedule, [&](const fb::Step &step) {
    its.push_back(time);
    if (step.kind() != fb::StepKind::Execute)
      return add(decode(step));
    if (step.index() >= traces.size())
      return;
    std::vector<uint64_t> &points = commands[step.index()];
    for (size_t i = 0; i < traces[step.index()].size(); ++i) {
      if (points.size() == i)
        points.push_back(time);
      add(traces[step.index()][i]);
    }
  });
}

void TimelineIndex::readOther(const fb::Schedule &schedule, const std::vector<Work> &work,
                              std::vector<uint64_t> &its) {
  size_t cursor = 0; // what comes next, if the work goes on in order
  auto find = [&](const Work &next) {
    if (next.kind == Work::None)
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
  eachStep(schedule, [&](const fb::Step &step) {
    if (step.kind() != fb::StepKind::Execute) {
      its.push_back(find(decode(step)));
      return;
    }
    its.push_back(kUnknown);
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
