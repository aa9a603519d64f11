// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU and LSTM. The products with the inputs of all steps are one matmul. The steps of usual
// layers of f32, or with weights of bytes, are one op, ttc.recurrence. In others, each step adds
// its product with the state. Few steps are unrolled; equal ones become one program. The device
// repeats a step of more.
#include "Quantization.h"
#include "Recurrence.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

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
  bool readsOutput() override { return node.wantsOutput(0); }
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
