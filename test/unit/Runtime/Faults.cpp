// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of faults. A planner, a scheduler or an encoder could make each of them.

#include "ProofBundles.h"

#include <algorithm>
#include <cstring>

namespace ttrt::test {
namespace {

/// A command of a stream.
struct Place {
  size_t trace, word, command;
  CommandHeader header;
  size_t words() const { return header.size / 8; }
};

std::vector<Place> commands(const BundleBuilder &b) {
  std::vector<Place> places;
  for (size_t trace = 0; trace < b.streams.size(); ++trace) {
    size_t command = 0;
    for (size_t at = 0; at < b.streams[trace].words.size(); ++command) {
      Place place{trace, at, command, {}};
      memcpy(&place.header, &b.streams[trace].words[at], sizeof(place.header));
      places.push_back(place);
      at += place.words();
    }
  }
  return places;
}
template <typename Filter> std::vector<Place> commands(const BundleBuilder &b, Filter filter) {
  std::vector<Place> places = commands(b);
  std::erase_if(places, [&](const Place &place) { return !filter(place); });
  return places;
}
bool isWork(const Place &place) {
  return place.header.opcode == Opcode::Dispatch || place.header.opcode == Opcode::Copy ||
         place.header.opcode == Opcode::Fill;
}
std::vector<Place> dispatches(const BundleBuilder &b) {
  return commands(b, [](const Place &p) { return p.header.opcode == Opcode::Dispatch; });
}

/// An address in a stream.
struct OperandPlace {
  size_t trace, word, program, operand;
};
std::vector<OperandPlace> operands(const BundleBuilder &b, bool outputsOnly = false) {
  std::vector<OperandPlace> places;
  for (const Place &p : dispatches(b)) {
    const uint64_t program = static_cast<uint32_t>(b.streams[p.trace].words[p.word + 1]);
    const auto &table = b.bundle.programs[program]->operands;
    for (size_t i = 0; i < table.size(); ++i)
      if (!outputsOnly || table[i]->access != fb::Access::Read)
        places.push_back({p.trace, p.word + 2 + i, program, i});
  }
  return places;
}

/// The first point of the default timeline at which a trace is executed; all ones if it is not.
uint64_t pointOf(const BundleBuilder &b, size_t trace) {
  uint64_t point = 0;
  for (const auto &entry : b.bundle.entries)
    for (const auto *part : {&entry->schedules[0]->prologue, &entry->schedules[0]->body,
                             &entry->schedules[0]->epilogue})
      for (const auto &step : *part) {
        if (step->kind == fb::StepKind::Execute && step->index == trace)
          return point;
        point += step->kind == fb::StepKind::Execute ? b.bundle.traces[step->index]->commands : 1;
      }
  return ~uint64_t(0);
}

/// Everything behind `point` moves by one.
void moveLifetimes(BundleBuilder &b, uint64_t point, int by) {
  if (point == ~uint64_t(0))
    return;
  for (auto &buffer : b.bundle.buffers) {
    if (!buffer->end)
      continue;
    if (buffer->begin > point)
      buffer->begin += by;
    if (buffer->end > point)
      buffer->end += by;
  }
}

void erase(BundleBuilder &b, const Place &place) {
  const uint64_t begin = pointOf(b, place.trace);
  auto &words = b.streams[place.trace].words;
  words.erase(words.begin() + place.word, words.begin() + place.word + place.words());
  fb::TraceT &table = *b.bundle.traces[place.trace];
  --table.commands;
  if (!table.sources.empty())
    table.sources.erase(table.sources.begin() + place.command);
  if (begin != ~uint64_t(0))
    moveLifetimes(b, begin + place.command, -1);
}

void insertCopy(BundleBuilder &b, const Place &place) {
  const uint64_t begin = pointOf(b, place.trace);
  auto &words = b.streams[place.trace].words;
  const std::vector<uint64_t> copy(words.begin() + place.word,
                                   words.begin() + place.word + place.words());
  words.insert(words.begin() + place.word, copy.begin(), copy.end());
  fb::TraceT &table = *b.bundle.traces[place.trace];
  ++table.commands;
  if (!table.sources.empty())
    table.sources.insert(table.sources.begin() + place.command, table.sources[place.command]);
  if (begin != ~uint64_t(0))
    moveLifetimes(b, begin + place.command, 1);
}

/// Exchanges two commands of a trace.
void swapCommands(BundleBuilder &b, const Place &first, const Place &second) {
  auto &words = b.streams[first.trace].words;
  std::vector<uint64_t> a(words.begin() + first.word, words.begin() + first.word + first.words());
  std::vector<uint64_t> between(words.begin() + first.word + first.words(),
                                words.begin() + second.word);
  std::vector<uint64_t> c(words.begin() + second.word,
                          words.begin() + second.word + second.words());
  c.insert(c.end(), between.begin(), between.end());
  c.insert(c.end(), a.begin(), a.end());
  std::copy(c.begin(), c.end(), words.begin() + first.word);
}

struct StepPlace {
  std::vector<std::unique_ptr<fb::StepT>> *part;
  size_t index;
  fb::StepT &step() const { return *(*part)[index]; }
};
template <typename Filter> std::vector<StepPlace> stepsOf(BundleBuilder &b, Filter filter) {
  std::vector<StepPlace> places;
  for (auto &entry : b.bundle.entries)
    for (auto &schedule : entry->schedules)
      for (auto *part : {&schedule->prologue, &schedule->body, &schedule->epilogue})
        for (size_t i = 0; i < part->size(); ++i)
          if (filter(*(*part)[i]))
            places.push_back({part, i});
  return places;
}
bool eraseStep(BundleBuilder &b, fb::StepKind kind, size_t variant) {
  auto places = stepsOf(b, [&](const fb::StepT &step) { return step.kind == kind; });
  if (variant >= places.size())
    return false;
  places[variant].part->erase(places[variant].part->begin() +
                              static_cast<ptrdiff_t>(places[variant].index));
  return true;
}

/// Buffers that are not constants.
std::vector<fb::BufferT *> placed(BundleBuilder &b) {
  std::vector<fb::BufferT *> found;
  for (auto &buffer : b.bundle.buffers)
    if (buffer->kind != fb::BufferKind::Constant && buffer->kind != fb::BufferKind::Scratch)
      found.push_back(buffer.get());
  return found;
}
std::vector<fb::BufferT *> mortal(BundleBuilder &b) {
  auto found = placed(b);
  std::erase_if(found, [](fb::BufferT *buffer) { return buffer->end == 0; });
  return found;
}

bool shiftOperand(BundleBuilder &b, size_t variant, int64_t by) {
  auto places = operands(b);
  if (variant >= places.size())
    return false;
  b.streams[places[variant].trace].words[places[variant].word] += static_cast<uint64_t>(by);
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
    {"ShortenLifetime", [](BB &b, size_t v) { return changeLifetime(b, v, 0, -1); }, false},
    {"LateLifetime", [](BB &b, size_t v) { return changeLifetime(b, v, 1, 0); }, false},
    {"LengthenLifetime", [](BB &b, size_t v) { return changeLifetime(b, v, 0, 1); }, false},
    {"EarlyLifetime", [](BB &b, size_t v) { return changeLifetime(b, v, -1, 0); }, false},
    {"DropBarrier", [](BB &b, size_t v) { return eraseCommand(b, v, Opcode::Barrier); }, false},
    {"DropSignal", [](BB &b, size_t v) { return eraseCommand(b, v, Opcode::Signal); }, false},
    {"DropDispatch", [](BB &b, size_t v) { return eraseCommand(b, v, Opcode::Dispatch); }, false},
    {"DropWait", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Wait, v); }, false},
    {"DropRecord", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Record, v); }, false},
    {"DropWrite", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Write, v); }, false},
    {"DropRead", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Read, v); }, false},
    {"DropExecute", [](BB &b, size_t v) { return eraseStep(b, fb::StepKind::Execute, v); }, false},
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
     false},
    {"DuplicateCommand",
     [](BB &b, size_t v) {
       auto places = commands(b, isWork);
       if (v >= places.size())
         return false;
       insertCopy(b, places[v]);
       return true;
     },
     false},
    {"SwapCommands",
     [](BB &b, size_t v) {
       auto places = commands(b, isWork);
       if (v + 1 >= places.size())
         return false;
       if (places[v].trace == places[v + 1].trace)
         swapCommands(b, places[v], places[v + 1]);
       return true;
     },
     false},
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
     false},
    {"SwapSteps", // write before wait, record before execute, read before wait
     [](BB &b, size_t v) {
       auto places = stepsOf(b, [](const fb::StepT &) { return true; });
       if (v + 1 >= places.size())
         return false;
       if (places[v].part == places[v + 1].part)
         std::swap((*places[v].part)[places[v].index], (*places[v].part)[places[v].index + 1]);
       return true;
     },
     false},
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
     false},
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
     false},
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
         uint64_t &word = b.streams[place.trace].words[place.word];
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
       b.streams[places[v / slots.size()].trace].words[places[v / slots.size()].word] =
           slots[v % slots.size()];
       return true;
     },
     false},
    {"WriteConstant",
     [](BB &b, size_t v) {
       auto places = operands(b, /*outputsOnly=*/true);
       if (b.constants.empty() || v >= places.size())
         return false;
       b.streams[places[v].trace].words[places[v].word] = 0;
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
     false},
    {"OverlappingOperands",
     [](BB &b, size_t v) {
       auto places = operands(b, /*outputsOnly=*/true);
       if (v >= places.size() || places[v].operand == 0)
         return false;
       auto &words = b.streams[places[v].trace].words;
       words[places[v].word] = words[places[v].word - 1];
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
       b.streams[places[v].trace].words[places[v].word] =
           b.bundle.target->dram_bank_bytes * b.bundle.target->dram_banks - 4096;
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

const std::vector<FaultKind> &faultKinds() { return kKinds; }

} // namespace ttrt::test
