// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufModel.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

namespace {

constexpr int64_t kMostLayers = 1024, kMostHeads = 1 << 16, kMostWidth = 1 << 24;
constexpr int64_t kMostExperts = 1 << 16;

std::string printShape(ArrayRef<int64_t> shape) {
  return ("[" +
          llvm::join(llvm::map_range(shape, [](int64_t x) { return llvm::itostr(x); }), ", ") +
          "]");
}

bool isFloat(const GgmlType &type) {
  return type.name == "F32" || type.name == "F16" || type.name == "BF16";
}

class ModelReader {
public:
  explicit ModelReader(const GgufFile &file) : file(file) {}

  llvm::Error read(GgufModel &model);

private:
  std::string key(StringRef name) const { return (architecture + "." + name).str(); }
  llvm::Error readSizes(GgufModel &model);
  llvm::Error readExpertSizes(GgufModel &model);
  llvm::Error readExperts(const GgufModel &model, GgufExperts &experts, const std::string &prefix);
  llvm::Error readScales(GgufModel &model);
  llvm::Error readFrequencies(GgufModel &model);
  llvm::Error readWindow(GgufModel &model);
  llvm::Error readPattern(GgufModel &model);
  llvm::Error readLayer(GgufModel &model, GgufLayer &layer, const std::string &prefix);
  llvm::Error checkKeys();
  llvm::Error checkAllUsed();

  /// The tensor, of this shape in the order of the file; null in `found` if it is absent and
  /// optional.
  llvm::Error find(const Twine &name, ArrayRef<int64_t> shape, const GgufFile::Tensor *&found,
                   bool optional = false);
  /// A vector of floats.
  llvm::Error findVector(const Twine &name, int64_t size, const GgufFile::Tensor *&found,
                         bool optional = false);
  /// The norm's weights, and its bias if the architecture may have one.
  llvm::Error findNorm(const Twine &name, int64_t size, GgufNorm &found);
  llvm::Error findLinear(const Twine &name, int64_t inputs, int64_t outputs, GgufLinear &found,
                         bool mayHaveBias);

  const GgufFile &file;
  const GgufArchitecture *kind = nullptr;
  StringRef architecture;
  int64_t rotated = 0; ///< elements of a head
  llvm::StringSet<> used;
};

} // namespace

llvm::Error ModelReader::find(const Twine &name, ArrayRef<int64_t> shape,
                              const GgufFile::Tensor *&found, bool optional) {
  const std::string text = name.str();
  found = file.findTensor(text);
  if (!found)
    return optional ? llvm::Error::success()
                    : makeGgufError("expected a tensor '" + text + "', found none");
  if (ArrayRef(found->shape) != shape)
    return makeGgufError("expected the shape " + printShape(shape) + " of tensor '" + text +
                         "', found " + printShape(found->shape));
  used.insert(text);
  return llvm::Error::success();
}

llvm::Error ModelReader::findVector(const Twine &name, int64_t size, const GgufFile::Tensor *&found,
                                    bool optional) {
  if (llvm::Error error = find(name, {size}, found, optional))
    return error;
  if (found && !isFloat(*found->type))
    return makeGgufError("expected tensor '" + name + "' as F32, F16 or BF16, found " +
                         found->type->name);
  return llvm::Error::success();
}

llvm::Error ModelReader::findLinear(const Twine &name, int64_t inputs, int64_t outputs,
                                    GgufLinear &found, bool mayHaveBias) {
  if (llvm::Error error = find(name + ".weight", {inputs, outputs}, found.weight))
    return error;
  return mayHaveBias ? findVector(name + ".bias", outputs, found.bias, /*optional=*/true)
                     : llvm::Error::success();
}

llvm::Error ModelReader::findNorm(const Twine &name, int64_t size, GgufNorm &found) {
  if (llvm::Error error = findVector(name + ".weight", size, found.weight))
    return error;
  return kind->hasLayerNorms ? findVector(name + ".bias", size, found.bias, /*optional=*/true)
                             : llvm::Error::success();
}

