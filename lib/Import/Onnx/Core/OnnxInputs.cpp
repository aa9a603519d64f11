// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnnxInputs.h"

#include "InputValues.h"
#include "OnnxGraph.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// Whether the model sets the size. Exporters write -1 for unknown sizes.
static bool isFixed(const onnx::TensorShapeProto_Dimension &dim) {
  return dim.has_dim_value() && dim.dim_value() >= 0;
}

/// A size that is likely for an unknown dimension, by its name and what the tensor seems to be. A
/// shape of one token or one pixel would compile, too, and be of no use.
static int64_t proposeSize(const onnx::TypeProto_Tensor &type, int index) {
  const onnx::TensorShapeProto &shape = type.shape();
  const std::string name = StringRef(shape.dim(index).dim_param()).lower();
  auto isNamed = [&](std::initializer_list<StringRef> words) {
    return llvm::any_of(words, [&](StringRef word) { return StringRef(name).contains(word); });
  };
  if (isNamed({"batch"}) || (index == 0 && !isNamed({"seq", "len", "token", "time"})))
    return 1;
  if (isNamed({"past"}))
    return 0;
  if (isNamed({"sample", "audio", "wave"}))
    return 16000;
  // An image has one to four channels, first or last.
  const int rank = shape.dim_size();
  auto isChannel = [&](int at) {
    return isFixed(shape.dim(at)) && shape.dim(at).dim_value() >= 1 &&
           shape.dim(at).dim_value() <= 4;
  };
  if (isNamed({"height", "width"}) ||
      (rank == 4 && (isChannel(1) ? index >= 2 : isChannel(3) && index < 3)))
    return 224;
  const bool isInteger =
      type.elem_type() == onnx::TensorProto::INT64 || type.elem_type() == onnx::TensorProto::INT32;
  if (isNamed({"seq", "len", "token", "time", "frame"}) || (isInteger && rank == 2) || rank == 3)
    return 128;
  return 1;
}

/// Options that set the shape, with sizes that are likely: those of names, which other inputs may
/// have, too, or of the input if a dimension has none.
static std::string proposeOptions(StringRef input, const onnx::TypeProto_Tensor &type) {
  SmallVector<int64_t> sizes;
  std::string named;
  bool allNamed = true;
  llvm::StringSet<> seen;
  for (auto [index, dim] : llvm::enumerate(type.shape().dim())) {
    sizes.push_back(isFixed(dim) ? dim.dim_value() : proposeSize(type, static_cast<int>(index)));
    if (isFixed(dim) || !seen.insert(dim.dim_param()).second)
      continue;
    allNamed &= !dim.dim_param().empty();
    named += " --dim=" + dim.dim_param() + ":" + std::to_string(sizes.back());
  }
  return allNamed ? named.substr(1) + ", for all inputs that have these dimensions"
                  : ("--input-shape=" + input + ":" + printList(sizes, "x")).str();
}

namespace {
/// Determines the static shapes of inputs from the model, from --input-shape, and from named
/// dimensions that the --input-shape of another input sets.
class InputShapes {
public:
  InputShapes(const OnnxImportOptions &options, ImportErrors &errors)
      : options(options), errors(errors) {
    for (const auto &dim : options.dims)
      names.try_emplace(dim.getKey(), Size{dim.getValue()});
  }

  /// Records the sizes of named dimensions.
  void bindNames(const onnx::ValueInfoProto &input);
  /// The shape of an input, which has the value if one is given.
  FailureOr<SmallVector<int64_t>> get(StringRef name, const onnx::TypeProto_Tensor &type,
                                      const InputValue &value);

private:
  const OnnxImportOptions &options;
  ImportErrors &errors;
  struct Size {
    int64_t size;
    /// Two inputs give the name different sizes, which then says nothing about a third.
    bool isAmbiguous = false;
  };
  llvm::StringMap<Size> names;
};
} // namespace

void InputShapes::bindNames(const onnx::ValueInfoProto &input) {
  auto given = options.inputShapes.find(input.name());
  const onnx::TensorShapeProto &shape = input.type().tensor_type().shape();
  if (given == options.inputShapes.end() || (int)given->second.size() != shape.dim_size())
    return;
  for (auto [dim, size] : llvm::zip_equal(shape.dim(), given->second)) {
    if (dim.dim_param().empty())
      continue;
    auto [it, inserted] = names.try_emplace(dim.dim_param(), Size{size});
    if (it->second.size != size && options.dims.contains(dim.dim_param()))
      errors.emit() << "--input-shape=" << input.name() << ":" << printList(given->second, "x")
                    << " contradicts --dim=" << dim.dim_param() << ":" << it->second.size;
    else
      it->second.isAmbiguous |= it->second.size != size;
  }
}

