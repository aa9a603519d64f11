// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnnxInputs.h"
#include "lib/Import/Tensors/TensorBuilder.h"

#include "InputValues.h"
#include "OnnxGraph.h"
#include "ShapeProposals.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

bool mlir::ttc::isFixedSize(const onnx::TensorShapeProto_Dimension &dim) {
  return dim.has_dim_value() && dim.dim_value() >= 0;
}

/// "--input-shape=x:1x3", as the caller writes it.
static std::string spellShape(StringRef name, ArrayRef<int64_t> shape) {
  return spell(Setting{"input-shape", name.str(), printList(shape, "x")});
}

namespace {
/// Determines the static shapes of inputs from the model, from --input-shape, and from named
/// dimensions that the --input-shape of another input sets.
class InputShapes {
public:
  explicit InputShapes(ImportContext &shared)
      : shared(shared), options(shared.options), errors(shared.errors), proposals(shared.model) {
    for (const auto &dim : options.dims)
      names.try_emplace(dim.getKey(), Size{dim.getValue()});
  }

  /// Records the sizes of named dimensions.
  void bindNames(const onnx::ValueInfoProto &input);
  /// The shape of an input, which has the value if one is given.
  FailureOr<SmallVector<int64_t>> get(StringRef name, const onnx::TypeProto_Tensor &type,
                                      const InputValue &value);
  /// Proposes a shape for each input that lacks one, in a note of the last such error.
  void propose();

private:
  /// The size that a name has in all inputs.
  std::optional<int64_t> findSize(StringRef name) const {
    auto found = names.find(name);
    if (name.empty() || found == names.end() || found->second.isAmbiguous)
      return std::nullopt;
    return found->second.size;
  }
  InFlightDiagnostic &reportOpen(StringRef name, const onnx::TypeProto_Tensor &type);

  ImportContext &shared;
  const OnnxImportOptions &options;
  ImportErrors &errors;
  struct Size {
    int64_t size = 0;
    /// Two inputs give the name different sizes, which then says nothing about a third.
    bool isAmbiguous = false;
  };
  llvm::StringMap<Size> names;
  ShapeProposals proposals;
  std::optional<InFlightDiagnostic> lastOpen;
};
} // namespace

InFlightDiagnostic &InputShapes::reportOpen(StringRef name, const onnx::TypeProto_Tensor &type) {
  proposals.add(name, type, [&](StringRef symbol) {
    return names.lookup(symbol).isAmbiguous ? std::optional<int64_t>(-1) : findSize(symbol);
  });
  lastOpen.reset(); // is reported
  lastOpen.emplace(errors.emit());
  return *lastOpen << "graph input '" << name << "' ";
}