llvm::Error ModelReader::readSizes(GgufModel &model) {
  auto get = [&](int64_t &size, StringRef name, int64_t most,
                 std::optional<int64_t> fallback = {}) -> llvm::Error {
    llvm::Expected<int64_t> value = file.getInteger(key(name), 1, most, fallback);
    if (!value)
      return value.takeError();
    size = *value;
    return llvm::Error::success();
  };
  int64_t layers;
  if (llvm::Error error = get(layers, "block_count", kMostLayers))
    return error;
  model.layers.resize(layers);
  if (llvm::Error error = get(model.width, "embedding_length", kMostWidth))
    return error;
  if (llvm::Error error = get(model.hidden, "feed_forward_length", kMostWidth))
    return error;
  if (llvm::Error error = get(model.heads, "attention.head_count", kMostHeads))
    return error;
  if (llvm::Error error = get(model.kvHeads, "attention.head_count_kv", kMostHeads, model.heads))
    return error;
  if (model.heads % model.kvHeads != 0)
    return makeGgufError("expected a multiple of '" + key("attention.head_count_kv") + "' (" +
                         Twine(model.kvHeads) + ") as '" + key("attention.head_count") +
                         "', found " + Twine(model.heads));
  if (!file.has(key("attention.key_length")) && model.width % model.heads != 0)
    return makeGgufError("expected a multiple of '" + key("attention.head_count") + "' (" +
                         Twine(model.heads) + ") as '" + key("embedding_length") + "', found " +
                         Twine(model.width));
  if (llvm::Error error = get(model.headSize, "attention.key_length", kMostWidth,
                              std::max<int64_t>(1, model.width / model.heads)))
    return error;
  // What --ttc's attention computes: whole vectors.
  if (model.headSize % 32 != 0)
    return makeGgufError("expected heads of a multiple of 32 elements, found " +
                         Twine(model.headSize));
  int64_t valueSize;
  if (llvm::Error error = get(valueSize, "attention.value_length", kMostWidth, model.headSize))
    return error;
  if (valueSize != model.headSize)
    return makeGgufError("expected the size of a head, " + Twine(model.headSize) + ", as '" +
                         key("attention.value_length") + "', found " + Twine(valueSize));
  if (llvm::Error error = get(rotated, "rope.dimension_count", kMostWidth, model.headSize))
    return error;
  if (rotated > model.headSize || rotated % 2 != 0)
    return makeGgufError("expected an even number up to the size of a head, " +
                         Twine(model.headSize) + ", as '" + key("rope.dimension_count") +
                         "', found " + Twine(rotated));
  model.isParallel = kind->residual == Residual::Parallel;
  if (kind->residual == Residual::ByKey) {
    llvm::Expected<bool> isParallel = file.getBool(key("use_parallel_residual"), true);
    if (!isParallel)
      return isParallel.takeError();
    model.isParallel = *isParallel;
  }
  model.context = 0;
  if (file.has(key("context_length")))
    if (llvm::Error error = get(model.context, "context_length", INT32_MAX))
      return error;
  llvm::Expected<double> epsilon =
      file.getNumber(key(kind->hasLayerNorms ? "attention.layer_norm_epsilon"
                                             : "attention.layer_norm_rms_epsilon"),
                     0, 1);
  if (!epsilon)
    return epsilon.takeError();
  model.epsilon = static_cast<float>(*epsilon);
  return llvm::Error::success();
}

