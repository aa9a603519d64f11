// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults in the plan and in the schedules of state: where it lies, what it is, who updates it and
// when.

#include "StateFaults.h"

#include "FaultPlaces.h"

#include <set>

namespace ttrt::test {
namespace {

using BB = BundleBuilder;
using Order = FaultKind::Order;

std::vector<fb::BufferT *> states(BB &b) {
  auto found = placed(b);
  std::erase_if(found, [](fb::BufferT *buffer) { return buffer->kind != fb::BufferKind::State; });
  return found;
}

/// A use of a state: the words that hold its addresses, in a command of a trace or in a step.
struct StateUse {
  uint64_t *word;
  bool read, write;
  size_t trace = ~size_t(0), command = 0; ///< the trace: all ones if it is a step
  const fb::StepT *step = nullptr;
};

bool isIn(const fb::BufferT &buffer, uint64_t address) {
  return buffer.space == fb::MemorySpace::Dram && address >= buffer.offset &&
         address < buffer.offset + buffer.size;
}

/// All uses of a state, in the order of traces and commands, then of schedules and steps.
std::vector<StateUse> usesOf(BB &b, const fb::BufferT &state) {
  std::vector<StateUse> uses;
  auto add = [&](uint64_t &word, bool read, bool write, size_t trace, size_t command,
                 const fb::StepT *step) {
    if (isIn(state, word))
      uses.push_back({&word, read, write, trace, command, step});
  };
  auto operands = [&](uint64_t program, uint64_t *words, size_t trace, size_t command,
                      const fb::StepT *step) {
    const auto &table = b.bundle.programs[program]->operands;
    for (size_t i = 0; i < table.size(); ++i)
      add(words[i], table[i]->access != fb::Access::Write, table[i]->access != fb::Access::Read,
          trace, command, step);
  };
  for (const Place &p : commands(b, isWork)) {
    uint64_t *words = &b.streams[p.trace].words[p.word];
    if (p.header.opcode == Opcode::Dispatch)
      operands(static_cast<uint32_t>(words[1]), words + 2, p.trace, p.command, nullptr);
    else
      add(words[1], false, true, p.trace, p.command, nullptr);
    if (p.header.opcode == Opcode::Copy)
      add(words[2], true, false, p.trace, p.command, nullptr);
  }
  for (const StepPlace &p : allSteps(b)) {
    fb::StepT &step = p.step();
    if (step.kind == fb::StepKind::Dispatch || step.kind == fb::StepKind::HostDispatch)
      operands(step.index, step.operands.data(), ~size_t(0), 0, &step);
    if (step.kind == fb::StepKind::Copy) {
      add(step.dst, false, true, ~size_t(0), 0, &step);
      add(step.src, true, false, ~size_t(0), 0, &step);
    }
  }
  return uses;
}

/// Moves a state with everything that uses it.
void moveState(BB &b, fb::BufferT &state, uint64_t offset) {
  const std::vector<StateUse> uses = usesOf(b, state);
  for (const StateUse &use : uses)
    *use.word = *use.word - state.offset + offset;
  state.offset = offset;
}

/// Moves a state with its uses to where a buffer of that kind is: the v-th pair of the two.
bool moveOver(BB &b, size_t v, fb::BufferKind kind) {
  for (fb::BufferT *state : states(b))
    for (auto &other : b.bundle.buffers)
      if (other->kind == kind && other->space == fb::MemorySpace::Dram && other.get() != state &&
          v-- == 0) {
        moveState(b, *state, other->offset);
        return true;
      }
  return false;
}

/// A place after everything in DRAM, with a buffer of that kind as large as a state.
uint64_t elsewhere(BB &b, const fb::BufferT &state, fb::BufferKind kind) {
  uint64_t end = 0;
  for (const auto &buffer : b.bundle.buffers)
    if (buffer->space == fb::MemorySpace::Dram)
      end = std::max(end, buffer->offset + buffer->size);
  end = alignUp(end, kBufferAlignment);
  // The ports of states follow the order of their buffers.
  b.buffer("elsewhere", kind, end, state.size);
  if (kind == fb::BufferKind::State && !b.bundle.states.empty())
    for (const auto &port : b.bundle.states)
      if (b.bundle.buffers[port->buffer].get() == &state) {
        auto copy = std::make_unique<fb::PortT>(*port);
        copy->name = "elsewhere";
        copy->buffer = static_cast<uint32_t>(b.bundle.buffers.size() - 1);
        b.bundle.states.push_back(std::move(copy));
        break;
      }
  return end;
}

using Steps = std::vector<std::unique_ptr<fb::StepT>>;
std::set<const fb::StepT *> stepsIn(const fb::ScheduleT &schedule) {
  std::set<const fb::StepT *> found;
  for (const Steps *part : {&schedule.prologue, &schedule.body, &schedule.epilogue})
    for (const auto &step : *part)
      found.insert(step.get());
  return found;
}
std::set<size_t> tracesIn(const fb::ScheduleT &schedule) {
  std::set<size_t> found;
  for (const fb::StepT *step : stepsIn(schedule))
    if (step->kind == fb::StepKind::Execute)
      found.insert(step->index);
  return found;
}

/// Makes the uses of a state in some schedules go to a buffer of another kind elsewhere.
void redirect(BB &b, size_t number, fb::BufferKind kind,
              const std::vector<const fb::ScheduleT *> &schedules) {
  const uint64_t to = elsewhere(b, *states(b)[number], kind);
  std::set<const fb::StepT *> steps;
  std::set<size_t> traces;
  for (const fb::ScheduleT *schedule : schedules) {
    steps.merge(stepsIn(*schedule));
    traces.merge(tracesIn(*schedule));
  }
  const fb::BufferT &state = *states(b)[number];
  for (const StateUse &use : usesOf(b, state))
    if (use.step ? steps.count(use.step) : traces.count(use.trace))
      *use.word = *use.word - state.offset + to;
}

/// The commands of a trace that use a state, each once.
std::vector<Place> commandsWith(BB &b, const std::vector<StateUse> &uses, size_t trace) {
  return commands(b, [&](const Place &p) {
    return p.trace == trace && std::any_of(uses.begin(), uses.end(), [&](const StateUse &use) {
             return use.trace == trace && use.command == p.command;
           });
  });
}

/// The commands of traces that update a state.
std::vector<Place> updates(BB &b) {
  std::vector<Place> found;
  for (fb::BufferT *state : states(b)) {
    auto uses = usesOf(b, *state);
    std::erase_if(uses, [](const StateUse &use) { return !use.write; });
    for (size_t trace = 0; trace < b.streams.size(); ++trace)
      for (const Place &place : commandsWith(b, uses, trace))
        found.push_back(place);
  }
  return found;
}

/// Commands of a trace that use a state, and the next one that does.
std::vector<std::pair<Place, Place>> neighbours(BB &b) {
  std::vector<std::pair<Place, Place>> found;
  for (fb::BufferT *state : states(b)) {
    const auto uses = usesOf(b, *state);
    for (size_t trace = 0; trace < b.streams.size(); ++trace) {
      const auto places = commandsWith(b, uses, trace);
      for (size_t i = 0; i + 1 < places.size(); ++i)
        found.push_back({places[i], places[i + 1]});
    }
  }
  return found;
}

/// Copies from or to a state: where their number of bytes is.
std::vector<uint64_t *> copies(BB &b) {
  std::vector<uint64_t *> found;
  for (fb::BufferT *state : states(b)) {
    for (const Place &p : commandsOf(Opcode::Copy)(b)) {
      uint64_t *words = &b.streams[p.trace].words[p.word];
      if (isIn(*state, words[1]) || isIn(*state, words[2]))
        found.push_back(&words[3]);
    }
    for (const StepPlace &p : stepsOf(fb::StepKind::Copy)(b))
      if (isIn(*state, p.step().dst) || isIn(*state, p.step().src))
        found.push_back(&p.step().bytes);
  }
  return found;
}

Seed changeKind(fb::BufferKind kind) {
  return at(states, [=](BB &b, fb::BufferT *state) {
    std::erase_if(b.bundle.states,
                  [&](const auto &port) { return b.bundle.buffers[port->buffer].get() == state; });
    state->kind = kind;
  });
}

/// The descriptions of states.
std::vector<fb::PortT *> ports(BB &b) {
  std::vector<fb::PortT *> found;
  for (auto &port : b.bundle.states)
    found.push_back(port.get());
  return found;
}

const std::vector<FaultKind> kKinds = {
    //===--- where it lies ----------------------------------------------------------------===//
    {"StateShifted", // its commands stay
     at(states, 2,
        [](BB &, fb::BufferT *state, size_t up) {
          state->offset += up ? uint64_t(64) : -uint64_t(64);
        }),
     false},
    {"StateOverConstants",
     [](BB &b, size_t v) {
       return !b.constants.empty() && moveOver(b, v, fb::BufferKind::Constant);
     },
     false},
    {"StateOverSlot", [](BB &b, size_t v) { return moveOver(b, v, fb::BufferKind::Slot); }, false},
    {"StateOverActivation",
     [](BB &b, size_t v) { return moveOver(b, v, fb::BufferKind::Activation); }, false},
    {"StateOverState", [](BB &b, size_t v) { return moveOver(b, v, fb::BufferKind::State); },
     false},
    {"StateInTraceRegion",
     at(states,
        [](BB &b, fb::BufferT *state) {
          moveState(b, *state, bottomOfL1(b, false) - kBufferAlignment);
        }),
     true},
    {"StateTooSmall",
     at(states,
        [](BB &, fb::BufferT *state) {
          state->size -= std::min<uint64_t>(state->size, kBufferAlignment);
        }),
     false},
    {"StateTooLarge", // up to what follows it
     at(states, [](BB &, fb::BufferT *state) { state->size += kBufferAlignment; }), false},

    //===--- what it is -------------------------------------------------------------------===//
    {"StateWithLifetime", at(states, [](BB &, fb::BufferT *state) { state->end = 1; }), false},
    {"StateAsActivation", changeKind(fb::BufferKind::Activation), false},
    {"StateAsSlot", changeKind(fb::BufferKind::Slot), false},
    {"StateAsConstant", changeKind(fb::BufferKind::Constant), true},
    {"StateNotDescribed",
     [](BB &b, size_t v) {
       if (b.bundle.states.size() < 2 || v >= b.bundle.states.size())
         return false;
       b.bundle.states.erase(b.bundle.states.begin() + static_cast<ptrdiff_t>(v));
       return true;
     },
     true},
    {"StateDescribedTwice",
     at(ports,
        [](BB &b, fb::PortT *port) {
          b.bundle.states.push_back(std::make_unique<fb::PortT>(*port));
        }),
     true},
    {"StatesExchanged",
     [](BB &b, size_t v) {
       if (v + 1 >= b.bundle.states.size())
         return false;
       std::swap(b.bundle.states[v], b.bundle.states[v + 1]);
       return true;
     },
     true},
    {"StateInOtherBuffer",
     [](BB &b, size_t v) {
       const size_t n = b.bundle.buffers.size();
       return at(ports, n, [=](BB &, fb::PortT *port, size_t by) {
         port->buffer = static_cast<uint32_t>((port->buffer + by + 1) % (n + 1));
       })(b, v);
     },
     true},
    {"StateOfOtherName", at(ports, [](BB &, fb::PortT *port) { port->name += "_"; }), true},
    {"StateOfTooManyElements", at(ports, [](BB &, fb::PortT *port) { port->shape.back() *= 64; }),
     true},
    {"StateOfNoElements", at(ports, [](BB &, fb::PortT *port) { port->shape.back() = 0; }), true},
    {"StateWithRing", at(ports, [](BB &, fb::PortT *port) { port->ring.push_back(port->buffer); }),
     true},

    //===--- who updates it, and when -----------------------------------------------------===//
    {"StateElsewhereInEntry", // which no run has written
     [](BB &b, size_t v) {
       const size_t n = b.bundle.entries.size();
       if (v >= states(b).size() * n)
         return false;
       std::vector<const fb::ScheduleT *> schedules;
       for (const auto &schedule : b.bundle.entries[v % n]->schedules)
         schedules.push_back(schedule.get());
       redirect(b, v / n, fb::BufferKind::Activation, schedules);
       return true;
     },
     false},
    {"StateElsewhereInSchedule", // so that the entry point's schedules differ
     [](BB &b, size_t v) {
       std::vector<const fb::ScheduleT *> others;
       for (const auto &entry : b.bundle.entries)
         for (size_t i = 1; i < entry->schedules.size(); ++i)
           others.push_back(entry->schedules[i].get());
       if (others.empty() || v >= states(b).size() * others.size())
         return false;
       redirect(b, v / others.size(), fb::BufferKind::State, {others[v % others.size()]});
       return true;
     },
     false},
    {"StateUpdateDropped", at(updates, [](BB &b, Place &p) { erase(b, p); }), false},
    {"StateUpdatedTwice", at(updates, [](BB &b, Place &p) { insertCopy(b, p); }), false,
     Order::Work},
    {"StateUpdateAndReadSwapped",
     at(neighbours,
        [](BB &b, std::pair<Place, Place> &pair) { swapCommands(b, pair.first, pair.second); }),
     false, Order::Work},
    {"StateStepOnOtherQueue", // a dispatch, a copy, or a trace that uses it
     [](BB &b, size_t v) {
       std::set<const fb::StepT *> users;
       for (fb::BufferT *state : states(b))
         for (const StateUse &use : usesOf(b, *state))
           for (const StepPlace &p : allSteps(b))
             if (use.step == &p.step() ||
                 (p.step().kind == fb::StepKind::Execute && p.step().index == use.trace))
               users.insert(&p.step());
       for (auto &entry : b.bundle.entries)
         for (auto &schedule : entry->schedules)
           for (Steps *part : {&schedule->prologue, &schedule->body, &schedule->epilogue})
             for (auto &step : *part)
               if (schedule->queues == 2 && users.count(step.get()) && v-- == 0) {
                 step->queue ^= 1;
                 return true;
               }
       return false;
     },
     false, Order::Events},
    {"StateEventDropped", // where both queues use state
     [](BB &b, size_t v) {
       for (auto &entry : b.bundle.entries)
         for (auto &schedule : entry->schedules) {
           std::set<size_t> queues;
           const auto steps = stepsIn(*schedule);
           for (fb::BufferT *state : states(b))
             for (const StateUse &use : usesOf(b, *state))
               for (const fb::StepT *step : steps)
                 if (use.step == step ||
                     (step->kind == fb::StepKind::Execute && step->index == use.trace))
                   queues.insert(step->queue);
           for (Steps *part : {&schedule->prologue, &schedule->body, &schedule->epilogue})
             for (size_t i = 0; i < part->size(); ++i)
               if (queues.size() == 2 &&
                   ((*part)[i]->kind == fb::StepKind::Wait ||
                    (*part)[i]->kind == fb::StepKind::Record) &&
                   v-- == 0) {
                 part->erase(part->begin() + static_cast<ptrdiff_t>(i));
                 return true;
               }
         }
       return false;
     },
     false, Order::Events},
    {"StateCopyTooLong", at(copies, [](BB &, uint64_t *bytes) { *bytes += kBufferAlignment; }),
     false},
    {"StateCopyTooShort", at(copies, [](BB &, uint64_t *bytes) { *bytes /= 2; }), false},
};

} // namespace

const std::vector<FaultKind> &stateFaultKinds() { return kKinds; }

} // namespace ttrt::test
