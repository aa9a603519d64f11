// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The translation --import-onnx and its options.
#include "ttc/Import/OnnxImport.h"
#include "ttc/Support/ModelDiagnostics.h"
#include "ttc/Support/Spelling.h"

#include "dialects/Ttc/TtcDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include <numeric>

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

/// Parses "1..512", "64..640:32" or "1,2,4,8".
static std::optional<DimRange> parseRange(StringRef text) {
  DimRange range;
  auto parse = [](StringRef text, int64_t &number) {
    return !text.empty() && !text.getAsInteger(10, number) && number >= 1 && number <= INT32_MAX;
  };
  if (text.contains(',')) {
    SmallVector<StringRef> sizes;
    text.split(sizes, ',');
    for (StringRef size : sizes)
      if (!parse(size, range.buckets.emplace_back()))
        return std::nullopt;
    if (!llvm::is_sorted(range.buckets) ||
        std::adjacent_find(range.buckets.begin(), range.buckets.end()) != range.buckets.end())
      return std::nullopt;
    range.high = range.buckets.back();
    range.low = range.step = range.buckets.front();
    for (int64_t bucket : range.buckets)
      range.step = std::gcd(range.step, bucket);
    range.isOpen = true;
    return range;
  }
  auto [low, rest] = text.split("..");
  auto [high, step] = rest.split(':');
  if (!parse(low, range.low) || !parse(high, range.high) ||
      (rest.contains(':') && !parse(step, range.step)) || range.low > range.high ||
      range.low % range.step != 0 || range.high % range.step != 0)
    return std::nullopt;
  return range;
}

static bool isKnownDim(StringRef name, const OnnxImportOptions &options) {
  return options.dims.contains(name) ||
         llvm::any_of(options.dimRanges, [&](const auto &known) { return known.first == name; });
}

bool mlir::ttc::isAxisName(StringRef name) {
  auto [input, axis] = name.rsplit('.');
  return !input.empty() && !axis.empty() && llvm::all_of(axis, llvm::isDigit);
}

/// Keeps the first of the names "ids.1=mask.1"; the others become aliases. A model may have names
/// with '=' itself. Returns an error message, or an empty string.
static std::string takeNames(StringRef &name, OnnxImportOptions &options) {
  SmallVector<StringRef> names;
  name.split(names, '=');
  if (names.front().empty() || !llvm::all_of(ArrayRef(names).drop_front(), isAxisName))
    names = {name};
  for (auto [index, own] : llvm::enumerate(names))
    if (isKnownDim(own, options) || options.dimAliases.contains(own) ||
        llvm::is_contained(ArrayRef(names).take_front(index), own))
      return "found the name twice";
  name = names.front();
  for (StringRef alias : ArrayRef(names).drop_front())
    options.dimAliases[alias] = name.str();
  return "";
}

std::string mlir::ttc::addDim(StringRef text, OnnxImportOptions &options) {
  // Names may contain colons; a range with a step has one, too.
  auto [name, sizeText] = text.rsplit(':');
  if (auto [outer, range] = name.rsplit(':'); range.contains("..") && name.contains(':')) {
    sizeText = text.drop_front(outer.size() + 1);
    name = outer;
  }
  auto complain = [&](const Twine &what) { return ("'" + text + "': " + what).str(); };
  int64_t size = 0;
  std::optional<DimRange> range;
  if (!text.contains(':') || name.empty() ||
      ((sizeText.getAsInteger(10, size) || size < 0) && !(range = parseRange(sizeText))))
    return complain("expected a name and a size, such as sequence:128, a range, such as "
                    "sequence:1..512 or height:64..640:32 (multiples of 32), or sizes in ascending "
                    "order, such as batch:1,2,4,8");
  if (std::string problem = takeNames(name, options); !problem.empty())
    return complain(problem);
  if (range && range->low < range->high)
    options.dimRanges.emplace_back(name.str(), *range);
  else
    options.dims[name] = range ? range->high : size;
  return "";
}

