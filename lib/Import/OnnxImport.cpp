// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Import/OnnxImport.h"

#include "OnnxGraph.h"
#include "OnnxNode.h"
#include "OnnxRegistry.h"
#include "OnnxTensor.h"

#include "dialects/Ttc/TtcDialect.h"
#include "dialects/Ttc/TtcOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/stubs/logging.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
class Importer {
public:
  Importer(onnx::ModelProto &model, StringRef modelPath, MLIRContext *context,
           const OnnxImportOptions &options)
      : model(model), modelPath(modelPath), context(context), options(options),
        errors(FileLineColLoc::get(context, modelPath, 0, 0)), builder(context) {}

  OwningOpRef<ModuleOp> run();

private:
  LogicalResult checkModel();
  void checkOpsAreSupported(OnnxGraph &graph);
  /// The entry of a node's op; null if the op, its domain or its opset is not supported, which is
  /// an error if `report` is set.
  const OnnxOpEntry *findEntry(const onnx::NodeProto &node, bool report);
  void importNode(OnnxGraph &graph, onnx::NodeProto &node);
  /// The value of that name; null if its node failed, which has been reported.
  Value getValue(OnnxGraph &graph, StringRef name);
  void importOutputs(OnnxGraph &graph, func::FuncOp function);
  void eraseDeadOps(Block &block);
  Location locOf(const onnx::NodeProto &node) { return getNodeLoc(context, getNodeName(node)); }

  onnx::ModelProto &model;
  StringRef modelPath;
  MLIRContext *context;
  const OnnxImportOptions &options;
  ImportErrors errors;
  OpBuilder builder;
  int64_t opset = 0, generatedBytes = 0;
  llvm::StringMap<Value> values;
};
} // namespace

LogicalResult Importer::checkModel() {
  if (!model.has_graph())
    return errors.emit() << "the model has no graph";
  for (const onnx::OperatorSetIdProto &set : model.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx")
      opset = set.version();
  if (opset == 0)
    return errors.emit() << "the model does not say which opset of the default domain it uses "
                            "(supported: 7 to "
                         << kNewestOpset << ")";
  if (opset < kOldestOpset || opset > kNewestOpset)
    return errors.emit() << "the model uses opset " << opset << ", which is "
                         << (opset < kOldestOpset ? "too old" : "too new") << " (supported: 7 to "
                         << kNewestOpset << ")";
  return success();
}

const OnnxOpEntry *Importer::findEntry(const onnx::NodeProto &node, bool report) {
  std::string why;
  const OnnxOpEntry *entry = nullptr;
  if (!node.domain().empty() && node.domain() != "ai.onnx") {
    why = "ops of the domain '" + node.domain() + "' are not supported (supported: ai.onnx)";
  } else if (!(entry = OnnxRegistry::get().lookup(node.op_type()))) {
    why = "the op is not supported; docs/onnx-ops.md (ttc-translate --list-onnx-ops) lists the "
          "supported ops";
  } else if (opset < entry->opsets.oldest || opset > entry->opsets.newest) {
    why = ("the op is supported from opset " + Twine(entry->opsets.oldest) + " to " +
           Twine(entry->opsets.newest))
              .str();
    entry = nullptr;
  } else if (unsigned(node.input_size()) < entry->inputs.min ||
             unsigned(node.input_size()) > entry->inputs.max) {
    why = ("the node has " + Twine(node.input_size()) + " inputs, expected " +
           Twine(entry->inputs.min))
              .str();
    if (entry->inputs.max == Arity::kAny)
      why += " or more";
    else if (entry->inputs.max != entry->inputs.min)
      why += " to " + std::to_string(entry->inputs.max);
    entry = nullptr;
  }
  if (!why.empty() && report) {
    OnnxNode(const_cast<onnx::NodeProto &>(node), opset, modelPath, builder, locOf(node),
             errors.getLoc(), {}, generatedBytes)
            .error()
        << why;
    errors.count();
  }
  return entry;
}

void Importer::checkOpsAreSupported(OnnxGraph &graph) {
  for (const onnx::NodeProto &node : graph.getProto().node()) {
    if (errors.isFull())
      return;
    findEntry(node, /*report=*/true);
  }
}

Value Importer::getValue(OnnxGraph &graph, StringRef name) {
  auto found = values.find(name);
  if (found != values.end())
    return found->second;
  onnx::TensorProto *initializer = graph.getInitializer(name);
  if (!initializer)
    return nullptr;
  // Created on first use, so unused initializers never become constants.
  Location loc = getNodeLoc(context, name);
  FailureOr<ElementsAttr> attr = convertOnnxTensor(*initializer, name, modelPath, context, [&] {
    return errors.emit() << "initializer '" << name << "': ";
  });
  Value value;
  if (succeeded(attr))
    value = ConstantOp::create(builder, loc, *attr);
  return values[name] = value;
}

void Importer::importNode(OnnxGraph &graph, onnx::NodeProto &node) {
  const OnnxOpEntry *entry = findEntry(node, /*report=*/false);
  if (!entry)
    return;
  SmallVector<Value> inputs;
  for (const std::string &name : node.input()) {
    if (name.empty()) {
      inputs.push_back(nullptr);
      continue;
    }
    Value value = getValue(graph, name);
    if (!value) // reported at the node that failed
      return;
    inputs.push_back(value);
  }

  OnnxNode importing(node, opset, modelPath, builder, locOf(node), errors.getLoc(), inputs,
                     generatedBytes);
  for (unsigned i = 0; i < entry->inputs.min; ++i)
    // Optional inputs come after the required ones; variadic ops have none.
    if (!inputs[i])
      importing.error() << "input " << i << " is missing";
  if (importing.hasFailed() || failed(entry->handler(importing)) ||
      failed(importing.checkAllAttrsUsed()) || importing.hasFailed()) {
    if (!importing.hasFailed())
      importing.error() << "cannot be imported";
    errors.count();
    return;
  }
  ArrayRef<Value> results = importing.getResults();
  for (auto [i, name] : llvm::enumerate(node.output())) {
    if (name.empty())
      continue;
    if (i < results.size()) {
      values[name] = results[i];
    } else if (graph.isUsed(name)) {
      importing.error() << "output " << i << " ('" << name << "') is not supported (supported: "
                        << "the first " << results.size() << ")";
      errors.count();
    }
  }
}

/// Whether a declared shape (from an exporter or from shape inference) fits the computed one.
static bool isCompatible(const onnx::TypeProto_Tensor &declared, ArrayRef<int64_t> computed) {
  if (!declared.has_shape())
    return true;
  const auto &dims = declared.shape().dim();
  return size_t(dims.size()) == computed.size() &&
         llvm::all_of(llvm::zip_equal(dims, computed), [](auto pair) {
           auto &[dim, size] = pair;
           return !dim.has_dim_value() || dim.dim_value() <= 0 || dim.dim_value() == size;
         });
}

void Importer::importOutputs(OnnxGraph &graph, func::FuncOp function) {
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attrs;
  llvm::StringSet<> names;
  for (const onnx::ValueInfoProto &output : graph.getProto().output()) {
    Value value = getValue(graph, output.name());
    bool known = llvm::any_of(graph.getProto().node(), [&](const onnx::NodeProto &node) {
      return llvm::is_contained(node.output(), output.name());
    });
    if (!value) {
      // The failure of its node has been reported.
      if (!known && !graph.getInitializer(output.name()))
        errors.emit() << "graph output '" << output.name() << "' is not defined";
      continue;
    }
    if (!names.insert(output.name()).second) {
      errors.emit() << "graph output '" << output.name() << "' is listed twice";
      continue;
    }
    const onnx::TypeProto_Tensor &declared = output.type().tensor_type();
    Type elementType = getOnnxElementType(context, declared.elem_type());
    if (output.type().has_tensor_type() && declared.elem_type() &&
        elementType != elementTypeOf(value))
      errors.emit() << "graph output '" << output.name() << "' is declared as "
                    << getOnnxTypeName(declared.elem_type()) << ", but computed as "
                    << value.getType();
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    if (output.type().has_tensor_type() && !isCompatible(declared, shape))
      emitWarning(errors.getLoc())
          << "graph output '" << output.name() << "' is declared as "
          << printShape(declared.shape()) << ", but computed as [" << printList(shape) << "]";
    results.push_back(value);
    attrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttrName, builder.getStringAttr(output.name()))));
  }
  if (graph.getProto().output_size() == 0)
    errors.emit() << "the graph has no outputs";
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setFunctionType(
      FunctionType::get(context, function.getArgumentTypes(),
                        llvm::map_to_vector(results, [](Value value) { return value.getType(); })));
  function.setAllResultAttrs(attrs);
}

