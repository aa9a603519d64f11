// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"

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

void mlir::ttc::setRequirements(ProgramOp program, LLVM::LLVMFuncOp entry, int64_t workgroups,
                                int64_t scratchBytes) {
  Builder builder(entry);
  entry->setAttr(kWorkgroupsAttrName, builder.getI64IntegerAttr(workgroups));
  entry->setAttr(kScratchBytesAttrName, builder.getI64IntegerAttr(scratchBytes));
  program.setScratchBytes(scratchBytes);
  if (!program.getShards())
    program.setGrid(workgroups);
}
