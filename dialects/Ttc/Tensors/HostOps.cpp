// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that functions of the application compute.
#include "dialects/Ttc/Tensors/HostOps.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- host_function ----------------------------------------------------------------===//

/// The values that a bundle can hold.
static bool isHostAttribute(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getType().isSignlessInteger(64);
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getType().isF32();
  if (auto list = dyn_cast<ArrayAttr>(value))
    return llvm::all_of(list, llvm::IsaPred<StringAttr>);
  return isa<StringAttr, DenseI64ArrayAttr, DenseF32ArrayAttr, ElementsAttr>(value);
}

LogicalResult HostFunctionAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                       int64_t version, DictionaryAttr attributes,
                                       DenseI64ArrayAttr absentInputs,
                                       DenseI64ArrayAttr absentOutputs) {
  if (name.empty() || version < 0)
    return emitError() << "(C1) expected a name and a version of at least 0, found \"" << name
                       << "\" and " << version;
  if (attributes)
    for (NamedAttribute attribute : attributes)
      if (!isHostAttribute(attribute.getValue()))
        return emitError() << "(C2) expected i64, f32, strings, arrays of these or tensors, found "
                           << attribute.getName() << " = " << attribute.getValue();
  for (DenseI64ArrayAttr positions : {absentInputs, absentOutputs}) {
    int64_t least = 0;
    for (int64_t position : positions ? positions.asArrayRef() : ArrayRef<int64_t>()) {
      if (position < least)
        return emitError() << "(C3) expected absent positions of at least 0 that ascend, found "
                           << positions;
      least = position + 1;
    }
  }
  return success();
}

bool mlir::ttc::isAbsentBeforeLast(DenseI64ArrayAttr absent, size_t present) {
  size_t number = absent ? absent.size() : 0;
  // The last position is that of a value which is there.
  return number == 0 ||
         (present > 0 && absent.asArrayRef().back() < static_cast<int64_t>(present + number) - 1);
}

//===--- host_call --------------------------------------------------------------------===//

LogicalResult HostCallOp::verify() {
  if (getOutputs().empty())
    return emitOpError("(C1) expected at least one result, found none");
  for (auto [what, absent, present] :
       {std::tuple("operands", getFunction().getAbsentInputs(), getInputs().size()),
        std::tuple("results", getFunction().getAbsentOutputs(), getOutputs().size())})
    if (!isAbsentBeforeLast(absent, present))
      return emitOpError("(C2) expected absent ")
             << what << " before the last of " << present << ", found " << absent;
  return success();
}

StringRef HostCallOp::getHostWork() { return "a function of the application"; }

FailureOr<bool> HostCallOp::followExtents(OpBuilder &, ExtentScope &scope) {
  for (Value input : getInputs())
    for (int64_t dim = 0; dim < tensorType(input).getRank(); ++dim)
      if (scope.isPadded(input, dim))
        return emitPaddingError(*this, scope, input, dim)
               << "a function of the application gets whole tensors, of one size in all runs";
  return false;
}
