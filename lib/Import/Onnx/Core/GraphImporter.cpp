// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GraphImporter.h"

#include "HostOps.h"
#include "OnnxNode.h"

#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// Bodies in bodies, and calls in functions: also ends functions that call themselves.
static constexpr unsigned kMostDepth = 64;

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

/// The constant of an earlier import that has the same name and elements, or this one for later
/// imports.
static ElementsAttr share(ElementsAttr attr, StringRef name,
                          llvm::StringMap<ElementsAttr> &constants) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  if (!resource)
    return attr;
  ElementsAttr &known = constants[name];
  if (!known)
    known = attr;
  std::optional<ArrayRef<char>> bytes = viewConstantBytes(attr), others = viewConstantBytes(known);
  if (known == attr || known.getType() != attr.getType() || !bytes || !others || *bytes != *others)
    return attr;
  DenseResourceElementsHandle::getManagerInterface(attr.getContext())
      .update(resource.getRawHandle().getKey(), AsmResourceBlob());
  return known;
}

FailureOr<ElementsAttr> ImportContext::convertTensor(onnx::TensorProto &tensor, StringRef name,
                                                     EmitErrorFn emitError) {
  auto known = tensors.find(&tensor);
  if (known != tensors.end())
    return known->second;
  FailureOr<ElementsAttr> attr = convertOnnxTensor(tensor, name, modelPath, context, emitError);
  if (succeeded(attr) && options.constants)
    attr = share(*attr, name, *options.constants);
  if (succeeded(attr))
    tensors[&tensor] = *attr;
  return attr;
}

