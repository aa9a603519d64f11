// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KeptValues.h"

#include "HostOps.h"
#include "OnnxGraph.h"
#include "OnnxTensor.h"

#include "dialects/Ttc/TtcDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

std::string mlir::ttc::addKeepValues(StringRef text, OnnxImportOptions &options) {
  options.keepsValues = true;
  if (text.empty()) // --keep-values alone
    return "";
  llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
  if (!pattern)
    return ("'" + text + "': " + llvm::toString(pattern.takeError())).str();
  options.keptValues.push_back(text.str());
  return "";
}

void KeptValues::add(const OnnxImportOptions &options, const onnx::NodeProto &node,
                     StringRef prefix, StringRef name, Value value,
                     llvm::function_ref<std::string(StringRef)> qualify) {
  // A node without inputs is a constant of the model.
  if (!options.keepsValues || node.input_size() == 0 || !value ||
      !isa<RankedTensorType>(value.getType()))
    return;
  Kept kept{
      value, (prefix + name).str(), (prefix + getNodeName(node)).str(), getQualifiedName(node), {}};
  auto matches = [&](StringRef pattern) {
    return matchesPattern(pattern, kept.op) || matchesPattern(pattern, kept.node) ||
           matchesPattern(pattern, kept.name);
  };
  if (!options.keptValues.empty() && llvm::none_of(options.keptValues, matches))
    return;
  // Names of nodes need not be unique, and those of their bodies' values begin with them.
  for (unsigned number = 2; !names.insert(kept.name).second; ++number)
    kept.name = (prefix + name + "~" + Twine(number)).str();
  for (const std::string &input : node.input())
    kept.inputs.push_back(input.empty() ? "" : qualify(input));
  values.push_back(std::move(kept));
}

static llvm::json::Value toJson(StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

func::FuncOp KeptValues::makeFunction(func::FuncOp function) const {
  if (values.empty())
    return nullptr;
  IRMapping mapping;
  auto observed = cast<func::FuncOp>(function->clone(mapping));
  observed.setName((function.getName() + ".values").str());
  function->getBlock()->getOperations().insertAfter(function->getIterator(), observed);

  OpBuilder builder(function.getContext());
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attrs;
  llvm::json::Array list;
  for (const Kept &kept : values) {
    results.push_back(mapping.lookup(kept.value));
    attrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttrName, builder.getStringAttr(kept.name))));
    llvm::json::Array inputs;
    for (const std::string &input : kept.inputs)
      inputs.push_back(toJson(input));
    list.push_back(llvm::json::Object{{"name", toJson(kept.name)},
                                      {"node", toJson(kept.node)},
                                      {"op", toJson(kept.op)},
                                      {"inputs", std::move(inputs)}});
  }
  observed.getBody().front().getTerminator()->setOperands(results);
  observed.setFunctionType(
      builder.getFunctionType(observed.getArgumentTypes(), ValueRange(results).getTypes()));
  observed.setAllResultAttrs(attrs);

  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(list));
  function->getParentOp()->setAttr(
      kMetadataAttrName,
      builder.getDictionaryAttr(builder.getNamedAttr((kValuesMetadata + function.getName()).str(),
                                                     builder.getStringAttr(text))));
  return observed;
}
