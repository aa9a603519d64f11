// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnnxGraph.h"

#include "OnnxTensor.h"

#include "llvm/ADT/PriorityQueue.h"
#include "llvm/ADT/StringExtras.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

StringRef mlir::ttc::getNodeName(const onnx::NodeProto &node) {
  return node.name().empty() && node.output_size() ? node.output(0) : node.name();
}

Location mlir::ttc::getNodeLoc(MLIRContext *context, StringRef name) {
  if (name.empty())
    return UnknownLoc::get(context);
  return NameLoc::get(StringAttr::get(context, name));
}

InFlightDiagnostic ImportErrors::emit() {
  ++errors;
  return emitError(file);
}

bool ImportErrors::isFull() {
  if (errors < kLimit)
    return false;
  if (!saidFull)
    emit() << "too many errors, stopped here";
  saidFull = true;
  return true;
}

OnnxGraph::OnnxGraph(onnx::GraphProto &graph, MLIRContext *context,
                     const OnnxImportOptions &options, ImportErrors &errors)
    : graph(graph), context(context), errors(errors) {
  collectInitializers();
  collectInputs(options);
  collectUses();
  sortNodes();
}

void OnnxGraph::collectInitializers() {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    if (tensor.name().empty())
      errors.emit() << "an initializer has no name";
    else if (!initializers.try_emplace(tensor.name(), &tensor).second)
      errors.emit() << "initializer '" << tensor.name() << "' is defined twice";
  }
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    errors.emit() << "initializer '" << tensor.values().name()
                  << "' is sparse, which is not supported (supported: dense tensors)";
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Whether the model sets the size. Exporters write 0 and -1 for unknown sizes.
static bool isFixed(const onnx::TensorShapeProto_Dimension &dim) {
  return dim.has_dim_value() && dim.dim_value() > 0;
}

/// An example for --input-shape, with 1 for each unknown size.
static std::string proposeShape(const onnx::TensorShapeProto &shape) {
  SmallVector<int64_t> sizes;
  for (const onnx::TensorShapeProto_Dimension &dim : shape.dim())
    sizes.push_back(isFixed(dim) ? dim.dim_value() : 1);
  return printList(sizes, "x");
}

std::string mlir::ttc::printShape(const onnx::TensorShapeProto &shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleave(
      shape.dim(), os,
      [&](const onnx::TensorShapeProto_Dimension &dim) {
        if (dim.has_dim_value())
          os << dim.dim_value();
        else
          os << (dim.dim_param().empty() ? "?" : StringRef(dim.dim_param()));
      },
      ", ");
  os << ']';
  return text;
}

namespace {
/// Determines the static shapes of inputs from the model, from --input-shape, and from named
/// dimensions that the --input-shape of another input sets.
class InputShapes {
public:
  InputShapes(const OnnxImportOptions &options, ImportErrors &errors)
      : options(options), errors(errors) {}

  /// Records the sizes of named dimensions.
  void bindNames(const onnx::ValueInfoProto &input);
  FailureOr<SmallVector<int64_t>> get(const onnx::ValueInfoProto &input);

private:
  const OnnxImportOptions &options;
  ImportErrors &errors;
  llvm::StringMap<int64_t> names;
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
    auto [it, inserted] = names.try_emplace(dim.dim_param(), size);
    if (!inserted && it->second != size)
      errors.emit() << "--input-shape gives the dimension '" << dim.dim_param() << "' two sizes, "
                    << it->second << " and " << size << " (input '" << input.name() << "')";
  }
}

FailureOr<SmallVector<int64_t>> InputShapes::get(const onnx::ValueInfoProto &input) {
  const onnx::TypeProto_Tensor &type = input.type().tensor_type();
  auto given = options.inputShapes.find(input.name());
  if (given != options.inputShapes.end()) {
    const SmallVector<int64_t> &shape = given->second;
    bool fits = !type.has_shape() || type.shape().dim_size() == (int)shape.size();
    for (int i = 0; fits && type.has_shape() && i < type.shape().dim_size(); ++i)
      fits = !isFixed(type.shape().dim(i)) || type.shape().dim(i).dim_value() == shape[i];
    if (fits)
      return shape;
    return errors.emit() << "--input-shape=" << input.name() << ":" << printList(shape, "x")
                         << " contradicts the model, whose shape is " << printShape(type.shape());
  }
  if (!type.has_shape())
    return errors.emit() << "graph input '" << input.name()
                         << "' has no shape; set it, for example with --input-shape="
                         << input.name() << ":1x3x224x224";
  SmallVector<int64_t> shape;
  for (const onnx::TensorShapeProto_Dimension &dim : type.shape().dim()) {
    auto bound = names.find(dim.dim_param());
    if (isFixed(dim))
      shape.push_back(dim.dim_value());
    else if (!dim.dim_param().empty() && bound != names.end())
      shape.push_back(bound->second);
    else
      return errors.emit() << "graph input '" << input.name() << "' has dynamic shape "
                           << printShape(type.shape()) << ", and only static shapes are "
                           << "supported; set it, for example with --input-shape=" << input.name()
                           << ":" << proposeShape(type.shape());
  }
  return shape;
}

