// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Variants.h"
#include "Buckets.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Iterators.h"
#include "ttc/Shapes/Variants.h"
#include "ttc/Support/Location.h"
#include "ttc/Support/Spelling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ttc;

SmallVector<int64_t> mlir::ttc::chooseBuckets(const DimRange &range, int64_t ratio) {
  if (!range.buckets.empty())
    return range.buckets;
  // Below, the time of a run hardly depends on the size.
  const int64_t least = range.high >= 64 ? std::max<int64_t>(range.low, 16) : range.low;
  SmallVector<int64_t> buckets = {range.high};
  while (buckets.back() > least) {
    int64_t next = llvm::divideCeil(buckets.back(), ratio);
    next = llvm::divideCeil(next, range.step) * range.step;
    // Where few buckets are wanted, none is for the smallest size alone.
    if (next < least || next >= buckets.back() || (ratio > 4 && next == range.low))
      break;
    buckets.push_back(next);
  }
  return llvm::to_vector(llvm::reverse(buckets));
}

/// Whether the elements are 0, 1, 2, ...
static bool isIota(const ConstantTensor &tensor) {
  if (!isa<IntegerType>(tensor.getType().getElementType()))
    return false;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    if (tensor.getInteger(i) != i)
      return false;
  return true;
}

namespace {
/// What becomes of constants with the largest sizes, which are imported first: the same with all
/// others.
struct FoldedAtLargest {
  /// Gathers that are lookups of all elements in order, and become reshapes: the first token of a
  /// sequence is all of a sequence of one, and stays a gather.
  llvm::DenseSet<Location> lookups;
  /// Ops whose operands are constants, and which are too large to be evaluated.
  llvm::DenseSet<std::pair<Location, OperationName>> left;
  /// The nodes of these.
  llvm::DenseSet<Location> unfolded;
};
} // namespace

/// Exporters look a mask up by the indices of all its elements. The table depends on the size of
/// the batch and of the sequence; without it, the lookup is a reshape. Reshapes of reshapes are
/// one.
static void simplifyMoves(ModuleOp module, FoldedAtLargest &folded, bool isLargest) {
  module.walk([&](Operation *op) {
    if (auto gather = dyn_cast<GatherOp>(op)) {
      auto constant = gather.getIndices().getDefiningOp<ConstantOp>();
      auto data = cast<RankedTensorType>(gather.getData().getType()),
           result = cast<RankedTensorType>(gather.getY().getType());
      const int64_t size = data.getDimSize(gather.getAxis());
      if (!constant || !result.hasStaticShape() ||
          cast<RankedTensorType>(constant.getType()).getNumElements() != size ||
          !isIota(ConstantTensor::get(constant.getValue())))
        return;
      if (isLargest)
        folded.lookups.insert(op->getLoc());
      else if (!folded.lookups.contains(op->getLoc()))
        return;
      OpBuilder builder(op);
      auto inner = gather.getData().getDefiningOp<ReshapeOp>();
      auto reshape = ReshapeOp::create(builder, op->getLoc(),
                                       inner ? inner.getX() : gather.getData(), result.getShape());
      gather.getY().replaceAllUsesWith(reshape.getY());
      return;
    }
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      if (auto inner = reshape.getX().getDefiningOp<ReshapeOp>())
        reshape.getXMutable().assign(inner.getX());
  });
}

/// Constants directly before their first users: an importer makes them as it comes across them,
/// which may be in another order with other sizes.
static void orderConstants(ModuleOp module) {
  llvm::SmallPtrSet<Operation *, 32> placed;
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      for (Operation &op : llvm::make_early_inc_range(block))
        for (Value operand : op.getOperands())
          if (auto constant = operand.getDefiningOp<ConstantOp>();
              constant && constant->getBlock() == &block && placed.insert(constant).second)
            constant->moveBefore(&op);
}

