// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of faults. A planner, a scheduler or an encoder could make each of them.

#include "FaultPlaces.h"
#include "StateFaults.h"

namespace ttrt::test {
namespace {

using BB = BundleBuilder;
using Order = FaultKind::Order;
using Kind = fb::StepKind;

Seed shiftOperand(int64_t by) {
  return at(allOperands, [=](BB &, OperandPlace &p) { *p.word += static_cast<uint64_t>(by); });
}

Seed changeLifetime(int begin, int end) {
  return at(mortal, [=](BB &, fb::BufferT *buffer) {
    buffer->begin += begin;
    buffer->end += end;
  });
}

Seed eraseCommand(Opcode opcode) {
  return at(commandsOf(opcode), [](BB &b, Place &p) { erase(b, p); });
}
Seed eraseStep(Kind kind) {
  return at(stepsOf(kind), [](BB &b, StepPlace &p) { erase(b, p); });
}

bool hasRows(const fb::OperandT &operand) { return operand.row_bytes != 0; }
Seed changeRows(int by) {
  return at(tables(hasRows), [=](BB &, fb::OperandT *operand) {
    operand->row_bytes += by;
    operand->bytes += by;
  });
}

/// Operands in L1.
std::vector<OperandPlace> operandsInL1(BB &b) {
  auto places = operands(b);
  std::erase_if(places, [&](const OperandPlace &p) { return *p.word < bottomOfL1(b, false); });
  return places;
}

std::vector<fb::BufferT *> sharded(BB &b) {
  auto buffers = inL1(b);
  std::erase_if(buffers, [](fb::BufferT *buffer) { return buffer->shards < 2; });
  return buffers;
}

/// A place and the next one, for swaps.
template <typename Find> auto pairs(Find find) {
  return [=](BB &b) {
    auto places = find(b);
    std::vector<
        std::pair<typename decltype(places)::value_type, typename decltype(places)::value_type>>
        found;
    for (size_t i = 0; i + 1 < places.size(); ++i)
      found.push_back({places[i], places[i + 1]});
    return found;
  };
}

/// Steps of schedules that have two queues.
std::vector<StepPlace> stepsOfTwoQueues(BB &b) {
  std::vector<StepPlace> places;
  for (auto &place : allSteps(b))
    for (auto &entry : b.bundle.entries)
      for (auto &schedule : entry->schedules)
        for (auto *part : {&schedule->prologue, &schedule->body, &schedule->epilogue})
          if (part == place.part && schedule->queues == 2)
            places.push_back(place);
  return places;
}

const std::vector<FaultKind> kKinds = {
    {"ShiftOperandUp", shiftOperand(64), false},
    {"ShiftOperandDown", shiftOperand(-64), false},
    {"ShiftBuffer",
     at(placed, 2,
        [](BB &, fb::BufferT *buffer, size_t up) {
          buffer->offset += up ? uint64_t(64) : -uint64_t(64);
        }),
     false},
    {"L1BufferOverScratch", at(inL1, [](BB &, fb::BufferT *buffer) { buffer->offset = 0; }), false},
    {"L1BufferWhereItsCommandsGo", // moved together with them, by one unit of each core
     at(inL1, 2,
        [](BB &b, fb::BufferT *buffer, size_t down) {
          if (down || buffer->offset)
            moveInL1(b, *buffer, down ? buffer->offset + 64 : buffer->offset - 64);
        }),
     false},
    {"L1BufferAndItsCommandsOverScratch",
     at(inL1, [](BB &b, fb::BufferT *buffer) { moveInL1(b, *buffer, 0); }), false},
    {"OperandOverScratch", // in both views; the first, a middle and the last part of it
     at([](BB &b) { return inL1(b).empty() ? std::vector<OperandPlace>() : operands(b); }, 6,
        [](BB &b, OperandPlace &place, size_t which) {
          const bool interleaved = which % 2 == 0;
          const uint64_t step = interleaved ? kBufferAlignment : b.bundle.target->l1_bytes;
          *place.word = bottomOfL1(b, interleaved) +
                        which / 2 * (b.bundle.target->cores - 1) / 2 * step;
        }),
     false},
    {"OperandInOtherViewOfL1", // of the same bytes of core 0
     at(operandsInL1,
        [](BB &b, OperandPlace &place) {
          const uint64_t cores = bottomOfL1(b, false), interleaved = bottomOfL1(b, true);
          uint64_t &word = *place.word;
          word = word >= interleaved ? cores + (word - interleaved) / b.bundle.target->cores
                                     : interleaved + (word - cores) * b.bundle.target->cores;
        }),
     false},
    {"OtherViewOfL1",
     at(inL1,
        [](BB &b, fb::BufferT *buffer) {
          buffer->shards = buffer->shards ? 0 : b.bundle.target->cores;
        }),
     false},
    {"FewerShards", at(sharded, [](BB &, fb::BufferT *buffer) { --buffer->shards; }), false},
    {"MoreScratch",
     at(programs([](auto &) { return true; }),
        [](BB &, fb::ProgramT *program) { program->scratch_bytes += 64; }),
     false},
    {"ShortenLifetime", changeLifetime(0, -1), false},
    {"LateLifetime", changeLifetime(1, 0), false},
    {"LengthenLifetime", changeLifetime(0, 1), false},
    {"EarlyLifetime", changeLifetime(-1, 0), false},
    {"DropBarrier", eraseCommand(Opcode::Barrier), false, Order::Events},
    {"DropSignal", eraseCommand(Opcode::Signal), false, Order::Events},
    {"DropStreamWait", eraseCommand(Opcode::Wait), false, Order::Events},
    {"DropDispatch", eraseCommand(Opcode::Dispatch), false},
    {"DropWait", eraseStep(Kind::Wait), false, Order::Events},
    {"DropRecord", eraseStep(Kind::Record), false, Order::Events},
    {"DropWrite", eraseStep(Kind::Write), false, Order::Events},
    {"DropRead", eraseStep(Kind::Read), false, Order::Events},
    {"DropExecute", eraseStep(Kind::Execute), false, Order::Events},
    {"DuplicateExecute",
     at(stepsOf(Kind::Execute),
        [](BB &, StepPlace &place) {
          auto copy = std::make_unique<fb::StepT>(place.step());
          place.part->insert(place.part->begin() + static_cast<ptrdiff_t>(place.index),
                             std::move(copy));
        }),
     false, Order::Work},
    {"DuplicateCommand", at(work, [](BB &b, Place &p) { insertCopy(b, p); }), false, Order::Work},
    {"SwapCommands",
     at(pairs(work),
        [](BB &b, auto &pair) {
          if (pair.first.trace == pair.second.trace)
            swapCommands(b, pair.first, pair.second);
        }),
     false, Order::Work},
    {"CommandAcrossBarrier", // the signal before the last reader, the barrier in front of the
                             // writer
     [](BB &b, size_t v) {
       auto places = commands(b);
       if (v + 2 >= places.size())
         return false;
       if (places[v].trace == places[v + 1].trace && places[v + 1].header.opcode != Opcode::End)
         swapCommands(b, places[v], places[v + 1]);
       return true;
     },
     false, Order::Work},
    {"SwapSteps", // write before wait, record before execute, read before wait
     at(pairs(allSteps),
        [](BB &, auto &pair) {
          auto &[first, second] = pair;
          if (first.part == second.part)
            std::swap((*first.part)[first.index], (*first.part)[second.index]);
        }),
     false, Order::Work},
    {"MoveEvent", // a wait or record to another place of its part
     [](BB &b, size_t v) {
       for (const StepPlace &place : waitsAndRecords(b))
         for (size_t to = 0; to < place.part->size(); ++to)
           if (to != place.index && v-- == 0) {
             auto step = std::move((*place.part)[place.index]);
             erase(b, place);
             place.part->insert(place.part->begin() + static_cast<ptrdiff_t>(to), std::move(step));
             return true;
           }
       return false;
     },
     false, Order::Events},
    {"OtherQueue", at(stepsOfTwoQueues, [](BB &, StepPlace &place) { place.step().queue ^= 1; }),
     false, Order::Events},
    {"OtherEvent",
     at(waitsAndRecords,
        [](BB &b, StepPlace &place) {
          place.step().index = (place.step().index + 1) % b.bundle.events.size();
        }),
     false, Order::Events},
    {"AliasBuffers", // one lies where another one does, and its commands go there
     [](BB &b, size_t v) {
       auto buffers = placed(b);
       const size_t n = buffers.size();
       if (v >= n * n)
         return false;
       fb::BufferT &moved = *buffers[v / n], &other = *buffers[v % n];
       if (&moved == &other || moved.space != fb::MemorySpace::Dram || other.space != moved.space)
         return true;
       for (const OperandPlace &place : operands(b)) {
         uint64_t &word = *place.word;
         if (word >= moved.offset && word < moved.offset + moved.size)
           word = word - moved.offset + other.offset;
       }
       moved.offset = other.offset;
       return true;
     },
     false},
    {"WrongSlot", // an operand goes to another slot
     [](BB &b, size_t v) {
       std::vector<uint64_t> slots;
       for (auto &buffer : b.bundle.buffers)
         if (buffer->kind == fb::BufferKind::Slot)
           slots.push_back(buffer->offset);
       return at(allOperands, slots.size(), [&](BB &, OperandPlace &place, size_t slot) {
         *place.word = slots[slot];
       })(b, v);
     },
     false},
    {"WriteConstant",
     at([](BB &b) { return b.constants.empty() ? std::vector<OperandPlace>() : outputs(b); },
        [](BB &, OperandPlace &place) { *place.word = 0; }),
     false},
    {"OperandTooLarge",
     at(tables([](auto &) { return true; }),
        [](BB &, fb::OperandT *operand) {
          operand->bytes += operand->row_bytes ? operand->pitch_bytes : 64;
        }),
     false},
    {"RowsTooWide", changeRows(32), false},
    {"RowsTooNarrow", changeRows(-16), false},
    {"NotInPlace",
     at(tables([](auto &operand) { return !operand.in_place_of.empty(); }),
        [](BB &, fb::OperandT *operand) { operand->in_place_of.clear(); }),
     false},
    {"NotPerWorkgroup",
     at(tables([](auto &operand) { return operand.per_workgroup; }),
        [](BB &, fb::OperandT *operand) { operand->per_workgroup = false; }),
     false},
    {"PerWorkgroup", // and the barriers that it would make needless are gone
     at(tables([](auto &operand) { return operand.row_bytes && !operand.per_workgroup; }),
        [](BB &b, fb::OperandT *operand) {
          operand->per_workgroup = true;
          auto barriers = commandsOf(Opcode::Barrier)(b);
          std::for_each(barriers.rbegin(), barriers.rend(),
                        [&](const Place &barrier) { erase(b, barrier); });
        }),
     false},
    {"OtherGrid",
     at(programs([](auto &program) { return program.grid > 1; }),
        [](BB &, fb::ProgramT *program) { program->grid *= 2; }),
     false},
    {"WrongProgram",
     [](BB &b, size_t v) {
       return at(dispatches, b.bundle.programs.size(), [](BB &b, Place &place, size_t program) {
         uint64_t &word = b.streams[place.trace].words[place.word + 1];
         if (b.bundle.programs[program]->operands.size() == word >> 32)
           word = program | (word >> 32) << 32;
       })(b, v);
     },
     false},
    {"SpreadOverCores",
     at(programs([](auto &program) { return program.grid == 1; }),
        [](BB &, fb::ProgramT *program) { program->grid = 4; }),
     false, Order::Events},
    {"OverlappingOperands",
     [](BB &b, size_t v) {
       auto places = outputs(b);
       if (v >= places.size() || places[v].operand == 0)
         return false;
       places[v].word[0] = places[v].word[-1];
       return true;
     },
     false},
    {"LateStart", // an activation becomes one that is always there
     at(mortal, [](BB &, fb::BufferT *buffer) { buffer->begin = buffer->end = 0; }), false},
    {"RegionOffByOne",
     [](BB &b, size_t v) {
       if (v >= 2)
         return false;
       b.finish();
       (v ? b.bundle.trace_region->size : b.bundle.trace_region->address) += 64;
       return true;
     },
     true},
    {"StreamCut", eraseCommand(Opcode::End), true},
    {"OperandInTraceRegion",
     at(allOperands,
        [](BB &b, OperandPlace &place) { *place.word = bottomOfL1(b, false) - 4096; }),
     true},
    {"CopyOverlap",
     at(commandsOf(Opcode::Copy),
        [](BB &b, Place &copy) {
          uint64_t *words = &b.streams[copy.trace].words[copy.word];
          words[1] = words[2] + 64;
        }),
     true},
    {"StagingOverlap",
     at(stepsOf(Kind::Copy),
        [](BB &, StepPlace &copy) { copy.step().dst = copy.step().src + 64; }),
     true},
    {"StagingShifted",
     at(stepsOf(Kind::Copy), 2,
        [](BB &, StepPlace &copy, size_t dst) {
          (dst ? copy.step().dst : copy.step().src) += 64;
        }),
     false},
};

} // namespace

const std::vector<FaultKind> &faultKinds() {
  static const std::vector<FaultKind> all = [] {
    std::vector<FaultKind> kinds = kKinds;
    kinds.insert(kinds.end(), stateFaultKinds().begin(), stateFaultKinds().end());
    return kinds;
  }();
  return all;
}

} // namespace ttrt::test