std::string mlir::ttc::addDimsFrom(StringRef file, OnnxImportOptions &options) {
  auto complain = [&](const Twine &what) { return (file + ": " + what).str(); };
  if (!options.histogramFile.empty())
    return complain("expected one file, found also '" + options.histogramFile + "'");
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false);
  if (std::error_code error = buffer.getError())
    return complain("cannot read the file: " + error.message());
  options.histogramFile = file.str();
  SizeHistogram histogram;
  if (std::string problem = parseSizeHistogram((*buffer)->getBuffer(), histogram); !problem.empty())
    return complain(problem);
  options.histogramFile = file.str();
  for (auto [index, name] : llvm::enumerate(histogram.dims)) {
    StringRef own = name;
    if (isKnownDim(own, options))
      return complain("'" + own + "' is a column here; expected no " + spell("dim") + " of it");
    if (std::string problem = takeNames(own, options); !problem.empty())
      return complain("'" + name + "': " + problem);
    name = own.str();
    const SmallVector<int64_t> sizes = histogram.getSizes(index);
    if (sizes.size() == 1) {
      options.dims[name] = sizes.front();
      continue;
    }
    DimRange range;
    range.low = range.step = sizes.front();
    range.high = sizes.back();
    for (int64_t size : sizes)
      range.step = std::gcd(range.step, size);
    range.isOpen = true;
    options.dimRanges.emplace_back(name, range);
  }
  options.histogram = std::move(histogram);
  return "";
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
  llvm::cl::list<std::string> dims{
      "dim", llvm::cl::cat(category), llvm::cl::value_desc("name:128|1..512|1,2,4"),
      llvm::cl::desc(
          "Size of a named dimension that the ONNX model leaves open, in all inputs that "
          "have it, or the sizes that it may have in a run (docs/shapes.md). With several models, "
          "entry/name is a dimension of one of them")};
  llvm::cl::list<std::string> dimsFrom{
      "dims-from", llvm::cl::cat(category), llvm::cl::value_desc("file.csv"),
      llvm::cl::desc("Sizes of the requests that the model will serve, for which the sizes to "
                     "compile for are chosen: a column for each named dimension, a line for each "
                     "request, or for as many as the column 'count' says (docs/shapes.md)")};
  llvm::cl::opt<int64_t> variantLimit{"variant-limit", llvm::cl::cat(category),
                                      llvm::cl::value_desc("N"),
                                      llvm::cl::init(OnnxImportOptions().variantLimit),
                                      llvm::cl::desc("The most variants for --dims-from")};
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

void mlir::ttc::registerOnnxImportCLOptions() { *clOptions; }

FailureOr<OnnxImportOptions> mlir::ttc::getOnnxImportOptionsFromCL() {
  OnnxImportOptions options;
  if (!clOptions.isConstructed())
    return options;
  for (auto [name, texts, add] :
       {std::tuple("input-shape", &clOptions->inputShapes, &addInputShape),
        std::tuple("dim", &clOptions->dims, &addDim),
        std::tuple("dims-from", &clOptions->dimsFrom, &addDimsFrom),
        std::tuple("input-value", &clOptions->inputValues, &addInputValue),
        std::tuple("value-shape", &clOptions->valueShapes, &addValueShape),
        std::tuple("host-ops", &clOptions->hostOps, &addHostOps),
        std::tuple("host-result", &clOptions->hostResults, &addHostResult),
        std::tuple("keep-values", &clOptions->keepValues, &addKeepValues)})
    for (const std::string &text : *texts) {
      std::string complaint = add(text, options);
      if (complaint.empty())
        continue;
      llvm::WithColor::error() << spell(name) << ": " << complaint << "\n";
      return failure();
    }
  if (clOptions->nodeLimit < 1) {
    llvm::WithColor::error() << "--node-limit: expected a positive number, found "
                             << clOptions->nodeLimit << "\n";
    return failure();
  }
  options.nodeLimit = clOptions->nodeLimit;
  constexpr int64_t kMostVariants = 64;
  if (clOptions->variantLimit < 1 || clOptions->variantLimit > kMostVariants ||
      (clOptions->variantLimit.getNumOccurrences() && options.histogramFile.empty())) {
    llvm::WithColor::error() << "--variant-limit: expected a number from 1 to " << kMostVariants
                             << " and " << spell("dims-from") << ", found "
                             << clOptions->variantLimit
                             << (options.histogramFile.empty() ? " alone\n" : "\n");
    return failure();
  }
  options.variantLimit = clOptions->variantLimit;
  return options;
}

bool mlir::ttc::hasOnnxImportOptions() {
  auto isGiven = [](const llvm::cl::Option &option) { return option.getNumOccurrences() > 0; };
  return clOptions.isConstructed() &&
         (isGiven(clOptions->inputShapes) || isGiven(clOptions->dims) ||
          isGiven(clOptions->dimsFrom) || isGiven(clOptions->variantLimit) ||
          isGiven(clOptions->inputValues) || isGiven(clOptions->valueShapes) ||
          isGiven(clOptions->hostOps) || isGiven(clOptions->hostResults) ||
          isGiven(clOptions->keepValues) || isGiven(clOptions->nodeLimit));
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
          llvm::WithColor::error()
              << spell("dim") << ": expected one size for each dimension, found several for '"
              << options->dimRanges.front().first << "': --onnx-to-bundle compiles for several\n";
          return nullptr;
        }
        ModelDiagnostics diagnostics(context);
        return importOnnx(*sources.getMemoryBuffer(sources.getMainFileID()), context, *options);
      },
      [](DialectRegistry &registry) { registry.insert<TtcDialect, func::FuncDialect>(); });
}
