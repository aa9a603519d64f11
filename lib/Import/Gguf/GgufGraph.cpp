// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufGraph.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "dialects/Ttc/Traces/StateOps.h"

#include "GgufWeights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "ttc/Support/Location.h"
#include "ttrt/sampling.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Lanes of the attention's kernels, by which its caches are laid out.
constexpr int64_t kLanes = 32;
/// Words of the parameters of sampling (ttrt/sampling.h).
constexpr int64_t kSamplingWords = sizeof(ttrt_sampling) / 4;
constexpr int64_t kSamplingDone = offsetof(ttrt_sampling, done) / 4;

class DecoderBuilder {
public:
  DecoderBuilder(ModuleOp module, const GgufModel &model, const GgufImportOptions &options,
                 std::shared_ptr<const void> owner)
      : module(module), model(model), options(options), builder(module.getContext()),
        weights(module.getContext(), std::move(owner)), loc(module.getLoc()) {}

  void build() {
    addStates();
    if (options.sequences == 1) {
      addDecode("decode", 1);
    } else {
      // As many rows as there are sequences at most, and fewer for fewer.
      for (int64_t rows = 1; rows < options.sequences; rows *= 2)
        addDecode("decode_" + Twine(rows), rows);
      addDecode("decode_" + Twine(options.sequences), options.sequences);
    }
    for (int64_t tokens : options.prefill)
      addPrefill(tokens);
  }

private:
  //===--- functions ------------------------------------------------------------------===//

  RankedTensorType f32(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  RankedTensorType i32(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getI32Type());
  }
  void locate(const Twine &name) { loc = toLocation(name.str(), module.getContext()); }

  void addState(StringRef name, RankedTensorType type) {
    StateOp::create(builder, module.getLoc(), name, type);
    states.emplace_back(name.str(), type);
  }

  void addStates() {
    builder.setInsertionPointToEnd(module.getBody());
    addState("token", i32({options.sequences}));
    addState("position", i32({options.sequences}));
    addState("sampling", i32(ofEach({kSamplingWords})));
    addState("history", i32(ofEach({options.context})));
    if (options.sequences > 1)
      addState("active", i32({options.sequences}));
    const int64_t blocks = options.context / kLanes;
    using Cache = GgufImportOptions::Cache;
    Type element = options.cache == Cache::F32   ? Type(builder.getF32Type())
                   : options.cache == Cache::F16 ? Type(builder.getF16Type())
                                                 : Type(builder.getI8Type());
    // Integers have a row of scales for 16 rows.
    const int64_t scales = options.cache == Cache::Q8 ? 1 : 0;
    const int64_t keyRows = model.headSize + scales * model.headSize / 16;
    const int64_t valueRows = options.context + scales * options.context / 16;
    auto addCache = [&](const Twine &name, ArrayRef<int64_t> shape) {
      addState(name.str(), RankedTensorType::get(ofEach(shape), element));
    };
    for (size_t i = 0; i < model.layers.size(); ++i) {
      addCache("keys_" + Twine(i), {model.kvHeads, blocks, keyRows, kLanes});
      addCache("values_" + Twine(i), {model.kvHeads, model.headSize / kLanes, valueRows, kLanes});
    }
  }

  /// The shape of a state that each sequence has for itself.
  SmallVector<int64_t> ofEach(ArrayRef<int64_t> shape) {
    SmallVector<int64_t> all(shape);
    if (options.sequences > 1)
      all.insert(all.begin(), options.sequences);
    return all;
  }

  /// A function that is being built: its inputs and outputs, and the states that it reads, which
  /// results replace one by one.
  struct Function {
    func::FuncOp op;
    llvm::StringMap<Value> states, old;
    SmallVector<std::pair<std::string, Value>> outputs;
  };

