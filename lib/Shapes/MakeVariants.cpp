// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what depends on sizes, by comparing imports of one model at several.
#include "SizeFitter.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/IR/IRMapping.h"
#include "ttc/Shapes/Variants.h"
#include "ttc/Support/Location.h"
#include "ttc/Support/Spelling.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Compares the ops of one function with those of the imports at other sizes.
class Comparison {
public:
  Comparison(func::FuncOp function, const ExtentSpace &space, ArrayRef<Probe> probes,
             const SizeFitter &fitter, std::set<SmallVector<int64_t>> *wanted)
      : function(function), space(space), probes(probes), fitter(fitter), wanted(wanted) {}

  LogicalResult run();

private:
  /// " with batch 1, sequence 37"
  std::string print(const Probe &probe) const;
  /// Adds a note that says by which dimensions the probe differs, and what to do.
  InFlightDiagnostic advise(InFlightDiagnostic diagnostic, const Probe &probe) const;
  std::optional<Extent> fit(ArrayRef<int64_t> values);
  AffineMapAttr fitTypes(Type type, ArrayRef<Type> others);
  AffineMapAttr fitElements(Attribute attribute, ArrayRef<Attribute> others);
  bool isSameOp(Operation *op, Operation *other, unsigned number) const;
  Operation *insertIdentity(Operation *op, Operation *before, unsigned number);
  Value getSource(Value value) const;
  LogicalResult compareOps(Operation *op, ArrayRef<Operation *> others);
  LogicalResult compareAttributes(Operation *op, ArrayRef<Operation *> others);
  LogicalResult compareConstants(ConstantOp op, ArrayRef<Operation *> others);

  func::FuncOp function;
  const ExtentSpace &space;
  ArrayRef<Probe> probes;
  const SizeFitter &fitter;
  /// Sizes to import the model at before the next comparison. Null for the last one, which finds
  /// only what is certain.
  std::set<SmallVector<int64_t>> *wanted;
  /// The values of each probe that those of the function correspond to.
  SmallVector<DenseMap<Value, Value>> values;
  /// Results of identities that the comparison has inserted, and their operands.
  DenseMap<Value, Value> identities;
};

} // namespace

//===--- comparing --------------------------------------------------------------------===//

std::string Comparison::print(const Probe &probe) const {
  SmallVector<std::string> texts;
  for (auto [dim, extent] : llvm::zip_equal(space.getDimensions(), probe.extents))
    texts.push_back(dim.name + " " + std::to_string(extent));
  return llvm::join(texts, ", ");
}

InFlightDiagnostic Comparison::advise(InFlightDiagnostic diagnostic, const Probe &probe) const {
  SmallVector<std::string> names;
  SmallVector<Setting> settings;
  for (auto [dim, extent] : llvm::zip_equal(space.getDimensions(), probe.extents))
    if (extent != dim.high) {
      names.push_back(dim.name);
      settings.push_back({"dim", dim.name, std::to_string(dim.high)});
    }
  diagnostic.attachNote() << "what differs depends on " << llvm::join(names, " or ") << ": give "
                          << (names.size() == 1 ? "it" : "each") << " one size, such as "
                          << spell(settings)
                          << ", or a range without the sizes at which the model differs";
  return diagnostic;
}

/// The extent of these values, until the next comparison at least.
std::optional<Extent> Comparison::fit(ArrayRef<int64_t> values) {
  const SizeFitter::Fit &fit = fitter.fit(values);
  if (fit.wanted.empty())
    return fit.extent;
  if (!wanted)
    return std::nullopt;
  wanted->insert(fit.wanted);
  return fit.extent;
}

/// The sizes of a type as functions of the extents. Null if they are always the same, or no such
/// functions.
AffineMapAttr Comparison::fitTypes(Type type, ArrayRef<Type> others) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || llvm::all_of(others, [&](Type other) { return other == type; }))
    return {};
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
    SmallVector<int64_t> sizes = {tensor.getDimSize(dim)};
    for (Type other : others)
      sizes.push_back(cast<RankedTensorType>(other).getDimSize(dim));
    std::optional<Extent> extent = fit(sizes);
    if (!extent)
      return {};
    exprs.push_back(space.getExpr(*extent, type.getContext()));
  }
  return AffineMapAttr::get(
      AffineMap::get(0, space.getDimensions().size(), exprs, type.getContext()));
}

