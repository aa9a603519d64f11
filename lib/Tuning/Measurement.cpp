// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Measurement.h"
#include "ttrt/format/commands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <sched.h>
#include <sys/mman.h>

using namespace mlir;
using namespace mlir::ttc;

using Clock = std::chrono::steady_clock;

/// What a comparison takes, and its turns.
static constexpr double kSeconds = 0.3;
static constexpr int64_t kLeastRounds = 5, kMostRounds = 41;
/// The cost of a command on one core, and of one with its barrier on several.
static constexpr double kCommandSeconds = 0.2e-6, kBarrierSeconds = 1e-6;
/// More copies of weights than this are cold in every cache.
static constexpr int64_t kMostWeights = 128 << 20;

//===--- memory -----------------------------------------------------------------------===//

TuningMemory::~TuningMemory() {
  for (Area area : {weightArea, activationArea, scratchArea})
    if (area.data)
      munmap(area.data, area.bytes);
}

bool TuningMemory::grow(Area &area, int64_t bytes) {
  if (bytes <= area.bytes)
    return true;
  void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    return false;
  if (area.data)
    munmap(area.data, area.bytes);
  area = {static_cast<uint8_t *>(data), bytes};
  // Numbers that are small and normal in f32, f16 and bf16 alike, of both signs.
  auto *words = reinterpret_cast<uint32_t *>(data);
  uint32_t random = 1;
  for (int64_t i = 0; i < bytes / 4; ++i) {
    random = random * 1664525 + 1013904223;
    words[i] = 0x3c003c00 | (random & 0x80ff0000) | (random >> 8 & 0x80ff);
  }
  return true;
}

void TuningMemory::setModelWeights(int64_t bytes) {
  modelWeights = std::max(modelWeights, std::min(bytes, kMostWeights));
}

bool TuningMemory::reserve(ArrayRef<const CandidateRun *> runs) {
  int64_t weights = modelWeights, activations = 64, scratch = 64;
  for (const CandidateRun *run : runs) {
    activations = std::max(activations, run->activationBytes);
    scratch = std::max(scratch, run->scratchBytes);
    for (const CandidateStep &step : run->steps)
      weights = std::max(weights, step.weightBytes);
  }
  constexpr int64_t page = 4096;
  return grow(weightArea, llvm::alignTo(weights, page) + page) &&
         grow(activationArea, llvm::alignTo(activations, page)) &&
         grow(scratchArea, llvm::alignTo(scratch, page));
}

uint64_t TuningMemory::nextWeights(int64_t bytes) {
  if (at + bytes > weightArea.bytes)
    at = 0;
  const uint64_t place = reinterpret_cast<uint64_t>(weightArea.data) + at;
  at += llvm::alignTo(bytes, 64);
  return place;
}

//===--- times ------------------------------------------------------------------------===//

/// The seconds of each workgroup of all steps.
static void runOnce(const CandidateRun &run, TuningMemory &memory, std::vector<double> &seconds) {
  seconds.clear();
  std::vector<uint64_t> operands;
  for (const CandidateStep &step : run.steps) {
    operands = step.operands;
    for (uint64_t &operand : operands)
      operand += memory.activations();
    if (step.weights >= 0)
      operands[step.weights] = memory.nextWeights(step.weightBytes);
    Clock::time_point before = Clock::now();
    for (int64_t i = 0; i < step.grid; ++i) {
      step.run(operands.data(), nullptr, memory.scratch(), i);
      const Clock::time_point after = Clock::now();
      seconds.push_back(std::chrono::duration<double>(after - before).count());
      before = after;
    }
  }
}

static double getMedian(std::vector<double> &values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Those that this process may use.
static unsigned getCores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

/// The milliseconds that measure() returns, from each workgroup's seconds.
static double getScore(const CandidateRun &run, ArrayRef<double> seconds) {
  double score = 0;
  int count = 0;
  for (uint32_t cores = 1; cores <= std::min(getCores(), 8u); cores *= 2) {
    double total = 0;
    ArrayRef<double> rest = seconds;
    for (const CandidateStep &step : run.steps) {
      double longest = 0;
      for (uint32_t core = 0; core < cores; ++core) {
        const uint64_t first = ttrt::firstWorkgroup(step.grid, core, cores);
        const uint64_t last = ttrt::firstWorkgroup(step.grid, core + 1, cores);
        double sum = 0;
        for (double workgroup : rest.slice(first, last - first))
          sum += workgroup;
        longest = std::max(longest, sum);
      }
      rest = rest.drop_front(step.grid);
      total += longest + (cores == 1 ? kCommandSeconds : kBarrierSeconds);
    }
    score += std::log(cores * total * 1e3);
    ++count;
  }
  return std::exp(score / count);
}

std::vector<double> mlir::ttc::measure(ArrayRef<const CandidateRun *> runs, TuningMemory &memory,
                                       double secondsLeft) {
  std::vector<double> seconds;
  double all = 0;
  const Clock::time_point begin = Clock::now();
  for (const CandidateRun *run : runs) {
    // The first run reads code and pages.
    runOnce(*run, memory, seconds);
    const Clock::time_point before = Clock::now();
    runOnce(*run, memory, seconds);
    const Clock::time_point after = Clock::now();
    all += std::chrono::duration<double>(after - before).count();
    if (std::chrono::duration<double>(after - begin).count() > secondsLeft)
      return {};
  }
  if (all * kLeastRounds > secondsLeft)
    return {};
  const auto rounds = static_cast<int64_t>(
      std::clamp<double>(kSeconds / std::max(all, 1e-9), kLeastRounds, kMostRounds));
  // [candidate][workgroup][round]
  std::vector<std::vector<std::vector<double>>> times(runs.size());
  for (int64_t round = 0; round < rounds; ++round)
    for (auto [run, table] : llvm::zip_equal(runs, times)) {
      runOnce(*run, memory, seconds);
      table.resize(seconds.size());
      for (auto [workgroup, row] : llvm::zip_equal(seconds, table))
        row.push_back(workgroup);
    }
  std::vector<double> scores;
  for (auto [run, table] : llvm::zip_equal(runs, times)) {
    seconds.clear();
    for (std::vector<double> &row : table)
      seconds.push_back(getMedian(row));
    scores.push_back(getScore(*run, seconds));
  }
  return scores;
}
