// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScheduleModel.h"

#include <algorithm>
#include <set>

namespace ttrt::test {

ScheduleModel::ScheduleModel(const BundleBuilder &builder)
    : builder(builder), bundle(builder.bundle) {
  findCells();
  for (const StreamBuilder &stream : builder.streams)
    traces.push_back(decode(stream));
  for (const auto &entry : bundle.entries)
    for (const auto &schedule : entry->schedules)
      for (const auto *part : {&schedule->prologue, &schedule->body, &schedule->epilogue})
        for (const auto &step : *part)
          steps.emplace(step.get(), std::vector<Command>{decode(*entry, *step)});
}

uint64_t ScheduleModel::dramBytes() const {
  return bundle.target->dram_bank_bytes * bundle.target->dram_banks;
}
uint64_t ScheduleModel::interleavedAddress() const {
  const fb::TargetT &t = *bundle.target;
  return dramBytes() + t.cores * t.l1_bytes + t.host_bytes;
}

bool ScheduleModel::isInterleaved(const fb::BufferT &buffer) {
  return buffer.space == fb::MemorySpace::L1 && buffer.kind != fb::BufferKind::Scratch &&
         buffer.shards == 0;
}

uint64_t ScheduleModel::addressOf(const fb::BufferT &buffer) const {
  const fb::TargetT &t = *bundle.target;
  if (isInterleaved(buffer))
    return interleavedAddress() + buffer.offset * t.cores;
  return buffer.offset + (buffer.space == fb::MemorySpace::Dram ? 0
                          : buffer.space == fb::MemorySpace::L1
                              ? dramBytes()
                              : dramBytes() + t.cores * t.l1_bytes);
}

uint64_t ScheduleModel::sizeOf(const fb::BufferT &buffer) const {
  return isInterleaved(buffer) ? buffer.size * bundle.target->cores : buffer.size;
}

std::vector<uint32_t> ScheduleModel::cellsOf(const fb::BufferT &buffer) const {
  std::vector<uint32_t> cells;
  const uint64_t address = addressOf(buffer);
  for (uint32_t shard = 0; shard < std::max(buffer.shards, 1u); ++shard)
    addCells(cells, address + shard * bundle.target->l1_bytes,
             address + shard * bundle.target->l1_bytes + sizeOf(buffer));
  std::sort(cells.begin(), cells.end());
  return cells;
}

/// Scratch only matters where something else lies in L1.
bool ScheduleModel::usesL1() const {
  return std::any_of(bundle.buffers.begin(), bundle.buffers.end(), [](const auto &buffer) {
    return buffer->space == fb::MemorySpace::L1 && buffer->kind != fb::BufferKind::Scratch;
  });
}

/// Calls f(begin, end) for what a program's dispatches may write as scratch, core by core.
template <typename F> void ScheduleModel::forEachScratch(const fb::ProgramT &program, F f) const {
  for (uint32_t core = 0; program.scratch_bytes && usesL1() && core < bundle.target->cores; ++core)
    f(dramBytes() + core * bundle.target->l1_bytes,
      dramBytes() + core * bundle.target->l1_bytes + program.scratch_bytes);
}

/// Calls f(begin, end) for the pieces of an address range, as a chip has them.
template <typename F> void ScheduleModel::onChip(uint64_t begin, uint64_t end, F f) const {
  const fb::TargetT &t = *bundle.target;
  const uint64_t dram = dramBytes();
  if (begin < dram || begin >= dram + t.cores * t.l1_bytes || t.l1_bytes == 0)
    return f(begin, end);
  while (begin < end) {
    const uint64_t core = (begin - dram) / t.l1_bytes, offset = (begin - dram) % t.l1_bytes;
    const uint64_t bytes = std::min(end - begin, 64 - offset % 64);
    const uint64_t at = interleavedAddress() + (offset / 64 * t.cores + core) * 64 + offset % 64;
    f(at, at + bytes);
    begin += bytes;
  }
}

uint64_t ScheduleModel::bytesOf(const fb::PortT &port) {
  uint64_t bytes = port.dtype == fb::DType::I64 || port.dtype == fb::DType::U64 ? 8 : 4;
  for (int64_t extent : port.shape)
    bytes *= static_cast<uint64_t>(extent);
  return bytes;
}

static uint32_t slotOf(const fb::PortT &port, uint32_t slot) {
  return slot == 0 ? port.buffer : port.ring[slot - 1];
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// Calls f(begin, end) for every contiguous part of every access.
template <typename F> void ScheduleModel::forEachPart(F f) const {
  auto operands = [&](const fb::ProgramT &program, const uint64_t *addresses) {
    for (size_t i = 0; i < program.operands.size(); ++i)
      parts(*program.operands[i], addresses[i], f);
  };
  for (const StreamBuilder &stream : builder.streams)
    forEachCommand(stream, [&](Opcode kind, const uint64_t *words) {
      if (kind == Opcode::Dispatch)
        operands(*bundle.programs[static_cast<uint32_t>(words[1])], words + 2);
      if (kind == Opcode::Copy)
        f(words[2], words[2] + words[3]);
      if (kind == Opcode::Copy || kind == Opcode::Fill)
        f(words[1], words[1] + words[kind == Opcode::Copy ? 3 : 2]);
    });
  for (const auto &entry : bundle.entries) {
    for (const auto *ports : {&entry->inputs, &entry->outputs})
      for (const auto &port : *ports)
        for (uint32_t slot = 0; slot <= port->ring.size(); ++slot) {
          const uint64_t begin = addressOf(*bundle.buffers[slotOf(*port, slot)]);
          const uint64_t bytes = bytesOf(*port);
          f(begin, begin + bytes / 2);
          f(begin + bytes / 2, begin + bytes);
        }
    for (const auto &schedule : entry->schedules)
      for (const auto *part : {&schedule->prologue, &schedule->body, &schedule->epilogue})
        for (const auto &step : *part) {
          if (step->kind == fb::StepKind::Copy) {
            f(step->dst, step->dst + step->bytes);
            f(step->src, step->src + step->bytes);
          } else if (step->kind == fb::StepKind::Dispatch ||
                     step->kind == fb::StepKind::HostDispatch) {
            operands(*bundle.programs[step->index], step->operands.data());
          }
        }
  }
  for (const auto &buffer : bundle.buffers)
    for (uint32_t shard = 0; shard < std::max(buffer->shards, 1u); ++shard)
      f(addressOf(*buffer) + shard * bundle.target->l1_bytes,
        addressOf(*buffer) + shard * bundle.target->l1_bytes + sizeOf(*buffer));
  for (const auto &program : bundle.programs)
    forEachScratch(*program, f);
}

template <typename F>
void ScheduleModel::parts(const fb::OperandT &operand, uint64_t address, F f) {
  const uint64_t row = operand.row_bytes ? operand.row_bytes : operand.bytes;
  const uint64_t pitch = operand.row_bytes ? operand.pitch_bytes : operand.bytes;
  for (uint64_t at = 0; at < operand.bytes; at += pitch)
    f(address + at, address + at + row);
}

template <typename F> void ScheduleModel::forEachCommand(const StreamBuilder &stream, F f) {
  for (size_t at = 0; at < stream.words.size();) {
    CommandHeader header;
    memcpy(&header, &stream.words[at], sizeof(header));
    f(header.opcode, &stream.words[at]);
    at += header.size / 8;
  }
}

void ScheduleModel::findCells() {
  std::set<uint64_t> found;
  forEachPart([&](uint64_t begin, uint64_t end) {
    onChip(begin, end, [&](uint64_t first, uint64_t last) {
      found.insert(first);
      found.insert(last);
    });
  });
  cuts.assign(found.begin(), found.end());
}

void ScheduleModel::addCells(std::vector<uint32_t> &cells, uint64_t begin, uint64_t end) const {
  onChip(begin, end, [&](uint64_t from, uint64_t to) {
    auto first = std::lower_bound(cuts.begin(), cuts.end(), from);
    for (; first != cuts.end() && *first < to; ++first)
      cells.push_back(static_cast<uint32_t>(first - cuts.begin()));
  });
}

bool shareCells(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j)
      return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

std::vector<uint32_t> Use::cellsOf(size_t core, size_t cores) const {
  std::vector<uint32_t> found;
  for (size_t i = core == 0 ? 0 : 1; i < (core == 0 ? 1 : scratch.size()); ++i)
    if (i < scratch.size())
      found.insert(found.end(), scratch[i].begin(), scratch[i].end());
  if (isScratch()) {
    std::sort(found.begin(), found.end());
    return found;
  }
  if (rows.empty())
    return cells;
  for (size_t workgroup = 0; workgroup < rows.size(); ++workgroup)
    if (workgroup * cores / rows.size() == core)
      found.insert(found.end(), rows[workgroup].begin(), rows[workgroup].end());
  return found;
}

const std::vector<uint32_t> &Use::scratchOf(size_t core) const {
  static const std::vector<uint32_t> none;
  return core < scratch.size() ? scratch[core] : none;
}

bool Command::hasRows() const {
  return std::any_of(uses.begin(), uses.end(), [](const Use &use) { return !use.rows.empty(); });
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

Use ScheduleModel::use(uint64_t address, uint64_t bytes, bool read, bool write,
                       uint32_t operand) const {
  Use use{address, address + bytes, read, write, operand, {}};
  addCells(use.cells, address, address + bytes);
  std::sort(use.cells.begin(), use.cells.end());
  return use;
}

void ScheduleModel::addRows(Use &use, const fb::OperandT &operand, uint64_t grid) const {
  use.rows.resize(grid);
  uint64_t workgroup = 0;
  parts(operand, use.address, [&](uint64_t begin, uint64_t end) {
    if (workgroup == grid)
      throw Fault{"a row without a workgroup"};
    addCells(use.rows[workgroup++], begin, end);
  });
  if (workgroup != grid)
    throw Fault{"a workgroup without a row"};
}

void ScheduleModel::addOperands(Command &command, uint32_t program, const uint64_t *addresses,
                                bool onHost) const {
  command.program = bundle.programs[program].get();
  command.grid = command.program->grid;
  command.single = command.grid == 1;
  command.name = command.program->symbol;
  for (uint32_t i = 0; i < command.program->operands.size(); ++i) {
    const fb::OperandT &operand = *command.program->operands[i];
    Use use{addresses[i],
            addresses[i] + operand.bytes,
            operand.access != fb::Access::Write,
            operand.access != fb::Access::Read,
            i,
            {}};
    parts(operand, addresses[i],
          [&](uint64_t begin, uint64_t end) { addCells(use.cells, begin, end); });
    std::sort(use.cells.begin(), use.cells.end());
    if (operand.per_workgroup)
      addRows(use, operand, command.grid);
    command.uses.push_back(use);
  }
  Use scratch{dramBytes(),
              dramBytes(),
              false,
              true,
              static_cast<uint32_t>(command.program->operands.size()),
              {}};
  forEachScratch(*command.program, [&](uint64_t begin, uint64_t end) {
    if ((command.single || onHost) && scratch.isScratch())
      return; // only core 0 has work
    addCells(scratch.scratch.emplace_back(), begin, end);
    scratch.cells.insert(scratch.cells.end(), scratch.scratch.back().begin(),
                         scratch.scratch.back().end());
    std::sort(scratch.scratch.back().begin(), scratch.scratch.back().end());
  });
  std::sort(scratch.cells.begin(), scratch.cells.end());
  if (scratch.isScratch())
    command.uses.push_back(scratch);
}

std::vector<Command> ScheduleModel::decode(const StreamBuilder &stream) const {
  std::vector<Command> commands;
  forEachCommand(stream, [&](Opcode kind, const uint64_t *words) {
    Command command;
    command.kind = kind;
    if (kind == Opcode::Dispatch)
      addOperands(command, static_cast<uint32_t>(words[1]), words + 2);
    if (kind == Opcode::Copy) {
      command.name = "copy";
      command.grid = (words[3] + 65535) / 65536;
      command.uses = {use(words[2], words[3], true, false, 0),
                      use(words[1], words[3], false, true, 1)};
    }
    if (kind == Opcode::Fill) {
      command.name = "fill " + std::to_string(words[3]);
      command.grid = (words[2] + 65535) / 65536;
      command.uses = {use(words[1], words[2], false, true, 0)};
    }
    command.single = command.grid == 1;
    if (kind == Opcode::Signal || kind == Opcode::Wait)
      command.event = static_cast<uint32_t>(words[1]);
    commands.push_back(command);
  });
  return commands;
}

Command ScheduleModel::decode(const fb::EntryPointT &entry, const fb::StepT &step) const {
  Command command;
  switch (step.kind) {
  case fb::StepKind::Write:
  case fb::StepKind::Read: {
    const bool write = step.kind == fb::StepKind::Write;
    const fb::PortT &port = *(write ? entry.inputs : entry.outputs)[step.index];
    const uint32_t buffer = slotOf(port, step.slot);
    command.uses = {use(addressOf(*bundle.buffers[buffer]), bytesOf(port), !write, write, 0)};
    command.uses[0].buffer = static_cast<int>(buffer);
    command.name = (write ? "write " : "read ") + port.name;
    break;
  }
  case fb::StepKind::Copy:
    command.name = "copy";
    command.uses = {use(step.src, step.bytes, true, false, 0),
                    use(step.dst, step.bytes, false, true, 1)};
    break;
  case fb::StepKind::Dispatch:
  case fb::StepKind::HostDispatch:
    addOperands(command, step.index, step.operands.data(), step.kind == fb::StepKind::HostDispatch);
    if (step.kind == fb::StepKind::HostDispatch) {
      command.single = true;
      command.grid = 1;
    }
    break;
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    command.kind = step.kind == fb::StepKind::Record ? Opcode::Signal : Opcode::Wait;
    command.event = step.index;
    break;
  case fb::StepKind::Execute:
    break;
  }
  return command;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

Unrolled ScheduleModel::unroll(const fb::ScheduleT &schedule, uint32_t bodies,
                               uint32_t runs) const {
  Unrolled unrolled;
  std::map<uint32_t, int64_t> writes, reads;
  auto add = [&](const auto &part) {
    for (const auto &step : part) {
      Instance instance{step.get(),
                        step->kind == fb::StepKind::Execute ? &traces[step->index]
                                                            : &steps.at(step.get()),
                        step->queue,
                        -1,
                        {}};
      if (step->kind == fb::StepKind::Write)
        instance.inference = writes[step->index]++;
      if (step->kind == fb::StepKind::Read)
        instance.inference = reads[step->index]++;
      unrolled.instances.push_back(std::move(instance));
    }
  };
  for (uint32_t run = 0; run < runs; ++run) {
    add(schedule.prologue);
    for (uint32_t i = 0; i < bodies; ++i)
      add(schedule.body);
    add(schedule.epilogue);
  }
  // A wait is for the last record that was enqueued before it; those of a stream are enqueued
  // together with its execute step.
  std::map<uint32_t, int> last;
  for (Instance &instance : unrolled.instances) {
    const std::map<uint32_t, int> before = last;
    for (const Command &command : *instance.commands) {
      int target = -1;
      if (command.kind == Opcode::Wait)
        if (auto found = before.find(command.event); found != before.end())
          target = found->second;
      if (command.kind == Opcode::Signal) {
        target = static_cast<int>(unrolled.records++);
        last[command.event] = target;
      }
      instance.targets.push_back(target);
    }
  }
  return unrolled;
}

} // namespace ttrt::test
