// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that the model defines itself. Calls are inlined.
#include "GraphImporter.h"

#include "google/protobuf/unknown_field_set.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

// Fields that are younger than the messages of Debian's package.
static constexpr int kNodeOverload = 8;
static constexpr int kFunctionDefaults = 11;
static constexpr int kFunctionOverload = 13;

/// The values of a length-delimited field that the generated message does not have.
template <typename Message>
static SmallVector<std::string> getUnknownField(const Message &message, int number) {
  SmallVector<std::string> values;
  const google::protobuf::UnknownFieldSet &fields = message.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i).number() == number &&
        fields.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      values.push_back(fields.field(i).length_delimited());
  return values;
}

std::string mlir::ttc::getOverload(const onnx::NodeProto &node) {
  SmallVector<std::string> overload = getUnknownField(node, kNodeOverload);
  return overload.empty() ? "" : overload.back();
}

std::string mlir::ttc::getFunctionKey(StringRef domain, StringRef name, StringRef overload) {
  // Names cannot contain the separator.
  return (normalizeDomain(domain) + Twine('\0') + name + Twine('\0') + overload).str();
}

void mlir::ttc::collectFunctions(ImportContext &shared) {
  for (const onnx::FunctionProto &function : shared.model.functions()) {
    SmallVector<std::string> overload = getUnknownField(function, kFunctionOverload);
    std::string key =
        getFunctionKey(function.domain(), function.name(), overload.empty() ? "" : overload.back());
    if (!shared.functions.try_emplace(key, &function).second)
      shared.errors.emit() << "function '" << function.name() << "' of the domain '"
                           << function.domain() << "' is defined twice";
  }
}

OpsetVersions mlir::ttc::getFunctionOpsets(const onnx::FunctionProto &function,
                                           const OpsetVersions &model) {
  OpsetVersions versions = model;
  for (const onnx::OperatorSetIdProto &set : function.opset_import())
    versions[normalizeDomain(set.domain())] = set.version();
  return versions;
}

namespace {
using Attributes = llvm::StringMap<const onnx::AttributeProto *>;
} // namespace

/// Replaces references to the function's attributes, also in bodies. A reference to an attribute
/// that the call does not set is removed: the op's default applies.
static void substitute(onnx::NodeProto &node, const Attributes &given) {
  auto *attributes = node.mutable_attribute();
  for (int i = 0; i < attributes->size();) {
    onnx::AttributeProto &attr = *attributes->Mutable(i);
    if (attr.has_g())
      for (onnx::NodeProto &inner : *attr.mutable_g()->mutable_node())
        substitute(inner, given);
    for (onnx::GraphProto &body : *attr.mutable_graphs())
      for (onnx::NodeProto &inner : *body.mutable_node())
        substitute(inner, given);
    if (!attr.has_ref_attr_name() || attr.ref_attr_name().empty()) {
      ++i;
      continue;
    }
    const onnx::AttributeProto *value = given.lookup(attr.ref_attr_name());
    if (!value) {
      attributes->DeleteSubrange(i, 1);
      continue;
    }
    const std::string name = attr.name();
    attr.CopyFrom(*value);
    attr.set_name(name);
    ++i;
  }
}

onnx::GraphProto mlir::ttc::instantiateFunction(const onnx::FunctionProto &function,
                                                const onnx::NodeProto &node) {
  std::vector<onnx::AttributeProto> defaults;
  for (const std::string &bytes : getUnknownField(function, kFunctionDefaults))
    if (onnx::AttributeProto attr; attr.ParseFromString(bytes))
      defaults.push_back(attr);
  Attributes given;
  for (const onnx::AttributeProto &attr : defaults)
    given[attr.name()] = &attr;
  for (const onnx::AttributeProto &attr : node.attribute())
    given[attr.name()] = &attr;

  onnx::GraphProto graph;
  graph.set_name(function.name());
  for (const std::string &name : function.input())
    graph.add_input()->set_name(name);
  for (const std::string &name : function.output())
    graph.add_output()->set_name(name);
  *graph.mutable_node() = function.node();
  for (onnx::NodeProto &inner : *graph.mutable_node())
    substitute(inner, given);
  return graph;
}
