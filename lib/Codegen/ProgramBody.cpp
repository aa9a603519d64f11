// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::ttc;

FailureOr<int64_t> mlir::ttc::getPassedInteger(Operation *function, StringRef attribute,
                                               StringRef setBy, int64_t least) {
  auto value = function->getAttrOfType<IntegerAttr>(attribute);
  if (value && value.getInt() >= least)
    return value.getInt();
  InFlightDiagnostic error = function->emitOpError("expects '")
                             << attribute << "' of at least " << least << " (" << setBy
                             << " sets it), found ";
  if (Attribute found = function->getAttr(attribute))
    error << found;
  else
    error << "none";
  return error;
}

ModuleOp mlir::ttc::getCodeModule(ProgramOp program) {
  if (program.isExternal() || program.getBody().front().empty())
    return nullptr;
  return dyn_cast<ModuleOp>(program.getBody().front().front());
}

KernelOpInterface mlir::ttc::findKernel(ProgramOp program) {
  if (!program.hasTensorBody())
    return nullptr;
  auto kernels = program.getBody().front().getOps<KernelOpInterface>();
  return kernels.empty() ? KernelOpInterface() : *kernels.begin();
}

/// An expression over the extents.
static Value expandExtents(OpBuilder &builder, Location loc, AffineExpr expr, Type type,
                           function_ref<Value(unsigned)> load) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, constant.getValue()));
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return load(symbol.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = expandExtents(builder, loc, binary.getLHS(), type, load);
  Value right = expandExtents(builder, loc, binary.getRHS(), type, load);
  if (expr.getKind() == AffineExprKind::Add)
    return arith::AddIOp::create(builder, loc, left, right);
  if (expr.getKind() == AffineExprKind::Mul)
    return arith::MulIOp::create(builder, loc, left, right);
  return arith::FloorDivSIOp::create(builder, loc, left, right);
}

Value mlir::ttc::computeBound(OpBuilder &builder, Location loc, const BoundedFactor &factor,
                              Type type, function_ref<Value(unsigned)> load) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Value size = constant(factor.size);
  if (!factor.bound)
    return size;
  Value bound = expandExtents(builder, loc, factor.bound, type, load);
  // From 1 to the size, by one comparison.
  Value before = arith::SubIOp::create(builder, loc, bound, constant(1));
  Value isWithin = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, before, size);
  return arith::SelectOp::create(builder, loc, isWithin, bound, size);
}

void mlir::ttc::setRequirements(ProgramOp program, LLVM::LLVMFuncOp entry, int64_t workgroups,
                                int64_t scratchBytes) {
  Builder builder(entry);
  entry->setAttr(kWorkgroupsAttrName, builder.getI64IntegerAttr(workgroups));
  entry->setAttr(kScratchBytesAttrName, builder.getI64IntegerAttr(scratchBytes));
  program.setScratchBytes(scratchBytes);
  if (!program.getShards())
    program.setGrid(workgroups);
}
