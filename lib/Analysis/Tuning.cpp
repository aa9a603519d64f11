// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Analysis/Tuning.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "kernels/Budgets.h"
#include "ttc/Analysis/GemmPlan.h"
#include "ttc/Analysis/SharedWeights.h"
#include "ttc/Analysis/WinogradPlan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- entries ----------------------------------------------------------------------===//

std::string mlir::ttc::getTuningKey(Operation *op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << op->getName().stripDialect() << " (";
  const bool isKernel = isa<KernelOpInterface>(op);
  llvm::interleaveComma(op->getOperands(), out, [&](Value operand) {
    // The operands of a kernel are a program's arguments.
    if (!isKernel && isConstantExpression(operand))
      out << "constant ";
    out << operand.getType();
    if (StridedAttr layout = isKernel ? getOperandStrided(operand) : StridedAttr())
      out << ' ' << layout;
  });
  out << ") -> " << op->getResult(0).getType();
  if (StridedAttr layout = isKernel ? getResultStrided(op) : StridedAttr())
    out << ' ' << layout;
  out << " {";
  // Without `valid`, its dimensions say nothing.
  auto window = dyn_cast<WindowKernelOpInterface>(op);
  const bool isWhole = window && window.getValidDims().empty();
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (op->getInherentAttr(attribute.getName()) && attribute.getName() != "plan" &&
        !(isWhole && attribute.getName() == "valid_dims"))
      attributes.push_back(attribute);
  llvm::interleaveComma(attributes, out, [&](NamedAttribute attribute) {
    out << attribute.getName().getValue();
    if (!isa<UnitAttr>(attribute.getValue()))
      out << " = " << attribute.getValue();
  });
  out << "}";
  return text;
}

static DictionaryAttr findTuningAttr(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto tuning = op->getAttrOfType<DictionaryAttr>(kTuningAttrName))
      return tuning;
  return {};
}

Attribute mlir::ttc::findTuning(Operation *op) {
  DictionaryAttr tuning = findTuningAttr(op);
  return tuning ? tuning.getAs<DictionaryAttr>("entries").get(getTuningKey(op)) : Attribute();
}

InFlightDiagnostic mlir::ttc::emitTuningError(Operation *op) {
  return op->emitError() << "tuning " << findTuningAttr(op).get("file") << ", entry '"
                         << getTuningKey(op) << "': ";
}

DictionaryAttr mlir::ttc::getTuningEntries(ModuleOp module) {
  auto tuning = module->getAttrOfType<DictionaryAttr>(kTuningAttrName);
  return tuning ? tuning.getAs<DictionaryAttr>("entries")
                : DictionaryAttr::get(module.getContext());
}

void mlir::ttc::setTuning(ModuleOp module, StringRef file, ArrayRef<NamedAttribute> entries) {
  Builder builder(module.getContext());
  module->setAttr(kTuningAttrName,
                  builder.getDictionaryAttr({
                      builder.getNamedAttr("file", builder.getStringAttr(file)),
                      builder.getNamedAttr("entries", builder.getDictionaryAttr(entries)),
                  }));
}

//===--- choices of kernels -----------------------------------------------------------===//

bool mlir::ttc::hasKernelChoice(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](ConvOp conv) {
        const int64_t channels = tensorType(conv.getX()).getShape().back();
        const bool isDepthwise = conv.getGroups() == channels && channels > 1 &&
                                 tensorType(conv.getW()).getDimSize(0) == channels;
        return conv.getChannelsLast() && tensorType(conv.getX()).getElementType().isF32() &&
               tensorType(conv.getY()).getNumElements() > 0 && !isDepthwise;
      })
      .Case([](ConvTransposeOp conv) {
        return conv.getChannelsLast() && tensorType(conv.getX()).getElementType().isF32() &&
               tensorType(conv.getY()).getNumElements() > 0;
      })
      .Case([](MatmulOp product) {
        return tensorType(product.getA()).getElementType().isF32() &&
               tensorType(product.getY()).getNumElements() > 0 &&
               tensorType(product.getA()).getNumElements() > 0;
      })
      .Default(false);
}

