// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShapeProposals.h"
#include "lib/Import/Tensors/TensorBuilder.h"

#include "OnnxInputs.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// What weights say
//===----------------------------------------------------------------------===//

using Dims = SmallVector<int64_t>;

/// The dimensions of a weight, also through ops that exporters put after it; nothing if the value
/// is not one.
static std::optional<Dims> findWeight(const onnx::GraphProto &graph, StringRef name,
                                      unsigned depth = 0) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (tensor.name() == name)
      return Dims(tensor.dims().begin(), tensor.dims().end());
  constexpr unsigned kMostDepth = 4;
  for (const onnx::NodeProto &node : graph.node()) {
    if (depth == kMostDepth || node.output_size() == 0 || node.output(0) != name)
      continue;
    const StringRef op = node.op_type();
    if (op == "Constant")
      for (const onnx::AttributeProto &attr : node.attribute())
        if (attr.name() == "value")
          return Dims(attr.t().dims().begin(), attr.t().dims().end());
    if (node.input_size() == 0 ||
        !llvm::is_contained({"Transpose", "Identity", "Cast", "DequantizeLinear"}, op))
      return std::nullopt;
    std::optional<Dims> dims = findWeight(graph, node.input(0), depth + 1);
    if (!dims || op != "Transpose")
      return dims;
    Dims permuted(dims->rbegin(), dims->rend());
    for (const onnx::AttributeProto &attr : node.attribute())
      if (attr.name() == "perm" && attr.ints_size() == static_cast<int>(dims->size()))
        for (auto [size, from] : llvm::zip_equal(permuted, attr.ints()))
          size = from >= 0 && from < attr.ints_size() ? (*dims)[from] : 0;
    return permuted;
  }
  return std::nullopt;
}

static int64_t getInteger(const onnx::NodeProto &node, StringRef name, int64_t byDefault) {
  for (const onnx::AttributeProto &attr : node.attribute())
    if (attr.name() == name)
      return attr.i();
  return byDefault;
}

/// The size that a node needs in dimension `index` of `rank` of its first input; 0 if any will do.
static int64_t findNeeded(const onnx::GraphProto &graph, const onnx::NodeProto &node, int64_t rank,
                          int64_t index) {
  const StringRef op = node.op_type();
  if (node.domain() == "ai.onnx.ml" && index == 1) {
    int64_t size = 0;
    for (const onnx::AttributeProto &attr : node.attribute())
      if (attr.name() == "nodes_featureids" && attr.ints_size())
        size = *llvm::max_element(attr.ints()) + 1;
      else if (op == "Scaler" && attr.floats_size() > size)
        size = attr.floats_size();
    return size > 1 ? size : 0;
  }
  if (node.input_size() < 2)
    return 0;
  const std::optional<Dims> weight = findWeight(graph, node.input(1));
  if (!weight || weight->empty())
    return 0;
  const Dims &w = *weight;
  const int64_t size = w.size();
  if (op == "Conv" && index == 1 && size > 1)
    return w[1] * getInteger(node, "group", 1);
  if (op == "ConvTranspose" && index == 1)
    return w[0];
  if (op == "Gemm" && index == 1 && size == 2 && !getInteger(node, "transA", 0))
    return w[getInteger(node, "transB", 0) ? 1 : 0];
  if (op == "MatMul" && index == rank - 1)
    return size > 1 ? w[size - 2] : w[0];
  if ((op == "BatchNormalization" || op == "InstanceNormalization") && index == 1)
    return w[0];
  if (op == "LayerNormalization" && index == rank - 1)
    return w[size - 1];
  if ((op == "LSTM" || op == "GRU" || op == "RNN") && index == 2 && size == 3)
    return w[2];
  if (llvm::is_contained({"Add", "Sub", "Mul", "Div", "PRelu"}, op)) {
    const int64_t at = index - (rank - size);
    return at >= 0 && w[at] > 1 ? w[at] : 0;
  }
  return 0;
}

/// Whether the first result has the shape of the first input, if other inputs are weights.
static bool keepsShape(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"Add", "Sub", "Mul", "Div", "PRelu", "Cast", "Identity", "Relu", "Clip"}, true)
      .Cases({"BatchNormalization", "InstanceNormalization", "LayerNormalization"}, true)
      .Default(false);
}

