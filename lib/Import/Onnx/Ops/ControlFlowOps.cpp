// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow is decided while compiling: conditions that are known choose a body, short loops are
// unrolled. Where a condition is computed at run time, both outcomes are, and one is selected. The
// device repeats a long loop, and one of which it is not known how many steps it has at most.
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/RepeatedSteps.h"

#include "mlir/IR/Matchers.h"
#include "onnx/onnx_pb.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::ttc;

/// The value of a condition that is known.
static std::optional<bool> getKnown(Value condition) {
  ElementsAttr attr;
  if (!condition || !matchPattern(condition, m_Constant(&attr)) || attr.getNumElements() != 1 ||
      !attr.getElementType().isInteger(1))
    return std::nullopt;
  return *attr.value_begin<bool>();
}

/// A condition as a scalar. Reports other types.
static Value toCondition(OnnxNode &node, Value value) {
  if (!value)
    return {};
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isInteger(1) || type.getNumElements() != 1) {
    node.error() << "expected a condition of one bool, found " << value.getType();
    return {};
  }
  return node.reshape(value, {});
}

/// Whether the type is that of one element in a tensor of static shape.
static RankedTensorType getScalarLike(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1 ? type : nullptr;
}

/// One element as a scalar in one branch and as a vector in the other, as exporters of Paddle write
/// it, gets the shape that the model declares, or the one of more dimensions.
static void matchRanks(OnnxNode &node, Value &yes, Value &no, unsigned output) {
  RankedTensorType a = getScalarLike(yes), b = getScalarLike(no);
  if (!a || !b || a == b || a.getElementType() != b.getElementType())
    return;
  ArrayRef<int64_t> shape = a.getRank() > b.getRank() ? a.getShape() : b.getShape();
  std::optional<SmallVector<int64_t>> declared = node.declaredShape(output);
  if (declared && (ArrayRef(*declared) == a.getShape() || ArrayRef(*declared) == b.getShape()))
    shape = *declared;
  yes = node.reshape(yes, shape);
  no = node.reshape(no, shape);
}

/// The value of `yes` where the condition is true, and of `no` elsewhere: value `index` of a
/// node's.
static Value select(OnnxNode &node, Value condition, Value yes, Value no, unsigned index) {
  if (yes == no)
    return yes;
  matchRanks(node, yes, no, index);
  if (yes.getType() != no.getType() || !isa<RankedTensorType>(yes.getType())) {
    node.error() << "the condition is computed at run time: expected both outcomes of value "
                 << index << " to have the same type, found " << yes.getType() << " and "
                 << no.getType() << node.describeOrigin(condition);
    return {};
  }
  return node.create<WhereOp>({condition, yes, no});
}

