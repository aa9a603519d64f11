// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Variants.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Iterators.h"
#include "ttc/Shapes/Variants.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

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
    if (next < least || next >= buckets.back())
      break;
    buckets.push_back(next);
  }
  return llvm::to_vector(llvm::reverse(buckets));
}

/// Evaluates ops on constants. The importer does so for small ones, and leaves a causal mask of 512
/// x 512, but not that of 8 x 8: imports at several sizes must have the same ops.
static void evaluateConstants(ModuleOp module) {
  constexpr int64_t kMostElements = int64_t(1) << 22;
  SmallVector<Operation *> dead;
  module.walk([&](Operation *op) {
    auto isSmall = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= kMostElements;
    };
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !isConstantEvaluable(op) ||
        !llvm::all_of(op->getOperandTypes(), isSmall) || !isSmall(op->getResultTypes()[0]))
      return;
    SmallVector<ConstantTensor> operands;
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      if (!constant)
        return;
      operands.push_back(ConstantTensor::get(constant.getValue()));
    }
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
  // What only these used.
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

namespace {

class VariantImporter {
public:
  VariantImporter(const llvm::MemoryBuffer &model, MLIRContext *context,
                  const OnnxImportOptions &options)
      : model(model), context(context), options(options) {}

  OwningOpRef<ModuleOp> import(std::vector<std::pair<std::string, DimRange>> ranges);

private:
  OwningOpRef<ModuleOp> importAt(ArrayRef<int64_t> sizes, StringRef name);
  VariantAttr getAttribute(ArrayRef<int64_t> high) const;
  /// Sizes to compare with: the smallest, the largest, and some between them, along each dimension.
  std::vector<SmallVector<int64_t>> getProbes() const;

  const llvm::MemoryBuffer &model;
  MLIRContext *context;
  const OnnxImportOptions &options;
  std::vector<std::pair<std::string, DimRange>> ranges;
};

} // namespace

OwningOpRef<ModuleOp> VariantImporter::importAt(ArrayRef<int64_t> sizes, StringRef name) {
  OnnxImportOptions own = options;
  own.dimRanges.clear();
  own.functionName = name.str();
  SmallVector<std::string> texts;
  for (auto [range, size] : llvm::zip_equal(ranges, sizes)) {
    own.dims[range.first] = size;
    texts.push_back(range.first + ":" + std::to_string(size));
  }
  OwningOpRef<ModuleOp> module = importOnnx(model, context, own);
  if (!module)
    emitError(UnknownLoc::get(context))
        << "the model cannot be imported with " << llvm::join(texts, ", ")
        << ", which is one of the sizes that --dim asks for";
  else
    evaluateConstants(*module);
  return module;
}

VariantAttr VariantImporter::getAttribute(ArrayRef<int64_t> high) const {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> low, step;
  for (const auto &[name, range] : ranges) {
    names.push_back(StringAttr::get(context, name));
    low.push_back(range.low);
    step.push_back(range.step);
  }
  return VariantAttr::get(context, options.functionName, names, low, high, step);
}

std::vector<SmallVector<int64_t>> VariantImporter::getProbes() const {
  SmallVector<int64_t> low, high;
  for (const auto &[name, range] : ranges) {
    low.push_back(range.low);
    high.push_back(range.high);
  }
  std::vector<SmallVector<int64_t>> probes = {low};
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
  return probes;
}

OwningOpRef<ModuleOp> VariantImporter::import(std::vector<std::pair<std::string, DimRange>> given) {
  ranges = std::move(given);
  const int64_t ratio = ranges.size() > 1 ? 4 : 2;
  // All choices of buckets, the largest last.
  std::vector<SmallVector<int64_t>> choices = {{}};
  for (const auto &[name, range] : ranges) {
    std::vector<SmallVector<int64_t>> longer;
    for (const SmallVector<int64_t> &choice : choices)
      for (int64_t bucket : chooseBuckets(range, ratio)) {
        longer.push_back(choice);
        longer.back().push_back(bucket);
      }
    choices = std::move(longer);
  }
  std::vector<OwningOpRef<ModuleOp>> modules;
  SmallVector<std::pair<func::FuncOp, VariantAttr>> variants;
  for (const SmallVector<int64_t> &choice : choices) {
    const std::string name =
        options.functionName + "." +
        llvm::join(llvm::map_range(choice, [](int64_t size) { return std::to_string(size); }), "x");
    modules.push_back(importAt(choice, name));
    if (!modules.back())
      return nullptr;
    auto functions = modules.back()->getOps<func::FuncOp>();
    variants.push_back({*functions.begin(), getAttribute(choice)});
  }
  std::vector<OwningOpRef<ModuleOp>> probed;
  SmallVector<Probe> probes;
  for (const SmallVector<int64_t> &sizes : getProbes()) {
    if (llvm::is_contained(choices, sizes))
      continue;
    probed.push_back(importAt(sizes, options.functionName));
    if (!probed.back())
      return nullptr;
    auto functions = probed.back()->getOps<func::FuncOp>();
    probes.push_back({sizes, *functions.begin()});
  }
  if (failed(makeVariants(variants, probes)))
    return nullptr;
  OwningOpRef<ModuleOp> module = std::move(modules.front());
  for (OwningOpRef<ModuleOp> &next : MutableArrayRef(modules).drop_front())
    module->getBody()->getOperations().splice(module->getBody()->end(),
                                              next->getBody()->getOperations());
  return module;
}

OwningOpRef<ModuleOp> mlir::ttc::importVariants(const llvm::MemoryBuffer &model,
                                                MLIRContext *context,
                                                const OnnxImportOptions &options) {
  if (options.keepsValues) {
    emitError(UnknownLoc::get(context))
        << "--keep-values: expected one size for each --dim, found several for '"
        << options.dimRanges.front().first << "'";
    return nullptr;
  }
  VariantImporter importer(model, context, options);
  const bool hasLists = llvm::any_of(
      options.dimRanges, [](const auto &named) { return !named.second.buckets.empty(); });
  if (hasLists) {
    // Sizes between those of a list are padded, if the model has a meaning for them.
    ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
    if (OwningOpRef<ModuleOp> module = importer.import(options.dimRanges))
      return module;
  }
  auto ranges = options.dimRanges;
  for (auto &[name, range] : ranges) {
    if (range.buckets.empty())
      continue;
    range.low = range.step = range.buckets.front();
    for (int64_t bucket : range.buckets)
      range.step = std::gcd(range.step, bucket);
  }
  return importer.import(ranges);
}