/// The columns of each group of the op's result.
static int64_t getColumns(Operation *op) {
  const int64_t columns = tensorType(op->getResult(0)).getShape().back();
  if (auto conv = dyn_cast<ConvOp>(op))
    return columns / conv.getGroups();
  if (auto conv = dyn_cast<ConvTransposeOp>(op))
    return columns / conv.getGroups();
  return columns;
}

/// Whether the rows of an op's direct kernel are found by a table of pointers.
static bool hasTable(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv)
    return isa<ConvTransposeOp>(op);
  auto isOne = [](int64_t value) { return value == 1; };
  auto isZero = [](int64_t value) { return value == 0; };
  const bool isPixel = llvm::all_of(tensorType(conv.getW()).getShape().drop_front(2), isOne) &&
                       llvm::all_of(conv.getStrides(), isOne) &&
                       llvm::all_of(conv.getPads(), isZero);
  return !isPixel && tensorType(conv.getX()).getShape().back() / conv.getGroups() >=
                         ::ttc::kernels::kCopyBelowChannels;
}

/// Whether the kernel's vectors can run along the depth of a convolution.
static bool canUseDots(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  return conv && conv.getChannelsLast() && conv.getGroups() == 1 &&
         getColumns(op) <= ::ttc::kernels::kFewColumns && isConstantExpression(conv.getW()) &&
         tensorType(conv.getX()).getElementType().isF32() &&
         tensorType(conv.getX()).getShape().back() % ::ttc::kernels::kFewColumnsDepth == 0;
}

/// Few columns leave most lanes empty, and sums of lanes take time, too: about ten additions each.
static std::optional<GemmTile> chooseDots(Operation *op, int64_t vectorLength) {
  if (!canUseDots(op))
    return std::nullopt;
  const int64_t columns = getColumns(op);
  const int64_t depth = tensorType(cast<ConvOp>(op).getW()).getNumElements() / columns;
  if (2 * depth <= 3 * columns * (depth / vectorLength + 10))
    return std::nullopt;
  // As many sums as fit beside a vector of each column.
  const int64_t rows = vectorLength == 16 ? 24 / columns : 10 / columns;
  return GemmTile{std::min<int64_t>(rows, 8), 1};
}

static KernelChoiceAttr getDirect(Operation *op, GemmTile tile) {
  // 14 pointers of a table do not fit into the general registers beside those of the loop.
  if (tile.rows == 14 && tile.columns == 32 && hasTable(op))
    tile.rows = 12;
  return KernelChoiceAttr::get(op->getContext(), KernelMethod::direct, {tile.rows, tile.columns},
                               0);
}

/// The first one of the most rows.
static Operation *getLargest(ArrayRef<Operation *> ops) {
  return *llvm::max_element(
      ops, [](Operation *a, Operation *b) { return getRowsOfWeights(a) < getRowsOfWeights(b); });
}

static SmallVector<KernelChoiceAttr> estimateKernelChoices(ArrayRef<Operation *> ops,
                                                           int64_t vectorLength, KernelGoals goals,
                                                           ArrayRef<int64_t> constantBytes) {
  SmallVector<ConvOp> convs;
  for (Operation *op : ops)
    if (auto conv = dyn_cast<ConvOp>(op); conv && goals.winograd)
      convs.push_back(conv);
  if (!convs.empty())
    if (SmallVector<WinogradChoice> choices = chooseWinograd(convs, vectorLength, constantBytes);
        !choices.empty())
      return llvm::map_to_vector(choices, [&](const WinogradChoice &choice) {
        return KernelChoiceAttr::get(ops.front()->getContext(),
                                     choice.transformFirst ? KernelMethod::winograd_transformed
                                                           : KernelMethod::winograd,
                                     {choice.tile.rows, choice.tile.columns}, choice.outputs);
      });
  if (std::optional<GemmTile> tile = chooseDots(ops.front(), vectorLength);
      tile && llvm::all_of(ops, canUseDots))
    return llvm::map_to_vector(ops, [&](Operation *op) { return getDirect(op, *tile); });
  const int64_t rows = getRowsOfWeights(getLargest(ops));
  const GemmTile tile = chooseGemmTile(vectorLength, rows, getColumns(ops.front()), goals.compact);
  return llvm::map_to_vector(ops, [&](Operation *op) { return getDirect(op, tile); });
}