static LogicalResult importIf(OnnxNode &node) {
  Value condition = toCondition(node, node.input(0));
  onnx::GraphProto *yes = node.getGraph("then_branch"), *no = node.getGraph("else_branch");
  if (!condition || !yes || !no)
    return failure();
  if (std::optional<bool> known = getKnown(condition)) {
    FailureOr<SmallVector<Value>> values = node.importBody(*known ? *yes : *no, {});
    return failed(values) ? failure() : node.results(*values);
  }
  // The branch that an input would exclude may not fit the shapes of the other one.
  auto importBranch = [&](onnx::GraphProto &branch, const Twine &name, Value executes) {
    FailureOr<SmallVector<Value>> values = node.importBody(branch, {}, name, executes);
    std::string origin = node.describeOrigin(condition);
    if (failed(values) && !origin.empty())
      node.error() << "both branches are imported, since the condition is computed at run time"
                   << origin;
    return values;
  };
  FailureOr<SmallVector<Value>> yesValues = importBranch(*yes, "then", condition);
  if (failed(yesValues))
    return failure();
  FailureOr<SmallVector<Value>> noValues = importBranch(*no, "else", node.create<NotOp>(condition));
  if (failed(noValues))
    return failure();
  if (yesValues->size() != noValues->size())
    return node.error() << "the branches have " << yesValues->size() << " and " << noValues->size()
                        << " outputs, expected as many";
  SmallVector<Value> results;
  for (auto [i, values] : llvm::enumerate(llvm::zip_equal(*yesValues, *noValues))) {
    results.push_back(select(node, condition, std::get<0>(values), std::get<1>(values), i));
    if (!results.back())
      return failure();
  }
  return node.results(results);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The parts joined along a new dimension `axis`, which may count from the end.
static Value stack(OnnxNode &node, ArrayRef<Value> parts, int64_t axis) {
  Expressions e(node);
  SmallVector<Value> expanded;
  for (Value part : parts) {
    if (!part)
      return {};
    if (!isa<RankedTensorType>(part.getType())) {
      node.error() << "expected tensors as scan outputs, found " << part.getType();
      return {};
    }
    if (expanded.empty() && failed(node.normalizeAxes(axis, rankOf(part) + 1)))
      return {};
    expanded.push_back(e.unsqueeze(part, axis));
  }
  return e.concat(expanded, axis);
}

/// A scan output of a loop that has no iterations: its type is the declared one.
static Value makeEmptyScan(OnnxNode &node, const onnx::ValueInfoProto &output, int64_t axis) {
  const onnx::TypeProto_Tensor &type = output.type().tensor_type();
  Type elementType = getOnnxElementType(node.context(), type.elem_type());
  SmallVector<int64_t> shape;
  bool isStatic = type.has_shape() && elementType;
  for (const onnx::TensorShapeProto_Dimension &dim : type.shape().dim()) {
    isStatic &= dim.has_dim_value() && dim.dim_value() >= 0;
    shape.push_back(dim.dim_value());
  }
  if (!isStatic || !getNumElementsChecked(shape)) {
    node.error() << "the loop has no iterations; expected a static type of its scan output '"
                 << output.name() << "', found none";
    return {};
  }
  if (failed(node.normalizeAxes(axis, static_cast<int64_t>(shape.size()) + 1)))
    return {};
  shape.insert(shape.begin() + axis, 0);
  auto resultType = RankedTensorType::get(shape, elementType);
  return node.constant(DenseElementsAttr::getFromRawBuffer(resultType, ArrayRef<char>()));
}

namespace {
/// How many steps of a loop are compiled, and how many it has.
struct TripCount {
  std::optional<int64_t> steps; ///< none: until a condition is false
  Value computed;               ///< at run time; null if it is `steps`

  /// Whether the loop has step `i`, of those whose condition is true; null if it has.
  Value includes(OnnxNode &node, int64_t i) const {
    return computed ? Expressions(node).compare(ComparePredicate::GT, computed, double(i))
                    : Value();
  }
};
} // namespace

static FailureOr<TripCount> readComputedTripCount(OnnxNode &node) {
  if (tensorType(node.input(0)).getNumElements() != 1)
    return node.error() << "expected a trip count of one integer, found "
                        << node.input(0).getType();
  Value trips = node.cast(node.reshape(node.input(0), {}), node.getBuilder().getI64Type());
  return TripCount{std::nullopt, trips};
}

/// If the trip count is computed at run time, the declared size of the first scan output says how
/// many steps there are at most.
static FailureOr<TripCount> readTripCount(OnnxNode &node, size_t numCarried) {
  TripCount trips;
  if (!node.hasInput(0))
    return trips;
  std::optional<SmallVector<int64_t>> scanned = node.declaredShape(numCarried);
  if (!node.isConstantInput(0) && scanned && !scanned->empty()) {
    FailureOr<TripCount> computed = readComputedTripCount(node);
    if (succeeded(computed))
      computed->steps = scanned->front();
    return computed;
  }
  FailureOr<int64_t> number = node.constantInt(0, "trip count");
  if (failed(number))
    return failure();
  trips.steps = *number;
  return trips;
}

/// Results of a loop that would go on after its last compiled step are spoiled.
static void spoilIfLonger(OnnxNode &node, const TripCount &trips, Value active,
                          MutableArrayRef<Value> results) {
  Value longer = trips.steps ? trips.includes(node, *trips.steps) : Value();
  if (!longer || getKnown(active) == false)
    return;
  Expressions e(node);
  Value ends = node.create<NotOp>(active ? e.both(active, longer) : longer);
  node.require(ends, "has more steps than the declared " + Twine(*trips.steps));
  for (Value &result : results)
    if (isa<RankedTensorType>(result.getType()))
      result = spoilUnless(e, ends, result);
}

/// The scan outputs of a loop from their values in each step. If it is computed at run time how
/// many steps there are, the model must declare that it expects all of them.
static FailureOr<SmallVector<Value>> stackScans(OnnxNode &node, const onnx::GraphProto &body,
                                                ArrayRef<SmallVector<Value>> scans,
                                                bool isCountKnown) {
  const unsigned numCarried = body.output_size() - 1 - scans.size();
  SmallVector<Value> results;
  for (auto [i, parts] : llvm::enumerate(scans)) {
    const unsigned output = numCarried + i;
    if (!isCountKnown && node.wantsOutput(output)) {
      std::optional<SmallVector<int64_t>> shape = node.declaredShape(output);
      if (!shape || shape->empty() || shape->front() != static_cast<int64_t>(parts.size()))
        return node.error()
               << "the loop ends by a condition that is computed at run time, so output " << output
               << " has no static size (the model can declare " << parts.size()
               << " steps; those after the end are zeros)";
    }
    results.push_back(parts.empty() ? makeEmptyScan(node, body.output(output + 1), 0)
                                    : stack(node, parts, 0));
  }
  return results;
}

/// Whether all are tensors with elements, which steps that the device repeats can hand on.
static bool areTensors(ArrayRef<Value> values) {
  return llvm::all_of(values, [](Value value) {
    auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
    return type && type.getNumElements() > 0;
  });
}

static Value makeTrue(OnnxNode &node) {
  return node.constant(
      DenseElementsAttr::get(RankedTensorType::get({}, node.getBuilder().getI1Type()), true));
}

/// Checks that a step hands on the types with which it begins.
static LogicalResult checkStates(OnnxNode &node, ArrayRef<Value> states, ArrayRef<Value> next) {
  for (auto [i, value] : llvm::enumerate(next))
    if (value.getType() != states[i].getType())
      return node.error() << "the device repeats the loop: expected state " << i << " to stay a "
                          << states[i].getType() << ", found " << value.getType();
  return success();
}

namespace {
/// A loop that the device repeats: as often as is known, or while a flag is true, which the
/// condition and a trip count that is computed at run time make.
class RepeatedLoop {
public:
  RepeatedLoop(OnnxNode &node, onnx::GraphProto &body, const TripCount &trips, Value condition)
      : node(node), e(node), body(body), trips(trips), condition(condition) {}

  /// Without a flag, fails if the condition may be false after a step. If it is not known how many
  /// steps there are at most, a run fails that has not ended after kMostStepsOnData of them.
  FailureOr<SmallVector<Value>> import(bool isWhile);

private:
  /// Whether step `index` is executed if `holds` (null: true).
  Value isNext(Value holds, Value index) {
    Value counts =
        trips.computed ? e.compare(ComparePredicate::GT, trips.computed, index) : Value();
    return !counts ? (holds ? holds : makeTrue(node)) : holds ? e.both(holds, counts) : counts;
  }
  FailureOr<SmallVector<RepeatedSteps::Rows>> stackRows(Value index, ArrayRef<Value> scanned,
                                                        bool isWhile);

  OnnxNode &node;
  Expressions e;
  onnx::GraphProto &body;
  const TripCount &trips;
  Value condition;
};
} // namespace

/// What is written in a step. If it is computed at run time how many there are, the model must
/// declare that it expects all of them.
FailureOr<SmallVector<RepeatedSteps::Rows>>
RepeatedLoop::stackRows(Value index, ArrayRef<Value> scanned, bool isWhile) {
  const unsigned numCarried = node.numInputs() - 2;
  SmallVector<RepeatedSteps::Rows> rows;
  for (auto [i, value] : llvm::enumerate(scanned)) {
    if (!node.wantsOutput(numCarried + i))
      continue;
    std::optional<SmallVector<int64_t>> shape = node.declaredShape(numCarried + i);
    const bool isDeclared = shape && !shape->empty() && shape->front() == trips.steps;
    if (!areTensors(value) || !trips.steps || (isWhile && !isDeclared))
      return failure();
    rows.push_back({*trips.steps, {{index, value}}});
  }
  return rows;
}

FailureOr<SmallVector<Value>> RepeatedLoop::import(bool isWhile) {
  constexpr int64_t mostSteps = int64_t(1) << 40; // as in ttc.loop_begin
  ArrayRef<Value> carried = node.allInputs().drop_front(2);
  int64_t most = trips.steps.value_or(kMostStepsOnData);
  const bool failsAtLimit = isWhile && (!trips.steps || most > kMostStepsOnData);
  if (failsAtLimit)
    most = kMostStepsOnData;
  Value index = e.scalar(0);
  SmallVector<Value> states;
  if (isWhile)
    states.push_back(isNext(condition, index));
  states.push_back(index);
  llvm::append_range(states, carried);
  if (most > mostSteps || llvm::is_contained(states, Value()))
    return failure();
  RepeatedSteps repeated(node, most, states, {}, isWhile, failsAtLimit);
  auto import = [&]() -> FailureOr<SmallVector<Value>> {
    ArrayRef<Value> now = repeated.getStates().drop_front(isWhile);
    const bool isIndexVector = body.input(0).type().tensor_type().shape().dim_size() == 1;
    SmallVector<Value> inputs{isIndexVector ? node.reshape(now[0], {1}) : now[0], makeTrue(node)};
    llvm::append_range(inputs, now.drop_front());
    FailureOr<SmallVector<Value>> outputs = node.importBody(body, inputs, "");
    if (failed(outputs))
      return failure();
    ArrayRef<Value> next = ArrayRef(*outputs).slice(1, carried.size());
    Value after = e.add(now[0], e.scalar(1)), goesOn = toCondition(node, outputs->front());
    const bool isFlagTrue = goesOn && getKnown(goesOn) == true && !trips.computed &&
                            (!isWhile || getKnown(states.front()) == true);
    if (failed(checkStates(node, carried, next)) || isFlagTrue == isWhile)
      return failure(); // with a flag, the loop would not end
    FailureOr<SmallVector<RepeatedSteps::Rows>> rows =
        stackRows(now[0], ArrayRef(*outputs).drop_front(1 + carried.size()), isWhile);
    if (failed(rows))
      return failure();
    SmallVector<Value> handedOn;
    if (isWhile)
      handedOn.push_back(isNext(goesOn, after));
    handedOn.push_back(after);
    llvm::append_range(handedOn, next);
    SmallVector<Value> results = repeated.finish(handedOn, *rows);
    if (llvm::is_contained(results, Value()))
      return failure();
    return results;
  };
  FailureOr<SmallVector<Value>> results = import();
  if (failed(results)) {
    repeated.remove();
    return failure();
  }
  SmallVector<Value> final(ArrayRef(*results).drop_front(isWhile + 1));
  // Outputs that nothing reads have no rows.
  const unsigned numOutputs = body.output_size() - 1;
  for (unsigned output = carried.size(); output < numOutputs; ++output)
    if (!node.wantsOutput(output))
      final.insert(final.begin() + output, condition ? condition : makeTrue(node));
  if (isWhile && trips.steps && trips.computed) {
    Value ends = node.create<NotOp>(results->front());
    node.require(ends, "has more steps than the declared " + Twine(*trips.steps));
    for (Value &value : final)
      value = spoilUnless(e, ends, value);
  }
  return final;
}

static LogicalResult importLoop(OnnxNode &node) {
  onnx::GraphProto *body = node.getGraph("body");
  if (!body)
    return failure();
  const size_t numCarried = node.numInputs() > 2 ? node.numInputs() - 2 : 0;
  if (body->input_size() != static_cast<int>(numCarried) + 2 ||
      body->output_size() < static_cast<int>(numCarried) + 1)
    return node.error() << "expected a body of " << numCarried + 2 << " inputs and at least "
                        << numCarried + 1 << " outputs, found " << body->input_size() << " and "
                        << body->output_size();
  const bool hasScans = body->output_size() - 1 > static_cast<int>(numCarried);
  const bool isUnbounded = node.hasInput(0) && !node.isConstantInput(0) && !hasScans;
  FailureOr<TripCount> trips =
      isUnbounded ? readComputedTripCount(node) : readTripCount(node, numCarried);
  if (failed(trips))
    return failure();
  // Null while the loop certainly continues.
  Value active = node.hasInput(1) ? toCondition(node, node.input(1)) : Value();
  if (node.hasFailed())
    return failure();
  SmallVector<Value> carried(node.allInputs().drop_front(std::min<size_t>(2, node.numInputs())));
  if (llvm::is_contained(carried, Value()))
    return node.error() << "expected initial values of all states, found an omitted one";
  const bool areRepeatable = node.numInputs() > 1 && areTensors(carried);
  const Value condition = active;
  auto repeatUnbounded = [&]() -> LogicalResult {
    FailureOr<SmallVector<Value>> made =
        RepeatedLoop(node, *body, *trips, condition).import(/*isWhile=*/true);
    return failed(made) ? failure() : node.results(*made);
  };
  if (isUnbounded) {
    if (!areRepeatable)
      return node.error() << "the trip count is computed at run time: expected tensors with "
                             "elements as states"
                          << node.describeOrigin(node.input(0));
    return repeatUnbounded();
  }
  const bool canRepeat = areRepeatable && node.canRepeat();
  /// Whether the device repeats the loop, from its first step. Nothing uses what was compiled.
  SmallVector<Value> results;
  auto repeat = [&](bool isWhile) {
    return canRepeat && node.attempt([&]() -> LogicalResult {
      FailureOr<SmallVector<Value>> made =
          RepeatedLoop(node, *body, *trips, condition).import(isWhile);
      if (succeeded(made))
        results = *made;
      return made;
    });
  };
  int64_t mostUnrolled = countUnrolledSteps(node.countNodes(*body));
  auto isLong = [&] { return trips->steps && *trips->steps > mostUnrolled; };
  if (isLong() && !trips->computed && (!active || getKnown(active) == true) && repeat(false))
    return node.results(results);
  bool isTried = false;
  SmallVector<Value> final(carried);
  SmallVector<SmallVector<Value>> scans(body->output_size() - 1 - numCarried);
  const bool isIndexVector = body->input(0).type().tensor_type().shape().dim_size() == 1;
  Value alwaysTrue = makeTrue(node);
  bool isCountKnown = true;
  for (int64_t step = 0; !trips->steps || step < *trips->steps; ++step) {
    std::optional<bool> known = active ? getKnown(active) : true;
    if (known == false)
      break;
    const bool isComputed = !known || trips->computed;
    if (!known && !trips->steps) {
      if (!areRepeatable || hasScans)
        return node.error() << "the loop ends by a condition that is computed at run time, and has "
                               "no trip count: expected tensors as states and no scan outputs"
                            << node.describeOrigin(active);
      return repeatUnbounded();
    }
    if (!isTried && (step >= mostUnrolled || (isComputed && isLong()))) {
      isTried = true;
      if (repeat(true))
        return node.results(results);
    }
    isCountKnown &= known.has_value();
    Value index = node.constant({step});
    if (!isIndexVector)
      index = node.reshape(index, {});
    SmallVector<Value> inputs = {index, known ? alwaysTrue : active};
    inputs.append(carried);
    Value runs = known ? Value() : active; // null if it certainly does
    if (Value counts = trips->includes(node, step))
      runs = runs ? Expressions(node).both(runs, counts) : counts;
    const int64_t before = node.countImported();
    FailureOr<SmallVector<Value>> outputs = node.importBody(*body, inputs, Twine(step), runs);
    if (failed(outputs))
      return failure();
    mostUnrolled = std::min(mostUnrolled, countUnrolledSteps(node.countImported() - before));
    ArrayRef<Value> next = ArrayRef(*outputs).slice(1, numCarried);
    ArrayRef<Value> scanned = ArrayRef(*outputs).drop_front(1 + numCarried);
    // Results are selected, and not what the next step computes with: counters stay constant, and
    // what steps after the end compute is dropped.
    carried.assign(next.begin(), next.end());
    for (size_t i = 0; i < numCarried; ++i) {
      // A sequence grows with the steps: all that are compiled, unless the condition decides.
      if (!runs || !node.wantsOutput(i) || (known && !isa<RankedTensorType>(next[i].getType())))
        final[i] = next[i];
      else if (!(final[i] = select(node, runs, next[i], final[i], i)))
        return failure();
    }
    for (auto [all, value] : llvm::zip_equal(scans, scanned)) {
      const bool isTensor = isa<RankedTensorType>(value.getType()); // else stack() reports it
      all.push_back(!runs || !isTensor ? value : Expressions(node).where(runs, value, 0.0));
    }
    Value goesOn = toCondition(node, outputs->front());
    if (!goesOn)
      return failure();
    active = known ? goesOn : node.create<AndOp>({active, goesOn});
  }

  FailureOr<SmallVector<Value>> stacked = stackScans(node, *body, scans, isCountKnown);
  if (failed(stacked))
    return failure();
  final.append(*stacked);
  spoilIfLonger(node, *trips, active, final);
  return node.results(final);
}

namespace {
struct ScanSettings {
  size_t numScans = 0;
  SmallVector<int64_t> inputAxes, inputDirections, outputAxes, outputDirections;
};
} // namespace

/// A scan of which the device repeats a step. The final states, then the scan outputs.
static FailureOr<SmallVector<Value>> repeatScan(OnnxNode &node, onnx::GraphProto &body,
                                                ArrayRef<Value> states, ArrayRef<Value> scanned,
                                                const ScanSettings &settings, int64_t steps,
                                                const Twine &name) {
  Expressions e(node);
  // A step reads and writes at a number that counts upwards, or downwards.
  SmallVector<RepeatedSteps::Counter> counters;
  const bool isAnyForward = llvm::is_contained(settings.inputDirections, 0) ||
                            llvm::is_contained(settings.outputDirections, 0);
  if (isAnyForward)
    counters.push_back({0, 1});
  if (llvm::any_of(llvm::concat<const int64_t>(settings.inputDirections, settings.outputDirections),
                   [](int64_t direction) { return direction != 0; }))
    counters.push_back({steps - 1, -1});
  RepeatedSteps repeated(node, steps, states, counters);
  auto indexOf = [&](int64_t direction) {
    return repeated.getCounter(direction && isAnyForward ? 1 : 0);
  };
  auto import = [&]() -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> arguments(repeated.getStates());
    for (auto [i, input] : llvm::enumerate(scanned))
      arguments.push_back(
          repeated.readRow(input, indexOf(settings.inputDirections[i]), settings.inputAxes[i]));
    if (llvm::is_contained(arguments, Value()))
      return failure();
    FailureOr<SmallVector<Value>> outputs = node.importBody(body, arguments, name);
    if (failed(outputs))
      return failure();
    ArrayRef<Value> next = ArrayRef(*outputs).take_front(states.size()),
                    parts = ArrayRef(*outputs).drop_front(states.size());
    if (failed(checkStates(node, states, next)) || !areTensors(parts))
      return failure();
    SmallVector<RepeatedSteps::Rows> rows;
    for (auto [i, part] : llvm::enumerate(parts))
      rows.push_back({steps, {{indexOf(settings.outputDirections[i]), part}}});
    SmallVector<Value> results = repeated.finish(next, rows);
    for (auto [i, all] : llvm::enumerate(MutableArrayRef(results).drop_front(states.size()))) {
      int64_t axis = settings.outputAxes[i];
      if (!all || failed(node.normalizeAxes(axis, rankOf(all))))
        return failure();
      SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, rankOf(all)));
      order.insert(order.begin() + axis, 0);
      all = e.transpose(all, order);
    }
    return results;
  };
  FailureOr<SmallVector<Value>> results = import();
  if (failed(results))
    repeated.remove();
  return results;
}

