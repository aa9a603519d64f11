// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufModelReader.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

static constexpr int64_t kMostLayers = 1024, kMostHeads = 1 << 16;
static constexpr int64_t kMostTokens = 1 << 20; // of ttc.sample

static std::string printShape(ArrayRef<int64_t> shape) {
  return ("[" +
          llvm::join(llvm::map_range(shape, [](int64_t x) { return llvm::itostr(x); }), ", ") +
          "]");
}

static bool isFloat(const GgmlType &type) {
  return type.name == "F32" || type.name == "F16" || type.name == "BF16";
}

llvm::Error GgufModelReader::find(const Twine &name, ArrayRef<int64_t> shape,
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

llvm::Error GgufModelReader::findFloats(const Twine &name, ArrayRef<int64_t> shape,
                                        const GgufFile::Tensor *&found, bool optional) {
  if (llvm::Error error = find(name, shape, found, optional))
    return error;
  if (found && !isFloat(*found->type))
    return makeGgufError("expected tensor '" + name + "' as F32, F16 or BF16, found " +
                         found->type->name);
  return llvm::Error::success();
}

llvm::Error GgufModelReader::findLinear(const Twine &name, int64_t inputs, int64_t outputs,
                                        GgufLinear &found, bool mayHaveBias) {
  if (llvm::Error error = find(name + ".weight", {inputs, outputs}, found.weight))
    return error;
  return mayHaveBias ? findVector(name + ".bias", outputs, found.bias, /*optional=*/true)
                     : llvm::Error::success();
}

llvm::Error GgufModelReader::findNorm(const Twine &name, int64_t size, GgufNorm &found) {
  if (llvm::Error error = findVector(name + ".weight", size, found.weight))
    return error;
  return kind->hasLayerNorms ? findVector(name + ".bias", size, found.bias, /*optional=*/true)
                             : llvm::Error::success();
}

llvm::Error GgufModelReader::readSize(int64_t &size, StringRef name, int64_t least, int64_t most,
                                      std::optional<int64_t> fallback) {
  llvm::Expected<int64_t> value = file.getInteger(key(name), least, most, fallback);
  if (!value)
    return value.takeError();
  size = *value;
  return llvm::Error::success();
}

llvm::Error GgufModelReader::readSizes(GgufModel &model) {
  auto get = [&](int64_t &size, StringRef name, int64_t most,
                 std::optional<int64_t> fallback = {}) {
    return readSize(size, name, 1, most, fallback);
  };
  int64_t layers;
  if (llvm::Error error = get(layers, "block_count", kMostLayers))
    return error;
  model.layers.resize(layers);
  if (llvm::Error error = get(model.width, "embedding_length", kMostGgufWidth))
    return error;
  if (llvm::Error error = get(model.hidden, "feed_forward_length", kMostGgufWidth))
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
  if (llvm::Error error = get(model.headSize, "attention.key_length", kMostGgufWidth,
                              std::max<int64_t>(1, model.width / model.heads)))
    return error;
  // What --ttc's attention computes: whole vectors.
  if (model.headSize % 32 != 0)
    return makeGgufError("expected heads of a multiple of 32 elements, found " +
                         Twine(model.headSize));
  int64_t valueSize;
  if (llvm::Error error = get(valueSize, "attention.value_length", kMostGgufWidth, model.headSize))
    return error;
  if (valueSize != model.headSize)
    return makeGgufError("expected the size of a head, " + Twine(model.headSize) + ", as '" +
                         key("attention.value_length") + "', found " + Twine(valueSize));
  if (llvm::Error error = get(rotated, "rope.dimension_count", kMostGgufWidth, model.headSize))
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

llvm::Error GgufModelReader::readScales(GgufModel &model) {
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
  if (kind->hasTemperature) {
    float temperature = 0;
    if (llvm::Error error = read("attention.temperature_scale", temperature))
      return error;
    llvm::Expected<int64_t> trained =
        file.getInteger(key("rope.scaling.original_context_length"), 1, INT32_MAX,
                        std::max<int64_t>(model.context, 1));
    if (!trained)
      return trained.takeError();
    llvm::Expected<int64_t> length =
        file.getInteger(key("attention.temperature_length"), 1, INT32_MAX, *trained);
    if (!length)
      return length.takeError();
    if (temperature != 0) {
      model.mostPositions = std::min(*length, *trained);
      model.limit = "beyond which '" + key("attention.temperature_scale") +
                    "' scales queries, which ttc does not support";
    }
  }
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

llvm::Error GgufModelReader::checkAllUsed() {
  for (const GgufFile::Tensor &tensor : file.getTensors())
    if (!used.contains(tensor.name) && !tensor.name.ends_with(".attn_rot_embd"))
      return makeGgufError("expected only the tensors of a " + architecture +
                           " model with these layers, found '" + tensor.name + "'");
  return llvm::Error::success();
}

llvm::Error GgufModelReader::read(GgufModel &model) {
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
  if (llvm::Error error = readRotations(model))
    return error;
  if (llvm::Error error = readWindow(model))
    return error;
  if (llvm::Error error = checkKeys())
    return error;

  model.embedding = file.findTensor("token_embd.weight");
  if (!model.embedding || model.embedding->shape.size() != 2)
    return makeGgufError("expected a tensor 'token_embd.weight' of two dimensions, found " +
                         (model.embedding ? printShape(model.embedding->shape) : "none"));
  model.vocabulary = model.embedding->getRows();
  if (model.vocabulary > kMostTokens)
    return makeGgufError("expected a vocabulary of at most " + Twine(kMostTokens) +
                         " tokens, found " + Twine(model.vocabulary));
  if (llvm::Error error =
          find("token_embd.weight", {model.width, model.vocabulary}, model.embedding))
    return error;
  if (kind->hasLearnedPositions) {
    model.positions = file.findTensor("position_embd.weight");
    const int64_t rows = model.positions ? model.positions->getRows() : 1;
    if (llvm::Error error = find("position_embd.weight", {model.width, rows}, model.positions))
      return error;
    model.mostPositions = rows;
    model.limit = "for which 'position_embd.weight' has rows";
  }
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

llvm::Error GgufModelReader::readLayer(GgufModel &model, GgufLayer &layer,
                                       const std::string &prefix) {
  const int64_t queries = model.heads * model.headSize, keys = model.kvHeads * model.headSize;
  const bool isOfEach = kind->queryKeyNorm == QueryKeyNorm::EachHead;
  const bool hasQueryNorm = kind->queryKeyNorm != QueryKeyNorm::None;
  // Without a norm of its own, a parallel feed-forward layer reads the attention's.
  const bool hasOwnNorm = !model.isParallel || file.findTensor(prefix + "ffn_norm.weight");
  // Where a parallel layer has a second norm, that is the attention's.
  const bool hasSecondNorm =
      model.isParallel && !hasOwnNorm && file.findTensor(prefix + "attn_norm_2.weight");
  struct Norm {
    StringRef name;
    int64_t size;
    GgufNorm &norm;
    bool isThere;
  };
  for (const Norm &norm : {
           Norm{"attn_norm", model.width,
                hasSecondNorm ? layer.feedForwardNorm : layer.attentionNorm, kind->hasNormsBefore},
           Norm{"attn_norm_2", model.width, layer.attentionNorm, hasSecondNorm},
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

  if (kind->hasSinks)
    if (llvm::Error error = findVector(prefix + "attn_sinks.weight", model.heads, layer.sinks))
      return error;

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
  if (llvm::Error error = GgufModelReader(file).read(model))
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