/// The size that the weights of the nodes which read an input imply; 0 if they do not.
static int64_t findNeeded(const onnx::GraphProto &graph, StringRef input, int64_t rank,
                          int64_t index) {
  constexpr size_t kMostValues = 16;
  SmallVector<StringRef> values = {input};
  for (size_t i = 0; i < values.size() && i < kMostValues; ++i)
    for (const onnx::NodeProto &node : graph.node()) {
      if (node.input_size() == 0 || node.input(0) != values[i])
        continue;
      if (const int64_t size = findNeeded(graph, node, rank, index))
        return size;
      if (keepsShape(node.op_type()) && node.output_size())
        values.push_back(node.output(0));
    }
  return 0;
}

//===----------------------------------------------------------------------===//
// What names and types say
//===----------------------------------------------------------------------===//

/// The size of images for which an exporter made the model; 0 if it does not say.
static int64_t findImageSize(const onnx::ModelProto &model) {
  for (const onnx::StringStringEntryProto &entry : model.metadata_props()) {
    StringRef value(entry.value());
    int64_t size;
    if (entry.key() == "imgsz" && value.consume_front("[") && !value.consumeInteger(10, size) &&
        size > 0)
      return size;
  }
  return 0;
}

/// A size that is likely for an unknown dimension, by its name and what the tensor seems to be. A
/// shape of one token or one pixel would compile, too, and be of no use.
ShapeProposals::Size ShapeProposals::guess(StringRef input, const onnx::TypeProto_Tensor &type,
                                           int index) const {
  const onnx::TensorShapeProto &shape = type.shape();
  const int rank = shape.dim_size();
  const StringRef symbol = shape.dim(index).dim_param();
  const std::string name = symbol == getDimName(input, index) ? "" : symbol.lower();
  auto isNamed = [&](std::initializer_list<StringRef> words) {
    return llvm::any_of(words, [&](StringRef word) { return StringRef(name).contains(word); });
  };
  const int64_t needed = findNeeded(model.graph(), input, rank, index);
  if (needed)
    return {needed};
  if (isNamed({"batch"}))
    return {1};
  if (index == 0 && !isNamed({"seq", "len", "token", "time"}))
    return {1, /*isFree=*/rank == 1};
  if (isNamed({"past"}))
    return {0};
  if (isNamed({"sample", "audio", "wave"}))
    return {16000, true};
  if (isNamed({"seq", "len", "token", "time", "frame"}))
    return {128, true};
  // An image has one to four channels, first or last.
  auto isChannel = [&](int at) {
    const int64_t size = isFixedSize(shape.dim(at)) ? shape.dim(at).dim_value()
                                                    : findNeeded(model.graph(), input, rank, at);
    return size >= 1 && size <= 4;
  };
  if (isNamed({"height", "width"}) ||
      (rank == 4 && (isChannel(1) ? index >= 2 : isChannel(3) && index < 3))) {
    const int64_t size = findImageSize(model);
    return {size ? size : input == "images" ? 640 : 224, true};
  }
  if (rank >= 4 && index >= 2)
    return {rank == 4 ? 64 : 32, true};
  const bool isInteger =
      type.elem_type() == onnx::TensorProto::INT64 || type.elem_type() == onnx::TensorProto::INT32;
  if ((isInteger && rank == 2) || rank == 3)
    return {128, true};
  return {1, true};
}

//===----------------------------------------------------------------------===//
// The proposal
//===----------------------------------------------------------------------===//

