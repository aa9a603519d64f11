// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of importers: which ones are unrolled, and steps that the device repeats.
#ifndef TTC_LIB_IMPORT_REPEATEDSTEPS_H
#define TTC_LIB_IMPORT_REPEATEDSTEPS_H

#include "Expressions.h"

#include "dialects/Ttc/Traces/LoopOps.h"

#include <limits>

namespace mlir::ttc {

/// The most steps of a loop that data ends: a run that has more fails.
constexpr int64_t kMostStepsOnData = std::numeric_limits<int32_t>::max();

/// The cost model: a loop is unrolled if its steps have at most 2,048 ops of the source together.
/// Unrolled steps fold with what counts them, but each costs time to compile, and commands in the
/// bundle. Those of a repeated step are compiled once.
inline int64_t countUnrolledSteps(int64_t opsOfStep) {
  constexpr int64_t mostOps = 2048;
  return std::max<int64_t>(mostOps / std::max<int64_t>(opsOfStep, 1), 1);
}

/// One step that the device repeats. Ops that are made between the constructor and finish() are
/// its body.
class RepeatedSteps {
public:
  /// A number of type i64: its value in the first step, and what each step adds.
  struct Counter {
    int64_t first, step;
  };

  /// Repeats `steps` times, or with a flag, the first state, while it is not false and at most so
  /// often. States have at least one element, and are not null.
  RepeatedSteps(TensorBuilder &builder, int64_t steps, ArrayRef<Value> states,
                ArrayRef<Counter> counters, bool isWhile = false, bool failsAtLimit = false);

  /// What the step begins with.
  ArrayRef<Value> getStates() const { return states; }
  Value getCounter(unsigned index) const { return counters[index]; }

  /// A row that the step reads, where it stands: one index of a dimension, which is removed.
  Value readRow(Value rows, Value index, int64_t axis) { return e.gather(rows, index, axis); }

  /// A row that a step computes, and its place.
  struct Row {
    Value index, value;
  };
  /// `count` rows of the same type, which are zeros until steps write them where they stand.
  struct Rows {
    int64_t count;
    SmallVector<Row, 2> written;
    SmallVector<Row, 2> before = {}; ///< what the loop begins with
  };

  /// Ends the step with the states of the next one. The results are the states after the last step,
  /// then the rows; null after an error.
  SmallVector<Value> finish(ArrayRef<Value> next, ArrayRef<Rows> rows);

  /// Removes the loop and what has been made since it began, apart from constants.
  void remove();

private:
  Value writeRow(Value rows, const Row &row);

  TensorBuilder &builder;
  Expressions e;
  LoopBeginOp begin;
  SmallVector<Value> states, counters;
  SmallVector<int64_t> countedBy;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_REPEATEDSTEPS_H