/// The final states, then the scan outputs, of inputs that have no batch.
static FailureOr<SmallVector<Value>> scan(OnnxNode &node, onnx::GraphProto &body,
                                          ArrayRef<Value> inputs, const ScanSettings &settings,
                                          const Twine &name) {
  Expressions e(node);
  const size_t numStates = inputs.size() - settings.numScans;
  SmallVector<Value> states(inputs.take_front(numStates));
  ArrayRef<Value> scanned = inputs.drop_front(numStates);
  int64_t steps = 0;
  for (auto [i, input] : llvm::enumerate(scanned)) {
    const int64_t axis = settings.inputAxes[i];
    if (axis >= rankOf(input))
      return node.error() << "axis " << axis << " is out of range for " << input.getType();
    if (i > 0 && shapeOf(input)[axis] != steps)
      return node.error() << "expected " << steps << " steps in all scan inputs, found "
                          << shapeOf(input)[axis];
    steps = shapeOf(input)[axis];
  }
  const std::string prefix = name.str();
  SmallVector<Value> repeated;
  if (steps > countUnrolledSteps(node.countNodes(body)) && node.canRepeat() && areTensors(inputs) &&
      node.attempt([&]() -> LogicalResult {
        FailureOr<SmallVector<Value>> made =
            repeatScan(node, body, states, scanned, settings, steps, StringRef(prefix).rtrim('/'));
        if (succeeded(made))
          repeated = *made;
        return made;
      }))
    return repeated;
  SmallVector<SmallVector<Value>> outputs(body.output_size() - numStates);
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Value> arguments(states);
    for (auto [i, input] : llvm::enumerate(scanned))
      arguments.push_back(e.take(input, settings.inputAxes[i],
                                 settings.inputDirections[i] ? steps - 1 - step : step));
    if (llvm::is_contained(arguments, Value()))
      return failure();
    FailureOr<SmallVector<Value>> results = node.importBody(body, arguments, prefix + Twine(step));
    if (failed(results))
      return failure();
    states.assign(results->begin(), results->begin() + numStates);
    for (auto [all, value] : llvm::zip_equal(outputs, ArrayRef(*results).drop_front(numStates)))
      all.push_back(value);
  }
  SmallVector<Value> results(states);
  for (auto [i, parts] : llvm::enumerate(outputs)) {
    if (settings.outputDirections[i])
      std::reverse(parts.begin(), parts.end());
    const int64_t axis = settings.outputAxes[i];
    results.push_back(parts.empty() ? makeEmptyScan(node, body.output(numStates + i), axis)
                                    : stack(node, parts, axis));
  }
  return results;
}