void InputShapes::propose() {
  if (lastOpen && shared.isImported)
    proposals.attachTo(*lastOpen->getUnderlyingDiagnostic(), options, shared.isImported);
  lastOpen.reset();
}

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
      errors.emit() << spellShape(input.name(), given->second) << " contradicts "
                    << spell(Setting{"dim", dim.dim_param(), std::to_string(it->second.size)});
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
      fits = !isFixedSize(type.shape().dim(i)) || type.shape().dim(i).dim_value() == 0 ||
             type.shape().dim(i).dim_value() == shape[i];
    return fits;
  };
  auto given = options.inputShapes.find(name);
  if (given != options.inputShapes.end()) {
    const SmallVector<int64_t> &shape = given->second;
    if (fits(shape) && value.fits(shape))
      return shape;
    if (!fits(shape))
      return errors.emit() << spellShape(name, shape) << " contradicts the model, whose shape is "
                           << printShape(type.shape());
    return errors.emit() << spellShape(name, shape) << " contradicts --input-value, which has "
                         << value.describe();
  }
  if (value.hasShape()) {
    if (fits(value.getShape()))
      return llvm::to_vector(value.getShape());
    return errors.emit() << "--input-value=" << name << " has shape ["
                         << printList(value.getShape()) << "], but the model's is "
                         << printShape(type.shape());
  }
  if (!type.has_shape())
    return reportOpen(name, type) << "has no shape";
  SmallVector<int64_t> shape;
  for (const onnx::TensorShapeProto_Dimension &dim : type.shape().dim()) {
    if (isFixedSize(dim))
      shape.push_back(dim.dim_value());
    else if (std::optional<int64_t> size = findSize(dim.dim_param()))
      shape.push_back(*size);
    else if (value.isList() && type.shape().dim_size() == 1)
      shape.push_back(value.getListSize());
    else
      return reportOpen(name, type) << "has dynamic shape " << printShape(type.shape())
                                    << "; expected a size for each dimension";
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

std::string mlir::ttc::getDimName(StringRef input, int axis) {
  return (input + "." + Twine(axis)).str();
}

/// Gives open dimensions without a name one of their own, unless the model has it already, and
/// replaces aliases. Reports aliases that no dimension has.
static void nameDimensions(ImportContext &shared) {
  onnx::GraphProto &graph = *shared.model.mutable_graph();
  llvm::SetVector<StringRef> taken;
  auto forEachDim = [&](auto callback) {
    for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
      onnx::TypeProto &type = *input.mutable_type();
      if (!getTensorType(input))
        continue;
      onnx::TypeProto_Tensor &tensor =
          type.has_tensor_type()
              ? *type.mutable_tensor_type()
              : *type.mutable_optional_type()->mutable_elem_type()->mutable_tensor_type();
      for (int axis = 0; axis < tensor.shape().dim_size(); ++axis)
        callback(input.name(), axis, *tensor.mutable_shape()->mutable_dim(axis));
    }
  };
  auto take = [&](StringRef, int, const onnx::TensorShapeProto_Dimension &dim) {
    if (!dim.dim_param().empty())
      taken.insert(dim.dim_param());
  };
  forEachDim(take);
  forEachDim([&](StringRef input, int axis, onnx::TensorShapeProto_Dimension &dim) {
    const std::string name = getDimName(input, axis);
    if (!isFixedSize(dim) && dim.dim_param().empty() && !input.empty() && !taken.contains(name))
      dim.set_dim_param(name);
  });
  taken.clear();
  forEachDim(take);
  for (const auto &alias : shared.options.dimAliases)
    for (StringRef name : {alias.getKey(), StringRef(alias.getValue())})
      if (!taken.contains(name))
        shared.errors.emit() << spell("dim") << " names '" << name
                             << "', but the open dimensions of the graph's inputs are: "
                             << (taken.empty() ? "none" : llvm::join(taken, ", "));
  forEachDim([&](StringRef, int, onnx::TensorShapeProto_Dimension &dim) {
    if (auto alias = shared.options.dimAliases.find(dim.dim_param());
        alias != shared.options.dimAliases.end())
      dim.set_dim_param(alias->second);
  });
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

/// The values by names of inputs. Which '=' ends a name that contains some is known only here: the
/// longest name that fits is taken.
static llvm::StringMap<std::string> splitAtNames(const llvm::StringMap<std::string> &given,
                                                 const onnx::GraphProto &graph) {
  llvm::StringMap<std::string> values;
  for (const auto &entry : given) {
    const std::string text = (entry.getKey() + "=" + entry.getValue()).str();
    StringRef best = entry.getKey();
    bool isFound = false;
    for (const onnx::ValueInfoProto &input : graph.input())
      if (StringRef(text).starts_with(input.name() + "=") &&
          text.size() > input.name().size() + 1 &&
          (!isFound || input.name().size() > best.size())) {
        best = input.name();
        isFound = true;
      }
    values[best] = text.substr(best.size() + 1);
  }
  return values;
}

SmallVector<GraphInput> mlir::ttc::collectGraphInputs(ImportContext &shared,
                                                      const OnnxGraph &graph) {
  nameDimensions(shared);
  const onnx::GraphProto &proto = graph.getProto();
  const OnnxImportOptions &options = shared.options;
  const llvm::StringMap<std::string> inputValues = splitAtNames(options.inputValues, proto);
  InputShapes shapes(shared);
  for (const onnx::ValueInfoProto &input : proto.input())
    shapes.bindNames(input);

  SmallVector<GraphInput> inputs;
  for (const onnx::ValueInfoProto &input : proto.input()) {
    auto text = inputValues.find(input.name());
    const bool isFixed = text != inputValues.end();
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
      shared.errors.emit()
          << spell(llvm::is_contained(options.histogram.dims, dim.getKey()) ? "dims-from" : "dim")
          << " names '" << dim.getKey() << "', but the named dimensions of the graph's inputs are: "
          << (known.empty() ? "none" : llvm::join(known, ", "))
          << (options.prefix.empty() ? "" : "; of several models, one alone has 'entry/name'");
  }
  shapes.propose();
  checkNames(shared, proto, spell("input-shape"), llvm::to_vector(options.inputShapes.keys()));
  checkNames(shared, proto, "--input-value", llvm::to_vector(inputValues.keys()));
  return inputs;
}
