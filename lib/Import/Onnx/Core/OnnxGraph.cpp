// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnnxGraph.h"

#include "OnnxTensor.h"

#include "llvm/ADT/PriorityQueue.h"
#include "llvm/ADT/SmallSet.h"
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

OnnxGraph::OnnxGraph(onnx::GraphProto &graph, ImportErrors &errors,
                     llvm::function_ref<bool(StringRef)> isOuter)
    : graph(graph), errors(errors) {
  checkNames();
  collectInitializers();
  collectInputs();
  collectUses();
  sortNodes(isOuter);
}

/// The C API and command lines end a name at a zero.
void OnnxGraph::checkNames() {
  auto check = [&](const char *what, StringRef name) {
    if (name.contains('\0'))
      errors.emit() << "expected names without NUL characters, found " << what << " '" << name
                    << "'";
  };
  for (const onnx::ValueInfoProto &input : graph.input())
    check("the graph input", input.name());
  for (const onnx::ValueInfoProto &output : graph.output())
    check("the graph output", output.name());
  for (const onnx::TensorProto &tensor : graph.initializer())
    check("the initializer", tensor.name());
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    check("the initializer", tensor.values().name());
  for (const onnx::NodeProto &node : graph.node()) {
    check("the node", node.name());
    check("the op", node.op_type());
    check("the domain", node.domain());
    for (const std::string &name : node.output())
      if (name != node.name())
        check("the value", name);
  }
}

void OnnxGraph::collectInitializers() {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    if (tensor.name().empty())
      errors.emit() << "an initializer has no name";
    else if (!initializers.try_emplace(tensor.name(), &tensor).second)
      errors.emit() << "initializer '" << tensor.name() << "' is defined twice";
  }
  for (onnx::SparseTensorProto &tensor : *graph.mutable_sparse_initializer()) {
    StringRef name = tensor.values().name();
    if (name.empty())
      errors.emit() << "a sparse initializer has no name";
    else if (initializers.contains(name) || !sparseInitializers.try_emplace(name, &tensor).second)
      errors.emit() << "initializer '" << name << "' is defined twice";
  }
}

void OnnxGraph::collectInputs() {
  for (const onnx::ValueInfoProto &input : graph.input()) {
    // Up to IR version 3 every initializer is also an input. Here they are constants.
    if (isInitializer(input.name()))
      continue;
    if (input.name().empty())
      errors.emit() << "a graph input has no name";
    else if (!inputNames.insert(input.name()).second)
      errors.emit() << "graph input '" << input.name() << "' is defined twice";
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Calls `use` with each name that a node uses, also in the bodies of its attributes, where names
/// that a body defines itself are left out.
static void forEachUse(const onnx::NodeProto &node, llvm::function_ref<void(StringRef)> use) {
  auto visit = [&](const onnx::GraphProto &body) {
    llvm::StringSet<> own;
    for (const onnx::ValueInfoProto &input : body.input())
      own.insert(input.name());
    for (const onnx::TensorProto &tensor : body.initializer())
      own.insert(tensor.name());
    for (const onnx::SparseTensorProto &tensor : body.sparse_initializer())
      own.insert(tensor.values().name());
    for (const onnx::NodeProto &inner : body.node())
      for (const std::string &name : inner.output())
        own.insert(name);
    auto useOuter = [&](StringRef name) {
      if (!own.contains(name))
        use(name);
    };
    for (const onnx::NodeProto &inner : body.node())
      forEachUse(inner, useOuter);
    for (const onnx::ValueInfoProto &output : body.output())
      useOuter(output.name());
  };
  for (const std::string &name : node.input())
    if (!name.empty())
      use(name);
  for (const onnx::AttributeProto &attr : node.attribute()) {
    if (attr.has_g())
      visit(attr.g());
    for (const onnx::GraphProto &body : attr.graphs())
      visit(body);
  }
}

void OnnxGraph::collectUses() {
  for (const onnx::NodeProto &node : graph.node())
    forEachUse(node, [&](StringRef name) { used.insert(name); });
  for (const onnx::ValueInfoProto &output : graph.output())
    used.insert(output.name());
}

void OnnxGraph::sortNodes(llvm::function_ref<bool(StringRef)> isOuter) {
  const int count = graph.node_size();
  for (int i = 0; i < count; ++i)
    for (const std::string &name : graph.node(i).output()) {
      if (name.empty())
        continue;
      if (!producers.try_emplace(name, i).second || inputNames.contains(name) ||
          isInitializer(name))
        errors.emit() << "value '" << name << "' is defined twice (again by node '"
                      << getNodeName(graph.node(i)) << "', " << graph.node(i).op_type() << ")";
    }

  SmallVector<SmallVector<int, 2>> consumers(count);
  SmallVector<int> waitsFor(count, 0);
  for (int i = 0; i < count; ++i) {
    if (errors.isFull())
      return;
    const onnx::NodeProto &node = graph.node(i);
    for (const std::string &name : node.input())
      if (!name.empty() && !defines(name) && !isOuter(name))
        errors.emit() << "node '" << getNodeName(node) << "' (" << node.op_type() << ") uses '"
                      << name << "', which no node, initializer or graph input defines";
    llvm::SmallSet<int, 4> waiting;
    forEachUse(node, [&](StringRef name) {
      auto producer = producers.find(name);
      if (producer == producers.end() || inputNames.contains(name) || isInitializer(name) ||
          !waiting.insert(producer->second).second)
        return;
      consumers[producer->second].push_back(i);
      ++waitsFor[i];
    });
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
  for (int steps = 0; steps < count; ++steps) {
    int next = node;
    forEachUse(graph.node(node), [&](StringRef name) {
      auto producer = producers.find(name);
      if (next == node && producer != producers.end() && waitsFor[producer->second] > 0)
        next = producer->second;
    });
    node = next;
  }
  errors.emit() << "the graph has a cycle through node '" << getNodeName(graph.node(node)) << "' ("
                << graph.node(node).op_type() << ")";
}