/// The elements of an attribute as functions of the extents. Null if they are no such functions.
AffineMapAttr Comparison::fitElements(Attribute attribute, ArrayRef<Attribute> others) {
  auto elements = dyn_cast<DenseI64ArrayAttr>(attribute);
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; elements && i < elements.size(); ++i) {
    SmallVector<int64_t> numbers = {elements[i]};
    for (Attribute other : others)
      if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(other);
          array && array.size() == elements.size())
        numbers.push_back(array[i]);
    std::optional<Extent> extent =
        numbers.size() == others.size() + 1 ? fit(numbers) : std::nullopt;
    if (!extent)
      return {};
    exprs.push_back(space.getExpr(*extent, attribute.getContext()));
  }
  return elements ? AffineMapAttr::get(AffineMap::get(0, space.getDimensions().size(), exprs,
                                                      attribute.getContext()))
                  : AffineMapAttr();
}

LogicalResult Comparison::compareAttributes(Operation *op, ArrayRef<Operation *> others) {
  auto following = dyn_cast<ExtentOpInterface>(op);
  const StringRef sizes = following ? following.getSizesName() : StringRef();
  if (isa<ConstantOp>(op))
    return success();
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    const StringRef name = attribute.getName();
    auto values =
        llvm::map_to_vector(others, [&](Operation *other) { return other->getAttr(name); });
    auto differing =
        llvm::find_if(values, [&](Attribute value) { return value != attribute.getValue(); });
    if (name == sizes || differing == values.end())
      continue;
    // Where parts begin, for --ttc-mask-padding to compute.
    AffineMapAttr places =
        sizes.empty() ? AffineMapAttr() : fitElements(attribute.getValue(), values);
    if (!places || op->hasAttr(kNumbersAttrName)) {
      const Probe &probe = probes[differing - values.begin()];
      return advise(op->emitOpError("'")
                        << name << "' depends on sizes: it is " << *differing << " with "
                        << print(probe) << ", and " << attribute.getValue()
                        << " with the largest; expected the same for all sizes",
                    probe);
    }
    op->setAttr(kNumbersAttrName, places);
  }
  return success(llvm::all_of(
      others, [&](Operation *other) { return other->getAttrs().size() <= op->getAttrs().size(); }));
}

/// Whether the elements that both tensors have, in one corner, are the same bytes.
static bool isSameCorner(const ConstantTensor &a, const ConstantTensor &b) {
  if (a.isSplat() && b.isSplat())
    return a.getBytes() == b.getBytes();
  const ConstantTensor left = a.expanded(), right = b.expanded();
  if (left.getShape() == right.getShape())
    return left.getBytes() == right.getBytes();
  const size_t size = left.getElementSize();
  const int64_t rank = left.getType().getRank();
  auto compare = [&](auto &&self, int64_t dim, int64_t atLeft, int64_t atRight) -> bool {
    if (dim == rank)
      return std::equal(left.getBytes().begin() + atLeft * size,
                        left.getBytes().begin() + (atLeft + 1) * size,
                        right.getBytes().begin() + atRight * size);
    const int64_t count = std::min(left.getShape()[dim], right.getShape()[dim]);
    for (int64_t i = 0; i < count; ++i)
      if (!self(self, dim + 1, atLeft * left.getShape()[dim] + i,
                atRight * right.getShape()[dim] + i))
        return false;
    return true;
  };
  return compare(compare, 0, 0, 0);
}

/// Element `index` if it is an integer.
static std::optional<int64_t> getWhole(const ConstantTensor &tensor, int64_t index) {
  Type type = tensor.getType().getElementType();
  if (isa<IntegerType>(type))
    return tensor.getInteger(index);
  double number;
  if (type.isF32())
    number = tensor.get<float>()[tensor.isSplat() ? 0 : index];
  else if (type.isF64())
    number = tensor.get<double>()[tensor.isSplat() ? 0 : index];
  else
    return std::nullopt;
  if (std::trunc(number) != number || std::abs(number) > 1e9)
    return std::nullopt;
  return static_cast<int64_t>(number);
}

