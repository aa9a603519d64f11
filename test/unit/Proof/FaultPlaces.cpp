// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FaultPlaces.h"

#include <cstring>

namespace ttrt::test {

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

bool isWork(const Place &place) {
  return place.header.opcode == Opcode::Dispatch || place.header.opcode == Opcode::Copy ||
         place.header.opcode == Opcode::Fill;
}

std::vector<Place> dispatches(const BundleBuilder &b) {
  return commands(b, [](const Place &p) { return p.header.opcode == Opcode::Dispatch; });
}

std::vector<OperandPlace> operands(BundleBuilder &b, bool outputsOnly) {
  std::vector<OperandPlace> places;
  auto add = [&](uint64_t program, uint64_t *words) {
    const auto &table = b.bundle.programs[program]->operands;
    for (size_t i = 0; i < table.size(); ++i)
      if (!outputsOnly || table[i]->access != fb::Access::Read)
        places.push_back({words + i, program, i});
  };
  for (const Place &p : dispatches(b)) {
    uint64_t *words = &b.streams[p.trace].words[p.word];
    add(static_cast<uint32_t>(words[1]), words + 2);
  }
  for (const StepPlace &p : stepsOf(b, [](const fb::StepT &step) {
         return step.kind == fb::StepKind::Dispatch || step.kind == fb::StepKind::HostDispatch;
       }))
    add(p.step().index, p.step().operands.data());
  return places;
}

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

void erase(BundleBuilder &, const StepPlace &place) {
  place.part->erase(place.part->begin() + static_cast<ptrdiff_t>(place.index));
}

std::vector<fb::BufferT *> placed(BundleBuilder &b) {
  std::vector<fb::BufferT *> found;
  for (auto &buffer : b.bundle.buffers)
    if (buffer->kind != fb::BufferKind::Constant && buffer->kind != fb::BufferKind::Scratch)
      found.push_back(buffer.get());
  return found;
}

std::vector<fb::BufferT *> inL1(BundleBuilder &b) {
  auto found = placed(b);
  std::erase_if(found, [](fb::BufferT *buffer) { return buffer->space != fb::MemorySpace::L1; });
  return found;
}

uint64_t bottomOfL1(const BundleBuilder &b, bool interleaved) {
  const fb::TargetT &t = *b.bundle.target;
  return t.dram_bank_bytes * t.dram_banks + (interleaved ? t.cores * t.l1_bytes + t.host_bytes : 0);
}

void moveInL1(BundleBuilder &b, fb::BufferT &buffer, uint64_t offset) {
  const uint64_t each = buffer.shards ? 1 : b.bundle.target->cores;
  const uint64_t bottom = bottomOfL1(b, buffer.shards == 0);
  for (const OperandPlace &place : operands(b))
    if (*place.word == bottom + buffer.offset * each)
      *place.word = bottom + offset * each;
  buffer.offset = offset;
}

std::vector<fb::BufferT *> mortal(BundleBuilder &b) {
  auto found = placed(b);
  std::erase_if(found, [](fb::BufferT *buffer) { return buffer->end == 0; });
  return found;
}

} // namespace ttrt::test