/// Erases the constants of shapes that became attributes, and the ops of unused nodes.
void Importer::eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

OwningOpRef<ModuleOp> Importer::run() {
  if (failed(checkModel()))
    return nullptr;
  OnnxGraph graph(*model.mutable_graph(), context, options, errors);
  checkOpsAreSupported(graph);
  if (errors.isFull())
    return nullptr;

  Location loc = getNodeLoc(context, model.graph().name());
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  SmallVector<Type> argTypes;
  SmallVector<DictionaryAttr> argAttrs;
  for (const GraphInput &input : graph.getInputs()) {
    argTypes.push_back(input.type);
    argAttrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttrName, builder.getStringAttr(input.name))));
  }
  auto function = func::FuncOp::create(builder, loc, options.functionName,
                                       builder.getFunctionType(argTypes, {}));
  function.setAllArgAttrs(argAttrs);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (auto [input, arg] : llvm::zip_equal(graph.getInputs(), body->getArguments())) {
    arg.setLoc(getNodeLoc(context, input.name));
    values[input.name] = arg;
  }

  for (int index : graph.getOrder()) {
    if (errors.isFull())
      return nullptr;
    importNode(graph, *graph.getProto().mutable_node(index));
  }
  importOutputs(graph, function);
  if (errors.any())
    return nullptr;
  eraseDeadOps(*body);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> mlir::ttc::importOnnx(const llvm::MemoryBuffer &buffer, MLIRContext *context,
                                            const OnnxImportOptions &options) {
  context->loadDialect<TtcDialect, func::FuncDialect>();
  auto fail = [&]() -> InFlightDiagnostic {
    return emitError(FileLineColLoc::get(context, buffer.getBufferIdentifier(), 0, 0));
  };
  constexpr size_t limit = std::numeric_limits<int>::max();
  if (buffer.getBufferSize() > limit) {
    fail() << "the file has " << buffer.getBufferSize()
           << " bytes; ONNX models beyond 2 GiB keep their weights in external data";
    return nullptr;
  }
  if (buffer.getBufferSize() == 0) {
    fail() << "the file is empty";
    return nullptr;
  }
  // Silence protobuf's own messages on stderr; ours name the file.
  google::protobuf::LogSilencer silencer;
  onnx::ModelProto model;
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(buffer.getBufferStart()),
      static_cast<int>(buffer.getBufferSize()));
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    fail() << "not an ONNX model, or damaged or cut off (found " << buffer.getBufferSize()
           << " bytes that protobuf cannot read as onnx.ModelProto, nested at most 100 deep)";
    return nullptr;
  }
  return Importer(model, buffer.getBufferIdentifier(), context, options).run();
}
