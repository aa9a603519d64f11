// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cells.h"

#include <algorithm>

namespace ttrt::test {

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
  return x ^ (x >> 32);
}
static uint64_t mix(uint64_t a, const std::string &text) {
  for (char c : text)
    a = mix(a, static_cast<uint8_t>(c));
  return a;
}

void Cells::resetState(const ScheduleModel &model) {
  for (const auto &buffer : model.bundle.buffers)
    if (buffer->kind == fb::BufferKind::State) {
      const uint64_t address = model.addressOf(*buffer);
      fill(model.use(address, buffer->size, false, true, 0), {mix(1, buffer->name), address});
    }
}

std::vector<uint64_t> Cells::stateNames(const ScheduleModel &model) const {
  std::vector<uint64_t> names;
  for (const auto &buffer : model.bundle.buffers)
    if (buffer->kind == fb::BufferKind::State) {
      const Use use = model.use(model.addressOf(*buffer), buffer->size, true, false, 0);
      names.push_back(nameOf(model, use, 0, ~uint64_t(0)));
    }
  return names;
}

Cells::Cells(const ScheduleModel &model) : tags(model.cuts.size()) {
  const uint64_t garbage = mix(0, "garbage"), constant = mix(0, "constant");
  for (size_t i = 0; i < tags.size(); ++i)
    tags[i] = {garbage, 0};
  for (const auto &buffer : model.bundle.buffers) {
    const uint64_t address = model.addressOf(*buffer);
    if (buffer->kind == fb::BufferKind::Constant)
      fill(model.use(address, buffer->size, false, true, 0), {constant, 0});
  }
  resetState(model);
}

uint64_t Cells::nameOf(const ScheduleModel &model, const Use &use, uint64_t begin,
                       uint64_t end) const {
  uint64_t name = 2, last = ~uint64_t(0);
  Tag before;
  for (uint32_t cell : use.cells) {
    const uint64_t at = model.cuts[cell], next = model.cuts[cell + 1];
    if (at < begin || at >= end)
      continue;
    if (at != last || tags[cell] != before)
      name = mix(mix(mix(name, at - use.address), tags[cell].name), at - tags[cell].base);
    before = tags[cell];
    last = next;
  }
  return mix(name, last - use.address);
}

uint64_t Cells::resultOf(const ScheduleModel &model, const Command &command,
                         uint64_t workgroup) const {
  uint64_t name = mix(3, command.name);
  if (command.hasRows())
    name = mix(name, workgroup);
  for (Use use : command.uses) {
    if (!use.read)
      continue;
    if (!use.rows.empty())
      use.cells = use.rows[workgroup];
    // All of them: cells of shards lie elsewhere, where a chip has them.
    name = mix(mix(name, use.operand), nameOf(model, use, 0, ~uint64_t(0)));
  }
  return name;
}

std::vector<uint64_t> Cells::execute(const ScheduleModel &model, const Command &command) {
  const uint64_t shares = command.hasRows() ? command.grid : 1;
  std::vector<uint64_t> names;
  for (uint64_t workgroup = 0; workgroup < shares; ++workgroup)
    names.push_back(resultOf(model, command, workgroup));
  for (uint64_t workgroup = 0; workgroup < command.grid; ++workgroup)
    for (auto [cell, base] : resultsOf(command, workgroup))
      tags[cell] = {names[shares == 1 ? 0 : workgroup], base};
  return names;
}

/// Which part a workgroup writes is its own business, unless it has rows: cells take turns here.
std::vector<std::pair<uint32_t, uint64_t>> resultsOf(const Command &command, uint64_t workgroup) {
  std::vector<std::pair<uint32_t, uint64_t>> results;
  for (const Use &use : command.uses) {
    if (!use.write || use.isScratch())
      continue;
    const auto &cells = use.rows.empty() ? use.cells : use.rows[workgroup];
    for (size_t i = 0; i < cells.size(); ++i)
      if (!use.rows.empty() || command.single || i % command.grid == workgroup)
        results.push_back({cells[i], use.address});
  }
  return results;
}

uint64_t inputName(uint32_t input, int64_t inference) {
  return mix(mix(4, input), static_cast<uint64_t>(inference));
}
uint64_t half(const Use &use, uint32_t piece) {
  const uint64_t bytes = use.end - use.address;
  return use.address + (piece == 0 ? 0 : piece == 1 ? bytes / 2 : bytes);
}

