// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU and LSTM. The products with the inputs of all steps are one matmul. The steps of usual
// layers of f32, or with weights of bytes, are one op, ttc.recurrence. Others are unrolled: each
// step adds its product with the state. Equal steps become one program, so a step more costs
// commands but no code.
#include "dialects/Ttc/Tensors/RecurrentOps.h"
#include "Activations.h"
#include "Quantization.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "mlir/IR/Matchers.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// The most steps that are unrolled, of both directions together.
static constexpr int64_t kMostSteps = 1 << 14;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {
struct BoundActivation {
  const Activation *activation;
  double alpha, beta;
};
} // namespace

/// The activations of all directions, one after the other; `defaults` are those of one direction.
static FailureOr<SmallVector<BoundActivation>>
readActivations(OnnxNode &node, ArrayRef<StringRef> defaults, int64_t directions) {
  SmallVector<StringRef> names = node.getStrings("activations");
  SmallVector<float> alphas = node.getFloats("activation_alpha");
  SmallVector<float> betas = node.getFloats("activation_beta");
  if (names.empty())
    for (int64_t i = 0; i < directions; ++i)
      names.append(defaults.begin(), defaults.end());
  if (names.size() != defaults.size() * directions)
    return node.error() << "expected attribute 'activations' to name "
                        << defaults.size() * directions << " functions, found " << names.size();
  ArrayRef<float> restAlphas = alphas, restBetas = betas;
  // A value is used up by each activation that has such a parameter.
  auto take = [](std::optional<double> defaultValue, ArrayRef<float> &rest) -> double {
    if (!defaultValue || rest.empty())
      return defaultValue.value_or(0);
    double value = rest.front();
    rest = rest.drop_front();
    return value;
  };
  SmallVector<BoundActivation> activations;
  for (StringRef name : names) {
    const Activation *activation = findActivation(node, name);
    if (!activation)
      return failure();
    double alpha = take(activation->alpha, restAlphas);
    activations.push_back({activation, alpha, take(activation->beta, restBetas)});
  }
  return activations;
}

//===----------------------------------------------------------------------===//
// What the three ops have in common
//===----------------------------------------------------------------------===//