LogicalResult Comparison::compareConstants(ConstantOp op, ArrayRef<Operation *> others) {
  const ConstantTensor whole = ConstantTensor::get(op.getValue());
  SmallVector<ConstantTensor> tensors = {whole};
  const Probe *differing = nullptr;
  for (auto [other, probe] : llvm::zip_equal(others, probes)) {
    auto constant = cast<ConstantOp>(other);
    if (constant.getValue() == op.getValue()) {
      tensors.push_back(whole);
      continue;
    }
    tensors.push_back(ConstantTensor::get(constant.getValue()));
    if (!isSameCorner(whole, tensors.back()))
      differing = &probe;
  }
  if (!differing)
    return success();
  // A few numbers may be functions of the sizes.
  constexpr int64_t kMostNumbers = 16;
  const bool isSplat = llvm::all_of(tensors, [](auto &tensor) { return tensor.isSplat(); });
  const int64_t count = isSplat ? 1 : whole.getNumElements();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < count && count <= kMostNumbers; ++i) {
    SmallVector<int64_t> numbers;
    for (const ConstantTensor &tensor : tensors)
      if (std::optional<int64_t> number =
              isSplat || tensor.getType() == whole.getType() ? getWhole(tensor, i) : std::nullopt)
        numbers.push_back(*number);
    std::optional<Extent> extent = numbers.size() == tensors.size() ? fit(numbers) : std::nullopt;
    if (!extent)
      break;
    exprs.push_back(space.getExpr(*extent, op.getContext()));
  }
  if (static_cast<int64_t>(exprs.size()) != count)
    return advise(op.emitOpError("its ")
                      << whole.getType().getNumElements()
                      << " elements depend on sizes: expected those "
                      << "with " << print(*differing)
                      << " to be the first ones of those with the largest, or at most "
                      << kMostNumbers
                      << " whole numbers that are sums of multiples of the sizes, rounded down "
                      << "at most once",
                  *differing);
  op->setAttr(kNumbersAttrName, AffineMapAttr::get(AffineMap::get(0, space.getDimensions().size(),
                                                                  exprs, op.getContext())));
  return success();
}

/// What a value is, without identities.
Value Comparison::getSource(Value value) const {
  while (Value operand = identities.lookup(value))
    value = operand;
  return value;
}

bool Comparison::isSameOp(Operation *op, Operation *other, unsigned number) const {
  auto isAlike = [](auto pair) {
    auto [type, other] = pair;
    auto tensor = dyn_cast<RankedTensorType>(type), otherTensor = dyn_cast<RankedTensorType>(other);
    return type == other || (tensor && otherTensor && tensor.getRank() == otherTensor.getRank() &&
                             tensor.getElementType() == otherTensor.getElementType());
  };
  auto isSame = [&](auto pair) {
    auto [operand, otherOperand] = pair;
    return getSource(values[number].lookup(operand)) == getSource(otherOperand);
  };
  return op->getName() == other->getName() && op->getNumOperands() == other->getNumOperands() &&
         llvm::all_of(llvm::zip_equal(op->getOperands(), other->getOperands()), isSame) &&
         op->getNumResults() == other->getNumResults() &&
         llvm::all_of(llvm::zip_equal(op->getResultTypes(), other->getResultTypes()), isAlike);
}