llvm::Error ModelReader::readExpertSizes(GgufModel &model) {
  const ExpertRouting &routing = kind->experts;
  model.normalizesWeights = routing.normalizesWeights;
  model.expertScale = 1;
  auto get = [&](int64_t &size, StringRef name, int64_t least, int64_t most,
                 std::optional<int64_t> fallback) -> llvm::Error {
    llvm::Expected<int64_t> value = file.getInteger(key(name), least, most, fallback);
    if (!value)
      return value.takeError();
    size = *value;
    return llvm::Error::success();
  };
  std::optional<int64_t> none;
  if (!routing.isRequired)
    none = 0;
  if (llvm::Error error =
          get(model.experts, "expert_count", routing.isRequired, kMostExperts, none))
    return error;
  if (!model.experts)
    return llvm::Error::success();
  if (llvm::Error error = get(model.usedExperts, "expert_used_count", 1, model.experts, {}))
    return error;
  if (llvm::Error error =
          get(model.expertHidden, "expert_feed_forward_length", 1, kMostWidth, model.hidden))
    return error;
  if (routing.hasShared)
    if (llvm::Error error =
            get(model.sharedHidden, "expert_shared_feed_forward_length", 0, kMostWidth, 0))
      return error;
  for (int64_t size : {model.expertHidden, model.width})
    if (size % 16 != 0)
      return makeGgufError("expected experts of a multiple of 16 rows, found " + Twine(size));
  int64_t gate;
  if (llvm::Error error = get(gate, "expert_gating_func", 1, 2, 1))
    return error;
  model.hasSigmoidScores = gate == 2;
  llvm::Expected<bool> normalizes =
      file.getBool(key("expert_weights_norm"), routing.normalizesWeights);
  if (!normalizes)
    return normalizes.takeError();
  if (*normalizes != routing.normalizesWeights)
    return makeGgufError("expected '" + key("expert_weights_norm") + "' to be " +
                         (routing.normalizesWeights ? "true" : "false") +
                         " or absent, found another value, which ttc does not support");
  if (!file.has(key("expert_weights_scale")))
    return llvm::Error::success();
  llvm::Expected<double> scale = file.getNumber(key("expert_weights_scale"), -1e30, 1e30);
  if (!scale)
    return scale.takeError();
  if (*scale != 0) // none, as llama.cpp reads it
    model.expertScale = static_cast<float>(*scale);
  return llvm::Error::success();
}

llvm::Error ModelReader::readExperts(const GgufModel &model, GgufExperts &experts,
                                     const std::string &prefix) {
  auto findAll = [&](StringRef name, int64_t inputs, int64_t outputs, GgufLinear &found) {
    return find(prefix + name + ".weight", {inputs, outputs, model.experts}, found.weight);
  };
  if (llvm::Error error = findLinear(prefix + "ffn_gate_inp", model.width, model.experts,
                                     experts.router, /*mayHaveBias=*/false))
    return error;
  if (llvm::Error error = findVector(prefix + "exp_probs_b.bias", model.experts, experts.choiceBias,
                                     /*optional=*/true))
    return error;
  if (llvm::Error error = findAll("ffn_gate_exps", model.width, model.expertHidden, experts.gate))
    return error;
  if (llvm::Error error = findAll("ffn_up_exps", model.width, model.expertHidden, experts.up))
    return error;
  if (llvm::Error error = findAll("ffn_down_exps", model.expertHidden, model.width, experts.down))
    return error;
  if (!model.sharedHidden)
    return llvm::Error::success();
  experts.sharedUp.resize(2);
  for (auto [name, inputs, outputs, linear] :
       {std::tuple("ffn_gate_shexp", model.width, model.sharedHidden, &experts.sharedUp[0]),
        {"ffn_up_shexp", model.width, model.sharedHidden, &experts.sharedUp[1]},
        {"ffn_down_shexp", model.sharedHidden, model.width, &experts.sharedDown}})
    if (llvm::Error error = findLinear(prefix + name, inputs, outputs, *linear, false))
      return error;
  if (!kind->experts.weighsShared)
    return llvm::Error::success();
  return findVector(prefix + "ffn_gate_inp_shexp.weight", model.width, experts.sharedWeight.weight);
}

