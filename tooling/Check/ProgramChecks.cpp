// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Check/ProgramChecks.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <utility>

using namespace ttrt;

namespace ttrun {

namespace {
class Checker {
public:
  explicit Checker(ProgramRunner &runner) : runner(runner), grid(runner.program().grid()) {}

  uint64_t check();

private:
  void compare(const Results &other, const Circumstances &circumstances);
  void explain(uint32_t operand, uint64_t byte, const Circumstances &circumstances);
  void checkSmallIntegers();
  void checkInPlace();
  void compareInPlace(const std::vector<std::pair<uint32_t, uint32_t>> &stored,
                      const Results &expected);
  uint64_t checkAlone();

  ProgramRunner &runner;
  const uint64_t grid;
  const Circumstances usual;
  Results expected; ///< in the usual circumstances
};
} // namespace

/// The first byte from `begin` at which two results differ, or their size.
static uint64_t findDifference(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b,
                               uint64_t begin) {
  constexpr uint64_t kPiece = 4096;
  while (begin < a.size()) {
    const uint64_t size = std::min(kPiece, a.size() - begin);
    if (memcmp(a.data() + begin, b.data() + begin, size) != 0)
      return std::mismatch(a.begin() + begin, a.end(), b.begin() + begin).first - a.begin();
    begin += size;
  }
  return a.size();
}

/// Results are the same in other circumstances, and every byte of an output is written. A byte that
/// holds in both what the output held before has not been. Only for circumstances that have other
/// bytes in outputs.
void Checker::compare(const Results &other, const Circumstances &circumstances) {
  for (uint32_t i = 0; i < runner.operands(); ++i) {
    uint64_t missing = 0, first = 0;
    for (uint64_t at = findDifference(expected[i], other[i], 0); at < expected[i].size();
         at = findDifference(expected[i], other[i], at + 1)) {
      if (runner.reads(i) || expected[i][at] != usual.outputs ||
          other[i][at] != circumstances.outputs)
        explain(i, at, circumstances);
      if (missing++ == 0)
        first = at;
    }
    if (missing)
      throw Violation{fmt::format(
          "{}: its {} workgroup{} leave{} {} of {} bytes unwritten, the first at {}; expected a "
          "completely written output",
          runner.describe(i), grid, grid == 1 ? "" : "s", grid == 1 ? "s" : "", missing,
          other[i].size(), runner.rows(i).offset(first))};
  }
}

/// Changes one circumstance at a time to find the one that matters.
void Checker::explain(uint32_t operand, uint64_t byte, const Circumstances &circumstances) {
  struct Cause {
    const char *text;
    Circumstances changed;
  };
  Cause causes[] = {{"what outputs hold before", usual},
                    {"what scratch holds before", usual},
                    {"bytes between the rows of inputs, or after them", usual},
                    {"the order of workgroups", usual},
                    {"the addresses of operands", usual},
                    {"whether its markers are recorded", usual}};
  causes[0].changed.outputs = circumstances.outputs;
  causes[1].changed.scratch = circumstances.scratch;
  causes[2].changed.unrelated = circumstances.unrelated;
  causes[3].changed.order = circumstances.order;
  causes[4].changed.edge = circumstances.edge;
  causes[5].changed.record = circumstances.record;
  const char *text = "memory outside its operands";
  for (const Cause &cause : causes) {
    const Results results = runner.run(cause.changed);
    if (results[operand][byte] == expected[operand][byte])
      continue;
    text = cause.text;
    break;
  }
  throw Violation{fmt::format("{}: byte {} depends on {}; expected the same result whatever it is",
                              runner.describe(operand), runner.rows(operand).offset(byte), text)};
}

void Checker::compareInPlace(const std::vector<std::pair<uint32_t, uint32_t>> &stored,
                             const Results &wanted) {
  std::string names;
  for (const auto &[operand, at] : stored) {
    runner.storeAt(operand, at);
    names +=
        fmt::format("{}operand {} in place of operand {}", names.empty() ? "" : ", ", operand, at);
  }
  for (const auto &[order, name] :
       {std::pair{Order::Forwards, "forwards"}, std::pair{Order::Backwards, "backwards"},
        std::pair{Order::Scattered, "in a scattered order"}}) {
    if (order != Order::Forwards && grid == 1)
      break;
    Circumstances circumstances = usual;
    circumstances.order = order;
    Results results;
    try {
      results = runner.run(circumstances);
    } catch (const Violation &violation) {
      throw Violation{fmt::format("{}: {}", names, violation.message)};
    }
    for (uint32_t i = 0; i < runner.operands(); ++i)
      if (runner.writes(i))
        if (const uint64_t at = findDifference(wanted[i], results[i], 0); at < wanted[i].size())
          throw Violation{fmt::format("{}: byte {} of {} differs from the result out of place, "
                                      "with workgroups {}",
                                      names, runner.rows(i).offset(at), runner.describe(i), name)};
  }
  for (const auto &[operand, at] : stored)
    runner.storeAt(operand, operand);
}

/// Outputs stored over inputs: each over each that it lists, over two equal inputs at one address,
/// and all outputs at once.
void Checker::checkInPlace() {
  std::vector<std::pair<uint32_t, uint32_t>> together;
  for (uint32_t i = 0; i < runner.operands(); ++i) {
    const auto *listed = runner.operand(i).in_place_of();
    uint32_t previous = i;
    bool chosen = false;
    for (uint32_t j = 0; listed && j < listed->size(); ++j) {
      const uint32_t input = listed->Get(j);
      // A plan can use the others for nothing.
      if (input == i || runner.rows(input) != runner.rows(i) ||
          runner.operand(input).per_workgroup() != runner.operand(i).per_workgroup())
        continue;
      compareInPlace({{i, input}}, expected);
      const bool taken = std::any_of(together.begin(), together.end(),
                                     [&](const auto &pair) { return pair.second == input; });
      if (!taken && !chosen) {
        together.emplace_back(i, input);
        chosen = true;
      }
      if (previous != i && previous != input) {
        runner.storeAt(input, previous);
        const Results equal = runner.run(usual);
        compareInPlace({{i, previous}}, equal);
        runner.storeAt(input, input);
      }
      previous = input;
    }
  }
  if (together.size() > 1)
    compareInPlace(together, expected);
}

/// Each workgroup writes something, and no two write the same byte.
uint64_t Checker::checkAlone() {
  // All outputs are compared after each workgroup.
  constexpr uint64_t kMostBytes = uint64_t(1) << 30, kMost = 1024, kLeast = 8;
  uint64_t bytes = 1;
  for (uint32_t i = 0; i < runner.operands(); ++i)
    if (runner.writes(i) && !runner.operand(i).per_workgroup())
      bytes += runner.rows(i).packed();
  const uint64_t number = std::min(grid, std::clamp(kMostBytes / bytes, kLeast, kMost));
  const bool writesSome = bytes > 1;
  Circumstances circumstances = usual;
  runner.beginAlone(circumstances);
  std::vector<uint64_t> idle;
  for (uint64_t i = 0; i < number; ++i) {
    // Evenly distributed, including the first and the last one.
    const uint64_t workgroup =
        number < 2
            ? 0
            : static_cast<uint64_t>(static_cast<unsigned __int128>(grid - 1) * i / (number - 1));
    if (!runner.runAlone(workgroup, expected))
      idle.push_back(workgroup);
  }
  // Again with other contents of the outputs: the results may have been equal to them.
  circumstances.outputs = 0x5a;
  if (!idle.empty())
    runner.beginAlone(circumstances);
  for (uint64_t workgroup : idle)
    if (!runner.runAlone(workgroup, expected) && writesSome)
      throw Violation{fmt::format("workgroup {} of {} writes nothing; expected only workgroups "
                                  "that write a part of an output",
                                  workgroup, grid)};
  return number;
}

/// The footprint with other inputs. Not for large programs: as floats, they are denormal numbers,
/// which take long.
void Checker::checkSmallIntegers() {
  constexpr uint64_t kMostBytes = uint64_t(1) << 20;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < runner.operands(); ++i)
    bytes += runner.rows(i).packed();
  if (bytes > kMostBytes)
    return;
  runner.setInputs(Values::SmallIntegers);
  for (const Edge edge : {Edge::Back, Edge::Front}) {
    Circumstances circumstances = usual;
    circumstances.edge = edge;
    runner.run(circumstances);
  }
  runner.setInputs(Values::Floats);
}

uint64_t Checker::check() {
  expected = runner.run(usual);
  const Circumstances others[] = {{Edge::Front, Order::Backwards, 0x5a, 0x5a, 0x5a, true},
                                  {Edge::Back, Order::Scattered, 0x5a, 0xff, 0xff}};
  for (const Circumstances &circumstances : others) {
    const Results other = runner.run(circumstances);
    compare(other, circumstances);
  }
  checkSmallIntegers();
  checkInPlace();
  return checkAlone();
}

uint64_t checkProgram(ProgramRunner &runner) { return Checker(runner).check(); }

} // namespace ttrun