/// Evaluates ops on constants. The importer does so for small ones, and leaves a causal mask of 512
/// x 512, but not that of 8 x 8: imports at several sizes must have the same ops.
static void evaluateConstants(ModuleOp module, FoldedAtLargest &folded, bool isLargest) {
  constexpr int64_t kMostElements = int64_t(1) << 22;
  SmallVector<Operation *> dead;
  module.walk([&](Operation *op) {
    auto isSmall = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= kMostElements;
    };
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !isConstantEvaluable(op))
      return;
    SmallVector<ConstantTensor> operands;
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      if (!constant)
        return;
      operands.push_back(ConstantTensor::get(constant.getValue()));
    }
    const std::pair key(op->getLoc(), op->getName());
    if (isLargest &&
        (!llvm::all_of(op->getOperandTypes(), isSmall) || !isSmall(op->getResultTypes()[0]))) {
      folded.left.insert(key);
      folded.unfolded.insert(op->getLoc());
    }
    if (folded.left.contains(key))
      return;
    FailureOr<ConstantTensor> result = evaluateConstant(op, operands);
    if (failed(result))
      return;
    OpBuilder builder(op);
    auto constant = ConstantOp::create(builder, op->getLoc(), result->toAttr("folded"));
    op->getResult(0).replaceAllUsesWith(constant);
    dead.push_back(op);
  });
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  simplifyMoves(module, folded, isLargest);
  // What only these used.
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  orderConstants(module);
}

namespace {

class VariantImporter {
public:
  VariantImporter(StringRef model, const SizeOptions &options, MLIRContext *context,
                  SizedImporter importer)
      : model(model), options(options), context(context), importer(importer) {}

  OwningOpRef<ModuleOp> import(std::vector<std::pair<std::string, DimRange>> ranges);
  /// In one line, which variants the last import has, and what they cost.
  std::string describe() const;
  std::string describeCost() const;

private:
  OwningOpRef<ModuleOp> importAt(ArrayRef<int64_t> sizes, StringRef variant);
  std::optional<SizeHistogram> getRequests() const;
  int64_t getRatio() const;
  /// Sets `choices`; the last one is the largest.
  void choose();
  VariantAttr getAttribute(ArrayRef<int64_t> high) const;
  /// Sizes to compare with: the smallest, the largest, and some between them, along each dimension.
  std::vector<SmallVector<int64_t>> getProbes() const;

  StringRef model; ///< its name
  const SizeOptions &options;
  MLIRContext *context;
  SizedImporter importer;
  std::vector<std::pair<std::string, DimRange>> ranges;
  std::vector<SmallVector<int64_t>> choices; ///< of one bucket for each dimension
  FoldedAtLargest folded;
  BucketCost cost;
};

} // namespace

static std::string joinSizes(ArrayRef<int64_t> sizes) {
  return llvm::join(llvm::map_range(sizes, [](int64_t size) { return std::to_string(size); }), "x");
}

OwningOpRef<ModuleOp> VariantImporter::importAt(ArrayRef<int64_t> sizes, StringRef variant) {
  SmallVector<std::pair<std::string, int64_t>> named;
  SmallVector<std::string> texts;
  for (auto [range, size] : llvm::zip_equal(ranges, sizes)) {
    named.emplace_back(range.first, size);
    texts.push_back(range.first + ":" + std::to_string(size));
  }
  OwningOpRef<ModuleOp> module = importer(named, variant, folded.unfolded);
  if (!module) {
    InFlightDiagnostic error = emitError(UnknownLoc::get(context));
    error << "the model cannot be imported with " << llvm::join(texts, ", ")
          << ", which are sizes that " << spell("dim") << " or " << spell("dims-from")
          << " asks for";
    if (ranges.size() > 1 && isAxisName(ranges[1].first))
      error.attachNote() << "dimensions that always have the same size can be one: name them '"
                         << ranges[0].first << "=" << ranges[1].first << "' in " << spell("dim");
    return nullptr;
  }
  const bool isLargest = llvm::all_of(llvm::zip_equal(ranges, sizes), [](const auto &pair) {
    return std::get<0>(pair).second.high == std::get<1>(pair);
  });
  evaluateConstants(*module, folded, isLargest);
  return module;
}

VariantAttr VariantImporter::getAttribute(ArrayRef<int64_t> high) const {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> low, step;
  for (const auto &[dim, range] : ranges) {
    names.push_back(StringAttr::get(context, dim));
    low.push_back(range.low);
    step.push_back(range.step);
  }
  return VariantAttr::get(context, model, names, low, high, step);
}