llvm::Error ModelReader::readScales(GgufModel &model) {
  const bool isWide = static_cast<int64_t>(model.layers.size()) == kind->wideScaleLayers;
  const int64_t divisor = isWide ? std::max<int64_t>(1, model.width / model.heads) : model.headSize;
  model.attentionScale = static_cast<float>(1 / std::sqrt(static_cast<double>(divisor)));
  model.embeddingScale = model.residualScale = model.logitScale = 1;
  if (kind->multipliesByRootOfWidth)
    model.embeddingScale = std::sqrt(static_cast<float>(model.width));
  // 0 stands for none, as llama.cpp reads them.
  auto read = [&](StringRef name, float &scale, bool isDivisor = false) -> llvm::Error {
    if (!file.has(key(name)))
      return llvm::Error::success();
    llvm::Expected<double> given = file.getNumber(key(name), -1e30, 1e30);
    if (!given)
      return given.takeError();
    if (*given != 0)
      scale = static_cast<float>(isDivisor ? 1 / *given : *given);
    return llvm::Error::success();
  };
  if (kind->hasAttentionScale)
    if (llvm::Error error = read("attention.scale", model.attentionScale))
      return error;
  if (kind->hasSoftCaps) {
    // The caps of Gemma 2, where the file has none.
    llvm::Expected<double> score = file.getNumber(key("attn_logit_softcapping"), 0, 1e30, 50);
    if (!score)
      return score.takeError();
    llvm::Expected<double> logit = file.getNumber(key("final_logit_softcapping"), 0, 1e30, 30);
    if (!logit)
      return logit.takeError();
    model.scoreCap = static_cast<float>(*score);
    model.logitCap = static_cast<float>(*logit);
  }
  if (!kind->hasScales && !kind->hasLogitScale)
    return llvm::Error::success();
  if (!file.has(key("logit_scale")))
    return makeGgufError("expected a number as '" + key("logit_scale") + "', found none");
  if (!kind->hasScales)
    return read("logit_scale", model.logitScale);
  // Of these models, this key says whether positions are rotated at all.
  llvm::Expected<bool> rotates = file.getBool(key("rope.scaling.finetuned"), true);
  if (!rotates)
    return rotates.takeError();
  if (!*rotates)
    return makeGgufError("expected '" + key("rope.scaling.finetuned") +
                         "' to be true or absent, found false, which ttc does not support");
  if (llvm::Error error = read("embedding_scale", model.embeddingScale))
    return error;
  if (llvm::Error error = read("residual_scale", model.residualScale))
    return error;
  return read("logit_scale", model.logitScale, /*isDivisor=*/true);
}

/// Layers with a window, which see the last positions only.
llvm::Error ModelReader::readWindow(GgufModel &model) {
  const WindowPattern &kinds = kind->window;
  const auto layers = static_cast<int64_t>(model.layers.size());
  const int64_t size = kinds.sizeLayers == 0 || kinds.sizeLayers == layers ? kinds.size : 0;
  llvm::Expected<int64_t> window =
      file.getInteger(key("attention.sliding_window"), 0, INT32_MAX, size);
  if (!window)
    return window.takeError();
  model.window = kinds.period || kind->ignoresWindow ? *window : 0;
  if (kinds.isRequired && !model.window)
    return makeGgufError("expected a number above 0 as '" + key("attention.sliding_window") +
                         "', found none");
  if (kinds.period && model.window)
    if (llvm::Error error = readPattern(model))
      return error;
  for (auto [i, layer] : llvm::enumerate(model.layers)) {
    const int64_t number = static_cast<int64_t>(i) + 1;
    const bool hasOthers = kinds.period && model.window;
    if ((kind->unrotatedPeriod && number % kind->unrotatedPeriod == 0) ||
        (hasOthers && !layer.hasWindow && !kinds.rotatesOthers))
      continue;
    layer.frequencies = layer.hasWindow ? 1 : 0;
  }
  return llvm::Error::success();
}

