// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What RNN, GRU and LSTM have in common.
#ifndef TTC_LIB_IMPORT_RECURRENCE_H
#define TTC_LIB_IMPORT_RECURRENCE_H

#include "Activations.h"
#include "dialects/Ttc/Tensors/RecurrentOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

namespace mlir::ttc {

struct BoundActivation {
  const Activation *activation;
  double alpha, beta;
};

/// A node of these ops: its steps are one op, unrolled or repeated.
class Recurrence {
public:
  /// What a direction carries from step to step; a null value is zero. `c` is the cell of an LSTM.
  struct State {
    Value h, c;
    /// `h`, but in the forward direction zero for the sequences that had ended before.
    Value output;
  };

  /// `gates`: blocks of rows in the weights. `activationNames`: the defaults of one direction.
  /// `areTransposed`: the blocks are columns.
  Recurrence(OnnxNode &node, int64_t gates, ArrayRef<StringRef> activationNames, bool hasCell,
             bool areTransposed = false)
      : e(node), node(node), gates(gates), areTransposed(areTransposed),
        activationNames(activationNames), hasCell(hasCell) {}
  virtual ~Recurrence() = default;

  LogicalResult import();

protected:
  /// Reads what only this op has.
  virtual LogicalResult readMore() { return success(); }
  /// Prepares the weights of a direction.
  virtual void startDirection(int64_t direction) = 0;
  /// The bias that is added to the products of all inputs: the sum of both, where the op allows it.
  virtual Value inputBias(int64_t direction) {
    return e.add(biasOf(direction, 0), biasOf(direction, 1));
  }
  /// The products of the inputs, [steps, batch, columns], plus the bias: a row for each step and
  /// sequence.
  virtual Value multiplyInput(Value x, int64_t direction, Value bias) {
    return e.matmulTransposed(getRows(x), partOf(node.input(1), direction), bias);
  }
  /// The op for all steps of the current direction, if there is one with its activations.
  virtual std::optional<RecurrenceKind> getKind() { return std::nullopt; }
  /// Operands of this op that only some kinds have.
  virtual Value getStateBias() { return {}; }
  virtual Value getPeepholes() { return {}; }
  virtual Value getScales() { return {}; }
  virtual Value getZeros() { return {}; }
  /// Its products of the inputs, [steps, batch, directions * columns], and its weights.
  virtual Value multiplyInputs(Value inputs);
  virtual Value arrangeWeights();
  virtual int64_t getBytesOfWeight() { return 4; }
  /// Whether the activations of the current direction are these.
  bool areActivations(ArrayRef<StringRef> names) {
    return llvm::equal(activations, names, [&](const BoundActivation &bound, StringRef name) {
      return bound.activation == findActivation(node, name);
    });
  }
  /// The next state, from the products of the input.
  virtual State step(Value x, const State &state) = 0;

  /// One direction's part of a value that may be null.
  Value partOf(Value all, int64_t direction) { return all ? e.take(all, 0, direction) : Value(); }
  /// The bias of the input (0) or of the state (1); null if there is none.
  Value biasOf(int64_t direction, int64_t kind) {
    Value both = partOf(node.input(3), direction);
    return both ? e.slice(both, 0, kind * gates * hidden, gates * hidden) : Value();
  }
  /// A gate's block of the last dimension, or several.
  Value gate(Value all, int64_t index, int64_t count = 1) {
    return all ? e.slice(all, rankOf(all) - 1, index * hidden, count * hidden) : Value();
  }
  /// [steps, batch, columns] without the first dimension.
  Value getRows(Value x) { return node.reshape(x, {shapeOf(x)[0] * batch, shapeOf(x)[2]}); }
  /// An activation of the current direction, after the clipping of its argument.
  Value activate(unsigned index, Value x) {
    if (clip > 0)
      x = e.clamp(x, -clip, clip);
    const BoundActivation &bound = activations[index];
    return bound.activation->create(e, x, bound.alpha, bound.beta);
  }

  Expressions e;
  OnnxNode &node;
  int64_t gates, hidden = 0, batch = 0, directions = 1;
  /// Whether all steps of a direction are one op.
  bool isWhole = false;
  /// The lengths of the sequences, as i64, if they are only known at run time.
  Value runTimeLengths;

  /// A vector of each direction as the rows of a matrix; null if they are.
  Value stackRows(function_ref<Value(int64_t direction)> get);
  /// The steps that some sequence has, at least one.
  int64_t countSteps() { return std::max<int64_t>(steps - llvm::count(extents, Extent::None), 1); }

private:
  LogicalResult readShapes();
  LogicalResult checkWeights(unsigned index, StringRef what, int64_t columns);
  /// For each step whether all, some or no sequences of the batch have it; run-time lengths: some.
  enum class Extent { None, Some, All };
  LogicalResult readLengths();
  /// A direction before its first step: its weights are the current ones, and the result is the
  /// products of the inputs.
  Value begin(int64_t direction, State &state);
  /// The state after a step, and its output. `mask` says which sequences have it; null: all.
  State advance(Value x, Value mask, const State &state, bool reverse, Value &output);
  void importUnrolled(int64_t direction, bool reverse);
  LogicalResult importRepeated(bool reverse);
  LogicalResult finish(Value all);
  void selectActivations(int64_t direction);
  bool canBeWhole();
  Value wholeState(unsigned index);
  FailureOr<SmallVector<Value>> importWhole(bool reverse);
  Value initialState(unsigned index, int64_t direction);
  Value stackDirections(ArrayRef<Value> values);

  /// Whether a step reads State::output.
  virtual bool readsOutput() { return false; }

  bool areTransposed;
  SmallVector<StringRef> activationNames;
  bool hasCell;
  int64_t steps = 0;
  bool batchFirst = false;
  double clip = 0;
  SmallVector<BoundActivation> allActivations;
  ArrayRef<BoundActivation> activations;
  SmallVector<Extent> extents;
  Value x, masks, zeros;
  /// By step, then direction.
  SmallVector<Value> outputs;
  SmallVector<Value> lastH, lastC;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_RECURRENCE_H
