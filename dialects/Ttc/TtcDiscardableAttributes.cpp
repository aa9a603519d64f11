// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification of the dialect's discardable attributes. Passes read them without further checks.
#include "dialects/Ttc/Layout/ValidSize.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

enum class Owner { Operation, Argument, Result };

/// The owners and values that a discardable attribute may have. A name may have several rules, one
/// for each kind of owner.
struct Rule {
  StringRef name;
  StringRef where;
  bool (*isAllowed)(Operation *op, Owner owner);
  StringRef what;
  bool (*isValid)(Operation *op, Attribute value);
  /// What else must be true, with a diagnostic of its own.
  LogicalResult (*check)(Operation *op, Owner owner, unsigned index, Attribute value) = nullptr;
};

bool isModule(Operation *op, Owner owner) { return owner == Owner::Operation && isa<ModuleOp>(op); }
bool isPort(Operation *, Owner owner) { return owner != Owner::Operation; }
bool isFunctionPort(Operation *op, Owner owner) {
  return !isa<TraceOp, ProgramOp>(op) && isPort(op, owner);
}
bool isTracePort(Operation *op, Owner owner) { return isa<TraceOp>(op) && isPort(op, owner); }
bool isProgramPort(Operation *op, Owner owner) { return isa<ProgramOp>(op) && isPort(op, owner); }
bool isProgramResult(Operation *op, Owner owner) {
  return isa<ProgramOp>(op) && owner == Owner::Result;
}
/// Whether the attribute belongs to arguments of the functions that a program's body becomes while
/// it is lowered.
bool isFunctionArgument(Operation *op, Owner owner) {
  return owner == Owner::Argument && isa<FunctionOpInterface>(op) && !isa<ProgramOp>(op);
}
bool isInTrace(Operation *op, Owner owner) {
  return owner == Owner::Operation && isa_and_present<TraceOp>(op->getParentOp());
}

/// Whether the op is in the body of a function.
bool isOwnedByFunction(Operation *op, Owner owner) {
  return owner == Owner::Operation && isa_and_present<FunctionOpInterface>(op->getParentOp());
}

template <typename AttrTy> bool is(Operation *, Attribute value) { return isa<AttrTy>(value); }
bool isByteCount(Operation *, Attribute value) {
  auto bytes = dyn_cast<IntegerAttr>(value);
  return bytes && bytes.getType().isSignlessInteger(64) && bytes.getInt() >= 0;
}
bool isWorkgroupLimit(Operation *, Attribute value) {
  auto count = dyn_cast<IntegerAttr>(value);
  return count && count.getType().isSignlessInteger(64) && count.getInt() <= kMostWorkgroups &&
         llvm::isPowerOf2_64(count.getInt());
}
bool isBufferPerResult(Operation *op, Attribute value) {
  auto buffers = dyn_cast<ArrayAttr>(value);
  return buffers && buffers.size() == op->getNumResults() &&
         llvm::all_of(buffers, llvm::IsaPred<FlatSymbolRefAttr>);
}
bool isTuning(Operation *, Attribute value) {
  auto tuning = dyn_cast<DictionaryAttr>(value);
  auto entries = tuning ? tuning.getAs<DictionaryAttr>("entries") : DictionaryAttr();
  return entries && tuning.size() == 2 && tuning.getAs<StringAttr>("file") &&
         llvm::all_of(entries, [](NamedAttribute entry) {
           return isa<KernelChoiceAttr, GemmPlanAttr>(entry.getValue());
         });
}

bool isPortOp(Operation *op, Owner owner) {
  return owner == Owner::Operation && isa<InputOp, OutputOp>(op);
}
/// Arrays of distinct names.
bool isSharding(Operation *, Attribute value) {
  auto dimensions = dyn_cast<ArrayAttr>(value);
  if (!dimensions)
    return false;
  DenseSet<Attribute> seen;
  return llvm::all_of(dimensions, [&](Attribute dimension) {
    auto axes = dyn_cast<ArrayAttr>(dimension);
    return axes && llvm::all_of(axes, [&](Attribute axis) {
             return isa<StringAttr>(axis) && seen.insert(axis).second;
           });
  });
}