/// Which layers have a window: as the architecture says, or the file, by a period or for each
/// layer.
llvm::Error ModelReader::readPattern(GgufModel &model) {
  const std::string name = key("attention.sliding_window_pattern");
  const bool isOfEach = file.has(name) && !file.findNumber(name);
  if (isOfEach) {
    llvm::Expected<std::vector<bool>> given = file.getBools(name);
    if (!given)
      return given.takeError();
    if (given->size() != model.layers.size())
      return makeGgufError("expected " + Twine(model.layers.size()) +
                           " truth values, one of each layer, as '" + name + "', found " +
                           Twine(given->size()));
    for (auto [layer, hasWindow] : llvm::zip_equal(model.layers, *given))
      layer.hasWindow = hasWindow;
    return llvm::Error::success();
  }
  llvm::Expected<int64_t> period = file.getInteger(name, 0, INT32_MAX, kind->window.period);
  if (!period)
    return period.takeError();
  for (auto [i, layer] : llvm::enumerate(model.layers))
    layer.hasWindow = *period == 0 || (static_cast<int64_t>(i) + 1) % *period != 0;
  return llvm::Error::success();
}

llvm::Error ModelReader::readFrequencies(GgufModel &model) {
  llvm::Expected<double> base = file.getNumber(key("rope.freq_base"), 1, 1e12, 10000);
  if (!base)
    return base.takeError();
  llvm::Expected<double> windowBase =
      file.getNumber(key("rope.freq_base_swa"), 1, 1e12,
                     kind->window.rotaryBase ? kind->window.rotaryBase : *base);
  if (!windowBase)
    return windowBase.takeError();
  // A factor without a type is linear; older files call it rope.scale_linear.
  llvm::Expected<StringRef> scaling = file.getText(key("rope.scaling.type"), "linear");
  if (!scaling)
    return scaling.takeError();
  double factor = 1;
  if (*scaling == "linear") {
    StringRef name =
        file.has(key("rope.scaling.factor")) ? "rope.scaling.factor" : "rope.scale_linear";
    if (file.has(key(name)) || file.has(key("rope.scaling.type"))) {
      llvm::Expected<double> given = file.getNumber(key(name), 0, 1e6);
      if (!given)
        return given.takeError();
      if (*given != 0 && *given < 1e-3)
        return makeGgufError("expected 0 or a number from 0.001 to 1000000 as '" + key(name) +
                             "', found " + Twine(std::to_string(*given)));
      factor = *given == 0 ? 1 : *given; // 0: none, as llama.cpp reads it
    }
  } else if (*scaling != "none") {
    return makeGgufError("expected 'none' or 'linear' as '" + key("rope.scaling.type") +
                         "', found '" + *scaling + "'");
  }
  const GgufFile::Tensor *factors;
  if (llvm::Error error = findVector("rope_freqs.weight", rotated / 2, factors, /*optional=*/true))
    return error;
  const std::vector<float> divisors =
      factors ? toFloats(*factors) : std::vector<float>(rotated / 2, 1);
  for (auto [i, divisor] : llvm::enumerate(divisors)) {
    if (!(divisor > 0) || std::isinf(divisor))
      return makeGgufError("expected positive factors in tensor 'rope_freqs.weight', found " +
                           Twine(std::to_string(divisor)));
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(rotated);
    model.frequencies[0].push_back(std::pow(*base, exponent) / factor / divisor);
    model.frequencies[1].push_back(std::pow(*windowBase, exponent) /
                                   (kind->window.isScaled ? factor * divisor : 1));
  }
  return llvm::Error::success();
}

/// Angles of 0, and an order of elements, for heads of which the first `rotated` elements are
/// rotated.
static void rotateParts(GgufModel &model, int64_t rotated) {
  const int64_t half = model.headSize / 2, pairs = rotated / 2;
  for (std::vector<double> &frequencies : model.frequencies)
    frequencies.resize(half);
  if (rotated == model.headSize || !model.architecture->rotatesHalves)
    return;
  const int64_t others = half - pairs;
  for (int64_t side : {0, 1}) {
    for (int64_t i = 0; i < pairs; ++i)
      model.headOrder.push_back(side * pairs + i);
    for (int64_t i = 0; i < others; ++i)
      model.headOrder.push_back(rotated + side * others + i);
  }
}