FailureOr<SmallVector<int64_t>> InputShapes::get(StringRef name, const onnx::TypeProto_Tensor &type,
                                                 const InputValue &value) {
  auto fits = [&](ArrayRef<int64_t> shape) {
    bool fits = !type.has_shape() || type.shape().dim_size() == (int)shape.size();
    for (int i = 0; fits && type.has_shape() && i < type.shape().dim_size(); ++i)
      // Some exporters write 0 for unknown sizes, too.
      fits = !isFixed(type.shape().dim(i)) || type.shape().dim(i).dim_value() == 0 ||
             type.shape().dim(i).dim_value() == shape[i];
    return fits;
  };
  auto given = options.inputShapes.find(name);
  if (given != options.inputShapes.end()) {
    const SmallVector<int64_t> &shape = given->second;
    if (fits(shape) && value.fits(shape))
      return shape;
    if (!fits(shape))
      return errors.emit() << "--input-shape=" << name << ":" << printList(shape, "x")
                           << " contradicts the model, whose shape is " << printShape(type.shape());
    return errors.emit() << "--input-shape=" << name << ":" << printList(shape, "x")
                         << " contradicts --input-value, which has " << value.describe();
  }
  if (value.hasShape()) {
    if (fits(value.getShape()))
      return llvm::to_vector(value.getShape());
    return errors.emit() << "--input-value=" << name << " has shape ["
                         << printList(value.getShape()) << "], but the model's is "
                         << printShape(type.shape());
  }
  if (!type.has_shape())
    return errors.emit() << "graph input '" << name
                         << "' has no shape; set it, for example with --input-shape=" << name
                         << ":1x3x224x224";
  SmallVector<int64_t> shape;
  for (const onnx::TensorShapeProto_Dimension &dim : type.shape().dim()) {
    auto bound = names.find(dim.dim_param());
    if (isFixed(dim))
      shape.push_back(dim.dim_value());
    else if (!dim.dim_param().empty() && bound != names.end() && !bound->second.isAmbiguous)
      shape.push_back(bound->second.size);
    else if (value.isList() && type.shape().dim_size() == 1)
      shape.push_back(value.getListSize());
    else
      return errors.emit() << "graph input '" << name << "' has dynamic shape "
                           << printShape(type.shape()) << ", and only static shapes are "
                           << "supported; set it, for example with " << proposeOptions(name, type);
  }
  if (value.fits(shape))
    return shape;
  return errors.emit() << "--input-value=" << name << " has " << value.describe()
                       << ", but the input's shape is [" << printList(shape) << "]";
}

/// The type of a tensor, or of an optional one, which is then always there. Null for others.
static const onnx::TypeProto_Tensor *getTensorType(const onnx::ValueInfoProto &input) {
  if (input.type().has_tensor_type())
    return &input.type().tensor_type();
  if (input.type().has_optional_type() &&
      input.type().optional_type().elem_type().has_tensor_type())
    return &input.type().optional_type().elem_type().tensor_type();
  return nullptr;
}

/// Reports options that name no input.
static void checkNames(ImportContext &shared, const onnx::GraphProto &graph, StringRef option,
                       SmallVector<StringRef> given) {
  llvm::sort(given);
  for (StringRef name : given) {
    SmallVector<StringRef> known;
    for (const onnx::ValueInfoProto &input : graph.input())
      known.push_back(input.name());
    if (!llvm::is_contained(known, name))
      shared.errors.emit() << option << " names '" << name
                           << "', but the graph's inputs are: " << llvm::join(known, ", ");
  }
}

SmallVector<GraphInput> mlir::ttc::collectGraphInputs(ImportContext &shared,
                                                      const OnnxGraph &graph) {
  const onnx::GraphProto &proto = graph.getProto();
  const OnnxImportOptions &options = shared.options;
  InputShapes shapes(options, shared.errors);
  for (const onnx::ValueInfoProto &input : proto.input())
    shapes.bindNames(input);

  SmallVector<GraphInput> inputs;
  for (const onnx::ValueInfoProto &input : proto.input()) {
    auto text = options.inputValues.find(input.name());
    const bool isFixed = text != options.inputValues.end();
    // A constant, unless a value is given, which replaces it.
    if (input.name().empty() || (graph.isInitializer(input.name()) && !isFixed))
      continue;
    // The node that uses the input tells users what the input is for.
    auto emitInputError = [&]() {
      auto diag = shared.errors.emit();
      diag << "graph input '" << input.name() << "'";
      for (const onnx::NodeProto &node : proto.node())
        if (llvm::is_contained(node.input(), input.name())) {
          diag << " (of " << node.op_type() << " node '" << getNodeName(node) << "')";
          break;
        }
      return diag;
    };
    const onnx::TypeProto_Tensor *type = getTensorType(input);
    if (!type) {
      emitInputError() << ": expected a tensor (sequences and maps are not supported)";
      continue;
    }
    Type elementType = getOnnxElementType(shared.context, type->elem_type());
    if (!elementType) {
      emitInputError() << " has element type " << getOnnxTypeName(type->elem_type())
                       << ", which is not supported (supported: " << getSupportedOnnxTypes() << ")";
      continue;
    }
    FailureOr<InputValue> value = InputValue();
    if (isFixed) {
      value = parseInputValue(text->second, elementType, [&] {
        return shared.errors.emit()
               << "--input-value=" << input.name() << "=" << text->second << ": ";
      });
      if (failed(value))
        continue;
    }
    FailureOr<SmallVector<int64_t>> shape = shapes.get(input.name(), *type, *value);
    if (failed(shape))
      continue;
    if (!getNumElementsChecked(*shape)) {
      emitInputError() << " has the impossible shape [" << printList(*shape) << "]";
      continue;
    }
    GraphInput result{input.name(), RankedTensorType::get(*shape, elementType), nullptr};
    if (isFixed)
      result.value = value->get(result.type, input.name());
    inputs.push_back(result);
  }
  for (const auto &dim : options.dims) {
    llvm::SetVector<StringRef> known;
    for (const onnx::ValueInfoProto &input : proto.input())
      if (const onnx::TypeProto_Tensor *type = getTensorType(input))
        for (const onnx::TensorShapeProto_Dimension &own : type->shape().dim())
          if (!own.dim_param().empty())
            known.insert(own.dim_param());
    if (!known.contains(dim.getKey()))
      shared.errors.emit() << "--dim names '" << dim.getKey()
                           << "', but the named dimensions of the graph's inputs are: "
                           << (known.empty() ? "none" : llvm::join(known, ", "));
  }
  checkNames(shared, proto, "--input-shape", llvm::to_vector(options.inputShapes.keys()));
  checkNames(shared, proto, "--input-value", llvm::to_vector(options.inputValues.keys()));
  return inputs;
}