bool isFunction(Operation *op, Owner owner) {
  return owner == Owner::Operation && isa<FunctionOpInterface>(op) && !isa<ProgramOp, TraceOp>(op);
}
bool isListOfDevices(Operation *, Attribute value) {
  auto devices = dyn_cast<DenseI64ArrayAttr>(value);
  return devices && isDeviceList(devices.asArrayRef());
}

bool isFunctionOrEntry(Operation *op, Owner owner) {
  return isFunction(op, owner) || (owner == Owner::Operation && isa<EntryOp>(op));
}
/// A variant that is a ttc.entry verifies its ports itself.
LogicalResult checkExtents(Operation *op, Owner, unsigned, Attribute value) {
  auto type = op->getAttrOfType<TypeAttr>("function_type");
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!type || !function)
    return success();
  RankedTensorType expected = cast<VariantAttr>(value).getExtentsType();
  for (auto [i, argument] : llvm::enumerate(cast<FunctionType>(type.getValue()).getInputs())) {
    auto name = function.getArgAttrOfType<StringAttr>(i, kNameAttrName);
    if (name && name.getValue() == kExtentsName && argument == expected)
      return success();
  }
  return op->emitOpError("expected a variant to have an argument '")
         << kExtentsName << "' of type " << expected << ", found none";
}
LogicalResult checkDims(Operation *op, Owner owner, unsigned index, Attribute value) {
  auto variant = op->getAttrOfType<VariantAttr>(kVariantAttrName);
  if (!variant)
    return op->emitOpError("expected '")
           << kDimsAttrName << "' in a function with '" << kVariantAttrName << "'";
  auto function = cast<FunctionOpInterface>(op);
  Type type = owner == Owner::Argument ? function.getArgumentTypes()[index]
                                       : function.getResultTypes()[index];
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return op->emitOpError("expected '")
           << kDimsAttrName << "' on a ranked tensor, found it on " << type;
  Attribute sharding = owner == Owner::Argument ? function.getArgAttr(index, kShardingAttrName)
                                                : function.getResultAttr(index, kShardingAttrName);
  tensor = getWholeType(tensor, dyn_cast_if_present<ArrayAttr>(sharding), op);
  return variant.verifyDims(cast<AffineMapAttr>(value).getValue(), tensor, [&] {
    return op->emitOpError(owner == Owner::Argument ? "argument " : "result ") << index << ": ";
  });
}

bool isKernel(Operation *op, Owner owner) {
  return owner == Owner::Operation && isa<KernelOpInterface>(op);
}

bool isMetadata(Operation *, Attribute value) {
  auto metadata = dyn_cast<DictionaryAttr>(value);
  return metadata && llvm::all_of(metadata, [](NamedAttribute entry) {
           return isa<StringAttr>(entry.getValue()) && !entry.getName().getValue().contains('\0');
         });
}

constexpr StringLiteral kOnModule = "a builtin.module";
constexpr StringLiteral kOnProgram = "an argument or a result of a ttc.program";

