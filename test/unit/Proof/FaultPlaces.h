// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in a bundle where a fault can be seeded, and how the rest is kept in order meanwhile.

#ifndef TTC_TEST_UNIT_PROOF_FAULTPLACES_H
#define TTC_TEST_UNIT_PROOF_FAULTPLACES_H

#include "test/unit/Support/BundleBuilder.h"

#include <algorithm>
#include <functional>

namespace ttrt::test {

/// A command of a stream.
struct Place {
  size_t trace, word, command;
  CommandHeader header;
  size_t words() const { return header.size / 8; }
};

std::vector<Place> commands(const BundleBuilder &b);

template <typename Filter> std::vector<Place> commands(const BundleBuilder &b, Filter filter) {
  std::vector<Place> places = commands(b);
  std::erase_if(places, [&](const Place &place) { return !filter(place); });
  return places;
}

bool isWork(const Place &place);

std::vector<Place> dispatches(const BundleBuilder &b);

/// An address in a stream or in a step. Valid until the bundle changes its commands or steps.
struct OperandPlace {
  uint64_t *word;
  size_t program, operand;
};

std::vector<OperandPlace> operands(BundleBuilder &b, bool outputsOnly = false);

/// The first point of the default timeline at which a trace is executed; all ones if it is not.
uint64_t pointOf(const BundleBuilder &b, size_t trace);

/// Everything after `point` moves by one.
void moveLifetimes(BundleBuilder &b, uint64_t point, int by);

void erase(BundleBuilder &b, const Place &place);

void insertCopy(BundleBuilder &b, const Place &place);

/// Exchanges two commands of a trace.
void swapCommands(BundleBuilder &b, const Place &first, const Place &second);

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

void erase(BundleBuilder &b, const StepPlace &place);

/// Buffers that are not constants.
std::vector<fb::BufferT *> placed(BundleBuilder &b);

std::vector<fb::BufferT *> mortal(BundleBuilder &b);

std::vector<fb::BufferT *> inL1(BundleBuilder &b);

/// The flat address of the bottom of L1, interleaved or of core 0.
uint64_t bottomOfL1(const BundleBuilder &b, bool interleaved);

/// Moves a buffer in L1 and the operands that begin where it does.
void moveInL1(BundleBuilder &b, fb::BufferT &buffer, uint64_t offset);

//===----------------------------------------------------------------------===//
// Faults: a change of the v-th of the places that a function finds in a bundle
//===----------------------------------------------------------------------===//

/// False if there is no v-th variant.
using Seed = std::function<bool(BundleBuilder &b, size_t v)>;

template <typename Find, typename Change> Seed at(Find find, Change change) {
  return [=](BundleBuilder &b, size_t v) {
    auto places = find(b);
    if (v >= places.size())
      return false;
    change(b, places[v]);
    return true;
  };
}
/// `times` faults at each place; the change is told which of them.
template <typename Find, typename Change> Seed at(Find find, size_t times, Change change) {
  return [=](BundleBuilder &b, size_t v) {
    auto places = find(b);
    if (v >= places.size() * times)
      return false;
    change(b, places[v / times], v % times);
    return true;
  };
}

inline auto allOperands(BundleBuilder &b) { return operands(b); }
inline auto outputs(BundleBuilder &b) { return operands(b, /*outputsOnly=*/true); }
inline auto work(BundleBuilder &b) { return commands(b, isWork); }
inline auto commandsOf(Opcode opcode) {
  return [=](BundleBuilder &b) {
    return commands(b, [&](const Place &place) { return place.header.opcode == opcode; });
  };
}
inline auto allSteps(BundleBuilder &b) {
  return stepsOf(b, [](const fb::StepT &) { return true; });
}
inline auto stepsOf(fb::StepKind kind) {
  return [=](BundleBuilder &b) {
    return stepsOf(b, [&](const fb::StepT &step) { return step.kind == kind; });
  };
}
inline auto waitsAndRecords(BundleBuilder &b) {
  return stepsOf(b, [](const fb::StepT &step) {
    return step.kind == fb::StepKind::Wait || step.kind == fb::StepKind::Record;
  });
}
/// Programs for which `filter` holds.
template <typename Filter> auto programs(Filter filter) {
  return [=](BundleBuilder &b) {
    std::vector<fb::ProgramT *> found;
    for (auto &program : b.bundle.programs)
      if (filter(*program))
        found.push_back(program.get());
    return found;
  };
}
/// Descriptions of operands for which `filter` holds.
template <typename Filter> auto tables(Filter filter) {
  return [=](BundleBuilder &b) {
    std::vector<fb::OperandT *> found;
    for (auto &program : b.bundle.programs)
      for (auto &operand : program->operands)
        if (filter(*operand))
          found.push_back(operand.get());
    return found;
  };
}

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_FAULTPLACES_H
