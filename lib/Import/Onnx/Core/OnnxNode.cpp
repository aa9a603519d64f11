// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnnxNode.h"
#include "GraphImporter.h"

#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Interfaces/ExecutionInterfaces.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

/// Elements of the largest input that describes a shape: pads, axes, sizes.
static constexpr int64_t kMostDescribing = 1 << 16;

OnnxNode::OnnxNode(onnx::NodeProto &proto, int64_t opset, const GraphImporter &importer,
                   std::string name, ArrayRef<Value> inputs)
    : TensorBuilder(importer.getShared().builder, getNodeLoc(importer.getShared().context, name),
                    importer.getShared().generatedBytes, importer.getShared().options.unfolded),
      proto(proto), opsetVersion(opset), importer(importer), shared(importer.getShared()),
      name(std::move(name)), inputs(inputs) {}

StringRef OnnxNode::opType() const { return proto.op_type(); }

bool OnnxNode::isOneOfSeveralSizes() const { return shared.options.isOneOfSeveralSizes; }

bool OnnxNode::canRepeat() const {
  return !shared.options.isOneOfSeveralSizes && !shared.options.isDivided &&
         !shared.options.keepsValues;
}

std::string OnnxNode::describe() const {
  return ("node '" + name + "' (" + opType() + ", opset " + Twine(opsetVersion) + ")").str();
}

InFlightDiagnostic OnnxNode::startError() {
  return mlir::emitError(shared.errors.getLoc()) << describe() << ": ";
}

InFlightDiagnostic OnnxNode::warning() {
  return mlir::emitWarning(shared.errors.getLoc()) << describe() << ": ";
}

//===----------------------------------------------------------------------===//
// Constant inputs
//===----------------------------------------------------------------------===//

template <typename T>
static FailureOr<SmallVector<T>> readConstantInput(OnnxNode &node, unsigned index, StringRef what) {
  ElementsAttr attr;
  if (!node.hasInput(index))
    return node.error() << "input " << index << " (" << what << ") is missing";
  if (!matchPattern(node.input(index), m_Constant(&attr)))
    return node.error() << "expected input " << index << " (" << what
                        << ") to be constant, found a value that is computed at run time: ttc "
                           "compiles static shapes"
                        << node.describeOrigin(node.input(index))
                        << (node.takesDeclaredShape() ? node.describeShapeOption() : "");
  if (attr.getNumElements() > kMostDescribing)
    return node.error() << "expected input " << index << " (" << what << ") to have at most "
                        << kMostDescribing << " elements, found " << attr.getType();
  FailureOr<SmallVector<T>> values = readElements<T>(attr);
  if (failed(values))
    return node.error() << "input " << index << " (" << what << ") has unsupported type "
                        << attr.getType();
  return values;
}

FailureOr<SmallVector<int64_t>> OnnxNode::constantInts(unsigned index, StringRef what) {
  if (hasInput(index) && isa<FloatType>(elementTypeOf(inputs[index])))
    return error() << "expected input " << index << " (" << what << ") to hold integers, found "
                   << inputs[index].getType();
  return readConstantInput<int64_t>(*this, index, what);
}

bool OnnxNode::isConstantInput(unsigned index) const {
  return hasInput(index) && matchPattern(input(index), m_Constant());
}

FailureOr<SmallVector<double>> OnnxNode::constantNumbers(unsigned index, StringRef what) {
  return readConstantInput<double>(*this, index, what);
}

/// The only one of an input's values.
template <typename T>
static FailureOr<T> getOnly(OnnxNode &node, unsigned index, StringRef what,
                            const FailureOr<SmallVector<T>> &values) {
  if (failed(values))
    return failure();
  if (values->size() != 1)
    return node.error() << "expected input " << index << " (" << what
                        << ") to be one number, found " << values->size();
  return values->front();
}

FailureOr<int64_t> OnnxNode::constantInt(unsigned index, StringRef what) {
  return getOnly(*this, index, what, constantInts(index, what));
}