const Rule kRules[] = {
    {kTargetAttrName, kOnModule, isModule, "a #ttc.target", is<TargetAttr>},
    {kTuningAttrName, kOnModule, isModule,
     "{entries = {of #ttc.kernel_choice and #ttc.gemm_plan}, file = a string}", isTuning},
    {kMaxWorkgroupsAttrName, kOnModule, isModule, "an i64 power of two from 1 to 32768",
     isWorkgroupLimit},
    {kMaxWorkgroupsAttrName, "a kernel op", isKernel, "an i64 power of two from 1 to 32768",
     isWorkgroupLimit},
    {kTraceRegionAttrName, kOnModule, isModule, "an i64 of at least 0", isByteCount},
    {kMetadataAttrName, kOnModule, isModule, "a dictionary of strings whose keys have no zeros",
     isMetadata},
    {kMeshAttrName, kOnModule, isModule, "a #ttc.mesh", is<MeshAttr>},
    {kShardingAttrName, "an argument or a result of a function", isFunctionPort,
     "an array of arrays of distinct names", isSharding},
    {kShardingAttrName, "a ttc.input or ttc.output", isPortOp,
     "an array of arrays of distinct names", isSharding},
    {kDevicesAttrName, "a function", isFunction,
     "an array<i64> of distinct devices in ascending order, at least one", isListOfDevices},
    {kPartOfAttrName, "a function", isFunction, "a string", is<StringAttr>},
    {kVariantAttrName, "a function or a ttc.entry", isFunctionOrEntry, "a #ttc.variant",
     is<VariantAttr>, checkExtents},
    {kDimsAttrName, "an op of a variant", isOwnedByFunction, "an affine map", is<AffineMapAttr>},
    {kNumbersAttrName, "a constant of a variant", isOwnedByFunction, "an affine map",
     is<AffineMapAttr>},
    {kProbesAttrName, "a variant", isFunction, "array<i64>", is<DenseI64ArrayAttr>},
    {kProbedAttrName, "an op of a variant", isOwnedByFunction, "array<i64>", is<DenseI64ArrayAttr>},
    {kDimsAttrName, "an argument or a result of a function", isFunctionPort, "an affine map",
     is<AffineMapAttr>, checkDims},
    {kDimsAttrName, "a ttc.input or ttc.output", isPortOp, "an affine map", is<AffineMapAttr>},
    {kNameAttrName, "an argument or a result of a function", isPort, "a string", is<StringAttr>},
    {kStateAttrName, "an argument or a result of a function", isFunctionPort, "a symbol name",
     is<FlatSymbolRefAttr>},
    {kBufferAttrName, "an argument or a result of a ttc.trace", isTracePort, "a symbol name",
     is<FlatSymbolRefAttr>},
    {kBufferAttrName, "an op in a ttc.trace", isInTrace,
     "an array with a symbol name for each result", isBufferPerResult},
    {kStridedAttrName, kOnProgram, isProgramPort, "a #ttc.strided", is<StridedAttr>},
    {kShardAttrName, kOnProgram, isProgramPort, "a #ttc.shard", is<ShardAttr>},
    {kInPlaceAttrName, "a result of a ttc.program", isProgramResult, "an array<i64>",
     is<DenseI64ArrayAttr>},
    {kWithinAttrName, "a result of a ttc.program", isProgramResult, "a #ttc.within",
     is<WithinAttr>},
    {kWithinAttrName, "an argument of a function", isFunctionArgument, "a #ttc.within",
     is<WithinAttr>},
    {kInPlaceAttrName, "an argument of a function", isFunctionArgument, "an array<i64>",
     is<DenseI64ArrayAttr>},
};

LogicalResult verify(Operation *op, Owner owner, unsigned index, NamedAttribute attribute) {
  auto describe = [&](InFlightDiagnostic &error) -> InFlightDiagnostic & {
    if (owner != Owner::Operation)
      error << " on " << (owner == Owner::Argument ? "argument " : "result ") << index;
    return error;
  };
  SmallVector<StringRef> places;
  for (const Rule &rule : kRules) {
    if (attribute.getName() != rule.name)
      continue;
    if (!rule.isAllowed(op, owner)) {
      places.push_back(rule.where);
      continue;
    }
    if (rule.isValid(op, attribute.getValue()))
      return rule.check ? rule.check(op, owner, index, attribute.getValue()) : success();
    InFlightDiagnostic error = op->emitOpError("expected '") << rule.name << "'";
    return describe(error) << " to be " << rule.what << ", found " << attribute.getValue();
  }
  if (places.empty())
    return success(); // not an attribute that a pass reads
  InFlightDiagnostic error = op->emitOpError("expected '")
                             << attribute.getName().getValue() << "' on "
                             << llvm::join(places, " or ") << ", found it";
  if (owner == Owner::Operation)
    return error << " on this op";
  return describe(error);
}

} // namespace

LogicalResult TtcDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verify(op, Owner::Operation, 0, attribute);
}

LogicalResult TtcDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                   NamedAttribute attribute) {
  return verify(op, Owner::Argument, index, attribute);
}

LogicalResult TtcDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                      NamedAttribute attribute) {
  return verify(op, Owner::Result, index, attribute);
}
