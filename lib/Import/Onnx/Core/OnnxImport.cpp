// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Import/OnnxImport.h"
#include "lib/Import/LfsPointer.h"

#include "GraphImporter.h"
#include "OnnxInputs.h"
#include "OnnxNode.h"

#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/TtcDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/stubs/logging.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

static FailureOr<OpsetVersions> getOpsets(ImportContext &shared) {
  if (!shared.model.has_graph())
    return shared.errors.emit() << "the model has no graph";
  OpsetVersions versions;
  for (const onnx::OperatorSetIdProto &set : shared.model.opset_import())
    versions[normalizeDomain(set.domain())] = set.version();
  auto found = versions.find(normalizeDomain(""));
  if (found == versions.end()) {
    if (versions.empty())
      return shared.errors.emit() << "the model does not say which opset of the default domain it "
                                     "uses (supported: 7 to "
                                  << kNewestOpset << ")";
    return versions; // reported at a node that needs it
  }
  const int64_t opset = found->second;
  if (opset < kOldestOpset || opset > kNewestOpset)
    return shared.errors.emit() << "the model uses opset " << opset << ", which is "
                                << (opset < kOldestOpset ? "too old" : "too new")
                                << " (supported: 7 to " << kNewestOpset << ")";
  return versions;
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

static void importOutputs(ImportContext &shared, GraphImporter &importer, func::FuncOp function) {
  ImportErrors &errors = shared.errors;
  OpBuilder &builder = shared.builder;
  const OnnxGraph &graph = importer.getGraph();
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attrs;
  llvm::StringSet<> names;
  for (const onnx::ValueInfoProto &output : graph.getProto().output()) {
    Value value = importer.getValue(output.name());
    if (!value) {
      // The failure of its node has been reported.
      if (!graph.defines(output.name()))
        errors.emit() << "graph output '" << output.name() << "' is not defined";
      else if (!errors.any())
        errors.emit() << "graph output '" << output.name() << "' has no value";
      continue;
    }
    if (!isa<RankedTensorType>(value.getType())) {
      errors.emit() << "graph output '" << output.name()
                    << "': expected a tensor (sequences, maps and optionals are not supported)";
      continue;
    }
    if (!names.insert(output.name()).second) {
      errors.emit() << "graph output '" << output.name() << "' is listed twice";
      continue;
    }
    const onnx::TypeProto_Tensor &declared = output.type().tensor_type();
    Type elementType = getOnnxElementType(shared.context, declared.elem_type());
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
      FunctionType::get(shared.context, function.getArgumentTypes(),
                        llvm::map_to_vector(results, [](Value value) { return value.getType(); })));
  function.setAllResultAttrs(attrs);
}

/// Erases the constants of shapes that became attributes, and the ops of unused nodes.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Imports the model as a function of a new module.
static OwningOpRef<ModuleOp> importModel(ImportContext &shared) {
  ImportErrors &errors = shared.errors;
  OpBuilder &builder = shared.builder;
  FailureOr<OpsetVersions> opsets = getOpsets(shared);
  if (failed(opsets))
    return nullptr;
  collectFunctions(shared);
  GraphImporter importer(shared, *shared.model.mutable_graph(), *opsets);
  SmallVector<GraphInput> inputs = collectGraphInputs(shared, importer.getGraph());
  importer.checkOpsAreSupported();
  if (errors.isFull())
    return nullptr;

  Location loc = getNodeLoc(shared.context, shared.model.graph().name());
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  SmallVector<Type> argTypes;
  SmallVector<DictionaryAttr> argAttrs;
  for (const GraphInput &input : inputs) {
    if (input.value)
      continue;
    argTypes.push_back(input.type);
    argAttrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttrName, builder.getStringAttr(input.name))));
  }
  auto function = func::FuncOp::create(builder, loc, shared.options.functionName,
                                       builder.getFunctionType(argTypes, {}));
  function.setAllArgAttrs(argAttrs);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  auto arg = body->args_begin();
  for (const GraphInput &input : inputs) {
    Location inputLoc = getNodeLoc(shared.context, input.name);
    if (input.value) {
      importer.bind(input.name, ConstantOp::create(builder, inputLoc, input.value));
      continue;
    }
    arg->setLoc(inputLoc);
    importer.bind(input.name, *arg++);
  }

  importer.importNodes();
  importOutputs(shared, importer, function);
  if (errors.any())
    return nullptr;
  if (func::FuncOp observed = shared.kept.makeFunction(function))
    eraseDeadOps(observed.getBody().front());
  eraseDeadOps(*body);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

static bool hasExternalData(const onnx::GraphProto &graph) {
  return llvm::any_of(graph.initializer(), [](const onnx::TensorProto &tensor) {
    return tensor.data_location() == onnx::TensorProto::EXTERNAL;
  });
}

/// A trial proposes nothing.
static OwningOpRef<ModuleOp> importFile(const llvm::MemoryBuffer &buffer, MLIRContext *context,
                                        const OnnxImportOptions &options, bool isTrial) {
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
  if (isLfsPointer(buffer.getBuffer())) {
    fail() << "expected an ONNX model, found " << kLfsPointer;
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
  ImportContext shared(model, buffer.getBufferIdentifier(), context, options);
  // Weights are converted again in each trial.
  constexpr size_t kSmall = size_t(32) << 20;
  const bool isSmall = buffer.getBufferSize() < kSmall && !hasExternalData(model.graph());
  if (!isTrial)
    shared.isImported = [&buffer,
                         trials = isSmall ? 24 : 4](const OnnxImportOptions &others) mutable {
      if (trials-- <= 0)
        return false;
      MLIRContext context(MLIRContext::Threading::DISABLED);
      ScopedDiagnosticHandler silence(&context, [](Diagnostic &) { return success(); });
      OnnxImportOptions own = others;
      own.constants = nullptr; // of another context
      return static_cast<bool>(importFile(buffer, &context, own, /*isTrial=*/true));
    };
  return importModel(shared);
}

OwningOpRef<ModuleOp> mlir::ttc::importOnnx(const llvm::MemoryBuffer &buffer, MLIRContext *context,
                                            const OnnxImportOptions &options) {
  return importFile(buffer, context, options, /*isTrial=*/false);
}
