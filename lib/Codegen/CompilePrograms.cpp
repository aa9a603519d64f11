// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramFacts.h"
#include "dialects/Ttc/Traces/BufferOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "ttc/Codegen/MachineCode.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Support/ProgressLine.h"
#include "ttc/Support/Target.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_COMPILEPROGRAMS
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {
/// The numbers of the variants that run each program. A variant uses traces, which use programs.
DenseMap<Operation *, SmallVector<unsigned, 1>> findVariants(ModuleOp module) {
  DenseMap<Operation *, SmallVector<unsigned, 1>> variants;
  SymbolTable symbols(module);
  unsigned number = 0;
  for (Operation &entry : module.getBody()->getOperations()) {
    if (!entry.hasAttr(kVariantAttrName))
      continue;
    SmallVector<Operation *> reached = {&entry};
    llvm::SmallPtrSet<Operation *, 8> seen = {&entry};
    for (size_t i = 0; i < reached.size(); ++i) {
      std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(reached[i]);
      if (!uses)
        continue;
      for (SymbolTable::SymbolUse use : *uses) {
        Operation *op = symbols.lookup(use.getSymbolRef().getRootReference());
        if (!op || !seen.insert(op).second)
          continue;
        if (isa<ProgramOp>(op))
          variants[op].push_back(number);
        else
          reached.push_back(op);
      }
    }
    ++number;
  }
  return variants;
}

struct CompileProgramsPass : mlir::ttc::impl::CompileProgramsBase<CompileProgramsPass> {
  using CompileProgramsBase::CompileProgramsBase;
  PassCounter numPrograms{*this, "programs", "Programs compiled"};
  PassCounter numMerged{*this, "merged", "Programs that share the code of another variant's"};
  PassCounter codeBytes{*this, "code-bytes",
                        "Bytes of the shared object and of the facts about it"};

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<TtcDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<ProgramOp> programs;
    SmallVector<LoweredProgram> lowered;
    ProgramFacts facts;
    DenseMap<Operation *, SmallVector<unsigned, 1>> variants = findVariants(module);
    for (auto program : module.getOps<ProgramOp>()) {
      if (program.isExternal())
        continue;
      auto bodies = program.getBody().getOps<ModuleOp>();
      if (bodies.empty()) {
        program.emitOpError(
            "expected a body lowered by --ttc-lower-programs, found ops on tensors");
        return signalPassFailure();
      }
      if (failed(facts.add(program)))
        return signalPassFailure();
      programs.push_back(program);
      lowered.push_back(
          {(*bodies.begin()).getOperation(), program.getSymName(), variants.lookup(program)});
    }
    if (programs.empty())
      return;

    MachineCodeOptions options;
    options.target = getCpuTarget(module.getOperation());
    ProgressLine line;
    if (progress)
      options.progress = [&](size_t done, size_t total) {
        line.show(("compiling programs: " + Twine(done) + " of " + Twine(total)).str());
      };
    MachineCodeFacts known;
    FailureOr<SmallVector<char, 0>> code = compilePrograms(lowered, options, &known);
    if (failed(code))
      return signalPassFailure();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    SmallVector<Attribute> names;
    for (const std::string &name : known.zoneNames)
      names.push_back(builder.getStringAttr(name));
    if (failed(BinaryOp::verifyZoneNames(names,
                                         [&] { return emitError(module.getLoc(), "expected "); })))
      return signalPassFailure();
    facts.append(*code);
    numPrograms += programs.size();
    numMerged += known.merged;
    codeBytes += code->size();

    // The machine code replaces the bodies.
    for (ProgramOp program : programs)
      program.getBody().getBlocks().clear();
    auto type = RankedTensorType::get({static_cast<int64_t>(code->size())}, builder.getI8Type());
    auto blob = HeapAsmResourceBlob::allocateAndCopyInferAlign<char>(*code);
    auto bytes = DenseResourceElementsAttr::get(type, "code", std::move(blob));
    SymbolTable symbols(module);
    auto binary = BinaryOp::create(builder, module.getLoc(), "code", bytes);
    if (!names.empty())
      binary.setZoneNamesAttr(builder.getArrayAttr(names));
    symbols.insert(binary);
  }
};
} // namespace