void OnnxGraph::collectInputs(const OnnxImportOptions &options) {
  InputShapes shapes(options, errors);
  for (const onnx::ValueInfoProto &input : graph.input())
    shapes.bindNames(input);

  for (const onnx::ValueInfoProto &input : graph.input()) {
    // Up to IR version 3 every initializer is also an input. Here they are constants.
    if (initializers.contains(input.name()))
      continue;
    if (input.name().empty()) {
      errors.emit() << "a graph input has no name";
      continue;
    }
    if (!inputNames.insert(input.name()).second) {
      errors.emit() << "graph input '" << input.name() << "' is defined twice";
      continue;
    }
    // The node that uses the input tells users what the input is for.
    auto emitInputError = [&]() {
      auto diag = errors.emit();
      diag << "graph input '" << input.name() << "'";
      for (const onnx::NodeProto &node : graph.node())
        if (llvm::is_contained(node.input(), input.name())) {
          diag << " (of " << node.op_type() << " node '" << getNodeName(node) << "')";
          break;
        }
      return diag;
    };
    if (!input.type().has_tensor_type()) {
      emitInputError() << " must be a tensor (sequences, maps and optionals are not supported)";
      continue;
    }
    Type elementType = getOnnxElementType(context, input.type().tensor_type().elem_type());
    if (!elementType) {
      emitInputError() << " has element type "
                       << getOnnxTypeName(input.type().tensor_type().elem_type())
                       << ", which is not supported (supported: " << getSupportedOnnxTypes() << ")";
      continue;
    }
    FailureOr<SmallVector<int64_t>> shape = shapes.get(input);
    if (failed(shape))
      continue;
    if (!getNumElementsChecked(*shape)) {
      emitInputError() << " has the impossible shape [" << printList(*shape) << "]";
      continue;
    }
    inputs.push_back({input.name(), RankedTensorType::get(*shape, elementType)});
  }

  SmallVector<StringRef> unknown;
  for (const auto &entry : options.inputShapes)
    if (!inputNames.contains(entry.getKey()))
      unknown.push_back(entry.getKey());
  llvm::sort(unknown);
  for (StringRef name : unknown) {
    SmallVector<StringRef> known;
    for (const onnx::ValueInfoProto &input : graph.input())
      if (inputNames.contains(input.name()))
        known.push_back(input.name());
    errors.emit() << "--input-shape names '" << name
                  << "', but the graph's inputs are: " << llvm::join(known, ", ");
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void OnnxGraph::collectUses() {
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &name : node.input())
      used.insert(name);
  for (const onnx::ValueInfoProto &output : graph.output())
    used.insert(output.name());
}

void OnnxGraph::sortNodes() {
  const int count = graph.node_size();
  llvm::StringMap<int> producers;
  for (int i = 0; i < count; ++i)
    for (const std::string &name : graph.node(i).output()) {
      if (name.empty())
        continue;
      if (!producers.try_emplace(name, i).second || inputNames.contains(name) ||
          initializers.contains(name))
        errors.emit() << "value '" << name << "' is defined twice (again by node '"
                      << getNodeName(graph.node(i)) << "', " << graph.node(i).op_type() << ")";
    }

  SmallVector<SmallVector<int, 2>> consumers(count);
  SmallVector<int> waitsFor(count, 0);
  for (int i = 0; i < count; ++i) {
    const onnx::NodeProto &node = graph.node(i);
    for (const std::string &name : node.input()) {
      if (name.empty() || initializers.contains(name) || inputNames.contains(name))
        continue;
      auto producer = producers.find(name);
      if (producer == producers.end()) {
        errors.emit() << "node '" << getNodeName(node) << "' (" << node.op_type() << ") uses '"
                      << name << "', which no node, initializer or graph input defines";
        continue;
      }
      consumers[producer->second].push_back(i);
      ++waitsFor[i];
    }
  }

  // The specification requires sorted nodes. If they are not sorted, nodes that are ready keep the
  // order of the file.
  llvm::PriorityQueue<int, std::vector<int>, std::greater<int>> ready;
  for (int i = 0; i < count; ++i)
    if (waitsFor[i] == 0)
      ready.push(i);
  while (!ready.empty()) {
    int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (int consumer : consumers[node])
      if (--waitsFor[consumer] == 0)
        ready.push(consumer);
  }
  if ((int)order.size() == count)
    return;
  // Each remaining node waits for another remaining node, so following them leads to a cycle.
  int node = llvm::find_if(waitsFor, [](int n) { return n > 0; }) - waitsFor.begin();
  for (int steps = 0; steps < count; ++steps)
    for (const std::string &name : graph.node(node).input()) {
      auto producer = producers.find(name);
      if (producer == producers.end() || waitsFor[producer->second] == 0)
        continue;
      node = producer->second;
      break;
    }
  errors.emit() << "the graph has a cycle through node '" << getNodeName(graph.node(node)) << "' ("
                << graph.node(node).op_type() << ")";
}