/// Before opset 9, all inputs have a batch as their first dimension, and the first input has the
/// length of each sequence.
static LogicalResult importBatchedScan(OnnxNode &node, onnx::GraphProto &body,
                                       ScanSettings settings) {
  if (node.hasInput(0))
    return node.error() << "input 0 (sequence_lens) is not supported";
  ArrayRef<Value> inputs = node.allInputs().drop_front();
  if (llvm::is_contained(inputs, Value()) || inputs.empty() || rankOf(inputs.front()) == 0)
    return node.error() << "expected inputs with a batch";
  for (Value input : inputs)
    if (rankOf(input) == 0 || shapeOf(input)[0] != shapeOf(inputs.front())[0])
      return node.error() << "expected inputs with a batch of " << shapeOf(inputs.front())[0]
                          << ", found " << input.getType();
  constexpr int64_t mostBatches = int64_t(1) << 16;
  if (shapeOf(inputs.front())[0] == 0 || shapeOf(inputs.front())[0] > mostBatches)
    return node.error() << "expected a batch of 1 to " << mostBatches << ", found "
                        << inputs.front().getType();
  SmallVector<SmallVector<Value>> batches(body.output_size());
  for (int64_t batch = 0; batch < shapeOf(inputs.front())[0]; ++batch) {
    SmallVector<Value> parts;
    for (Value input : inputs)
      parts.push_back(Expressions(node).take(input, 0, batch));
    FailureOr<SmallVector<Value>> results = scan(node, body, parts, settings, Twine(batch) + "/");
    if (failed(results))
      return failure();
    for (auto [all, value] : llvm::zip_equal(batches, *results))
      all.push_back(value);
  }
  SmallVector<Value> results;
  for (ArrayRef<Value> parts : batches)
    results.push_back(stack(node, parts, 0));
  return node.results(results);
}

