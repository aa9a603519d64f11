// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Oracle.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

namespace ttrt::test {
namespace {

/// With more, the others do what one of two does; unless workgroups have rows of their own.
constexpr size_t kFewCores = 2, kMostCores = 4;

struct Fault {
  std::string what;
};

struct Use {
  uint64_t address, end;
  bool read, write;
  uint32_t operand;
  std::vector<uint32_t> cells;
  int buffer = -1; ///< by the timeline
  /// Of each core, where workgroups have rows of their own; else none.
  std::vector<std::vector<uint32_t>> ofCores = {};

  const std::vector<uint32_t> &cellsOf(size_t core) const {
    return ofCores.empty() ? cells : ofCores[core];
  }
};

struct Command {
  Opcode kind = Opcode::Dispatch;
  bool single = true;
  uint32_t event = 0;
  const fb::ProgramT *program = nullptr;
  std::vector<Use> uses;
};

/// One step of one iteration.
struct Instance {
  const fb::StepT *step;
  const std::vector<Command> *commands; ///< of the trace, or the step alone
  size_t queue;
  std::vector<int> targets; ///< per command: the wait's record, -1: none
};

class Oracle {
public:
  explicit Oracle(const BundleBuilder &builder) : builder(builder), bundle(builder.bundle) {
    for (const auto &program : bundle.programs)
      for (const auto &operand : program->operands)
        if (operand->per_workgroup)
          cores = kMostCores;
  }

  void check(uint32_t iterations) {
    findCells();
    for (const StreamBuilder &stream : builder.streams)
      traces.push_back(decode(stream));
    for (const auto &entry : bundle.entries)
      for (const auto &schedule : entry->schedules)
        for (const auto *part : {&schedule->prologue, &schedule->body, &schedule->epilogue})
          for (const auto &step : *part)
            steps.emplace(step.get(), std::vector<Command>{decode(*entry, *step)});
    checkSpace();
    for (const auto &entry : bundle.entries)
      for (const auto &schedule : entry->schedules)
        for (uint32_t bodies = 0; bodies <= iterations; ++bodies)
          checkRun(*entry, *schedule, bodies);
  }

private:
  //===--- decoding -------------------------------------------------------------------------===//

  uint64_t addressOf(const fb::BufferT &buffer) const {
    const fb::TargetT &t = *bundle.target;
    const uint64_t dram = t.dram_bank_bytes * t.dram_banks;
    return buffer.offset + (buffer.space == fb::MemorySpace::Dram ? 0
                            : buffer.space == fb::MemorySpace::L1 ? dram
                                                                  : dram + t.cores * t.l1_bytes);
  }

  /// Calls f(begin, end) for every contiguous part of every access.
  template <typename F> void forEachPart(F f) {
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
        for (const auto &port : *ports) {
          const uint64_t begin = addressOf(*bundle.buffers[port->buffer]);
          f(begin, begin + bytesOf(*port));
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
      f(addressOf(*buffer), addressOf(*buffer) + buffer->size);
  }

  static uint64_t bytesOf(const fb::PortT &port) {
    uint64_t bytes = port.dtype == fb::DType::I64 ? 8 : 4;
    for (int64_t extent : port.shape)
      bytes *= static_cast<uint64_t>(extent);
    return bytes;
  }

  template <typename F> static void parts(const fb::OperandT &operand, uint64_t address, F f) {
    const uint64_t row = operand.row_bytes ? operand.row_bytes : operand.bytes;
    const uint64_t pitch = operand.row_bytes ? operand.pitch_bytes : operand.bytes;
    for (uint64_t at = 0; at < operand.bytes; at += pitch)
      f(address + at, address + at + row);
  }

  template <typename F> static void forEachCommand(const StreamBuilder &stream, F f) {
    for (size_t at = 0; at < stream.words.size();) {
      CommandHeader header;
      memcpy(&header, &stream.words[at], sizeof(header));
      f(header.opcode, &stream.words[at]);
      at += header.size / 8;
    }
  }

  /// Memory, cut wherever any access or buffer begins or ends.
  void findCells() {
    std::set<uint64_t> found;
    forEachPart([&](uint64_t begin, uint64_t end) {
      found.insert(begin);
      found.insert(end);
    });
    cuts.assign(found.begin(), found.end());
  }
  void addCells(std::vector<uint32_t> &cells, uint64_t begin, uint64_t end) const {
    auto first = std::lower_bound(cuts.begin(), cuts.end(), begin);
    for (; first != cuts.end() && *first < end; ++first)
      cells.push_back(static_cast<uint32_t>(first - cuts.begin()));
  }

  Use use(uint64_t address, uint64_t bytes, bool read, bool write, uint32_t operand) const {
    Use use{address, address + bytes, read, write, operand, {}};
    addCells(use.cells, address, address + bytes);
    return use;
  }
  void addOperands(Command &command, uint32_t program, const uint64_t *addresses) const {
    command.program = bundle.programs[program].get();
    command.single = command.program->grid == 1;
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
      if (operand.per_workgroup)
        addRows(use, operand, addresses[i], command.program->grid);
      command.uses.push_back(use);
    }
  }