FailureOr<double> OnnxNode::constantNumber(unsigned index, StringRef what) {
  return getOnly(*this, index, what, constantNumbers(index, what));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const onnx::AttributeProto *OnnxNode::findAttr(StringRef name) const {
  for (const onnx::AttributeProto &attr : proto.attribute())
    if (attr.name() == name)
      return &attr;
  return nullptr;
}

static StringRef attrTypeName(int type) {
  return onnx::AttributeProto_AttributeType_IsValid(type)
             ? StringRef(onnx::AttributeProto_AttributeType_Name(
                   onnx::AttributeProto_AttributeType(type)))
             : "unknown";
}

onnx::AttributeProto *OnnxNode::useAttr(StringRef name, int type) {
  auto *found = const_cast<onnx::AttributeProto *>(findAttr(name));
  if (!found)
    return nullptr;
  usedAttrs.insert(name);
  int actual = found->type();
  // Files of IR version 1 do not state the type.
  if (!found->has_type() || actual == onnx::AttributeProto::UNDEFINED) {
    if (found->has_f())
      actual = onnx::AttributeProto::FLOAT;
    else if (found->has_i())
      actual = onnx::AttributeProto::INT;
    else if (found->has_s())
      actual = onnx::AttributeProto::STRING;
    else if (found->has_t())
      actual = onnx::AttributeProto::TENSOR;
    else if (found->has_g())
      actual = onnx::AttributeProto::GRAPH;
    else
      actual = type;
  }
  if (actual == type)
    return found;
  error() << "expected attribute '" << name << "' to be of type " << attrTypeName(type)
          << ", found " << attrTypeName(actual);
  return nullptr;
}

int64_t OnnxNode::getInt(StringRef name, int64_t defaultValue) {
  const onnx::AttributeProto *attr = useAttr(name, onnx::AttributeProto::INT);
  return attr ? attr->i() : defaultValue;
}

double OnnxNode::getFloat(StringRef name, double defaultValue) {
  const onnx::AttributeProto *attr = useAttr(name, onnx::AttributeProto::FLOAT);
  return attr ? attr->f() : defaultValue;
}

StringRef OnnxNode::getString(StringRef name, StringRef defaultValue) {
  const onnx::AttributeProto *attr = useAttr(name, onnx::AttributeProto::STRING);
  return attr ? StringRef(attr->s()) : defaultValue;
}

SmallVector<int64_t> OnnxNode::getInts(StringRef name, ArrayRef<int64_t> defaultValue) {
  const onnx::AttributeProto *attr = useAttr(name, onnx::AttributeProto::INTS);
  return attr ? SmallVector<int64_t>(attr->ints().begin(), attr->ints().end())
              : SmallVector<int64_t>(defaultValue);
}

SmallVector<float> OnnxNode::getFloats(StringRef name, ArrayRef<float> defaultValue) {
  const onnx::AttributeProto *attr = useAttr(name, onnx::AttributeProto::FLOATS);
  return attr ? SmallVector<float>(attr->floats().begin(), attr->floats().end())
              : SmallVector<float>(defaultValue);
}

SmallVector<StringRef> OnnxNode::getStrings(StringRef name) {
  const onnx::AttributeProto *attr = useAttr(name, onnx::AttributeProto::STRINGS);
  return attr ? SmallVector<StringRef>(attr->strings().begin(), attr->strings().end())
              : SmallVector<StringRef>();
}

ElementsAttr OnnxNode::getTensor(StringRef name) {
  onnx::AttributeProto *attr = useAttr(name, onnx::AttributeProto::TENSOR);
  if (!attr)
    return nullptr;
  // Named after the result of the node, like an initializer.
  FailureOr<ElementsAttr> tensor =
      shared.convertTensor(*attr->mutable_t(), proto.output_size() ? proto.output(0) : proto.name(),
                           [&] { return error() << "attribute '" << name << "': "; });
  return succeeded(tensor) ? *tensor : nullptr;
}

ElementsAttr OnnxNode::getSparseTensor(StringRef name) {
  const onnx::AttributeProto *attr = useAttr(name, onnx::AttributeProto::SPARSE_TENSOR);
  if (!attr)
    return nullptr;
  FailureOr<ElementsAttr> tensor = convertSparseTensor(
      attr->sparse_tensor(), proto.output_size() ? proto.output(0) : proto.name(), context(),
      shared.generatedBytes, [&] { return error() << "attribute '" << name << "': "; });
  return succeeded(tensor) ? *tensor : nullptr;
}

onnx::GraphProto *OnnxNode::getGraph(StringRef name) {
  onnx::AttributeProto *attr = useAttr(name, onnx::AttributeProto::GRAPH);
  if (!attr && !hasFailed())
    error() << "attribute '" << name << "' is missing";
  return attr ? attr->mutable_g() : nullptr;
}

SmallVector<double> OnnxNode::getTensorNumbers(StringRef name) {
  ElementsAttr tensor = getTensor(name);
  if (!tensor)
    return {};
  FailureOr<SmallVector<double>> numbers = readElements<double>(tensor);
  if (succeeded(numbers))
    return *numbers;
  error() << "attribute '" << name << "' has unsupported type " << tensor.getType();
  return {};
}

void OnnxNode::ignoreAttrs(ArrayRef<StringRef> names) {
  for (StringRef name : names)
    usedAttrs.insert(name);
}

int64_t OnnxNode::getAxis(StringRef name, int64_t defaultValue, int64_t rank) {
  int64_t axis = getInt(name, defaultValue);
  if (failed(normalizeAxes(axis, rank)))
    return 0;
  return axis;
}

LogicalResult OnnxNode::normalizeAxes(MutableArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t &axis : axes) {
    if (axis < -rank || axis >= rank)
      return error() << "axis " << axis << " is out of range for a tensor of rank " << rank;
    if (axis < 0)
      axis += rank;
    if (!seen.insert(axis).second)
      return error() << "axis " << axis << " is given twice";
  }
  return success();
}