/// The importer leaves out an op that changes nothing, which may be so at some sizes only: a
/// reshape of n x 1 to 1 x n does nothing for n = 1. Inserts such an op; null if `op` is none.
Operation *Comparison::insertIdentity(Operation *op, Operation *before, unsigned number) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return nullptr;
  Value operand = values[number].lookup(op->getOperand(0));
  auto type = dyn_cast<RankedTensorType>(operand.getType()),
       result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !result || type.getRank() != result.getRank() ||
      type.getElementType() != result.getElementType())
    return nullptr;
  IRMapping mapping;
  mapping.map(op->getOperand(0), operand);
  OpBuilder builder(before);
  Operation *identity = builder.clone(*op, mapping);
  identity->getResult(0).setType(type);
  // What the importer has left out begins at 0 and has all elements, once.
  if (auto slice = dyn_cast<SliceOp>(identity)) {
    slice.setStarts(SmallVector<int64_t>(type.getRank(), 0));
    slice.setSizes(type.getShape());
  } else if (auto tile = dyn_cast<TileOp>(identity)) {
    tile.setRepeats(SmallVector<int64_t>(type.getRank(), 1));
  }
  SmallVector<OpFoldResult> folded;
  if (failed(identity->fold(folded)) || folded.size() != 1 ||
      dyn_cast<Value>(folded.front()) != operand) {
    identity->erase();
    return nullptr;
  }
  identities[identity->getResult(0)] = operand;
  return identity;
}

/// "'ttc.add' (node)"
static std::string describe(Operation *op) {
  const std::string node = toText(op->getLoc());
  return ("'" + op->getName().getStringRef() + "'" + (node.empty() ? "" : " (" + node + ")")).str();
}

LogicalResult Comparison::compareOps(Operation *op, ArrayRef<Operation *> others) {
  SmallVector<int64_t> sizes;
  for (auto [number, other] : llvm::enumerate(others)) {
    const Probe &probe = probes[number];
    if (!isSameOp(op, other, number))
      return advise(op->emitOpError("expected the same ops for all sizes; with ")
                        << print(probe) << ", the model has "
                        << (op->getName() == other->getName() ? "this op with other operands"
                                                              : describe(other) + " here"),
                    probe);
    for (auto [operand, otherOperand] : llvm::zip_equal(op->getOperands(), other->getOpOperands()))
      otherOperand.set(values[number].lookup(operand));
    for (auto [result, otherResult] : llvm::zip_equal(op->getResults(), other->getResults())) {
      values[number][result] = otherResult;
      if (auto type = dyn_cast<RankedTensorType>(otherResult.getType()))
        llvm::append_range(sizes, type.getShape());
    }
  }
  if (failed(compareAttributes(op, others)))
    return failure();
  if (auto constant = dyn_cast<ConstantOp>(op);
      constant && failed(compareConstants(constant, others)))
    return failure();
  if (op->getNumResults() == 0)
    return success();
  op->setAttr(kProbedAttrName, DenseI64ArrayAttr::get(op->getContext(), sizes));
  auto following = dyn_cast<ExtentOpInterface>(op);
  if (op->getNumResults() == 1 && following && following.needsDims()) {
    SmallVector<Type> types =
        llvm::map_to_vector(others, [](Operation *other) { return other->getResultTypes()[0]; });
    if (AffineMapAttr dims = fitTypes(op->getResultTypes()[0], types))
      op->setAttr(kDimsAttrName, dims);
  }
  return success();
}

LogicalResult Comparison::run() {
  values.resize(probes.size());
  for (Probe probe : probes)
    if (probe.function.getNumArguments() != function.getNumArguments())
      return advise(function.emitError("the model has ")
                        << probe.function.getNumArguments() << " inputs with " << print(probe)
                        << "; expected " << function.getNumArguments()
                        << ", as with the largest sizes",
                    probe);
  for (BlockArgument argument : function.getArguments()) {
    const unsigned index = argument.getArgNumber();
    SmallVector<Type> types;
    for (auto [number, probe] : llvm::enumerate(probes)) {
      BlockArgument other = func::FuncOp(probe.function).getArgument(index);
      values[number][argument] = other;
      types.push_back(other.getType());
    }
    if (llvm::all_of(types, [&](Type type) { return type == argument.getType(); }))
      continue;
    AffineMapAttr dims = fitTypes(argument.getType(), types);
    if (!dims) {
      auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
      const size_t differing =
          llvm::find_if(types, [&](Type type) { return type != argument.getType(); }) -
          types.begin();
      return advise(function.emitError("input ")
                        << (name ? "'" + name.getValue().str() + "'" : std::to_string(index))
                        << " is " << types[differing] << " with " << print(probes[differing])
                        << ", and " << argument.getType()
                        << " with the largest; expected sizes that are sums of multiples of the "
                           "dimensions",
                    probes[differing]);
    }
    function.setArgAttr(index, kDimsAttrName, dims);
  }
  SmallVector<Block::iterator> at = llvm::map_to_vector(probes, [](const Probe &probe) {
    return func::FuncOp(probe.function).getBody().front().begin();
  });
  for (Operation &op : function.getBody().front()) {
    SmallVector<Operation *> others;
    for (auto [number, it] : llvm::enumerate(at)) {
      // The terminator comes last everywhere. A like op of another node may be the one after an op
      // that is left out.
      const bool isSame = isSameOp(&op, &*it, number) && op.getLoc() == it->getLoc();
      Operation *identity = isSame ? nullptr : insertIdentity(&op, &*it, number);
      others.push_back(identity ? identity : &*it);
      if (!identity && !it->hasTrait<OpTrait::IsTerminator>())
        ++it;
    }
    if (failed(compareOps(&op, others)))
      return failure();
  }
  return success();
}