  /// A row for each workgroup; workgroup w of g is done by core w * cores / g.
  void addRows(Use &use, const fb::OperandT &operand, uint64_t address, uint64_t grid) const {
    use.ofCores.resize(cores);
    uint64_t workgroup = 0;
    parts(operand, address, [&](uint64_t begin, uint64_t end) {
      if (workgroup == grid)
        throw Fault{"a row without a workgroup"};
      addCells(use.ofCores[workgroup++ * cores / grid], begin, end);
    });
    if (workgroup != grid)
      throw Fault{"a workgroup without a row"};
  }

  std::vector<Command> decode(const StreamBuilder &stream) const {
    std::vector<Command> commands;
    forEachCommand(stream, [&](Opcode kind, const uint64_t *words) {
      Command command;
      command.kind = kind;
      if (kind == Opcode::Dispatch)
        addOperands(command, static_cast<uint32_t>(words[1]), words + 2);
      if (kind == Opcode::Copy) {
        command.single = words[3] <= 65536;
        command.uses = {use(words[2], words[3], true, false, 0),
                        use(words[1], words[3], false, true, 1)};
      }
      if (kind == Opcode::Fill) {
        command.single = words[2] <= 65536;
        command.uses = {use(words[1], words[2], false, true, 0)};
      }
      if (kind == Opcode::Signal || kind == Opcode::Wait)
        command.event = static_cast<uint32_t>(words[1]);
      commands.push_back(command);
    });
    return commands;
  }

