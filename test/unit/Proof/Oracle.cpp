// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Oracle.h"

#include "Cells.h"
#include "ScheduleModel.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

namespace ttrt::test {
namespace {

/// With more, the others do what one of two does; unless workgroups have rows of their own.
constexpr size_t kFewCores = 2, kMostCores = 4;

class Oracle {
public:
  explicit Oracle(const BundleBuilder &builder) : model(builder) {
    for (const auto &program : bundle.programs)
      for (const auto &operand : program->operands)
        if (operand->per_workgroup)
          cores = kMostCores;
  }

  void check(uint32_t iterations) {
    checkSpace();
    for (const auto &entry : bundle.entries)
      for (const auto &schedule : entry->schedules)
        for (uint32_t bodies = 0; bodies <= iterations; ++bodies)
          checkRun(*entry, *schedule, bodies);
  }

private:
  //===--- space ----------------------------------------------------------------------------===//

  bool isAlive(const fb::BufferT &buffer, uint64_t point) const {
    return buffer.end == 0 || (buffer.begin <= point && point < buffer.end);
  }
  bool contains(const fb::BufferT &buffer, uint64_t begin, uint64_t end) const {
    return buffer.kind != fb::BufferKind::Scratch && begin <= end &&
           model.addressOf(buffer) <= begin &&
           end <= model.addressOf(buffer) + model.sizeOf(buffer);
  }
  /// In the same view, and of shards all bytes in theirs.
  bool contains(const fb::BufferT &buffer, const Use &use) const {
    if (buffer.shards == 0)
      return contains(buffer, use.address, use.end);
    const std::vector<uint32_t> cells = model.cellsOf(buffer);
    return use.address >= model.addressOf(buffer) &&
           use.end <= model.interleavedAddress() - bundle.target->host_bytes &&
           std::includes(cells.begin(), cells.end(), use.cells.begin(), use.cells.end());
  }

  void checkOwn(const Command &command) const {
    for (const Use &a : command.uses)
      for (const Use &b : command.uses) {
        if (&a == &b || !a.write || !shareCells(a.cells, b.cells))
          continue;
        const auto &inPlace = command.program && !a.isScratch()
                                  ? command.program->operands[a.operand]->in_place_of
                                  : std::vector<uint32_t>();
        if (std::find(inPlace.begin(), inPlace.end(), b.operand) == inPlace.end() ||
            a.cells != b.cells || a.rows != b.rows)
          throw Fault{"operands of one command overlap", true};
      }
  }

  void checkAt(Command &command, uint64_t point) {
    for (Use &use : command.uses) {
      int found = -1;
      for (size_t i = 0; use.isScratch() && i < bundle.buffers.size(); ++i)
        if (const fb::BufferT &buffer = *bundle.buffers[i];
            isAlive(buffer, point) && buffer.space == fb::MemorySpace::L1 &&
            buffer.kind != fb::BufferKind::Scratch &&
            buffer.offset < command.program->scratch_bytes)
          throw Fault{"scratch over a buffer", true};
      if (use.isScratch())
        continue;
      for (size_t i = 0; i < bundle.buffers.size(); ++i)
        if (isAlive(*bundle.buffers[i], point) && contains(*bundle.buffers[i], use))
          found = static_cast<int>(i);
      if (found < 0 || (use.buffer >= 0 && use.buffer != found))
        throw Fault{"an access to what is not alive", true};
      if (use.write && bundle.buffers[found]->kind == fb::BufferKind::Constant)
        throw Fault{"a write to a constant", true};
      use.buffer = found;
    }
    checkOwn(command);
  }