KernelChoiceAttr mlir::ttc::estimateKernelChoice(Operation *op, int64_t vectorLength,
                                                 KernelGoals goals, int64_t constantBytes) {
  return estimateKernelChoices(op, vectorLength, goals, constantBytes).front();
}

/// Whether both need the weights in the same packed form.
static bool isSameForm(KernelChoiceAttr a, KernelChoiceAttr b) {
  return (a.getMethod() == KernelMethod::direct) == (b.getMethod() == KernelMethod::direct) &&
         a.getOutputs() == b.getOutputs() && a.getTile()[1] == b.getTile()[1];
}

SmallVector<KernelChoiceAttr> mlir::ttc::getKernelChoices(ArrayRef<Operation *> ops,
                                                          int64_t vectorLength, KernelGoals goals,
                                                          ArrayRef<int64_t> constantBytes) {
  SmallVector<KernelChoiceAttr> choices =
      estimateKernelChoices(ops, vectorLength, goals, constantBytes);
  auto getEntry = [&](Operation *op) {
    auto choice = dyn_cast_if_present<KernelChoiceAttr>(findTuning(op));
    return choice && (goals.winograd || choice.getMethod() == KernelMethod::direct)
               ? choice
               : KernelChoiceAttr();
  };
  const KernelChoiceAttr measured = getEntry(getLargest(ops));
  for (auto [op, choice] : llvm::zip_equal(ops, choices)) {
    if (measured && !goals.compact && !isSameForm(choice, measured))
      choice = measured;
    if (KernelChoiceAttr entry = getEntry(op); entry && isSameForm(entry, choice))
      choice = entry;
  }
  return choices;
}

std::string mlir::ttc::checkKernelChoice(Operation *op, KernelChoiceAttr choice,
                                         int64_t vectorLength) {
  const int64_t columns = choice.getTile()[1], most = vectorLength * (vectorLength == 16 ? 3 : 2);
  if (columns == 1)
    return canUseDots(op) && choice.getTile()[0] <= 8
               ? ""
               : "expected more than one column, because the vectors of this op's kernel cannot "
                 "run along its "
                 "depth";
  if (columns % vectorLength != 0 || columns > most)
    return ("expected a tile of columns in multiples of the CPU's " + Twine(vectorLength) +
            " lanes, at most " + Twine(most) + ", found " + Twine(columns))
        .str();
  if (choice.getMethod() == KernelMethod::direct)
    return "";
  auto conv = dyn_cast<ConvOp>(op);
  const std::optional<WinogradShape> shape = conv ? getWinogradShape(conv) : std::nullopt;
  if (!shape || (choice.getMethod() == KernelMethod::winograd && shape->needsTransform) ||
      (choice.getOutputs() == 4 && shape->taps != 3))
    return "expected 'direct', because Winograd's algorithm does not compute this op in tiles of " +
           std::to_string(choice.getOutputs()) + ", found '" +
           stringifyKernelMethod(choice.getMethod()).str() + "'";
  if (columns > 32)
    return "expected at most 32 columns with Winograd's algorithm, found " +
           std::to_string(columns);
  return "";
}

LogicalResult mlir::ttc::verifyKernelChoice(Operation *op, int64_t vectorLength) {
  Attribute entry = findTuning(op);
  if (!entry)
    return success();
  auto choice = dyn_cast<KernelChoiceAttr>(entry);
  if (!choice)
    return emitTuningError(op) << "expected a #ttc.kernel_choice, found " << entry;
  if (std::string wrong = checkKernelChoice(op, choice, vectorLength); !wrong.empty())
    return emitTuningError(op) << wrong;
  return success();
}
