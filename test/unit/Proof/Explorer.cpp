// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Explorer.h"

#include "Cells.h"
#include "ttrt/format/commands.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ttrt::test {
namespace {

/// A piece of work.
struct Work {
  const Instance *instance = nullptr;
  const Command *command = nullptr;
  size_t number = 0;             ///< of the command, among all that are executed
  size_t result = 0;             ///< where the name of what it makes is kept
  uint64_t workgroup = 0;        ///< the first of its workgroups
  uint32_t piece = 0;            ///< of a transfer
  std::vector<uint32_t> touches; ///< cells that it may touch
  std::vector<std::pair<uint32_t, uint64_t>> writes; ///< cell, operand's address
};

struct Op {
  enum Kind {
    Begin, ///< of work `index`
    End,
    Meet, ///< of all cores of a queue
    Record,
    Await, ///< record `index`
    Push,  ///< the host: instance `index` into its queue's ring
    Take,  ///< the queue: instance `index`
  } kind;
  size_t index;
};

struct Thread {
  size_t queue, core; ///< queue kMaxQueues: the host
  std::vector<Op> ops;
};

constexpr size_t kMostThreads = 8;
using Position = std::array<uint16_t, kMostThreads>;

struct PositionHash {
  size_t operator()(const Position &position) const {
    uint64_t hash = 0;
    for (uint16_t at : position)
      hash = (hash ^ at) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
  }
};

class Explorer {
public:
  Explorer(const ScheduleModel &model, size_t entry, const fb::ScheduleT &schedule,
           Unrolled unrolled, const Reference &reference, const ExploreOptions &options,
           bool takenOver)
      : model(model), reference(reference[entry]), options(options), takenOver(takenOver),
        unrolled(std::move(unrolled)) {
    build(schedule);
  }

  Explored run();

private:
  struct State {
    Cells cells;
    std::vector<uint64_t> results; ///< of commands that are under way
    double paths = 0;
  };
  using Level = std::unordered_map<Position, State, PositionHash>;

  void build(const fb::ScheduleT &schedule);
  void addInstance(const Instance &instance, std::vector<Thread *> &cores);
  void addWork(Thread &thread, Work work);
  bool isEnabled(const Position &position, size_t thread) const;
  bool isDone(const Position &position) const;
  void step(const Position &position, const State &state, size_t thread);
  void begin(const Position &position, State &state, const Work &work, size_t thread);
  void end(State &state, const Work &work);
  void checkStates(const State &state) const;
  bool meets(const Work &a, const Work &b);
  std::string describe(size_t thread, const Op &op) const;
  std::vector<std::string> trailTo(Position position) const;