int64_t inferencesOf(const Unrolled &unrolled) {
  int64_t read = 0, written = 0;
  for (const Instance &instance : unrolled.instances) {
    int64_t &number = instance.step->kind == fb::StepKind::Read ? read : written;
    number = std::max(number, instance.inference + 1);
  }
  return read ? read : written;
}

/// Executes one instance; notes what it reads.
static void execute(const ScheduleModel &model, const fb::EntryPointT &entry,
                    const Instance &instance, Cells &cells, EntryReference &reference) {
  const fb::StepT &step = *instance.step;
  for (const Command &command : *instance.commands) {
    if (step.kind == fb::StepKind::Read) {
      auto &outputs = reference.outputs;
      outputs.resize(std::max(outputs.size(), static_cast<size_t>(instance.inference) + 1));
      auto &named = outputs[static_cast<size_t>(instance.inference)];
      named.resize(entry.outputs.size());
      const Use &use = command.uses[0];
      for (uint32_t piece : {0, 1})
        named[step.index][piece] = cells.nameOf(model, use, half(use, piece), half(use, piece + 1));
    } else if (step.kind == fb::StepKind::Write) {
      const Use &use = command.uses[0];
      cells.fill(use, {inputName(step.index, instance.inference), use.address});
    } else {
      cells.execute(model, command);
    }
  }
}

Reference referenceOf(const BundleBuilder &builder, uint32_t inferences) {
  const ScheduleModel model(builder);
  Reference reference;
  for (const auto &entry : builder.bundle.entries) {
    EntryReference &found = reference.emplace_back();
    const fb::ScheduleT &schedule = *entry->schedules[0];
    Cells cells(model);
    const Unrolled all = model.unroll(schedule, inferences);
    for (const Instance &instance : all.instances)
      execute(model, *entry, instance, cells, found);
    // What is in state between two runs: after any number of bodies.
    for (uint32_t bodies = 0; bodies <= inferences; ++bodies) {
      const Unrolled run = model.unroll(schedule, bodies);
      Cells left(model);
      EntryReference unused;
      for (const Instance &instance : run.instances)
        execute(model, *entry, instance, left, unused);
      found.states[inferencesOf(run)] = left.stateNames(model);
    }
  }
  return reference;
}

/// Adds the uses of state by a command that computes `name`.
static void addStateUses(const ScheduleModel &model, const Command &command, uint64_t name,
                         Computed &computed) {
  for (const auto &buffer : model.bundle.buffers) {
    if (buffer->kind != fb::BufferKind::State)
      continue;
    const std::vector<uint32_t> own = model.cellsOf(*buffer);
    const uint64_t address = model.addressOf(*buffer);
    for (const Use &use : command.uses)
      if (!use.isScratch() && shareCells(use.cells, own))
        computed.stateUses[address].push_back(
            mix(mix(mix(name, use.operand), use.write), use.address - address));
  }
}

Computed computedBy(const ScheduleModel &model, const fb::ScheduleT &schedule, uint32_t bodies) {
  Computed computed;
  Cells cells(model);
  uint64_t written = 0, read = 0;
  const Unrolled unrolled = model.unroll(schedule, bodies);
  for (const Instance &instance : unrolled.instances)
    for (const Command &command : *instance.commands) {
      if (command.uses.empty())
        continue;
      const fb::StepT &step = *instance.step;
      const Use &use = command.uses[0];
      uint64_t name = 0;
      if (step.kind == fb::StepKind::Read) {
        name = mix(5, step.index);
        computed.outputs[step.index].insert(
            mix(cells.nameOf(model, use, half(use, 0), half(use, 1)),
                cells.nameOf(model, use, half(use, 1), half(use, 2))));
        read += step.index == 0;
      } else if (step.kind == fb::StepKind::Write) {
        name = inputName(step.index, 0);
        cells.fill(use, {name, use.address});
        written += step.index == 0;
      } else {
        for (uint64_t value : cells.execute(model, command))
          name = mix(name, value);
      }
      addStateUses(model, command, name, computed);
      cells.resetState(model);
    }
  computed.inferences = std::max(written, read);
  return computed;
}

} // namespace ttrt::test