void ShapeProposals::add(StringRef name, const onnx::TypeProto_Tensor &type, FindSize find) {
  Input input{name, {}};
  if (!type.has_shape()) {
    // An image is the most likely.
    input.shape = {{{1}, ""}, {{3}, ""}, {{224, true}, ""}, {{224, true}, ""}};
    input.allNamed = false;
  }
  llvm::StringSet<> seen;
  for (auto [index, dim] : llvm::enumerate(type.shape().dim())) {
    if (isFixedSize(dim)) {
      input.shape.push_back({{dim.dim_value()}, ""});
      continue;
    }
    const StringRef symbol = dim.dim_param();
    const std::optional<int64_t> known = find(symbol);
    const Size size = guess(name, type, static_cast<int>(index));
    if (symbol.empty() || known == -1) {
      input.allNamed = false;
      input.shape.push_back({size, ""});
    } else if (known) {
      input.shape.push_back({{*known}, ""});
    } else {
      Size &shared = names.try_emplace(symbol, size).first->second;
      // What one input needs, all have.
      if (shared.isFree && !size.isFree) {
        shared.size = size.size;
        shared.isFree = false;
      }
      shared.uses += seen.insert(symbol).second;
      input.shape.push_back({size, symbol});
    }
  }
  for (const auto &symbol : seen)
    names[symbol.getKey()].isBound |= !input.allNamed;
  inputs.push_back(std::move(input));
}

SmallVector<Setting> ShapeProposals::getSettings(int64_t free) const {
  SmallVector<Setting> settings;
  auto sizeOf = [&](const Size &size) { return free && size.isFree ? free : size.size; };
  for (auto &[symbol, size] : names)
    if (!size.isBound)
      settings.push_back({"dim", symbol.str(), std::to_string(sizeOf(size))});
  // Inputs with dimensions that have no name need a whole shape.
  for (const Input &input : inputs) {
    if (input.allNamed)
      continue;
    SmallVector<int64_t> shape = llvm::map_to_vector(input.shape, [&](const Dim &dim) {
      return sizeOf(dim.name.empty() ? dim.size : names.lookup(dim.name));
    });
    settings.push_back({"input-shape", input.name.str(), printList(shape, "x")});
  }
  return settings;
}

/// The size of a dimension that is open for good: of height and width, the first is as good.
static int64_t sizeOfDim(const Setting &setting) {
  int64_t size = 0;
  return setting.option == "dim" && !StringRef(setting.value).getAsInteger(10, size) ? size : 0;
}

void ShapeProposals::attachTo(
    Diagnostic &diag, const OnnxImportOptions &options,
    llvm::function_ref<bool(const OnnxImportOptions &)> isImported) const {
  SmallVector<Setting> settings = getSettings(0);
  // 0: as they are guessed.
  for (int64_t free :
       {0, 128, 256, 640, 64, 1024, 16000, 320, 512, 384, 299, 112, 32, 28, 16, 8, 4, 3, 2}) {
    const SmallVector<Setting> tried = getSettings(free);
    OnnxImportOptions given = options;
    for (const Setting &setting : tried)
      if (setting.option == "dim")
        addDim(setting.name + ":" + setting.value, given);
      else
        addInputShape(setting.name + ":" + setting.value, given);
    if (isImported(given)) {
      settings = tried;
      break;
    }
  }
  bool isShared = false;
  for (auto &[symbol, size] : names)
    isShared |= size.uses > 1;
  for (Setting &setting : settings)
    setting.name = options.prefix + setting.name;
  diag.attachNote(diag.getLocation())
      << "this sets " << (inputs.size() == 1 ? "it" : "all")
      << (isShared ? "; a name has one size in all inputs that share it" : "") << ": "
      << proposeCommand(settings);
  // Ranges are for the command that makes bundles.
  constexpr int64_t kMostChannels = 4;
  const auto longest = llvm::max_element(
      settings, [](const Setting &a, const Setting &b) { return sizeOfDim(a) < sizeOfDim(b); });
  if (!options.constants || longest == settings.end() || sizeOfDim(*longest) <= kMostChannels)
    return;
  // Any text is long enough; kernels need images and sounds of some size.
  const std::string name = StringRef(longest->name).lower();
  const bool isText = llvm::any_of(ArrayRef<StringRef>{"seq", "len", "token"},
                                   [&](StringRef word) { return StringRef(name).contains(word); });
  const std::string low = isText ? "1" : std::to_string(sizeOfDim(*longest) / 2);
  diag.attachNote(diag.getLocation())
      << "a range of sizes makes one bundle for all of them (docs/shapes.md): "
      << spell(Setting{"dim", longest->name, low + ".." + longest->value});
}