std::vector<SmallVector<int64_t>> VariantImporter::getProbes() const {
  SmallVector<int64_t> low, high;
  for (const auto &[name, range] : ranges) {
    low.push_back(range.low);
    high.push_back(range.high);
  }
  std::vector<SmallVector<int64_t>> probes;
  for (auto [dim, named] : llvm::enumerate(ranges)) {
    const DimRange &range = named.second;
    const int64_t middle = (range.low + range.high) / 2 / range.step * range.step;
    const auto inside = [&, low = range.low](int64_t percent) {
      return low + (range.high - low) * percent / 100 / range.step * range.step;
    };
    for (int64_t size : {range.low, range.low + range.step, inside(23), middle, middle + range.step,
                         inside(71), range.high - range.step}) {
      SmallVector<int64_t> probe = high;
      probe[dim] = std::clamp(size, range.low, range.high);
      if (probe != high && !llvm::is_contained(probes, probe))
        probes.push_back(probe);
    }
  }
  // Last: those before it differ in one dimension, which messages can name.
  if (!llvm::is_contained(probes, low))
    probes.push_back(low);
  return probes;
}

/// The requests, if they have all ranges, in their order.
std::optional<SizeHistogram> VariantImporter::getRequests() const {
  SmallVector<std::pair<size_t, std::string>> columns;
  for (const auto &[name, range] : ranges) {
    auto column = llvm::find(options.histogram.dims, name);
    if (column == options.histogram.dims.end())
      return std::nullopt;
    columns.emplace_back(column - options.histogram.dims.begin(), name);
  }
  return options.histogram.select(columns);
}

/// Each bucket of a range is this part of the next one.
int64_t VariantImporter::getRatio() const {
  // Kernels of windows have little code in common, and take one form of the weights for all sizes.
  if (cost.windows > 0.5)
    return ranges.size() > 1 ? 16 : 8;
  // Buckets of several ranges multiply. They pay if much of the model computes whole buckets.
  if (ranges.size() > 1)
    return cost.whole > 0.05 ? 4 : 8;
  return 2;
}

void VariantImporter::choose() {
  std::vector<SmallVector<int64_t>> requested = {{}};
  if (!options.histogram.empty())
    requested = chooseVariants(options.histogram, options.variantLimit, cost);
  const int64_t ratio = getRatio();
  choices.clear();
  for (const SmallVector<int64_t> &sizes : requested) {
    std::vector<SmallVector<int64_t>> begun = {{}};
    for (const auto &[name, range] : ranges) {
      auto column = llvm::find(options.histogram.dims, name);
      const SmallVector<int64_t> buckets =
          column != options.histogram.dims.end()
              ? SmallVector<int64_t>{sizes[column - options.histogram.dims.begin()]}
              : chooseBuckets(range, ratio);
      std::vector<SmallVector<int64_t>> longer;
      for (const SmallVector<int64_t> &choice : begun)
        for (int64_t bucket : buckets) {
          longer.push_back(choice);
          longer.back().push_back(bucket);
        }
      begun = std::move(longer);
    }
    llvm::append_range(choices, begun);
  }
}

std::string VariantImporter::describe() const {
  std::string text;
  llvm::raw_string_ostream output(text);
  output << choices.size() << (choices.size() == 1 ? " variant of " : " variants of ") << model
         << ": ";
  auto print = [&](StringRef name, ArrayRef<std::string> sizes) {
    constexpr size_t kMostShown = 12;
    output << name << " "
           << llvm::join(sizes.take_front(sizes.size() > kMostShown ? 3 : sizes.size()), ", ");
    if (sizes.size() > kMostShown)
      output << ", ..., " << sizes.back();
    output << "; ";
  };
  SmallVector<std::string> names;
  std::vector<SmallVector<std::string>> buckets;
  size_t combinations = 1;
  for (auto [dim, named] : llvm::enumerate(ranges)) {
    names.push_back(named.first);
    SmallVector<int64_t> sizes =
        llvm::map_to_vector(choices, [dim = dim](const auto &choice) { return choice[dim]; });
    llvm::sort(sizes);
    sizes.erase(llvm::unique(sizes), sizes.end());
    buckets.push_back(
        llvm::map_to_vector(sizes, [](int64_t size) { return std::to_string(size); }));
    combinations *= sizes.size();
  }
  if (combinations == choices.size())
    for (auto [name, sizes] : llvm::zip_equal(names, buckets))
      print(name, sizes);
  else
    print(llvm::join(names, " x "),
          llvm::map_to_vector(choices, [](const auto &sizes) { return joinSizes(sizes); }));
  output << describeCost();
  return text;
}

std::string VariantImporter::describeCost() const {
  std::string text;
  const std::optional<SizeHistogram> requests = getRequests();
  const auto all = llvm::map_to_vector(ranges, [](const auto &named) { return named.second; });
  llvm::raw_string_ostream(text)
      << "expected time "
      << llvm::format("%.2f", requests ? estimateSlowdown(*requests, choices, cost)
                                       : estimateSlowdown(all, choices, cost))
      << " times that of exact shapes, "
      << (requests ? "for the requests of " + llvm::sys::path::filename(options.histogramFile).str()
                   : "if all sizes are equally frequent");
  return text;
}