namespace {
/// What a direction carries from step to step; a null value is zero. `c` is the cell of an LSTM.
struct State {
  Value h, c;
  /// `h`, but in the forward direction zero for the sequences that had ended before.
  Value output;
};

class Recurrence {
public:
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
  void importDirection(int64_t direction, bool reverse);
  void selectActivations(int64_t direction);
  bool canBeWhole();
  Value wholeState(unsigned index);
  FailureOr<SmallVector<Value>> importWhole(bool reverse);
  Value initialState(unsigned index, int64_t direction);
  Value stackDirections(ArrayRef<Value> values);

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
} // namespace

LogicalResult Recurrence::checkWeights(unsigned index, StringRef what, int64_t columns) {
  const int64_t rows = gates * hidden;
  return areTransposed ? checkShape(node, index, what, {directions, columns, rows})
                       : checkShape(node, index, what, {directions, rows, columns});
}

LogicalResult Recurrence::readShapes() {
  x = node.input(0);
  if (rankOf(x) != 3)
    return node.error() << "expected input 0 (X) to have three dimensions, found " << x.getType();
  batchFirst = node.getInt("layout", 0);
  steps = shapeOf(x)[batchFirst ? 1 : 0];
  batch = shapeOf(x)[batchFirst ? 0 : 1];
  Value ofState = node.input(2);
  hidden = rankOf(ofState) == 3 ? shapeOf(ofState)[areTransposed ? 1 : 2] : 0;
  if (int64_t stated = node.getInt("hidden_size", hidden); stated != hidden)
    return node.error() << "attribute 'hidden_size' is " << stated << ", but input 2 (R) is "
                        << ofState.getType();
  if (failed(checkWeights(1, "W", shapeOf(x)[2])) || failed(checkWeights(2, "R", hidden)) ||
      failed(checkShape(node, 3, "B", {directions, 2 * gates * hidden})) ||
      failed(checkShape(node, 4, "sequence_lens", {batch})))
    return failure();
  for (unsigned index : {5u, 6u})
    if (index == 5 || hasCell) {
      int64_t first = batchFirst ? batch : directions, second = batchFirst ? directions : batch;
      if (failed(checkShape(node, index, index == 5 ? "initial_h" : "initial_c",
                            {first, second, hidden})))
        return failure();
    }
  return success();
}

LogicalResult Recurrence::readLengths() {
  extents.assign(steps, Extent::All);
  Value lengths = node.input(4);
  if (!lengths)
    return success();
  if (matchPattern(lengths, m_Constant())) {
    FailureOr<SmallVector<int64_t>> known = node.constantInts(4, "sequence_lens");
    if (failed(known))
      return failure();
    for (int64_t t = 0; t < steps; ++t) {
      int64_t longer = llvm::count_if(*known, [&](int64_t length) { return length > t; });
      extents[t] = longer == batch ? Extent::All : longer ? Extent::Some : Extent::None;
    }
  } else {
    extents.assign(steps, Extent::Some);
    runTimeLengths = node.cast(lengths, node.getBuilder().getI64Type());
  }
  // All masks at once: every step then selects by a row of them, in the same way.
  Value wide = node.cast(lengths, node.getBuilder().getI64Type());
  masks = e.compare(ComparePredicate::LT, e.iota(steps, 0, 3), node.reshape(wide, {1, batch, 1}));
  return success();
}

/// The initial state of a direction, or null.
Value Recurrence::initialState(unsigned index, int64_t direction) {
  Value all = node.input(index);
  if (!all)
    return {};
  int64_t axis = batchFirst ? 1 : 0;
  return e.squeeze(e.slice(all, axis, direction, 1), axis);
}

void Recurrence::selectActivations(int64_t direction) {
  activations =
      ArrayRef(allActivations).slice(direction * activationNames.size(), activationNames.size());
}

/// One op for all steps reads all weights of a direction on one core in each step. Large ones do
/// not stay in its L2, and several cores divide the steps of a few sequences better.
bool Recurrence::canBeWhole() {
  constexpr int64_t most = 1 << 20, shareOfCore = 1 << 19;
  if (!elementTypeOf(x).isF32() || clip > 0)
    return false;
  SmallVector<std::optional<RecurrenceKind>, 2> kinds;
  for (int64_t direction = 0; direction < directions; ++direction) {
    selectActivations(direction);
    kinds.push_back(getKind());
  }
  if (!kinds.front() || !llvm::all_equal(kinds))
    return false;
  const int64_t bytes = gates * hidden * hidden * getBytesOfWeight();
  const bool isAlone = directions * llvm::divideCeilSigned(batch, RecurrenceOp::kSequences) == 1;
  return node.isOneOfSeveralSizes() || bytes <= (isAlone ? shareOfCore : most) ||
         steps * directions > kMostSteps;
}

Value Recurrence::stackRows(function_ref<Value(int64_t direction)> get) {
  SmallVector<Value> rows;
  for (int64_t direction = 0; direction < directions; ++direction) {
    selectActivations(direction);
    startDirection(direction);
    Value row = get(direction);
    if (!row)
      return {};
    rows.push_back(e.unsqueeze(row, 0));
  }
  return e.concat(rows, 0);
}

/// An initial state of all directions, [1, directions, batch, hidden].
Value Recurrence::wholeState(unsigned index) {
  Value state = node.input(index);
  if (!state)
    return e.splat({1, directions, batch, hidden}, elementTypeOf(x), 0);
  return e.unsqueeze(batchFirst ? e.transpose(state, {1, 0, 2}) : state, 0);
}

Value Recurrence::multiplyInputs(Value inputs) {
  const int64_t rows = gates * hidden;
  Value bias;
  if (node.hasInput(3))
    bias = node.reshape(stackRows([&](int64_t direction) { return inputBias(direction); }),
                        {directions * rows});
  Value weights = node.reshape(node.input(1), {directions * rows, shapeOf(inputs)[2]});
  return node.reshape(e.matmulTransposed(getRows(inputs), weights, bias),
                      {shapeOf(inputs)[0], batch, directions * rows});
}

/// The op reads the weights in blocks: constants are arranged at compile time.
Value Recurrence::arrangeWeights() {
  constexpr int64_t units = RecurrenceOp::kUnits;
  const int64_t blocks = llvm::divideCeilSigned(hidden, units);
  Value weights = node.reshape(node.input(2), {directions, gates, hidden, hidden});
  weights =
      node.reshape(e.fit(weights, 2, blocks * units), {directions, gates, blocks, units, hidden});
  return e.transpose(weights, {0, 2, 4, 1, 3});
}

/// All steps as one op.
FailureOr<SmallVector<Value>> Recurrence::importWhole(bool reverse) {
  Value products = multiplyInputs(batchFirst ? e.transpose(x, {1, 0, 2}) : x);
  Value weights = arrangeWeights();
  Value initial = wholeState(5), lengths;
  if (hasCell)
    initial = e.concat({initial, wholeState(6)}, 0);
  Value stateBias = stackRows([&](int64_t) { return getStateBias(); });
  Value peepholes = stackRows([&](int64_t) { return getPeepholes(); });
  Value scales = stackRows([&](int64_t) { return getScales(); });
  Value zeros = stackRows([&](int64_t) { return getZeros(); });
  if (llvm::any_of(extents, [](Extent extent) { return extent != Extent::All; }))
    lengths = node.cast(node.input(4), node.getBuilder().getI32Type());
  if (node.hasFailed())
    return failure();
  auto op = RecurrenceOp::create(node.getBuilder(), node.getLoc(), *getKind(), products, weights,
                                 initial, stateBias, peepholes, scales, zeros, lengths,
                                 /*sequences=*/Value(), reverse, /*dot=*/ByteDotAttr());
  // [steps, directions, batch, hidden], or with the batch first.
  SmallVector<Value> results = {batchFirst ? e.transpose(op.getY(), {2, 0, 1, 3})
                                           : Value(op.getY())};
  for (int64_t state = 0; state < (hasCell ? 2 : 1); ++state) {
    Value last = e.take(op.getLast(), 0, state);
    results.push_back(batchFirst ? e.transpose(last, {1, 0, 2}) : last);
  }
  return results;
}

void Recurrence::importDirection(int64_t direction, bool reverse) {
  selectActivations(direction);
  startDirection(direction);
  Value bias = node.hasInput(3) ? inputBias(direction) : Value();
  // The products of steps that no sequence has are not read.
  Value input = e.slice(batchFirst ? e.transpose(x, {1, 0, 2}) : x, 0, 0, countSteps());
  Value products = multiplyInput(input, direction, bias);
  State state{initialState(5, direction), hasCell ? initialState(6, direction) : Value(), {}};
  state.output = state.h;
  for (int64_t i = 0; i < steps && !node.hasFailed(); ++i) {
    int64_t t = reverse ? steps - 1 - i : i;
    Value &output = outputs[t * directions + direction];
    if (extents[t] == Extent::None) {
      output = zeros;
      continue;
    }
    State next = step(e.slice(products, 0, t * batch, batch), state);
    output = next.h;
    if (extents[t] == Extent::Some) {
      Value mask = e.squeeze(e.slice(masks, 0, t, 1), 0);
      output = e.where(mask, next.h, zeros);
      next.h = state.h ? e.where(mask, next.h, state.h) : output;
      if (hasCell)
        next.c = e.where(mask, next.c, state.c ? state.c : zeros);
    }
    state = next;
    state.output = reverse ? state.h : output;
  }
  lastH.push_back(state.h ? state.h : zeros);
  lastC.push_back(state.c ? state.c : zeros);
}

/// [batch, hidden] of each direction as one tensor.
Value Recurrence::stackDirections(ArrayRef<Value> values) {
  SmallVector<Value> parts;
  for (Value value : values)
    parts.push_back(e.unsqueeze(value, batchFirst ? 1 : 0));
  return e.concat(parts, batchFirst ? 1 : 0);
}

LogicalResult Recurrence::import() {
  StringRef direction = node.getString("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return node.error() << "attribute 'direction' is '" << direction
                        << "' (supported: forward, reverse, bidirectional)";
  directions = direction == "bidirectional" ? 2 : 1;
  clip = node.getFloat("clip", 0);
  node.ignoreAttrs({"output_sequence"}); // before opset 7; outputs are optional later
  FailureOr<SmallVector<BoundActivation>> read = readActivations(node, activationNames, directions);
  if (failed(read) || failed(readShapes()) || failed(readMore()) || failed(readLengths()))
    return failure();
  allActivations = *read;
  if (steps < 1)
    return node.error() << "expected input 0 (X) to have at least one step, found " << x.getType();
  zeros = e.splat({batch, hidden}, elementTypeOf(x), 0);
  isWhole = canBeWhole();
  if (isWhole) {
    FailureOr<SmallVector<Value>> results = importWhole(direction == "reverse");
    return failed(results) ? failure() : node.results(*results);
  }
  if (steps * directions > kMostSteps)
    return node.error() << "expected at most " << kMostSteps
                        << " steps of all directions together, found " << steps * directions
                        << ": the steps are unrolled";
  outputs.resize(steps * directions);
  for (int64_t i = 0; i < directions; ++i)
    importDirection(i, direction == "reverse" || i == 1);
  if (node.hasFailed())
    return failure();

  SmallVector<Value> results(hasCell ? 3 : 2);
  if (node.wantsOutput(0)) {
    // [step, direction, batch, hidden], or with the batch first.
    int64_t axis = batchFirst ? 1 : 0;
    SmallVector<Value> parts;
    for (Value output : outputs)
      parts.push_back(e.unsqueeze(output, axis));
    SmallVector<int64_t> shape = {steps, directions};
    shape.insert(batchFirst ? shape.begin() : shape.end(), batch);
    shape.push_back(hidden);
    results[0] = node.reshape(e.concat(parts, axis), shape);
  }
  results[1] = stackDirections(lastH);
  if (hasCell)
    results[2] = stackDirections(lastC);
  if (!results[0])
    results[0] = results[1]; // nothing reads it
  return node.results(results);
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

namespace {
/// h' = f(x + h R)
class RnnRecurrence : public Recurrence {
public:
  explicit RnnRecurrence(OnnxNode &node) : Recurrence(node, 1, {"Tanh"}, false) {}

private:
  void startDirection(int64_t direction) override { weights = partOf(node.input(2), direction); }
  State step(Value x, const State &state) override {
    return {activate(0, state.h ? e.matmulTransposed(state.h, weights, x) : x), {}, {}};
  }
  std::optional<RecurrenceKind> getKind() override {
    if (areActivations({"Tanh"}))
      return RecurrenceKind::RnnTanh;
    if (areActivations({"Relu"}))
      return RecurrenceKind::RnnRelu;
    return std::nullopt;
  }
  Value weights;
};

/// z, r = f(x + h R); n = g(x + r * (h R)) or g(x + (r * h) R); h' = (1 - z) * n + z * h
class GruRecurrence : public Recurrence {
public:
  explicit GruRecurrence(OnnxNode &node) : Recurrence(node, 3, {"Sigmoid", "Tanh"}, false) {}

private:
  LogicalResult readMore() override {
    resetAfter = node.getInt("linear_before_reset", 0);
    return success();
  }
  void startDirection(int64_t direction) override {
    weights = partOf(node.input(2), direction);
    stateBias = {};
    if (resetAfter) {
      stateBias = biasOf(direction, 1);
      return;
    }
    gateWeights = e.slice(weights, 0, 0, 2 * hidden);
    newWeights = e.slice(weights, 0, 2 * hidden, hidden);
  }
  Value inputBias(int64_t direction) override {
    if (!resetAfter)
      return Recurrence::inputBias(direction);
    Value bias = biasOf(direction, 0);
    // The op for all steps adds the state's biases with the input's, where no gate comes between.
    return isWhole ? e.add(bias, e.fit(gate(stateBias, 0, 2), 0, 3 * hidden)) : bias;
  }
  std::optional<RecurrenceKind> getKind() override {
    if (!areActivations({"Sigmoid", "Tanh"}))
      return std::nullopt;
    return resetAfter ? RecurrenceKind::Gru : RecurrenceKind::GruResetFirst;
  }
  Value getStateBias() override { return gate(stateBias, 2); }
  State step(Value x, const State &state) override {
    Value gates = gate(x, 0, 2), candidate = gate(x, 2), products;
    if (resetAfter) {
      products = state.h ? e.matmulTransposed(state.h, weights, stateBias) : stateBias;
      if (products)
        gates = e.add(gates, gate(products, 0, 2));
    } else if (state.h) {
      gates = e.matmulTransposed(state.h, gateWeights, gates);
    }
    Value active = activate(0, gates), update = gate(active, 0), reset = gate(active, 1);
    if (resetAfter && products)
      candidate = e.add(candidate, e.mul(reset, gate(products, 2)));
    else if (!resetAfter && state.h)
      candidate = e.matmulTransposed(e.mul(reset, state.h), newWeights, candidate);
    candidate = activate(1, candidate);
    Value next = e.mul(e.sub(1.0, update), candidate);
    return {state.h ? e.add(next, e.mul(update, state.h)) : next, {}, {}};
  }

  /// Whether the state is reset after its product with the weights, `linear_before_reset`.
  bool resetAfter = false;
  Value weights, gateWeights, newWeights, stateBias;
};

/// i, o, f = f(x + h R + P * c); c' = f * c + i * g(x + h R); h' = o * h(c')
class LstmRecurrence : public Recurrence {
public:
  explicit LstmRecurrence(OnnxNode &node, bool areTransposed = false)
      : Recurrence(node, 4, {"Sigmoid", "Tanh", "Tanh"}, true, areTransposed) {}

protected:
  void startDirection(int64_t direction) override {
    weights = partOf(node.input(2), direction);
    peepholes = partOf(node.input(7), direction);
  }
  /// The products of the state, plus those of the input.
  virtual Value multiplyState(const State &state, Value x) {
    return e.matmulTransposed(state.h, weights, x);
  }
  std::optional<RecurrenceKind> getKind() override {
    return !coupled && areActivations({"Sigmoid", "Tanh", "Tanh"})
               ? std::optional(RecurrenceKind::Lstm)
               : std::nullopt;
  }
  Value getPeepholes() override { return peepholes; }
  Value weights;

private:
  LogicalResult readMore() override {
    coupled = node.getInt("input_forget", 0);
    return checkShape(node, 7, "P", {directions, 3 * hidden});
  }
  /// Adds a cell's share of a gate.
  Value peep(Value x, int64_t index, Value cell) {
    return peepholes && cell ? e.add(x, e.mul(cell, gate(peepholes, index))) : x;
  }
  State step(Value x, const State &state) override {
    Value all = state.h ? multiplyState(state, x) : x;
    Value input = activate(0, peep(gate(all, 0), 0, state.c));
    Value cell = e.mul(input, activate(1, gate(all, 3)));
    if (state.c) {
      Value forget = coupled ? e.sub(1.0, input) : activate(0, peep(gate(all, 2), 2, state.c));
      cell = e.add(e.mul(forget, state.c), cell);
    }
    Value output = activate(0, peep(gate(all, 1), 1, cell));
    return {e.mul(output, activate(2, cell)), cell, {}};
  }

  /// Whether the forget gate is one minus the input gate, `input_forget`.
  bool coupled = false;
  Value peepholes;
};

/// An LSTM of quantised, transposed weights. All inputs are quantised by their range, and so is the
/// state before each step, of the whole batch.
class QuantizedLstmRecurrence : public LstmRecurrence {
public:
  explicit QuantizedLstmRecurrence(OnnxNode &node) : LstmRecurrence(node, /*areTransposed=*/true) {}

private:
  void startDirection(int64_t direction) override {
    LstmRecurrence::startDirection(direction);
    stateScale = parameterOf(10, direction);
    stateZero = parameterOf(11, direction);
  }
  Value multiplyInput(Value x, int64_t direction, Value bias) override {
    if (runTimeLengths) {
      // Steps that no sequence has do not count for the range.
      Value isUsed = e.compare(ComparePredicate::LT, e.iota(shapeOf(x)[0], 0, 3),
                               e.maximum(runTimeLengths, {0}));
      x = e.where(isUsed, x, 0);
    }
    return Quantization(node).multiplyByRange(getRows(x), partOf(node.input(1), direction),
                                              parameterOf(8, direction), parameterOf(9, direction),
                                              bias);
  }
  /// The op quantises the states of all sequences together, in steps that all of them have.
  std::optional<RecurrenceKind> getKind() override {
    return batch <= RecurrenceOp::kMostOfBytes && (batch == 1 || !node.hasInput(4))
               ? LstmRecurrence::getKind()
               : std::nullopt;
  }
  int64_t getBytesOfWeight() override { return 1; }
  Value multiplyInputs(Value inputs) override {
    const int64_t used = countSteps();
    SmallVector<Value> products;
    for (int64_t direction = 0; direction < directions; ++direction) {
      Value bias = node.hasInput(3) ? inputBias(direction) : Value();
      products.push_back(multiplyInput(e.slice(inputs, 0, 0, used), direction, bias));
    }
    Value all = node.reshape(e.concat(products, 1), {used, batch, directions * gates * hidden});
    return e.fit(all, 0, shapeOf(inputs)[0]);
  }
  Value arrangeWeights() override {
    constexpr int64_t units = RecurrenceOp::kUnits;
    const int64_t blocks = llvm::divideCeilSigned(hidden, units),
                  quads = llvm::divideCeilSigned(hidden, 4);
    Value weights = node.reshape(toSigned(node.input(2)), {directions, hidden, gates, hidden});
    weights = e.fit(e.fit(weights, 1, quads * 4), 3, blocks * units);
    weights = node.reshape(weights, {directions, quads, 4, gates, blocks, units});
    return node.cast(e.transpose(weights, {0, 4, 1, 3, 5, 2}), node.getBuilder().getI8Type());
  }
  Value getScales() override { return e.expand(stateScale, {gates * hidden}); }
  Value getZeros() override { return e.expand(toSigned(stateZero), {gates * hidden}); }
  /// As i32; bytes around 128 become bytes around 0.
  Value toSigned(Value bytes) {
    if (!bytes)
      return {};
    const bool isUnsigned = elementTypeOf(bytes).isUnsignedInteger();
    Value wide = node.cast(bytes, node.getBuilder().getI32Type());
    return isUnsigned ? e.sub(wide, 128) : wide;
  }
  Value multiplyState(const State &state, Value x) override {
    // What a sequence had at its end counts only if it is no output.
    return Quantization(node).multiplyByRange(node.wantsOutput(0) ? state.output : state.h, weights,
                                              stateScale, stateZero, x);
  }
  /// A scale or a zero point of a direction's weights: one, or one for each column.
  Value parameterOf(unsigned index, int64_t direction) {
    Value all = node.input(index);
    if (!all) {
      node.error() << "input " << index << " is missing";
      return {};
    }
    const int64_t count = tensorType(all).getNumElements(), columns = gates * hidden;
    if (count != directions && count != directions * columns) {
      node.error() << "expected input " << index << " to have " << directions << " or "
                   << directions * columns << " elements, found " << all.getType();
      return {};
    }
    Value part = e.take(node.reshape(all, {directions, count / directions}), 0, direction);
    return count == directions ? node.reshape(part, {}) : part;
  }

  Value stateScale, stateZero;
};
} // namespace

template <typename Kind> static LogicalResult importRecurrence(OnnxNode &node) {
  return Kind(node).import();
}

void mlir::ttc::registerRecurrentOps(OnnxRegistry &registry) {
  registry.add("com.microsoft.DynamicQuantizeLSTM", {3, 12},
               importRecurrence<QuantizedLstmRecurrence>, {},
               "in the reverse direction, the states that are quantised together are those of one "
               "step of the input, also where `sequence_lens` differ");
  registry.add("GRU", {3, 6}, importRecurrence<GruRecurrence>);
  registry.add("LSTM", {3, 8}, importRecurrence<LstmRecurrence>);
  registry.add("RNN", {3, 6}, importRecurrence<RnnRecurrence>);
}