  void checkSpace() {
    uint64_t point = 0;
    std::set<uint32_t> onTimeline;
    auto pass = [&] {
      for (size_t i = 0; i < bundle.buffers.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
          const fb::BufferT &a = *bundle.buffers[i], &b = *bundle.buffers[j];
          if (isAlive(a, point) && isAlive(b, point) && a.kind != fb::BufferKind::Scratch &&
              b.kind != fb::BufferKind::Scratch && a.space == b.space &&
              a.offset < b.offset + b.size && b.offset < a.offset + a.size)
            throw Fault{"two buffers overlap", true};
        }
      ++point;
    };
    for (const auto &entry : bundle.entries) {
      const fb::ScheduleT &schedule = *entry->schedules[0];
      for (const auto *part : {&schedule.prologue, &schedule.body, &schedule.epilogue})
        for (const auto &step : *part) {
          if (step->kind != fb::StepKind::Execute) {
            checkAt(steps[step.get()][0], point);
            pass();
            continue;
          }
          const bool again = !onTimeline.insert(step->index).second;
          std::vector<Command> &trace = traces[step->index];
          for (Command &command : trace) {
            std::vector<Use> before = command.uses;
            for (Use &use : command.uses)
              use.buffer = -1;
            checkAt(command, point);
            for (size_t i = 0; again && i < before.size(); ++i)
              if (before[i].buffer != command.uses[i].buffer)
                command.uses[i].buffer = -1;
            pass();
          }
        }
    }
    for (const auto &buffer : bundle.buffers)
      if (buffer->end && buffer->begin >= std::min(point, buffer->end))
        throw Fault{"a buffer that never lives", true};
    for (const auto &entry : bundle.entries)
      for (size_t i = 1; i < entry->schedules.size(); ++i)
        for (const auto *part : {&entry->schedules[i]->prologue, &entry->schedules[i]->body,
                                 &entry->schedules[i]->epilogue})
          for (const auto &step : *part) {
            checkAnywhere(steps[step.get()][0], *entry);
            if (step->kind == fb::StepKind::Execute && onTimeline.insert(step->index).second)
              for (Command &command : traces[step->index])
                checkAnywhere(command, *entry);
          }
    if (onTimeline.size() != traces.size())
      throw Fault{"a trace that is never executed", true};
  }

  bool isPermanent(const Use &use) const {
    return std::any_of(bundle.buffers.begin(), bundle.buffers.end(), [&](const auto &buffer) {
      return buffer->end == 0 && contains(*buffer, use);
    });
  }

  /// Buffers of a command that the default schedule executes, too, with whatever slots; -1 where it
  /// means several.
  void takeBuffers(Command &command, const fb::EntryPointT &entry) {
    std::vector<std::vector<int>> found;
    for (const auto *part :
         {&entry.schedules[0]->prologue, &entry.schedules[0]->body, &entry.schedules[0]->epilogue})
      for (const auto &step : *part)
        for (const Command &other :
             step->kind == fb::StepKind::Execute ? traces[step->index] : steps[step.get()]) {
          bool same = other.kind == command.kind && other.name == command.name &&
                      other.uses.size() == command.uses.size() && !other.uses.empty();
          std::vector<int> buffers;
          for (size_t i = 0; same && i < other.uses.size(); ++i) {
            const Use &a = command.uses[i], &b = other.uses[i];
            const bool permanent = isPermanent(a);
            same = permanent == isPermanent(b) && a.end - a.address == b.end - b.address &&
                   (permanent || a.address == b.address);
            buffers.push_back(permanent ? -1 : b.buffer);
          }
          if (same)
            found.push_back(buffers);
        }
    for (size_t i = 0; i < command.uses.size() && !found.empty(); ++i)
      if (command.uses[i].buffer < 0 &&
          std::all_of(found.begin(), found.end(), [&](const auto &f) { return f == found[0]; }))
        command.uses[i].buffer = found[0][i];
  }

  void checkAnywhere(Command &command, const fb::EntryPointT &entry) {
    takeBuffers(command, entry);
    for (const Use &use : command.uses) {
      bool inside = use.isScratch();
      for (const auto &buffer : bundle.buffers) {
        inside |= contains(*buffer, use);
        const bool touches = buffer->end == 0 && buffer->kind != fb::BufferKind::Scratch &&
                             shareCells(use.cells, model.cellsOf(*buffer));
        if (touches && use.isScratch())
          throw Fault{"scratch over a buffer that is always alive", true};
        if (touches && !contains(*buffer, use))
          throw Fault{"an access that reaches into another buffer", true};
        if (touches && use.write && buffer->kind == fb::BufferKind::Constant)
          throw Fault{"a write to a constant", true};
      }
      if (!inside)
        throw Fault{"an access to no buffer", true};
    }
    checkOwn(command);
  }