  Command decode(const fb::EntryPointT &entry, const fb::StepT &step) const {
    Command command;
    switch (step.kind) {
    case fb::StepKind::Write:
    case fb::StepKind::Read: {
      const bool write = step.kind == fb::StepKind::Write;
      const fb::PortT &port = *(write ? entry.inputs : entry.outputs)[step.index];
      command.uses = {
          use(addressOf(*bundle.buffers[port.buffer]), bytesOf(port), !write, write, 0)};
      command.uses[0].buffer = static_cast<int>(port.buffer);
      break;
    }
    case fb::StepKind::Copy:
      command.uses = {use(step.src, step.bytes, true, false, 0),
                      use(step.dst, step.bytes, false, true, 1)};
      break;
    case fb::StepKind::Dispatch:
    case fb::StepKind::HostDispatch:
      addOperands(command, step.index, step.operands.data());
      command.single = step.kind == fb::StepKind::HostDispatch || command.single;
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

  //===--- space ----------------------------------------------------------------------------===//

  bool isAlive(const fb::BufferT &buffer, uint64_t point) const {
    return buffer.end == 0 || (buffer.begin <= point && point < buffer.end);
  }
  static bool share(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b) {
    std::vector<uint32_t> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return !both.empty();
  }
  bool contains(const fb::BufferT &buffer, uint64_t begin, uint64_t end) const {
    return buffer.kind != fb::BufferKind::Scratch && begin <= end && addressOf(buffer) <= begin &&
           end <= addressOf(buffer) + buffer.size;
  }

  void checkOwn(const Command &command) const {
    for (const Use &a : command.uses)
      for (const Use &b : command.uses) {
        if (&a == &b || !a.write || !share(a.cells, b.cells))
          continue;
        const auto &inPlace = command.program ? command.program->operands[a.operand]->in_place_of
                                              : std::vector<uint32_t>();
        if (std::find(inPlace.begin(), inPlace.end(), b.operand) == inPlace.end() ||
            a.cells != b.cells || a.ofCores != b.ofCores)
          throw Fault{"operands of one command overlap"};
      }
  }

  void checkAt(Command &command, uint64_t point) {
    for (Use &use : command.uses) {
      int found = -1;
      for (size_t i = 0; i < bundle.buffers.size(); ++i)
        if (isAlive(*bundle.buffers[i], point) &&
            contains(*bundle.buffers[i], use.address, use.end))
          found = static_cast<int>(i);
      if (found < 0 || (use.buffer >= 0 && use.buffer != found))
        throw Fault{"an access to what is not alive"};
      if (use.write && bundle.buffers[found]->kind == fb::BufferKind::Constant)
        throw Fault{"a write to a constant"};
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
              b.kind != fb::BufferKind::Scratch && addressOf(a) < addressOf(b) + b.size &&
              addressOf(b) < addressOf(a) + a.size)
            throw Fault{"two buffers overlap"};
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
      if (buffer->begin >= point && buffer->end)
        throw Fault{"a buffer that never lives"};
    for (const auto &entry : bundle.entries)
      for (size_t i = 1; i < entry->schedules.size(); ++i)
        for (const auto *part : {&entry->schedules[i]->prologue, &entry->schedules[i]->body,
                                 &entry->schedules[i]->epilogue})
          for (const auto &step : *part) {
            checkAnywhere(steps[step.get()][0]);
            if (step->kind == fb::StepKind::Execute && onTimeline.insert(step->index).second)
              for (const Command &command : traces[step->index])
                checkAnywhere(command);
          }
    if (onTimeline.size() != traces.size())
      throw Fault{"a trace that nobody executes"};
  }

  void checkAnywhere(const Command &command) const {
    for (const Use &use : command.uses) {
      bool inside = false;
      for (const auto &buffer : bundle.buffers) {
        inside |= contains(*buffer, use.address, use.end);
        const bool touches = buffer->end == 0 && buffer->kind != fb::BufferKind::Scratch &&
                             use.address < addressOf(*buffer) + buffer->size &&
                             addressOf(*buffer) < use.end;
        if (touches && !contains(*buffer, use.address, use.end))
          throw Fault{"an access that reaches into another buffer"};
        if (touches && use.write && buffer->kind == fb::BufferKind::Constant)
          throw Fault{"a write to a constant"};
      }
      if (!inside)
        throw Fault{"an access to no buffer"};
    }
    checkOwn(command);
  }

  //===--- time -----------------------------------------------------------------------------===//

  /// What a core does: a command of an instance.
  struct Action {
    size_t instance, command, core;
  };

  void unroll(const fb::ScheduleT &schedule, uint32_t bodies) {
    instances.clear();
    auto add = [&](const auto &part) {
      for (const auto &step : part)
        instances.push_back(
            {step.get(),
             step->kind == fb::StepKind::Execute ? &traces[step->index] : &steps[step.get()],
             step->queue,
             {}});
    };
    add(schedule.prologue);
    for (uint32_t i = 0; i < bodies; ++i)
      add(schedule.body);
    add(schedule.epilogue);
    // A wait is for the last record that was enqueued before it.
    std::map<uint32_t, int> last;
    records.clear();
    for (Instance &instance : instances) {
      const std::map<uint32_t, int> before = last;
      for (const Command &command : *instance.commands) {
        int target = -1;
        if (command.kind == Opcode::Wait)
          if (auto found = before.find(command.event); found != before.end())
            target = found->second;
        if (command.kind == Opcode::Signal) {
          target = static_cast<int>(records.size());
          records.push_back(false);
          last[command.event] = target;
        }
        instance.targets.push_back(target);
      }
    }
  }

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
    unroll(schedule, bodies);
    std::vector<Action> actions;
    std::vector<size_t> index;
    size_t next = 0;
    for (size_t i = 0; i < instances.size(); ++i)
      for (size_t c = 0; c < instances[i].commands->size(); ++c)
        for (size_t core = 0; core < cores; ++core, ++next)
          if (!(*instances[i].commands)[c].uses.empty() &&
              (core == 0 || !(*instances[i].commands)[c].single)) {
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
    checkData(entry, schedule);
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
              throw Fault{"a wait for what nobody records"};
          }
        }
    }
    if (written.size() != entry.inputs.size() || read.size() != entry.outputs.size())
      throw Fault{"an input or output that the schedule leaves out"};
  }

