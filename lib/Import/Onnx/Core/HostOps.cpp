// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostOps.h"
#include "lib/Import/Tensors/TensorBuilder.h"

#include "dialects/Ttc/Tensors/HostOps.h"
#include "ttc/Support/Spelling.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/GlobPattern.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

std::string mlir::ttc::addHostOps(StringRef text, OnnxImportOptions &options) {
  if (text.empty())
    return "expected a pattern for the names of ops, found an empty one";
  llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
  if (!pattern)
    return ("'" + text + "': " + llvm::toString(pattern.takeError())).str();
  options.hostOps.push_back(text.str());
  return "";
}

/// The names that --host-result takes, as in the IR.
static Type getElementType(StringRef name, MLIRContext *context) {
  Builder b(context);
  return llvm::StringSwitch<Type>(name)
      .Case("f64", b.getF64Type())
      .Case("f32", b.getF32Type())
      .Case("f16", b.getF16Type())
      .Case("bf16", b.getBF16Type())
      .Case("i8", b.getI8Type())
      .Case("i16", b.getI16Type())
      .Case("i32", b.getI32Type())
      .Case("i64", b.getI64Type())
      .Case("ui8", b.getIntegerType(8, /*isSigned=*/false))
      .Case("ui16", b.getIntegerType(16, /*isSigned=*/false))
      .Case("ui32", b.getIntegerType(32, /*isSigned=*/false))
      .Case("ui64", b.getIntegerType(64, /*isSigned=*/false))
      .Case("i1", b.getI1Type())
      .Default(nullptr);
}
static constexpr StringLiteral kElementTypes =
    "f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1";