  /// Begins a function with these inputs, and these states and all caches as further arguments.
  Function begin(const Twine &name, ArrayRef<std::pair<StringRef, RankedTensorType>> inputs,
                 ArrayRef<StringRef> reads) {
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attrs;
    for (auto [input, type] : inputs) {
      types.push_back(type);
      attrs.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr(kNameAttrName, builder.getStringAttr(input))));
    }
    SmallVector<StringRef> read;
    for (auto &[state, type] : states)
      if (llvm::is_contained(reads, state) || isCache(state)) {
        types.push_back(type);
        attrs.push_back(getStateAttr(state));
        read.push_back(state);
      }
    builder.setInsertionPointToEnd(module.getBody());
    Function function;
    function.op = func::FuncOp::create(builder, module.getLoc(), name.str(),
                                       builder.getFunctionType(types, {}));
    function.op.setAllArgAttrs(attrs);
    Block *body = function.op.addEntryBlock();
    for (auto [i, argument] : llvm::enumerate(body->getArguments())) {
      StringRef name = i < inputs.size() ? inputs[i].first : read[i - inputs.size()];
      argument.setLoc(toLocation(name, module.getContext()));
      if (i >= inputs.size())
        function.states[name] = function.old[name] = argument;
    }
    builder.setInsertionPointToStart(body);
    return function;
  }

  /// Returns the outputs, and the states that have new values.
  void end(Function &function) {
    SmallVector<Value> results;
    SmallVector<DictionaryAttr> attrs;
    for (auto &[name, value] : function.outputs) {
      results.push_back(value);
      attrs.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr(kNameAttrName, builder.getStringAttr(name))));
    }
    for (auto &[state, type] : states)
      if (Value value = function.states.lookup(state);
          value && value != function.old.lookup(state)) {
        results.push_back(value);
        attrs.push_back(getStateAttr(state));
      }
    func::ReturnOp::create(builder, module.getLoc(), results);
    function.op.setFunctionType(
        builder.getFunctionType(function.op.getArgumentTypes(), ValueRange(results).getTypes()));
    function.op.setAllResultAttrs(attrs);
    // The rest of the last layer, where its result is not used.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.op.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  static bool isCache(StringRef state) {
    return state.starts_with("keys_") || state.starts_with("values_");
  }
  DictionaryAttr getStateAttr(StringRef state) {
    return builder.getDictionaryAttr(
        builder.getNamedAttr(kStateAttrName, FlatSymbolRefAttr::get(builder.getContext(), state)));
  }

  /// A step of `rows` sequences: all that there are, or the first ones of the state `active`.
  void addDecode(const Twine &name, int64_t rows) {
    Function function = begin(name, {}, {"token", "position", "sampling", "history", "active"});
    auto &states = function.states;
    Value tokens = states["token"];
    // No row of a step after a stop token is valid: nothing is read then.
    locate("count");
    if (options.sequences == 1) {
      Value done = SliceOp::create(builder, loc, states["sampling"], {kSamplingDone}, {1}, {1});
      count = SubOp::create(builder, loc, number(1), done);
    } else {
      findRows(states["active"], states["sampling"], rows);
      tokens = GatherOp::create(builder, loc, tokens, sequences, /*axis=*/0);
    }
    Value x = addLayers(function, tokens, states["position"]);
    locate("output");
    Value logits =
        multiplyBy(multiply(normalized(x, model.outputNorm), {&model.output}), model.logitScale);
    if (model.logitCap != 0)
      logits = multiplyBy(TanhOp::create(builder, loc, multiplyBy(logits, 1 / model.logitCap)),
                          model.logitCap);
    locate("sample");
    auto sample = SampleOp::create(builder, loc, logits, states["token"], states["position"],
                                   states["sampling"], states["history"], sequences);
    function.outputs.emplace_back("token", sample.getEmitted());
    if (options.hasLogits)
      function.outputs.emplace_back("logits", logits);
    states["token"] = sample.getNewToken();
    states["position"] = sample.getNewPosition();
    states["sampling"] = sample.getNewSampling();
    states["history"] = sample.getNewHistory();
    end(function);
  }

  /// The sequences of the rows, -1 for those that are done; all rows count, or none if all are done
  /// or absent.
  void findRows(Value active, Value sampling, int64_t rows) {
    Value chosen = SliceOp::create(builder, loc, active, {0}, {rows}, {1});
    Value done =
        SliceOp::create(builder, loc, sampling, {0, kSamplingDone}, {options.sequences, 1}, {1, 1});
    done = ReshapeOp::create(builder, loc, done, {options.sequences});
    // An absent sequence, -1, counts from the end.
    done = GatherOp::create(builder, loc, done, chosen, /*axis=*/0);
    Value goesOn = CompareOp::create(builder, loc, ComparePredicate::EQ, done, number(0));
    sequences = WhereOp::create(builder, loc, goesOn, chosen, number(-1));
    Value largest = ReduceMaxOp::create(builder, loc, sequences, {0}, /*keepdims=*/true);
    Value isAny = CompareOp::create(builder, loc, ComparePredicate::GE, largest, number(0));
    count = WhereOp::create(builder, loc, isAny, number(rows), number(0));
  }

  /// Tokens of a prompt: only the caches and the position remain of them.
  void addPrefill(int64_t tokens) {
    SmallVector<std::pair<StringRef, RankedTensorType>> inputs{{"tokens", i32({tokens})},
                                                               {"count", i32({1})}};
    if (options.sequences > 1)
      inputs.emplace_back("sequence", i32({1}));
    Function function = begin("prefill_" + Twine(tokens), inputs, {"position"});
    count = function.op.getArgument(1);
    sequences = options.sequences > 1 ? function.op.getArgument(2) : Value();
    Value position = function.states["position"];
    addLayers(function, function.op.getArgument(0), position);
    locate("position");
    Value next = AddOp::create(builder, loc, position, count), output = next;
    if (sequences) {
      SmallVector<int32_t> numbers(options.sequences);
      std::iota(numbers.begin(), numbers.end(), 0);
      Value all =
          constant(DenseElementsAttr::get(i32({options.sequences}), ArrayRef<int32_t>(numbers)));
      Value isIts = CompareOp::create(builder, loc, ComparePredicate::EQ, all, sequences);
      output =
          ReduceSumOp::create(builder, loc, WhereOp::create(builder, loc, isIts, next, number(0)),
                              {0}, /*keepdims=*/true);
      next = WhereOp::create(builder, loc, isIts, next, position);
    }
    function.states["position"] = next;
    function.outputs.emplace_back("position", output);
    end(function);
  }

  //===--- layers ---------------------------------------------------------------------===//

  Value constant(ElementsAttr value) {
    return value ? ConstantOp::create(builder, loc, value).getResult() : Value();
  }

  Value number(int64_t value) {
    return constant(DenseElementsAttr::get(i32({1}), static_cast<int32_t>(value)));
  }

  /// What products read: a value, and the weights of its RMS norm, which they compute.
  struct Input {
    Value x;
    const GgufFile::Tensor *norm = nullptr;
  };

  Input normalized(Value x, const GgufNorm &norm) {
    if (!norm.weight || !model.architecture->hasLayerNorms)
      return {x, norm.weight};
    return {normalizeLayer(x, norm)};
  }

  Value normalizeLayer(Value x, const GgufNorm &norm) {
    return LayerNormOp::create(builder, loc, x, constant(weights.getVector(*norm.weight)),
                               norm.bias ? constant(weights.getVector(*norm.bias)) : Value(),
                               /*axis=*/1, llvm::APFloat(model.epsilon));
  }

  /// The weights of products of equal inputs, one after the other, times the input, and their
  /// biases.
  Value multiply(Input input, ArrayRef<const GgufLinear *> products, Value residual = {},
                 bool gated = false) {
    int64_t outputs = 0;
    for (const GgufLinear *product : products)
      outputs += product->weight->getRows();
    Value scale = input.norm ? constant(weights.getVector(*input.norm)) : Value();
    const int64_t rows = cast<RankedTensorType>(input.x.getType()).getDimSize(0);
    return BlockMatmulOp::create(
        builder, loc, f32({rows, gated ? outputs / 2 : outputs}), input.x,
        constant(weights.getRows(products, model.headOrder)), scale,
        constant(weights.getBias(products, model.headOrder)), residual, count,
        *getBlockFormat(*products[0]->weight->type), llvm::APFloat(model.epsilon),
        options.activationsAreInt8 ? BlockActivations::Int8 : BlockActivations::F32, gated);
  }

  /// The same where the weights may have different formats: one op for those of equal ones.
  Value multiplyAll(Input input, ArrayRef<GgufLinear> products) {
    SmallVector<Value> parts;
    while (!products.empty()) {
      const GgmlType *type = products[0].weight->type;
      auto same = products.take_while(
          [&](const GgufLinear &product) { return product.weight->type == type; });
      parts.push_back(multiply(input, pointersTo(same)));
      products = products.drop_front(same.size());
    }
    return parts.size() == 1 ? parts[0] : ConcatOp::create(builder, loc, parts, 1).getResult();
  }

  static SmallVector<const GgufLinear *> pointersTo(ArrayRef<GgufLinear> products) {
    return llvm::map_to_vector(products, [](const GgufLinear &product) { return &product; });
  }

  Value multiplyBy(Value x, float factor) {
    return factor == 1 ? x : MulOp::create(builder, loc, x, constant(weights.getNumber(factor)));
  }

  /// The RMS norm of rows, or of each head in them.
  Value normalize(Value x, const GgufFile::Tensor &norm) {
    const auto type = cast<RankedTensorType>(x.getType());
    const int64_t size = norm.shape[0];
    if (size != type.getDimSize(1))
      x = ReshapeOp::create(builder, loc, x, {type.getDimSize(0), type.getDimSize(1) / size, size});
    const int64_t last = cast<RankedTensorType>(x.getType()).getRank() - 1;
    Value mean = ReduceMeanOp::create(builder, loc, MulOp::create(builder, loc, x, x), {last},
                                      /*keepdims=*/true);
    Value factor = RsqrtOp::create(
        builder, loc,
        AddOp::create(builder, loc, mean, constant(weights.getNumber(model.epsilon))));
    Value y = MulOp::create(builder, loc, MulOp::create(builder, loc, x, factor),
                            constant(weights.getVector(norm)));
    return size == type.getDimSize(1) ? y : ReshapeOp::create(builder, loc, y, type.getShape());
  }

  /// residual + scale * [norm](product of x)
  Value addResult(Value x, const GgufLinear &product, const GgufNorm &norm, Value residual) {
    if (!norm.weight && model.residualScale == 1)
      return multiply({x}, {&product}, residual);
    return addScaled(multiply({x}, {&product}), norm, residual);
  }

  /// residual + scale * [norm](y)
  Value addScaled(Value y, const GgufNorm &norm, Value residual) {
    if (norm.weight)
      y = normalize(y, *norm.weight);
    return AddOp::create(builder, loc, residual, multiplyBy(y, model.residualScale));
  }

  /// The queries, keys and values of all heads; the first two normalized.
  Value addHeads(Input input, const GgufLayer &layer) {
    Value all = multiplyAll(input, layer.heads);
    if (!layer.queryNorm.weight)
      return all;
    const int64_t rows = cast<RankedTensorType>(all.getType()).getDimSize(0);
    const int64_t queries = model.heads * model.headSize, keys = model.kvHeads * model.headSize;
    Value parts[] = {
        normalize(slice(all, 0, rows, queries), *layer.queryNorm.weight),
        normalize(slice(all, queries, rows, keys), *layer.keyNorm.weight),
        slice(all, queries + keys, rows, keys),
    };
    return ConcatOp::create(builder, loc, parts, 1);
  }

  Value slice(Value x, int64_t begin, int64_t rows, int64_t size) {
    return SliceOp::create(builder, loc, x, {0, begin}, {rows, size}, {1, 1});
  }

  Value activate(Value x) {
    switch (model.architecture->activation) {
    case GgufActivation::Silu:
      return MulOp::create(builder, loc, x, SigmoidOp::create(builder, loc, x));
    case GgufActivation::Gelu:
      return GeluOp::create(builder, loc, x, GeluApproximation::Tanh);
    case GgufActivation::LimitedSwish:
      return MulOp::create(builder, loc, x, SigmoidOp::create(builder, loc, multiplyBy(x, 1.702F)));
    case GgufActivation::ReluSquared:
      break;
    }
    Value positive = ReluOp::create(builder, loc, x);
    return MulOp::create(builder, loc, positive, positive);
  }

  /// activation(gate) * up
  Value multiplyGate(Value gate, Value up) {
    if (model.architecture->activation == GgufActivation::LimitedSwish) {
      Value low = constant(weights.getNumber(-7)), high = constant(weights.getNumber(7));
      up = MinOp::create(builder, loc, MaxOp::create(builder, loc, up, low), high);
      up = AddOp::create(builder, loc, up, constant(weights.getNumber(1)));
      gate = MinOp::create(builder, loc, gate, high);
    }
    return MulOp::create(builder, loc, activate(gate), up);
  }

  /// activation(gate) * up, or activation(up)
  Value addUp(Input input, ArrayRef<GgufLinear> up, int64_t hidden) {
    if (!model.architecture->hasGate)
      return activate(multiplyAll(input, up));
    const bool isOneFormat = up[0].weight->type == up.back().weight->type;
    if (model.architecture->activation == GgufActivation::Silu && isOneFormat)
      return multiply(input, pointersTo(up), /*residual=*/{}, /*gated=*/true);
    Value all = multiplyAll(input, up);
    const int64_t rows = cast<RankedTensorType>(all.getType()).getDimSize(0);
    return multiplyGate(slice(all, 0, rows, hidden), slice(all, hidden, rows, hidden));
  }

  /// The products of rows with the experts that they chose, `experts` and `count` of them.
  Value multiplyExperts(Value x, ArrayRef<const GgufLinear *> products, Value experts, Value rows,
                        bool gated = false) {
    int64_t outputs = 0;
    for (const GgufLinear *product : products)
      outputs += product->weight->getRows() / model.experts;
    const int64_t count = cast<RankedTensorType>(experts.getType()).getDimSize(0);
    return ExpertMatmulOp::create(
        builder, loc, f32({count, gated ? outputs / 2 : outputs}), x,
        constant(weights.getRows(products, /*headOrder=*/{})), experts,
        constant(weights.getBias(products, /*headOrder=*/{})), rows,
        *getBlockFormat(*products[0]->weight->type), model.experts,
        options.activationsAreInt8 ? BlockActivations::Int8 : BlockActivations::F32, gated);
  }

  /// activation(gate) * up of each row and each of its experts
  Value addExpertsUp(Value x, const GgufExperts &layer, Value experts, Value rows) {
    if (model.architecture->activation == GgufActivation::Silu &&
        layer.gate.weight->type == layer.up.weight->type)
      return multiplyExperts(x, {&layer.gate, &layer.up}, experts, rows, /*gated=*/true);
    Value gate = multiplyExperts(x, {&layer.gate}, experts, rows);
    return multiplyGate(gate, multiplyExperts(x, {&layer.up}, experts, rows));
  }

  /// The sum of the results of each row's experts by their weights, and the result of the expert of
  /// all rows.
  Value addExperts(Input input, const GgufExperts &layer) {
    Value x = input.norm ? normalize(input.x, *input.norm) : input.x;
    const int64_t rows = cast<RankedTensorType>(x.getType()).getDimSize(0);
    const int64_t used = model.usedExperts;
    Value scores = multiply({x}, {&layer.router});
    if (model.expertScores == ExpertScores::Softmax)
      scores = SoftmaxOp::create(builder, loc, scores, /*axis=*/1);
    else if (model.expertScores == ExpertScores::Sigmoid)
      scores = SigmoidOp::create(builder, loc, scores);
    Value ranks = scores;
    if (layer.choiceBias)
      ranks = AddOp::create(builder, loc, scores, constant(weights.getVector(*layer.choiceBias)));
    Value chosen = ArgsortOp::create(builder, loc, ranks, /*axis=*/1, used, /*largest=*/true);
    Value factors = GatherElementsOp::create(builder, loc, scores, chosen, /*axis=*/1);
    if (model.expertScores == ExpertScores::ChosenSoftmax)
      factors = SoftmaxOp::create(builder, loc, factors, /*axis=*/1);
    if (model.architecture->experts.normalizesWeights) {
      Value sum = ReduceSumOp::create(builder, loc, factors, {1}, /*keepdims=*/true);
      factors = DivOp::create(builder, loc, factors, sum);
    }
    factors = multiplyBy(factors, model.expertScale);
    Value experts = ReshapeOp::create(
        builder, loc, CastOp::create(builder, loc, i32({rows, used}), chosen), {rows * used});
    Value valid = MulOp::create(builder, loc, count, number(used));
    Value up = addExpertsUp(x, layer, experts, valid);
    Value down = multiplyExperts(up, {&layer.down}, experts, valid);
    down = ReshapeOp::create(builder, loc, down, {rows, used, model.width});
    factors = ReshapeOp::create(builder, loc, factors, {rows, used, 1});
    Value y = ReduceSumOp::create(builder, loc, MulOp::create(builder, loc, down, factors), {1},
                                  /*keepdims=*/false);
    if (layer.sharedUp.empty())
      return y;
    Value shared = multiply({addUp({x}, layer.sharedUp, model.sharedHidden)}, {&layer.sharedDown});
    if (layer.sharedWeight.weight)
      shared = MulOp::create(builder, loc, shared,
                             SigmoidOp::create(builder, loc, multiply({x}, {&layer.sharedWeight})));
    return AddOp::create(builder, loc, y, shared);
  }

  /// The angles by which a layer rotates queries and keys; null if it does not.
  Value getRotations(const GgufLayer &layer) {
    if (!layer.rotations)
      return {};
    return constant(weights.getRotations(model.rotations[*layer.rotations], options.context,
                                         *layer.rotations ? "rotations.window" : "rotations"));
  }

  /// The vectors of the tokens' positions.
  Value gatherPositions(Value position, Value tokens) {
    locate("position_embd");
    const int64_t rows = cast<RankedTensorType>(tokens.getType()).getDimSize(0);
    if (sequences)
      position = GatherOp::create(builder, loc, position, sequences, /*axis=*/0);
    if (cast<RankedTensorType>(position.getType()).getDimSize(0) != rows) { // of the first token
      SmallVector<int32_t> numbers(rows);
      std::iota(numbers.begin(), numbers.end(), 0);
      position =
          AddOp::create(builder, loc, position,
                        constant(DenseElementsAttr::get(i32({rows}), ArrayRef<int32_t>(numbers))));
    }
    return BlockGatherOp::create(builder, loc, f32({rows, model.width}),
                                 constant(weights.getRows({model.positions})), position,
                                 *getBlockFormat(*model.positions->type), model.width);
  }

  Value addLayers(Function &function, Value tokens, Value position) {
    locate("token_embd");
    Value table = constant(weights.getRows({model.embedding}));
    Value x = BlockGatherOp::create(
        builder, loc, f32({cast<RankedTensorType>(tokens.getType()).getDimSize(0), model.width}),
        table, tokens, *getBlockFormat(*model.embedding->type), model.width);
    x = multiplyBy(x, model.embeddingScale);
    if (model.positions)
      x = AddOp::create(builder, loc, x, gatherPositions(position, tokens));
    const Rope rope = model.architecture->rotatesHalves ? Rope::Halves : Rope::Pairs;
    const int64_t size = model.headSize, heads = model.heads;
    const llvm::APFloat scale(model.attentionScale);
    const IntegerAttr window = builder.getI64IntegerAttr(model.window);
    const FloatAttr cap =
        model.scoreCap == 0 ? FloatAttr() : builder.getF32FloatAttr(model.scoreCap);
    for (auto [i, layer] : llvm::enumerate(model.layers)) {
      const std::string name = "blk." + llvm::utostr(i);
      locate(name + ".attn_qkv");
      const Input attended = normalized(x, layer.attentionNorm);
      Value qkv = addHeads(attended, layer);
      locate(name + ".attn");
      Value &keys = function.states["keys_" + std::to_string(i)];
      Value &values = function.states["values_" + std::to_string(i)];
      Value rotations = getRotations(layer);
      Value sinks = layer.sinks ? constant(weights.getVector(*layer.sinks)) : Value();
      auto attention = CachedAttentionOp::create(
          builder, loc, f32({cast<RankedTensorType>(x.getType()).getDimSize(0), heads * size}),
          keys.getType(), values.getType(), qkv, keys, values, position, rotations, count,
          sequences, sinks, heads, model.kvHeads, scale, rotations ? rope : Rope::None,
          layer.hasWindow ? window : IntegerAttr(), cap);
      keys = attention.getNewKeys();
      values = attention.getNewValues();
      locate(name + ".attn_output");
      Value before = x;
      x = addResult(attention.getY(), layer.output, layer.attentionPostNorm, x);
      locate(name + ".ffn_up");
      const bool sharesNorm = !layer.feedForwardNorm.weight && model.isParallel;
      const Input input =
          sharesNorm ? attended : normalized(model.isParallel ? before : x, layer.feedForwardNorm);
      if (layer.experts) {
        x = addScaled(addExperts(input, *layer.experts), layer.feedForwardPostNorm, x);
        continue;
      }
      Value up = addUp(input, layer.up, model.hidden);
      locate(name + ".ffn_down");
      x = addResult(up, layer.down, layer.feedForwardPostNorm, x);
    }
    return x;
  }

  ModuleOp module;
  const GgufModel &model;
  const GgufImportOptions &options;
  OpBuilder builder;
  GgufWeights weights;
  Location loc; ///< of the ops that are created
  // Values of the function that is being built.
  Value count;     ///< the valid rows
  Value sequences; ///< of the rows, or the one of all rows; null if there is only one
  std::vector<std::pair<std::string, RankedTensorType>> states;
};

} // namespace