  //===--- time -----------------------------------------------------------------------------===//

  /// What a core does: a command of an instance.
  struct Action {
    size_t instance, command, core;
  };

  /// Runs everything that can run while `held` has not; returns whether each action has.
  std::vector<bool> run(std::optional<Action> held) {
    std::vector<size_t> first(instances.size() + 1);
    for (size_t i = 0; i < instances.size(); ++i)
      first[i + 1] = first[i] + instances[i].commands->size() * cores;
    std::vector<bool> done(first.back());
    std::fill(records.begin(), records.end(), false);
    std::vector<size_t> finished(instances.size()); // commands, of each core
    std::vector<std::vector<size_t>> at(instances.size(), std::vector<size_t>(cores));
    for (bool progress = true; progress;) {
      progress = false;
      std::set<size_t> busy; // queues whose first unfinished instance was seen
      for (size_t i = 0; i < instances.size(); ++i) {
        const Instance &instance = instances[i];
        const size_t size = instance.commands->size();
        if (std::all_of(at[i].begin(), at[i].end(), [&](size_t c) { return c == size; }) ||
            !busy.insert(instance.queue).second)
          continue;
        for (size_t core = 0; core < cores; ++core) {
          const size_t c = at[i][core];
          if (c == size)
            continue;
          const Command &command = (*instance.commands)[c];
          const bool meets = command.kind == Opcode::Barrier || command.kind == Opcode::Signal ||
                             command.kind == Opcode::End;
          if (meets && std::any_of(at[i].begin(), at[i].end(), [&](size_t o) { return o < c; }))
            continue;
          if (command.kind == Opcode::Wait && instance.targets[c] >= 0 &&
              !records[instance.targets[c]])
            continue;
          if (held && held->instance == i && held->command == c && held->core == core)
            continue;
          done[first[i] + c * cores + core] = true;
          if (command.kind == Opcode::Signal)
            records[instance.targets[c]] = true;
          ++at[i][core];
          progress = true;
        }
      }
    }
    return done;
  }