//===--- variants ---------------------------------------------------------------------===//

/// Removes what a comparison has found.
static void forget(func::FuncOp function) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    function.removeArgAttr(index, kDimsAttrName);
  for (Operation &op : function.getOps())
    for (StringRef name : {kDimsAttrName, kProbedAttrName, kNumbersAttrName})
      op.removeAttr(name);
}

LogicalResult mlir::ttc::makeVariants(ArrayRef<std::pair<func::FuncOp, VariantAttr>> variants,
                                      ArrayRef<Probe> probes, ProbeImporter importAt) {
  // Each function that rounds takes about as many as its divisor and its offset have bits.
  constexpr size_t kMostImports = 96;
  auto [largest, attribute] = variants.back();
  MLIRContext *context = largest.getContext();
  ExtentSpace space = getExtentSpace(attribute);
  std::vector<Probe> others(probes.begin(), probes.end());
  for (auto [function, variant] : variants.drop_back())
    others.push_back({SmallVector<int64_t>(variant.getHigh()), function});
  const size_t numGiven = others.size();
  while (true) {
    std::vector<SmallVector<int64_t>> points = {SmallVector<int64_t>(attribute.getHigh())};
    for (const Probe &probe : others)
      points.push_back(probe.extents);
    const SizeFitter fitter(space, points);
    std::set<SmallVector<int64_t>> wanted;
    const bool isLast = others.size() >= numGiven + kMostImports;
    if (failed(Comparison(largest, space, others, fitter, isLast ? nullptr : &wanted).run()))
      return failure();
    if (wanted.empty())
      break;
    forget(largest);
    for (const SmallVector<int64_t> &sizes : wanted) {
      func::FuncOp function = importAt(sizes);
      if (!function)
        return failure();
      others.push_back({sizes, function});
    }
  }
  SmallVector<int64_t> probed;
  for (const Probe &probe : others)
    llvm::append_range(probed, probe.extents);
  for (auto [function, variant] : variants) {
    if (function != largest) {
      for (unsigned index = 0; index < function.getNumArguments(); ++index)
        if (Attribute dims = largest.getArgAttr(index, kDimsAttrName))
          function.setArgAttr(index, kDimsAttrName, dims);
      for (auto [op, model] : llvm::zip_equal(function.getOps(), largest.getOps()))
        for (StringRef name :
             {StringRef(kDimsAttrName), StringRef(kProbedAttrName), StringRef(kNumbersAttrName)})
          if (Attribute value = model.getAttr(name))
            op.setAttr(name, value);
    }
  }
  for (auto [function, variant] : variants) {
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      if (auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
          name && name.getValue() == kExtentsName)
        return function.emitError("the model has an input '")
               << kExtentsName << "', which is the name of the one that has the sizes of a run";
    function->setAttr(kVariantAttrName, variant);
    function->setAttr(kProbesAttrName, DenseI64ArrayAttr::get(context, probed));
    Builder builder(context);
    if (failed(function.insertArgument(function.getNumArguments(), variant.getExtentsType(),
                                       builder.getDictionaryAttr(builder.getNamedAttr(
                                           kNameAttrName, builder.getStringAttr(kExtentsName))),
                                       function.getLoc())))
      return failure();
  }
  return success();
}
