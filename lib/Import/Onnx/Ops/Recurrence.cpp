// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Recurrence.h"

#include "lib/Import/Tensors/RepeatedSteps.h"

#include "mlir/IR/Matchers.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// About as many ops make a step of a direction.
static constexpr int64_t kOpsOfStep = 16;

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
         (!node.canRepeat() && !node.canUnroll(kOpsOfStep * directions * steps));
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

Value Recurrence::begin(int64_t direction, State &state) {
  selectActivations(direction);
  startDirection(direction);
  Value bias = node.hasInput(3) ? inputBias(direction) : Value();
  // The products of steps that no sequence has are not read.
  Value input = e.slice(batchFirst ? e.transpose(x, {1, 0, 2}) : x, 0, 0, countSteps());
  state = {initialState(5, direction), hasCell ? initialState(6, direction) : Value(), {}};
  state.output = state.h;
  return multiplyInput(input, direction, bias);
}

Recurrence::State Recurrence::advance(Value x, Value mask, const State &state, bool reverse,
                                      Value &output) {
  State next = step(x, state);
  output = next.h;
  if (mask) {
    output = e.where(mask, next.h, zeros);
    next.h = state.h ? e.where(mask, next.h, state.h) : output;
    if (hasCell)
      next.c = e.where(mask, next.c, state.c ? state.c : zeros);
  }
  next.output = reverse ? next.h : output;
  return next;
}

void Recurrence::importUnrolled(int64_t direction, bool reverse) {
  State state;
  Value products = begin(direction, state);
  for (int64_t i = 0; i < steps && !node.hasFailed(); ++i) {
    int64_t t = reverse ? steps - 1 - i : i;
    Value &output = outputs[t * directions + direction];
    if (extents[t] == Extent::None)
      output = zeros;
    else
      state = advance(e.slice(products, 0, t * batch, batch),
                      extents[t] == Extent::Some ? e.take(masks, 0, t) : Value(), state, reverse,
                      output);
  }
  lastH.push_back(state.h ? state.h : zeros);
  lastC.push_back(state.c ? state.c : zeros);
}

/// Both directions make a step in each iteration. A first step without a state is none of them: it
/// has no product with the state, and nothing to forget.
LogicalResult Recurrence::importRepeated(bool reverse) {
  const int64_t used = countSteps();
  const bool isMasked = llvm::is_contained(extents, Extent::Some);
  const bool isFirstApart = !node.hasInput(5) || (hasCell && !node.hasInput(6));
  auto isReverse = [&](int64_t direction) { return reverse || direction == 1; };
  auto handsOnOutput = [&](int64_t direction) {
    return isMasked && readsOutput() && !isReverse(direction);
  };
  SmallVector<Value> products, states, first;
  SmallVector<RepeatedSteps::Counter> counters;
  for (int64_t direction = 0; direction < directions; ++direction) {
    const bool isBackwards = isReverse(direction);
    const int64_t t = isBackwards ? used - 1 : 0, next = isBackwards ? -1 : 1;
    State state;
    Value all = begin(direction, state);
    if (isFirstApart)
      state = advance(e.slice(all, 0, t * batch, batch),
                      extents[t] == Extent::Some ? e.take(masks, 0, t) : Value(), state,
                      isBackwards, first.emplace_back());
    products.push_back(node.reshape(all, {used, batch, shapeOf(all)[1]}));
    states.push_back(state.h);
    if (hasCell)
      states.push_back(state.c);
    if (handsOnOutput(direction))
      states.push_back(state.output);
    counters.push_back({t + (isFirstApart ? next : 0), next});
  }
  if (node.hasFailed() || llvm::is_contained(states, Value()))
    return failure();

  RepeatedSteps repeated(node, used - isFirstApart, states, counters);
  ArrayRef<Value> rest = repeated.getStates();
  RepeatedSteps::Rows rows{steps * directions, {}};
  SmallVector<Value> next;
  for (int64_t direction = 0; direction < directions; ++direction) {
    selectActivations(direction);
    startDirection(direction);
    auto take = [&] {
      Value value = rest.front();
      rest = rest.drop_front();
      return value;
    };
    State state{take(), hasCell ? take() : Value(), {}};
    state.output = handsOnOutput(direction) ? take() : state.h;
    Value t = repeated.getCounter(direction), output;
    state = advance(repeated.readRow(products[direction], t, 0),
                    isMasked ? repeated.readRow(masks, t, 0) : Value(), state, isReverse(direction),
                    output);
    next.push_back(state.h);
    if (hasCell)
      next.push_back(state.c);
    if (handsOnOutput(direction))
      next.push_back(state.output);
    Value place = directions == 1 ? t : e.add(e.mul(t, e.scalar(2)), e.scalar(direction));
    rows.written.push_back({place, output});
    if (isFirstApart)
      rows.before.push_back(
          {e.scalar((isReverse(direction) ? used - 1 : 0) * directions + direction),
           first[direction]});
  }
  SmallVector<RepeatedSteps::Rows> all;
  if (node.wantsOutput(0))
    all.push_back(rows);
  SmallVector<Value> results = repeated.finish(next, all);
  if (llvm::is_contained(results, Value()))
    return failure();
  Value written = node.wantsOutput(0) ? results.back() : Value();
  ArrayRef<Value> last = results;
  for (int64_t direction = 0; direction < directions; ++direction) {
    lastH.push_back(last.front());
    lastC.push_back(hasCell ? last[1] : Value());
    last = last.drop_front(1 + hasCell + handsOnOutput(direction));
  }
  if (!written)
    return finish({});
  written = node.reshape(written, {steps, directions, batch, hidden});
  return finish(batchFirst ? e.transpose(written, {2, 0, 1, 3}) : written);
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
  const int64_t opsOfStep = kOpsOfStep * directions;
  if (node.canRepeat() && countSteps() > countUnrolledSteps(opsOfStep))
    return importRepeated(direction == "reverse");
  if (failed(node.countUnrolled(opsOfStep * countSteps())))
    return failure();
  outputs.resize(steps * directions);
  for (int64_t i = 0; i < directions; ++i)
    importUnrolled(i, direction == "reverse" || i == 1);
  if (node.hasFailed())
    return failure();
  if (!node.wantsOutput(0))
    return finish({});
  // [step, direction, batch, hidden], or with the batch first.
  int64_t axis = batchFirst ? 1 : 0;
  SmallVector<Value> parts;
  for (Value output : outputs)
    parts.push_back(e.unsqueeze(output, axis));
  SmallVector<int64_t> shape = {steps, directions};
  shape.insert(batchFirst ? shape.begin() : shape.end(), batch);
  shape.push_back(hidden);
  return finish(node.reshape(e.concat(parts, axis), shape));
}

/// Sets the results: all outputs, null if nothing reads them, and the last states.
LogicalResult Recurrence::finish(Value all) {
  SmallVector<Value> results = {all, stackDirections(lastH)};
  if (hasCell)
    results.push_back(stackDirections(lastC));
  if (!all)
    results[0] = results[1];
  return node.results(results);
}