static LogicalResult importScan(OnnxNode &node) {
  onnx::GraphProto *body = node.getGraph("body");
  const bool hasBatch = node.opset() < 9;
  const int64_t numInputs = int64_t(node.numInputs()) - hasBatch;
  ScanSettings settings;
  const int64_t numScans = node.getInt("num_scan_inputs", 0);
  if (!body || node.hasFailed())
    return failure();
  if (numScans < 1 || numScans > numInputs || body->input_size() != numInputs ||
      body->output_size() < numInputs - numScans)
    return node.error() << "expected a body of " << numInputs << " inputs, of which " << numScans
                        << " are scanned, and at least as many outputs as states, found "
                        << body->input_size() << " inputs and " << body->output_size()
                        << " outputs";
  const int64_t numStates = numInputs - numScans, numOutputs = body->output_size() - numStates;
  auto read = [&](StringRef name, int64_t count) {
    SmallVector<int64_t> values = node.getInts(name, SmallVector<int64_t>(count, 0));
    if (static_cast<int64_t>(values.size()) != count)
      node.error() << "expected attribute '" << name << "' to have " << count << " elements, found "
                   << values.size();
    values.resize(count);
    return values;
  };
  settings.numScans = numScans;
  settings.inputDirections = read(hasBatch ? "directions" : "scan_input_directions", numScans);
  settings.inputAxes.assign(numScans, 0);
  settings.outputAxes.assign(numOutputs, 0);
  settings.outputDirections.assign(numOutputs, 0);
  if (!hasBatch) {
    settings.inputAxes = read("scan_input_axes", numScans);
    settings.outputAxes = read("scan_output_axes", numOutputs);
    settings.outputDirections = read("scan_output_directions", numOutputs);
  }
  if (node.hasFailed())
    return failure();
  if (hasBatch)
    return importBatchedScan(node, *body, settings);
  if (llvm::is_contained(node.allInputs(), Value()))
    return node.error() << "expected all inputs, found an omitted one";
  for (int64_t i = 0; i < numScans; ++i)
    if (failed(node.normalizeAxes(settings.inputAxes[i], rankOf(node.input(numStates + i)))))
      return failure();
  FailureOr<SmallVector<Value>> results = scan(node, *body, node.allInputs(), settings, "");
  return failed(results) ? failure() : node.results(*results);
}

void mlir::ttc::registerControlFlowOps(OnnxRegistry &registry) {
  registry.add(
      "If", {1, 1}, importIf, {},
      "branches of the same types, if the condition is computed at run time; one element may be a "
      "scalar in one branch and a vector in the other");
  registry.add(
      "Loop", {0, Arity::kAnyOptional}, importLoop, {},
      "scan outputs need a constant trip count or a declared shape; without either, states are "
      "tensors whose types stay",
      /*takesSequences=*/true);
  registry.add("Scan", {0, Arity::kAnyOptional}, importScan, {8}, "no `sequence_lens`");
}