/// Keys of an architecture that change what it computes, with the value that changes nothing.
static constexpr std::pair<StringLiteral, double> kNeutral[] = {
    {"attention.causal", 1},
    {"attention.clamp_kqv", 0},
    {"attention.max_alibi_bias", 0},
    {"attention.scale", 0},
    {"attention.sliding_window", 0},
    {"attn_logit_softcapping", 0},
    {"embedding_scale", 0},
    {"expert_count", 0},
    {"expert_used_count", 0},
    {"final_logit_softcapping", 0},
    {"logit_scale", 0},
    {"residual_scale", 0},
    {"rope.scaling.attn_factor", 1},
    // llama.cpp reads these with any type of scaling.
    {"rope.scaling.yarn_attn_factor", 1},
    {"rope.scaling.yarn_ext_factor", 0},
    {"rope.scaling.yarn_log_multiplier", 0},
    {"use_parallel_residual", 0},
};

/// Those that change nothing: they describe how the model was trained or stored, or belong to a
/// method that is refused.
static constexpr StringLiteral kHarmless[] = {"attention.layer_norm_epsilon",
                                              "attention.layer_norm_rms_epsilon",
                                              "rope.scaling.finetuned",
                                              "rope.scaling.original_context_length",
                                              "rope.scaling.yarn_beta_fast",
                                              "rope.scaling.yarn_beta_slow",
                                              "pooling_type",
                                              "tensor_data_layout",
                                              "vocab_size"};

static constexpr StringLiteral kRead[] = {
    "attention.head_count",   "attention.head_count_kv",
    "attention.key_length",   "attention.layer_norm_rms_epsilon",
    "attention.value_length", "block_count",
    "context_length",         "embedding_length",
    "feed_forward_length",    "rope.dimension_count",
    "rope.freq_base",         "rope.scale_linear",
    "rope.scaling.factor",    "rope.scaling.type"};

/// Every key of the architecture is read, or known to change nothing: what is ignored would
/// otherwise compute other numbers without a word.
llvm::Error ModelReader::checkKeys() {
  SmallVector<StringRef> read(std::begin(kRead), std::end(kRead));
  if (kind->hasAttentionScale)
    read.push_back("attention.scale");
  if (kind->hasScales)
    read.append({"embedding_scale", "logit_scale", "residual_scale"});
  if (kind->hasLogitScale)
    read.push_back("logit_scale");
  if (kind->hasSoftCaps)
    read.append({"attn_logit_softcapping", "final_logit_softcapping"});
  if (kind->residual == Residual::ByKey)
    read.push_back("use_parallel_residual");
  if (kind->window.period)
    read.append(
        {"attention.sliding_window", "attention.sliding_window_pattern", "rope.freq_base_swa"});
  if (kind->ignoresWindow)
    read.push_back("attention.sliding_window");
  if (kind->experts.isPossible)
    read.append({"expert_count", "expert_feed_forward_length", "expert_gating_func",
                 "expert_used_count", "expert_weights_norm", "expert_weights_scale"});
  if (kind->experts.hasShared)
    read.append({"expert_shared_count", "expert_shared_feed_forward_length"});
  if (kind->experts.hasDenseLayers)
    read.append({"interleave_moe_layer_step", "leading_dense_block_count"});
  for (auto [name, neutral] : kNeutral) {
    if (!file.has(key(name)) || llvm::is_contained(read, name))
      continue;
    std::optional<double> number = file.findNumber(key(name));
    if (number != neutral)
      return makeGgufError("expected '" + key(name) + "' to be " +
                           Twine(static_cast<int64_t>(neutral)) +
                           " or absent, found another value, which ttc does not support");
  }
  for (StringRef name : file.getKeys((architecture + ".").str())) {
    StringRef rest = name.drop_front(architecture.size() + 1);
    if (!llvm::is_contained(read, rest) && !llvm::is_contained(kHarmless, rest) &&
        llvm::none_of(kNeutral, [&](const auto &entry) { return entry.first == rest; }))
      return makeGgufError("expected only keys of a " + architecture +
                           " model that ttc reads, found '" + name + "'");
  }
  return llvm::Error::success();
}