/// Fails at the first tensor whose elements the products do not read.
static LogicalResult checkFormats(ModuleOp module, const GgufModel &model) {
  auto check = [&](const GgufFile::Tensor &tensor) -> LogicalResult {
    if (getBlockFormat(*tensor.type))
      return success();
    return module.emitError("expected tensor '")
           << tensor.name << "' as " << getBlockFormatNames() << ", found " << tensor.type->name;
  };
  if (failed(check(*model.embedding)) || failed(check(*model.output.weight)) ||
      (model.positions && failed(check(*model.positions))))
    return failure();
  auto checkAll = [&](std::initializer_list<ArrayRef<GgufLinear>> all) {
    for (ArrayRef<GgufLinear> products : all)
      for (const GgufLinear &product : products)
        if (product.weight && failed(check(*product.weight)))
          return failure();
    return success();
  };
  for (const GgufLayer &layer : model.layers) {
    if (failed(checkAll({layer.heads, layer.output, layer.up, layer.down})))
      return failure();
    if (const auto &experts = layer.experts;
        experts && failed(checkAll({experts->router, experts->gate, experts->up, experts->down,
                                    experts->sharedUp, experts->sharedDown})))
      return failure();
  }
  return success();
}

LogicalResult mlir::ttc::buildDecoder(ModuleOp module, const GgufModel &model,
                                      const GgufImportOptions &options,
                                      std::shared_ptr<const void> owner) {
  if (failed(checkFormats(module, model)))
    return failure();
  if (model.mostPositions && options.context > model.mostPositions)
    return module.emitError("expected a --context of at most ")
           << model.mostPositions << " positions, " << model.limit << ", found " << options.context;
  DecoderBuilder(module, model, options, std::move(owner)).build();
  return success();
}
