// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of candidates, measured in turns.
#ifndef TTC_LIB_TUNING_MEASUREMENT_H
#define TTC_LIB_TUNING_MEASUREMENT_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <vector>

namespace mlir::ttc {

/// One dispatch of a candidate: a program with the places of its operands.
struct CandidateStep {
  using Function = void(const uint64_t *operands, uint8_t *base, uint8_t *scratch,
                        uint64_t workgroup);
  Function *run = nullptr;
  int64_t grid = 0;
  /// Offsets in the memory of activations; those of the weights are set for each run.
  std::vector<uint64_t> operands;
  /// The operand that is the weights, and its bytes; none is -1.
  int64_t weights = -1, weightBytes = 0;
};

/// What a candidate runs, one after the other, and the memory that it needs.
struct CandidateRun {
  std::vector<CandidateStep> steps;
  int64_t activationBytes = 0, scratchBytes = 0;
};

/// The memory that all candidates share. The weights are taken from a range that is as large as
/// those of the model, and each run takes the next ones: they are as cold as in the model.
class TuningMemory {
public:
  TuningMemory() = default;
  TuningMemory(const TuningMemory &) = delete;
  TuningMemory &operator=(const TuningMemory &) = delete;
  ~TuningMemory();

  /// Bytes of weights that a model reads in one inference.
  void setModelWeights(int64_t bytes);
  /// False if there is not enough memory.
  bool reserve(ArrayRef<const CandidateRun *> runs);
  /// A place for this many bytes of weights, other than the last ones.
  uint64_t nextWeights(int64_t bytes);
  uint64_t activations() const { return reinterpret_cast<uint64_t>(activationArea.data); }
  uint8_t *scratch() const { return scratchArea.data; }

private:
  struct Area {
    uint8_t *data = nullptr;
    int64_t bytes = 0;
  };
  static bool grow(Area &area, int64_t bytes);
  Area weightArea, activationArea, scratchArea;
  int64_t modelWeights = 0, at = 0;
};

/// Runs all candidates in turns and returns the milliseconds of each, or nothing if that takes more
/// than `secondsLeft`. These are the geometric mean of cores x time over 1, 2, 4 and 8 cores (as
/// many as the machine has): equal to the time on one core if the workgroups can be shared evenly.
/// Only one core is used: the times of single workgroups say how long the cores would take.
std::vector<double> measure(ArrayRef<const CandidateRun *> runs, TuningMemory &memory,
                            double secondsLeft);

} // namespace mlir::ttc

#endif // TTC_LIB_TUNING_MEASUREMENT_H