std::string mlir::ttc::addHostResult(StringRef text, OnnxImportOptions &options) {
  auto complain = [&](const Twine &what) {
    return ("'" + text + "': expected name:f32:1x3x224x224, " + what).str();
  };
  // Names may contain colons; types and shapes do not.
  auto [rest, shapeText] = text.rsplit(':');
  auto [name, type] = rest.rsplit(':');
  if (text.count(':') < 2)
    return complain("found fewer than two colons");
  if (name.empty())
    return complain("found no name");
  MLIRContext context;
  if (!getElementType(type, &context))
    return complain("found the element type '" + type + "' (known: " + kElementTypes + ")");
  HostResult result{type.str(), {}};
  SmallVector<StringRef> dims;
  if (!shapeText.empty())
    shapeText.split(dims, 'x');
  for (StringRef dim : dims) {
    int64_t size;
    if (dim.getAsInteger(10, size) || size <= 0)
      return complain("found the dimension '" + dim + "'");
    result.shape.push_back(size);
  }
  if (!getNumElementsChecked(result.shape))
    return complain("found the impossible shape [" + printList(result.shape) + "]");
  if (!options.hostResults.try_emplace(name, result).second)
    return complain("found the value twice");
  return "";
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

bool mlir::ttc::matchesPattern(StringRef text, StringRef name) {
  llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
  if (!pattern) {
    llvm::consumeError(pattern.takeError());
    return false; // the parser of the option has checked it
  }
  return pattern->match(name);
}

std::string mlir::ttc::getQualifiedName(const onnx::NodeProto &node) {
  if (node.domain().empty() || node.domain() == "ai.onnx")
    return node.op_type();
  return node.domain() + "." + node.op_type();
}

bool mlir::ttc::isHostOp(const onnx::NodeProto &node, const OnnxImportOptions &options) {
  if (options.hostOps.empty())
    return false;
  std::string name = getQualifiedName(node);
  return llvm::any_of(options.hostOps,
                      [&](const std::string &text) { return matchesPattern(text, name); });
}

/// The type that the model declares for a value, with a shape if it is static.
static const onnx::TypeProto_Tensor *findDeclared(const onnx::GraphProto &graph, StringRef name) {
  for (const auto *infos : {&graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto &info : *infos)
      if (info.name() == name && info.type().has_tensor_type() &&
          info.type().tensor_type().elem_type() != 0)
        return &info.type().tensor_type();
  return nullptr;
}

/// The type of a result, from --host-result or from the model.
static RankedTensorType getResultType(StringRef name, OnnxNode &importing,
                                      const HostOpContext &context) {
  auto given = context.options.hostResults.find(name);
  if (given != context.options.hostResults.end())
    return RankedTensorType::get(given->second.shape,
                                 getElementType(given->second.elementType, importing.context()));
  const onnx::TypeProto_Tensor *declared = findDeclared(context.graph, name);
  std::optional<SmallVector<int64_t>> shape = context.getDeclaredShape(name);
  if (!declared || !shape) {
    importing.error() << "expected the " << (declared ? "shape" : "type and shape")
                      << " of its output '" << name
                      << "' to be known, because a host function computes it; declare "
                         "it in the model's value_info, or set it, for example with "
                      << spell(Setting{"host-result", name.str(), "f32:1x3x224x224"});
    return {};
  }
  Type elementType = getOnnxElementType(importing.context(), declared->elem_type());
  if (!elementType) {
    importing.error() << "its output '" << name << "' has element type "
                      << getOnnxTypeName(declared->elem_type())
                      << ", which is not supported (supported: " << getSupportedOnnxTypes() << ")";
    return {};
  }
  return RankedTensorType::get(*shape, elementType);
}

/// Null, with an error, if host functions cannot take the attribute.
static Attribute convertAttribute(onnx::AttributeProto &attr, OnnxNode &importing,
                                  const HostOpContext &context) {
  Builder &builder = importing.getBuilder();
  auto fail = [&](const Twine &what) -> Attribute {
    importing.error() << "attribute '" << attr.name() << "' " << what
                      << ", which host functions cannot take";
    return {};
  };
  auto isText = [](const std::string &text) { return text.find('\0') == std::string::npos; };
  switch (attr.type()) {
  case onnx::AttributeProto::INT:
    return builder.getI64IntegerAttr(attr.i());
  case onnx::AttributeProto::FLOAT:
    return builder.getF32FloatAttr(attr.f());
  case onnx::AttributeProto::STRING:
    return isText(attr.s()) ? Attribute(builder.getStringAttr(attr.s()))
                            : fail("is a string with a zero byte");
  case onnx::AttributeProto::INTS:
    return builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(attr.ints().begin(), attr.ints().end()));
  case onnx::AttributeProto::FLOATS:
    return builder.getDenseF32ArrayAttr(
        SmallVector<float>(attr.floats().begin(), attr.floats().end()));
  case onnx::AttributeProto::STRINGS: {
    SmallVector<Attribute> strings;
    for (const std::string &text : attr.strings()) {
      if (!isText(text))
        return fail("has a string with a zero byte");
      strings.push_back(builder.getStringAttr(text));
    }
    return builder.getArrayAttr(strings);
  }
  case onnx::AttributeProto::TENSOR: {
    FailureOr<ElementsAttr> value = context.convertTensor(*attr.mutable_t(), attr.name(), [&] {
      return importing.error() << "attribute '" << attr.name() << "': ";
    });
    if (failed(value))
      return {};
    return value->getNumElements() > 0 ? *value : fail("is a tensor without elements");
  }
  default:
    return fail("is of type " + onnx::AttributeProto_AttributeType_Name(attr.type()));
  }
}

/// Positions of omitted values before the last one that is there.
static DenseI64ArrayAttr getAbsent(Builder &builder, ArrayRef<bool> isPresent) {
  while (!isPresent.empty() && !isPresent.back())
    isPresent = isPresent.drop_back();
  SmallVector<int64_t> absent;
  for (auto [i, present] : llvm::enumerate(isPresent))
    if (!present)
      absent.push_back(i);
  return absent.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(absent);
}

FailureOr<SmallVector<Value>> mlir::ttc::importHostOp(onnx::NodeProto &node, OnnxNode &importing,
                                                      Location loc, const HostOpContext &context) {
  OpBuilder &builder = importing.getBuilder();
  SmallVector<Value> operands;
  SmallVector<bool> hasOperand, hasResult;
  for (unsigned i = 0; i < importing.numInputs(); ++i) {
    hasOperand.push_back(importing.hasInput(i));
    if (importing.hasInput(i))
      operands.push_back(importing.input(i));
  }
  SmallVector<Type> types;
  for (const std::string &name : node.output()) {
    hasResult.push_back(!name.empty());
    if (name.empty())
      continue;
    RankedTensorType type = getResultType(name, importing, context);
    if (type && type.getNumElements() == 0)
      importing.error() << "its output '" << name << "' has no elements, which is not supported";
    types.push_back(type);
  }
  if (types.empty())
    importing.error() << "the node has no outputs";
  NamedAttrList attributes;
  for (onnx::AttributeProto &attr : *node.mutable_attribute()) {
    Attribute value = convertAttribute(attr, importing, context);
    if (!value)
      continue;
    if (attr.name().empty() || attributes.get(attr.name()))
      importing.error() << "attribute '" << attr.name() << "' has no name, or appears twice";
    else
      attributes.append(attr.name(), value);
  }
  if (importing.hasFailed())
    return failure();
  auto function = HostFunctionAttr::get(
      builder.getContext(), getQualifiedName(node), importing.opset(),
      attributes.empty() ? DictionaryAttr() : attributes.getDictionary(builder.getContext()),
      getAbsent(builder, hasOperand), getAbsent(builder, hasResult));
  auto call = HostCallOp::create(builder, loc, types, function, operands);
  SmallVector<Value> results;
  unsigned next = 0;
  for (bool present : hasResult)
    results.push_back(present ? Value(call.getResult(next++)) : Value());
  return results;
}