  const ScheduleModel &model;
  const EntryReference &reference;
  const ExploreOptions options;
  const bool takenOver; ///< the next core runs a share, if the runtime allows that
  Unrolled unrolled;
  std::vector<Work> works;
  std::vector<Thread> threads;
  std::vector<std::pair<size_t, size_t>> recordedBy; ///< per record: thread, position after it
  std::vector<std::pair<size_t, size_t>> takenBy;    ///< per instance: thread, position after it
  size_t commands = 0, results = 0;
  std::map<size_t, Level> levels; ///< by the number of steps taken
  std::unordered_map<Position, std::pair<Position, size_t>, PositionHash> cameFrom;
  std::map<std::pair<const Work *, const Work *>, bool> known;
};

//===----------------------------------------------------------------------===//
// What each thread does
//===----------------------------------------------------------------------===//

void Explorer::addWork(Thread &thread, Work work) {
  thread.ops.push_back({Op::Begin, works.size()});
  thread.ops.push_back({Op::End, works.size()});
  works.push_back(std::move(work));
}

void Explorer::addInstance(const Instance &instance, std::vector<Thread *> &cores) {
  const fb::StepKind step = instance.step->kind;
  const bool onCores = step == fb::StepKind::Execute || step == fb::StepKind::Dispatch;
  // The queue's thread hands over to its workers.
  auto meet = [&] {
    for (Thread *core : cores)
      core->ops.push_back({Op::Meet, 0});
  };
  if (options.capacity)
    cores[0]->ops.push_back({Op::Take, static_cast<size_t>(&instance - unrolled.instances.data())});
  if (onCores)
    meet();
  for (size_t c = 0; c < instance.commands->size(); ++c) {
    const Command &command = (*instance.commands)[c];
    const int target = instance.targets[c];
    if (command.kind == Opcode::Barrier || command.kind == Opcode::End ||
        (command.kind == Opcode::Signal && onCores))
      meet();
    if (command.kind == Opcode::Signal) {
      cores[0]->ops.push_back({Op::Record, static_cast<size_t>(target)});
      recordedBy[static_cast<size_t>(target)] = {cores[0] - threads.data(), cores[0]->ops.size()};
    }
    if (command.kind == Opcode::Wait && target >= 0)
      for (size_t core = 0; core < (onCores ? cores.size() : 1); ++core)
        cores[core]->ops.push_back({Op::Await, static_cast<size_t>(target)});
    if (command.uses.empty())
      continue;
    Work work;
    work.instance = &instance;
    work.command = &command;
    work.number = commands++;
    const size_t shared = work.result = results++;
    if (step == fb::StepKind::Write || step == fb::StepKind::Read) {
      const Use &use = command.uses[0];
      for (work.piece = 0; work.piece < 2; ++work.piece) {
        work.touches.clear();
        work.writes.clear();
        for (uint32_t cell : use.cells)
          if (model.cuts[cell] >= half(use, work.piece) &&
              model.cuts[cell] < half(use, work.piece + 1)) {
            work.touches.push_back(cell);
            if (use.write)
              work.writes.push_back({cell, use.address});
          }
        addWork(*cores[0], work);
      }
      continue;
    }
    const uint64_t grid = command.single ? 1 : command.grid, count = onCores ? cores.size() : 1;
    const bool moved = takenOver && grid > 1 && !command.hasRows();
    for (uint32_t share = 0; share < count; ++share) {
      const uint64_t first = firstWorkgroup(grid, share, static_cast<uint32_t>(count)),
                     last = firstWorkgroup(grid, share + 1, static_cast<uint32_t>(count));
      const auto core = static_cast<uint32_t>((share + (moved ? 1 : 0)) % count);
      // A piece for each workgroup that has rows, else two, which may touch anything.
      const uint64_t pieces =
          command.hasRows() ? last - first : std::min<uint64_t>(2, last - first);
      for (uint64_t piece = 0; piece < pieces; ++piece) {
        work.touches.clear();
        work.writes.clear();
        work.workgroup = first + piece;
        for (const Use &use : command.uses) {
          const auto &cells = use.isScratch()    ? use.scratchOf(core)
                              : use.rows.empty() ? use.cells
                                                 : use.rows[work.workgroup];
          if (use.isScratch())
            for (uint32_t cell : cells)
              work.writes.push_back({cell, use.address});
          work.touches.insert(work.touches.end(), cells.begin(), cells.end());
        }
        for (uint64_t workgroup = first + piece; workgroup < last; workgroup += pieces)
          for (auto result : resultsOf(command, workgroup))
            work.writes.push_back(result);
        work.result = command.hasRows() ? results++ : shared;
        addWork(*cores[core], work);
      }
    }
  }
  if (onCores && step == fb::StepKind::Dispatch)
    meet();
}

void Explorer::build(const fb::ScheduleT &schedule) {
  recordedBy.resize(unrolled.records);
  uint32_t cores[kMaxQueues];
  for (uint32_t queue = 0; queue < kMaxQueues; ++queue) {
    cores[queue] = 1;
    for (const Instance &instance : unrolled.instances)
      for (const Command &command : *instance.commands)
        if (instance.queue == queue && !command.single)
          cores[queue] = options.cores;
  }
  for (uint32_t queue = 0; queue < std::max(1u, schedule.queues); ++queue)
    for (uint32_t core = 0; core < cores[queue]; ++core)
      threads.push_back({queue, core, {}});
  if (options.capacity) {
    threads.push_back({kMaxQueues, 0, {}});
    for (size_t i = 0; i < unrolled.instances.size(); ++i)
      threads.back().ops.push_back({Op::Push, i});
  }
  if (threads.size() > kMostThreads)
    throw Fault{"too many threads"};
  for (const Instance &instance : unrolled.instances) {
    std::vector<Thread *> found;
    for (Thread &thread : threads)
      if (thread.queue == instance.queue)
        found.push_back(&thread);
    addInstance(instance, found);
    takenBy.push_back({found[0] - threads.data(), found[0]->ops.size()});
  }
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

bool Explorer::isDone(const Position &position) const {
  for (size_t t = 0; t < threads.size(); ++t)
    if (position[t] < threads[t].ops.size())
      return false;
  return true;
}

bool Explorer::isEnabled(const Position &position, size_t thread) const {
  const Thread &mine = threads[thread];
  if (position[thread] == mine.ops.size())
    return false;
  const Op &op = mine.ops[position[thread]];
  if (op.kind == Op::Await)
    return position[recordedBy[op.index].first] >= recordedBy[op.index].second;
  if (op.kind == Op::Take)
    return position[threads.size() - 1] > op.index;
  if (op.kind == Op::Push) {
    uint32_t inRing = 0;
    for (size_t i = 0; i < op.index; ++i)
      inRing += takenBy[i].first == takenBy[op.index].first &&
                position[takenBy[i].first] < takenBy[i].second;
    return inRing < options.capacity;
  }
  if (op.kind != Op::Meet)
    return true;
  if (mine.core != 0)
    return false; // all continue together, which counts as core 0's step
  for (size_t t = 0; t < threads.size(); ++t)
    if (threads[t].queue == mine.queue &&
        (position[t] == threads[t].ops.size() || threads[t].ops[position[t]].kind != Op::Meet))
      return false;
  return true;
}

bool Explorer::meets(const Work &a, const Work &b) {
  auto [found, isNew] = known.try_emplace({&a, &b}, false);
  if (isNew)
    for (const Use &x : a.command->uses)
      for (const Use &y : b.command->uses)
        for (uint32_t cell : a.touches)
          if ((x.write || y.write) && std::binary_search(x.cells.begin(), x.cells.end(), cell) &&
              std::binary_search(y.cells.begin(), y.cells.end(), cell) &&
              std::find(b.touches.begin(), b.touches.end(), cell) != b.touches.end())
            found->second = true;
  return found->second;
}

void Explorer::begin(const Position &position, State &state, const Work &work, size_t thread) {
  for (size_t t = 0; t < threads.size(); ++t) {
    if (t == thread || position[t] == threads[t].ops.size() ||
        threads[t].ops[position[t]].kind != Op::End)
      continue;
    const Work &other = works[threads[t].ops[position[t]].index];
    if (other.number != work.number && meets(work, other))
      throw Fault{"race: " + work.command->name + " and " + other.command->name};
  }
  // All workgroups of a command find the same, or somebody interferes with them.
  if (state.results[work.result] == 0)
    state.results[work.result] =
        work.instance->step->kind == fb::StepKind::Write
            ? inputName(work.instance->step->index, work.instance->inference)
            : state.cells.resultOf(model, *work.command, work.workgroup);
}

void Explorer::end(State &state, const Work &work) {
  for (auto [cell, base] : work.writes)
    state.cells.tags[cell] = {state.results[work.result], base};
  if (work.instance->step->kind != fb::StepKind::Read)
    return;
  const Use &use = work.command->uses[0];
  const auto inference = static_cast<size_t>(work.instance->inference);
  const uint64_t found =
      state.cells.nameOf(model, use, half(use, work.piece), half(use, work.piece + 1));
  if (inference < reference.outputs.size() &&
      found != reference.outputs[inference][work.instance->step->index][work.piece])
    throw Fault{"data: " + work.command->name + " of inference " + std::to_string(inference) +
                " does not give its result"};
}

/// What the runs leave in state is what a later one begins with, whether or not an output depends
/// on it.
void Explorer::checkStates(const State &state) const {
  const auto expected = reference.states.find(inferencesOf(unrolled));
  if (expected == reference.states.end())
    return;
  const std::vector<uint64_t> names = state.cells.stateNames(model);
  for (size_t i = 0, next = 0; i < model.bundle.buffers.size(); ++i)
    if (model.bundle.buffers[i]->kind == fb::BufferKind::State) {
      if (next >= expected->second.size() || names[next] != expected->second[next])
        throw Fault{"data: state " + model.bundle.buffers[i]->name + " after " +
                    std::to_string(expected->first) + " inferences is not what they leave"};
      ++next;
    }
}

void Explorer::step(const Position &position, const State &state, size_t thread) {
  const Op &op = threads[thread].ops[position[thread]];
  Position next = position;
  State after = state;
  size_t steps = 1;
  if (op.kind == Op::Meet) {
    steps = 0;
    for (size_t t = 0; t < threads.size(); ++t)
      if (threads[t].queue == threads[thread].queue) {
        ++next[t];
        ++steps;
      }
  } else {
    ++next[thread];
  }
  if (op.kind == Op::Begin)
    begin(position, after, works[op.index], thread);
  if (op.kind == Op::End)
    end(after, works[op.index]);
  cameFrom.try_emplace(next, position, thread);
  size_t depth = steps;
  for (size_t t = 0; t < threads.size(); ++t)
    depth += position[t];
  auto [found, isNew] = levels[depth].try_emplace(next, after);
  if (!isNew) {
    if (!(found->second.cells == after.cells && found->second.results == after.results))
      throw Fault{"order: two interleavings that did the same have left different bytes"};
    found->second.paths += state.paths;
  }
}

std::string Explorer::describe(size_t thread, const Op &op) const {
  static const char *const kNames[] = {"begins",     "ends",     "meets", "records",
                                       "waited for", "enqueues", "takes"};
  if (op.kind == Op::Push)
    return "the host enqueues #" + std::to_string(op.index);
  std::string text = "queue " + std::to_string(threads[thread].queue) + " core " +
                     std::to_string(threads[thread].core) + " " + kNames[op.kind];
  if (op.kind == Op::Begin || op.kind == Op::End) {
    const Work &work = works[op.index];
    text += " " + work.command->name;
    if (work.instance->inference >= 0)
      text += " " + std::to_string(work.instance->inference) + "." + std::to_string(work.piece);
  } else if (op.kind != Op::Meet) {
    text += " #" + std::to_string(op.index);
  }
  return text;
}

std::vector<std::string> Explorer::trailTo(Position position) const {
  std::vector<std::string> trail;
  for (auto at = cameFrom.find(position); at != cameFrom.end(); at = cameFrom.find(position)) {
    position = at->second.first;
    const size_t thread = at->second.second;
    trail.push_back(describe(thread, threads[thread].ops[position[thread]]));
  }
  std::reverse(trail.begin(), trail.end());
  return trail;
}

Explored Explorer::run() {
  Explored explored;
  levels[0].emplace(Position{}, State{Cells(model), std::vector<uint64_t>(results), /*paths=*/1});
  while (!levels.empty()) {
    const Level level = std::move(levels.begin()->second);
    levels.erase(levels.begin());
    for (const auto &[position, state] : level) {
      if (++explored.states > options.mostStates) {
        explored.fault = "too large";
        return explored;
      }
      bool any = false;
      for (size_t thread = 0; thread < threads.size(); ++thread) {
        if (!isEnabled(position, thread))
          continue;
        any = true;
        try {
          step(position, state, thread);
        } catch (const Fault &fault) {
          explored.fault = fault.what;
          explored.trail = trailTo(position);
          explored.trail.push_back(describe(thread, threads[thread].ops[position[thread]]));
          return explored;
        }
      }
      if (any)
        continue;
      if (!isDone(position)) {
        explored.fault = "deadlock: no thread can continue";
        explored.trail = trailTo(position);
        return explored;
      }
      try {
        checkStates(state);
      } catch (const Fault &fault) {
        explored.fault = fault.what;
        explored.trail = trailTo(position);
        return explored;
      }
      explored.interleavings += state.paths;
    }
  }
  return explored;
}

} // namespace

Explored explore(const ScheduleModel &model, size_t entry, size_t schedule, Unrolled unrolled,
                 const Reference &reference, const ExploreOptions &options) {
  Explored sum;
  for (bool takenOver : {false, true}) {
    if (takenOver && options.cores == 1)
      break;
    Explored explored = Explorer(model, entry, *model.bundle.entries[entry]->schedules[schedule],
                                 unrolled, reference, options, takenOver)
                            .run();
    explored.states += sum.states;
    explored.interleavings += sum.interleavings;
    sum = std::move(explored);
    if (!sum.fault.empty())
      break;
  }
  return sum;
}

Explored explore(const BundleBuilder &builder, size_t entry, size_t schedule,
                 const Reference &reference, const ExploreOptions &options) {
  const ScheduleModel model(builder);
  return explore(model, entry, schedule,
                 model.unroll(*builder.bundle.entries[entry]->schedules[schedule], options.bodies,
                              options.runs),
                 reference, options);
}

std::string exploreAll(const BundleBuilder &builder, const Reference &reference,
                       const ExploreOptions &options, Explored *sum) {
  const ScheduleModel model(builder);
  for (size_t e = 0; e < builder.bundle.entries.size(); ++e)
    for (size_t s = 0; s < builder.bundle.entries[e]->schedules.size(); ++s)
      for (uint32_t bodies = 0; bodies <= options.bodies; ++bodies) {
        const fb::ScheduleT &schedule = *builder.bundle.entries[e]->schedules[s];
        Explored explored =
            explore(model, e, s, model.unroll(schedule, bodies, options.runs), reference, options);
        if (sum) {
          sum->states += explored.states;
          sum->interleavings += explored.interleavings;
        }
        if (!explored.fault.empty()) {
          if (sum)
            sum->trail = std::move(explored.trail);
          return "schedule '" + schedule.name + "', " + std::to_string(bodies) +
                 " bodies: " + explored.fault;
        }
      }
  return "";
}

} // namespace ttrt::test