  const Command &commandOf(const Action &action) const {
    return (*instances[action.instance].commands)[action.command];
  }
  void checkTogether(const Action &a, const Action &b) const {
    if (a.instance == b.instance && a.command == b.command)
      return; // workgroups of one command
    for (const Use &x : commandOf(a).uses)
      for (const Use &y : commandOf(b).uses)
        if ((x.write || y.write) && share(x.cellsOf(a.core), y.cellsOf(b.core)))
          throw Fault{"two commands that may run at the same time touch the same bytes"};
  }

  struct Cell {
    const Use *writer = nullptr;
    std::set<int64_t> inferences;
  };

  bool isIn(fb::BufferKind kind, const Use &use) const {
    for (const auto &buffer : bundle.buffers)
      if (buffer->kind == kind && contains(*buffer, use.address, use.end))
        return true;
    return false;
  }

  void checkData(const fb::EntryPointT &entry, const fb::ScheduleT &schedule) {
    std::vector<Cell> cells(cuts.size());
    std::vector<Use> initial;
    initial.reserve(bundle.buffers.size());
    for (size_t i = 0; i < bundle.buffers.size(); ++i) {
      const fb::BufferT &buffer = *bundle.buffers[i];
      if (buffer.kind != fb::BufferKind::State)
        continue;
      initial.push_back(use(addressOf(buffer), buffer.size, false, true, 0));
      initial.back().buffer = static_cast<int>(i);
      for (uint32_t cell : initial.back().cells)
        cells[cell].writer = &initial.back();
    }
    std::vector<int64_t> written(entry.inputs.size()), read(entry.outputs.size());
    std::vector<int64_t> inBody(entry.inputs.size()), outBody(entry.outputs.size());
    for (const auto &step : schedule.body) {
      inBody[step->kind == fb::StepKind::Write ? step->index : 0] +=
          step->kind == fb::StepKind::Write;
      outBody[step->kind == fb::StepKind::Read ? step->index : 0] +=
          step->kind == fb::StepKind::Read;
    }
    for (const Instance &instance : instances)
      for (const Command &command : *instance.commands) {
        std::set<int64_t> inferences;
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
      throw Fault{"inputs and outputs that do not go together"};
  }

  bool isSame(const Use &write, const Use &read) const {
    if (write.buffer >= 0 && read.buffer >= 0)
      return write.buffer == read.buffer;
    return std::any_of(bundle.buffers.begin(), bundle.buffers.end(), [&](const auto &buffer) {
      return contains(*buffer, std::min(write.address, read.address),
                      std::max(write.end, read.end));
    });
  }

  const BundleBuilder &builder;
  const fb::BundleT &bundle;
  size_t cores = kFewCores;
  std::vector<uint64_t> cuts;
  std::vector<std::vector<Command>> traces;
  std::map<const fb::StepT *, std::vector<Command>> steps;
  std::vector<Instance> instances;
  std::vector<bool> records;
};

} // namespace

std::string findFault(const BundleBuilder &builder, uint32_t iterations) {
  try {
    Oracle(builder).check(iterations);
  } catch (const Fault &fault) {
    return fault.what;
  }
  return "";
}

} // namespace ttrt::test