OwningOpRef<ModuleOp> VariantImporter::import(std::vector<std::pair<std::string, DimRange>> given) {
  ranges = std::move(given);
  folded = {};
  auto getName = [&](ArrayRef<int64_t> sizes) { return (model + "." + joinSizes(sizes)).str(); };
  const SmallVector<int64_t> largest =
      llvm::map_to_vector(ranges, [](const auto &named) { return named.second.high; });
  OwningOpRef<ModuleOp> whole = importAt(largest, getName(largest));
  if (!whole)
    return nullptr;
  cost = getBucketCost(*whole->getOps<func::FuncOp>().begin());
  choose();
  std::vector<OwningOpRef<ModuleOp>> modules;
  SmallVector<std::pair<func::FuncOp, VariantAttr>> variants;
  for (const SmallVector<int64_t> &choice : choices) {
    modules.push_back(choice == largest ? std::move(whole) : importAt(choice, getName(choice)));
    if (!modules.back())
      return nullptr;
    auto functions = modules.back()->getOps<func::FuncOp>();
    variants.push_back({*functions.begin(), getAttribute(choice)});
  }
  std::vector<OwningOpRef<ModuleOp>> probed;
  auto importProbe = [&](ArrayRef<int64_t> sizes) -> func::FuncOp {
    probed.push_back(importAt(sizes, model));
    return probed.back() ? *probed.back()->getOps<func::FuncOp>().begin() : func::FuncOp();
  };
  SmallVector<Probe> probes;
  for (const SmallVector<int64_t> &sizes : getProbes()) {
    if (llvm::is_contained(choices, sizes))
      continue;
    probes.push_back({sizes, importProbe(sizes)});
    if (!probes.back().function)
      return nullptr;
  }
  if (failed(makeVariants(variants, probes, importProbe)))
    return nullptr;
  OwningOpRef<ModuleOp> module = std::move(modules.front());
  for (OwningOpRef<ModuleOp> &next : MutableArrayRef(modules).drop_front())
    module->getBody()->getOperations().splice(module->getBody()->end(),
                                              next->getBody()->getOperations());
  return module;
}

OwningOpRef<ModuleOp> mlir::ttc::importVariants(StringRef model, const SizeOptions &options,
                                                MLIRContext *context, SizedImporter importAt) {
  VariantImporter importer(model, options, context, importAt);
  auto open = options.dimRanges;
  for (auto &[name, range] : open)
    if (range.isOpen)
      range.low = range.step = 1;
  const bool isOpen = llvm::any_of(llvm::zip_equal(open, options.dimRanges), [](const auto &pair) {
    return std::get<0>(pair).second.low != std::get<1>(pair).second.low ||
           std::get<0>(pair).second.step != std::get<1>(pair).second.step;
  });
  OwningOpRef<ModuleOp> module;
  if (isOpen) {
    // Sizes between those of a list are padded, if the model has a meaning for them.
    std::string why;
    {
      ScopedDiagnosticHandler keepFirst(context, [&](Diagnostic &diagnostic) {
        if (why.empty()) {
          const std::string node = toText(diagnostic.getLocation());
          why = (node.empty() ? "" : node + ": ") + diagnostic.str();
        }
        return success();
      });
      module = importer.import(open);
    }
    if (!module && (module = importer.import(options.dimRanges))) {
      SmallVector<std::string> texts;
      for (const auto &[name, range] : options.dimRanges)
        if (range.isOpen)
          texts.push_back(name + " " + std::to_string(range.low) + ".." +
                          std::to_string(range.high) +
                          (range.step > 1 ? " by " + std::to_string(range.step) : ""));
      emitRemark(UnknownLoc::get(context))
          << model << " runs only sizes of " << llvm::join(texts, ", ")
          << ", because the model has no meaning for others: " << why;
    }
  } else {
    module = importer.import(open);
  }
  if (module) {
    emitRemark(UnknownLoc::get(context)) << importer.describe();
    Builder builder(context);
    (*module)->setAttr(kMetadataAttrName, builder.getDictionaryAttr(builder.getNamedAttr(
                                              "variants/" + model.str(),
                                              builder.getStringAttr(importer.describeCost()))));
  }
  return module;
}
