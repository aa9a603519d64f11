// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Import/Sizes.h"
#include "ttc/Support/Printable.h"
#include "ttc/Support/Spelling.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ttc;

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

bool mlir::ttc::isKnownDim(StringRef name, const SizeOptions &options) {
  return options.dims.contains(name) ||
         llvm::any_of(options.dimRanges, [&](const auto &known) { return known.first == name; });
}

bool mlir::ttc::isAxisName(StringRef name) {
  auto [input, axis] = name.rsplit('.');
  return !input.empty() && !axis.empty() && llvm::all_of(axis, llvm::isDigit);
}

/// Keeps the first of the names "ids.1=mask.1"; the others become aliases. A model may have names
/// with '=' itself. Returns an error message, or an empty string.
static std::string takeNames(StringRef &name, SizeOptions &options) {
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

std::string mlir::ttc::addDim(StringRef text, SizeOptions &options) {
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

std::string mlir::ttc::addDimsFrom(StringRef file, SizeOptions &options) {
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

SizeOptions mlir::ttc::getSizesOf(const SizeOptions &all, ArrayRef<std::string> entries,
                                  StringRef entry) {
  if (entries.size() == 1)
    return all;
  SizeOptions options = all;
  // The dimension's name for this entry; nothing if it is one of another.
  auto getOwnName = [&](StringRef dim) -> std::optional<std::string> {
    auto [prefix, own] = dim.split('/');
    if (own.empty() || !llvm::is_contained(entries, prefix))
      return dim.str();
    return prefix == entry ? std::optional(own.str()) : std::nullopt;
  };
  options.dims.clear();
  for (const auto &size : all.dims)
    if (std::optional<std::string> own = getOwnName(size.getKey()))
      if (!options.dims.contains(*own) || size.getKey() != *own)
        options.dims[*own] = size.getValue();
  options.dimAliases.clear();
  for (const auto &alias : all.dimAliases)
    if (std::optional<std::string> own = getOwnName(alias.getKey()))
      options.dimAliases[*own] = getOwnName(alias.getValue()).value_or(alias.getValue());
  options.dimRanges.clear();
  for (const auto &[dim, range] : all.dimRanges)
    if (std::optional<std::string> own = getOwnName(dim))
      options.dimRanges.emplace_back(*own, range);
  SmallVector<std::pair<size_t, std::string>> columns;
  for (auto [index, dim] : llvm::enumerate(all.histogram.dims))
    if (std::optional<std::string> own = getOwnName(dim))
      columns.emplace_back(index, *own);
  options.histogram = columns.empty() ? SizeHistogram() : all.histogram.select(columns);
  return options;
}

namespace {
struct SizeCLOptions {
  llvm::cl::OptionCategory category{"Sizes (--import-onnx, --onnx-to-bundle, --mlir-to-bundle)"};
  llvm::cl::list<std::string> dims{
      "dim", llvm::cl::cat(category), llvm::cl::value_desc("name:128|1..512|1,2,4"),
      llvm::cl::desc(
          "Size of a named dimension that the model leaves open, in all inputs that "
          "have it, or the sizes that it may have in a run (docs/shapes.md). With several models, "
          "entry/name is a dimension of one of them")};
  llvm::cl::list<std::string> dimsFrom{
      "dims-from", llvm::cl::cat(category), llvm::cl::value_desc("file.csv"),
      llvm::cl::desc("Sizes of the requests that the model will serve, for which the sizes to "
                     "compile for are chosen: a column for each named dimension, a line for each "
                     "request, or for as many as the column 'count' says (docs/shapes.md)")};
  llvm::cl::opt<int64_t> variantLimit{"variant-limit", llvm::cl::cat(category),
                                      llvm::cl::value_desc("N"),
                                      llvm::cl::init(SizeOptions().variantLimit),
                                      llvm::cl::desc("The most variants for --dims-from")};
};
} // namespace

static llvm::ManagedStatic<SizeCLOptions> clOptions;

LogicalResult mlir::ttc::rejectOption(StringRef option, StringRef complaint) {
  printError(spell(option) + ": " + complaint);
  return failure();
}

void mlir::ttc::registerSizeCLOptions() { *clOptions; }

LogicalResult mlir::ttc::readSizeOptionsFromCL(SizeOptions &options) {
  if (!clOptions.isConstructed())
    return success();
  if (failed(addTexts("dim", clOptions->dims, options, &addDim)) ||
      failed(addTexts("dims-from", clOptions->dimsFrom, options, &addDimsFrom)))
    return failure();
  constexpr int64_t kMostVariants = 64;
  if (clOptions->variantLimit < 1 || clOptions->variantLimit > kMostVariants ||
      (clOptions->variantLimit.getNumOccurrences() && options.histogramFile.empty())) {
    printError("--variant-limit: expected a number from 1 to " + Twine(kMostVariants) + " and " +
               spell("dims-from") + ", found " + Twine(clOptions->variantLimit.getValue()) +
               (options.histogramFile.empty() ? " alone" : ""));
    return failure();
  }
  options.variantLimit = clOptions->variantLimit;
  return success();
}

bool mlir::ttc::hasSizeOptions() {
  return clOptions.isConstructed() &&
         (clOptions->dims.getNumOccurrences() || clOptions->dimsFrom.getNumOccurrences() ||
          clOptions->variantLimit.getNumOccurrences());
}
