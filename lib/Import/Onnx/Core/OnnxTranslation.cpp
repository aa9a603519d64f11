// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The translation --import-onnx and its options.
#include "ttc/Import/OnnxImport.h"
#include "ttc/Support/ModelDiagnostics.h"
#include "ttc/Support/Printable.h"
#include "ttc/Support/Spelling.h"

#include "dialects/Ttc/TtcDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ttc;

static std::string addShape(StringRef text, llvm::StringMap<SmallVector<int64_t>> &shapes) {
  auto complain = [&](const Twine &what) {
    return ("'" + text + "': expected name:1x3x224x224, " + what).str();
  };
  // Names may contain colons ("serving_default_x:0"); shapes do not.
  auto [name, shapeText] = text.rsplit(':');
  if (!text.contains(':'))
    return complain("found no colon");
  if (name.empty())
    return complain("found no name");
  SmallVector<int64_t> shape;
  SmallVector<StringRef> dims;
  if (!shapeText.empty())
    shapeText.split(dims, 'x');
  for (StringRef dim : dims) {
    int64_t size;
    if (dim.getAsInteger(10, size) || size < 0)
      return complain("found the dimension '" + dim + "'");
    shape.push_back(size);
  }
  if (!shapes.try_emplace(name, shape).second)
    return complain("found the name twice");
  return "";
}

std::string mlir::ttc::addInputShape(StringRef text, OnnxImportOptions &options) {
  return addShape(text, options.inputShapes);
}

std::string mlir::ttc::addValueShape(StringRef text, OnnxImportOptions &options) {
  return addShape(text, options.valueShapes);
}

std::string mlir::ttc::addInputValue(StringRef text, OnnxImportOptions &options) {
  auto complain = [&](const Twine &what) {
    return ("'" + text + "': expected name=16000, name=[1,2] or name=file.npy, " + what).str();
  };
  if (!text.contains('='))
    return complain("found no =");
  // Names may contain '=', and so may files: which of them ends the name is known when the model
  // is.
  const auto [name, value] = text.rsplit('=');
  if (name.empty() || value.empty())
    return complain(name.empty() ? "found no name" : "found no value");
  if (!options.inputValues.try_emplace(name, value).second)
    return complain("found the input twice");
  return "";
}

namespace {
struct ImportCLOptions {
  llvm::cl::OptionCategory category{"Importing (--import-onnx, --onnx-to-bundle)"};
  llvm::cl::list<std::string> inputShapes{
      "input-shape", llvm::cl::cat(category), llvm::cl::value_desc("name:1x3x224x224"),
      llvm::cl::desc("Shape of a graph input whose dimensions the ONNX model leaves open. With "
                     "several models, entry/name is an input of one of them")};
  llvm::cl::list<std::string> inputValues{
      "input-value", llvm::cl::cat(category), llvm::cl::value_desc("name=16000|[1,2]|file.npy"),
      llvm::cl::desc("Value of a graph input, which becomes a constant of the compiled model: one "
                     "number for all elements, a list, or an array")};
  llvm::cl::list<std::string> valueShapes{
      "value-shape", llvm::cl::cat(category), llvm::cl::value_desc("name:1x3x224x224"),
      llvm::cl::desc("Shape of a value that a node computes and whose static shape the ONNX model "
                     "does not declare, where it cannot be inferred")};
  llvm::cl::list<std::string> hostOps{
      "host-ops", llvm::cl::cat(category), llvm::cl::CommaSeparated,
      llvm::cl::value_desc("com.acme.*,NonMaxSuppression"),
      llvm::cl::desc("Ops that functions of the application compute, between traces: patterns for "
                     "their names, with the domain unless it is ONNX's own")};
  llvm::cl::list<std::string> hostResults{
      "host-result", llvm::cl::cat(category), llvm::cl::value_desc("name:f32:1x3x224x224"),
      llvm::cl::desc("Type of a value that such a function computes and whose static shape the "
                     "ONNX model does not declare")};
  llvm::cl::list<std::string> keepValues{
      "keep-values",
      llvm::cl::cat(category),
      llvm::cl::CommaSeparated,
      llvm::cl::ValueOptional,
      llvm::cl::value_desc("Conv,/encoder/*"),
      llvm::cl::desc(
          "Add an entry point NAME.values, whose outputs are the results of all nodes, or "
          "of those whose op, name or result matches a pattern")};
  llvm::cl::opt<int64_t> nodeLimit{
      "node-limit", llvm::cl::cat(category), llvm::cl::value_desc("N"),
      llvm::cl::init(OnnxImportOptions().nodeLimit),
      llvm::cl::desc("The most nodes, with loops unrolled and functions inlined")};
};
} // namespace

static llvm::ManagedStatic<ImportCLOptions> clOptions;

void mlir::ttc::registerOnnxImportCLOptions() {
  *clOptions;
  registerSizeCLOptions();
}

FailureOr<OnnxImportOptions> mlir::ttc::getOnnxImportOptionsFromCL() {
  OnnxImportOptions options;
  if (failed(readSizeOptionsFromCL(options)))
    return failure();
  if (!clOptions.isConstructed())
    return options;
  for (auto [name, texts, add] :
       {std::tuple("input-shape", &clOptions->inputShapes, &addInputShape),
        std::tuple("input-value", &clOptions->inputValues, &addInputValue),
        std::tuple("value-shape", &clOptions->valueShapes, &addValueShape),
        std::tuple("host-ops", &clOptions->hostOps, &addHostOps),
        std::tuple("host-result", &clOptions->hostResults, &addHostResult),
        std::tuple("keep-values", &clOptions->keepValues, &addKeepValues)})
    if (failed(addTexts(name, *texts, options, add)))
      return failure();
  if (clOptions->nodeLimit < 1) {
    printError("--node-limit: expected a positive number, found " +
               Twine(clOptions->nodeLimit.getValue()));
    return failure();
  }
  options.nodeLimit = clOptions->nodeLimit;
  return options;
}

bool mlir::ttc::hasOnnxImportOptions() {
  auto isGiven = [](const llvm::cl::Option &option) { return option.getNumOccurrences() > 0; };
  return clOptions.isConstructed() &&
         (isGiven(clOptions->inputShapes) || isGiven(clOptions->inputValues) ||
          isGiven(clOptions->valueShapes) || isGiven(clOptions->hostOps) ||
          isGiven(clOptions->hostResults) || isGiven(clOptions->keepValues) ||
          isGiven(clOptions->nodeLimit));
}

void mlir::ttc::registerImportOnnx() {
  registerOnnxImportCLOptions();
  TranslateToMLIRRegistration registration(
      "import-onnx", "import an ONNX model as ttc ops on tensors",
      [](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
        FailureOr<OnnxImportOptions> options = getOnnxImportOptionsFromCL();
        if (failed(options))
          return nullptr;
        if (!options->dimRanges.empty()) {
          printError(spell("dim") + ": expected one size for each dimension, found several for '" +
                     options->dimRanges.front().first + "': --onnx-to-bundle compiles for several");
          return nullptr;
        }
        ModelDiagnostics diagnostics(context);
        return importOnnx(*sources.getMemoryBuffer(sources.getMainFileID()), context, *options);
      },
      [](DialectRegistry &registry) { registry.insert<TtcDialect, func::FuncDialect>(); });
}