StringRef mlir::ttc::normalizeDomain(StringRef domain) {
  return domain.empty() ? StringRef("ai.onnx") : domain;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

GraphImporter::GraphImporter(ImportContext &shared, onnx::GraphProto &proto,
                             const OpsetVersions &opsets, std::string prefix,
                             const GraphImporter *outer)
    : shared(shared), opsets(opsets), prefix(std::move(prefix)), outer(outer),
      depth(outer ? outer->depth + 1 : 0),
      graph(proto, shared.errors, [this](StringRef name) { return isOuter(name); }) {
  for (const onnx::ValueInfoProto &value : proto.value_info())
    declared[value.name()] = &value;
  for (const onnx::ValueInfoProto &value : proto.output())
    declared[value.name()] = &value;
}

bool GraphImporter::isOmitted(StringRef name) const {
  return omitted.contains(name) || (outer && !values.contains(name) && outer->isOmitted(name));
}

bool GraphImporter::isOuter(StringRef name) const {
  return outer &&
         (outer->values.contains(name) || outer->graph.defines(name) || outer->isOuter(name));
}

std::string GraphImporter::qualify(StringRef name) const {
  const bool isOwn = values.contains(name) || graph.defines(name);
  return !isOwn && isOuter(name) ? outer->qualify(name) : prefix + name.str();
}

Value GraphImporter::getValue(StringRef name) {
  auto found = values.find(name);
  if (found != values.end())
    return found->second;
  Location loc = getNodeLoc(shared.context, name);
  auto emitError = [&] { return shared.errors.emit() << "initializer '" << name << "': "; };
  FailureOr<ElementsAttr> attr;
  // Created on first use, so unused initializers never become constants.
  if (onnx::TensorProto *initializer = graph.getInitializer(name))
    attr = shared.convertTensor(*initializer, name, emitError);
  else if (onnx::SparseTensorProto *sparse = graph.getSparseInitializer(name))
    attr = convertSparseTensor(*sparse, name, shared.context, shared.generatedBytes, emitError);
  else if (outer)
    return const_cast<GraphImporter *>(outer)->getValue(name);
  else
    return nullptr;
  Value value;
  if (succeeded(attr))
    value = ConstantOp::create(shared.builder, loc, *attr);
  else if (shared.attempts)
    return nullptr; // without an error, which the next import reports
  return values[name] = value;
}

std::optional<SmallVector<int64_t>> GraphImporter::getDeclaredShape(StringRef name,
                                                                    bool withNamed) const {
  auto given = shared.options.valueShapes.find(name);
  if (given != shared.options.valueShapes.end() && prefix.empty())
    return getNumElementsChecked(given->second) ? std::optional(given->second) : std::nullopt;
  const onnx::ValueInfoProto *value = declared.lookup(name);
  if (!value || !value->type().has_tensor_type() || !value->type().tensor_type().has_shape())
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (const onnx::TensorShapeProto_Dimension &dim : value->type().tensor_type().shape().dim()) {
    auto named = shared.options.dims.find(dim.dim_param());
    if (withNamed && named != shared.options.dims.end() && prefix.empty())
      shape.push_back(named->second);
    else if (dim.has_dim_value() && dim.dim_value() >= 0)
      shape.push_back(dim.dim_value());
    else
      return std::nullopt;
  }
  if (!getNumElementsChecked(shape))
    return std::nullopt;
  return shape;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

std::string GraphImporter::nameOf(const onnx::NodeProto &node) const {
  return prefix + getNodeName(node).str();
}

int64_t GraphImporter::getOpset(const onnx::NodeProto &node) const {
  return opsets.lookup(normalizeDomain(node.domain()));
}

InFlightDiagnostic GraphImporter::emitError(const onnx::NodeProto &node) {
  return shared.errors.emit() << "node '" << nameOf(node) << "' (" << node.op_type() << ", opset "
                              << getOpset(node) << "): ";
}

const onnx::FunctionProto *GraphImporter::findFunction(const onnx::NodeProto &node) const {
  return shared.functions.lookup(getFunctionKey(node.domain(), node.op_type(), getOverload(node)));
}

const OnnxOpEntry *GraphImporter::findEntry(const onnx::NodeProto &node, bool report) {
  std::string why;
  const StringRef domain = normalizeDomain(node.domain());
  const int64_t opset = getOpset(node);
  const bool isDefault = domain == "ai.onnx";
  const OnnxOpEntry *entry = OnnxRegistry::get().lookup(domain, node.op_type());
  if (!entry && !isDefault && !OnnxRegistry::get().hasDomain(domain)) {
    why = ("ops of the domain '" + domain + "' are not supported (supported: " +
           OnnxRegistry::get().printDomains() + ", and functions of the model)")
              .str();
  } else if (!entry) {
    why = "the op is not supported; docs/onnx-ops.md (ttc-translate --list-onnx-ops) lists the "
          "supported ops";
  } else if (isDefault && opset == 0) {
    why = "the model does not say which opset of the default domain it uses (supported: 7 to " +
          std::to_string(kNewestOpset) + ")";
    entry = nullptr;
  } else if (isDefault && (opset < entry->opsets.oldest || opset > entry->opsets.newest)) {
    why = ("the op is supported from opset " + Twine(entry->opsets.oldest) + " to " +
           Twine(entry->opsets.newest))
              .str();
    entry = nullptr;
  } else if (unsigned(node.input_size()) < entry->inputs.min ||
             unsigned(node.input_size()) > entry->inputs.max) {
    why = ("the node has " + Twine(node.input_size()) + " inputs, expected " +
           Twine(entry->inputs.min))
              .str();
    if (entry->inputs.isUnlimited())
      why += " or more";
    else if (entry->inputs.max != entry->inputs.min)
      why += " to " + std::to_string(entry->inputs.max);
    entry = nullptr;
  }
  if (!why.empty() && report)
    emitError(node) << why;
  return entry;
}

void GraphImporter::checkOpsAreSupported() {
  for (const onnx::NodeProto &node : graph.getProto().node()) {
    if (shared.errors.isFull())
      return;
    if (!findFunction(node) && !isHostOp(node, shared.options))
      findEntry(node, /*report=*/true);
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void GraphImporter::importNodes() {
  for (int index : graph.getOrder()) {
    if (shared.errors.isFull())
      return;
    importNode(*graph.getProto().mutable_node(index));
  }
}

LogicalResult GraphImporter::checkLimits(const onnx::NodeProto &node) {
  if (depth > kMostDepth)
    return emitError(node) << "expected bodies and functions nested at most " << kMostDepth
                           << " deep, found more";
  if (++shared.importedNodes > shared.options.nodeLimit)
    return emitError(node) << "expected at most " << shared.options.nodeLimit
                           << " nodes (--node-limit) with loops unrolled and functions inlined, "
                              "found more";
  return success();
}

FailureOr<SmallVector<Value>> GraphImporter::getInputs(const onnx::NodeProto &node) {
  SmallVector<Value> inputs;
  for (const std::string &name : node.input()) {
    Value value;
    if (!name.empty() && !(value = getValue(name)) && !isOmitted(name))
      return failure(); // reported at the node that failed
    inputs.push_back(value);
  }
  return inputs;
}

void GraphImporter::define(const onnx::NodeProto &node, StringRef name, Value value) {
  values[name] = value;
  // Engines differ in results that nothing uses, such as the mask of a Dropout.
  if (graph.isUsed(name))
    shared.kept.add(shared.options, node, prefix, name, value,
                    [this](StringRef input) { return qualify(input); });
}

/// Reports inputs that are sequences or empty optionals.
static void checkTensors(OnnxNode &node) {
  for (auto [i, value] : llvm::enumerate(node.allInputs()))
    if (value && !isa<RankedTensorType>(value.getType()))
      node.error() << "expected input " << i << " to be a tensor, found "
                   << (isa<TupleType>(value.getType()) ? "a sequence" : "an empty optional");
}

void GraphImporter::importNode(onnx::NodeProto &node) {
  if (failed(checkLimits(node)))
    return;
  if (isHostOp(node, shared.options))
    return importHosted(node);
  if (const onnx::FunctionProto *function = findFunction(node))
    return importCall(*function, node);
  // The nodes of the model itself have been checked, and what is wrong has been reported.
  const OnnxOpEntry *entry = findEntry(node, /*report=*/depth > 0);
  FailureOr<SmallVector<Value>> inputs = getInputs(node);
  if (!entry || failed(inputs))
    return;

  OnnxNode importing(node, getOpset(node), *this, nameOf(node), *inputs);
  for (auto [i, value] : llvm::enumerate(*inputs))
    if (!value && entry->inputs.isRequired(i))
      importing.error() << "input " << i << " is missing";
  if (!entry->takesSequences)
    checkTensors(importing);
  if (importing.hasFailed() || failed(entry->handler(importing)) ||
      failed(importing.checkAllAttrsUsed()) || importing.hasFailed()) {
    if (!importing.hasFailed())
      importing.error() << "cannot be imported";
    shared.errors.count();
    return;
  }
  ArrayRef<Value> results = importing.getResults();
  for (auto [i, name] : llvm::enumerate(node.output())) {
    if (name.empty())
      continue;
    if (i < results.size()) {
      define(node, name, results[i]);
    } else if (graph.isUsed(name)) {
      importing.error() << "output " << i << " ('" << name << "') is not supported (supported: "
                        << "the first " << results.size() << ")";
      shared.errors.count();
    }
  }
}

void GraphImporter::importHosted(onnx::NodeProto &node) {
  FailureOr<SmallVector<Value>> inputs = getInputs(node);
  if (failed(inputs))
    return;
  // A domain without a version has its first.
  const int64_t opset = std::max<int64_t>(getOpset(node), 1);
  OnnxNode importing(node, opset, *this, nameOf(node), *inputs);
  checkTensors(importing);
  auto findShape = [&](StringRef name) { return getDeclaredShape(name, /*withNamed=*/true); };
  auto convert = [&](onnx::TensorProto &tensor, StringRef name, EmitErrorFn emitError) {
    return shared.convertTensor(tensor, name, emitError);
  };
  HostOpContext context{shared.options, graph.getProto(), findShape, convert};
  FailureOr<SmallVector<Value>> results =
      importHostOp(node, importing, getNodeLoc(shared.context, nameOf(node)), context);
  if (failed(results))
    return shared.errors.count();
  for (auto [name, value] : llvm::zip_equal(node.output(), *results))
    if (value)
      define(node, name, value);
}

//===----------------------------------------------------------------------===//
// Bodies and functions
//===----------------------------------------------------------------------===//

/// Counts up to `most`: functions that call functions stand for any number of nodes.
static int64_t countNodesOf(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes,
                            const ImportContext &shared, int64_t most, unsigned depth) {
  int64_t count = 0;
  for (const onnx::NodeProto &node : nodes) {
    if (++count >= most || depth > kMostDepth)
      return most;
    for (const onnx::AttributeProto &attr : node.attribute())
      if (attr.has_g())
        count += countNodesOf(attr.g().node(), shared, most - count, depth + 1);
    if (const onnx::FunctionProto *function = shared.functions.lookup(
            getFunctionKey(node.domain(), node.op_type(), getOverload(node))))
      count += countNodesOf(function->node(), shared, most - count, depth + 1);
  }
  return std::min(count, most);
}

int64_t GraphImporter::countNodes(const onnx::GraphProto &body) const {
  return countNodesOf(body.node(), shared, int64_t(1) << 20, 0);
}

FailureOr<SmallVector<Value>>
GraphImporter::importBody(onnx::GraphProto &body, ArrayRef<Value> inputs, const Twine &step) const {
  const bool before = shared.errors.any();
  // Bodies without nodes count, too: nothing else ends a loop of them.
  if (++shared.importedNodes > shared.options.nodeLimit)
    return shared.errors.emit() << "the body '" << prefix << step << "': expected at most "
                                << shared.options.nodeLimit
                                << " nodes (--node-limit) with loops unrolled and functions "
                                   "inlined, found more";
  GraphImporter importer(shared, body, opsets, prefix + step.str() + "/", this);
  if (body.input_size() != static_cast<int>(inputs.size())) {
    shared.errors.emit() << "the body '" << prefix << step << "' has " << body.input_size()
                         << " inputs, expected " << inputs.size();
    return failure();
  }
  for (auto [input, value] : llvm::zip_equal(body.input(), inputs))
    importer.bind(input.name(), value);
  if (!before && shared.errors.any())
    return failure();
  importer.importNodes();
  return importer.getOutputs();
}

FailureOr<SmallVector<Value>> GraphImporter::getOutputs() {
  SmallVector<Value> outputs;
  for (const onnx::ValueInfoProto &output : graph.getProto().output()) {
    Value value = getValue(output.name());
    const bool isDefined = graph.defines(output.name()) || isOuter(output.name());
    if (!value && (!isDefined || isOmitted(output.name())))
      shared.errors.emit() << "output '" << output.name() << "' of '"
                           << StringRef(prefix).drop_back() << "' is "
                           << (isDefined ? "an omitted input" : "not defined");
    if (!value)
      return failure();
    outputs.push_back(value);
  }
  return outputs;
}

void GraphImporter::importCall(const onnx::FunctionProto &function, onnx::NodeProto &node) {
  FailureOr<SmallVector<Value>> inputs = getInputs(node);
  if (failed(inputs))
    return;
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
    emitError(node) << "the call has " << node.input_size() << " inputs and " << node.output_size()
                    << " outputs, expected at most the function's " << function.input_size()
                    << " and " << function.output_size();
    return;
  }
  // A function with a large constant can be called often.
  const auto bytes = static_cast<int64_t>(function.ByteSizeLong());
  if ((shared.generatedBytes += bytes) > kMostGenerated) {
    emitError(node) << "expected copies of functions and generated constants of at most "
                    << kMostGenerated << " bytes together, found more with the " << bytes
                    << " bytes of this function";
    return;
  }
  auto body = std::make_shared<onnx::GraphProto>(instantiateFunction(function, node));
  shared.instances.push_back(body);
  const OpsetVersions versions = getFunctionOpsets(function, opsets);
  // A function does not see the caller's names.
  GraphImporter importer(shared, *body, versions, nameOf(node) + "/");
  importer.depth = depth + 1;
  for (auto [i, name] : llvm::enumerate(function.input()))
    importer.bind(name, i < inputs->size() ? (*inputs)[i] : Value());
  importer.importNodes();
  for (auto [i, name] : llvm::enumerate(node.output())) {
    if (name.empty())
      continue;
    const std::string &result = function.output(i);
    const bool isDefined = importer.graph.defines(result);
    if (Value value = importer.getValue(result))
      define(node, name, value);
    else if (!isDefined || importer.isOmitted(result))
      emitError(node) << "output '" << result << "' of the function is "
                      << (isDefined ? "an omitted input" : "not defined");
  }
}
