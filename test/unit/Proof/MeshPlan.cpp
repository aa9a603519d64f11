// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshPlan.h"

#include "ttrt/format/steps.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace ttrt::test::mesh {

static Range rangeOf(uint64_t address, uint64_t bytes) {
  const uint64_t first = address / kUnit;
  return {first, (address + bytes + kUnit - 1) / kUnit - first};
}

namespace {
class Unroller {
public:
  Unroller(const fb::BundleT &bundle, const std::vector<StreamBuilder> &streams,
           const fb::ScheduleT &schedule)
      : bundle(bundle), streams(streams), schedule(schedule), entry(*bundle.entries[0]) {
    plan.queues.resize(schedule.queues);
  }

  Plan unroll(uint32_t bodies) {
    add(schedule.prologue);
    for (uint32_t i = 0; i < bodies; ++i)
      add(schedule.body);
    add(schedule.epilogue);
    return std::move(plan);
  }

private:
  void push(Work work) {
    plan.hostOrder.emplace_back(queue, plan.queues[queue].size());
    plan.queues[queue].push_back(std::move(work));
  }
  void barrier() { push({Work::Barrier, 0, false, {}, {}}); }
  void record(uint32_t event) {
    barrier();
    recorded[event] = plan.records;
    push({Work::Record, plan.records++, true, {}, {}});
  }
  void wait(const std::map<uint32_t, uint32_t> &records, uint32_t event) {
    if (const auto found = records.find(event); found != records.end())
      push({Work::Wait, found->second, true, {}, {}});
    barrier();
  }
  Range slot(const fb::PortT &port, uint32_t slot) const {
    const fb::BufferT &buffer = *bundle.buffers[slot ? port.ring[slot - 1] : port.buffer];
    return rangeOf(buffer.offset, buffer.size);
  }
  void operate(Work::Kind kind, uint32_t index, uint64_t grid, const auto &operands,
               const uint64_t *addresses) {
    Work work{kind, index, grid == 1, {}, {}};
    for (size_t i = 0; i < operands.size(); ++i) {
      const Range range = rangeOf(addresses[i], operands[i]->bytes);
      if (operands[i]->access != fb::Access::Write || kind == Work::Exchange)
        work.reads.push_back(range);
      if (operands[i]->access != fb::Access::Read)
        work.writes.push_back(range);
    }
    push(std::move(work));
  }

  void trace(uint32_t index) {
    const auto atStart = recorded;
    const std::vector<uint64_t> &words = streams[index].words;
    for (size_t at = 0; at < words.size();) {
      CommandHeader header;
      memcpy(&header, &words[at], sizeof(header));
      const auto operand = static_cast<uint32_t>(words[std::min(at + 1, words.size() - 1)]);
      switch (header.opcode) {
      case Opcode::Dispatch: {
        const fb::ProgramT &program = *bundle.programs[operand];
        operate(Work::Run, operand, program.grid, program.operands, &words[at + 2]);
        break;
      }
      case Opcode::Exchange:
        operate(Work::Exchange, operand, 1, bundle.collectives[operand]->operands, &words[at + 2]);
        break;
      case Opcode::Barrier:
        barrier();
        break;
      case Opcode::Signal:
        record(operand);
        break;
      case Opcode::Wait:
        wait(atStart, operand);
        break;
      default:
        break;
      }
      at += header.size / 8;
    }
  }

  void add(const std::vector<std::unique_ptr<fb::StepT>> &steps) {
    for (const auto &step : steps) {
      queue = step->queue;
      barrier();
      switch (step->kind) {
      case fb::StepKind::Write:
        push({Work::Write, step->index, true, {}, {slot(*entry.inputs[step->index], step->slot)}});
        break;
      case fb::StepKind::Read:
        push({Work::Read, step->index, true, {slot(*entry.outputs[step->index], step->slot)}, {}});
        break;
      case fb::StepKind::Execute:
        trace(step->index);
        break;
      case fb::StepKind::Record:
        record(step->index);
        break;
      case fb::StepKind::Wait:
        wait(recorded, step->index);
        break;
      default:
        break;
      }
      barrier();
    }
  }

  const fb::BundleT &bundle;
  const std::vector<StreamBuilder> &streams;
  const fb::ScheduleT &schedule;
  const fb::EntryPointT &entry;
  Plan plan;
  std::map<uint32_t, uint32_t> recorded; ///< the last record of each event
  size_t queue = 0;
};
} // namespace

Plan unroll(const BundleBuilder &builder, size_t schedule, uint32_t bodies) {
  return Unroller(builder.bundle, builder.streams, *builder.bundle.entries[0]->schedules[schedule])
      .unroll(bodies);
}

} // namespace ttrt::test::mesh