LogicalResult OnnxNode::checkAllAttrsUsed() {
  llvm::StringSet<> seen;
  for (const onnx::AttributeProto &attr : proto.attribute()) {
    if (!seen.insert(attr.name()).second)
      return error() << "attribute '" << attr.name() << "' is given twice";
    if (!usedAttrs.contains(attr.name())) {
      auto used = usedAttrs.keys();
      SmallVector<StringRef> names(used.begin(), used.end());
      llvm::sort(names);
      auto diag = error() << "attribute '" << attr.name() << "' is not supported";
      if (!names.empty())
        diag << " (supported here: " << llvm::join(names, ", ") << ")";
      return diag;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What must hold
//===----------------------------------------------------------------------===//

void OnnxNode::require(Value holds, const Twine &what) {
  ElementsAttr known;
  if (!holds || isOneOfSeveralSizes())
    return;
  if (!shared.executes && matchPattern(holds, m_Constant(&known)) && !*known.value_begin<bool>())
    error() << what;
  Value fails = create<NotOp>(reshape(holds, {}));
  if (shared.executes)
    fails = create<AndOp>({shared.executes, fails});
  if (fails)
    FailIfOp::create(builder, NameLoc::get(builder.getStringAttr(describe() + " " + what.str())),
                     fails);
}

//===----------------------------------------------------------------------===//
// Bodies and sequences
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> OnnxNode::importBody(onnx::GraphProto &body, ArrayRef<Value> inputs,
                                                   const Twine &step, Value executes) {
  const std::string number = step.str();
  llvm::SaveAndRestore<Value> scope(shared.executes);
  if (executes)
    shared.executes = shared.executes ? create<AndOp>({shared.executes, executes}) : executes;
  // Names of bodies are relative to the graph that contains the node.
  StringRef own = getNodeName(proto);
  FailureOr<SmallVector<Value>> results =
      importer.importBody(body, inputs, own + (number.empty() ? "" : "/") + number);
  // What failed has been reported at the node of the body.
  if (failed(results))
    setFailed();
  return results;
}

int64_t OnnxNode::countNodes(const onnx::GraphProto &body) const {
  return importer.countNodes(body);
}

int64_t OnnxNode::countImported() const { return shared.importedNodes; }

bool OnnxNode::canUnroll(int64_t ops) const {
  return ops <= shared.options.nodeLimit - shared.importedNodes;
}

LogicalResult OnnxNode::countUnrolled(int64_t ops) {
  if (canUnroll(ops)) {
    shared.importedNodes += ops;
    return success();
  }
  return error() << "expected at most " << shared.options.nodeLimit
                 << " nodes (--node-limit) with loops unrolled and functions inlined, found more "
                    "with the "
                 << ops << " ops of all steps";
}

bool OnnxNode::attempt(llvm::function_ref<LogicalResult()> import) {
  const ImportErrors errors = shared.errors;
  const int64_t nodes = shared.importedNodes, bytes = shared.generatedBytes;
  std::vector<Diagnostic> said;
  ++shared.attempts;
  bool isDone;
  {
    ScopedDiagnosticHandler handler(context(), [&](Diagnostic &diagnostic) {
      said.push_back(std::move(diagnostic));
      return success();
    });
    isDone = succeeded(import()) && !hasFailed();
  }
  --shared.attempts;
  if (isDone) {
    for (Diagnostic &warning : said)
      context()->getDiagEngine().emit(std::move(warning));
    return true;
  }
  shared.errors = errors;
  shared.importedNodes = nodes;
  shared.generatedBytes = bytes;
  clearFailed();
  return false;
}

// A sequence is a cast of its elements to a tuple. No op of the compiled model uses it, so it is
// dead when the import is done.
Value OnnxNode::sequence(ArrayRef<Value> elements) {
  if (hasFailed() || llvm::is_contained(elements, Value()))
    return {};
  Type type = TupleType::get(context(), TypeRange(ValueRange(elements)));
  return UnrealizedConversionCastOp::create(builder, loc, type, elements).getResult(0);
}

Value OnnxNode::emptyOptional() {
  return UnrealizedConversionCastOp::create(builder, loc, builder.getNoneType(), ValueRange())
      .getResult(0);
}

FailureOr<SmallVector<Value>> OnnxNode::elementsOf(Value sequence) {
  if (!isSequence(sequence))
    return error() << "expected a sequence, found "
                   << (sequence ? sequence.getType() : Type(builder.getNoneType()));
  return llvm::to_vector(sequence.getDefiningOp<UnrealizedConversionCastOp>().getInputs());
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

unsigned OnnxNode::numOutputs() const { return proto.output_size(); }

bool OnnxNode::wantsOutput(unsigned index) const {
  return index < numOutputs() && !proto.output(index).empty();
}

LogicalResult OnnxNode::results(ArrayRef<Value> values) {
  if (llvm::is_contained(values, Value()) && !hasFailed())
    error() << "these operands do not fit together";
  if (hasFailed())
    return failure();
  outputs.assign(values.begin(), values.end());
  return success();
}

std::optional<SmallVector<int64_t>> OnnxNode::declaredShape(unsigned index) const {
  if (!wantsOutput(index))
    return std::nullopt;
  return importer.getDeclaredShape(proto.output(index));
}

LogicalResult mlir::ttc::checkShape(OnnxNode &node, unsigned index, StringRef what,
                                    ArrayRef<int64_t> expected) {
  if (!node.hasInput(index))
    return success();
  ArrayRef<int64_t> found = shapeOf(node.input(index));
  bool fits = found.size() == expected.size() &&
              llvm::all_of(llvm::zip_equal(found, expected), [](auto pair) {
                auto [size, wanted] = pair;
                return wanted < 0 || size == wanted;
              });
  if (fits)
    return success();
  SmallVector<std::string> sizes;
  for (int64_t size : expected)
    sizes.push_back(size < 0 ? "any" : std::to_string(size));
  return node.error() << "expected input " << index << " (" << what << ") to have the shape ["
                      << llvm::join(sizes, ", ") << "], found " << node.input(index).getType();
}