llvm::Error ModelReader::checkAllUsed() {
  for (const GgufFile::Tensor &tensor : file.getTensors())
    if (!used.contains(tensor.name) && !tensor.name.ends_with(".attn_rot_embd"))
      return makeGgufError("expected only the tensors of a " + architecture +
                           " model with these layers, found '" + tensor.name + "'");
  return llvm::Error::success();
}

llvm::Error ModelReader::read(GgufModel &model) {
  llvm::Expected<StringRef> name = file.getText("general.architecture");
  if (!name)
    return name.takeError();
  model.architecture = kind = findGgufArchitecture(*name);
  if (!kind)
    return makeGgufError(
        "expected one of the architectures " +
        llvm::join(llvm::map_range(getGgufArchitectures(),
                                   [](const auto &known) -> StringRef { return known.name; }),
                   ", ") +
        "; found '" + *name + "'");
  architecture = kind->name;
  if (llvm::Error error = readSizes(model))
    return error;
  if (llvm::Error error = readExpertSizes(model))
    return error;
  if (llvm::Error error = readScales(model))
    return error;
  // Before the keys of a type of scaling that is refused.
  if (llvm::Error error = readFrequencies(model))
    return error;
  rotateParts(model, rotated);
  if (llvm::Error error = readWindow(model))
    return error;
  if (llvm::Error error = checkKeys())
    return error;

  model.embedding = file.findTensor("token_embd.weight");
  if (!model.embedding || model.embedding->shape.size() != 2 ||
      model.embedding->getRows() > INT32_MAX)
    return makeGgufError("expected a tensor 'token_embd.weight' of two dimensions, found " +
                         (model.embedding ? printShape(model.embedding->shape) : "none"));
  model.vocabulary = model.embedding->getRows();
  if (llvm::Error error =
          find("token_embd.weight", {model.width, model.vocabulary}, model.embedding))
    return error;
  if (llvm::Error error = findNorm("output_norm", model.width, model.outputNorm))
    return error;
  if (llvm::Error error = find("output.weight", {model.width, model.vocabulary},
                               model.output.weight, /*optional=*/true))
    return error;
  if (!model.output.weight)
    model.output.weight = model.embedding;
  if (llvm::Error error = findVector("output.bias", model.vocabulary, model.output.bias,
                                     /*optional=*/true))
    return error;

  llvm::Expected<int64_t> dense =
      file.getInteger(key("leading_dense_block_count"), 0, INT32_MAX, 0);
  if (!dense)
    return dense.takeError();
  llvm::Expected<int64_t> period =
      file.getInteger(key("interleave_moe_layer_step"), 1, INT32_MAX, 1);
  if (!period)
    return period.takeError();
  for (auto [i, layer] : llvm::enumerate(model.layers))
    if (const auto number = static_cast<int64_t>(i);
        model.experts && number >= *dense && (number + 1) % *period == 0)
      layer.experts.emplace();
  for (auto [i, layer] : llvm::enumerate(model.layers))
    if (llvm::Error error = readLayer(model, layer, "blk." + llvm::utostr(i) + "."))
      return error;
  return checkAllUsed();
}