  void checkRun(const fb::EntryPointT &entry, const fb::ScheduleT &schedule, uint32_t bodies) {
    Unrolled unrolled = model.unroll(schedule, bodies);
    instances = std::move(unrolled.instances);
    records.assign(unrolled.records, false);
    std::vector<Action> actions;
    std::vector<size_t> index;
    size_t next = 0;
    for (size_t i = 0; i < instances.size(); ++i)
      for (size_t c = 0; c < instances[i].commands->size(); ++c)
        for (size_t core = 0; core < cores; ++core, ++next)
          if (const Command &command = (*instances[i].commands)[c];
              !command.uses.empty() && (core == 0 || !command.single)) {
            actions.push_back({i, c, core});
            index.push_back(next);
          }
    checkForm(entry, schedule);
    const std::vector<bool> all = run(std::nullopt);
    if (std::find(all.begin(), all.end(), false) != all.end())
      throw Fault{"a wait that never ends"};
    std::vector<std::vector<bool>> without;
    for (const Action &action : actions)
      without.push_back(run(action));
    for (size_t a = 0; a < actions.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        if (without[a][index[b]] && without[b][index[a]])
          checkTogether(actions[a], actions[b]);
    checkValues(entry, schedule, bodies);
    checkData(entry, schedule);
  }

  /// Every schedule computes what the default one does, and uses state in the same order. That
  /// order is in the tables; a value that is read once more does no harm.
  void checkValues(const fb::EntryPointT &entry, const fb::ScheduleT &schedule, uint32_t bodies) {
    const fb::ScheduleT &first = *entry.schedules[0];
    const Computed expected = computedBy(model, first, 2), once = computedBy(model, first, 1),
                   found = computedBy(model, schedule, bodies);
    for (const auto &[output, values] : found.outputs)
      if (values.size() > 1 || *values.begin() != *expected.outputs.at(output).begin())
        throw Fault{"an output that the default schedule does not compute"};
    for (const auto &buffer : bundle.buffers) {
      if (buffer->kind != fb::BufferKind::State)
        continue;
      auto usesIn = [&](const Computed &computed) {
        const auto uses = computed.stateUses.find(model.addressOf(*buffer));
        return uses == computed.stateUses.end() ? std::vector<uint64_t>() : uses->second;
      };
      const std::vector<uint64_t> uses = usesIn(found), pattern = usesIn(once);
      if (uses.size() * once.inferences != pattern.size() * found.inferences)
        throw Fault{"state that is used more or less often than in the default schedule", true};
      for (size_t i = 0; i < uses.size(); ++i)
        if (uses[i] != pattern[i % pattern.size()])
          throw Fault{"state that is used in another order than in the default schedule", true};
    }
  }

  /// Every port is used, every wait has a record: earlier with one queue, anywhere with two.
  void checkForm(const fb::EntryPointT &entry, const fb::ScheduleT &schedule) {
    std::set<uint32_t> recorded, written, read;
    const auto all = {&schedule.prologue, &schedule.body, &schedule.epilogue};
    for (const bool check : {false, true}) {
      if (check && schedule.queues == 1)
        recorded.clear();
      for (const auto *part : all)
        for (const auto &step : *part) {
          if (step->kind == fb::StepKind::Write)
            written.insert(step->index);
          if (step->kind == fb::StepKind::Read)
            read.insert(step->index);
          for (const Command &command :
               step->kind == fb::StepKind::Execute ? traces[step->index] : steps[step.get()]) {
            if (command.kind == Opcode::Signal)
              recorded.insert(command.event);
            if (check && command.kind == Opcode::Wait && !recorded.count(command.event))
              throw Fault{"a wait without a record", true};
          }
        }
    }
    if (written.size() != entry.inputs.size() || read.size() != entry.outputs.size())
      throw Fault{"an input or output that the schedule leaves out", true};
  }

  const Command &commandOf(const Action &action) const {
    return (*instances[action.instance].commands)[action.command];
  }
  void checkTogether(const Action &a, const Action &b) const {
    if (a.instance == b.instance && a.command == b.command)
      return; // workgroups of one command
    const bool sameQueue = instances[a.instance].queue == instances[b.instance].queue;
    for (const Use &x : commandOf(a).uses)
      for (const Use &y : commandOf(b).uses)
        if (!(x.isScratch() && y.isScratch() && sameQueue) && (x.write || y.write) &&
            shareCells(x.cellsOf(a.core, cores), y.cellsOf(b.core, cores)))
          throw Fault{"two commands that may run at the same time touch the same bytes"};
  }

  struct Cell {
    const Use *writer = nullptr;
    std::set<int64_t> inferences;
  };

  bool isIn(fb::BufferKind kind, const Use &use) const {
    for (const auto &buffer : bundle.buffers)
      if (buffer->kind == kind && contains(*buffer, use))
        return true;
    return false;
  }

  /// How often an inference uses each state, in the default schedule.
  std::map<const fb::BufferT *, size_t> stateUsesOf(const fb::EntryPointT &entry) const {
    const Computed once = computedBy(model, *entry.schedules[0], 1);
    std::map<const fb::BufferT *, size_t> each;
    for (const auto &buffer : bundle.buffers)
      if (const auto uses = once.stateUses.find(model.addressOf(*buffer));
          buffer->kind == fb::BufferKind::State && uses != once.stateUses.end())
        each[buffer.get()] =
            std::max<size_t>(1, uses->second.size() / std::max<uint64_t>(1, once.inferences));
    return each;
  }

  void checkData(const fb::EntryPointT &entry, const fb::ScheduleT &schedule) {
    std::vector<Cell> cells(model.cuts.size());
    std::vector<Use> initial;
    initial.reserve(bundle.buffers.size());
    for (size_t i = 0; i < bundle.buffers.size(); ++i) {
      const fb::BufferT &buffer = *bundle.buffers[i];
      if (buffer.kind != fb::BufferKind::State)
        continue;
      initial.push_back(model.use(model.addressOf(buffer), buffer.size, false, true, 0));
      initial.back().buffer = static_cast<int>(i);
      for (uint32_t cell : initial.back().cells)
        cells[cell].writer = &initial.back();
    }
    const std::map<const fb::BufferT *, size_t> each = stateUsesOf(entry);
    std::map<const fb::BufferT *, size_t> used;
    std::vector<int64_t> written(entry.inputs.size()), read(entry.outputs.size());
    std::vector<int64_t> inBody(entry.inputs.size()), outBody(entry.outputs.size());
    for (const auto &step : schedule.body) {
      if (step->kind == fb::StepKind::Write)
        ++inBody[step->index];
      if (step->kind == fb::StepKind::Read)
        ++outBody[step->index];
    }
    for (const Instance &instance : instances)
      for (const Command &command : *instance.commands) {
        std::set<int64_t> inferences;
        // State that inference n uses is data of inference n, whoever has written it.
        for (const auto &[state, times] : each)
          for (const Use &use : command.uses)
            if (!use.isScratch() && shareCells(use.cells, model.cellsOf(*state)))
              inferences.insert(static_cast<int64_t>(used[state]++ / times));
        for (const Use &use : command.uses) {
          if (!use.read || isIn(fb::BufferKind::Constant, use))
            continue;
          for (uint32_t cell : use.cells) {
            const Use *writer = cells[cell].writer;
            if (!writer)
              throw Fault{"a read of what was never written"};
            if (!isSame(*writer, use))
              throw Fault{"a read of another buffer's data"};
            if (!isIn(fb::BufferKind::State, use))
              inferences.insert(cells[cell].inferences.begin(), cells[cell].inferences.end());
          }
        }
        if (inferences.size() > 1)
          throw Fault{"data of two inferences"};
        const fb::StepT &step = *instance.step;
        if (step.kind == fb::StepKind::Write && inBody[step.index])
          inferences = {written[step.index]++};
        if (step.kind == fb::StepKind::Read && !inferences.empty() &&
            *inferences.begin() != read[step.index])
          throw Fault{"the output of another inference"};
        if (step.kind == fb::StepKind::Read)
          ++read[step.index];
        for (const Use &use : command.uses)
          if (use.write)
            for (uint32_t cell : use.cells)
              cells[cell] = {&use, inferences};
      }
    // What goes in comes out.
    std::set<int64_t> times(written.begin(), written.end());
    times.insert(read.begin(), read.end());
    std::set<int64_t> perBody(inBody.begin(), inBody.end());
    perBody.insert(outBody.begin(), outBody.end());
    if (times.size() > 1 || perBody.size() > 1 || perBody.count(0))
      throw Fault{"inputs and outputs that do not go together", true};
  }

  bool isSame(const Use &write, const Use &read) const {
    if (write.isScratch())
      return false;
    if (write.buffer >= 0 && read.buffer >= 0)
      return write.buffer == read.buffer;
    return std::any_of(bundle.buffers.begin(), bundle.buffers.end(), [&](const auto &buffer) {
      return contains(*buffer, write) && contains(*buffer, read);
    });
  }

  ScheduleModel model;
  size_t cores = kFewCores;
  const fb::BundleT &bundle = model.bundle;
  std::vector<std::vector<Command>> &traces = model.traces;
  std::map<const fb::StepT *, std::vector<Command>> &steps = model.steps;
  std::vector<Instance> instances;
  std::vector<bool> records;
};

} // namespace

std::string findFault(const BundleBuilder &builder, uint32_t iterations, bool *inTables) {
  try {
    Oracle(builder).check(iterations);
  } catch (const Fault &fault) {
    if (inTables)
      *inTables = fault.inTables;
    return fault.what;
  }
  return "";
}

} // namespace ttrt::test
