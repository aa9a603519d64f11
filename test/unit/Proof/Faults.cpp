// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of faults. A planner, a scheduler or an encoder could make each of them.

#include "FaultPlaces.h"
#include "StateFaults.h"

namespace ttrt::test {
namespace {

bool shiftOperand(BundleBuilder &b, size_t variant, int64_t by) {
  auto places = operands(b);
  if (variant >= places.size())
    return false;
  *places[variant].word += static_cast<uint64_t>(by);
  return true;
}

bool changeLifetime(BundleBuilder &b, size_t variant, int begin, int end) {
  auto buffers = mortal(b);
  if (variant >= buffers.size())
    return false;
  buffers[variant]->begin += begin;
  buffers[variant]->end += end;
  return true;
}

bool eraseCommand(BundleBuilder &b, size_t variant, Opcode opcode) {
  auto places = commands(b, [&](const Place &p) { return p.header.opcode == opcode; });
  if (variant >= places.size())
    return false;
  erase(b, places[variant]);
  return true;
}

using BB = BundleBuilder;
using Order = FaultKind::Order;

const std::vector<FaultKind> kKinds = {
    {"ShiftOperandUp", [](BB &b, size_t v) { return shiftOperand(b, v, 64); }, false},
    {"ShiftOperandDown", [](BB &b, size_t v) { return shiftOperand(b, v, -64); }, false},
    {"ShiftBuffer",
     [](BB &b, size_t v) {
       auto buffers = placed(b);
       if (v >= 2 * buffers.size())
         return false;
       buffers[v / 2]->offset += v % 2 ? uint64_t(64) : -uint64_t(64);
       return true;
     },
     false},
    {"L1BufferOverScratch",
     [](BB &b, size_t v) {
       auto buffers = inL1(b);
       if (v >= buffers.size())
         return false;
       buffers[v]->offset = 0;
       return true;
     },
     false},
    {"L1BufferWhereItsCommandsGo", // moved together with them, by one unit of each core
     [](BB &b, size_t v) {
       auto buffers = inL1(b);
       if (v >= 2 * buffers.size())
         return false;
       fb::BufferT &buffer = *buffers[v / 2];
       if (v % 2 || buffer.offset)
         moveInL1(b, buffer, v % 2 ? buffer.offset + 64 : buffer.offset - 64);
       return true;
     },
     false},
    {"L1BufferAndItsCommandsOverScratch",
     [](BB &b, size_t v) {
       auto buffers = inL1(b);
       if (v >= buffers.size())
         return false;
       moveInL1(b, *buffers[v], 0);
       return true;
     },
     false},
    {"OperandOverScratch", // in both views; the first, a middle and the last part of it
     [](BB &b, size_t v) {
       auto places = operands(b);
       constexpr size_t kParts = 3;
       if (inL1(b).empty() || v >= places.size() * 2 * kParts)
         return false;
       const OperandPlace &place = places[v / (2 * kParts)];
       const bool interleaved = v % 2 == 0;
       const uint64_t cores = b.bundle.target->cores;
       const uint64_t step = interleaved ? kBufferAlignment : b.bundle.target->l1_bytes;
       *place.word = bottomOfL1(b, interleaved) + v / 2 % kParts * (cores - 1) / 2 * step;
       return true;
     },
     false},
    {"OperandInOtherViewOfL1", // of the same bytes of core 0
     [](BB &b, size_t v) {
       auto places = operands(b);
       const uint64_t cores = bottomOfL1(b, false), interleaved = bottomOfL1(b, true);
       std::erase_if(places, [&](const OperandPlace &place) { return *place.word < cores; });
       if (v >= places.size())
         return false;
       uint64_t &word = *places[v].word;
       word = word >= interleaved ? cores + (word - interleaved) / b.bundle.target->cores
                                  : interleaved + (word - cores) * b.bundle.target->cores;
       return true;
     },
     false},
    {"OtherViewOfL1",
     [](BB &b, size_t v) {
       auto buffers = inL1(b);
       if (v >= buffers.size())
         return false;
       buffers[v]->shards = buffers[v]->shards ? 0 : b.bundle.target->cores;
       return true;
     },
     false},
    {"FewerShards",
     [](BB &b, size_t v) {
       auto buffers = inL1(b);
       std::erase_if(buffers, [](fb::BufferT *buffer) { return buffer->shards < 2; });
       if (v >= buffers.size())
         return false;
       --buffers[v]->shards;
       return true;
     },
     false},
    {"MoreScratch",
     [](BB &b, size_t v) {
       if (v >= b.bundle.programs.size())
         return false;
       b.bundle.programs[v]->scratch_bytes += 64;
       return true;
     },
     false},
    {"ShortenLifetime", [](BB &b, size_t v) { return changeLifetime(b, v, 0, -1); }, false},
    {"LateLifetime", [](BB &b, size_t v) { return changeLifetime(b, v, 1, 0); }, false},
    {"LengthenLifetime", [](BB &b, size_t v) { return changeLifetime(b, v, 0, 1); }, false},
    {"EarlyLifetime", [](BB &b, size_t v) { return changeLifetime(b, v, -1, 0); }, false},
    {"DropBarrier", [](BB &b, size_t v) { return eraseCommand(b, v, Opcode::Barrier); }, false,
     Order::Events},
    {"DropSignal", [](BB &b, size_t v) { return eraseCommand(b, v, Opcode::Signal); }, false,
     Order::Events},
    {"DropStreamWait", [](BB &b, size_t v) { return eraseCommand(b, v, Opcode::Wait); }, false,
     Order::Events},
    {"DropDispatch", [](BB &b, size_t v) { return eraseCommand(b, v, Opcode::Dispatch); }, false},
    {"DropWait", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Wait, v); }, false,
     Order::Events},
    {"DropRecord", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Record, v); }, false,
     Order::Events},
    {"DropWrite", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Write, v); }, false,
     Order::Events},
    {"DropRead", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Read, v); }, false,
     Order::Events},
    {"DropExecute", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Execute, v); }, false,
     Order::Events},
    {"DuplicateExecute",
     [](BB &b, size_t v) {
       auto places =
           stepsOf(b, [](const fb::StepT &step) { return step.kind == fb::StepKind::Execute; });
       if (v >= places.size())
         return false;
       auto copy = std::make_unique<fb::StepT>(places[v].step());
       places[v].part->insert(places[v].part->begin() + static_cast<ptrdiff_t>(places[v].index),
                              std::move(copy));
       return true;
     },
     false, Order::Work},
    {"DuplicateCommand",
     [](BB &b, size_t v) {
       auto places = commands(b, isWork);
       if (v >= places.size())
         return false;
       insertCopy(b, places[v]);
       return true;
     },
     false, Order::Work},
    {"SwapCommands",
     [](BB &b, size_t v) {
       auto places = commands(b, isWork);
       if (v + 1 >= places.size())
         return false;
       if (places[v].trace == places[v + 1].trace)
         swapCommands(b, places[v], places[v + 1]);
       return true;
     },
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
     [](BB &b, size_t v) {
       auto places = stepsOf(b, [](const fb::StepT &) { return true; });
       if (v + 1 >= places.size())
         return false;
       if (places[v].part == places[v + 1].part)
         std::swap((*places[v].part)[places[v].index], (*places[v].part)[places[v].index + 1]);
       return true;
     },
     false, Order::Work},
    {"MoveEvent", // a wait or record to another place of its part
     [](BB &b, size_t v) {
       auto places = stepsOf(b, [](const fb::StepT &step) {
         return step.kind == fb::StepKind::Wait || step.kind == fb::StepKind::Record;
       });
       for (const StepPlace &place : places)
         for (size_t to = 0; to < place.part->size(); ++to)
           if (to != place.index && v-- == 0) {
             auto step = std::move((*place.part)[place.index]);
             place.part->erase(place.part->begin() + static_cast<ptrdiff_t>(place.index));
             place.part->insert(place.part->begin() + static_cast<ptrdiff_t>(to), std::move(step));
             return true;
           }
       return false;
     },
     false, Order::Events},
    {"OtherQueue",
     [](BB &b, size_t v) {
       std::vector<StepPlace> places;
       for (auto &place : stepsOf(b, [](const fb::StepT &) { return true; }))
         for (auto &entry : b.bundle.entries)
           for (auto &schedule : entry->schedules)
             for (auto *part : {&schedule->prologue, &schedule->body, &schedule->epilogue})
               if (part == place.part && schedule->queues == 2)
                 places.push_back(place);
       if (v >= places.size())
         return false;
       places[v].step().queue ^= 1;
       return true;
     },
     false, Order::Events},
    {"OtherEvent",
     [](BB &b, size_t v) {
       auto places = stepsOf(b, [](const fb::StepT &step) {
         return step.kind == fb::StepKind::Wait || step.kind == fb::StepKind::Record;
       });
       if (v >= places.size())
         return false;
       places[v].step().index = (places[v].step().index + 1) % b.bundle.events.size();
       return true;
     },
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
       auto places = operands(b);
       if (v >= places.size() * slots.size())
         return false;
       *places[v / slots.size()].word = slots[v % slots.size()];
       return true;
     },
     false},
    {"WriteConstant",
     [](BB &b, size_t v) {
       auto places = operands(b, /*outputsOnly=*/true);
       if (b.constants.empty() || v >= places.size())
         return false;
       *places[v].word = 0;
       return true;
     },
     false},
    {"OperandTooLarge",
     [](BB &b, size_t v) {
       for (auto &program : b.bundle.programs)
         for (auto &operand : program->operands)
           if (v-- == 0) {
             operand->bytes += operand->row_bytes ? operand->pitch_bytes : 64;
             return true;
           }
       return false;
     },
     false},
    {"RowsTooWide",
     [](BB &b, size_t v) {
       for (auto &program : b.bundle.programs)
         for (auto &operand : program->operands)
           if (operand->row_bytes && v-- == 0) {
             operand->row_bytes += 32;
             operand->bytes += 32;
             return true;
           }
       return false;
     },
     false},
    {"RowsTooNarrow",
     [](BB &b, size_t v) {
       for (auto &program : b.bundle.programs)
         for (auto &operand : program->operands)
           if (operand->row_bytes && v-- == 0) {
             operand->row_bytes -= 16;
             operand->bytes -= 16;
             return true;
           }
       return false;
     },
     false},
    {"NotInPlace",
     [](BB &b, size_t v) {
       for (auto &program : b.bundle.programs)
         for (auto &operand : program->operands)
           if (!operand->in_place_of.empty() && v-- == 0) {
             operand->in_place_of.clear();
             return true;
           }
       return false;
     },
     false},
    {"NotPerWorkgroup",
     [](BB &b, size_t v) {
       for (auto &program : b.bundle.programs)
         for (auto &operand : program->operands)
           if (operand->per_workgroup && v-- == 0) {
             operand->per_workgroup = false;
             return true;
           }
       return false;
     },
     false},
    {"PerWorkgroup", // and the barriers that it would make needless are gone
     [](BB &b, size_t v) {
       for (size_t i = 0; i < b.bundle.programs.size(); ++i)
         for (auto &operand : b.bundle.programs[i]->operands) {
           if (operand->row_bytes == 0 || operand->per_workgroup || v-- != 0)
             continue;
           operand->per_workgroup = true;
           auto barriers =
               commands(b, [](const Place &p) { return p.header.opcode == Opcode::Barrier; });
           std::for_each(barriers.rbegin(), barriers.rend(),
                         [&](const Place &barrier) { erase(b, barrier); });
           return true;
         }
       return false;
     },
     false},
    {"OtherGrid",
     [](BB &b, size_t v) {
       for (auto &program : b.bundle.programs)
         if (program->grid > 1 && v-- == 0) {
           program->grid *= 2;
           return true;
         }
       return false;
     },
     false},
    {"WrongProgram",
     [](BB &b, size_t v) {
       auto places = dispatches(b);
       const size_t n = b.bundle.programs.size();
       if (v >= places.size() * n)
         return false;
       uint64_t &word = b.streams[places[v / n].trace].words[places[v / n].word + 1];
       const uint64_t program = v % n;
       if (b.bundle.programs[program]->operands.size() == word >> 32)
         word = program | (word >> 32) << 32;
       return true;
     },
     false},
    {"SpreadOverCores",
     [](BB &b, size_t v) {
       for (auto &program : b.bundle.programs)
         if (program->grid == 1 && v-- == 0) {
           program->grid = 4;
           return true;
         }
       return false;
     },
     false, Order::Events},
    {"OverlappingOperands",
     [](BB &b, size_t v) {
       auto places = operands(b, /*outputsOnly=*/true);
       if (v >= places.size() || places[v].operand == 0)
         return false;
       places[v].word[0] = places[v].word[-1];
       return true;
     },
     false},
    {"LateStart", // an activation becomes one that is always there
     [](BB &b, size_t v) {
       auto buffers = mortal(b);
       if (v >= buffers.size())
         return false;
       buffers[v]->begin = buffers[v]->end = 0;
       return true;
     },
     false},
    {"RegionOffByOne",
     [](BB &b, size_t v) {
       if (v >= 2)
         return false;
       b.finish();
       (v ? b.bundle.trace_region->size : b.bundle.trace_region->address) += 64;
       return true;
     },
     true},
    {"StreamCut",
     [](BB &b, size_t v) {
       auto ends = commands(b, [](const Place &p) { return p.header.opcode == Opcode::End; });
       if (v >= ends.size())
         return false;
       erase(b, ends[v]);
       return true;
     },
     true},
    {"OperandInTraceRegion",
     [](BB &b, size_t v) {
       auto places = operands(b);
       if (v >= places.size())
         return false;
       *places[v].word = bottomOfL1(b, false) - 4096;
       return true;
     },
     true},
    {"CopyOverlap",
     [](BB &b, size_t v) {
       auto copies = commands(b, [](const Place &p) { return p.header.opcode == Opcode::Copy; });
       if (v >= copies.size())
         return false;
       auto &words = b.streams[copies[v].trace].words;
       words[copies[v].word + 1] = words[copies[v].word + 2] + 64;
       return true;
     },
     true},
    {"StagingOverlap",
     [](BB &b, size_t v) {
       auto copies =
           stepsOf(b, [](const fb::StepT &step) { return step.kind == fb::StepKind::Copy; });
       if (v >= copies.size())
         return false;
       copies[v].step().dst = copies[v].step().src + 64;
       return true;
     },
     true},
    {"StagingShifted",
     [](BB &b, size_t v) {
       auto copies =
           stepsOf(b, [](const fb::StepT &step) { return step.kind == fb::StepKind::Copy; });
       if (v >= 2 * copies.size())
         return false;
       (v % 2 ? copies[v / 2].step().dst : copies[v / 2].step().src) += 64;
       return true;
     },
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