llvm::Error ModelReader::readLayer(GgufModel &model, GgufLayer &layer, const std::string &prefix) {
  const int64_t queries = model.heads * model.headSize, keys = model.kvHeads * model.headSize;
  const bool isOfEach = kind->queryKeyNorm == QueryKeyNorm::EachHead;
  const bool hasQueryNorm = kind->queryKeyNorm != QueryKeyNorm::None;
  // Without a norm of its own, a parallel feed-forward layer reads the attention's.
  const bool hasOwnNorm = !model.isParallel || file.findTensor(prefix + "ffn_norm.weight");
  struct Norm {
    StringRef name;
    int64_t size;
    GgufNorm &norm;
    bool isThere;
  };
  for (const Norm &norm : {
           Norm{"attn_norm", model.width, layer.attentionNorm, kind->hasNormsBefore},
           Norm{kind->feedForwardNorm, model.width, layer.feedForwardNorm,
                kind->hasNormsBefore && hasOwnNorm},
           Norm{"post_attention_norm", model.width, layer.attentionPostNorm, kind->hasNormsAfter},
           Norm{"post_ffw_norm", model.width, layer.feedForwardPostNorm, kind->hasNormsAfter},
           Norm{"attn_q_norm", isOfEach ? model.headSize : queries, layer.queryNorm, hasQueryNorm},
           Norm{"attn_k_norm", isOfEach ? model.headSize : keys, layer.keyNorm, hasQueryNorm},
       })
    if (norm.isThere)
      if (llvm::Error error = findNorm(prefix + norm.name, norm.size, norm.norm))
        return error;
  if (hasQueryNorm && !model.headOrder.empty())
    return makeGgufError("expected the size of a head, " + Twine(model.headSize) + ", as '" +
                         key("rope.dimension_count") + "', found " + Twine(rotated));

  const bool hasAllHeads = file.findTensor(prefix + "attn_qkv.weight");
  if (layer.experts)
    if (llvm::Error error = readExperts(model, *layer.experts, prefix))
      return error;
  const bool hasGateTensor = kind->hasGate && file.findTensor(prefix + "ffn_gate.weight");
  layer.heads.resize(hasAllHeads ? 1 : 3);
  layer.up.resize(layer.experts ? 0 : hasGateTensor ? 2 : 1);
  const int64_t hidden = model.hidden * (kind->hasGate && !hasGateTensor ? 2 : 1);
  struct Product {
    StringRef name;
    int64_t inputs, outputs;
    GgufLinear &linear;
    bool mayHaveBias = true;
  };
  SmallVector<Product> products;
  if (hasAllHeads) {
    products.push_back({"attn_qkv", model.width, queries + 2 * keys, layer.heads[0]});
    layer.heads[0].headRows = queries + keys;
  } else {
    products.push_back({"attn_q", model.width, queries, layer.heads[0]});
    products.push_back({"attn_k", model.width, keys, layer.heads[1]});
    products.push_back({"attn_v", model.width, keys, layer.heads[2]});
    layer.heads[0].headRows = queries;
    layer.heads[1].headRows = keys;
  }
  products.push_back({"attn_output", queries, model.width, layer.output});
  if (!layer.experts) {
    if (hasGateTensor)
      products.push_back({"ffn_gate", model.width, model.hidden, layer.up[0], false});
    products.push_back({"ffn_up", model.width, hidden, layer.up.back(), !kind->hasGate});
    products.push_back({"ffn_down", model.hidden, model.width, layer.down});
  }
  for (const Product &product : products)
    if (llvm::Error error = findLinear(prefix + product.name, product.inputs, product.outputs,
                                       product.linear, product.mayHaveBias))
      return error;
  return llvm::Error::success();
}

llvm::Expected<GgufModel> GgufModel::read(const GgufFile &file) {
  GgufModel model = {};
  if (llvm::Error error = ModelReader(file).read(model))
    return std::move(error);
  return model;
}

std::vector<float> mlir::ttc::toFloats(const GgufFile::Tensor &tensor) {
  using namespace llvm::support;
  std::vector<float> floats;
  const size_t size = tensor.type->blockBytes, count = tensor.bytes.size() / size;
  floats.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const char *at = tensor.bytes.data() + i * size;
    if (tensor.type->name == "F32") {
      floats.push_back(llvm::bit_cast<float>(endian::read32le(at)));
    } else if (tensor.type->name == "BF16") {
      floats.push_back(llvm::bit_cast<float>(uint32_t(endian::read16le(at)) << 16));
    } else {
      APFloat half(APFloat::IEEEhalf(), APInt(16, endian::read16le(at)));
      floats.push_back(half.convertToFloat());
    }
  }
  return floats;
}
